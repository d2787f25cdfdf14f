"""A question to the specification's `final`: the answer's text, then its sources."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from functions.faces.codebase.contract import CitationWire, Match
from functions.web.wire import metadata_wire, rounded
from quire.answering.extractive.rendering import quoted_part
from quire.answering.generative.context import estimate_tokens
from quire.answering.request import EXTRACTIVE, Answer
from quire.documents import Chunk, Hit
from quire.index.opened import OpenedIndex
from quire.parsing.scan import fence_behind
from quire.search.excerpts import ExpandedPassage, expand

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


SHORTENED = "The answer was cut to `max_tokens`."
_MARK = re.compile(r"(?<!\\)\[(\d+)\]")
FEWEST_CITATIONS = 2
"""As many are named where so many files or passages answer, section 19."""


def cited(answer: Answer) -> list[CitationWire]:
    """The lines behind each mark, in the order of its numbers, then the best matches until there are two places.

    None for an answer that was not found.
    """
    if not answer.answerable:
        return []
    named = [citation_wire(quoted_part(citation), citation.n) for citation in answer.citations]
    further = max((one["n"] for one in named), default=0)
    for hit in answer.hits:
        if len({(one["path"], one["start_line"], one.get("page")) for one in named}) >= FEWEST_CITATIONS:
            break
        one = citation_wire(hit.chunk, further + 1)
        if not any(_overlaps(one, other) for other in named):
            named.append(one)
            further += 1
    return named


def _overlaps(one: CitationWire, other: CitationWire) -> bool:
    return (
        one["path"] == other["path"]
        and one.get("page") == other.get("page")
        and one["start_line"] <= other["end_line"]
        and other["start_line"] <= one["end_line"]
    )


def within(answer: Answer, max_tokens: int) -> Answer:
    """The answer with as many of its paragraphs as the bound holds, where it is made of quotes; a model heeds it.

    The first paragraph stays whatever its length: a sentence or a code block that is cut in two says nothing.
    """
    if answer.model_used != EXTRACTIVE or estimate_tokens(answer.text) <= max_tokens:
        return answer
    kept, *rest = _paragraphs(answer.text)
    for one in rest:
        if estimate_tokens(f"{kept}\n\n{one}") > max_tokens:
            break
        kept = f"{kept}\n\n{one}"
    if kept == answer.text:
        return answer
    marked = {int(mark) for mark in _MARK.findall(kept)}
    citations = tuple(one for one in answer.citations if one.n in marked)
    return replace(answer, text=kept, citations=citations, notices=(*answer.notices, SHORTENED))


def _paragraphs(text: str) -> list[str]:
    """The text cut at blank lines, but for those within a code block."""
    parts: list[str] = []
    fence = ""
    for block in text.split("\n\n"):
        if fence:
            parts[-1] += f"\n\n{block}"
        else:
            parts.append(block)
        for line in block.split("\n"):
            fence = fence_behind(fence, line)
    return parts


def final_text(answer: Answer, citations: list[CitationWire]) -> str:
    """The answer and its notices; it ends with "Sources:" and each citation, where there is one."""
    parts = [answer.text.strip(), *answer.notices_beside]
    if citations:
        parts.append(sources_text(citations))
    return "\n\n".join(parts)
