"""Routes that bring files into the collection."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from functions.faces.chatbot import examples
from functions.faces.chatbot.contract import IngestRequest, IngestResponse
from functions.faces.chatbot.errors import refusals
from functions.web.calls import caller_of, collection_of, live_of, write
from functions.web.documented import answer
from functions.web.lean import LeanRoute
from functions.web.replies import reply
from quire.errors import SourceError
from quire.service.jobs import FAILED, LARGE_CHARACTERS, WAITING, Job
from quire.service.uploads import File

STARTED: dict[int | str, dict[str, Any]] = {
    202: {
        "model": IngestResponse,
        "description": "More than can be embedded while you wait",
        "content": {"application/json": {"example": examples.ACCEPTED}},
    }
}
router = APIRouter(tags=["chatbot"], route_class=LeanRoute)


@router.post(
    "/ingest",
    summary="Ingest files",
    response_model=IngestResponse,
    responses=answer(examples.INGESTED) | STARTED | refusals(404, 413, 503),
)
async def ingest(body: IngestRequest, request: Request) -> Response:
    """Serve the files, each in the place of the one of its path, all at once. Bad ones are listed, good ones kept."""
    name, caller, live = collection_of(request), caller_of(request), live_of(request)
    files = [File(one.path, one.content, one.is_highlight_chunk) for one in body.files]
    if sum(len(one.content) for one in files) > LARGE_CHARACTERS:
        job = await write(request.scope, live.jobs.stage, caller, name, files)
        return reply(job_wire(job, name), 202, {"location": f"ingest/{job.id}"})
    site = live.site_of(name)
    done = await write(request.scope, live.library.ingest, caller, name, files, site=site)
    if not done.chunks:
        raise SourceError("no file could be read: " + "; ".join(reason for _, reason in done.failures[:5]))
    return reply(ingested_wire(done.chunks, done.failures, name))


@router.get(
    "/ingest/{job}",
    summary="How far is a job",
    response_model=IngestResponse,
    responses=answer(examples.INGESTED) | refusals(404, 503),
)
async def job_state(request: Request, job: str) -> Response:
    """`accepted` while it goes on, then what it did. An error is its own."""
    name, caller, live = collection_of(request), caller_of(request), live_of(request)
    found = await write(request.scope, live.jobs.get, caller, name, job)
    if found.state == FAILED:
        raise SourceError(f"job {found.id}: {found.message}")
    return reply(job_wire(found, name))


def job_wire(job: Job, collection: str) -> IngestResponse:
    """A job as its requester sees it."""
    if job.state != WAITING:
        return ingested_wire(job.chunks, job.failures, collection)
    message = f"{len(job.files):,} files are being ingested; ask for the job."
    return {"status": "accepted", "ingested_count": 0, "message": message, "failures": [], "job": job.id}


def ingested_wire(chunks: int, failures: tuple[tuple[str, str], ...], collection: str) -> IngestResponse:
    """What became of the files."""
    left_out = f" {len(failures):,} files could not be read." if failures else ""
    return {
        "status": "success",
        "ingested_count": chunks,
        "message": f"Successfully ingested {chunks:,} chunks into {collection!r}.{left_out}",
        "failures": [{"path": path, "reason": reason} for path, reason in failures],
    }
