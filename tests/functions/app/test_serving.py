"""Bounds in time of the local server, over real connections."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from functions.app.serving import BoundedProtocol
from tests.support.pace import is_within, seconds
from tests.support.pages import running
from tests.support.served import Shelf
from tests.support.silence import SilentServer
from tests.support.tree import ROOT


class Hasty(BoundedProtocol):
    """The same with shorter timeouts."""

    headers_s = 0.3


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    shelf = Shelf(tmp_path)
    shelf.publish()
    with running(shelf.app(), http=Hasty) as url:
        yield int(url.rpartition(":")[2])


def ends_within(connection: socket.socket, most_s: float) -> bytes:
    """What comes until the server ends the connection."""
    connection.settimeout(most_s)
    came = b""
    while piece := connection.recv(65_536):
        came += piece
    return came


@pytest.mark.parametrize("sent", [b"", b"GET /health HT", b"GET /health HTTP/1.1\r\nHost: a\r\nX-Slow: "])
def test_a_connection_whose_headers_do_not_come_is_dropped(port: int, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(sent)
        assert ends_within(connection, seconds(5)) == b""


def test_a_second_request_whose_headers_do_not_come_is_dropped_too(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
        time.sleep(0.2)
        connection.sendall(b"GET /health HT")
        assert ends_within(connection, seconds(4)).count(b"HTTP/1.1 200") == 1


def test_requests_in_time_go_through_one_connection(port: int) -> None:
    with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        for pause_s in (0, 0.5, 0):
            time.sleep(pause_s)
            assert client.get("/health").status_code == 200
            found = client.post("/query", json={"collection": "roblox", "q": "BasePart"})
            assert found.json()["hits"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_server_ends_in_time_whatever_its_models_do(tmp_path: Path, number: signal.Signals) -> None:
    shelf = Shelf(tmp_path)
    shelf.publish()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with SilentServer() as silent, (tmp_path / "out.txt").open("wb") as out:
        process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                f"from functions.app.serving import serve; serve('127.0.0.1', {port}, stop_s=1)",
            ],
            cwd=tmp_path,
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": os.pathsep.join((str(ROOT / "layers/core/python"), str(ROOT))),
                "QUIRE_STORE": str(shelf.folder),
                "QUIRE_CACHE": str(shelf.cache),
                "QUIRE_PROVIDER": "openai",
                "QUIRE_OPENAI_BASE_URL": f"{silent.url}/v1",
            },
            stdout=out,
            stderr=out,
        )
        try:
            asked = {"collection": "roblox", "q": "What does BasePart.Touched do?"}
            asking = threading.Thread(
                target=keep_asking, args=(f"http://127.0.0.1:{port}/answer", asked), daemon=True
            )
            asking.start()
            until = time.monotonic() + 60
            while not silent.calls and time.monotonic() < until:
                time.sleep(0.05)
            assert silent.calls
            began = time.monotonic()
            process.send_signal(number)
            process.wait(60)
            assert is_within(time.monotonic() - began, 8)  # the model has 25 s
        finally:
            process.kill()
            process.wait()


def keep_asking(url: str, body: dict[str, str]) -> None:
    """Ask once the server listens."""
    for _ in range(600):
        try:
            httpx.post(url, json=body, timeout=60, trust_env=False)
        except httpx.ConnectError:
            time.sleep(0.1)
        except httpx.HTTPError:
            return
