"""Local HTTP servers that speak the protocols of model providers, faults included."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Protocol


@dataclass(frozen=True)
class Behaviour:
    """What the server does with one request.

    `status` other than 200 answers an error at once. Otherwise `text` is streamed in pieces, and then comes `then`:
    `end`, `length` (the limit was reached), `blocked` (a filter ended the answer), `cut` (the connection ends without
    a last event), `reset` (the connection breaks), `error` (an error event), `garbage` (those bytes).
    """

    text: str = ""
    then: str = "end"
    status: int = 200
    reason: str = ""
    delay_s: float | None = None
    blocked_prompt: bool = False
    pause_s: float = 0.0
    piece: int = 9
    answer: Callable[[Mapping[str, Any]], str] | None = None
    garbage: bytes = b"data: {not json\n\n"


class Wire(Protocol):
    """One provider's protocol."""

    def error(self, behaviour: Behaviour) -> tuple[dict[str, str], bytes]:
        """Headers and body of an error status."""

    def piece(self, text: str) -> bytes:
        """One piece of the answer, framed."""

    def ending(self, then: str) -> bytes:
        """The last events, framed."""

    def refused_prompt(self) -> tuple[int, bytes]:
        """Status and body for a prompt that the provider's filter blocks."""


@dataclass
class Seen:
    """A request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass
class ModelServer:
    """A server on a free port. Behaviours are used in order, the last one for every further request."""

    wire: Wire
    behaviours: Sequence[Behaviour]
    seen: list[Seen] = field(default_factory=list)

    def __enter__(self) -> ModelServer:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def next_behaviour(self, seen: Seen) -> Behaviour:
        self.seen.append(seen)
        return self.behaviours[min(len(self.seen), len(self.behaviours)) - 1]


def _handler(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: Any) -> None:
            """Tests read `seen`, not a log."""

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body = json.loads(self.rfile.read(length))
            seen = Seen(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            behaviour = server.next_behaviour(seen)
            try:
                self._behave(behaviour, body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def _behave(self, behaviour: Behaviour, body: Mapping[str, Any]) -> None:
            if behaviour.status != 200:
                headers, content = server.wire.error(behaviour)
                self._whole(behaviour.status, content, headers)
            elif behaviour.blocked_prompt:
                self._whole(*server.wire.refused_prompt(), {})
            else:
                self._stream(behaviour, body)

        def _whole(self, status: int, content: bytes, headers: Mapping[str, str]) -> None:
            self.send_response(status)
            for name, value in {"content-type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def _stream(self, behaviour: Behaviour, body: Mapping[str, Any]) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            text = behaviour.answer(body) if behaviour.answer else behaviour.text
            for piece in _pieces(text, behaviour.piece):
                self._chunk(server.wire.piece(piece))
                time.sleep(behaviour.pause_s)
            if behaviour.then == "reset":
                self.connection.shutdown(2)
                self.close_connection = True
                return
            if behaviour.then == "garbage":
                self._chunk(behaviour.garbage)
            elif behaviour.then != "cut":
                self._chunk(server.wire.ending(behaviour.then))
            self.wfile.write(b"0\r\n\r\n")

        def _chunk(self, content: bytes) -> None:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))
            self.wfile.flush()

    return Handler


def _pieces(text: str, size: int) -> Iterator[str]:
    for start in range(0, len(text), size):
        yield text[start : start + size]
