"""Routes of the native API."""

from __future__ import annotations

import time

from fastapi import APIRouter, Request
from starlette.responses import Response

from functions.faces.native import examples
from functions.faces.native.contract import (
    CollectionDetail,
    CollectionList,
    CollectionStatus,
    CollectionSummary,
    Health,
    Status,
    TroubleWire,
)
from functions.faces.native.diff import router as diff_router
from functions.faces.native.passages import router as passage_router
from functions.faces.native.searching import router as search_router
from functions.faces.native.verify import router as verify_router
from functions.web.calls import caller_of, run, service_of
from functions.web.documented import answer, problems
from functions.web.faces import ANSWER, QUERY, Face
from functions.web.freshness import freshness_of
from functions.web.replies import reply
from quire import __version__
from quire.errors import QuireError
from quire.service.access import ADMIN, Caller
from quire.service.knowledge import Knowledge, last_trouble, survey
from quire.store.catalog import Served, Unopened

STARTED = time.monotonic()
router = APIRouter(tags=["native"])


@router.get(
    "/collections",
    summary="List the collections",
    response_model=CollectionList,
    responses=answer(examples.LIST) | problems(503),
)
async def list_collections(request: Request) -> Response:
    """Every collection that you may read, as it is served now."""
    wire: CollectionList = {"collections": await _summaries(request)}
    return reply(wire)


@router.get(
    "/collections/{name}",
    summary="Describe a collection",
    response_model=CollectionDetail,
    responses=answer(examples.DETAIL) | problems(404, 503),
)
async def get_collection(name: str, request: Request) -> Response:
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


def summary_wire(service: Knowledge, name: str, state: Served | Unopened | QuireError) -> CollectionSummary:
    """One collection in a list; one that cannot be served says why by its error's name."""
    if isinstance(state, QuireError):
        return {
            "name": name,
            "title": service.title(name),
            "profile": "",
            "face": "",
            "status": "unavailable",
            "version": None,
            "label": None,
            "published_at": None,
            "age_s": None,
            "notice": None,
            "chunks": 0,
            "documents": 0,
            "engine": None,
            "degraded": [f"cannot be opened ({type(state).__name__})"],
        }
    fresh = freshness_of(service, state)
    return {
        "name": name,
        "title": service.title(name),
        "profile": state.pointer.profile,
        "face": state.pointer.face,
        "status": "degraded" if state.degraded else "ok",
        "version": state.version,
        "label": fresh.label or None,
        "published_at": fresh.published_at or None,
        "age_s": fresh.age_s,
        "notice": fresh.notice or None,
        "chunks": state.chunk_count,
        "documents": sum(manifest.counts.documents for manifest in state.manifests),
        "engine": state.engine,
        "degraded": list(state.degraded),
    }


def status_wire(
    service: Knowledge, caller: Caller, name: str, state: Served | Unopened | QuireError
) -> CollectionStatus:
    """One collection with how it fares here. What an error said may name buckets and folders: it is the owner's."""
    manifests = state.manifests if isinstance(state, Served) else ()
    error = last_trouble(service, name)
    told: TroubleWire | None = None
    if error is not None:
        message = error.message if caller.may(ADMIN, name) else None
        told = {"kind": error.kind, "at": error.at, "message": message}
    return {
        **summary_wire(service, name, state),
        "disk_bytes": sum(file.size for manifest in manifests for file in manifest.files.values()),
        "last_error": told,
    }


def detail_wire(service: Knowledge, name: str, served: Served) -> CollectionDetail:
    """One collection with how it was made."""
    manifests = served.manifests
    return {
        **summary_wire(service, name, served),
        "filters": sorted({field for manifest in manifests for field in manifest.filters}),
        "model": served.model or None,
        "sources": [
            {"key": one.key, "location": one.location, "revision": one.revision, "version": one.version}
            for one in freshness_of(service, served).sources
        ],
    }
