"""Formulas of MathML and of office documents as TeX, as Markdown writes them.

Sources: MathML Core, and Office Math (ECMA-376, part 1, section 22.1), whose elements have other names and like parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from quire.parsing.zipped_xml import attribute, elements, local_name

_FRACTION, _POWER, _INDEX, _BOTH = r"\frac{{{0}}}{{{1}}}", "{0}^{{{1}}}", "{0}_{{{1}}}", "{0}_{{{1}}}^{{{2}}}"
_FORMS = {
    **dict.fromkeys(("mfrac", "f"), _FRACTION),
    **dict.fromkeys(("msup", "mover", "sSup", "limUpp"), _POWER),
    **dict.fromkeys(("msub", "munder", "sSub", "limLow"), _INDEX),
    **dict.fromkeys(("msubsup", "munderover", "sSubSup"), _BOTH),
    "mroot": r"\sqrt[{1}]{{{0}}}",
    "rad": r"\sqrt[{0}]{{{1}}}",
    "nary": "{sign}_{{{0}}}^{{{1}}} {2}",
    "func": "{0} {1}",
    "acc": "{0}{sign}",
}
"""How the parts of an element are written, in their order."""
_SIGNS = {"nary": "∫", "acc": "\u0302"}
_TABLES = {
    "mtable": r"\begin{{matrix}} {} \end{{matrix}}",
    "m": r"\begin{{matrix}} {} \end{{matrix}}",
    "eqArr": "{}",
}
_EMPTY = ("_{}", "^{}", "[]")
_DEEPEST = 40


def formula_text(formula: ElementTree.Element) -> str:
    """The formula between dollars; "" where it holds nothing.

    >>> formula_text(ElementTree.fromstring("<math><msup><mi>x</mi><mn>2</mn></msup><mo>=</mo><mn>4</mn></math>"))
    '$x^{2}=4$'
    """
    written = next(
        (one.text for one in elements(formula, "annotation") if "tex" in one.get("encoding", "")), ""
    )
    tex = " ".join((written or formula.get("alttext") or _tex(formula, 0)).split()).replace("$", r"\$")
    return f"${tex}$" if tex else ""


def _tex(element: ElementTree.Element, depth: int) -> str:
    name = local_name(element) or str(element.tag)
    if name in ("t", "mi", "mn", "mo", "mtext") or depth > _DEEPEST:
        text = "".join(element.itertext())
        return f"{text} " if name == "mi" and len(text) > 1 else text
    parts = [_tex(one, depth + 1) for one in _parts(element)]
    if name in ("mtr", "mr"):
        return " & ".join(parts)
    if name in _TABLES:
        return _TABLES[name].format(r" \\ ".join(parts))
    if name == "d":
        return (
            _property(element, "begChr", "(")
            + _property(element, "sepChr", "|").join(parts)
            + _property(element, "endChr", ")")
        )
    if name == "msqrt":
        return rf"\sqrt{{{''.join(parts)}}}"
    if name not in _FORMS:
        return "".join(parts)
    sign = _property(element, "chr", _SIGNS.get(name, ""))
    shown = _FORMS[name].format(*parts, *[""] * 3, sign=sign)
    for nothing in _EMPTY:
        shown = shown.replace(nothing, "")
    return shown


def _parts(element: ElementTree.Element) -> Iterator[ElementTree.Element]:
    """What a reader sees of an element; how it looks is in elements whose name ends so."""
    return (one for one in element if not local_name(one).endswith("Pr") and "annotation" not in str(one.tag))


def _property(element: ElementTree.Element, name: str, default: str) -> str:
    """A sign that the element's own properties name."""
    facts = next((one for one in element if local_name(one).endswith("Pr")), None)
    found = next((one for one in facts if local_name(one) == name), None) if facts is not None else None
    return default if found is None else attribute(found, "val")
