"""Errors as clients of the OpenAI protocol read them."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from functions.faces.openai.contract import ErrorBody
from functions.web.documented import response
from functions.web.faces import Face
from functions.web.problems import Problem
from functions.web.replies import reply

PREFIX = "/v1/"
KINDS = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}
_EXAMPLES = {
    400: ("Invalid request", "messages: wanted a user message with text", "messages", "invalid-input"),
    401: ("A key is needed", "this service needs a key: send it as a bearer token", None, "access-denied"),
    403: ("The key may not do this", "collection 'roblox': this key may not read it", None, "scope-missing"),
    404: ("No such model", "collection 'robox': not in this store", "model", "model_not_found"),
    413: ("Body too large", "body: wanted at most 1,000,000 bytes", None, "request-entity-too-large"),
    503: ("Cannot be served now", "this cannot be served now; try again", None, "artifact-error"),
}


def render_error(problem: Problem, request_id: str) -> Response:
    """The one body of every failure. What is called 422 elsewhere is 400: clients make no sense of it otherwise."""
    status = 400 if problem.status == 422 else problem.status
    code = "model_not_found" if problem.code == "unknown-collection" else problem.code
    body = _body(
        status, problem.detail, "model" if problem.field == "collection" else problem.field or None, code
    )
    body["error"]["request_id"] = request_id
    return reply(body, status, problem.headers)


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """FastAPI's `responses=` for the statuses, and for those that any route has."""
    return {status: _refused(status) for status in sorted({*statuses, 401, 403, 503})}


def _refused(status: int) -> dict[str, Any]:
    what, message, param, code = _EXAMPLES[status]
    return response(what, _body(status, message, param, code), ErrorBody)


def _body(status: int, message: str, param: str | None, code: str) -> ErrorBody:
    kind = KINDS.get(status, "invalid_request_error" if status < 500 else "server_error")
    request_id = "5e0c6f0c1d3b4c0e"
    return {
        "error": {"message": message, "type": kind, "param": param, "code": code, "request_id": request_id}
    }


OPENAI = Face("openai", "OpenAI protocol", {}, render_error)
