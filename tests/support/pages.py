"""An app on a port of its own, and a browser that may go nowhere else."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import uvicorn
from starlette.types import ASGIApp

CHROMIUM_FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync --disable-dev-shm-usage"
).split()


@contextmanager
def running(app: ASGIApp, *, port: int = 0, **options: Any) -> Iterator[str]:
    """Serve the app from a thread, by default on a free port; gives its address. `options` are uvicorn's."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        port = listener.getsockname()[1]
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off", **options))
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        until = time.monotonic() + 20
        while not server.started and time.monotonic() < until:
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join(timeout=20)


CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first has no window to draw: the same pages take it three fifths of the CPU."""


def chromium() -> str:
    """Path of the machine's Chromium, or a skip that says how to get one."""
    found = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if not found:
        pytest.skip(f"no Chromium on this machine; on Debian: apt-get install {CHROMIUMS[0]}")
    return found
