"""Errors as the specification's server gives them: `{"detail": ...}`."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from functions.web.problems import Problem
from functions.web.replies import json_bytes


def render_detail(problem: Problem, request_id: str) -> Response:
    """A 422 lists each invalid field with its place; any other status has a sentence. The id is in the header."""
    del request_id
    detail: str | list[dict[str, Any]] = problem.detail
    if problem.status == 422:
        detail = [{key: one[key] for key in ("type", "loc", "msg")} for one in problem.invalid] or [
            _field(problem)
        ]
    return Response(json_bytes({"detail": detail}), problem.status, dict(problem.headers), "application/json")


def _field(problem: Problem) -> dict[str, Any]:
    path = [name for name in problem.field.split(".") if name]
    message = problem.detail.removeprefix(f"{problem.field}: ")
    return {"type": "value_error", "loc": ["body", *path], "msg": message}
