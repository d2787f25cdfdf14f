"""The local server as people start it: a process of its own over a store in a folder."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.corpus import api_documents
from tests.support.served import Shelf
from tests.support.tree import ROOT


class Server:
    """A running `uvicorn functions.local:app`."""

    def __init__(self, shelf: Shelf, *command: str, **environ: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        # A file: a pipe that nobody reads would stop the server once it is full.
        self.output = (shelf.root / "output.txt").open("wb")
        self.log = shelf.root / "output.txt"
        paths = os.pathsep.join((str(ROOT / "layers/core/python"), str(ROOT)))
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                *(command or ("uvicorn", "functions.local:app")),
                "--port",
                str(self.port),
            ],
            cwd=shelf.root,
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": paths,
                "QUIRE_STORE": str(shelf.folder),
                "QUIRE_CACHE": str(shelf.cache),
                "QUIRE_REFRESH_S": "0.05",
                **environ,
            },
            stdout=self.output,
            stderr=subprocess.STDOUT,
        )

    def ask(self, path: str, body: Any = None) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(60)
        self.output.close()

    def wait(self) -> None:
        for _ in range(2_000):
            try:
                assert self.ask("/health") == (200, {"status": "ok"})
            except urllib.error.URLError:
                assert self.process.poll() is None, self.log.read_text()
                time.sleep(0.05)
            else:
                return
        raise AssertionError("the server did not start in 100 s")


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


@pytest.fixture
def server(shelf: Shelf) -> Iterator[Server]:
    server = Server(shelf)
    server.wait()
    yield server
    server.stop()


def test_a_server_serves_what_its_store_holds_through_every_change(shelf: Shelf, server: Server) -> None:
    question = {"collection": "roblox", "q": "character", "top_k": 3}
    assert server.ask("/query", question)[0] == 404
    shelf.publish()
    time.sleep(0.1)
    status, body = server.ask("/query", question)
    assert (status, body["mode"], len(body["hits"])) == (200, "keyword", 3)
    assert body["degraded"] == ["embedding model unavailable: ranked by keywords alone"]
    assert server.ask("/roblox/status")[1]["total_documents"] == 12
    versions, failures = swap_under_load(shelf, server, question)
    assert failures == []
    assert len(versions) >= 3


def swap_under_load(shelf: Shelf, server: Server, question: Any) -> tuple[set[str], list[Any]]:
    """Publish four versions while four clients ask; the versions seen, and the replies that were wrong."""
    versions: set[str] = set()
    failures: list[Any] = []
    over = threading.Event()

    def client() -> None:
        while not over.is_set():
            status, body = server.ask("/query", question)
            seen = {hit["citation"]["version"] for hit in body.get("hits", [])}
            versions.update(seen)
            if status != 200 or seen != {body["version"]}:
                failures.append((status, body))

    clients = [threading.Thread(target=client) for _ in range(4)]
    for one in clients:
        one.start()
    for count in (4, 8, 12, 3):
        shelf.publish(documents=api_documents()[:count], engine=f"0.{count}.1")
        time.sleep(0.2)
    over.set()
    for one in clients:
        one.join()
    return versions, failures


def test_serve_ends_in_one_line_that_says_what_to_open_and_ask(shelf: Shelf) -> None:
    shelf.publish()
    server = Server(shelf, "functions.cli", "serve", "--ask", "What moves a character?")
    server.wait()
    server.ask("/roblox/query", {"text": "xylophone"})
    server.stop()
    said = server.log.read_text(encoding="utf-8")
    where = f"http://127.0.0.1:{server.port}/"
    first = f"serving {shelf.folder} (roblox): open {where} and ask it: What moves a character?\n"
    assert said.startswith(first)
    assert '"event":"request"' not in said


def test_serve_opens_the_collection_that_its_question_is_asked_of_where_there_are_several(
    shelf: Shelf,
) -> None:
    shelf.publish()
    shelf.publish("atlas")
    server = Server(
        shelf, "functions.cli", "serve", "--ask", "What moves a character?", "--collection", "roblox"
    )
    server.wait()
    server.stop()
    said = server.log.read_text(encoding="utf-8")
    where = f"http://127.0.0.1:{server.port}/?c=roblox"
    assert said.startswith(f"serving {shelf.folder} (atlas, roblox): open {where} and ask it: What moves")


def test_the_servers_log_has_a_line_a_request_where_that_is_asked_for_and_no_question(shelf: Shelf) -> None:
    shelf.publish()
    server = Server(shelf, QUIRE_LOG_REQUESTS="1")
    server.wait()
    server.ask("/roblox/query", {"text": "xylophone"})
    server.stop()
    output = server.log.read_text(encoding="utf-8")
    lines = [json.loads(line) for line in output.splitlines() if re.match(r"\{", line)]
    assert [line["route"] for line in lines if line["event"] == "request"][-1] == "/{collection}/query"
    assert "xylophone" not in output


@pytest.mark.parametrize(
    "command",
    [
        ("uvicorn", "functions.local:app", "--port", "1"),
        ("functions.cli", "search", "walk"),
        ("functions.cli", "serve"),
        ("build_index", "inspect", "roblox"),
    ],
    ids=" ".join,
)
def test_a_setting_that_is_wrong_is_one_line_and_exit_code_2(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    paths = os.pathsep.join((str(ROOT / "layers/core/python"), str(ROOT)))
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": paths, "QUIRE_COLLECTIONS": "typo.toml"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    [line] = done.stderr.splitlines()
    assert "QUIRE_COLLECTIONS: wanted a file, found nothing there: typo.toml" in line
