"""Routes of face `codebase`, relative to its collection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from functions.faces.codebase import examples, index_routes
from functions.faces.codebase.answering import cited, final_text, match_wire, within
from functions.faces.codebase.contract import (
    AnswerRequest,
    AnswerResponse,
    Health,
    QueryRequest,
    QueryResponse,
    Stats,
)
from functions.faces.codebase.examples import INVALID, documented
from functions.faces.codebase.settings import effective, read_code_settings
from functions.web.answers import answered, sse, streamed_answer, told
from functions.web.calls import caller_of, collection_of, run, service_of
from functions.web.documented import answer as example
from functions.web.faces import ANSWER, MEMORY, QUERY, Face
from functions.web.problems import Problem, detail_reply
from functions.web.replies import reply
from quire import __version__
from quire.answering.events import Delta, Done, Event
from quire.answering.request import Answer, Inquiry
from quire.errors import NotPublished, UnknownCollection
from quire.index.opened import OpenedIndex
from quire.search.retrieval import Query
from quire.settings import read_settings

query_router = APIRouter(tags=["codebase"])
answer_router = APIRouter(tags=["codebase"])


@query_router.get(
    "/health", summary="Is the server running", response_model=Health, responses=example(examples.HEALTH)
)
async def health() -> Response:
    """Always 200 while the process runs."""
    wire: Health = {"status": "ok", "version": __version__}
    return reply(wire)


@query_router.get(
    "/config",
    summary="The effective configuration",
    response_model=dict[str, Any],
    responses=example(examples.CONFIG),
)
async def config() -> Response:
    """What holds now, under the specification's names; secrets are only shown as set."""
    return reply(effective(read_settings(), read_code_settings()))


@query_router.get(
    "/index/stats",
    summary="What the index holds",
    response_model=Stats,
    responses=example(examples.STATS) | documented(401, 503),
)
async def index_stats(request: Request) -> Response:
    """Files and passages of the version that is served, and when it was published."""
    service, name = service_of(request), collection_of(request)
    wire: Stats = {"files": 0, "chunks": 0, "updated_at": None}
    try:
        served = await run(request.scope, service.describe, caller_of(request), name)
    except (UnknownCollection, NotPublished):
        return reply(wire)
    wire["files"] = sum(manifest.counts.documents for manifest in served.index.manifests)
    wire["chunks"] = served.index.chunk_count
    wire["updated_at"] = served.pointer.published_at
    return reply(wire)


@query_router.post(
    "/query",
    summary="Search the code",
    response_model=QueryResponse,
    responses=example(examples.QUERY) | documented(401, 404, 503) | INVALID,
)
async def query(body: QueryRequest, request: Request) -> Response:
    """Passages of files that answer the question, best first, with their lines."""
    question = Query(body.q, body.top_k or read_code_settings().top_k, body.filters)
    service, caller, name = service_of(request), caller_of(request), collection_of(request)
    found = await run(request.scope, service.search, caller, name, question)
    index = found.served.index
    wire: QueryResponse = {"matches": [match_wire(hit, index, body.expand) for hit in found.hits]}
    return reply(wire, headers=_labels(found.served.version, found.degraded))


@answer_router.post(
    "/answer",
    summary="Answer a question about the code",
    response_model=AnswerResponse,
    responses=example(examples.ANSWER, events=examples.EVENTS) | documented(401, 404, 503) | INVALID,
)
async def answer(body: AnswerRequest, request: Request) -> Response:
    """An answer from the code alone, ending with its sources; without a model it is made of quotes.

    With `stream` the reply is `text/event-stream`: `delta` (any number), then `done`, or `error`.
    """
    top_k = body.top_k or read_code_settings().top_k
    inquiry = Inquiry(body.q, top_k=top_k, max_tokens=body.max_tokens, filters=body.filters)
    service, caller, name = service_of(request), caller_of(request), collection_of(request)
    if body.stream:
        # The index stays open for the events to be read from, whatever is published meanwhile.
        served = await run(request.scope, service.serve, caller, name, None, body.filters)
        encode = partial(_told, body=body, index=served.index)
        return await streamed_answer(request, name, inquiry, encode, version=served.version)
    served, said = await answered(request, name, inquiry)
    wire = _answer_wire(said, body, served.index)
    return reply(wire, headers=_labels(said.version, said.degraded) | {"x-quire-model": said.model_used})


def _answer_wire(said: Answer, body: AnswerRequest, index: OpenedIndex) -> AnswerResponse:
    said = within(said, body.max_tokens)
    citations = cited(said)
    return {
        "final": final_text(said, citations),
        "citations": citations,
        "matches": [match_wire(hit, index, body.expand) for hit in said.hits],
    }


def _told(events: Iterator[Event], body: AnswerRequest, index: OpenedIndex) -> Iterator[bytes]:
    """The answer's pieces as they are written, then the whole body once more; quotes come with the whole."""
    for event in told(events):
        if isinstance(event, Problem):
            yield sse("error", {"status": event.status, "detail": event.detail})
        elif isinstance(event, Delta):
            yield sse("delta", {"text": event.text})
        elif isinstance(event, Done):
            yield sse("done", _answer_wire(event.answer, body, index))


def _labels(version: str, degraded: tuple[str, ...]) -> dict[str, str]:
    return {"x-quire-version": version} | ({"x-quire-degraded": "; ".join(degraded)} if degraded else {})


def render_detail(problem: Problem, request_id: str) -> Response:
    """A 422 lists each invalid field with its place; any other status has a sentence. The id is in the header."""
    del request_id
    places = zip(problem.invalid, problem.errors, strict=True)
    return detail_reply(
        problem,
        [{"type": one["type"], "loc": _place(one, name), "msg": one["msg"]} for one, (name, _) in places],
    )


def _place(invalid: Mapping[str, Any], field: str) -> list[str | int]:
    """Where it is wrong as the client wrote it: without the names of pydantic's branches, which `field` leaves out."""
    where, *path = invalid["loc"]
    if where != "body" or field == "body":
        return [where, *path]
    return [where, *(int(step) if step.isdecimal() else step for step in field.split("."))]


FACE = Face(
    "codebase",
    "Code knowledge",
    {QUERY: query_router, ANSWER: answer_router, MEMORY: index_routes.router},
    render_detail,
    frozenset({"/health", "/config"}),
)
