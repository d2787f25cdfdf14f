"""The reference's prose made readable: cross references, HTML and JSX rendered as plain Markdown."""

from __future__ import annotations

import html
import re

_FENCE_LINE = re.compile(r"^[ \t]*+```(?P<said>[^\n]*+)$", re.MULTILINE)
_REFERENCE = re.compile(
    r"""
    \b(Class|Enum|Datatype|Library|Global)  # `Class.Part.Touched`
    \.([^`|<]+)
    (?:\|([^`<]*))?                         # how it is shown
    """,
    re.VERBOSE,
)
# What must not stand before a loose reference is looked at last: a search that begins with letters skips to them.
_LOOSE = re.compile(
    r"""
    (?:Class(?<![`.\w]Class)|Datatype(?<![`.\w]Datatype))  # outside of back quotes, and no part of a name
    \.([A-Z]\w*)(?:\|\w+)?
    """,
    re.VERBOSE,
)
_SPAN = re.compile(r"(`[^`]*`)")
_LINK = re.compile(
    r"""
    (!?)\[([^\]]{0,500}+)\]                                      # an image, or a link with its text
    \([^)\s]{0,2000}+(?:\s{1,20}+\"[^\"]{0,500}+\")?\)            # its address and title
    """,
    re.VERBOSE,
)
_CODE_TAG = re.compile(r"<code[^>]{0,200}+>([^<]*+(?:<(?!/?code)[^<]*+)*+)</code>")
_CELL = re.compile(r"</t[dh]>\s*<t[dh][^>]*>")
_ROW = re.compile(
    r"""
    <tr[^>]{0,200}+>\s*+<t[dh][^>]{0,200}+>
    (.{0,5000}?)  # of a bounded length: what nothing closes is not looked through again and again
    </t[dh]>\s*+</tr>
    """,
    re.DOTALL | re.VERBOSE,
)
_POWER = re.compile(r"<sup>(\w+)</sup>")
_SWATCH = re.compile(r'<ColorSwatch value="([^"]*)"\s*/>')
_BREAK = re.compile(r"(?:(?<!\s)\s++)?<br\s*+/?>\s*+")
_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9]*)(?:\s[^<>]*)?/?>")
_HTML = frozenset(
    "a abbr alert alerttitle b br caption card chip colorswatch dd details div dl dt em figcaption figure h1 h2 h3 h4 "
    "h5 h6 hr i img kbd li ol p picture s small source span strong sub summary sup table tabitem tabs tbody td "
    "tfoot th thead tr typography u ul video".split()
)
_OWN_LINE = re.compile(r"\s*([-*+] |\d+[.)] |#{1,6} |\||>)")
_LINE_MARK = re.compile(r"\n(?:#{1,6}|[-*+]) ")
_WORD = re.compile(
    r"""
    CFrame | UDim2 | Vector[23]   # names that are one word
    | [A-Z]+(?=[A-Z][a-z])        # HTTP of HTTPService
    | [A-Z]?[a-z]+ | [A-Z]+ | \d+
    """,
    re.VERBOSE,
)


def split_words(identifier: str) -> str:
    """The words that an identifier is made of, in lower case.

    >>> split_words("WalkToPoint"), split_words("HTTPService"), split_words("GetUserCFrame")
    ('walk to point', 'http service', 'get user cframe')
    """
    return " ".join(_WORD.findall(identifier)).lower()


def readable(text: str, owner: str = "") -> str:
    """Render the reference's Markdown as text for people and models: fenced code whole, paragraphs on one line.

    A cross reference shows its label, or the qualified name where the label alone would not say whose member it is;
    members of `owner` go by their bare label. Links keep their words, images go, tables become `| a | b |` rows.

    >>> readable("Fires `Class.BasePart.Touched|Touched` of\\nthe [part](x.md).", "Humanoid")
    'Fires `BasePart.Touched` of the part.'
    """
    if not text:
        return ""
    pieces = _split_fences(text)
    rendered = [piece if number % 2 else _prose(piece, owner) for number, piece in enumerate(pieces)]
    return "\n\n".join(piece.strip("\n") for piece in rendered if piece.strip()).strip()


def bare(text: str) -> str:
    """Readable text without its markup and fenced code, for embedding.

    >>> bare("Use `Touched` **only** here.\\n```lua\\nprint(1)\\n```")
    'Use Touched only here.'
    """
    prose = _LINE_MARK.sub("\n", "\n" + " ".join(_split_fences(text)[::2]))
    return " ".join(prose.replace("**", "").replace("`", "").split())


