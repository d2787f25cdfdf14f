"""`/mcp` as an ASGI app, and `serve_stdio` for the command line. Both import the SDK when they are first used."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from functions.web.hosts import Hosts
from functions.web.replies import reply
from quire.errors import AskerGone
from quire.service.access import READ, Caller
from quire.service.knowledge import Knowledge

PATH = "/mcp"
CONNECTOR_PATH = "/mcp/connector"
BATCHED = "2025-03-26"
"""The one version of the protocol that has batches; who speaks it sends no header that says so."""
MOST_BATCHED = 32
INVALID_REQUEST = -32600


class McpEndpoint:
    """Streamable HTTP without sessions: each request stands alone, so any process may answer it, Lambda included.

    `is_connector` serves the pair of tools that ChatGPT's connectors ask for, and nothing else.
    """

    def __init__(self, *, is_connector: bool = False) -> None:
        self._is_connector = is_connector
        self._new_manager: Any = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one JSON-RPC message, or a batch of them.

        Raises:
            HTTPException: a page of another site asks, the method is another than POST, or the SDK is not installed.
            AskerGone: the client left before it was answered.
        """
        _admit_page(scope)
        if scope["method"] != "POST":
            # A stream for GET would stay open without ever a message: nothing here speaks first, and no session ends.
            raise HTTPException(
                405, "MCP: wanted POST; there are no sessions and no streams", {"allow": "POST"}
            )
        if self._new_manager is None:
            # The SDK takes a second of CPU to import: on the event loop it would hold up everybody.
            self._new_manager = await run_in_threadpool(self._prepare, scope["app"].state.service)
        body = await Request(scope, receive).body()
        messages = _messages_of(body)
        is_done = False
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_cancel_when_left, receive, tasks.cancel_scope)
                if messages is None:
                    await self._answer(scope, body, send)
                else:
                    await (await self._answer_batch(scope, messages))(scope, receive, send)
                is_done = True
                tasks.cancel_scope.cancel()
        except ExceptionGroup as group:
            raise _only(group) from None
        if not is_done:
            raise AskerGone("the client left before it was answered")

    async def _answer(self, scope: Scope, body: bytes, send: Send) -> None:
        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        if wrong := _wrong_in(_loaded(body)):
            await _refused(wrong)(scope, receive, send)
            return
        # A manager lives as long as its task group: one for each request needs no lifespan, which Lambda has not.
        manager = self._new_manager()
        async with manager.run():
            await manager.handle_request(scope, receive, send)

    async def _answer_batch(self, scope: Scope, messages: Sequence[Any]) -> Response:
        """One reply to all of them; to notifications alone none."""
        version = Headers(scope=scope).get("mcp-protocol-version", BATCHED)
        if version != BATCHED or not 0 < len(messages) <= MOST_BATCHED:
            wanted = f"wanted one message: batches are of protocol {BATCHED} alone, of 1 to {MOST_BATCHED}"
            return _refused(f"{wanted}, found {len(messages)} in {version[:20]}")
        told: list[bytes] = []

        async def keep(message: Message) -> None:
            told.append(message.get("body", b""))

        for one in messages:
            await self._answer(scope, json.dumps(one).encode(), keep)
        replies = [json.loads(one) for one in told if one]
        return reply(replies) if replies else Response(status_code=202)

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


async def _cancel_when_left(receive: Receive, answering: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    answering.cancel()


def _messages_of(body: bytes) -> list[Any] | None:
    """The messages of a batch; None where the body is none."""
    batch = _loaded(body)
    return batch if isinstance(batch, list) else None


def _wrong_in(message: Any) -> str:
    """What makes it no message of JSON-RPC, "" for nothing: the SDK tells the rules that it checks, and takes a request
    whose id is none for a notification, which nobody answers."""
    if not isinstance(message, dict):
        return ""
    if message.get("jsonrpc") != "2.0":
        return 'jsonrpc: wanted "2.0"'
    if not isinstance(message.get("method"), str):
        return "" if {"result", "error"} & message.keys() else "method: wanted the name of a method"
    if not isinstance(message.get("params"), dict | None):
        return "params: wanted an object"
    named = message.get("id", "")
    is_named = isinstance(named, str | int) and not isinstance(named, bool)
    return "" if is_named else "id: wanted a text or a whole number"


def _loaded(body: bytes) -> Any:
    """The body's JSON; None where it is none, of which the SDK says what is wrong."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _refused(words: str) -> Response:
    error = {"code": INVALID_REQUEST, "message": words}
    return reply({"jsonrpc": "2.0", "id": None, "error": error}, 400)


def _admit_page(scope: Scope) -> None:
    """The protocol demands this: a page elsewhere must not reach a server on this machine through a browser.

    One that collections list among their origins may ask these, and no others.

    Raises:
        HTTPException: no collection lists it.
    """
    headers, hosts, state = Headers(scope=scope), scope["app"].state.hosts, scope["state"]
    origin, host = headers.get("origin"), headers.get("host")
    if origin is None or origin in (f"http://{host}", f"https://{host}"):
        return
    if isinstance(hosts, Hosts) and hosts.may_send(origin):
        return
    if not (listing := state.get("listing_origin")):
        raise HTTPException(403, f"origin {origin!r}: MCP answers no pages of other sites")
    caller: Caller = state["caller"]
    grants = frozenset((READ, name) for name in listing if caller.may(READ, name))
    state["caller"] = replace(caller, grants=grants)
