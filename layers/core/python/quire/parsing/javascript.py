"""The JavaScript inside MDX: where an expression or statement ends, and which of its strings a reader sees."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Keys of component properties and page data whose strings are shown on the page, as the components name them.
VISIBLE = frozenset(
    "title subtitle description overline label text heading header question answer options hint explanation caption "
    "summary content body alt message note tagline detail details bullets steps quote leadIn leadOut".split()
)
OF_TABLES = frozenset(("columns", "rows", "headers"))
"""What a table shows where they are lists: `rows={[["ash", "3"]]}`, not `rows="3"`."""
_VISIBLE_ENDINGS = ("Title", "Text", "Label", "Description", "Caption", "Heading", "Subtitle")
TECHNICAL = frozenset(
    "className class style src href url image icon id sx css key allow sandbox path d".split()
)
_CODE_NAMES = frozenset("code command commands cmd snippet".split())
_CODE_LIKE = re.compile(r"://|[;{}=<>]|\b\d+px\b|var\(|\w\(|0\.\d")
_TOKEN = re.compile(r"""//[^\n]*|/\*(?:.*?\*/|.*)|["'`{}()\[\]/\n]""", re.DOTALL)
_BODY = {
    '"': re.compile(r'(?:[^"\\\n]|\\.)*+', re.DOTALL),
    "'": re.compile(r"(?:[^'\\\n]|\\.)*+", re.DOTALL),
    "`": re.compile(r"(?:[^`\\]|\\.)*+", re.DOTALL),
}
_IN_TEMPLATE = re.compile(r"\\.|`|\$\{", re.DOTALL)
_BEFORE_REGEX = re.compile(r"(?:[=(,:;\[!&|?{}]|\breturn)\s*\Z")
_REGEX = re.compile(
    r"""
    /(?: [^/\\\n\[] | \\.                    # a character, or one behind a backslash
       | \[(?: [^\]\\\n] | \\. ){0,100}+\]   # a class of them, in which / ends nothing
    ){1,200}+/\w*+
    """,
    re.VERBOSE,
)
"""Bounded, as one without an end is looked for from each slash."""
_CONTINUES = re.compile(r"(?:[=+\-*/&|?:,(\[{.<>]|=>)\s*\Z")
_CONTINUED = re.compile(r"\s*(?:[.+*/&|?:)\]}]|=>)")
_STRING = re.compile(
    r"""
    (?P<key>(?<![\w$])[A-Za-z_$][\w$]*+)\s*+[:=]\s*+(?=["'`\[{(])  # the name of what follows
    | (?P<text>["'`])
    | (?P<open>[\[{(])
    | (?P<close>[\]})])
    | //[^\n]* | /\*(?: .*?\*/ | .* )                              # comments
    """,
    re.DOTALL | re.VERBOSE,
)
_CODE_TAG, _MARKUP = re.compile(r"</?code>"), re.compile(r"</?[A-Za-z][^<>]*>")
_JSX_TEXT = re.compile(
    r"""
    (?: <[A-Za-z][^<>]*> | <> | </[A-Za-z]+> )          # behind a tag
    ([^<>{}A-Za-z]*+[A-Za-z][^<>{}]*+)(?=</?[A-Za-z>])  # text that holds a letter, up to the next tag
    """,
    re.VERBOSE,
)


def expression_end(text: str, start: int) -> int:
    """Offset just past the `}` that closes the `{` at `start`; -1 where none does."""
    return _balanced(text, start, statement=False)


def statement_end(text: str, start: int) -> int:
    """Offset of the line break, or of the end of the text, that ends the statement beginning at `start`."""
    return _balanced(text, start, statement=True)


class _Strings:
    """Where the quoted strings of a text end; a quote without an end on its line is a letter, as in "don't"."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._unclosed: dict[str, int] = {}

    def end(self, start: int) -> int:
        """Offset past the string that begins at `start`; past its quote alone where it has no end.

        Ends that were looked for in vain are remembered: a text full of quotes is read once, not once for each.
        """
        mark = self._text[start]
        if start < self._unclosed.get(mark, 0):
            return start + 1
        found = _BODY[mark].match(self._text, start + 1)
        end = found.end() if found else start + 1
        if self._text.startswith(mark, end):
            return end + 1
        self._unclosed[mark] = end
        return start + 1


class _Nesting:
    """How deep reading stands in brackets and in the expressions of template literals."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._strings = _Strings(text)
        self._templates: list[int] = []
        self._depth = 0

    @property
    def is_outside(self) -> bool:
        """Whether every bracket and template is closed."""
        return self._depth <= 0 and not self._templates

    def step(self, token: re.Match[str]) -> int:
        """Take a token in and return the offset to read on from."""
        mark = token[0]
        if mark in "{([":
            self._depth += 1
        elif mark in "})]":
            self._depth -= 1
            if self._templates and self._depth <= self._templates[-1]:
                self._depth = self._templates.pop()
                return self._template(token.end())
        elif mark == "`":
            return self._template(token.end())
        elif mark == "/":
            return _regex_end(self._text, token.start())
        elif mark in "\"'":
            return self._strings.end(token.start())
        return token.end()

    def _template(self, position: int) -> int:
        """Read the template literal on to its end, or into its next expression."""
        for piece in _IN_TEMPLATE.finditer(self._text, position):
            if piece[0] == "${":
                self._templates.append(self._depth)
                self._depth += 1
            if piece[0][0] != "\\":
                return piece.end()
        return len(self._text)


