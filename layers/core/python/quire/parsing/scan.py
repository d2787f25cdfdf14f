"""The state of a pass over a file's markup, and what such a pass leaves behind."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field

from quire.errors import SourceError
from quire.parsing.tags import Tag

# Private-use characters that mark, in cleaned text, what Markdown cannot say. A source's own are removed first.
INSERT, BREAK, TICK, NOTHING = "\ue001", "\ue002", "\ue003", "\ue004"
MARKS = re.compile("[\ue001-\ue004]")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a file is written.

    Attributes:
        mdx: whether braces are expressions, and import and export are statements.
        strict: which unbalanced tags are errors: `all`, `components` (JSX alone) or `none`.
        references: whether code spans such as `Class.Part|Parts` are cross references.
    """

    mdx: bool = False
    strict: str = "none"
    references: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A table row: cells of cleaned Markdown and the row's lines."""

    cells: tuple[str, ...]
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Insert:
    """What a marked line stands for. `kind`: `table`, `include` or `label`."""

    kind: str
    line: int
    text: str = ""
    rows: tuple[Row, ...] = ()
    props: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class OpenTable:
    """An HTML table being read: where its output began, and where its rows and cells did (`name, output, line`)."""

    begin: int
    line: int
    tail: str
    events: list[tuple[str, int, int]] = field(default_factory=list)


@dataclass(slots=True)
class Scan:
    """The state of one pass over a file."""

    text: str
    path: str
    dialect: Dialect
    includes: Mapping[str, str] = field(default_factory=dict)
    props: Mapping[str, str] = field(default_factory=dict)
    out: list[str] = field(default_factory=list)
    tail: str = ""
    inserts: list[Insert] = field(default_factory=list)
    open_tags: list[Tag] = field(default_factory=list)
    tables: list[OpenTable] = field(default_factory=list)
    constants: dict[str, str] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    line_starts: list[int] = field(default_factory=list)

    def emit(self, text: str) -> None:
        """Append to the cleaned text."""
        if text:
            self.out.append(text)
            cut = text.rfind("\n")
            self.tail = text[cut + 1 :] if cut >= 0 else self.tail + text

    def blank(self, start: int, end: int, *, keep: bool = False) -> None:
        """Append only the line breaks of a stretch; with `keep`, its lines do not end a paragraph."""
        count = self.text.count("\n", start, end)
        self.emit(f"{NOTHING}\n{NOTHING}" * count if keep else "\n" * count)

    def line(self, offset: int) -> int:
        """The line of an offset, from 1."""
        return bisect_right(self.line_starts, offset)

    def fail(self, offset: int, message: str) -> SourceError:
        """An error that names file and line."""
        return SourceError(f"{self.path}:{self.line(offset)}: {message}", path=self.path)

    def insert(self, made: Insert) -> None:
        """Append an insert's line."""
        self.inserts.append(made)
        self.emit(f"{INSERT}{len(self.inserts) - 1}{INSERT}")

    @property
    def at_line_start(self) -> bool:
        """Whether only white space, quote or list marks stand on the line so far."""
        return not self.tail.strip(" \t>-*+")
