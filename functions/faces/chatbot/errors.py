"""Errors as the specification gives them: `{"status": "error", "message": ...}`."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from functions.faces.chatbot.contract import ErrorBody
from functions.web.problems import Problem
from functions.web.replies import json_bytes

_EXAMPLES = {
    400: ("Invalid request", "query_text: String should match pattern '\\S'"),
    401: ("A key is needed", "this service needs a key: send it as x-api-key or as a bearer token"),
    403: ("The key may not do this", "collection 'book': this key may not write it"),
    404: ("No such collection", "collection 'book': not in this store"),
    413: ("Body too large", "body: wanted at most 6,000,000 bytes"),
    503: ("Cannot be served now", "this cannot be served now; try again in a few seconds"),
}


def render_error(problem: Problem, request_id: str) -> Response:
    """The one body of every failure; what other contracts call 422 is 400 here. The request's id is in the header."""
    del request_id
    body: ErrorBody = {"status": "error", "message": problem.detail}
    status = 400 if problem.status == 422 else problem.status
    return Response(json_bytes(body), status, dict(problem.headers), "application/json")


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """FastAPI's `responses=` for the statuses, and for those that any route has."""
    return {status: _refused(*_EXAMPLES[status]) for status in sorted({*statuses, 400, 401, 403})}


def _refused(what: str, message: str) -> dict[str, Any]:
    example = {"status": "error", "message": message}
    return {"model": ErrorBody, "description": what, "content": {"application/json": {"example": example}}}
