"""An endpoint of S3 or DynamoDB that can be taken away, slowed down or throttled: a proxy before a real one.

The client signs for the proxy's address and the server behind checks exactly that, since headers pass untouched.
"""

from __future__ import annotations

import http.client
import socket
import struct
import threading
import time
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import urlsplit

WELL, GONE, SLOW, THROTTLED, TRICKLING = "well", "gone", "slow", "throttled", "trickling"
DENIED = "denied"
"""The key that the data is encrypted with may not be used."""
SLOW_DOWN = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
KMS = b"<Error><Code>AccessDenied</Code><Message>not authorized to perform: kms:Decrypt</Message></Error>"
TABLE_REFUSALS = {
    THROTTLED: b'{"__type": "com.amazonaws.dynamodb.v20120810#ThrottlingException", "message": "Rate exceeded"}',
    DENIED: b'{"__type": "com.amazonaws.dynamodb.v20120810#AccessDeniedException", "message": "kms:Decrypt"}',
}
"""How DynamoDB says the same."""
HOP_BY_HOP = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length"})
TRICKLE_BYTES, TRICKLE_S = 512, 0.02


class FaultyS3:
    """Listens while its `with` block runs. `state` says how it behaves from the next request on.

    Attributes:
        delay_s: how long `SLOW` waits before each answer.
        requests: how many arrived so far.
        waves: how many of them arrived while no other was being answered.
        trickled: bytes that `TRICKLING` sent.
        overslept_s: how much longer its pauses were than meant, as they are on a busy machine.
    """

    def __init__(self, upstream: str, *, delay_s: float = 30.0) -> None:
        self.state = WELL
        self.delay_s = delay_s
        self.requests = self.waves = self.under_way = 0
        self.trickled = 0
        self.overslept_s = 0.0
        self.ended = threading.Event()
        self.upstream = urlsplit(upstream).netloc
        proxy = self

        class Handler(_Handler):
            faulty = proxy

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    faulty: FaultyS3

    def do_GET(self) -> None:
        self._answer()

    def do_PUT(self) -> None:
        self._answer()

    def do_DELETE(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def _answer(self) -> None:
        self.faulty.requests += 1
        self.faulty.waves += not self.faulty.under_way
        self.faulty.under_way += 1
        try:
            self._answer_one()
        finally:
            self.faulty.under_way -= 1

    def _answer_one(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.faulty.state == GONE:
            self._reset()
        elif "x-amz-target" in self.headers and self.faulty.state in TABLE_REFUSALS:
            kind = {"Content-Type": "application/x-amz-json-1.0"}
            self._send(400, kind, TABLE_REFUSALS[self.faulty.state])
        elif self.faulty.state == THROTTLED:
            self._send(503, {"Content-Type": "application/xml"}, SLOW_DOWN)
        elif self.faulty.state == DENIED:
            self._send(403, {"Content-Type": "application/xml"}, KMS)
        elif self.faulty.state == SLOW and self.faulty.ended.wait(self.faulty.delay_s):
            self._reset()
        else:
            with closing(http.client.HTTPConnection(self.faulty.upstream, timeout=30)) as upstream:
                self._forward(upstream, body)

    def _forward(self, upstream: http.client.HTTPConnection, body: bytes) -> None:
        upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            upstream.putheader(name, value)
        upstream.endheaders(body)
        answer = upstream.getresponse()
        data = answer.read()
        headers = {name: value for name, value in answer.getheaders() if name.lower() not in HOP_BY_HOP}
        self._send(answer.status, headers, data)

    def _send(self, status: int, headers: dict[str, Any], data: bytes) -> None:
        self.send_response_only(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.faulty.state != TRICKLING:
            self.wfile.write(data)
            return
        for start in range(0, len(data), TRICKLE_BYTES):
            began = time.monotonic()
            self.wfile.write(data[start : start + TRICKLE_BYTES])
            self.faulty.trickled += TRICKLE_BYTES
            time.sleep(TRICKLE_S)
            self.faulty.overslept_s += time.monotonic() - began - TRICKLE_S

    def _reset(self) -> None:
        """Break the connection off, as a host that died."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def handle(self) -> None:
        """Serve; a client that gave up waiting is what these tests are about."""
        try:
            super().handle()
        except (OSError, ValueError):
            self.close_connection = True

    def finish(self) -> None:
        """Nothing is left to send where the connection was broken off."""
        try:
            super().finish()
        except (OSError, ValueError):
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing."""
