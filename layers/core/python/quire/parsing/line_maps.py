"""On which lines of its file each character of a stored text stands, where the text is written anew."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from quire.documents import Chunk
from quire.parsing.formats import first_line
from quire.parsing.page import Part

LINE_MAP = "line_map"
"""The entry of a chunk's metadata that says it; see `line_map`."""
PART_MAP = "part_map"
"""The entry that says on which page, in which cell or on which slide what of the text stands; see `part_map`."""

_PART = re.compile(r"(\d{1,9}):(\d{1,9})")
_STRETCH = re.compile(r"(\d{1,9}):(\d{1,9})(?:([-=])(\d{1,9}))?(?: |\Z)")


class _Stretch(NamedTuple):
    """What begins at an offset of a text and stands on some lines; `is_alike`: each line of it is one of the file."""

    offset: int
    first: int
    last: int
    is_alike: bool = False

    def lines(self, text: str, offset: int) -> tuple[int, int]:
        """First and last line on which the character at `offset` may stand."""
        if not self.is_alike:
            return self.first, self.last
        line = min(self.last, self.first + text.count("\n", self.offset, offset))
        return line, line


def line_map(placed: Iterable[tuple[int, Part]], first: int) -> str:
    r"""Where in a text lines of its file begin: `offset:line` for each, `offset:line-last` for a stretch of several,
    `offset:line=last` for one whose lines are the file's, as those of code.

    `placed` are the text's parts, each with the offset that it begins at. Lines are counted from `first`, the chunk's
    own first line, so that what is inserted above changes none of it. What stands on one line alone has "".

    >>> wrapped = Part("It pumps and stops.", 7, 8, breaks=(9,))
    >>> line_map([(0, Part("# Pump", 5, 5)), (8, wrapped), (29, Part("a\n\nb", 10, 14)), (34, Part("c\nd", 15, 16))], 5)
    '0:0 8:2 17:3 29:5-9 34:10=11'
    """
    stretches: list[_Stretch] = []
    for offset, part in placed:
        for one in _stretches(part):
            if not stretches or stretches[-1][1:] != one[1:]:
                stretches.append(one._replace(offset=offset + one.offset))
    is_told = len(stretches) > 1 or any(one.is_alike for one in stretches)
    return " ".join(_told(one, first) for one in stretches) if is_told else ""


def _told(one: _Stretch, first: int) -> str:
    last = f"{'=' if one.is_alike else '-'}{one.last - first}" if one.last > one.first else ""
    return f"{one.offset}:{one.first - first}{last}"


def _stretches(part: Part) -> Iterator[_Stretch]:
    """Stretches of a part's text."""
    lines = part.end_line - part.start_line
    if lines and not part.breaks and part.text.count("\n") == lines:  # code
        yield _Stretch(0, part.start_line, part.end_line, is_alike=True)
        return
    begins = (0, *part.breaks[:lines])
    for number, at in enumerate(begins):
        line = part.start_line + number
        yield _Stretch(at, line, part.end_line if number == len(begins) - 1 else line)


def lines_at(chunk: Chunk, start: int, end: int) -> tuple[int, int] | None:
    r"""First and last line of `chunk.text[start:end]` in its file; None where no more is known than the chunk's lines.

    >>> known = {"start_line": 5, "end_line": 16, "line_map": "0:0 8:2 17:3 29:5-9 35:10=11"}
    >>> chunk = Chunk("", "a.md", "# Pump\n\nIt pumps and stops.\n\na\n\nb\n\nc\nd", "", known)
    >>> [lines_at(chunk, *span) for span in ((8, 16), (8, 27), (0, 30), (37, 38))]
    [(7, 7), (7, 8), (5, 14), (16, 16)]
    """
    last = max(start, start + len(chunk.text[start:end].rstrip("\n")) - 1)
    told, first = chunk.metadata.get(LINE_MAP), chunk.metadata.get("start_line")
    if isinstance(told, str) and isinstance(first, int) and (known := _read(told, first)):
        held = known[_place(known, start) : _place(known, last) + 1]
        ends = [
            held[0].lines(chunk.text, start),
            *(one[1:3] for one in held[1:-1]),
            held[-1].lines(chunk.text, last),
        ]
        return min(one[0] for one in ends), max(one[1] for one in ends)
    if (begins := first_line(chunk)) is None:
        return None
    return begins + chunk.text.count("\n", 0, start), begins + chunk.text.count("\n", 0, last)


def part_map(chunk: Chunk, begins: Sequence[int]) -> str:
    r"""Where in a chunk's text each page, cell or slide begins that it holds a part of, `offset:number` for each.

    Args:
        chunk: with its lines in the text of all parts.
        begins: the line of that text on which the second part begins, the third and so on.

    >>> lines = {"start_line": 1, "end_line": 5, "line_map": "0:0 8:2 11:4"}
    >>> part_map(Chunk("", "a.pdf", "# Pump\n\nA\n\nB", "", lines), [5])
    '0:1 11:2'
    """
    found: dict[int, int] = {}
    for at in (0, *(match.end() for match in re.finditer("\n(?!\n)", chunk.text))):
        if lines := lines_at(chunk, at, at + 1):
            found.setdefault(bisect_right(begins, lines[0]) + 1, at)
    return " ".join(f"{at}:{number}" for number, at in found.items())


def parts_at(chunk: Chunk, start: int, end: int) -> tuple[int, int] | None:
    """First and last page, cell or slide of `chunk.text[start:end]`; None where all of it stands on those of the chunk.

    >>> chunk = Chunk("", "a.pdf", "# Pump\\n\\nA\\n\\nB", "", {"part_map": "0:1 11:2"})
    >>> parts_at(chunk, 8, 9), parts_at(chunk, 8, 12), parts_at(chunk, 11, 12)
    ((1, 1), (1, 2), (2, 2))
    """
    told = chunk.metadata.get(PART_MAP)
    known = [(int(at), int(number)) for at, number in _PART.findall(told)] if isinstance(told, str) else []
    first = [number for at, number in known if at <= start]
    last = [number for at, number in known if at < max(end, start + 1)]
    return (first[-1], last[-1]) if first else None


def _read(told: str, first: int) -> list[_Stretch]:
    found = _STRETCH.findall(told)
    return [
        _Stretch(int(at), first + int(one), first + int(end or one), sign == "=")
        for at, one, sign, end in found
    ]


def _place(stretches: list[_Stretch], offset: int) -> int:
    return max(0, bisect_right(stretches, offset, key=lambda one: one.offset) - 1)
