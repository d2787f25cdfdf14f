"""Routes of chat messages."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import Response

from functions.faces.sites.contract import CleanUpSummary, Forgotten, MessageList, MessageRequest, MessageWire
from functions.faces.sites.documents import SiteQuery
from functions.faces.sites.examples import CLEANED, FORGOTTEN, MESSAGES, SAID
from functions.faces.sites.wire import message_wire, moment_wire, turn_of
from functions.web.calls import caller_of, collection_of, live_of, write
from functions.web.documented import answer, problems
from functions.web.hosts import demand_near
from functions.web.replies import reply
from quire.limits import ID_CHARACTERS
from quire.sessions import RETENTION
from quire.store.write_targets import Site

router = APIRouter(tags=["sites"])
After = Annotated[str, Query(max_length=ID_CHARACTERS * 8, description="The `next` of the call before.")]
UserQuery = Annotated[
    str, Query(max_length=ID_CHARACTERS, description="The user; a token's `sub` outranks it.")
]
Token = Annotated[
    str | None,
    Header(
        alias="idempotency-key",
        min_length=1,
        max_length=200,
        description="The same key again stores nothing.",
    ),
]


@router.post(
    "/chat-messages",
    status_code=201,
    summary="Remember a message",
    response_model=MessageWire,
    responses=SAID | problems(413, 422, 503),
)
async def add_message(body: MessageRequest, request: Request, token: Token = None) -> Response:
    """Keep a message for 30 days."""
    site, turns = Site(collection_of(request), body.site_id), [turn_of(body.role, body.message)]
    use, caller = live_of(request).conversations, caller_of(request)
    said = await write(request.scope, use.say, caller, site, body.user_id, turns, token=token)
    return reply(message_wire(said[0]), 201)


@router.get(
    "/chat-messages",
    summary="Read a conversation",
    response_model=MessageList,
    responses=answer(MESSAGES) | problems(422, 503),
)
async def list_messages(
    request: Request,
    *,
    site_id: SiteQuery,
    user_id: UserQuery = "",
    limit: Annotated[int, Query(ge=1, le=200, description="How many at most.")] = 50,
    before: Annotated[
        str | None,
        Query(pattern="^[0-7][0-9A-HJKMNP-TV-Z]{25}$", description="The `before` of the page after."),
    ] = None,
) -> Response:
    """The last messages of a user at a site, oldest first, a page at a time."""
    site = Site(collection_of(request), site_id)
    use, caller = live_of(request).conversations, caller_of(request)
    found = await write(request.scope, use.recent, caller, site, user_id, limit=limit, before=before)
    wire: MessageList = {
        "messages": [message_wire(one) for one in found],
        "before": found[0].id if len(found) == limit else None,
    }
    return reply(wire)


@router.delete(
    "/chat-messages",
    summary="Forget a user",
    response_model=Forgotten,
    responses=answer(FORGOTTEN) | problems(422, 503),
)
async def forget_messages(request: Request, site_id: SiteQuery, user_id: UserQuery = "") -> Response:
    """Delete every message of a user at a site, for good."""
    site = Site(collection_of(request), site_id)
    use, caller = live_of(request).conversations, caller_of(request)
    wire: Forgotten = {"deleted": await write(request.scope, use.forget, caller, site, user_id)}
    return reply(wire)


@router.delete(
    "/chat-messages/cleanup",
    summary="Delete messages older than 30 days",
    response_model=CleanUpSummary,
    responses=answer(CLEANED) | problems(422, 503),
)
async def clean_up_messages(request: Request, after: After = "") -> Response:
    """For a scheduler; needs a key that may administer the collection. What it deletes is never returned anyway.

    A call takes 15 s at most; where a table is larger than that, `next` says where the next call goes on.

    Without a key set it is refused (401), unless the server listens to this machine alone.
    """
    use, caller = live_of(request).conversations, caller_of(request)
    demand_near(request.scope, caller)
    done = await write(request.scope, use.clean_up, caller, collection_of(request), after)
    wire: CleanUpSummary = {
        "deleted": done.deleted,
        "older_than": moment_wire(done.cutoff),
        "retention_days": RETENTION.days,
        "next": done.next or None,
    }
    return reply(wire)
