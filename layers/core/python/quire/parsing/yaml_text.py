r"""YAML that is written to be read, as Markdown: an item that has a title is a section, its texts are shown as text.

Manuals, questions with answers and pages of sites stand in such files. What is no text of it (examples, settings) is
shown as it stands, in a block of code. Files of which most is no text keep to `quire.parsing.declarations`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

YAML = (".yml", ".yaml")
TEXT_SHARE = 0.5
"""Share of a file's characters that texts have from which on it is one to be read."""
LEAST_TEXT = 400
"""Characters of texts: a shorter file has a note or two beside its settings."""
WORDS_A_LINE, LETTERS = 4, 0.7
"""What prose has at least: words in a line on average, and the share of letters and blanks."""
LONGEST_TITLE = 200
DEEPEST = 120
"""Blanks before an entry from which on nothing in it is looked for."""
SAID_WORDS = 6
"""So many words behind a key are a text, in an item that has a title."""
_LINE = re.compile(
    r"""
    (?P<indent>[ ]*) (?P<item>-[ ]+)?  # an item of a list, which may begin with a key
    (?: (?P<key>"[^"\n]{1,80}" | '[^'\n]{1,80}' | [A-Za-z_][\w.-]{0,80}) [ ]?:(?:[ ]+(?P<value>\S.*))?$ )?
    """,
    re.VERBOSE,
)
_BLOCK = re.compile(r"[|>][+\-\d]*(?:[ \t]+\#.*)?")
_TITLES = ("title", "headline", "heading", "question", "term", "name")
_HEADS = ("title", "headline", "heading")
"""Keys that a whole file has its title in."""
_NO_TEXT = re.compile(
    r"""
    .*(?: run | script  # what programs read or write
      | commands? | cmd | code | program | source | data | input | output | results? | query | sql
      | template | examples? )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SETTINGS = re.compile(
    r"""
    ^["']?(?: openapi  # descriptions of interfaces, manifests and workflows
       | swagger | asyncapi | apiVersion | kind | jobs | steps | services | stages | \$schema
      | AWSTemplateFormatVersion )["']?[ ]*:
    """,
    re.MULTILINE | re.VERBOSE,
)
_HEADING = re.compile(r"(#{1,6}+)[ ]++(.*+)")
_UNDERLINE = re.compile(r"=+|-+")
_WORD = re.compile(r"[^\W\d_]{2,}+")


class _Entry(NamedTuple):
    """A key, or an item of a list.

    Attributes:
        row: where it stands, from 0.
        depth: twice its blanks, and one more of an item, which may be set in as far as the key that it belongs to.
        key: "" of an item.
        value: what stands behind it on its line.
    """

    row: int
    depth: int
    key: str
    value: str


def is_yaml_text(path: str, text: str) -> bool:
    """Whether a file is YAML, most of which is prose, and no form or setting of the place where a project lies."""
    lower = path.lower()
    return lower.endswith(YAML) and not f"/{lower}".count("/.git") and yaml_as_markdown(text) is not None


@lru_cache(maxsize=4)
def yaml_as_markdown(text: str) -> tuple[str, Sequence[int]] | None:
    r"""A file of prose as Markdown, and of each line of it the line that it stands on in the file, from 1.

    None where most of it is no prose, or nothing of it has a title.

    >>> said = "      Long oars are for long boats.\n" * 20
    >>> shown, numbers = yaml_as_markdown(f"title: Boats\nparts:\n  - title: Oars\n    body: |\n{said}")
    >>> shown.split("\n")[:5], numbers[:5]
    (['# Boats', '', '## Oars', '', 'Long oars are for long boats.'], (1, 1, 3, 3, 5))
    """
    if _SETTINGS.search(text):
        return None
    lines = text.replace("\r\n", "\n").expandtabs(8).split("\n")
    document = _TextsOfYaml(lines)
    if not document.is_titled or document.prose < max(
        LEAST_TEXT, TEXT_SHARE * sum(len(line.strip()) for line in lines)
    ):
        return None
    shown = [*document.shown(0, len(document.entries), 1)]
    return "\n".join(line for _, line in shown), tuple(row + 1 for row, _ in shown)


class _TextsOfYaml:
    """A file's entries, in order.

    Attributes:
        entries: those.
        prose: characters of those that are texts.
        is_titled: whether an item with a title holds one of them, or the file has a title.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self.entries = tuple(_entries(lines))
        self._ends = _ends(self.entries)
        self._titled = [""] * len(self.entries)  # of an item its title, and of keys in it
        for at, entry in enumerate(self.entries):
            if not entry.key:
                title = self._title_of(at)
                for child in (at, *self._children(at + 1, self._ends[at])):
                    self._titled[child] = title
        self._is_text = [self._reads_as_text(at) for at in range(len(self.entries))]
        self.is_titled = any(
            self._is_text[at] if self._titled[at] else entry.depth == 0 and entry.key in _HEADS
            for at, entry in enumerate(self.entries)
        )
        self._texts = [0, *accumulate(self._is_text)]
        self.prose = sum(
            len(line.strip())
            for at, is_text in enumerate(self._is_text)
            if is_text
            for _, line in self._text(at)
        )

    def shown(self, first: int, end: int, level: int) -> Iterator[tuple[int, str]]:
        """The lines of entries as Markdown, each with its row; headings are of the `level` or below it."""
        code: list[int] = []
        for at in self._children(first, end):
            entry = self.entries[at]
            heads = entry.depth == 0 and entry.key in _HEADS and bool(self._value(at))
            holds = self._texts[self._ends[at]] > self._texts[at] and entry.depth < 2 * DEEPEST
            if not heads and not holds:
                if not (self._titled[at] and entry.key in _TITLES and self._value(at) == self._titled[at]):
                    code.append(at)
                continue
            yield from self._code(code)
            code = []
            if heads:
                yield from _paragraph([(entry.row, f"# {self._value(at)}")])
            elif self._is_text[at]:
                yield from _paragraph(_below(self._text(at), level))
            else:
                yield from self._held(at, level)
        yield from self._code(code)

    def _held(self, at: int, level: int) -> Iterator[tuple[int, str]]:
        """What stands in an entry, below a heading where it is an item with a title."""
        title = "" if self.entries[at].key else self._titled[at]
        if title:
            level += 1
            yield from _paragraph([(self.entries[at].row, f"{'#' * min(level, 6)} {title}")])
        yield from self.shown(at + 1, self._ends[at], level)

    def _code(self, found: Sequence[int]) -> Iterator[tuple[int, str]]:
        """Entries as they stand in the file."""
        rows = [row for at in found for row in range(self.entries[at].row, self._last_row(at))]
        while rows and not self._lines[rows[-1]].strip():
            rows.pop()
        if rows:
            lines = [self._lines[row] for row in rows]
            first = self.entries[found[0]]
            # The item's mark is that of what stands around.
            if first.key and lines[0].lstrip().startswith("- "):
                lines[0] = lines[0].replace("-", " ", 1)
            shown = textwrap.dedent("\n".join(lines)).split("\n")
            yield from _paragraph([(rows[0], "```yaml"), *zip(rows, shown, strict=True), (rows[-1], "```")])

    def _children(self, first: int, end: int) -> Iterator[int]:
        while first < end:
            yield first
            first = self._ends[first]

    def _title_of(self, at: int) -> str:
        inside = {self.entries[one].key: one for one in reversed([*self._children(at + 1, self._ends[at])])}
        return next((self._value(inside[key]) for key in _TITLES if key in inside), "")

    def _last_row(self, at: int) -> int:
        following = self._ends[at]
        return self.entries[following].row if following < len(self.entries) else len(self._lines)

    def _value(self, at: int) -> str:
        """What is behind a key, on one line, as it is read; "" where entries stand in it or it is long."""
        if self._ends[at] != at + 1:
            return ""
        value = " ".join(line.strip() for _, line in self._text(at)).strip()
        return value if len(value) <= LONGEST_TITLE else ""

    def _text(self, at: int) -> list[tuple[int, str]]:
        """The lines of what stands behind a key, without quotes, set in as they are to one another."""
        entry = self.entries[at]
        rows = range(entry.row + 1, self._last_row(at))
        lines = textwrap.dedent("\n".join(self._lines[row] for row in rows)).rstrip().split("\n")
        found = list(zip(rows, lines, strict=False))
        if _BLOCK.fullmatch(entry.value):
            return found
        said = [(entry.row, entry.value), *found]
        quote = entry.value[:1]
        if quote in ("'", '"') and said[-1][1].rstrip().endswith(quote):
            said[0] = (entry.row, said[0][1][1:])
            said[-1] = (said[-1][0], said[-1][1].rstrip()[:-1])
            double = quote * 2 if quote == "'" else '\\"'
            said = [(row, line.replace(double, quote)) for row, line in said]
        return [(row, line.strip()) for row, line in said]

    def _reads_as_text(self, at: int) -> bool:
        entry = self.entries[at]
        if not entry.key or not entry.value or self._ends[at] != at + 1 or _NO_TEXT.fullmatch(entry.key):
            return False
        is_block = bool(_BLOCK.fullmatch(entry.value))
        if not is_block and (not self._titled[at] or entry.key in _TITLES or entry.value[0] in "[{&*!"):
            return False
        lines = [line for _, line in self._text(at) if line.strip()]
        text = " ".join(lines)
        words = len(_WORD.findall(text))
        is_prose = sum(one.isalpha() or one == " " for one in text) >= LETTERS * len(text)
        return is_prose and words >= (WORDS_A_LINE * len(lines) if is_block else SAID_WORDS)


def _entries(lines: Sequence[str]) -> Iterator[_Entry]:
    """Keys and items; not what is written inside of texts."""
    text_indent = -1
    for row, line in enumerate(lines):
        found = _LINE.match(line)
        indent = len(found["indent"]) if found else 0
        if not line.strip() or (text_indent >= 0 and indent > text_indent):
            continue
        text_indent = -1
        if found is None or line.lstrip().startswith("#"):
            continue
        if found["item"] is not None:
            yield _Entry(row, 2 * indent + 1, "", "")
            indent += len(found["item"])
        if found["key"]:
            value = (found["value"] or "").rstrip()
            text_indent = indent if _BLOCK.fullmatch(value) else -1
            yield _Entry(row, 2 * indent, found["key"].strip("\"'"), value)


def _ends(entries: Sequence[_Entry]) -> list[int]:
    """Of each entry the place of the next that does not stand in it."""
    ends = [len(entries)] * len(entries)
    open_ones: list[int] = []
    for at, entry in enumerate(entries):
        while open_ones and entries[open_ones[-1]].depth >= entry.depth:
            ends[open_ones.pop()] = at
        open_ones.append(at)
    return ends


def _below(text: Sequence[tuple[int, str]], level: int) -> Iterator[tuple[int, str]]:
    """A text whose own headings, underlined ones too, are below those of the `level`.

    >>> list(_below([(3, "Oars"), (4, "===="), (5, "# Rows"), (6, "Row.")], 2))
    [(3, '### Oars'), (4, ''), (5, '### Rows'), (6, 'Row.')]
    """
    lines = [line for _, line in text]
    for at, (row, line) in enumerate(text):
        under = lines[at + 1].rstrip() if at + 1 < len(lines) and line.strip() else ""
        found = _HEADING.fullmatch(line)
        signs, title = (found[1], found[2]) if found else ("#" * (1 + under.startswith("-")), line)
        is_rule = _UNDERLINE.fullmatch(line.rstrip()) and at and lines[at - 1].strip()
        if found or _UNDERLINE.fullmatch(under):
            yield row, f"{'#' * min(6, max(level + 1, len(signs) + level - 1))} {title.strip()}"
        else:
            yield row, "" if is_rule else line


def _paragraph(lines: Sequence[tuple[int, str]] | Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Lines, and a blank one below them."""
    last = 0
    for last, line in lines:
        yield last, line
    yield last, ""