def _split_fences(text: str) -> list[str]:
    """Prose and fenced code by turns, prose first."""
    pieces, end, opened = [], 0, -1
    for line in _FENCE_LINE.finditer(text) if "```" in text else ():
        if opened < 0:
            opened = line.start()
        elif not line["said"].strip(" \t"):
            pieces += [text[end:opened], text[opened : line.end()]]
            end, opened = line.end(), -1
    return [*pieces, text[end:]]


def _prose(text: str, owner: str) -> str:
    if "<" in text:
        text = _untagged(text)
    if "Class." in text or "Datatype." in text:
        text = _LOOSE.sub(r"\1", text)
    if "`" in text and "." in text:
        text = _SPAN.sub(lambda match: _referred(match[0], owner), text)
    if "](" in text:
        text = _LINK.sub(lambda match: "" if match[1] else match[2], text)
    return html.unescape(_reflow(text))


def _referred(span: str, owner: str) -> str:
    return _REFERENCE.sub(lambda match: _reference(match, owner), span) if "." in span else span


def _reference(match: re.Match[str], owner: str) -> str:
    kind, target, label = match[1], " ".join(match[2].split()), " ".join((match[3] or "").split())
    name = _public_name(kind, target)
    bare_name = re.split(r"[.:]", name.removesuffix("()"))[-1]
    if not label:
        return name
    if kind == "Enum":
        return _item_name(name, label)
    if label.removesuffix("()") != bare_name:
        return label if bare_name.lower()[:5] in label.lower() else f"{label} ({name})"
    return label if name.startswith((f"{owner}.", f"{owner}:")) else name


def _item_name(enum: str, label: str) -> str:
    """Labels of enums often are one of its items, alone or qualified.

    >>> _item_name("Enum.Axis", "X"), _item_name("Enum.Axis", "Axis.X"), _item_name("Enum.Axis", "the axes")
    ('Enum.Axis.X', 'Enum.Axis.X', 'the axes')
    """
    item = label.removeprefix("Enum.").removeprefix(f"{enum.removeprefix('Enum.')}.")
    if not item.isidentifier() or enum.removeprefix("Enum.").startswith(item.removesuffix("s")):
        return label
    return enum if enum.endswith(f".{item}") else f"{enum}.{item}"


def _public_name(kind: str, target: str) -> str:
    if kind == "Enum":
        return f"Enum.{target}"
    return target.partition(".")[2] or target if kind == "Global" else target


def _untagged(text: str) -> str:
    text = _CODE_TAG.sub(lambda match: f"`{html.unescape(' '.join(match[1].split()))}`", text)
    text = _SWATCH.sub(r"\1", _POWER.sub(r"^\1", text))
    text = _BREAK.sub(" ", _ROW.sub(_table_row, text))
    pieces = _SPAN.split(text)
    return "".join(
        piece if number % 2 else _TAG.sub(_without_tag, piece) for number, piece in enumerate(pieces)
    )


def _table_row(match: re.Match[str]) -> str:
    cells = (" ".join(cell.split()) for cell in _CELL.split(match[1]))
    return f"\n| {' | '.join(cells)} |\n"


def _without_tag(match: re.Match[str]) -> str:
    known = match[1].lower() in _HTML
    if not known:
        return match[0]
    return "\n\n" if match[1].lower() in {"figcaption", "figure", "table", "li"} else ""


def _reflow(text: str) -> str:
    """Join the hard-wrapped lines of each paragraph and list item; keep table rows and headings on their own."""
    if "\n" not in text:
        return _indent(text.rstrip())
    paragraphs: list[str] = []
    fresh = True
    for line in text.split("\n"):
        if not line.strip():
            fresh = True
        elif fresh or _OWN_LINE.match(line) or paragraphs[-1].lstrip().startswith(("#", "|")):
            spaced = fresh and paragraphs and not line.lstrip().startswith(("|", "-", "*", "+"))
            paragraphs.append(("\n" if spaced else "") + line.rstrip())
            fresh = False
        else:
            paragraphs[-1] += " " + line.strip()
    return "\n".join(_indent(paragraph) for paragraph in paragraphs)


def _indent(paragraph: str) -> str:
    """Lists keep their nesting; anything else stands at the margin."""
    return (
        paragraph if _OWN_LINE.match(paragraph) else ("\n" * paragraph.startswith("\n")) + paragraph.strip()
    )
