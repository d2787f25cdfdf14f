"""Headings of a document to nested sections, for the parsers of plain-text markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quire.parsing.outline import Definition

_IDENTIFIER = re.compile(r"[^\W\d]\w*+(?:[.:-]++\w++)*+(?:\(\))?")
_MARKED = re.compile(r"``?([^`]+)``?|\+([^+\s]+)\+")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as it stands in a file.

    Attributes:
        line: where its section begins, from 1: at what labels it, where something does.
        level: from 1, the outermost.
        title: readable text.
        names: what the section defines, such as a setting or an option.
        end_line: its last line, where something other than the next heading ends it.
    """

    line: int
    level: int
    title: str
    names: tuple[str, ...] = ()
    end_line: int = 0


def nest_sections(headings: Sequence[Heading], last_line: int) -> tuple[Definition, ...]:
    """Sections in one another by level, each up to the next heading of its level or one above it."""
    return tuple(_nested(list(headings), last_line))


def _nested(headings: list[Heading], last_line: int) -> Iterator[Definition]:
    position = 0
    while position < len(headings):
        heading = headings[position]
        following = position + 1
        while following < len(headings) and headings[following].level > heading.level:
            following += 1
        end = heading.end_line or (headings[following].line - 1 if following < len(headings) else last_line)
        members = tuple(_nested(headings[position + 1 : following], end))
        yield Definition((heading.title, *heading.names), "section", heading.line, end, members=members)
        position = following


def identifier_in(title: str) -> str:
    """The identifier that a title is, where it is marked as code or written as one; "" elsewhere.

    >>> identifier_in("``task_acks_late``"), identifier_in("celery.app.task"), identifier_in("Routing")
    ('task_acks_late', 'celery.app.task', '')
    """
    marked = _MARKED.fullmatch(title.strip())
    name = (marked[1] or marked[2]) if marked else title.strip()
    if not _IDENTIFIER.fullmatch(name):
        return ""
    written = marked or "_" in name or "." in name or name[1:].lower() != name[1:]
    return name if written else ""


def paragraph_cuts(lines: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """`(line, depth)` where a paragraph begins, ascending; the deeper it is indented, the deeper the cut."""
    cuts, after_blank = [], False
    for number, line in enumerate(lines, 1):
        text = line.lstrip()
        if text and after_blank:
            cuts.append((number, (len(line) - len(text)) // 2))
        after_blank = not text
    return tuple(cuts)
