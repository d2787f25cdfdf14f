"""Values to wire models, and the requests that become values."""

from __future__ import annotations

from functions.faces.chatbot.contract import (
    ChatCitation,
    ChatResponse,
    QueryFilters,
    ResultMetadata,
    ResultWire,
    SimilarityScore,
)
from functions.web.wire import citation_wire, rounded
from quire.answering.citations import section_at, sections_of, where_of
from quire.answering.request import Answer
from quire.documents import Chunk, Citation, Hit


def filters_of(wanted: QueryFilters | None) -> dict[str, str]:
    """The specification's `section` is what the core calls a heading."""
    if wanted is None:
        return {}
    named = {"chapter": wanted.chapter, "heading": wanted.section}
    return {name: value for name, value in named.items() if value is not None}


def similarity(hit: Hit) -> float:
    """The cosine; where no model could be opened, the calibrated score."""
    return rounded(hit.score if hit.cosine is None else hit.cosine)


def result_wire(hit: Hit, wanted: str | None = None) -> ResultWire:
    """A passage that was found; of several sections in it, the `wanted` one is named, else the first."""
    cited = citation_wire(hit.chunk, hit.version)
    headings, _ = sections_of(hit.chunk)
    chapter, section, url = where_of(hit.chunk, headings.index(wanted) if wanted in headings else 0)
    metadata: ResultMetadata = {
        "chapter": chapter,
        "section": section,
        "url": url,
        "is_highlight_chunk": is_highlight(hit.chunk),
        "path": cited["path"],
        "start_line": cited["start_line"],
        "end_line": cited["end_line"],
        "sha256": cited["sha256"],
        "version": cited["version"],
    }
    known = hit.chunk.metadata
    for first, last in (("page", "end_page"), ("cell", "end_cell"), ("slide", "end_slide")):
        if isinstance(place := known.get(first), int):
            metadata[first], metadata[last] = place, int(str(known.get(last, place)))  # type: ignore[literal-required]
    return {"id": hit.chunk.id, "text": hit.chunk.text, "score": similarity(hit), "metadata": metadata}


def chat_wire(answer: Answer, degraded: tuple[str, ...]) -> ChatResponse:
    """An answer, whole. What is cited may stand beside what was found, in the same document."""
    read = {hit.chunk.id: hit for hit in (*answer.hits, *(one.hit for one in answer.citations))}
    scores: list[SimilarityScore] = [{"id": name, "score": similarity(hit)} for name, hit in read.items()]
    return {
        "response": answer.text,
        "citations": [_cited(one) for one in answer.citations],
        "similarity_scores": scores,
        "notices": list(answer.notices),
        "degraded": [*degraded, *answer.degraded],
        "model_used": answer.model_used,
        "version": answer.version,
    }


def is_highlight(chunk: Chunk) -> bool:
    """Whether the passage is what a reader marked."""
    return bool(chunk.metadata.get("is_highlight_chunk"))


def _cited(one: Citation) -> ChatCitation:
    chapter, section, url = where_of(one.hit.chunk, section_at(one.hit.chunk, one.answers_at))
    return {
        "chapter": chapter,
        "section": section,
        "url": url,
        "n": one.n,
        "id": one.hit.chunk.id,
        "quote": one.quote,
        "sha256": one.sha256,
        "version": one.hit.version,
        "is_highlight_chunk": is_highlight(one.hit.chunk),
    }
