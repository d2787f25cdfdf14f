"""Routes that bring files into the collection."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from functions.faces.chatbot import examples
from functions.faces.chatbot.contract import DeletedPage, IngestRequest, IngestResponse, LibraryPages
from functions.faces.chatbot.wire import refusals
from functions.web.calls import Prefer, caller_of, collection_of, live_of, write
from functions.web.documented import answer, response
from functions.web.replies import reply
from quire.errors import SourceError
from quire.service.jobs import FAILED, WAITING, Job
from quire.service.uploads import File, Pages

STARTED: dict[int | str, dict[str, Any]] = {
    202: response("More than can be embedded while you wait", examples.ACCEPTED, IngestResponse)
}
router = APIRouter(tags=["chatbot"])


@router.post(
    "/ingest",
    summary="Ingest files",
    response_model=IngestResponse,
    responses=answer(examples.INGESTED) | STARTED | refusals(404, 413, 503),
)
async def ingest(body: IngestRequest, request: Request, prefer: Prefer = "") -> Response:
    """Serve the files, each in the place of the one of its path, all at once. Bad ones are listed, good ones kept.

    More than 400,000 characters are a job (202) where a gateway would not wait, and with `Prefer: respond-async`.
    """
    name, caller, live = collection_of(request), caller_of(request), live_of(request)
    files = [File(one.path, one.content, one.is_highlight_chunk, one.encoding) for one in body.files]
    if live.leaves(sum(len(one.content) for one in files), prefer):
        job = await write(request.scope, live.jobs.stage, caller, name, files, prune=body.prune)
        return reply(job_wire(job, name), 202, {"location": f"ingest/{job.id}"})
    ingest_files = partial(live.library.ingest, site=live.site_of(name), prune=body.prune)
    done = await write(request.scope, ingest_files, caller, name, files)
    if not done.chunks:
        raise SourceError("no file could be read: " + "; ".join(reason for _, reason in done.failures[:5]))
    wire = ingested_wire(done.chunks, done.failures, name)
    return reply({**wire, "pruned_count": done.pruned} if body.prune else wire)


@router.get(
    "/pages",
    summary="List ingested files",
    response_model=LibraryPages,
    responses=answer(examples.PAGES) | refusals(404, 503),
)
async def list_pages(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=500, description="How many at most.")] = 100,
    after: Annotated[str, Query(max_length=500, description="The `after` of the answer before.")] = "",
) -> Response:
    """What was ingested and is served, by path. Pages that a build published are not among them."""
    name, caller, live = collection_of(request), caller_of(request), live_of(request)
    found = await write(request.scope, live.library.pages, caller, name, limit=limit, after=after)
    return reply(pages_wire(found))


@router.delete(
    "/pages",
    summary="Delete an ingested file",
    response_model=DeletedPage,
    responses=answer(examples.DELETED) | refusals(404, 503),
)
async def delete_page(
    request: Request,
    path: Annotated[str, Query(min_length=1, max_length=500, description="Its path, as it was ingested.")],
) -> Response:
    """Stop serving a file. Once this is answered, no question finds it."""
    name, caller, live = collection_of(request), caller_of(request), live_of(request)
    await write(request.scope, live.library.delete, caller, name, path)
    return reply({"status": "success", "message": f"Deleted {path!r} from {name!r}."})


@router.get(
    "/ingest/{job}",
    summary="How far is a job",
    response_model=IngestResponse,
    responses=answer(examples.INGESTED) | refusals(404, 503),
)
async def get_ingest_job(request: Request, job: str) -> Response:
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
    done, of = job.embedded
    far = f": {done:,} of {of:,} chunks are embedded" if of else ""
    return {
        "status": "accepted",
        "ingested_count": 0,
        "message": f"{len(job.files):,} files are being ingested{far}; ask for the job.",
        "failures": [],
        "job": job.id,
        "progress": {"embedded": done, "of": of},
    }


def pages_wire(found: Pages) -> LibraryPages:
    """Ingested files as their requester sees them."""
    return {
        "pages": [
            {
                "path": one.path,
                "chapter": one.title,
                "url": one.url,
                "chunks": one.chunks,
                "sha256": one.sha256,
            }
            for one in found.pages
        ],
        "after": found.after,
        "total": found.total,
    }


def ingested_wire(chunks: int, failures: tuple[tuple[str, str], ...], collection: str) -> IngestResponse:
    """What became of the files."""
    left_out = f" {len(failures):,} files could not be read." if failures else ""
    return {
        "status": "success",
        "ingested_count": chunks,
        "message": f"Successfully ingested {chunks:,} chunks into {collection!r}.{left_out}",
        "failures": [{"path": path, "reason": reason} for path, reason in failures],
    }
