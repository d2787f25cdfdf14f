"""`GET /collections/{name}/diff`: what changed between two versions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response
from typing_extensions import TypedDict

from functions.web.calls import caller_of, run, service_of
from functions.web.documented import answer, problems
from functions.web.replies import reply
from functions.web.wire import comparison_wire
from quire.service.diff import compare

router = APIRouter(tags=["native"])


class MemberWire(TypedDict):
    """A class, member, enum or enum item."""

    name: Annotated[str, Field(description="Its qualified name.", examples=["BasePart.Touched"])]
    kind: Annotated[str, Field(description="What it is.", examples=["Event"])]
    document: Annotated[str, Field(description="Id of the document that tells of it.")]


class ChangedMemberWire(MemberWire):
    """A member that both versions have."""

    fields: Annotated[
        dict[str, dict[str, Any]],
        Field(
            description="What differs of `signature`, `tags`, `security`, `thread_safety` and `description`, each with "
            "`from` and `to`; of a description the paragraphs that only one version has."
        ),
    ]


class MembersWire(TypedDict):
    """Members, sorted by name."""

    added: list[MemberWire]
    changed: list[ChangedMemberWire]
    deprecated: Annotated[list[MemberWire], Field(description="Deprecated now and not before.")]
    removed: list[MemberWire]


class DocumentsWire(TypedDict):
    """Ids of documents that tell of no member, sorted."""

    added: list[str]
    changed: list[str]
    removed: list[str]


class VersionWire(TypedDict):
    """One of the two versions."""

    version: Annotated[str, Field(description="Its id.")]
    label: Annotated[str | None, Field(description="Engine version or commit.")]
    published_at: Annotated[str | None, Field(description="When it was published, UTC.")]


DiffResponse = TypedDict(
    "DiffResponse",
    {
        "collection": str,
        "from": VersionWire,
        "to": VersionWire,
        "members": MembersWire,
        "documents": DocumentsWire,
    },
)
DiffResponse.__doc__ = "What changed from one version to the other."

EXAMPLE: dict[str, Any] = {
    "collection": "roblox",
    "from": {"version": "4f0c2a9be771", "label": "0.732.0.7321040", "published_at": "2026-10-29T08:04:09Z"},
    "to": {"version": "9b1f7c02e4d1", "label": "0.735.0.7351131", "published_at": "2026-11-19T08:04:11Z"},
    "members": {
        "added": [
            {"name": "Player.IsVerified", "kind": "Function", "document": "api_dump/Player.IsVerified"}
        ],
        "changed": [
            {
                "name": "Wind.Gust",
                "kind": "Event",
                "document": "api_dump/Wind.Gust",
                "fields": {"security": {"from": "RobloxScriptSecurity", "to": "None"}},
            }
        ],
        "deprecated": [],
        "removed": [],
    },
    "documents": {"added": ["content/en-us/sailing.md"], "changed": [], "removed": []},
}


@router.get(
    "/collections/{name}/diff",
    summary="Compare two versions",
    response_model=DiffResponse,
    responses=answer(EXAMPLE) | problems(404, 503),
)
async def compare_versions(
    name: str,
    request: Request,
    before: Annotated[
        str,
        Query(alias="from", min_length=1, description="A version: id, engine version by prefix, or date."),
    ],
    after: Annotated[
        str, Query(alias="to", min_length=1, description="Another; by default the one that is served.")
    ] = "latest",
) -> Response:
    """Members and documents that were added, changed, deprecated or removed from one version to another."""
    request.scope["state"]["collection"] = name
    found = await run(
        request.scope, compare, service_of(request), caller_of(request), name, before, after=after
    )
    return reply(comparison_wire(name, found))
