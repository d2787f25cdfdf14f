"""Routes that build the index of a code collection. Builds run beside the server, see `functions.web.indexing`.

In Lambda there is no indexer: the routes answer 501 and say how such a deployment rebuilds its indexes.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from functions.faces.codebase import examples
from functions.faces.codebase.contract import IndexRequest, IndexResponse, JobResponse
from functions.faces.codebase.examples import INVALID, documented, refused
from functions.faces.codebase.settings import read_code_settings
from functions.web.calls import caller_of, collection_of, run, service_of
from functions.web.documented import answer, response
from functions.web.indexing import BuildDied, Indexer, IndexJob, IndexOrder
from functions.web.replies import reply
from quire.errors import InputError, UnknownCollection
from quire.index.opened import vector_share
from quire.service.access import WRITE, confine
from quire.service.knowledge import Knowledge

NO_INDEXER = "this deployment indexes on its schedule and by `python -m build_index build`, not by request"
WAIT: dict[str, Any] = {
    "parameters": [
        {
            "name": "wait",
            "in": "query",
            "required": False,
            "schema": {"type": "boolean", "default": True},
            "description": "`false` answers 202 at once, with a job to ask for.",
        }
    ]
}
ERRORS: dict[int | str, dict[str, Any]] = {
    400: refused("A source that cannot be read", "nothing in the folder could be read"),
    409: refused("A build is running", "collection 'code': job 5e0c6f0c1d3b is building it"),
}
NOT_HERE: dict[int | str, dict[str, Any]] = {501: refused("Not in this deployment", NO_INDEXER)}
ERRORS |= NOT_HERE
STARTED: dict[int | str, dict[str, Any]] = {202: response("Started", examples.JOB, JobResponse)}
router = APIRouter(tags=["codebase"])


@router.post(
    "/index/build",
    summary="Index a folder",
    response_model=IndexResponse,
    responses=answer(examples.INDEX) | STARTED | documented(401, 404) | ERRORS | INVALID,
    openapi_extra=WAIT,
)
async def build_index(body: IndexRequest, request: Request) -> Response:
    """Index every wanted file of the folder; until all of it is there, what was before is served.

    A first index is served by names and keywords as soon as these are read; `degraded` tells the share of vectors.
    Folders that were indexed before stay beside it, and header `x-quire-roots` names them all; of several, paths begin
    with the folder's name. With `clean` the folder is all that the collection holds.
    """
    return await _index(body, request, incremental=False)


@router.post(
    "/index/incremental",
    summary="Index what changed in a folder",
    response_model=IndexResponse,
    responses=answer(examples.INDEX) | STARTED | documented(401, 404) | ERRORS | INVALID,
    openapi_extra=WAIT,
)
async def update_index(body: IndexRequest, request: Request) -> Response:
    """The same index as a build would give, for the price of the changed files; nothing is done where none changed."""
    return await _index(body, request, incremental=True)


@router.get(
    "/index/jobs/{id}",
    summary="Ask for a build",
    response_model=JobResponse,
    responses=answer(examples.JOB) | documented(401, 404) | NOT_HERE,
)
async def get_index_job(request: Request) -> Response:
    """A build that runs, or what became of it; the last hundred are known."""
    caller_of(request).require(WRITE, collection_of(request))
    found = _indexer(request).job(request.path_params["id"])
    if found is None or found.collection != collection_of(request):
        raise HTTPException(404, "no such job")
    return reply(_job_wire(found, await run(request.scope, _vectors, service_of(request), found.collection)))


async def _index(body: IndexRequest, request: Request, *, incremental: bool) -> Response:
    began = time.perf_counter()
    name, indexer, service = collection_of(request), _indexer(request), service_of(request)
    caller_of(request).require(WRITE, name)
    waits = _waits(request)
    started = indexer.start(_order(body, name, incremental=incremental))
    if not waits:
        vectors = await run(request.scope, _vectors, service, name)
        return reply(_job_wire(started, vectors), 202, {"location": f"jobs/{started.id}"})
    ended = await asyncio.to_thread(indexer.wait, started)
    if isinstance(ended.error, BuildDied):
        raise HTTPException(500, str(ended.error))
    if ended.error is not None:
        raise ended.error
    # What was acknowledged can be asked for at once.
    await run(request.scope, service.catalog.get, name, fresh=True)
    wire = _result(ended)
    wire["duration_s"] = round(time.perf_counter() - began, 3)
    said = ended.outcome or {}
    headers = {
        "x-quire-files-changed": str(said["changed"]),
        "x-quire-roots": quote(", ".join(said["roots"]), "/, "),
    }
    return reply(wire, headers=headers)


def _order(body: IndexRequest, collection: str, *, incremental: bool) -> IndexOrder:
    code = read_code_settings()
    return IndexOrder(
        collection=collection,
        root=str(confine(body.root, code.root)),
        patterns=tuple(body.patterns) or code.patterns,
        exclude=(*code.exclude, *body.exclude),
        clean=body.clean,
        incremental=incremental,
        add=not body.clean,
    )


def _waits(request: Request) -> bool:
    wait = request.query_params.get("wait", "true").lower()
    if wait not in ("true", "false", "1", "0"):
        raise InputError(f"wait: wanted true or false, found {wait[:20]!r}", field="wait")
    return wait in ("true", "1")


def _indexer(request: Request) -> Indexer:
    indexer: Indexer | None = getattr(request.app.state, "indexer", None)
    if indexer is None:
        raise HTTPException(501, NO_INDEXER)
    return indexer


def _result(job: IndexJob) -> IndexResponse:
    said = job.outcome or {}
    return {
        "ok": True,
        "files_indexed": said["files"],
        "chunks": said["chunks"],
        "duration_s": round(said["seconds"], 3),
    }


def _vectors(service: Knowledge, collection: str) -> float | None:
    try:
        return round(vector_share(service.catalog.get(collection, fresh=True).manifests), 3)
    except UnknownCollection:
        return None


def _job_wire(job: IndexJob, vectors: float | None) -> JobResponse:
    said = job.outcome or {}
    return {
        "id": job.id,
        "status": job.status,
        "started_at": job.started_at,
        "result": _result(job) if said else None,
        "files_changed": said.get("changed"),
        "failed": [path for path, _ in said.get("failed", ())],
        "excluded": dict(said.get("excluded") or {}),
        "error": str(job.error) if job.error else None,
        "vectors": vectors,
    }
