"""A local web server that serves bytes with ETags, redirects, and fails on request."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import sleep


@dataclass
class Site:
    """What is served, by path, and what was asked for.

    Attributes:
        files: path -> body; with an ETag unless the path is in `plain`.
        redirects: path -> location.
        slow_s: path -> seconds of silence before the body.
        cut: paths whose body ends in the middle.
        asked: `(path, status)` of every request, in order.
    """

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    slow_s: dict[str, float] = field(default_factory=dict)
    cut: set[str] = field(default_factory=set)
    plain: set[str] = field(default_factory=set)
    asked: list[tuple[str, int]] = field(default_factory=list)


@contextmanager
def serve_site() -> Iterator[Site]:
    """Serve a site on a free local port while the context lasts."""
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path in site.redirects:
                self._answer(302, b"", ("location", site.redirects[self.path]))
                return
            body = site.files.get(self.path)
            if body is None:
                self._answer(404, b"nothing here")
                return
            etag = f'"{hashlib.sha256(body).hexdigest()[:12]}"'
            if self.headers.get("if-none-match") == etag:
                self._answer(304, b"")
                return
            sleep(site.slow_s.get(self.path, 0))
            tagged = [] if self.path in site.plain else [("etag", etag)]
            self._answer(200, body, *tagged)

        def _answer(self, status: int, body: bytes, *headers: tuple[str, str]) -> None:
            site.asked.append((self.path, status))
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            try:
                self.wfile.write(body[: len(body) // 2] if self.path in site.cut else body)
            except (BrokenPipeError, ConnectionResetError):
                return

        def log_message(self, *_: object) -> None:
            """Keep the tests' output quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    site.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
