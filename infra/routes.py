"""Which function serves which path: `functions/routes.json` over the collections of `collections.toml`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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
"""Stands for every collection's name: with a method for each path of each, 28 pass CloudFormation's 500 resources. API
Gateway never looks back from `/roblox` to a variable: where access differs, all paths of a collection stand."""


@dataclass(frozen=True, slots=True)
class Route:
    """One method of one path of the API.

    Attributes:
        collections: whose path it is; none for the native API at the root.
        is_open: whether anyone may call it without a key.
    """

    method: str
    path: str
    function: str
    collections: tuple[Collection, ...]
    is_open: bool


def read_table(path: Path) -> Table:
    """Face -> function -> `METHOD /path`."""
    table: Table = json.loads(path.read_text(encoding="utf-8"))
    return table


def deployed_routes(table: Table, collections: Mapping[str, Collection]) -> list[Route]:
    """Every route of the deployment: the native ones at the root, below them those of the collections' faces.

    What faces have below `/{collection}` is there once, unless collections differ in who may call it or what answers.
    """
    routes = [
        Route(method, gateway_path(path), function, (), path in _open(NATIVE))
        for function, method, path in _entries(table, NATIVE)
        if not path.startswith(EACH)
    ]
    shared, alone = _divided(table, collections.values())
    routes += _below(table, EACH, shared)
    for one in alone:
        routes += _below(table, f"/{one.name}", [one])
    return routes


def _below(table: Table, place: str, collections: Sequence[Collection]) -> list[Route]:
    """The routes of those collections' faces below the place, each once."""
    found: dict[tuple[str, str], Route] = {}
    for collection in collections:
        for route in _of_collection(table, place, collection):
            known = found.get((route.method, route.path), route)
            owners = known.collections if known is not route else ()
            found[route.method, route.path] = replace(known, collections=(*owners, collection))
    return list(found.values())


def _of_collection(table: Table, place: str, collection: Collection) -> list[Route]:
    face = face_of(collection)
    below = [(entry, entry[2] in _open(face)) for entry in _entries(table, face)]
    each = [one for one in _entries(table, NATIVE) if one[2].startswith(EACH)]
    below += [((function, method, path.removeprefix(EACH)), False) for function, method, path in each]
    return [
        Route(
            method,
            f"{place}{gateway_path(path)}",
            function,
            (collection,),
            is_open or (collection.public and function != WRITING),
        )
        for (function, method, path), is_open in below
    ]


def _divided(table: Table, collections: Iterable[Collection]) -> tuple[list[Collection], list[Collection]]:
    """Those that `/{collection}` stands for, and those that need paths of their own.

    What most agree on is shared: collections are taken in groups of one face and access, those of the commoner access
    first, and of them the largest.
    """
    groups: dict[tuple[str, bool], list[Collection]] = {}
    for one in collections:
        groups.setdefault((face_of(one), one.public), []).append(one)
    shared: list[Collection] = []
    alone: list[Collection] = []
    served: dict[tuple[str, str], tuple[str, bool]] = {}
    public = sum(len(group) for (_, is_public), group in groups.items() if is_public)
    is_mostly_public = public > sum(map(len, groups.values())) - public
    for group in sorted(groups.values(), key=lambda one: (one[0].public != is_mostly_public, -len(one))):
        wanted = {
            (route.method, route.path): (route.function, route.is_open)
            for route in _of_collection(table, EACH, group[0])
        }
        agrees = all(served.get(key, value) == value for key, value in wanted.items())
        (shared if agrees else alone).extend(group)
        served |= wanted if agrees else {}
    return shared, alone


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
