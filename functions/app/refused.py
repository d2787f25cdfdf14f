"""What any route may answer and no route writes down itself: another method (405), and too many requests (429)."""

from __future__ import annotations

import json
from typing import Any

from functions.web.faces import Face
from functions.web.problems import Problem

REQUEST_ID = "5e0c6f0c1d3b4c0e"
LIMITED = Problem(
    429, "too-many-requests", "Too Many Requests", "too many requests; wait for what `retry-after` says"
)
RETRY_AFTER = {
    "retry-after": {
        "description": "Seconds until another request has a chance.",
        "schema": {"type": "integer"},
        "example": 5,
    },
    "ratelimit": {
        "description": "The bound that was reached: `r` is what remains of it, `t` the seconds until there is more"
        " (draft-ietf-httpapi-ratelimit-headers). Missing where API Gateway refused.",
        "schema": {"type": "string"},
        "example": '"quota-exceeded";r=0;t=5',
    },
}


def refuse(document: dict[str, Any], face: Face) -> None:
    """Add 405 and 429 to every operation of a face's document, as the face renders them."""
    shapes = _error_shapes(document)
    for path, item in document["paths"].items():
        renders = _face_of(path, face)
        methods = ", ".join(sorted(verb.upper() for verb in item))
        other = Problem(405, "method-not-allowed", "Method Not Allowed", f"this route answers {methods}")
        allow = {
            "allow": {"description": "What it answers.", "schema": {"type": "string"}, "example": methods}
        }
        for operation in item.values():
            responses = operation["responses"]
            responses.setdefault("405", _documented(other, renders, shapes, allow))
            responses.setdefault("429", _documented(LIMITED, renders, shapes, RETRY_AFTER))


def _face_of(path: str, face: Face) -> Face:
    from functions.faces.openai.errors import (  # only who shows the document pays for its models
        OPENAI,
        PREFIX,
    )

    return OPENAI if path.startswith(PREFIX) else face


def _documented(
    problem: Problem, face: Face, shapes: dict[str, Any], headers: dict[str, Any]
) -> dict[str, Any]:
    rendered = face.render(problem, REQUEST_ID)
    body = json.loads(bytes(rendered.body))
    kind = (rendered.media_type or rendered.headers["content-type"]).partition(";")[0]
    schema = shapes.get(" ".join(body)) or {"type": "object"}
    content = {kind: {"schema": schema, "example": body}}
    return {"description": problem.title, "headers": headers, "content": content}


def _error_shapes(document: dict[str, Any]) -> dict[str, Any]:
    """Schemas of the errors that routes do write down, by the keys of their examples."""
    found: dict[str, Any] = {}
    for item in document["paths"].values():
        for operation in item.values():
            for status, response in sorted(operation["responses"].items()):
                for content in response.get("content", {}).values() if status >= "400" else ():
                    example = content.get("example")
                    if isinstance(example, dict):
                        found.setdefault(" ".join(example), content.get("schema"))
    return found
