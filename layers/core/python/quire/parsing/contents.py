"""A page's own table of contents: a list of links to its sections, which repeats their titles and says nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quire.parsing.scan import fence_behind

LEAST_ENTRIES = 3
"""Fewer links in a list may be what a sentence before it speaks of."""
_ENTRY = re.compile(
    r"""
    [ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+     # an item
    (?:\[[ xX]\][ \t]+)?                  # with a box, maybe
    (?:\d[\d.]*[ \t]+)?                   # and a number of its own
    [*_`]{0,3}\[[^\n]{1,300}\]            # whose text is a link
    \(\#[^()\s]{0,300}(?:\([^()\s]{0,100}\)[^()\s]{0,100})?\)[*_`]{0,3}  # within the page
    [ \t]*
    """,
    re.VERBOSE,
)
_HEADING = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+\S")


def contents_lines(text: str) -> list[tuple[int, int]]:
    """First and last line, from 1, of each table of contents of a page of Markdown, in order.

    It is a list of `LEAST_ENTRIES` items or more, each a link to a fragment of the page alone, that no sentence
    announces. A heading directly above it, below the page's own, belongs to it where nothing else stands under that.

    >>> contents_lines("# Pumps\\n\\n## Contents\\n\\n- [Care](#care)\\n  - [Oil](#oil)\\n- [Use](#use)\\n\\n## Care")
    [(3, 7)]
    """
    if text.count("](#") < LEAST_ENTRIES:
        return []
    return list(_runs(text.split("\n")))


def _runs(lines: list[str]) -> Iterator[tuple[int, int]]:
    entries: list[int] = []
    fence = ""
    for number, line in enumerate([*lines, "end"], 1):
        before, fence = fence, fence_behind(fence, line)
        if not (before or fence) and _ENTRY.fullmatch(line):
            entries.append(number)
            continue
        elif not line.strip():
            continue
        if len(entries) >= LEAST_ENTRIES and (begin := _begin(lines, entries[0], entries[-1])):
            yield begin, entries[-1]
        entries = []


def _begin(lines: list[str], first: int, last: int) -> int:
    """The line that the table begins with: its heading's, where nothing else stands under that; 0 where it is none.

    "Methods" above a list of methods and their sections stays: it stands above these too. And what a sentence announces
    with a colon, such as steps, is what the page says.
    """
    above = next((number for number in range(first - 1, 0, -1) if lines[number - 1].strip()), 0)
    title = _HEADING.match(lines[above - 1]) if above else None
    if above and not title and lines[above - 1].rstrip(" *_").endswith(":"):
        return 0
    behind = next((line for line in lines[last:] if line.strip()), "")
    following = _HEADING.match(behind)
    is_alone = not behind or (following and title and len(following[1]) <= len(title[1]))
    return above if title and len(title[1]) > 1 and is_alone else first


def without_contents(text: str) -> str:
    """The page with the lines of its tables of contents empty."""
    found = contents_lines(text)
    if not found:
        return text
    lines = text.split("\n")
    for first, last in found:
        lines[first - 1 : last] = [""] * (last - first + 1)
    return "\n".join(lines)
