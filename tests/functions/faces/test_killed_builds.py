"""Builds of a real code base that are killed at any moment: the old index serves on, or the new one does where that was
published already, and the next run completes."""

from __future__ import annotations

import asyncio
import random
import shutil
import time
from pathlib import Path

import pytest

from quire.store.store import SegmentStore
from tests.support.indexed import CodeServer, allowed, open_server

ROUNDS = 20
FIRST_S = 0.4
"""The process imports until then; a kill before that shows nothing."""


@pytest.mark.soak
def test_a_build_killed_at_any_moment_leaves_the_old_index_or_the_new_and_the_next_run_completes(
    tmp_path: Path, model_folder: Path
) -> None:
    server = open_server(tmp_path, model_folder)
    (server.shop / "asyncio").mkdir()
    for file in Path(asyncio.__file__).parent.glob("*.py"):
        shutil.copy(file, server.shop / "asyncio")
    with allowed(tmp_path):
        build(server, -2)
        whole_s = build(server, -1)  # what changed is embedded, the rest known: as in the rounds
        draw = random.Random(11)
        kept = 0
        for number in range(ROUNDS):
            before = server.store.pointer("code")
            edit(server, number)
            was_killed = kill_after(server, FIRST_S + draw.random() * (whole_s - FIRST_S))
            # What comes behind the publishing takes a while too, and can be met by the kill.
            is_old = server.store.pointer("code") == before
            assert was_killed or not is_old
            assert_serves(server, number - 1 if is_old else number)
            assert server.store.verify("code")
            kept += is_old
            assert_next_run_completes(server, number)
        assert kept, "no build was killed before it published"


def build(server: CodeServer, number: int) -> float:
    """Index everything after an edit; gives the seconds that it took."""
    edit(server, number)
    started = time.perf_counter()
    process = server.start_build()
    process.communicate()
    assert process.returncode == 0
    return time.perf_counter() - started


def edit(server: CodeServer, number: int) -> None:
    """Give some files a function that no other round has, so that there is something to cut, embed and publish."""
    for path in sorted((server.shop / "asyncio").glob("*.py"))[:6]:
        kept = path.read_text(encoding="utf-8").split("\n# round ")[0]
        added = f"\n# round {number}\ndef marked_{path.stem}_{number + 1}():\n    return {number + 1}\n"
        path.write_text(kept + added, encoding="utf-8")


def kill_after(server: CodeServer, delay_s: float) -> bool:
    """Whether the build was killed before it ended by itself."""
    process = server.start_build()
    time.sleep(delay_s)
    process.kill()
    process.communicate()
    return process.returncode == -9


def assert_serves(server: CodeServer, number: int) -> None:
    answer = server.client().post("/code/query", json={"q": f"marked_base_futures_{number + 1}", "top_k": 1})
    assert answer.status_code == 200, answer.text
    [match] = answer.json()["matches"]
    assert match["path"] == "asyncio/base_futures.py"
    assert f"marked_base_futures_{number + 1}" in match["snippet"]


def assert_next_run_completes(server: CodeServer, number: int) -> None:
    process = server.start_build(incremental=True)
    said, _ = process.communicate()
    assert process.returncode == 0, said
    assert_serves(server, number)
    store: SegmentStore = server.store
    assert store.verify("code")
