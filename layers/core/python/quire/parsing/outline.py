"""An Outline of Definitions, which a parser of lines gives, with the lines where a long one may be cut.

Lines count from 1 and end at line feeds alone, as in editors, git and tree-sitter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Definition:
    """Something with a name and lines of its own: a function, a class, a constant, a section of a document.

    Attributes:
        names: what it is called, first name first; dotted where the source says so (`Foo.bar`); at least one.
        kind: `function`, `method`, `class`, `variable`, `section`, ...
        start_line: its first line; a doc comment, attributes and decorators before it belong to it.
        end_line: its last line, inclusive.
        doc: its docstring or doc comment without markers, cut to `LONGEST_DOC` characters; "" where it has none.
        signature: of a long one, its head on one line without the body; "" elsewhere.
        members: definitions inside it, in order, none overlapping in lines.
    """

    names: tuple[str, ...]
    kind: str
    start_line: int
    end_line: int
    doc: str = ""
    signature: str = ""
    members: tuple[Definition, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """The structure of one file.

    Attributes:
        definitions: the outermost definitions, in order; they never share a line.
        cuts: `(line, depth)` where a statement or paragraph begins, ascending by line; depth 0 is the outermost.
        references: `(line, name)` of what is called, constructed, extended or applied, ascending by line.
        doc: the file's own docstring or leading comment.
        package: the namespace or package that the file declares for all of it, dotted; "" where it declares none.
        tests: `(first line, last line)` of what is compiled for tests alone beside other code, ascending.
    """

    definitions: tuple[Definition, ...] = ()
    cuts: tuple[tuple[int, int], ...] = ()
    references: tuple[tuple[int, str], ...] = ()
    doc: str = ""
    package: str = ""
    tests: tuple[tuple[int, int], ...] = ()


LONGEST_DOC = 600
"""Characters of documentation that are kept: more than the model's window reads."""

LONGEST_SIGNATURE = 240


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


def outline_sections(lines: Sequence[str], headings: Sequence[Heading]) -> Outline:
    """The outline of a document of prose: its sections, and cuts where its paragraphs begin."""
    return Outline(tuple(_nested(headings, len(lines) - (not lines[-1]))), paragraph_cuts(lines))


def _nested(headings: Sequence[Heading], last_line: int) -> Iterator[Definition]:
    """Sections in one another by level, each up to the next heading of its level or one above it."""
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
