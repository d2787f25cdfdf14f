"""The error table: exception to problem (RFC 9457). A face may render a problem in its own contract's shape."""

from __future__ import annotations

import logging
import os
import re
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as held
from http import HTTPStatus
from typing import Annotated, Any, get_args, get_origin

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Tag
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from functions.web.logs import log
from functions.web.replies import json_bytes
from quire.documents import NOTHING
from quire.errors import (
    TELLABLE,
    AccessDenied,
    AnswerModelError,
    ArtifactError,
    AskerGone,
    BuildInProgress,
    InputError,
    ModelMisconfigured,
    ModelOutOfReach,
    ModelUnavailable,
    NotPublished,
    Overloaded,
    PublishRefused,
    QuireError,
    QuotaExceeded,
    ScopeMissing,
    SourceError,
    StoreError,
    Superseded,
    SwapConflict,
    TooLarge,
    UnknownCollection,
    UnknownDocument,
    UnknownPassage,
    UnknownVersion,
    explain,
    is_full,
    unavailable,
)
from quire.limits import TOLD_ERRORS

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_S = 5
OVERLOADED = (429, 503)
CLIENT_GONE = 499
"""Nobody reads it; in the log it is told from a fault of ours. Source: nginx, which writes it for the same."""
STATUS: Mapping[type[QuireError], int] = {
    QuireError: 500,
    InputError: 422,
    UnknownCollection: 404,
    UnknownVersion: 404,
    UnknownDocument: 404,
    UnknownPassage: 404,
    Superseded: 409,
    TooLarge: 413,
    AccessDenied: 401,
    ScopeMissing: 403,
    SourceError: 400,
    ArtifactError: 503,
    StoreError: 503,
    SwapConflict: 409,
    BuildInProgress: 409,
    Overloaded: 503,
    AskerGone: CLIENT_GONE,
    ModelOutOfReach: 503,
    PublishRefused: 409,
    AnswerModelError: 502,
    ModelUnavailable: 503,
    QuotaExceeded: 429,
    ModelMisconfigured: 500,
}
"""The HTTP status of each error; one that is not listed has that of what it derives from."""
UNREADABLE_BODY = "There was an error parsing the body"
NOT_JSON = "Input should be an object in JSON, sent as content-type application/json"


@dataclass(frozen=True, slots=True)
class Problem:
    """One failure as a client may see it.

    Attributes:
        status: the HTTP status.
        code: `unknown-collection`: stable, for programs to branch on.
        title: the code in words.
        detail: what was found and what was wanted; for a fault of ours only that there was one.
        field: wire name of the offending value, such as `filters.class_name`; "" where none is.
        errors: every invalid field with its message, where the body was checked as a whole.
        headers: headers that the status asks for.
        invalid: pydantic's own list of errors, for faces that promise FastAPI's shape.
    """

    status: int
    code: str
    title: str
    detail: str
    field: str = ""
    errors: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = held(default_factory=dict)
    invalid: Sequence[Any] = ()


def problem_of(error: Exception, route: object = None) -> Problem:
    """Say what a client may know of the error; `route` is the one of FastAPI that raised it, where one did.

    Messages of faults on our side stay in the log: they may name buckets and paths.
    """
    if isinstance(error, RequestValidationError):
        return _invalid_body(error, route)
    if isinstance(error.__cause__, ClientDisconnect):
        error = error.__cause__  # FastAPI takes it for a body that cannot be parsed
    if isinstance(error, HTTPException):
        return _http_problem(error)
    if isinstance(error, OSError) and is_full(error):
        return _quire_problem(unavailable("disk", error))
    if isinstance(error, QuireError):
        return _quire_problem(error)
    if isinstance(error, ClientDisconnect):
        return Problem(
            CLIENT_GONE, "client-gone", "Client gone", "the client left before its request was whole"
        )
    return Problem(500, "internal-error", "Internal error", "the request failed; the log has its request id")


