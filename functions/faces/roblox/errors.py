"""Errors in the shape that clients of a FastAPI server expect: `{"detail": ...}`."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response

from functions.web.problems import Problem
from functions.web.replies import json_bytes

WIRE_NAMES = {"q": "text"}
ERROR_EXAMPLE = {
    "detail": [
        {
            "type": "less_than_equal",
            "loc": ["body", "top_k"],
            "msg": "Input should be less than or equal to 20",
            "input": 21,
            "ctx": {"le": 20},
        }
    ]
}


def render_detail(problem: Problem, request_id: str) -> Response:
    """A 422 lists each invalid field with its place; any other status has a sentence. The id is in the header."""
    del request_id
    detail: str | list[dict[str, Any]] = problem.detail
    if problem.status == 422:
        detail = [_place(one) for one in problem.invalid] or [_field(problem)]
    return Response(json_bytes({"detail": detail}), problem.status, dict(problem.headers), "application/json")


def _place(invalid: dict[str, Any]) -> dict[str, Any]:
    """Pydantic's error without what JSON cannot hold: a NaN that was sent, an exception in the context."""
    known = {key: invalid[key] for key in ("type", "loc", "msg", "input") if key in invalid}
    if "input" in known:
        known["input"] = _plain(known["input"])
    context = {key: _plain(value) for key, value in invalid.get("ctx", {}).items()}
    return known | ({"ctx": context} if context else {})


def _field(problem: Problem) -> dict[str, Any]:
    path = [WIRE_NAMES.get(name, name) for name in problem.field.split(".") if name]
    message = problem.detail.removeprefix(f"{problem.field}: ")
    return {"type": "value_error", "loc": ["body", *path], "msg": message}


def _plain(value: Any) -> Any:
    """The value if JSON can hold it, else its text."""
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, TypeError):
        return str(value)
    return value
