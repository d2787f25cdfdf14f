"""Routes of face `sites`, relative to its collection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from functions.faces.sites import documents, messages
from functions.faces.sites.contract import ContextRequest, ContextResponse, DeletedSite, SiteList
from functions.faces.sites.documents import SiteQuery
from functions.faces.sites.examples import CONTEXT, SITE_DELETED, SITES
from functions.faces.sites.wire import context_wire
from functions.web.calls import caller_of, collection_of, live_of, run, write
from functions.web.documented import add_health, answer, problems
from functions.web.faces import MEMORY, QUERY, Face
from functions.web.replies import reply
from quire.service.access import WRITE, Caller
from quire.service.metrics import note_degraded
from quire.store.write_targets import Site

if TYPE_CHECKING:
    from functions.web.live import Live

router = APIRouter(tags=["sites"])
query_router = APIRouter(tags=["sites"])


@router.get(
    "/sites", summary="List the sites", response_model=SiteList, responses=answer(SITES) | problems(422, 503)
)
async def page(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=200, description="How many at most.")] = 50,
    after: Annotated[str, Query(max_length=100, description="The `after` of the page before.")] = "",
) -> Response:
    """The sites that hold documents, of those that the key may read, with how many; a page at a time."""
    use, caller, name = live_of(request).documents, caller_of(request), collection_of(request)
    found = await write(request.scope, use.sites, caller, name, limit=limit, after=after)
    wire: SiteList = {
        "sites": [{"site_id": one.id, "documents": one.documents} for one in found.sites],
        "after": found.after,
    }
    return reply(wire)


@router.delete(
    "/sites",
    summary="Delete a site",
    response_model=DeletedSite,
    responses=answer(SITE_DELETED) | problems(422, 503),
)
async def delete(request: Request, site_id: SiteQuery) -> Response:
    """Delete all documents and messages of a site. Once this is answered, no question to the site finds anything."""
    site = Site(collection_of(request), site_id)
    return reply(await write(request.scope, _deleted, live_of(request), caller_of(request), site))


def _deleted(live: Live, caller: Caller, site: Site) -> DeletedSite:
    caller.require_site(WRITE, site.collection, site.id)
    live.jobs.drop(site.collection, site.id)
    documents = live.documents.delete_site(caller, site)
    messages = live.conversations.forget_site(caller, site)
    return {"site_id": site.id, "deleted_documents": documents, "deleted_messages": messages}


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


add_health(query_router)


_ROUTERS = (documents.router, messages.router, router)
FACE = Face(
    "sites",
    "Sites",
    # Health is with the function that answers it for every other face: one path stands for all collections.
    {QUERY: query_router, MEMORY: APIRouter(routes=[one for part in _ROUTERS for one in part.routes])},
)
