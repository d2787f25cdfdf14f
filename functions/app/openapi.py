"""The OpenAPI document: the native API, and each mounted collection with the paths of its face."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import TypeAdapter

from functions.web.access import ANYONE, Caller
from functions.web.documented import ProblemWire
from functions.web.faces import joined, load_face
from quire import __version__
from quire.service.knowledge import Knowledge

REFS = "#/components/schemas/"
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
    for collection, face in service.mounts().items():
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
    """The face's part with its paths below the collection, and its schemas named after the face."""
    text = _face_document(face, functions).replace(f'"{REFS}', f'"{REFS}{face}.')
    part: dict[str, Any] = json.loads(text.replace(f'"{REFS}{face}.Problem"', f'"{REFS}Problem"'))
    part["paths"] = {f"/{collection}{path}": _named(item, collection) for path, item in part["paths"].items()}
    if "components" in part:
        schemas = part["components"].get("schemas", {})
        part["components"]["schemas"] = {f"{face}.{name}": schema for name, schema in schemas.items()}
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
    routes = joined(face, functions).routes if face else []
    document = get_openapi(title="Quire", version=__version__, routes=routes)
    _drop_defaults(document)
    _put_examples_back(document, [route for route in routes if isinstance(route, APIRoute)])
    for path in face.open_paths if face else ():
        for operation in document["paths"].get(path, {}).values():
            operation["security"] = []
    return json.dumps(document)


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
            operation = document["paths"][route.path][method.lower()]
            for status, response in route.responses.items():
                documented = operation["responses"].get(str(status), {}).get("content", {})
                for kind, content in response.get("content", {}).items():
                    documented[kind]["example"] = content["example"]


def _problem_schema() -> tuple[dict[str, Any], dict[str, Any]]:
    schema = TypeAdapter(ProblemWire).json_schema(ref_template=REFS + "{model}")
    nested: dict[str, Any] = schema.pop("$defs", {})
    return schema, nested
