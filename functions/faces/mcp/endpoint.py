"""`/mcp` as an ASGI app, and `serve_stdio` for the command line. Both import the SDK when they are first used."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from functions.web.access import Caller
from functions.web.hosts import Hosts
from quire.service.knowledge import Knowledge

PATH = "/mcp"
CONNECTOR_PATH = "/mcp/connector"


class McpEndpoint:
    """Streamable HTTP without sessions: each request stands alone, so any process may answer it, Lambda included.

    `is_connector` serves the pair of tools that ChatGPT's connectors ask for, and nothing else.
    """

    def __init__(self, *, is_connector: bool = False) -> None:
        self._is_connector = is_connector
        self._new_manager: Any = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one JSON-RPC message.

        Raises:
            HTTPException: a page of another site asks, the method is another than POST, or the SDK is not installed.
        """
        _refuse_other_sites(Headers(scope=scope), scope["app"].state.hosts)
        if scope["method"] != "POST":
            # A stream for GET would stay open without ever a message: nothing here speaks first, and no session ends.
            raise HTTPException(
                405, "MCP: wanted POST; there are no sessions and no streams", {"allow": "POST"}
            )
        if self._new_manager is None:
            # The SDK takes a second of CPU to import: on the event loop it would hold up everybody.
            self._new_manager = await run_in_threadpool(self._prepare, scope["app"].state.service)
        # A manager lives as long as its task group: one for each request needs no lifespan, which Lambda has not.
        manager = self._new_manager()
        try:
            async with manager.run():
                await manager.handle_request(scope, receive, send)
        except ExceptionGroup as group:  # what is refused of a body while the task group reads it
            raise _only(group) from None

    def _prepare(self, service: Knowledge) -> Any:
        """Import the SDK, and build the server: what makes a manager of it."""
        try:
            from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

            from functions.faces.mcp.server import build_connector, build_server
        except ModuleNotFoundError as error:
            raise HTTPException(404, "MCP: the package `mcp` is not installed here") from error
        server = (build_connector if self._is_connector else build_server)(service, _caller_of)
        return partial(StreamableHTTPSessionManager, server, json_response=True, stateless=True)


def serve_stdio(service: Knowledge, parent: int | None = None) -> None:
    """Speak MCP over standard input and output, for `quire mcp`; returns when the client closes them.

    `parent` is the process whose end ends this one, by default the one that started it.
    """
    from functions.faces.mcp.stdio import run_stdio

    run_stdio(service, os.getppid() if parent is None else parent)


def _only(group: ExceptionGroup) -> Exception:
    """The one error of a group of one; of more the group."""
    error: Exception = group
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _caller_of(context: Any) -> Caller:
    caller: Caller = context.request.scope["state"]["caller"]
    return caller


def _refuse_other_sites(headers: Headers, hosts: Hosts | None) -> None:
    """The protocol demands this: a page elsewhere must not reach a server on this machine through a browser."""
    origin, host = headers.get("origin"), headers.get("host")
    if origin is None or origin in (f"http://{host}", f"https://{host}"):
        return
    if hosts is None or not hosts.may_send(origin):
        raise HTTPException(403, f"origin {origin!r}: MCP answers no pages of other sites")