def status_of(error: QuireError) -> int:
    """The HTTP status that a route answers.

    >>> status_of(UnknownVersion("x")), status_of(NotPublished("x"))
    (404, 503)
    """
    return next(STATUS[one] for one in type(error).__mro__ if one in STATUS)


def render_problem(problem: Problem, request_id: str) -> Response:
    """The native API's one error body."""
    body: dict[str, Any] = {
        "type": f"urn:quire:problem:{problem.code}",
        "title": problem.title,
        "status": problem.status,
        "detail": problem.detail,
    }
    if problem.field:
        body["field"] = problem.field
    if len(problem.errors) > 1:
        body["errors"] = [{"field": name, "detail": detail} for name, detail in problem.errors]
    body["request_id"] = request_id
    return Response(json_bytes(body), problem.status, dict(problem.headers), MEDIA_TYPE)


def log_fault(error: Exception, request_id: str) -> None:
    """Log a fault of ours with the frames that it came through, and no values: a value may be content."""
    message = str(error) if isinstance(error, QuireError) else _refusal_of(error)
    frames = [
        f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)[-12:]
    ]
    name = type(error).__name__
    log("fault", logging.ERROR, request_id=request_id, error=name, message=message, frames=frames)


def _refusal_of(error: Exception) -> str:
    """What the system refused and what helps, without the file's name; "" of errors whose words may be content."""
    code = error.errno if isinstance(error, OSError) else None
    return explain(OSError(code, os.strerror(code))) if code else ""


def _quire_problem(error: QuireError) -> Problem:
    code = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type(error).__name__).lower()
    title = code.replace("-", " ").capitalize()
    name = error.field if isinstance(error, InputError) else ""
    headers: dict[str, str] = {}
    status = status_of(error)
    if status in OVERLOADED:
        wanted = error.retry_after_s if isinstance(error, QuotaExceeded) else None
        headers["retry-after"] = str(max(1, round(wanted or RETRY_AFTER_S)))
        # draft-ietf-httpapi-ratelimit-headers-10: of this policy nothing remains for so many seconds.
        if isinstance(error, (QuotaExceeded, Overloaded)):
            headers["ratelimit"] = f'"{code}";r=0;t={headers["retry-after"]}'
    if isinstance(error, AccessDenied) and status == HTTPStatus.UNAUTHORIZED:
        headers["www-authenticate"] = 'Bearer realm="quire"'
    is_plain = isinstance(error, (*TELLABLE, NotPublished))  # names a command and no machine
    detail = str(error) if is_plain else _PUBLIC.get(status, _PUBLIC[500])
    return Problem(status, code, title, detail, name, headers=headers)


_PUBLIC = {
    500: "the service is not set up right; the log has the request id",
    502: "the answer model failed",
    503: "this cannot be served now; try again in a few seconds",
}


def _http_problem(error: HTTPException) -> Problem:
    status, detail = error.status_code, error.detail
    if status == HTTPStatus.BAD_REQUEST and detail == UNREADABLE_BODY:
        return Problem(422, "invalid-body", "Invalid body", "body: wanted JSON in UTF-8", "body")
    phrase = HTTPStatus(status).phrase
    code = phrase.lower().replace(" ", "-")
    if status == HTTPStatus.NOT_FOUND and detail == phrase:
        detail = "no such route; `reference` lists them"
    if status == HTTPStatus.METHOD_NOT_ALLOWED and error.headers:
        allowed = {name.lower(): value for name, value in error.headers.items()}.get("allow", "")
        detail = f"this route answers {allowed or 'another method'}"
    return Problem(status, code, phrase, detail, headers=error.headers or {})


