"""Requests that grow, for every route there is: made from the route table and the API's own description.

Every text, list and open object that a route takes, in its path, query, headers or body, is a `Place`, and so is what
a route never asked for: bodies and queries of any kind. A new route or field is attacked without being written down.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from functions.app.route_table import route_table
from quire.ingestion import rows
from tests.support.fuzz_requests import BARE, PROFILES
from tests.support.lively import Lively
from tests.support.served import Shelf

Schema = Mapping[str, Any]
Make = Callable[[str], Any]
FACES = {
    "roblox": "roblox",
    "textbook": "textbook",
    "codebase": "celery",
    "chatbot": "book",
    "sites": "sites",
}
"""A collection of each face."""
KNOWN = {
    **dict.fromkeys(("collection", "model", "name"), "roblox"),
    "site_id": "acme",
    "user_id": "u",
    "role": "user",
    "path": "a.md",
    "query_text": "walk",
}
"""Values that lead a request on, by the name of what takes them."""
GIVEN = ("user_id", "content", "query_text")
"""Of what a request may leave out, what it is sent all the same."""
FILTERS = ("class_name", "source")
"""Fields that collections of `PROFILES` are filtered by."""
IN_A_LINE = 6_000
"""Characters of a path or a query: percent signs make them up to nine times as long, and servers take 64 KB."""
ANY = "what any route may be sent"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a text goes: `put(text)` is a request, its method and URL included; `name` says where."""

    route: str
    name: str
    put: Callable[[str], dict[str, Any]]


