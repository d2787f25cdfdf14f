"""What is written above or inside a definition about its errors: of a long docstring the paragraph that says them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from quire.answering.extractive.code_lines import in_comments, in_docstrings, line_span

_SIGNS = r"^ (?P<indent>[ \t]*+ (?: /?\*{1,2}(?!/) | ///?!? | \#(?!\[) | -- )?+ [ \t]*+)"
"""What stands before the words of a comment."""
_TITLED = re.compile(
    rf"{_SIGNS} (?:\#+[ ])? (?:\*\*)? (?:raises?|throws?|exceptions?|errors?|panics?) (?:\*\*)? :? \s*$",
    re.IGNORECASE | re.VERBOSE,
)
_TAGGED = re.compile(
    rf"{_SIGNS} (?:[@\\]throws?|[@\\]exception|@raise|:raises?|<exception)", re.IGNORECASE | re.VERBOSE
)
_ANY_TAG = re.compile(rf"{_SIGNS} (?:[@\\]\w|:\w+[ :]|<\w)", re.VERBOSE)
_ANY_TITLE = re.compile(rf"{_SIGNS} (?:\#+[ ]\w | [A-Z]\w+(?:[ ]\w+)?:\s*$)", re.VERBOSE)
_ENDS = re.compile(r"\*/|\"\"\"|'''")


def documented_errors(text: str) -> tuple[int, int] | None:
    r'''Span of the lines of a chunk that document the errors; None where none do.

    >>> text = 'def fill():\n    """Fill.\n\n    Returns:\n        int: litres.\n\n    Raises:\n        Full.\n    """'
    >>> text[slice(*documented_errors(text))]
    '    Raises:\n        Full.'
    >>> text = "/**\n * Fill it.\n * @param lid it,\n *   shut\n * @throws Full if so\n */\nvoid fill(Lid lid) {}"
    >>> text[slice(*documented_errors(text))]
    ' * @throws Full if so'
    '''
    lines = text.splitlines(keepends=True)
    noted = list(map(max, in_comments(lines), in_docstrings(lines)))
    found = next(_sections(lines, noted), None)
    if found is None:
        return None
    first, last = found
    while not lines[last - 1].strip(" \t\r\n/*#!-"):
        last -= 1
    return line_span(lines, first, last)


def _sections(lines: Sequence[str], noted: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """First line of each section about errors, and the line behind its last one."""
    for at, line in enumerate(lines):
        if not noted[at]:
            continue
        if title := _TITLED.match(line.rstrip()):
            end = _end_of_titled(lines, noted, at, len(title["indent"]))
            if end > at + 1:
                yield at, end
        elif _TAGGED.match(line):
            yield at, _end_of_tagged(lines, noted, at)


def _end_of_titled(lines: Sequence[str], noted: Sequence[bool], at: int, indent: int) -> int:
    """Behind what stands below a title: as far as it is set in more, or up to the next title."""
    for n in range(at + 1, len(lines)):
        line = lines[n].rstrip()
        signs = _ANY_TAG.match(line) or _ANY_TITLE.match(line)
        if not noted[n] or _ENDS.match(line.strip()) or (signs and len(signs["indent"]) <= indent):
            return n
    return len(lines)


def _end_of_tagged(lines: Sequence[str], noted: Sequence[bool], at: int) -> int:
    """Behind the last of the tags about errors that follow one another."""
    for n in range(at + 1, len(lines)):
        line = lines[n].rstrip()
        is_other = _ANY_TAG.match(line) and not _TAGGED.match(line)
        if not noted[n] or _ENDS.match(line.strip()) or is_other or not line.strip(" */#-"):
            return n
    return len(lines)