def _invalid_body(error: RequestValidationError, route: object) -> Problem:
    field = getattr(route, "body_field", None)
    wrong = error.errors()[:TOLD_ERRORS]
    invalid = [_explained(one, field.field_info.annotation if field else None) for one in wrong]
    errors = tuple((_field_name(one, error.body), _sentence(one)) for one in invalid)
    name, detail = errors[0]
    return Problem(422, "invalid-input", "Invalid input", f"{name}: {detail}", name, errors, invalid=invalid)


def _explained(invalid: Mapping[str, Any], kind: Any) -> Mapping[str, Any]:
    """The error of a body of that type without names of union branches, with the fields that there are."""
    where, *path = invalid["loc"]
    if where != "body" or invalid["type"] == "json_invalid":
        return invalid
    is_empty = invalid["type"] == "missing" and not path
    if is_empty or isinstance(invalid.get("input"), bytes):
        return {**invalid, "msg": NOT_JSON, "input": None}
    forms = _forms(kind)
    if path and path[0] in forms:
        kind, path = forms[path[0]], path[1:]
    explained = {**invalid, "loc": ("body", *path)}
    if invalid["type"] == "extra_forbidden" and (known := _fields_beside(kind, path)):
        explained["msg"] = f"unknown field, wanted one of {', '.join(known)}"
    return explained


def _forms(kind: Any) -> dict[Any, Any]:
    """The models of a tagged union by their tags, which pydantic puts in front of where an error stands."""
    tagged = [one for one in get_args(kind) if get_origin(one) is Annotated]
    return {
        mark.tag: get_args(one)[0] for one in tagged for mark in one.__metadata__ if isinstance(mark, Tag)
    }


def _fields_beside(kind: Any, place: Sequence[int | str]) -> list[str]:
    """The fields that the model holding `place` has; none where a union or a list stands on the way."""
    models = [one for one in (kind, *get_args(kind)) if isinstance(one, type) and issubclass(one, BaseModel)]
    if len(models) != 1 or not place:
        return []
    known = {field.alias or name: field for name, field in models[0].model_fields.items()}
    step, *rest = place
    if not rest:
        return list(known)
    return _fields_beside(known[str(step)].annotation, rest) if step in known else []


def _field_name(invalid: Mapping[str, Any], body: Any) -> str:
    """`filters.class_name`: the location as the client wrote it, without the names of pydantic's union branches."""
    where, *path = invalid["loc"]
    if where != "body" or invalid["type"] == "json_invalid":
        return ".".join(map(str, path)) if where != "body" else "body"
    names: list[str] = []
    for step in path:
        held = isinstance(body, dict) and step in body
        held = held or (isinstance(body, list) and isinstance(step, int) and step < len(body))
        if not held:
            names += [str(step)] if invalid["type"] == "missing" else []
            break
        names.append(str(step))
        body = body[step]
    return ".".join(names) or "body"


def _sentence(invalid: Mapping[str, Any]) -> str:
    if invalid["type"] == "json_invalid":
        return f"not valid JSON: {invalid['ctx']['error']}"
    message: str = invalid["msg"]
    return _PLAINER.get(message) or message.removeprefix("Value error, ")


_PLAINER = {"Extra inputs are not permitted": "unknown field"}


def detail_reply(
    problem: Problem, invalid: Sequence[Mapping[str, Any]], names: Mapping[str, str] = NOTHING
) -> Response:
    """`{"detail": ...}`, as clients of FastAPI servers expect it: of a 422 the invalid fields, else a sentence.

    Where pydantic found none `invalid`, the problem's own field is the one, by its name on the wire (`names`).
    """
    detail: str | Sequence[Mapping[str, Any]] = problem.detail
    if problem.status == 422:
        place = "" if problem.field == "body" else problem.field
        path = [names.get(name, name) for name in place.split(".") if name]
        message = problem.detail.removeprefix(f"{problem.field}: ")
        detail = invalid or [{"type": "value_error", "loc": ["body", *path], "msg": message}]
    return Response(json_bytes({"detail": detail}), problem.status, dict(problem.headers), "application/json")
