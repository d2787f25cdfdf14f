"""Calls of a provider over HTTP, which another thread can end: by the socket that they wait on."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from contextvars import ContextVar
from typing import Any

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection

from quire.documents import Turn
from quire.errors import ModelTooSlow, ModelUnavailable
from quire.ports import Spent

LONGEST_REFUSAL = 100_000

_call: ContextVar[ModelCall | None] = ContextVar("model call", default=None)


class ModelCall(Iterator[str | Spent]):
    """The pieces of one answer, and the socket that they come over.

    A thread that waits in a read holds its socket open, whoever closes it; shutting it down ends the read at once.
    """

    def __init__(self, pieces: Generator[str | Spent, None, None]) -> None:
        self._pieces = pieces
        self._guard = threading.Lock()
        self._socket: socket.socket | None = None
        self._is_over = False

    def __next__(self) -> str | Spent:
        token = _call.set(self)
        try:
            return next(self._pieces)
        finally:
            _call.reset(token)

    def close(self) -> None:
        """End the call from the thread that reads it."""
        self._pieces.close()

    def hang_up(self) -> None:
        """End the call from any thread: its next read, or the one under way, finds the connection broken."""
        with self._guard:
            self._is_over = True
            _shut(self._socket)

    def use(self, connected: socket.socket | None) -> None:
        """The call goes over this socket."""
        with self._guard:
            self._socket = connected
            if self._is_over:
                _shut(connected)


def _shut(connected: socket.socket | None) -> None:
    if connected is not None:
        with suppress(OSError):  # the other side was first
            # Of the plain socket: an SSL socket's own would take the connection away under the thread that reads.
            socket.socket.shutdown(connected, socket.SHUT_RDWR)


class _Plain(HTTPConnection):
    def request(self, *args: Any, **kwargs: Any) -> None:
        super().request(*args, **kwargs)
        tell(self.sock)


class _Secure(HTTPSConnection):
    def request(self, *args: Any, **kwargs: Any) -> None:
        super().request(*args, **kwargs)
        tell(self.sock)


def tell(connected: socket.socket | None) -> None:
    """The call of this thread, if there is one, goes over this socket."""
    call = _call.get()
    if call is not None:
        call.use(connected)


class _PlainPool(urllib3.HTTPConnectionPool):
    ConnectionCls = _Plain


class _SecurePool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _Secure


def open_connections() -> urllib3.PoolManager:
    """Connections whose calls can be hung up."""
    manager = urllib3.PoolManager(retries=False)
    manager.pool_classes_by_scheme = {"http": _PlainPool, "https": _SecurePool}
    return manager


def chat_messages(system: str, turns: Sequence[Turn]) -> list[dict[str, str]]:
    """A conversation as OpenAI's protocol and Ollama's write it."""
    said = [{"role": turn.role, "content": turn.text} for turn in turns]
    return [{"role": "system", "content": system}, *said]


class Endpoint:
    """An address that takes JSON and streams its answer.

    Args:
        provider: what messages begin with.
        hint: what a message adds where the connection fails.
    """

    def __init__(
        self, provider: str, url: str, headers: Mapping[str, str] | None = None, hint: str = ""
    ) -> None:
        self._provider, self._url, self._hint = provider, url, hint
        self._headers = {"content-type": "application/json", **(headers or {})}
        self._http = open_connections()

    def post(self, body: Mapping[str, Any], deadline: float) -> tuple[urllib3.BaseHTTPResponse, str]:
        """The response, its body unread where its status is 200, else with what it says.

        Raises:
            ModelUnavailable: the connection failed.
        """
        timeout = urllib3.Timeout(total=max(deadline - time.monotonic(), 0.001))
        try:
            response = self._http.request(
                "POST",
                self._url,
                body=json.dumps(body),
                headers=self._headers,
                timeout=timeout,
                preload_content=False,
            )
            if response.status == 200:
                return response, ""
            return response, self._refusal(response, deadline).decode("utf-8", "replace")
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise ModelUnavailable(f"{self._provider}: {type(error).__name__}{self._hint}") from error

    def _refusal(self, response: urllib3.BaseHTTPResponse, deadline: float) -> bytes:
        """What a refusal says, as far as it comes before the deadline."""
        said = bytearray()
        with closing(response), suppress(ModelTooSlow, ModelUnavailable):
            for piece in self.pieces(response, deadline):
                said += piece
                if len(said) >= LONGEST_REFUSAL:
                    break
        return bytes(said[:LONGEST_REFUSAL])

    def pieces(self, response: urllib3.BaseHTTPResponse, deadline: float) -> Iterator[bytes]:
        """The body as it comes.

        Raises:
            ModelTooSlow, ModelUnavailable: the deadline passed, or the connection broke.
        """
        try:
            while piece := response.read1(65_536):
                if time.monotonic() > deadline:
                    raise ModelTooSlow(f"{self._provider}: the deadline passed in the middle of the answer")
                yield piece
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise ModelUnavailable(
                f"{self._provider}: the connection broke in the middle of the answer ({type(error).__name__})"
            ) from error
