"""Routes of face `chatbot`, relative to its collection."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Header, Request
from starlette.responses import Response

from functions.faces.chatbot import examples, ingest
from functions.faces.chatbot.chatting import begin
from functions.faces.chatbot.contract import (
    ChatMessage,
    ChatResponse,
    EmbedRequest,
    EmbedResponse,
    QueryRequest,
    QueryResponse,
)
from functions.faces.chatbot.wire import filters_of, refusals, render_error, result_wire, similarity
from functions.web.answers import streamed
from functions.web.calls import caller_of, collection_of, live_of, run, service_of
from functions.web.documented import add_health, answer
from functions.web.faces import ANSWER, MEMORY, QUERY, Face
from functions.web.replies import reply
from quire.documents import Hit
from quire.errors import NotPublished, StoreUnavailable, UnknownCollection
from quire.search.retrieval import Query, search_vector
from quire.service.access import Caller
from quire.service.knowledge import Knowledge

if TYPE_CHECKING:  # it imports parsers, which a question does not need
    from quire.service.uploads import Library

EVENTS = "text/event-stream"
query_router = APIRouter(tags=["chatbot"])
answer_router = APIRouter(tags=["chatbot"])


@query_router.post(
    "/embed",
    summary="Embed a text",
    response_model=EmbedResponse,
    responses=answer(examples.EMBEDDED) | refusals(404, 413, 503),
)
async def embed(body: EmbedRequest, request: Request) -> Response:
    """The vector of a text as a question to this collection."""
    service, caller, name = service_of(request), caller_of(request), collection_of(request)
    wire: EmbedResponse = {
        "embedding": await run(
            request.scope,
            _embed_text,
            service,
            caller,
            name,
            body.text,
            open_library=lambda: live_of(request).library,
        )
    }
    return reply(wire)


@query_router.post(
    "/query",
    summary="Search by a text or a vector",
    response_model=QueryResponse,
    responses=answer(examples.FOUND) | refusals(404, 413, 503),
)
async def query(body: QueryRequest, request: Request) -> Response:
    """Passages, most relevant first, with their cosine similarity."""
    service, caller, name = service_of(request), caller_of(request), collection_of(request)
    hits, degraded = await run(request.scope, _find, service, caller, name, body)
    section = body.filters.section if body.filters else None
    wire: QueryResponse = {"results": [result_wire(hit, section) for hit in hits]}
    return reply(wire, headers={"x-quire-degraded": "; ".join(degraded)} if degraded else None)


@answer_router.post(
    "/chat",
    summary="Answer in a conversation",
    response_model=ChatResponse,
    responses=answer(examples.ANSWERED, events=examples.ANSWERING) | refusals(404, 413, 503),
)
async def chat(
    body: ChatMessage,
    request: Request,
    token: Annotated[str | None, Header(alias="idempotency-key", max_length=200)] = None,
) -> Response:
    """An answer from the collection alone, with its sources. The JSON arrives as it is written; events, if wanted."""
    service, caller, name = service_of(request), caller_of(request), collection_of(request)
    said = await run(
        request.scope,
        begin,
        service,
        caller,
        name,
        body,
        open_memory=lambda: live_of(request).memory,
        token=token,
    )
    if body.stream or EVENTS in request.headers.get("accept", ""):
        return streamed(request.scope, said.as_events(), said.events.leave, media_type=EVENTS)
    # Between two pieces of one JSON text there is nothing that may be sent for a sign of life.
    pieces = said.as_json()
    return streamed(request.scope, pieces, said.events.leave, media_type="application/json", beat=b"")


add_health(query_router)


def _find(
    service: Knowledge, caller: Caller, collection: str, wanted: QueryRequest
) -> tuple[list[Hit], tuple[str, ...]]:
    """Hits for a text or a vector, without those below `min_score`, and what was missing.

    Raises:
        ScopeMissing, UnknownCollection, InputError: as their names say.
    """
    filters = filters_of(wanted.filters)
    hits: tuple[Hit, ...]
    if wanted.query_embedding is not None:
        served = service.serve(caller, collection)
        hits = search_vector(served.index, wanted.query_embedding, wanted.limit, filters)
        degraded = served.degraded
    else:
        found = service.search(caller, collection, Query(wanted.query_text or "", wanted.limit, filters))
        hits, degraded = found.hits, found.degraded
    least = wanted.min_score
    return [hit for hit in hits if least is None or similarity(hit) >= least], degraded


def _embed_text(
    service: Knowledge, caller: Caller, collection: str, text: str, *, open_library: Callable[[], Library]
) -> list[float]:
    """The text's vector as a question to the collection; before anything is ingested, by the model it will get.

    Raises:
        ScopeMissing: the caller may not read the collection.
        StoreUnavailable: the collection's model cannot be opened now.
    """
    try:
        served = service.serve(caller, collection)
    except (UnknownCollection, NotPublished):
        return open_library().embed(caller, collection, text)
    embedder = service.embedder(served)
    if embedder is None:
        raise StoreUnavailable(f"model of {collection!r}: cannot be opened")
    row: list[float] = embedder.embed([text])[0].tolist()
    return row


FACE = Face(
    "chatbot", "Chatbot", {QUERY: query_router, ANSWER: answer_router, MEMORY: ingest.router}, render_error
)