class Attacked:
    """Every face in one process, and the places of each route."""

    def __init__(self, folder: Path) -> None:
        shelf = Shelf(folder)
        for name, profile in PROFILES.items():
            shelf.publish(name, profile=profile)
        self.client = Lively(folder).client()
        self.client.post("/book/ingest", json={"files": [{"path": "a.md", "content": "# A\n\nWalk on.\n"}]})
        self._known: dict[str, Any] = KNOWN
        self._document = self.client.get("/openapi.json").json()
        listed = self.client.post("/mcp", json=_call("tools/list", {}), headers=EVENTS).json()
        self.tools: list[dict[str, Any]] = listed["result"]["tools"]
        self.said = ""

    def places(self, route: str) -> Iterator[Place]:
        """Those of `METHOD /path`, a line of `served_routes`."""
        method, _, path = route.partition(" ")
        if "/documents/{id}" in path:
            site = {"site_id": "acme", "source": "a.md", "content": "# A\n\nWalk on.\n"}
            self._known = {**KNOWN, "id": self.client.post("/sites/documents", json=site).json()["id"]}
        operation = self._document["paths"].get(path, {}).get(method.lower(), {})

        def filled(path: str) -> str:
            return re.sub(r"\{(\w+)\}", lambda found: str(self._known.get(found[1], "a")), path)

        needed = {
            one["name"]: self._example(one["name"], one["schema"])
            for one in operation.get("parameters", ())
            if one["in"] == "query" and one.get("required")
        }
        schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
        body = self._example("", schema) if schema else None

        def request(**changed: Any) -> dict[str, Any]:
            sent = {"json": body} if body is not None and "content" not in changed else {}
            return {"method": method, "url": filled(path), "params": needed, **sent, **changed}

        def sends(field: str, make: Make) -> Make:
            return lambda text: request(**{field: make(text)})

        for name in re.findall(r"\{(\w+)\}", path):
            before, after = (filled(one) for one in path.split(f"{{{name}}}"))
            yield Place(route, f"path {name}", sends("url", partial(_in_path, before, after)))
        for one in operation.get("parameters", ()):
            name = one["name"]
            if one["in"] == "query":
                yield Place(route, name, sends("params", _keyed(name, _line, needed)))
            elif one["in"] == "header":
                yield Place(route, name, sends("headers", _keyed(name, _ascii, {})))
        yield Place(route, f"query, {ANY}", sends("params", _keyed("zz", _line, needed)))
        if schema:
            for name, put in self._leaves("", schema, 0):
                yield Place(route, name, sends("json", put))
        if method in ("POST", "PUT", "DELETE"):
            yield Place(
                route,
                f"body, {ANY}",
                lambda text: request(
                    content=text.encode(), headers={**EVENTS, "content-type": "application/json"}
                ),
            )
        if route == "POST /mcp":
            yield from self._tool_places(route)

    def _tool_places(self, route: str) -> Iterator[Place]:
        asked = [("tools/call", one["name"], one["inputSchema"]) for one in self.tools]
        text = {"type": "string"}
        asked += [
            ("resources/read", "", {"properties": {"uri": text}}),
            ("prompts/get", "", {"properties": {"name": text, "arguments": {"type": "object"}}}),
            ("completion/complete", "", {"properties": {"ref": {"type": "object"}, "argument": {}}}),
        ]
        for method, tool, schema in asked:
            for name, put in self._leaves("", schema, 0):

                def request(text: str, m: str = method, t: str = tool, p: Any = put) -> dict[str, Any]:
                    params = {"name": t, "arguments": p(text)} if t else p(text)
                    return {"method": "POST", "url": "/mcp", "json": _call(m, params), "headers": EVENTS}

                yield Place(route, f"{tool or method} {name}", request)

    def _resolved(self, schema: Schema) -> Schema:
        while "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            schema = self._document["components"]["schemas"][name]
        return schema

    def _example(self, name: str, schema: Schema) -> Any:
        """The least that the schema takes."""
        schema = self._resolved(schema)
        if name in self._known and schema.get("type") != "array":
            return self._known[name]
        for one in ("const", "default"):
            if one in schema:
                return schema[one]
        if options := schema.get("enum") or []:
            return options[0]
        if options := schema.get("anyOf") or schema.get("oneOf") or []:
            return self._example(name, options[0])
        kind = schema.get("type")
        if kind == "array":
            return [self._example(name, schema.get("items", {}))] if schema.get("minItems") else []
        if kind == "object" or "properties" in schema:
            return self._needed(schema)
        return {"integer": schema.get("minimum", 1), "number": 1.0, "boolean": False}.get(str(kind), "walk")

    def _needed(self, schema: Schema) -> dict[str, Any]:
        properties, needed = schema.get("properties", {}), schema.get("required", ())
        return {
            one: self._example(one, value)
            for one, value in properties.items()
            if one in needed or one in GIVEN
        }

    def _leaves(self, name: str, schema: Schema, depth: int) -> Iterator[tuple[str, Make]]:
        """What in a value of the schema takes a text, each with the value for one."""
        schema = self._resolved(schema)
        if depth > 4:
            return
        for one in schema.get("anyOf") or schema.get("oneOf") or ():
            yield from self._leaves(name, one, depth)
        kind = schema.get("type")
        if kind == "string" and "enum" not in schema:
            yield name, lambda text: text
        elif kind == "array":
            one = self._example("", schema.get("items", {}))
            yield f"{name}[wrong]", lambda text: [1] * (len(text) // 2)
            yield f"{name}[*]", lambda text: [_of(one, text)] * (len(text) // (len(json.dumps(one)) + 2))
            for inner, put in self._leaves(f"{name}[]", schema.get("items", {}), depth + 1):
                yield inner, _listed(put)
        elif kind == "object" or "properties" in schema:
            yield from self._object_leaves(name, schema, depth)

    def _object_leaves(self, name: str, schema: Schema, depth: int) -> Iterator[tuple[str, Make]]:
        properties = schema.get("properties", {})
        plain = self._needed(schema)
        if schema.get("additionalProperties", not properties):
            yield f"{name}{{*}}", lambda text: {f"{text[:9]}{at}": text[:9] for at in range(len(text) // 24)}
            yield f"{name}{{}}", lambda text: {text: text[:9]}
            for key in FILTERS:
                yield f"{name}.{key}", _keyed(key, str, {})
                yield f"{name}.{key}[]", _keyed(key, _pieces, {})
        yield f"{name}{{unknown}}", lambda text: {**plain, **{f"{at}": 1 for at in range(len(text) // 9)}}
        for key, one in properties.items():
            for inner, put in self._leaves(f"{name}.{key}".lstrip("."), one, depth + 1):
                yield inner, _keyed(key, put, plain)

    def cost_s(self, request: Mapping[str, Any]) -> float:
        """CPU seconds of a request, in this process and in those that read files; `said` keeps what is wrong."""
        readers = rows._cutter(), rows._reader()
        before = sum(one.cpu_s for one in readers) + time.process_time()
        answer = self.client.request(**request)
        took = sum(one.cpu_s for one in readers) + time.process_time() - before
        if answer.status_code == 500 or any(one in answer.text[:100_000] for one in ("given up", BARE)):
            self.said = f"{answer.status_code} {answer.text[:300]}"
        return took


EVENTS = {"accept": "application/json, text/event-stream"}


def served_routes() -> list[str]:
    """`METHOD /path` of every route of every face, as the app over `FACES` serves it."""
    lines = []
    for face, functions in route_table().items():
        prefix = f"/{FACES[face]}" if face in FACES else ""
        assert prefix or face == "native", f"{face}: no collection of this face is attacked; add one to FACES"
        lines += [line.replace(" /", f" {prefix}/", 1) for part in functions.values() for line in part]
    return sorted(lines)


def _call(method: str, params: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def _of(example: Any, text: str) -> Any:
    return text[:8] if isinstance(example, str) else example


def _keyed(key: str, make: Make, rest: Mapping[str, Any]) -> Make:
    return lambda text: {**rest, key: make(text)}


def _listed(make: Make) -> Make:
    return lambda text: [make(text)]


def _pieces(text: str) -> list[str]:
    return [text[at : at + 9] for at in range(0, len(text), 9)]


def _line(text: str) -> str:
    return text[:IN_A_LINE]


def _in_path(before: str, after: str, text: str) -> str:
    return f"{before}{_quoted(_line(text))}{after}"


def _quoted(text: str) -> str:
    return re.sub(
        r"[^A-Za-z0-9_.~-]", lambda found: "".join(f"%{one:02X}" for one in found[0].encode()), text
    )


def _ascii(text: str) -> str:
    return re.sub(r"[^ -~]", "~", text)
