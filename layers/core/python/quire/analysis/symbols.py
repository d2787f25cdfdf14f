"""How names of symbols are compared: `Humanoid:MoveTo`, `humanoid.moveto` and `Humanoid#MoveTo` are one.

And how they are shown: stored with dots, they are written as their language does. And which class declares the member
that a question names on one of its subclasses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

_SEPARATORS = re.compile(r"::|->|[:#]")
_DOTTED = re.compile(r"\$?\w++(?:\.[$~]?\w++)++[?!=]?")
_DEFINED = re.compile(r"^[ \t]*+def (self\.)?+(\w++[?!=]?+)", re.MULTILINE)
"""In Ruby."""
_JOINED = {"cpp": "::", "rust": "::", "php": "\\", "ruby": "::"}
"""What stands between the parts of a name, by languages in which it is no dot."""


def fold_symbol(name: str) -> str:
    """Fold case and the separators of all languages into one form.

    >>> fold_symbol("Humanoid:MoveTo"), fold_symbol("std::vector::push_back"), fold_symbol("Foo#bar()")
    ('humanoid.moveto', 'std.vector.push_back', 'foo.bar')
    """
    return fold_separators(name).casefold()


def fold_separators(name: str) -> str:
    """Fold the separators alone: names alike but for their case stay apart.

    >>> fold_separators("Foo#bar()")
    'Foo.bar'
    """
    return _SEPARATORS.sub(".", name.strip().removesuffix("()")).strip(".")


def last_part(folded: str) -> str:
    """The member's own name in a folded symbol.

    >>> last_part("humanoid.moveto")
    'moveto'
    """
    return folded.rpartition(".")[2]


def written_symbol(symbol: str, language: str, code: str = "") -> str:
    """A stored symbol as its language writes it; `code`, where it is known, defines it.

    >>> written_symbol("Pump.Oil.fill", "rust"), written_symbol("Pump.fill", "php"), written_symbol("Pump.fill", "go")
    ('Pump::Oil::fill', 'Pump::fill', 'Pump.fill')

    Ruby tells methods of classes from those of objects, where the code says that it is one:

    >>> [written_symbol("Pump.fill?", "ruby", code) for code in ("def fill?", "def self.fill?", "@full = true")]
    ['Pump#fill?', 'Pump.fill?', 'Pump#fill?']
    >>> written_symbol("Pump.Oil", "ruby"), written_symbol("when v1.0 is read", "ruby")
    ('Pump::Oil', 'when v1.0 is read')
    """
    joint = _JOINED.get(language)
    if joint is None or not _DOTTED.fullmatch(symbol):
        return symbol
    holder, _, own = symbol.rpartition(".")
    last = joint
    if language == "ruby" and not own[:1].isupper():
        last = "." if _is_of_class(own, code) else "#"
    elif language == "php" and (own.isupper() or not own[:1].isupper()):
        last = "::"
    return f"{holder.replace('.', joint)}{last}{own}"


def written_trail(trail: str, language: str, code: str = "") -> str:
    """A breadcrumb that ends in a stored symbol, as the language writes that.

    >>> written_trail("src/pump.rs › Pump.fill", "rust"), written_trail("src/pump.rs", "rust")
    ('src/pump.rs › Pump::fill', 'src/pump.rs')
    """
    place, level, symbol = trail.rpartition(" › ")
    return f"{place}{level}{written_symbol(symbol, language, code)}" if level else trail


def _is_of_class(method: str, code: str) -> bool:
    """Whether code in Ruby defines the method for the class itself."""
    defined = next((found for found in _DEFINED.finditer(code) if found[2] == method), None)
    return bool(defined and (defined[1] or "class << self" in code[: defined.start()]))


def resolve(name: str, hierarchy: Mapping[str, str], symbols_contains: Callable[[str], bool]) -> str | None:
    """Turn `Part.Position` into `BasePart.Position`: the name as the class that declares the member spells it.

    The nearest declaring class wins. `.`, `:` and trailing parentheses are alike; a class whose case differs from
    the hierarchy's is found too, its exact spelling first. None where the name has no class, or no class of the
    chain declares the member.

    Args:
        name: `Class.Member`, `Class:Member` or `Class:Member()`.
        hierarchy: class -> superclass; a root has no entry, or one that names no class.
        symbols_contains: whether some chunk defines exactly that symbol.

    >>> resolve("Part:Destroy()", {"Part": "BasePart", "BasePart": "Instance"}, {"Instance.Destroy"}.__contains__)
    'Instance.Destroy'
    """
    owner, separator, member = name.strip().removesuffix("()").replace(":", ".").partition(".")
    if not separator or not owner or not member or "." in member:
        return None
    for ancestor in ancestry(_spelled(owner, hierarchy), hierarchy):
        candidate = f"{ancestor}.{member}"
        if symbols_contains(candidate):
            return candidate
    return None


def ancestry(name: str, hierarchy: Mapping[str, str]) -> Iterator[str]:
    """The class itself, then its superclasses, nearest first; a cycle ends where it closes.

    >>> list(ancestry("Part", {"Part": "BasePart", "BasePart": "Instance"}))
    ['Part', 'BasePart', 'Instance']
    """
    seen: set[str] = set()
    while name and name not in seen:
        seen.add(name)
        yield name
        name = hierarchy.get(name, "")


def _spelled(owner: str, hierarchy: Mapping[str, str]) -> str:
    if owner in hierarchy:
        return owner
    folded = owner.casefold()
    return next((known for known in hierarchy if known.casefold() == folded), owner)
