"""Which function serves which path: `functions/routes.json` over the collections of `collections.toml`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quire.collections import Collection

Table = Mapping[str, Mapping[str, Sequence[str]]]
CODE = "codebase"
FACES = {"docs": "chatbot", "code": CODE}
"""Profile -> face, where their names differ."""
NATIVE = "native"
OPEN = {
    NATIVE: frozenset({"/health", "/", "/widget.js", "/assets/{release}/{name}"}),
    CODE: frozenset({"/health", "/config"}),
}
"""Face -> paths that anyone may call; `/health` where a face is not here."""
WRITING = "memory"
"""The function that writes: what is public may be read by anyone, and written by nobody without a key."""
EACH = "/{collection}"
"""What native routes about one collection begin with. API Gateway never looks back from `/roblox` to a variable."""


@dataclass(frozen=True, slots=True)
class Route:
    """One method of one path of the API.

    Attributes:
        collection: whose path it is; None for the native API at the root.
        is_open: whether anyone may call it without a key.
    """

    method: str
    path: str
    function: str
    collection: Collection | None
    is_open: bool


def read_table(path: Path) -> Table:
    """Face -> function -> `METHOD /path`."""
    table: Table = json.loads(path.read_text(encoding="utf-8"))
    return table


def deployed_routes(table: Table, collections: Mapping[str, Collection]) -> list[Route]:
    """Every route of the deployment: the native ones at the root, a face's below each of its collections."""
    routes = [
        Route(method, gateway_path(path), function, None, path in _open(NATIVE))
        for function, method, path in _entries(table, NATIVE)
        if not path.startswith(EACH)
    ]
    for collection in collections.values():
        face = face_of(collection)
        below = [(entry, entry[2] in _open(face)) for entry in _entries(table, face)]
        each = [one for one in _entries(table, NATIVE) if one[2].startswith(EACH)]
        below += [((function, method, path.removeprefix(EACH)), False) for function, method, path in each]
        for (function, method, path), is_open in below:
            place = f"/{collection.name}{gateway_path(path)}"
            may_read = collection.public and function != WRITING
            routes.append(Route(method, place, function, collection, is_open or may_read))
    return routes


def _open(face: str) -> frozenset[str]:
    return OPEN.get(face, frozenset({"/health"}))


def functions_of(table: Table, collections: Mapping[str, Collection]) -> list[str]:
    """The functions that serve any of it, sorted."""
    return sorted({route.function for route in deployed_routes(table, collections)})


def written_collections(table: Table, collections: Mapping[str, Collection]) -> list[str]:
    """The collections that take live writes: those whose face has routes of `memory`, but code.

    A function answers 501 where it is asked to index a folder: it has none.
    """
    faces = {name: face_of(one) for name, one in collections.items()}
    return [name for name, face in faces.items() if face != CODE and table.get(face, {}).get("memory")]


def face_of(collection: Collection) -> str:
    """The face that a collection's profile speaks."""
    return FACES.get(collection.profile, collection.profile)


def gateway_path(path: str) -> str:
    """A route's path in API Gateway's words.

    >>> gateway_path("/files/{name:path}"), gateway_path("/sites/{site_id}/"), gateway_path("/")
    ('/files/{name+}', '/sites/{site_id}', '')
    """
    return re.sub(r"\{(\w+)(?::(\w+))?\}", _parameter, path).rstrip("/")


def _parameter(found: re.Match[str]) -> str:
    return f"{{{found[1]}+}}" if found[2] == "path" else f"{{{found[1]}}}"


def _entries(table: Table, face: str) -> list[tuple[str, str, str]]:
    """(function, method, path); HEAD comes with GET in the app and is not a method of the API."""
    found = []
    for function, lines in table.get(face, {}).items():
        for line in lines:
            method, _, path = line.partition(" ")
            if method != "HEAD":
                found.append((function, method, path))
    return found
