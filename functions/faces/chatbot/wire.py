"""Values to wire models, and the requests that become values.

Errors are as the specification gives them: `{"status": "error", "message": ...}`.
"""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from functions.faces.chatbot.contract import (
    ChatCitation,
    ChatResponse,
    ErrorBody,
    QueryFilters,
    ResultMetadata,
    ResultWire,
    SimilarityScore,
)
from functions.web.documented import response
from functions.web.problems import Problem
from functions.web.replies import json_bytes
from functions.web.wire import citation_wire, rounded
from quire.answering.citations import section_at, sections_of, where_of
from quire.answering.request import Answer
from quire.documents import Chunk, Citation, Hit

_EXAMPLES = {
    400: ("Invalid request", "query_text: String should match pattern '\\S'"),
    401: ("A key is needed", "this service needs a key: send it as x-api-key or as a bearer token"),
    403: ("The key may not do this", "collection 'book': this key may not write it"),
    404: ("No such collection", "collection 'book': not in this store"),
    413: ("Body too large", "body: wanted at most 6,000,000 bytes"),
    503: ("Cannot be served now", "this cannot be served now; try again in a few seconds"),
}


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


def render_error(problem: Problem, request_id: str) -> Response:
    """The one body of every failure; what other contracts call 422 is 400 here. The request's id is in the header."""
    del request_id
    body: ErrorBody = {"status": "error", "message": problem.detail}
    status = 400 if problem.status == 422 else problem.status
    return Response(json_bytes(body), status, dict(problem.headers), "application/json")


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """FastAPI's `responses=` for the statuses, and for those that any route has."""
    told = {status: _EXAMPLES[status] for status in sorted({*statuses, 400, 401, 403})}
    return {
        status: response(what, {"status": "error", "message": message}, ErrorBody)
        for status, (what, message) in told.items()
    }
