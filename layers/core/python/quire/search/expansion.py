"""More of a file than the chunk that was found: lines around it, its whole definition, or the file, from the index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quire.documents import Chunk
from quire.index.opened import OpenedIndex

SCOPES = ("lines", "symbol", "file")
AROUND = 10
"""Lines before and after, for the scope `lines`."""
MOST_CHARACTERS = 40_000
"""A longer passage gives way to the next smaller scope."""


@dataclass(frozen=True, slots=True)
class ExpandedPassage:
    """Lines `start` to `end` of a file, from 1."""

    text: str
    start: int
    end: int


def expand(index: OpenedIndex, chunk: Chunk, scope: str) -> ExpandedPassage | None:
    """The wider passage around a chunk; None for a chunk without lines.

    It is put together from the stored chunks of its document, so it is what was indexed, whatever became of the file.
    Lines that no chunk holds, such as what Markdown does not show, are empty.
    """
    if _start(chunk) is None:
        return None
    chunks = index.fetch(index.documents.chunks(chunk.document_id))
    placed = sorted((one for one in chunks if _start(one) is not None), key=_lines)
    lines = {
        number: text for one in placed for number, text in enumerate(one.text.split("\n"), _lines(one)[0])
    }
    for smaller in SCOPES[SCOPES.index(scope) :: -1]:
        start, end = _bounds(smaller, chunk, placed, max(lines))
        text = "\n".join(lines.get(number, "") for number in range(start, end + 1))
        if len(text) <= MOST_CHARACTERS:
            return ExpandedPassage(text, start, end)
    return ExpandedPassage(chunk.text, *_lines(chunk))


def _bounds(scope: str, chunk: Chunk, placed: Sequence[Chunk], last: int) -> tuple[int, int]:
    start, end = _lines(chunk)
    if scope == "file":
        return 1, last
    if scope == "lines":
        return max(1, start - AROUND), min(last, end + AROUND)
    same = [_lines(one) for one in placed if one.metadata.get("symbol") == chunk.metadata.get("symbol")]
    for low, high in same:
        if low <= end + 1 and high > end:
            end = high
    for low, high in reversed(same):
        if high >= start - 1 and low < start:
            start = low
    return start, end


def _start(chunk: Chunk) -> int | None:
    start = chunk.metadata.get("start_line")
    return start if isinstance(start, int) and isinstance(chunk.metadata.get("end_line"), int) else None


def _lines(chunk: Chunk) -> tuple[int, int]:
    start, end = chunk.metadata.get("start_line"), chunk.metadata.get("end_line")
    assert isinstance(start, int)
    assert isinstance(end, int)
    return start, end
