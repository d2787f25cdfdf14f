"""Error responses of this face as the API reference lists them."""

from __future__ import annotations

from typing import Any

from functions.faces.codebase.contract import Refusal

_EXAMPLES = {
    401: ("A key is needed", "this service needs a key: send it as x-api-key or as a bearer token"),
    404: ("No such collection", "collection 'code': not in this store"),
    503: ("No index to search", "this cannot be served now; try again in a few seconds"),
}


def refused(what: str, detail: str) -> dict[str, Any]:
    """One refusal with its example."""
    return {
        "model": Refusal,
        "description": what,
        "content": {"application/json": {"example": {"detail": detail}}},
    }


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """FastAPI's `responses=` for the statuses."""
    return {status: refused(*_EXAMPLES[status]) for status in statuses}


_INVALID = {"detail": [{"type": "missing", "loc": ["body", "q"], "msg": "Field required"}]}
INVALID: dict[int | str, dict[str, Any]] = {
    413: refused("Body over 1 MB", "body: wanted at most 1,000,000 bytes"),
    422: {"description": "Invalid request", "content": {"application/json": {"example": _INVALID}}},
}
