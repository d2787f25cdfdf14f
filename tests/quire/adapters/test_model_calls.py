"""What is read of a provider's reply, and for how long."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress

from quire.adapters.model_calls import Endpoint


def test_a_refusal_that_trickles_is_read_until_the_deadline_alone() -> None:
    def trickle() -> None:
        connection, _ = server.accept()
        with suppress(OSError), connection:
            connection.recv(65_536)
            connection.sendall(b"HTTP/1.1 500 Bad\r\ncontent-length: 1000\r\n\r\n")
            for _ in range(100):
                connection.sendall(b"x")
                time.sleep(0.1)

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=trickle, daemon=True).start()
        began = time.monotonic()
        endpoint = Endpoint("model", f"http://127.0.0.1:{server.getsockname()[1]}/chat")
        response, said = endpoint.post({}, began + 0.5)
        assert (response.status, set(said)) == (500, {"x"})
        assert time.monotonic() - began < 3
