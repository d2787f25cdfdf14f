"""Routes of the native API."""

from __future__ import annotations

import time

from fastapi import APIRouter, Request
from starlette.responses import Response

from functions.faces.native import examples
from functions.faces.native.collections import detail_wire, status_wire, summary_wire
from functions.faces.native.contract import (
    CollectionDetail,
    CollectionList,
    CollectionSummary,
    Health,
    Status,
)
from functions.faces.native.diff import router as diff_router
from functions.faces.native.passages import router as passage_router
from functions.faces.native.searching import router as search_router
from functions.faces.native.verify import router as verify_router
from functions.web.calls import caller_of, run, service_of
from functions.web.documented import answer, problems
from functions.web.faces import ANSWER, QUERY, Face
from functions.web.replies import reply
from quire import __version__
from quire.service.knowledge import survey

STARTED = time.monotonic()
router = APIRouter(tags=["native"])


@router.get(
    "/collections",
    summary="List the collections",
    response_model=CollectionList,
    responses=answer(examples.LIST) | problems(503),
)
async def collections(request: Request) -> Response:
    """Every collection that you may read, as it is served now."""
    wire: CollectionList = {"collections": await _summaries(request)}
    return reply(wire)


@router.get(
    "/collections/{name}",
    summary="Describe a collection",
    response_model=CollectionDetail,
    responses=answer(examples.DETAIL) | problems(404, 503),
)
async def collection(name: str, request: Request) -> Response:
    """One collection: its version, its sources, and the fields that it can be filtered by."""
    request.scope["state"]["collection"] = name
    service = service_of(request)
    served = await run(request.scope, service.describe, caller_of(request), name)
    return reply(detail_wire(service, name, served))


@router.get(
    "/health", summary="Is the process running", response_model=Health, responses=answer(examples.HEALTH)
)
async def health() -> Response:
    """Always 200 while the process runs; it asks no store and needs no key."""
    wire: Health = {"status": "ok"}
    return reply(wire)


@router.get(
    "/status",
    summary="What is served, and how well",
    response_model=Status,
    responses=answer(examples.STATUS) | problems(503),
)
async def status(request: Request) -> Response:
    """Every collection that the caller may read: its version, age and bytes here, its last error, what is degraded."""
    service, caller = service_of(request), caller_of(request)
    states = await run(request.scope, survey, service, caller)
    summaries = [status_wire(service, caller, name, state) for name, state in states]
    wire: Status = {
        "status": "ok" if all(one["status"] == "ok" for one in summaries) else "degraded",
        "program": __version__,
        "uptime_s": round(time.monotonic() - STARTED, 1),
        "collections": summaries,
    }
    return reply(wire)


async def _summaries(request: Request) -> list[CollectionSummary]:
    service = service_of(request)
    states = await run(request.scope, survey, service, caller_of(request))
    return [summary_wire(service, name, state) for name, state in states]


def _answer_router() -> APIRouter:
    # A tenth of the query function's start, which answers nothing.
    from functions.faces.native.answers import router as answers

    return answers


router.routes[:0] = search_router.routes
router.routes.extend([*passage_router.routes, *verify_router.routes, *diff_router.routes])
FACE = Face("native", "Native API", {QUERY: router, ANSWER: _answer_router})
