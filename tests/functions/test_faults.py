"""What a machine may do to a server: its clock jumps by a day, and its store cannot be written to for a while."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

import httpx
import pytest

from tests.support.aws import free_port, served
from tests.support.tree import CORE, ROOT
from tests.support.unprivileged import DROPPED

DAY_S = 24 * 3600
SITE = "acme"
LARGE = "Filler of a page. " * 5_000
"""What takes a moment to write, so that the clock jumps meanwhile."""
Server: TypeAlias = httpx.Client
Starter: TypeAlias = Callable[..., Server]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Starter]:
    """Starts a serving process over the store of the test, with more variables, behind another program."""
    with ExitStack() as stack:

        def started(*before: str, **more: str) -> Server:
            port, folder = free_port(), tmp_path / f"server-{len(list(tmp_path.iterdir()))}"
            folder.mkdir()
            program = (sys.executable, "-m", "tests.support.lively_server", str(port), str(folder))
            url = f"http://127.0.0.1:{port}"
            environment = {"PYTHONPATH": f"{ROOT}:{ROOT / CORE}", **more}
            stack.enter_context(
                served((*before, *program, str(tmp_path / "store")), f"{url}/health", environment, ROOT)
            )
            return stack.enter_context(httpx.Client(base_url=url, timeout=60))

        yield started


def add(server: Server, text: str) -> str:
    reply = server.post("/sites/documents", json={"site_id": SITE, "source": "a.txt", "content": text})
    assert reply.status_code == 201, reply.text
    return str(reply.json()["id"])


def context(server: Server, question: str) -> str:
    body = {"site_id": SITE, "user_id": "u", "query": question}
    reply = server.post("/sites/retrieve-context", json=body)
    assert reply.status_code == 200, reply.text
    return str(reply.json()["context"])


def written_at(server: Server, document: str) -> float:
    """When it was written, in seconds since the epoch by the clock of the server that did."""
    told = server.get(f"/sites/documents/{document}?site_id={SITE}").json()["created_at"]
    return datetime.fromisoformat(told).timestamp()


def talk(server: Server, message: str) -> None:
    body = {"site_id": SITE, "user_id": "u", "session_id": "s", "role": "user", "message": message}
    reply = server.post("/sites/chat-messages", json=body)
    assert reply.status_code < 300, reply.text


@pytest.fixture
def clock(tmp_path: Path) -> Path:
    """How many seconds the clock of a process with `jumping` is ahead."""
    path = tmp_path / "clock"
    path.write_text("0", encoding="ascii")
    return path


@pytest.fixture
def jumping(tmp_path: Path, clock: Path) -> dict[str, str]:
    """The environment of a process whose wall clock is told by `clock`."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler for the library that stands before the clock")
    library = tmp_path / "clock.so"
    source = ROOT / "tests/support/jumped_clock.c"
    subprocess.run(("cc", "-shared", "-fPIC", "-O1", "-w", "-o", library, source, "-ldl"), check=True)
    return {"LD_PRELOAD": str(library), "QUIRE_TEST_CLOCK": str(clock)}


@pytest.mark.parametrize("rounds", [4, pytest.param(60, marks=pytest.mark.soak)], ids="{} jumps".format)
def test_a_clock_that_jumps_by_a_day_loses_nothing_and_holds_nobody_up(
    start: Starter, clock: Path, jumping: dict[str, str], rounds: int
) -> None:
    jumps, other = start(**jumping), start()
    drawn, pool, kept = random.Random(16), ThreadPoolExecutor(1), dict[str, str]()
    gone, large = list[str](), list[str]()
    shared = add(jumps, "The edition zq0edition stands in the shared document.")
    for number in range(rounds):
        ahead = (DAY_S, -DAY_S, 0, drawn.randint(-2 * DAY_S, 2 * DAY_S))[number % 4]
        writing = pool.submit(add, jumps, f"The word zq{number}large stands here.\n\n{LARGE}")
        clock.write_text(str(ahead), encoding="ascii")
        began = time.monotonic()
        for who, server in (("jumps", jumps), ("other", other)):
            mark = f"zq{number}{who}"
            kept[add(server, f"The word {mark} stands in this document alone.")] = mark
            talk(server, f"I speak of {mark}.")
        assert abs(written_at(jumps, [*kept][-2]) - written_at(other, [*kept][-1]) - ahead) < 60
        large.append(writing.result())
        deleted = add(other, f"The word zq{number}gone is soon deleted.")
        assert jumps.delete(f"/sites/documents/{deleted}?site_id={SITE}").status_code == 204
        gone.append(f"zq{number}gone")
        edition = f"The edition zq{number + 1}edition stands in the shared document."
        changed = (jumps, other)[number % 2].put(
            f"/sites/documents/{shared}?site_id={SITE}", json={"content": edition}
        )
        assert changed.status_code == 200, changed.text
        for server in (jumps, other):
            for mark in [*kept.values()][-6:]:
                assert mark in context(server, f"where is {mark}"), (number, ahead, mark)
            said = context(server, f"where is zq{number}gone").partition("Conversation")[0]
            assert not [mark for mark in gone if mark in said]
            assert server.get(f"/sites/documents/{shared}?site_id={SITE}").json()["content"] == edition
            assert server.get("/status").status_code == 200
        assert time.monotonic() - began < 60
    held = jumps.get(f"/sites/documents?site_id={SITE}&limit=200").json()
    assert {one["id"] for one in held["documents"]} == {*kept, *large, shared}


def test_a_store_that_cannot_be_written_to_is_read_and_says_so(start: Starter, tmp_path: Path) -> None:
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere, and there is no setpriv to give that up")
    server = start(*(("setpriv", *DROPPED) if os.geteuid() == 0 else ()))
    kept = add(server, "The word zqkept stands here.")
    folders = [tmp_path / "store", *(one for one in (tmp_path / "store").rglob("*") if one.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        for _ in range(2):
            refused = server.post(
                "/sites/documents", json={"site_id": SITE, "source": "a.txt", "content": "zqnever"}
            )
            assert refused.status_code == 503, refused.text
            assert server.delete(f"/sites/documents/{kept}?site_id={SITE}").status_code == 503
            ingested = server.post(
                "/book/ingest", json={"files": [{"path": "a.md", "content": "# A\n\nB.\n"}]}
            )
            assert ingested.status_code == 503, ingested.text
            assert "zqkept" in context(server, "where is zqkept")
            assert server.get("/status").status_code == 200
        again = start()
        assert "zqkept" in context(again, "where is zqkept")
    finally:
        for folder in folders:
            folder.chmod(0o755)
    added = add(server, "The word zqafter stands here.")
    assert "zqafter" in context(server, "where is zqafter")
    listed = server.get(f"/sites/documents?site_id={SITE}").json()["documents"]
    assert {one["id"] for one in listed} == {kept, added}
