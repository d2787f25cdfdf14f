"""Errors as the specification's server gives them: `{"detail": ...}`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from functions.web.problems import Problem
from functions.web.replies import json_bytes


def render_detail(problem: Problem, request_id: str) -> Response:
    """A 422 lists each invalid field with its place; any other status has a sentence. The id is in the header."""
    del request_id
    detail: str | list[dict[str, Any]] = problem.detail
    if problem.status == 422:
        places = zip(problem.invalid, problem.errors, strict=True)
        detail = [
            {"type": one["type"], "loc": _place(one, name), "msg": one["msg"]} for one, (name, _) in places
        ] or [_field(problem)]
    return Response(json_bytes({"detail": detail}), problem.status, dict(problem.headers), "application/json")


def _place(invalid: Mapping[str, Any], field: str) -> list[str | int]:
    """Where it is wrong as the client wrote it: without the names of pydantic's branches, which `field` leaves out."""
    where, *path = invalid["loc"]
    if where != "body" or field == "body":
        return [where, *path]
    return [where, *(int(step) if step.isdecimal() else step for step in field.split("."))]


def _field(problem: Problem) -> dict[str, Any]:
    path = [name for name in problem.field.split(".") if name]
    message = problem.detail.removeprefix(f"{problem.field}: ")
    return {"type": "value_error", "loc": ["body", *path], "msg": message}
