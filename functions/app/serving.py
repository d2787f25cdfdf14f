"""The local server with its bounds in time: `python -m functions.app.serving HOST PORT`.

uvicorn waits for ever for the headers of a new connection, and at its end for every request under way.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.auto import AutoHTTPProtocol

APP = "functions.local:app"
HEADERS_S = 10.0
"""From the connection, or the first byte of a further request, to the end of its headers."""
STOP_S = 10
"""After SIGTERM or Ctrl-C requests under way have so long; orchestrators kill after 30 s at the most."""


class BoundedProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """uvicorn's protocol, which drops a connection whose headers do not come."""

    headers_s = HEADERS_S
    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Give the first request's headers their time."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Stop the clock once there is a request; part of one's headers start it again."""
        super().data_received(data)
        if self._has_request():
            self._stop_waiting()
        elif self._waiting is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the clock."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _has_request(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait(self) -> None:
        self._waiting = asyncio.get_running_loop().call_later(self.headers_s, self._give_up)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if not self._has_request():
            self.transport.close()


def serve(
    host: str, port: int, *, app: ASGIApp | str = APP, log_level: str = "info", stop_s: int = STOP_S
) -> None:
    """Serve until SIGTERM or Ctrl-C. Never returns: a thread that waits on a model would hold the process up."""
    uvicorn.run(
        app,
        host=host,
        port=port,
        http=BoundedProtocol,
        access_log=False,
        log_level=log_level,
        timeout_graceful_shutdown=stop_s,
    )
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
