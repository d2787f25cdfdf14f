"""Responses as the API reference lists them: errors, examples, and the one that tells that the process runs."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response
from typing_extensions import TypedDict

from functions.web.replies import reply

PROBLEM_REF = "#/components/schemas/Problem"


class FieldProblem(TypedDict):
    """One invalid field."""

    field: str
    detail: str


class ProblemWire(TypedDict):
    """What went wrong (RFC 9457)."""

    type: Annotated[str, Field(description="Stable name of the kind of problem; a URN, not a link.")]
    title: Annotated[str, Field(description="The kind in words.")]
    status: Annotated[int, Field(description="The HTTP status.")]
    detail: Annotated[str, Field(description="What was found and what was wanted.")]
    field: NotRequired[Annotated[str, Field(description="The offending field, such as `filters.tags`.")]]
    errors: NotRequired[
        Annotated[list[FieldProblem], Field(description="All of them, where there are several.")]
    ]
    request_id: Annotated[str, Field(description="Quote it when you report the problem; the log has it.")]


_EXAMPLES: dict[int, tuple[str, str, str, str]] = {
    400: ("source-error", "Source error", "job 019aa8c46f2b: what was sent cannot be read", ""),
    401: ("access-denied", "Access denied", "this service needs a key: send it as x-api-key", ""),
    403: ("scope-missing", "Scope missing", "collection 'roblox': this key may not read it", ""),
    404: ("unknown-collection", "Unknown collection", "collection 'robox': not in this store", "collection"),
    413: ("request-entity-too-large", "Request Entity Too Large", "body: wanted at most 1,000,000 bytes", ""),
    422: ("invalid-input", "Invalid input", "top_k: Input should be less than or equal to 50", "top_k"),
    500: ("internal-error", "Internal error", "the request failed; the log has its request id", ""),
    503: ("artifact-error", "Artifact error", "this cannot be served now; try again in a few seconds", ""),
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """FastAPI's `responses=` for the native error body: the given statuses, and 401, 403 and 500 that any route has."""
    return {status: _documented(status) for status in sorted({*statuses, 401, 403, 500})}


def _documented(status: int) -> dict[str, Any]:
    code, title, detail, field = _EXAMPLES[status]
    example: dict[str, Any] = {"type": f"urn:quire:problem:{code}", "title": title, "status": status}
    example |= {"detail": detail} | ({"field": field} if field else {}) | {"request_id": "5e0c6f0c1d3b4c0e"}
    content = {"application/problem+json": {"schema": {"$ref": PROBLEM_REF}, "example": example}}
    return {"description": title, "content": content}


def response(what: str, example: Any, model: Any = None) -> dict[str, Any]:
    """An entry of FastAPI's `responses=`: what a status says, with an example of its JSON."""
    known = {"model": model} if model else {}
    return {**known, "description": what, "content": {"application/json": {"example": example}}}


def answer(example: Any, *, events: str = "") -> dict[int | str, dict[str, Any]]:
    """FastAPI's `responses=` entry that gives the successful response an example.

    `events` are those of a route that streams when it is asked to, as they travel.
    """
    content: dict[str, Any] = {"application/json": {"example": example}}
    if events:
        content["text/event-stream"] = {"schema": {"type": "string"}, "example": events}
    return {200: {"content": content}}


class Health(TypedDict):
    """The process runs."""

    status: Literal["ok"]


def add_health(router: APIRouter) -> None:
    """Give a face its `GET /health`, which asks no store and needs no key."""

    @router.get(
        "/health", summary="Is the server running", response_model=Health, responses=answer({"status": "ok"})
    )
    async def health() -> Response:
        """Always 200 while the process runs."""
        wire: Health = {"status": "ok"}
        return reply(wire)
