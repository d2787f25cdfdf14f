"""Faces, and the mount that gives each collection the routes of its face."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from fastapi import APIRouter
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from functions.web.calls import run
from functions.web.problems import Problem, render_problem
from quire.collections import NAME, RESERVED
from quire.errors import QuireError
from quire.service.access import READ, Caller
from quire.service.knowledge import face_of

QUERY, ANSWER, MEMORY = "query", "answer", "memory"
FUNCTIONS = (QUERY, ANSWER, MEMORY)
LARGE_PATHS = frozenset({"ingest"})
"""Last parts of paths whose bodies carry many files."""


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """One HTTP contract.

    Attributes:
        name: as profiles name it.
        title: what the API reference calls it.
        routers: function (`query`, `answer`, `memory`) -> its routes, or what imports them, where another function
            should not pay for that; paths are relative to the collection.
        render: the contract's own error body.
        open_paths: paths that need no key.
    """

    name: str
    title: str
    routers: Mapping[str, APIRouter | Callable[[], APIRouter]]
    render: Callable[[Problem, str], Response] = render_problem
    open_paths: frozenset[str] = frozenset({"/health"})

    def router(self, function: str) -> APIRouter:
        """The routes of one of its functions."""
        router = self.routers[function]
        return router if isinstance(router, APIRouter) else router()


@cache
def load_face(name: str) -> Face | None:
    """Import the face at its first use: a function pays for the faces that it serves and no others.

    None where `functions/faces` has no such folder: a collection of that face has the native API alone.
    """
    module = f"functions.faces.{name}.routes"
    try:
        face: Face = importlib.import_module(module).FACE
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise
        return None
    return face


class CollectionConvertor(Convertor[str]):
    """Matches a collection's name in a path, and none of the native API's own."""

    regex = rf"(?!(?:{'|'.join(map(re.escape, sorted(RESERVED)))})(?:/|$)){NAME.pattern}"

    def convert(self, value: str) -> str:
        """The name as it stands."""
        return value

    def to_string(self, value: str) -> str:
        """The name as it stands."""
        return value


register_url_convertor("collection", CollectionConvertor())
MOUNT_PATH = "/{collection:collection}"


class FaceMount:
    """ASGI app at `/{collection}`: looks up the collection's face at each request and hands over to its routes.

    Looking up at the request, not at start, serves collections that appear while the process runs.
    """

    def __init__(self, functions: Sequence[str]) -> None:
        self._functions = tuple(functions)
        self._routers: dict[str, APIRouter] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request to the face's routes.

        Raises:
            UnknownCollection: there is no collection of that name.
            AccessDenied, ScopeMissing: the caller may not know whether there is one.
        """
        name = scope["path_params"]["collection"]
        state = scope["state"]
        caller: Caller = state["caller"]
        # The same of a collection that is closed and of one that is not there.
        if not caller.knows(name) and not await self.is_open(scope):
            caller.require(READ, name)
        state["collection"], state["mount"] = name, "/{collection}"
        state["face"] = face = await _face_of(scope, name)
        if face is None:
            raise HTTPException(404)
        await self.router(face)(scope, receive, send)

    def router(self, face: Face) -> APIRouter:
        """The face's routes that this process serves, in one router."""
        if face.name not in self._routers:
            self._routers[face.name] = joined(face, self._functions)
        return self._routers[face.name]

    async def is_open(self, scope: Scope) -> bool:
        """Whether the collection's face lets anyone ask this path. Notes the face: a refusal is rendered by it."""
        name, _, rest = scope["path"].removeprefix("/").partition("/")
        if not rest:
            return False
        try:
            face = scope["state"]["face"] = await _face_of(scope, name)
        except QuireError:
            return False
        return face is not None and f"/{rest}" in face.open_paths


async def _face_of(scope: Scope, collection: str) -> Face | None:
    """Asks the store, in a thread, only for a collection that is not open yet."""
    service = scope["app"].state.service
    name = service.known_face(collection) or await run(scope, face_of, service, collection)
    return load_face(name)


def joined(face: Face, functions: Sequence[str]) -> APIRouter:
    """One router with the face's routes of those functions."""
    routes = [
        route for function in functions if function in face.routers for route in face.router(function).routes
    ]
    return APIRouter(routes=routes, redirect_slashes=False)
