"""One MCP client over standard input and output: every request is answered, one that cannot be read too."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from functions.faces.mcp.server import build_server
from quire.service.access import ANYONE
from quire.service.knowledge import Knowledge

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

LOOKS_FOR_PARENT_S = 1.0
LAST_ANSWERS_S = 60.0
"""How long answers may take that are still being made when the client closes its end."""
CANCELLED = "notifications/cancelled"


def run_stdio(service: Knowledge, parent: int) -> None:
    """Serve one client over standard input and output until it closes them, or until the parent process has ended.

    What was asked before the input closed is answered. A client that is killed leaves the pipes open where another
    process holds them too.
    """
    threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()
    anyio.run(_serve, service)


async def _serve(service: Knowledge) -> None:
    server = build_server(service, lambda _: ANYONE)
    async with stdio_server() as (incoming, outgoing):
        between = _Between(incoming, outgoing)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(between.hand_in)
            tasks.start_soon(between.hand_out)
            await server.run(between.requests, between.replies, server.create_initialization_options())


class _Between:
    """Stands between the pipes and the server of the SDK, which drops what it cannot read and what is still running
    when its input ends."""

    def __init__(self, incoming: Any, outgoing: Any) -> None:
        self._incoming, self._outgoing = incoming, outgoing
        self._to_server, self.requests = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        self.replies, self._from_server = anyio.create_memory_object_stream[SessionMessage](0)
        self._unanswered: set[types.RequestId] = set()
        self._none_left = anyio.Event()

    async def hand_in(self) -> None:
        async with self._to_server:
            async for item in self._incoming:
                for one in _messages_of(item):
                    await self._take(one)
            if self._unanswered:
                self._none_left = anyio.Event()
                with anyio.move_on_after(LAST_ANSWERS_S):
                    await self._none_left.wait()

    async def _take(self, item: SessionMessage | Exception) -> None:
        if isinstance(item, Exception):
            await self._refuse(*_why_unread(item))
        elif _lacks_id(item.message):
            wanted = "no JSON-RPC request: id: wanted a text or a whole number"
            await self._refuse(types.INVALID_REQUEST, wanted)
        else:
            self._note(item.message)
            await self._to_server.send(item)

    async def hand_out(self) -> None:
        async with self._from_server, self._outgoing:
            async for item in self._from_server:
                await self._outgoing.send(item)
                if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
                    self._forget(item.message.id)

    def _note(self, message: types.JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCRequest):
            self._unanswered.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == CANCELLED:
            self._forget((message.params or {}).get("requestId"))

    def _forget(self, request: Any) -> None:
        self._unanswered = {one for one in self._unanswered if one != request}
        if not self._unanswered:
            self._none_left.set()

    async def _refuse(self, code: int, words: str, request: types.RequestId | None = None) -> None:
        refused = types.ErrorData(code=code, message=words)
        await self._outgoing.send(
            SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=request, error=refused))
        )


def _messages_of(item: SessionMessage | Exception) -> Iterator[SessionMessage | Exception]:
    """Those of a batch, which clients of 2025-03-26 may send and the SDK does not read; anything else is one by itself.

    Each is answered by itself as soon as its answer is there, as JSON-RPC lets a server of streams do.
    """
    batch = _batch_in(item.errors()) if isinstance(item, ValidationError) else None
    if not batch:
        yield item
        return
    for one in batch:
        try:
            yield SessionMessage(types.jsonrpc_message_adapter.validate_json(json.dumps(one), by_name=False))
        except ValidationError as error:
            yield error


def _batch_in(found: Sequence[ErrorDetails]) -> list[Any] | None:
    """The batch that was read where one message was wanted."""
    return next(
        (one["input"] for one in found if isinstance(one["input"], list) and len(one["loc"]) == 1), None
    )


def _why_unread(error: Exception) -> tuple[int, str, types.RequestId | None]:
    """JSON-RPC's code, what was wrong, and the id of the request where it can be made out."""
    found = error.errors() if isinstance(error, ValidationError) else []
    if not found or found[0]["type"] in ("json_invalid", "string_unicode"):
        given = _loaded(found[0]["input"]) if found else None
        return (
            types.PARSE_ERROR,
            "wanted one JSON-RPC message a line, in UTF-8 without lone surrogates",
            _id_of(given),
        )
    if _batch_in(found) is not None:
        return (
            types.INVALID_REQUEST,
            "wanted JSON-RPC messages, found an empty batch, or one in another",
            None,
        )
    # Where a field is missing, the message itself is named as what was given.
    given = next((one["input"] for one in found if one["type"] == "missing"), None)
    first = found[0]
    field = ".".join(map(str, first["loc"][1:])) or "message"
    return types.INVALID_REQUEST, f"no JSON-RPC request: {field}: {first['msg']}", _id_of(given)


def _lacks_id(message: types.JSONRPCMessage) -> bool:
    """Whether it is a request that the SDK takes for a notification, since its id is 1.5 or no id at all."""
    return isinstance(message, types.JSONRPCNotification) and not message.method.startswith("notifications/")


def _loaded(line: Any) -> Any:
    try:
        return json.loads(line)
    except (ValueError, TypeError, RecursionError):
        return None


def _id_of(given: Any) -> types.RequestId | None:
    request = given.get("id") if isinstance(given, dict) else None
    is_id = isinstance(request, str | int) and not isinstance(request, bool)
    return request if is_id and str(request).isprintable() else None


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOKS_FOR_PARENT_S)
    os._exit(0)  # the reading thread waits for a line that never comes, and nothing is ever written
