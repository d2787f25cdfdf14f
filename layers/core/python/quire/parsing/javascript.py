"""The JavaScript inside MDX: where an expression or statement ends, and which of its strings a reader sees."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Keys of component properties and page data whose strings are shown on the page, as the components name them.
VISIBLE = frozenset(
    "title subtitle description overline label text heading header question answer options hint explanation caption "
    "summary content body alt message note tagline detail details bullets steps quote leadIn leadOut".split()
)
_VISIBLE_ENDINGS = ("Title", "Text", "Label", "Description", "Caption", "Heading", "Subtitle")
_TECHNICAL = frozenset(
    "className class style src href url image icon id sx css key allow sandbox path d".split()
)
_CODE_LIKE = re.compile(r"://|[;{}=<>]|\b\d+px\b|var\(|\w\(|0\.\d")
_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[`{}()\[\]/\n]""", re.DOTALL
)
_BEFORE_REGEX = re.compile(r"(?:[=(,:;\[!&|?{}]|\breturn)\s*\Z")
_REGEX = re.compile(r"/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*")
_CONTINUES = re.compile(r"(?:[=+\-*/&|?:,(\[{.<>]|=>)\s*\Z")
_CONTINUED = re.compile(r"\s*(?:[.+*/&|?:)\]}]|=>)")
_STRING = re.compile(
    r"""(?P<key>[A-Za-z_$][\w$]*)\s*[:=]\s*(?=["'`\[{(])|(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)"""
    r"""|(?P<open>[\[{(])|(?P<close>[\]})])|//[^\n]*|/\*.*?\*/""",
    re.DOTALL,
)
_CODE_TAG, _MARKUP = re.compile(r"</?code>"), re.compile(r"</?[A-Za-z][^<>]*>")
_JSX_TEXT = re.compile(r"(?:<[A-Za-z][^<>]*>|<>|</[A-Za-z]+>)([^<>{}]*[A-Za-z][^<>{}]*)(?=</?[A-Za-z>])")


def expression_end(text: str, start: int) -> int:
    """Offset just past the `}` that closes the `{` at `start`; -1 where none does."""
    return _balanced(text, start, statement=False)


def statement_end(text: str, start: int) -> int:
    """Offset of the line break, or of the end of the text, that ends the statement beginning at `start`."""
    return _balanced(text, start, statement=True)


def _balanced(text: str, start: int, *, statement: bool) -> int:
    depth, position = 0, start
    while token := _TOKEN.search(text, position):
        mark, position = token[0], token.end()
        if mark in "{([":
            depth += 1
        elif mark in "})]":
            depth -= 1
            if depth <= 0 and not statement:
                return position
        elif mark == "`":
            position = _template_end(text, position)
        elif mark == "/":
            position = _regex_end(text, token.start())
        elif mark == "\n" and statement and depth <= 0 and _is_complete(text, start, token.start()):
            return token.start()
    return len(text) if statement else -1


def _is_complete(text: str, start: int, line_break: int) -> bool:
    before = text[max(start, line_break - 80) : line_break]
    return not _CONTINUES.search(before) and not _CONTINUED.match(text, line_break + 1)


def _regex_end(text: str, start: int) -> int:
    match = _REGEX.match(text, start) if _BEFORE_REGEX.search(text[max(0, start - 20) : start]) else None
    return match.end() if match else start + 1


def _template_end(text: str, position: int) -> int:
    """Offset past the backtick that closes the template whose body begins at `position`."""
    while position < len(text):
        char = text[position]
        if char == "`":
            return position + 1
        if char == "\\":
            position += 2
        elif char == "$" and text[position + 1 : position + 2] == "{":
            end = expression_end(text, position + 1)
            position = end if end > 0 else position + 2
        else:
            position += 1
    return len(text)


def literal(text: str) -> str | None:
    """The value of an expression that is one string literal, else None.

    >>> literal('"Learn more"'), literal("count + 1")
    ('Learn more', None)
    """
    text = text.strip()
    match = re.fullmatch(
        r""""((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`""", text, re.DOTALL
    )
    return _unescape(next(group for group in match.groups() if group is not None)) if match else None


def visible_strings(code: str, key: str = "") -> Iterator[tuple[int, str]]:
    """Offsets and values of the strings that a reader of the page sees, as far as their keys tell.

    `key` is the name of the property that the code is the value of.

    >>> [text for _, text in visible_strings('{id: "q1", question: "Why?", options: ["Heat", "Cost"]}')]
    ['Why?', 'Heat', 'Cost']
    """
    keys, pending = [key], key
    for match in _STRING.finditer(code):
        if match["key"]:
            pending = match["key"]
        elif match["open"]:
            keys.append(pending if match["open"] == "[" else "")
            pending = keys[-1]
        elif match["close"]:
            keys = keys[:-1] or [key]
            pending = keys[-1]
        elif match["text"]:
            value = literal(match["text"])
            if value and _is_shown(pending, value):
                yield match.start(), _MARKUP.sub("", _CODE_TAG.sub("`", value))
            pending = keys[-1]
    bare = _STRING.sub(lambda match: " " * len(match[0]) if match["text"] else match[0], code)
    for match in _JSX_TEXT.finditer(bare):
        yield match.start(1), match[1]


def _is_shown(key: str, value: str) -> bool:
    """Whether a string is text for readers: its key says so, or it reads like prose and its key says nothing else."""
    if key in VISIBLE or key.endswith(_VISIBLE_ENDINGS):
        return bool(value.strip())
    return key not in _TECHNICAL and len(value.split()) >= 5 and not _CODE_LIKE.search(value)


def _unescape(text: str) -> str:
    return re.sub(
        r"\\(.)", lambda match: {"n": "\n", "t": " "}.get(match[1], match[1]), text, flags=re.DOTALL
    )
