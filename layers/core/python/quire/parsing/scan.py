"""The state of a pass over a file's markup, and what such a pass leaves behind."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate

from quire.errors import SourceError
from quire.parsing.tags import Tag

# Private-use characters that mark, in cleaned text, what Markdown cannot say. A source's own are removed first.
INSERT, BREAK, TICK, NOTHING = "\ue001", "\ue002", "\ue003", "\ue004"
MOST_MISSING = 500
"""Different ends that are looked for in vain in one file; beyond, nothing is found."""
MARKS = re.compile("[\ue001-\ue004]")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})(.*)")
_TICKS = re.compile("`+")
_MARGIN = " \t>-*+\n"


def fence_behind(opened: str, line: str) -> str:
    """The signs of the fence that is open behind a line, "" for none, where `opened` was before it: its like alone
    closes it, or a longer one.

    >>> [fence_behind(*one) for one in (("", "```c"), ("```", "````"), ("```", "```c"), ("", "```c```"))]
    ['```', '', '```', '']
    """
    fence = _FENCE.match(line)
    if fence is None or (not opened and fence[1][0] == "`" and "`" in fence[2]):  # code within a line
        return opened
    if not opened:
        return fence[1]
    return "" if fence[1].startswith(opened) and not fence[2].strip() else opened


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a file is written.

    Attributes:
        mdx: whether braces are expressions, and import and export are statements.
        strict: which unbalanced tags are errors: `all`, `components` (JSX alone) or `none`.
        references: whether code spans such as `Class.Part|Parts` are cross references.
        wiki: whether `[[Page|words]]`, `![[embedded]]`, `%%comment%%`, `==mark==` and `^block` are markup.
        torn: it is a part of a file: what begins or ends elsewhere is no error.
    """

    mdx: bool = False
    strict: str = "none"
    references: bool = False
    wiki: bool = False
    torn: bool = False

    @property
    def is_strict(self) -> bool:
        """Whether whatever is never closed is an error."""
        return self.strict == "all" and not self.torn


@dataclass(frozen=True, slots=True)
class Row:
    """A table row: cells of cleaned Markdown and the row's lines."""

    cells: tuple[str, ...]
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Insert:
    """What a marked line stands for. `kind`: `table`, `include`, `label` or `code` (its text is fenced)."""

    kind: str
    line: int
    text: str = ""
    rows: tuple[Row, ...] = ()
    props: Mapping[str, str] = field(default_factory=dict)
    end_line: int = 0


@dataclass(slots=True)
class OpenTable:
    """An HTML table being read: where its output began, and where its rows and cells did (`name, output, line`)."""

    begin: int
    line: int
    at_line_start: bool
    events: list[tuple[str, int, int]] = field(default_factory=list)


@dataclass(slots=True)
class MarkupScan:
    """The state of one pass over a file.

    `at_line_start`: only white space, quote or list marks stand on the line written so far.
    """

    text: str
    path: str
    dialect: Dialect
    includes: Mapping[str, str] = field(default_factory=dict)
    props: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    out: list[str] = field(default_factory=list)
    at_line_start: bool = True
    inserts: list[Insert] = field(default_factory=list)
    open_tags: list[Tag] = field(default_factory=list)
    tables: list[OpenTable] = field(default_factory=list)
    constants: dict[str, str] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    tab_labels: dict[str, str] = field(default_factory=dict)
    tab_items: list[list[str]] = field(default_factory=list)
    code_groups: int = 0
    line_starts: list[int] = field(default_factory=list)
    missing: set[str] = field(default_factory=set)
    firsts: dict[str, int] = field(default_factory=dict)
    list_depth: int = 0
    unclosed: int = 0
    in_vain: int = 0
    paragraph: int = -1
    ticks: dict[int, list[int]] = field(default_factory=dict)

    def find(self, wanted: str, start: int) -> int:
        """Offset of `wanted` from `start` on, or -1; what was not found once is not searched for again.

        Reading goes forward, so that this keeps a text full of openings without ends from taking quadratic time.
        """
        hopeless = wanted in self.missing or len(self.missing) > MOST_MISSING
        found = -1 if hopeless else self.text.find(wanted, start)
        if found < 0:
            self.missing.add(wanted)
        return found

    def first(self, wanted: str) -> int:
        """Offset of the first `wanted` in the whole text, or its length where there is none."""
        if wanted not in self.firsts:
            found = self.text.find(wanted)
            self.firsts[wanted] = len(self.text) if found < 0 else found
        return self.firsts[wanted]

    def closing_ticks(self, start: int, count: int) -> int:
        """Offset of the next run of exactly so many back quotes in the paragraph of `start`, or -1.

        A paragraph's runs are found once, when its first code span is read.
        """
        if start > self.paragraph:
            end = self.text.find("\n\n", start)
            self.paragraph = len(self.text) if end < 0 else end
            self.ticks.clear()
            for run in _TICKS.finditer(self.text, start, self.paragraph):
                self.ticks.setdefault(len(run[0]), []).append(run.start())
        runs = self.ticks.get(count, [])
        found = bisect_left(runs, start)
        return runs[found] if found < len(runs) else -1

    def emit(self, text: str) -> None:
        """Append to the cleaned text."""
        if text:
            self.out.append(text)
            if text[-1] not in _MARGIN:
                self.at_line_start = False
                return
            cut = text.rfind("\n")
            blank = not text[cut + 1 :].strip(" \t>-*+")
            self.at_line_start = blank and (cut >= 0 or self.at_line_start)

    def blank(self, start: int, end: int, *, keep: bool = False) -> None:
        """Append only the line breaks of a stretch; with `keep`, its lines do not end a paragraph."""
        count = self.text.count("\n", start, end)
        if count:
            self.emit(f"{NOTHING}\n{NOTHING}" * count if keep else "\n" * count)

    def line(self, offset: int) -> int:
        """The line of an offset, from 1."""
        if not self.line_starts:
            self.line_starts = [0, *accumulate(len(line) + 1 for line in self.text.split("\n"))]
        return bisect_right(self.line_starts, offset)

    def fail(self, offset: int, message: str) -> SourceError:
        """An error that names file and line."""
        return SourceError(f"{self.path}:{self.line(offset)}: {message}", path=self.path)

    def insert(self, made: Insert) -> None:
        """Append an insert's line."""
        self.inserts.append(made)
        self.emit(f"{INSERT}{len(self.inserts) - 1}{INSERT}")
