"""Routes of face `sites`, relative to its collection."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from functions.faces.sites import documents, messages, whole
from functions.faces.sites.contract import ContextRequest, ContextResponse, Health
from functions.faces.sites.examples import CONTEXT
from functions.faces.sites.wire import context_wire
from functions.web.calls import caller_of, collection_of, live_of, run
from functions.web.documented import answer, problems
from functions.web.faces import MEMORY, QUERY, Face
from functions.web.replies import reply
from quire.service.metrics import note_degraded
from quire.store.write_targets import Site

router = APIRouter(tags=["sites"])
query_router = APIRouter(tags=["sites"])


@router.post(
    "/retrieve-context",
    summary="Get the context of a question",
    response_model=ContextResponse,
    responses=answer(CONTEXT) | problems(413, 422, 503),
)
async def retrieve_context(body: ContextRequest, request: Request) -> Response:
    """The site's most relevant passages and the user's last 10 messages, newest last, as one text for a model."""
    site = Site(collection_of(request), body.site_id)
    contexts, caller = live_of(request).contexts, caller_of(request)
    found = await run(
        request.scope,
        contexts.retrieve,
        caller,
        site,
        body.user_id,
        body.query,
        budget_tokens=body.budget_tokens,
    )
    note_degraded(found.degraded)
    return reply(context_wire(found), headers={"x-quire-version": found.version} if found.version else None)


@query_router.get(
    "/health", summary="Is the server running", response_model=Health, responses=answer({"status": "ok"})
)
async def health() -> Response:
    """Always 200 while the process runs."""
    wire: Health = {"status": "ok"}
    return reply(wire)


_ROUTERS = (documents.router, messages.router, whole.router, router)
FACE = Face(
    "sites",
    "Sites",
    # Health is with the function that answers it for every other face: one path stands for all collections.
    {QUERY: query_router, MEMORY: APIRouter(routes=[one for part in _ROUTERS for one in part.routes])},
)
