"""Which pages of other sites may ask, collection by collection: `options.origins` in `collections.toml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from quire.collections import RESERVED, Collection

ORIGINS = "origins"
ANY = "*"
ALLOWED = "access-control-allow-headers"
MCP = "mcp"
PREFLIGHT = {
    "access-control-allow-methods": "GET, POST, PUT, DELETE",
    ALLOWED: (
        "authorization, content-type, idempotency-key, if-none-match, mcp-protocol-version, mcp-session-id, prefer, "
        "x-api-key"
    ),
    "access-control-max-age": "7200",
    "vary": "origin, access-control-request-headers",
}
OF_CLIENTS = re.compile(r"(?:mcp|openai|x-stainless)-[a-z-]{1,40}")
"""Headers that clients of MCP and of OpenAI send of themselves, such as `x-stainless-os`."""
EXPOSED = (
    "etag, location, ratelimit, retry-after, x-quire-age-s, x-quire-degraded, x-quire-engine, x-quire-files-changed, "
    "x-quire-label, x-quire-model, x-quire-notice, x-quire-published-at, x-quire-roots, x-quire-sources, "
    "x-quire-version, x-request-id"
)
"""What a page may read of an answer beside its body: each header that we set and that browsers hide."""


class CrossOrigin:
    """ASGI middleware outside the frame: a browser asks for leave without a key.

    A preflight passes for the origins of the collection in its path; the native routes name theirs in the body, which
    is not known yet, so there it passes for those of any. So does what is refused before the collection is known: no
    key, a body that is none, a collection that there is not. Any other response may be read by those of the collection
    that was asked.
    """

    def __init__(self, app: ASGIApp, collections: Mapping[str, Collection]) -> None:
        self._app = app
        self._allowed = {name: origins_of(one) for name, one in collections.items()}
        self._everyone = frozenset[str]().union(*self._allowed.values())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a preflight; let anything else pass, with leave to read it where there is."""
        origin = Headers(scope=scope).get("origin") if scope["type"] == "http" and self._everyone else None
        if origin is None:
            await self._app(scope, receive, send)
            return
        if scope["method"] == "OPTIONS" and _may(origin, self._askers(scope["path"])):
            headers = PREFLIGHT | {"access-control-allow-origin": origin}
            asked = Headers(scope=scope).get("access-control-request-headers", "").lower()
            more = (one for one in re.split(r"[\s,]+", asked) if OF_CLIENTS.fullmatch(one))
            headers[ALLOWED] = ", ".join((headers[ALLOWED], *more))
            await Response(status_code=204, headers=headers)(scope, receive, send)
            return
        listing = frozenset(name for name, allowed in self._allowed.items() if _may(origin, allowed))
        scope.setdefault("state", {})["listing_origin"] = listing

        async def with_leave(message: Message) -> None:
            if message["type"] == "http.response.start" and _may(
                origin, self._readers(scope, message["status"])
            ):
                headers = MutableHeaders(scope=message)
                headers["access-control-allow-origin"] = origin
                headers["access-control-expose-headers"] = EXPOSED
                headers.add_vary_header("origin")
            await send(message)

        await self._app(scope, receive, with_leave)

    def _askers(self, path: str) -> frozenset[str]:
        first = path.lstrip("/").partition("/")[0]
        return self._everyone if first in RESERVED else self._allowed.get(first, frozenset())

    def _readers(self, scope: Scope, status: int) -> frozenset[str]:
        if scope["path"].lstrip("/").partition("/")[0] == MCP:  # which lets a page ask no other collections
            return self._everyone
        collection = scope.get("state", {}).get("collection", "")
        is_unknown = not collection or (status == HTTPStatus.NOT_FOUND and collection not in self._allowed)
        if status == HTTPStatus.UNAUTHORIZED or (status >= HTTPStatus.BAD_REQUEST and is_unknown):
            return self._everyone
        return self._allowed.get(collection, frozenset())


def origins_of(collection: Collection) -> frozenset[str]:
    """The origins that a collection's maintainer lists.

    >>> sorted(origins_of(Collection("book", "textbook", options={"origins": ["https://book.example/"]})))
    ['https://book.example']
    """
    listed = collection.options.get(ORIGINS, ())
    named = [listed] if isinstance(listed, str) else listed
    return frozenset(str(one).rstrip("/") for one in named)


def _may(origin: str, allowed: frozenset[str]) -> bool:
    return origin in allowed or ANY in allowed
