"""The OpenAPI document: the native API, and each mounted collection with the paths of its face."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import TypeAdapter

from functions.app.deferred_models import bring_models
from functions.web.documented import ProblemWire
from functions.web.faces import ANSWER, Face, joined, load_face
from functions.web.problems import Problem
from quire import __version__
from quire.service.access import ANYONE, Caller
from quire.service.knowledge import Knowledge, mounts

REFS = "#/components/schemas/"
PATH_PARAMETER = re.compile(r"\{(\w+)\}")
PATH_PARAMETERS: Mapping[str, dict[str, Any]] = {
    "name": {"schema": {"type": "string"}, "description": "Name of the collection."},
    "id": {"schema": {"type": "string"}, "description": "The id, as it was given."},
    "job": {"schema": {"type": "string"}, "description": "Id of the job, as the request was answered with."},
    "model": {"schema": {"type": "string"}, "description": "Name of the collection."},
}
SECURITY = {
    "apiKey": {"type": "apiKey", "in": "header", "name": "x-api-key"},
    "bearer": {"type": "http", "scheme": "bearer"},
}
DESCRIPTION = """Documentation, textbooks and code as a knowledge API that answers with citations you can check.

The native API works over every collection. Below its name, each collection also speaks the contract of its face.
Every response carries `x-request-id`; send your own to find a request in the log. Where the service has a key set,
all but the health routes need it, as `x-api-key` or as a bearer token."""


def describe_api(service: Knowledge, functions: Sequence[str], caller: Caller = ANYONE) -> dict[str, Any]:
    """The document for what is served now and may be known to the caller.

    Paths are relative to where the document itself lies. The server's URL is `.`: a stage prefix in front of the
    service needs no setting.
    """
    document: dict[str, Any] = json.loads(_face_document("native", tuple(functions)))
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    tags = [{"name": "native", "description": "Every collection under one contract."}]
    for collection, face in mounts(service).items():
        if not caller.knows(collection):
            continue
        part = _mounted(collection, face, tuple(functions))
        document["paths"] |= part["paths"]
        schemas |= part.get("components", {}).get("schemas", {})
        title = f"Collection `{collection}` ({service.title(collection)}), face `{face}`."
        tags.append({"name": collection, "description": title})
    schemas["Problem"], nested = _problem_schema()
    schemas |= nested
    document["components"]["securitySchemes"] = SECURITY
    return document | {
        "info": {"title": "Quire", "version": __version__, "description": DESCRIPTION},
        "servers": [{"url": "."}],
        "security": [{"apiKey": []}, {"bearer": []}],
        "tags": tags,
    }


def _mounted(collection: str, face: str, functions: tuple[str, ...]) -> dict[str, Any]:
    """The face's part with its paths below the collection, and its schemas named after the face.

    Their titles too: generators of clients name classes by them, and drop the second of a name.
    """
    text = _face_document(face, functions).replace(f'"{REFS}', f'"{REFS}{face}.')
    part: dict[str, Any] = json.loads(text.replace(f'"{REFS}{face}.Problem"', f'"{REFS}Problem"'))
    part["paths"] = {f"/{collection}{path}": _named(item, collection) for path, item in part["paths"].items()}
    if "components" in part:
        schemas = part["components"].get("schemas", {})
        part["components"]["schemas"] = {
            f"{face}.{name}": schema | {"title": f"{face.capitalize()}{name}"}
            for name, schema in schemas.items()
        }
    return part


def _named(item: dict[str, Any], collection: str) -> dict[str, Any]:
    """Operations of a face that is mounted twice need an id each."""
    for operation in item.values():
        operation["operationId"] = f"{collection}_{operation['operationId']}"
        operation["tags"] = [collection]
    return item


@cache
def _face_document(name: str, functions: tuple[str, ...]) -> str:
    face = load_face(name)
    routes = list(joined(face, functions).routes) if face else []
    if name == "native" and ANSWER in functions:
        from functions.faces.openai.endpoint import router as chat_router

        routes += chat_router.routes
    bring_models()
    document = get_openapi(title="Quire", version=__version__, routes=routes)
    documented = [route for route in routes if isinstance(route, APIRoute)]
    _drop_defaults(document)
    _put_examples_back(document, documented)
    _name_operations(document, documented)
    _declare_path_parameters(document)
    _name_schemas(document)
    if face:
        refuse(document, face)
    for path in face.open_paths if face else ():
        for operation in document["paths"].get(path, {}).values():
            operation["security"] = []
    return json.dumps(document)


def _name_operations(document: dict[str, Any], routes: Sequence[APIRoute]) -> None:
    """Call each operation as its endpoint is called, which clients name their functions by."""
    for route in routes:
        for method in route.methods or ():
            document["paths"][route.path_format][method.lower()]["operationId"] = route.name


def _declare_path_parameters(document: dict[str, Any]) -> None:
    """Endpoints that read a part of the path themselves leave it out of their signature; the document must not."""
    for path, item in document["paths"].items():
        for operation in item.values():
            known = operation.get("parameters", [])
            declared = {one["name"] for one in known if one["in"] == "path"}
            for name in PATH_PARAMETER.findall(path):
                if name not in declared:
                    about = PATH_PARAMETERS.get(name, {"schema": {"type": "string"}})
                    known = [*known, {"name": name, "in": "path", "required": True, **about}]
                    operation["parameters"] = known


def _name_schemas(document: dict[str, Any]) -> None:
    """Title the components, each by its name, and nothing within them: a title names a class in generated clients."""
    for name, schema in document.get("components", {}).get("schemas", {}).items():
        untitle(schema)
        schema["title"] = name
    for item in document["paths"].values():
        for operation in item.values():
            bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
            for content in (one for body in bodies for one in body.get("content", {}).values()):
                untitle(content.get("schema", {}))
            for parameter in operation.get("parameters", []):
                untitle(parameter["schema"])


def untitle(schema: Any) -> None:
    """Take the titles out of a schema and of those within it; a property may be called `title`.

    >>> schema = {"title": "A", "properties": {"title": {"title": "Title", "type": "string"}}}
    >>> untitle(schema); schema
    {'properties': {'title': {'type': 'string'}}}
    """
    if not isinstance(schema, dict):
        return
    schema.pop("title", None)
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            inner = list(value.values())
        elif key in ("anyOf", "allOf", "oneOf", "prefixItems"):
            inner = value
        else:
            inner = [value] if key in ("items", "additionalProperties") else []
        for one in inner:
            untitle(one)


def _drop_defaults(document: dict[str, Any]) -> None:
    """Without the 422 that FastAPI adds to any route with a parameter: faces document their own."""
    for item in document["paths"].values():
        for operation in item.values():
            if "HTTPValidationError" in json.dumps(operation["responses"].get("422", "")):
                del operation["responses"]["422"]
    schemas = document.get("components", {}).get("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)


def _put_examples_back(document: dict[str, Any], routes: Sequence[APIRoute]) -> None:
    """FastAPI drops every null on its way, those inside examples too."""
    for route in routes:
        for method in route.methods or ():
            operation = document["paths"][route.path_format][method.lower()]
            for status, response in route.responses.items():
                documented = operation["responses"].get(str(status), {}).get("content", {})
                for kind, content in response.get("content", {}).items():
                    documented[kind]["example"] = content["example"]


def _problem_schema() -> tuple[dict[str, Any], dict[str, Any]]:
    schema = TypeAdapter(ProblemWire).json_schema(ref_template=REFS + "{model}")
    nested: dict[str, Any] = schema.pop("$defs", {})
    for name, one in {"Problem": schema, **nested}.items():
        untitle(one)
        one["title"] = name
    return schema, nested


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
