"""Lambda's Runtime API on this machine: hands events to a runtime client and takes its responses, streamed ones too.

Nagle's algorithm is off: with it every warm call shows 40 to 90 ms that no Lambda has.
"""

from __future__ import annotations

import base64
import json
import queue
import sys
import threading
import time
import uuid
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

VERSION = "/2018-06-01/runtime"
NAME = "quire"
ARN = f"arn:aws:lambda:us-west-2:123456789012:function:{NAME}"


@dataclass
class Reply:
    """What a function answered. `pieces` are chunks with seconds since the event was handed over."""

    is_streamed: bool = False
    content_type: str = ""
    pieces: list[tuple[float, bytes]] = field(default_factory=list)
    error: dict[str, Any] | None = None

    @property
    def data(self) -> bytes:
        return b"".join(piece for _, piece in self.pieces)

    def proxy(self) -> dict[str, Any]:
        """The value of a buffered response: API Gateway's proxy result."""
        assert self.error is None, self.error
        value: dict[str, Any] = json.loads(self.data)
        return value

    def json(self) -> Any:
        """The JSON body, of a buffered or a streamed response."""
        return json.loads(self.body())

    def body(self) -> bytes:
        if self.is_streamed:
            return self.data.partition(b"\0" * 8)[2]
        proxy = self.proxy()
        text: str = proxy["body"]
        return base64.b64decode(text) if proxy["isBase64Encoded"] else text.encode()

    def status(self) -> int:
        if self.is_streamed:
            return int(json.loads(self.data.partition(b"\0" * 8)[0])["statusCode"])
        return int(self.proxy()["statusCode"])


class RuntimeApi:
    """The emulator, listening until `close`. `restores` counts calls of restore/next, which wait for `restored`."""

    def __init__(self) -> None:
        self.waiting: queue.Queue[tuple[str, bytes]] = queue.Queue()
        self.replies: dict[str, queue.Queue[Reply]] = {}
        self.is_ready = threading.Event()
        self.is_snapshotted = threading.Event()
        self.restored = threading.Event()
        self.init_error: dict[str, Any] | None = None
        self.handed_over: dict[str, float] = {}
        api = self

        class Handler(_Handler):
            runtime = api

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        host, port = self._server.server_address[:2]
        return f"{host!s}:{port}"

    def invoke(self, event: Any, timeout_s: float = 60.0) -> Reply:
        """Hand the event over and wait for the answer."""
        request_id = str(uuid.uuid4())
        self.replies[request_id] = queue.Queue()
        self.waiting.put((request_id, json.dumps(event).encode()))
        try:
            return self.replies[request_id].get(timeout=timeout_s)
        finally:
            self.replies.pop(request_id, None)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A runtime that was killed resets its connection; nothing else is expected to fail."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    runtime: RuntimeApi

    def do_GET(self) -> None:
        if self.path == f"{VERSION}/invocation/next":
            self._next()
        elif self.path == f"{VERSION}/restore/next":
            self.runtime.is_snapshotted.set()
            self.runtime.restored.wait()
            self._answer(200)
        else:
            self._answer(404)

    def do_POST(self) -> None:
        _, _, name = self.path.removeprefix(f"{VERSION}/").partition("/")
        if self.path == f"{VERSION}/init/error":
            self.runtime.init_error = json.loads(self._whole())
            self.runtime.is_ready.set()
        else:
            request_id, _, kind = name.partition("/")
            self._take_reply(request_id, kind)
        self._answer(202)

    def _next(self) -> None:
        self.runtime.is_ready.set()
        request_id, data = self.runtime.waiting.get()
        deadline = int(time.time() * 1000) + 29_000
        self.runtime.handed_over[request_id] = time.perf_counter()
        self._answer(
            200,
            data,
            {
                "Lambda-Runtime-Aws-Request-Id": request_id,
                "Lambda-Runtime-Deadline-Ms": str(deadline),
                "Lambda-Runtime-Invoked-Function-Arn": ARN,
                "Lambda-Runtime-Trace-Id": "Root=1-65f0c0de-0123456789abcdef01234567;Sampled=0",
                "Content-Type": "application/json",
            },
        )

    def _take_reply(self, request_id: str, kind: str) -> None:
        began = self.runtime.handed_over[request_id]
        reply = Reply(content_type=self.headers.get("Content-Type", ""))
        if kind == "error":
            reply.error = json.loads(self._whole())
        elif self.headers.get("Transfer-Encoding") == "chunked":
            reply.is_streamed = self.headers.get("Lambda-Runtime-Function-Response-Mode") == "streaming"
            self._read_chunks(reply, began)
        else:
            reply.pieces.append((time.perf_counter() - began, self._whole()))
        self.runtime.replies[request_id].put(reply)

    def _read_chunks(self, reply: Reply, began: float) -> None:
        while size := int(self.rfile.readline().strip(), 16):
            reply.pieces.append((time.perf_counter() - began, self.rfile.read(size)))
            self.rfile.readline()
        trailers: dict[str, str] = {}
        while line := self.rfile.readline().strip().decode():
            name, _, value = line.partition(": ")
            trailers[name] = value
        if body := trailers.get("Lambda-Runtime-Function-Error-Body"):
            reply.error = json.loads(base64.b64decode(body))

    def _whole(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length", "0")))

    def _answer(self, status: int, data: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Say nothing."""
