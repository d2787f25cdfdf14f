"""GET requests to one HTTP server over kept connections, within the bounds of a `Patience`.

`http.client` under it is there in every process anyway; a client of a vendor's costs a start 200 ms of imports.
"""

from __future__ import annotations

import http.client
import random
import select
import ssl
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from urllib.parse import urlsplit

from quire.errors import ConfigError, StoreUnavailable
from quire.patience import BACKOFF_S, Patience
from quire.ranges import BLOCK_BYTES, bounded

OVERLOADED = frozenset({429, 500, 502, 503, 504})
"""A request that is answered so is made again. Source: AWS SDKs, retry behaviour, standard mode."""
_BROKEN = (OSError, http.client.HTTPException)


class Answer:
    """An answer whose body is still to come: read it, or close it.

    Attributes:
        status: of HTTP.
        headers: found by name in any case.
    """

    def __init__(
        self,
        connection: http.client.HTTPConnection,
        response: http.client.HTTPResponse,
        keep: Callable[[http.client.HTTPConnection], None],
    ) -> None:
        self.status = response.status
        self.headers = response.headers
        self._connection = connection
        self._response = response
        self._keep = keep

    def read(self, until: float) -> bytes:
        """The whole body; TimeoutError where it is not there at `until`, by the monotonic clock."""
        return b"".join(bounded(self.blocks(), until))

    def blocks(self) -> Iterator[bytes]:
        """The body as it comes, once.

        Raises:
            StoreUnavailable: it broke off.
        """
        is_whole = False
        try:
            while block := self._response.read(BLOCK_BYTES):
                yield block
            if self._response.length:
                raise http.client.IncompleteRead(b"", self._response.length)
            is_whole = not self._response.will_close
        except _BROKEN as error:
            raise StoreUnavailable(str(error)) from error
        finally:
            if is_whole:
                self._keep(self._connection)
            else:
                self.close()

    def close(self) -> None:
        """Leave the body where it is."""
        self._response.close()
        self._connection.close()


class Wire:
    """Kept connections to the server at `http://HOST` or `https://HOST`. Safe to share by threads.

    Args:
        address: the server's; a path is not part of it.
        patience: how long it may take.
        authorities: file of the certificates that a server is believed by; by default the system's.

    Raises:
        ConfigError: the address is none.
    """

    def __init__(self, address: str, patience: Patience, *, authorities: str | None = None) -> None:
        parts = urlsplit(address)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ConfigError(f"endpoint: wanted http://HOST or https://HOST, found {address!r}")
        self.host = parts.netloc
        self._is_secure = parts.scheme == "https"
        self._patience = patience
        self._authorities = authorities
        self._kept: list[http.client.HTTPConnection] = []
        weakref.finalize(self, _close, self._kept)

    def get(self, target: str, headers: Mapping[str, str]) -> Answer:
        """What the server answers; asked again where that is that it has too much to do, or nothing.

        Raises:
            StoreUnavailable: no attempt was answered.
        """
        repeated = 0
        while True:
            is_last = repeated + 1 >= self._patience.attempts
            try:
                answer = self._ask(target, headers)
                if is_last or answer.status not in OVERLOADED:
                    return answer
                answer.close()
            except _BROKEN as error:
                self.close()
                if is_last:
                    raise StoreUnavailable(f"{self.host}: {error or type(error).__name__}") from error
            time.sleep(random.random() * BACKOFF_S * (1 << repeated))  # noqa: S311, spreads clients in time
            repeated += 1

    def close(self) -> None:
        """Drop the connections that nobody uses just now; new ones are made at need."""
        _close(self._kept)

    def _ask(self, target: str, headers: Mapping[str, str]) -> Answer:
        if connection := self._take():
            try:
                return self._exchange(connection, target, headers)
            except (
                ConnectionError
            ):  # the server left it while nobody looked, which says nothing of the server
                self.close()
        return self._exchange(self._connect(), target, headers)

    def _exchange(
        self, connection: http.client.HTTPConnection, target: str, headers: Mapping[str, str]
    ) -> Answer:
        try:
            connection.request("GET", target, headers=dict(headers))
            return Answer(connection, connection.getresponse(), self._kept.append)
        except _BROKEN:
            connection.close()
            raise

    def _take(self) -> http.client.HTTPConnection | None:
        """A kept connection that its server has not ended yet."""
        while connection := _pop(self._kept):
            poll = select.poll()
            poll.register(connection.sock, select.POLLIN)
            if not poll.poll(0):
                return connection
            connection.close()
        return None

    def _connect(self) -> http.client.HTTPConnection:
        connect_s = self._patience.connect_s
        connection = (
            http.client.HTTPSConnection(self.host, timeout=connect_s, context=self._trust)
            if self._is_secure
            else http.client.HTTPConnection(self.host, timeout=connect_s)
        )
        try:
            connection.connect()
        except _BROKEN:
            connection.close()
            raise
        connection.sock.settimeout(self._patience.silence_s)
        return connection

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self._authorities)


def _close(kept: list[http.client.HTTPConnection]) -> None:
    while connection := _pop(kept):
        connection.close()


def _pop(kept: list[http.client.HTTPConnection]) -> http.client.HTTPConnection | None:
    try:
        return kept.pop()
    except IndexError:
        return None
