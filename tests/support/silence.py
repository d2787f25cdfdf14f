"""A server that takes connections and never says a word, until it is closed."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self


class SilentServer:
    """Listens on a free port; `calls` are the connections that have sent something, `left` those whose caller went."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=256)
        self._held: list[socket.socket] = []
        self.calls = 0
        self.left = 0
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for one in (self._socket, *self._held):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                self._held.append(connection)
                threading.Thread(target=self._listen, args=(connection,), daemon=True).start()

    def _listen(self, connection: socket.socket) -> None:
        with suppress(OSError):
            heard = connection.recv(65_536)
            self.calls += bool(heard)
            while heard:
                heard = connection.recv(65_536)
        self.left += 1
