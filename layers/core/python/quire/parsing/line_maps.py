"""On which lines of its file each character of a stored text stands, where the text is written anew."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from quire.documents import Chunk
from quire.parsing.formats import first_line
from quire.parsing.page import Part

LINE_MAP = "line_map"
"""The entry of a chunk's metadata that says it; see `line_map`."""

_STRETCH = re.compile(r"(\d{1,9}):(\d{1,9})(?:-(\d{1,9}))?(?: |\Z)")


def line_map(placed: Iterable[tuple[int, Part]], first: int) -> str:
    r"""Where in a text lines of its file begin: `offset:line` for each, `offset:line-last` for a stretch of several.

    `placed` are the text's parts, each with the offset that it begins at. Lines are counted from `first`, the chunk's
    own first line, so that what is inserted above changes none of it. What stands on one line alone has "".

    >>> wrapped = Part("It pumps and stops.", 7, 8, breaks=(9,))
    >>> line_map([(0, Part("# Pump", 5, 5)), (8, wrapped), (29, Part("a\n\nb", 10, 14))], 5)
    '0:0 8:2 17:3 29:5-9'
    """
    stretches: list[tuple[int, int, int]] = []
    for offset, part in placed:
        for at, line, last in _stretches(part):
            if not stretches or stretches[-1][1:] != (line, last):
                stretches.append((offset + at, line, last))
    if len(stretches) < 2:
        return ""
    told = (f"{at}:{line - first}{f'-{last - first}' if last > line else ''}" for at, line, last in stretches)
    return " ".join(told)


def _stretches(part: Part) -> Iterator[tuple[int, int, int]]:
    """Offsets in a part's text with the first and the last line of what begins there."""
    lines = part.end_line - part.start_line
    breaks = part.breaks
    if not breaks and part.text.count("\n") == lines:  # code, whose lines are the file's
        breaks = tuple(found.end() for found in re.finditer("\n", part.text))
    begins = (0, *breaks[:lines])
    for number, at in enumerate(begins):
        line = part.start_line + number
        yield at, line, part.end_line if number == len(begins) - 1 else line


def lines_at(chunk: Chunk, start: int, end: int) -> tuple[int, int] | None:
    r"""First and last line of `chunk.text[start:end]` in its file; None where no more is known than the chunk's lines.

    >>> known = {"start_line": 5, "end_line": 14, "line_map": "0:0 8:2 17:3 29:5-9"}
    >>> chunk = Chunk("", "a.md", "# Pump\n\nIt pumps and stops.\n\na\n\nb", "", known)
    >>> [lines_at(chunk, *span) for span in ((8, 16), (8, 27), (0, 30))]
    [(7, 7), (7, 8), (5, 14)]
    """
    last = max(start, start + len(chunk.text[start:end].rstrip("\n")) - 1)
    known, first = chunk.metadata.get(LINE_MAP), chunk.metadata.get("start_line")
    if isinstance(known, str) and isinstance(first, int):
        stretches = [(int(at), int(begin), int(past or begin)) for at, begin, past in _STRETCH.findall(known)]
        held = stretches[_place(stretches, start) : _place(stretches, last) + 1]
        return (first + min(one[1] for one in held), first + max(one[2] for one in held)) if held else None
    if (begins := first_line(chunk)) is None:
        return None
    return begins + chunk.text.count("\n", 0, start), begins + chunk.text.count("\n", 0, last)


def _place(stretches: list[tuple[int, int, int]], offset: int) -> int:
    return max(0, bisect_right(stretches, offset, key=lambda one: one[0]) - 1)
