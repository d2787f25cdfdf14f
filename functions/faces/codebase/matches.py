"""Hits as the specification's matches, with as much of their file as was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from functions.faces.codebase.contract import CitationWire, Match
from functions.web.wire import metadata_wire, rounded
from quire.documents import Chunk, Hit
from quire.index.opened import OpenedIndex
from quire.search.expansion import ExpandedPassage, expand

_ELSEWHERE = frozenset(("path", "start_line", "end_line", "calls", "title", "heading"))


def match_wire(hit: Hit, index: OpenedIndex, scope: str | None) -> Match:
    """One match; where a wider passage is shown, its metadata says which lines matched."""
    start, end = lines_of(hit.chunk)
    metadata = {key: value for key, value in metadata_wire(hit.chunk).items() if key not in _ELSEWHERE}
    metadata |= {"id": hit.chunk.id, "version": hit.version}
    shown = ExpandedPassage(hit.chunk.text, start, end)
    wider = expand(index, hit.chunk, scope) if scope else None
    if wider is not None:
        shown = wider
        metadata |= {"match_start_line": start, "match_end_line": end}
    return {
        "score": rounded(hit.score),
        "path": path_of(hit.chunk),
        "start_line": shown.start,
        "end_line": shown.end,
        "snippet": shown.text,
        "metadata": metadata,
    }


def citation_wire(chunk: Chunk, n: int) -> CitationWire:
    """The lines of a chunk; of a PDF its page."""
    start, end = lines_of(chunk)
    wire: CitationWire = {"n": n, "path": path_of(chunk), "start_line": start, "end_line": end}
    page = chunk.metadata.get("page")
    return {**wire, "page": page} if isinstance(page, int) else wire


def path_of(chunk: Chunk) -> str:
    """The chunk's file."""
    return str(chunk.metadata.get("path") or chunk.document_id)


def lines_of(chunk: Chunk) -> tuple[int, int]:
    """First and last line, from 1."""
    start, end = chunk.metadata.get("start_line"), chunk.metadata.get("end_line")
    return (start if isinstance(start, int) else 1, end if isinstance(end, int) else 1)


def sources_text(citations: Sequence[CitationWire]) -> str:
    """The end of an answer, numbered as its marks are.

    >>> sources_text([{"n": 1, "path": "a.php", "start_line": 12, "end_line": 68}])
    'Sources:\\n1 a.php:12-68'
    >>> sources_text([{"n": 1, "path": "a.pdf", "start_line": 1, "end_line": 1, "page": 7}])
    'Sources:\\n1 a.pdf, page 7'
    """
    lines = (f"{one['n']} {_place(one)}" for one in citations)
    return "\n".join(["Sources:", *lines])


def _place(one: CitationWire) -> str:
    page = one.get("page")
    return f"{one['path']}, page {page}" if page else f"{one['path']}:{one['start_line']}-{one['end_line']}"