def _balanced(text: str, start: int, *, statement: bool) -> int:
    nesting, position = _Nesting(text), start
    while token := _TOKEN.search(text, position):
        mark, position = token[0], nesting.step(token)
        if not nesting.is_outside:
            continue
        if mark in "})]" and not statement:
            return position
        if mark == "\n" and statement and _is_complete(text, start, token.start()):
            return token.start()
    return len(text) if statement else -1


def _is_complete(text: str, start: int, line_break: int) -> bool:
    before = text[max(start, line_break - 80) : line_break]
    return not _CONTINUES.search(before) and not _CONTINUED.match(text[line_break + 1 : line_break + 201])


def _regex_end(text: str, start: int) -> int:
    match = _REGEX.match(text, start) if _BEFORE_REGEX.search(text[max(0, start - 20) : start]) else None
    return match.end() if match else start + 1


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
    bare, done = [], 0
    for name, start, end in _keyed_strings(code, key):
        bare += [code[done:start], " " * (end - start)]
        done = end
        value = literal(code[start:end])
        if value and is_shown(name, value):
            yield start, _MARKUP.sub("", _CODE_TAG.sub("`", value))
        elif value and "\n" not in value and is_code_attribute(name, value):
            yield start, value if "`" in value else f"`{value}`"
    for match in _JSX_TEXT.finditer("".join([*bare, code[done:]])):
        yield match.start(1), match[1]


def quoted_values(code: str) -> Iterator[tuple[str, str]]:
    """All strings of an expression, each with the name of the property that it is the value of, "" without one."""
    for name, start, end in _keyed_strings(code, ""):
        if value := literal(code[start:end]):
            yield name, value


def _keyed_strings(code: str, key: str) -> Iterator[tuple[str, int, int]]:
    """The property's name, begin and end of each string."""
    keys, pending = [key], key
    for match, end in _tokens(code):
        if match["key"]:
            pending = match["key"]
        elif match["open"]:
            keys.append(pending if match["open"] == "[" else "")
            pending = keys[-1]
        elif match["close"]:
            keys[-1:] = [] if len(keys) > 1 else [key]
            pending = keys[-1]
        elif match["text"]:
            yield pending, match.start(), end
            pending = keys[-1]


def _tokens(code: str) -> Iterator[tuple[re.Match[str], int]]:
    """What `_STRING` finds, each with the offset past it."""
    strings, position = _Strings(code), 0
    while match := _STRING.search(code, position):
        position = strings.end(match.start()) if match["text"] else match.end()
        yield match, position


def is_shown(key: str, value: str) -> bool:
    """Whether a string is text for readers: its key says so, or it reads like prose and its key says nothing else."""
    if key in VISIBLE or key in OF_TABLES or key.endswith(_VISIBLE_ENDINGS):
        return bool(value.strip())
    return key not in TECHNICAL and len(value.split()) >= 5 and not _CODE_LIKE.search(value)


def is_code_name(name: str) -> bool:
    """Whether an attribute of this name holds code that its component shows."""
    return name in _CODE_NAMES


def is_code_attribute(name: str, value: str) -> bool:
    """Whether a component's attribute is code that it shows: it is called so, or like the command that a line runs.

    >>> is_code_attribute("npm", "npm install lamp"), is_code_attribute("icon", "lamp")
    (True, False)
    """
    if name in VISIBLE:
        return False
    return bool(value.strip()) and (
        is_code_name(name) or any(line.lstrip().startswith(f"{name} ") for line in value.split("\n"))
    )


def _unescape(text: str) -> str:
    return re.sub(
        r"\\(.)", lambda match: {"n": "\n", "t": " "}.get(match[1], match[1]), text, flags=re.DOTALL
    )
