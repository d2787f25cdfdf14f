"""Routes of a site's documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import Response

from functions.faces.sites.contract import (
    DocumentList,
    DocumentRequest,
    DocumentWire,
    JobWire,
    ReplaceRequest,
    WholeDocument,
)
from functions.faces.sites.examples import CREATED, DOCUMENT, DOCUMENTS, EMBEDDED, PUT, STARTED
from functions.faces.sites.wire import document_wire, job_wire, whole_wire
from functions.web.calls import Prefer, caller_of, collection_of, live_of, run, write
from functions.web.documented import answer, problems
from functions.web.replies import reply
from quire.errors import InputError, SourceError
from quire.limits import ID_CHARACTERS
from quire.service.jobs import FAILED
from quire.service.site_documents import LargeDocument
from quire.service.sites import Submission
from quire.store.write_targets import Site

if TYPE_CHECKING:
    pass

router = APIRouter(tags=["sites"])
SiteQuery = Annotated[str, Query(min_length=1, max_length=ID_CHARACTERS, description="The site.")]
Token = Annotated[
    str | None,
    Header(
        alias="idempotency-key", min_length=1, max_length=200, description="The same key again adds nothing."
    ),
]


@router.post(
    "/documents",
    status_code=201,
    summary="Add a document",
    response_model=DocumentWire,
    responses=CREATED | answer(PUT) | STARTED | problems(413, 422, 503),
)
async def add_document(
    body: DocumentRequest, request: Request, token: Token = None, prefer: Prefer = ""
) -> Response:
    """Cut, embed and keep a document. Once this is answered 201, every question to the site can find it.

    With `upsert` it takes the place of the site's document of that `source` (200), if there is one. More than 400,000
    characters are a job (202) where a gateway would not wait, and with `Prefer: respond-async`.
    """
    site, text = Site(collection_of(request), body.site_id), Submission(body.content, body.source)
    live, caller = live_of(request), caller_of(request)
    if body.upsert:
        if not body.source.strip():
            raise InputError("source: wanted with upsert, found none", field="source")
        known = await write(request.scope, live.documents.find_by_source, caller, site, body.source)
        if known:
            return await _replaced(request, site, known, text, prefer=prefer)
        token = token or f"upsert {body.source}"  # of two that come at once one document is made
    if live.leaves(len(text.content), prefer):
        large = await write(request.scope, live.large.add, caller, site, text, token=token)
        if large.written is None:
            return _started(large, site, "documents/jobs/")
        added = large.written
    else:
        added = await write(request.scope, live.documents.add, caller, site, text, token=token)
    return reply(document_wire(added), 201, {"location": f"documents/{added.id}"})


@router.get(
    "/documents",
    summary="List a site's documents",
    response_model=DocumentList,
    responses=answer(DOCUMENTS) | problems(422, 503),
)
async def list_documents(
    request: Request,
    site_id: SiteQuery,
    limit: Annotated[int, Query(ge=1, le=200, description="How many at most.")] = 50,
    after: Annotated[str, Query(max_length=64, description="The `after` of the page before.")] = "",
) -> Response:
    """A site's documents without their texts, oldest first, a page at a time."""
    site = Site(collection_of(request), site_id)
    use, caller = live_of(request).documents, caller_of(request)
    found = await run(request.scope, use.page, caller, site, limit=limit, after=after)
    documents = [document_wire(one) for one in found.documents]
    wire: DocumentList = {"documents": documents, "after": found.after, "total": found.total}
    return reply(wire)


@router.get(
    "/documents/jobs/{job}",
    summary="How far is a job",
    response_model=JobWire,
    responses=answer(EMBEDDED) | problems(400, 404, 422, 503),
)
async def get_document_job(request: Request, job: str, site_id: SiteQuery) -> Response:
    """`accepted` while it goes on, then `done` with the document. What it failed of is an error of this route."""
    site = Site(collection_of(request), site_id)
    use, caller = live_of(request).large, caller_of(request)
    found = await run(request.scope, use.get, caller, site, job)
    if found.job.state == FAILED:
        raise SourceError(f"job {found.job.id}: {found.job.message}")
    return reply(job_wire(found, site_id))


@router.get(
    "/documents/{id}",
    summary="Read a document",
    response_model=WholeDocument,
    responses=answer({**DOCUMENT, "content": "..."}) | problems(404, 422, 503),
)
async def get_document(request: Request, id: str, site_id: SiteQuery) -> Response:  # noqa: A002
    """A document with its text as it came."""
    site = Site(collection_of(request), site_id)
    use, caller = live_of(request).documents, caller_of(request)
    return reply(whole_wire(await run(request.scope, use.get, caller, site, id)))


@router.put(
    "/documents/{id}",
    summary="Replace a document",
    response_model=DocumentWire,
    responses=answer(PUT) | STARTED | problems(404, 413, 422, 503),
)
async def replace_document(
    request: Request,
    *,
    id: str,  # noqa: A002
    site_id: SiteQuery,
    body: ReplaceRequest,
    prefer: Prefer = "",
) -> Response:
    """Put another text in its place, in one step: no question finds both, or neither.

    More than 400,000 characters are a job (202) where a gateway would not wait, and with `Prefer: respond-async`.
    """
    if body.site_id not in {None, site_id}:
        raise InputError(f"site_id: the query says {site_id!r}, the body {body.site_id!r}", field="site_id")
    site = Site(collection_of(request), site_id)
    return await _replaced(
        request, site, id, Submission(body.content, body.source), prefer=prefer, jobs="jobs/"
    )


@router.delete(
    "/documents/{id}", status_code=204, summary="Delete a document", responses=problems(404, 422, 503)
)
async def delete_document(request: Request, id: str, site_id: SiteQuery) -> Response:  # noqa: A002
    """Delete a document. Once this is answered, no question to the site finds it."""
    site = Site(collection_of(request), site_id)
    use, caller = live_of(request).documents, caller_of(request)
    await write(request.scope, use.delete, caller, site, id)
    return Response(status_code=204)


async def _replaced(
    request: Request,
    site: Site,
    document_id: str,
    text: Submission,
    *,
    prefer: str,
    jobs: str = "documents/jobs/",
) -> Response:
    live, caller = live_of(request), caller_of(request)
    if live.leaves(len(text.content), prefer):
        large = await write(request.scope, live.large.replace, caller, site, document_id, text)
        return _started(large, site, jobs)
    replaced = await write(request.scope, live.documents.replace, caller, site, document_id, text)
    return reply(document_wire(replaced))


def _started(large: LargeDocument, site: Site, jobs: str) -> Response:
    """202, with a link that can be followed as it is; `jobs` leads from the request's path to where jobs are."""
    link = f"{jobs}{large.job.id}?{urlencode({'site_id': site.id})}"
    return reply(job_wire(large, site.id), 202, {"location": link})
