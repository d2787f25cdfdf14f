"""The API reference at `/reference`: one self-contained page, rendered from the OpenAPI document. No script at all."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Awaitable, Callable, Iterator
from html import escape
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from functions.web.replies import reply

Describe = Callable[[Request], Awaitable[dict[str, Any]]]
PATHS = ("/openapi.json", "/reference")

STYLE = """
:root{color-scheme:light dark;--line:#8884;--soft:#8881;--ink:#0a6b4f}
@media(prefers-color-scheme:dark){:root{--ink:#5fd3ad}}
body{font:16px/1.55 system-ui,sans-serif;max-width:62rem;margin:0 auto;padding:1rem}
nav{columns:16rem;font-size:.9rem;border-bottom:1px solid var(--line);padding-bottom:1rem}
nav ul{list-style:none;padding:0;margin:0}h2{margin-top:3rem;border-bottom:1px solid var(--line)}
a{color:var(--ink)}code,pre{font:.85rem/1.5 ui-monospace,monospace}
pre{background:var(--soft);padding:.8rem;overflow:auto;border-radius:.4rem}
article{margin:2rem 0}h3 code{font-size:1.05rem}.verb{color:var(--ink);font-weight:700;margin-right:.5rem}
table{border-collapse:collapse;width:100%;font-size:.9rem}th,td{text-align:left;vertical-align:top;
padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--line)}summary{cursor:pointer}
"""
_STYLE_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY = f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none'"


def reference_router(describe: Describe) -> APIRouter:
    """`/openapi.json` and `/reference`, both made of what is mounted at that moment."""
    router = APIRouter(include_in_schema=False)

    async def openapi(request: Request) -> Response:
        return reply(await describe(request))

    async def reference(request: Request) -> Response:
        page = render_reference(await describe(request))
        return HTMLResponse(page, headers={"content-security-policy": POLICY})

    for path, endpoint in zip(PATHS, (openapi, reference), strict=True):
        router.add_api_route(path, endpoint, methods=["GET"])
    return router


def render_reference(document: dict[str, Any]) -> str:
    """The OpenAPI document as one HTML page. All links are relative, so a stage prefix works."""
    info, sections = document["info"], _by_tag(document)
    intro = "".join(f"<p>{_prose(part)}</p>" for part in info["description"].split("\n\n"))
    nav = "".join(_nav(tag, operations) for tag, operations in sections.items())
    body = "".join(_section(tag, document, operations) for tag, operations in sections.items())
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(info['title'])} API reference</title><style>{STYLE}</style></head><body>"
        f"<h1>{escape(info['title'])} API <small>{escape(info['version'])}</small></h1>{intro}"
        f'<p>The same as a machine reads it: <a href="openapi.json">openapi.json</a></p>'
        f"<nav>{nav}</nav><main>{body}</main></body></html>"
    )


Operation = tuple[str, str, dict[str, Any]]


def _by_tag(document: dict[str, Any]) -> dict[str, list[Operation]]:
    sections: dict[str, list[Operation]] = {tag["name"]: [] for tag in document["tags"]}
    for path, item in document["paths"].items():
        for verb, operation in item.items():
            sections[operation["tags"][0]].append((verb.upper(), path, operation))
    return {tag: operations for tag, operations in sections.items() if operations}


def _nav(tag: str, operations: list[Operation]) -> str:
    links = "".join(
        f'<li><a href="#{escape(operation["operationId"])}">{verb} {escape(path)}</a></li>'
        for verb, path, operation in operations
    )
    return f"<b>{escape(tag)}</b><ul>{links}</ul>"


def _section(tag: str, document: dict[str, Any], operations: list[Operation]) -> str:
    about = next(one["description"] for one in document["tags"] if one["name"] == tag)
    articles = "".join(_article(document, *operation) for operation in operations)
    return f"<section><h2>{escape(tag)}</h2><p>{_prose(about)}</p>{articles}</section>"


def _article(document: dict[str, Any], verb: str, path: str, operation: dict[str, Any]) -> str:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    head = (
        f'<article id="{escape(operation["operationId"])}"><h3><span class="verb">{verb}</span>'
        f"<code>{escape(path)}</code></h3><p><b>{escape(operation['summary'])}.</b> "
        f"{_prose(operation.get('description', ''))}</p>"
    )
    parts = [head]
    if operation.get("parameters"):
        parts.append(_table(("parameter", "in", "type", "meaning"), map(_parameter, operation["parameters"])))
    if body:
        schema = resolve(document, body)
        parts.append("<h4>Body</h4>" + _fields(document, schema))
    parts.append(f"<h4>Try it</h4><pre>{escape(_curl(document, verb, path, body))}</pre><h4>Responses</h4>")
    parts += [_response(document, status, one) for status, one in sorted(operation["responses"].items())]
    return "".join(parts) + "</article>"


def _response(document: dict[str, Any], status: str, response: dict[str, Any]) -> str:
    parts = [f"<details><summary><b>{escape(status)}</b> {escape(response['description'])}</summary>"]
    for kind, content in response.get("content", {}).items():
        parts.append(f"<p><code>{escape(kind)}</code></p>")
        if content.get("schema"):
            parts.append(_fields(document, resolve(document, content["schema"])))
        if "example" in content:
            parts.append(f"<pre>{escape(json.dumps(content['example'], indent=2, ensure_ascii=False))}</pre>")
    return "".join(parts) + "</details>"


def _parameter(parameter: dict[str, Any]) -> tuple[str, ...]:
    kind = _type(parameter.get("schema", {}))
    return (
        f"<code>{escape(parameter['name'])}</code>",
        parameter["in"],
        kind,
        _prose(parameter.get("description", "")),
    )


def _fields(document: dict[str, Any], schema: dict[str, Any]) -> str:
    properties = schema.get("properties", {})
    if not properties:
        return ""
    needed = schema.get("required", [])
    rows = (
        (
            f"<code>{escape(name)}</code>",
            _type(one) + ("" if name in needed else ", optional"),
            _prose(one.get("description") or resolve(document, one).get("description", "")),
        )
        for name, one in properties.items()
    )
    return _table(("field", "type", "meaning"), rows)


def _table(heads: tuple[str, ...], rows: Any) -> str:
    head = "".join(f"<th>{one}</th>" for one in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return escape(schema["$ref"].rsplit("/", 1)[-1])
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        return " or ".join(escape(json.dumps(one)) for one in schema.get("enum", [schema.get("const")]))
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {_type(schema.get('items', {}))}"
    bounds = [f"{sign} {schema[key]}" for key, sign in _BOUNDS.items() if key in schema]
    default = [f"default {json.dumps(schema['default'])}"] if schema.get("default") is not None else []
    return escape(", ".join([str(kind), *bounds, *default]))


_BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


def resolve(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """The schema behind a reference."""
    if "$ref" not in schema:
        return schema
    found: dict[str, Any] = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
    return found


def _curl(document: dict[str, Any], verb: str, path: str, body: dict[str, Any] | None) -> str:
    target = f'"$QUIRE{path}"'
    if not body:
        return f"curl -s -X {verb} {target}" if verb != "GET" else f"curl -s {target}"
    examples = resolve(document, body).get("examples") or [{}]
    return f"curl -s {target} -H 'content-type: application/json' -d '{json.dumps(examples[0])}'"


def _prose(text: str) -> str:
    pieces: Iterator[str] = iter(escape(text).split("`"))
    return "".join(
        piece if number % 2 == 0 else f"<code>{piece}</code>" for number, piece in enumerate(pieces)
    )
