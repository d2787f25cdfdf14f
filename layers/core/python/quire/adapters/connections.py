"""HTTP over kept connections of the standard library: bounded in time, asked again where a server is busy.

A client library costs what a function's start has not got: boto3 120 ms of CPU, requests and what it brings 150.
"""

from __future__ import annotations

import http.client
import importlib.util
import random
import ssl
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from quire.adapters.circuit_breaker import BACKOFF_S, Timeouts
from quire.adapters.ranges import bounded

AWAY = frozenset({429, 500, 502, 503, 504})
"""Statuses after which the same request may succeed. Source: AWS SDKs, retry behaviour, standard mode."""
READ_BYTES = 1 << 18
"""At most so many bytes at a time, as they come; a start from a bucket costs a tenth more by 64 KB."""


class LostAnswer(Exception):
    """No answer came, or not all of it."""


class HttpRequest(NamedTuple):
    """A request as it is sent; `url` is path and query."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None


class Connections:
    """Connections to one host, kept while the server keeps them. Safe to share by threads."""

    def __init__(self, host: str, *, is_tls: bool, timeouts: Timeouts) -> None:
        self._host = host
        self._is_tls = is_tls
        self._timeouts = timeouts
        self._idle: list[http.client.HTTPConnection] = []
        weakref.finalize(self, _close_all, self._idle)

    def ask(self, make: Callable[[], HttpRequest]) -> HttpResponse:
        """The answer, whatever its status, but for those of a server that is away or busy: they are asked again.

        `make` gives the request anew for each attempt, as a signature holds for its moment. It must do no harm to
        send it twice.

        Raises:
            LostAnswer: none came, at the last attempt either.
        """
        for attempt in range(1, self._timeouts.attempts + 1):
            try:
                answer = self._send(make())
                if answer.status not in AWAY:
                    return answer
                answer.finish()
                why = f"HTTP {answer.status}"
            except (OSError, http.client.HTTPException) as error:
                why = repr(error)
            if attempt < self._timeouts.attempts:
                pause(attempt)
        raise LostAnswer(why)

    def close(self) -> None:
        """Close the connections that nobody uses."""
        _close_all(self._idle)

    def _send(self, request: HttpRequest) -> HttpResponse:
        while True:
            connection, is_kept = self._connection()
            try:
                connection.request(request.method, request.url, request.body, dict(request.headers))
                if connection.sock is not None:
                    connection.sock.settimeout(self._timeouts.silence_s)
                return HttpResponse(connection, connection.getresponse(), self._idle.append)
            except (ConnectionError, http.client.BadStatusLine):
                connection.close()
                if not is_kept:  # a kept one may have been closed by the server meanwhile
                    raise
            except BaseException:
                connection.close()
                raise

    def _connection(self) -> tuple[http.client.HTTPConnection, bool]:
        with suppress(IndexError):
            return self._idle.pop(), True
        if not self._is_tls:
            return http.client.HTTPConnection(self._host, timeout=self._timeouts.connect_s), False
        return (
            http.client.HTTPSConnection(self._host, timeout=self._timeouts.connect_s, context=_trust()),
            False,
        )


def pause(attempt: int) -> None:
    """Wait before what failed at that attempt, from 1, is tried again: longer each time, and never all at once."""
    time.sleep(random.random() * BACKOFF_S * 2 ** (attempt - 1))  # noqa: S311, spreads what comes again


def _close_all(connections: list[http.client.HTTPConnection]) -> None:
    while connections:
        connections.pop().close()


class HttpResponse:
    """A response, with its connection until every byte of it was read."""

    def __init__(
        self,
        connection: http.client.HTTPConnection,
        response: http.client.HTTPResponse,
        keep: Callable[[http.client.HTTPConnection], None],
    ) -> None:
        self._connection, self._response, self._keep = connection, response, keep
        self.status = response.status
        self.headers = response.headers

    @property
    def etag(self) -> str:
        """The object's etag."""
        return str(self.headers["ETag"])

    def finish(self) -> None:
        """Read what there is and have the connection kept."""
        for _ in self.blocks():
            pass

    def whole(self, until: float) -> bytes:
        """The body.

        Raises:
            TimeoutError: it has not ended at `until`, in `time.monotonic()` seconds.
            LostAnswer: the connection broke.
        """
        return b"".join(bounded(self.blocks(), until))

    def blocks(self) -> Iterator[bytes]:
        """The body, block by block; its connection is given up where whoever reads stops before the end.

        Raises:
            LostAnswer: the connection broke.
        """
        is_whole = False
        try:
            while block := self._response.read1(READ_BYTES):
                yield block
            if self._response.length:
                raise LostAnswer(f"{self._response.length} bytes are missing at the end")
            is_whole = not self._response.will_close
            self._response.close()
        except (OSError, http.client.HTTPException) as error:
            raise LostAnswer(repr(error)) from error
        finally:
            if is_whole:
                self._keep(self._connection)
            else:
                self._connection.close()


@cache
def _trust() -> ssl.SSLContext:
    """The authorities that boto3 trusts; the package is found, not imported."""
    found = importlib.util.find_spec("botocore")
    file = Path(found.origin).with_name("cacert.pem") if found and found.origin else None
    return ssl.create_default_context(cafile=str(file) if file and file.exists() else None)
