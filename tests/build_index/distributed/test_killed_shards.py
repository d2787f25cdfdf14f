"""Drivers and workers of a build in shards are killed: nothing is left running, and what is done is not done again."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from quire.adapters.folder import FolderStore
from tests.build_index.distributed.test_shards import Desk, InTurn, book  # noqa: F401 - a fixture
from tests.support.killed_shards import MEAN_CHUNKS, PASSAGE_S
from tests.support.tree import CORE, ROOT

PATHS = os.pathsep.join((str(ROOT / CORE), str(ROOT)))
WAIT_S = 60.0


def start(root: Path, pages: Path, *scheduler: str) -> subprocess.Popen[str]:
    root.mkdir(exist_ok=True)
    command = (sys.executable, "-m", "tests.support.killed_shards", str(root), str(pages), *scheduler)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": PATHS}
    with (root / "told.txt").open("a") as told:
        return subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=told, text=True, start_new_session=True
        )


def done(root: Path) -> dict[str, float]:
    """The records that are there, with when they were written."""
    folder = root / "store/collections/book/shards/done"
    return {one.name: one.stat().st_mtime for one in folder.glob("*.json")}


def wait_until(holds: Callable[[], bool]) -> None:
    ends = time.monotonic() + WAIT_S
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.02)


def runs(pid: int) -> bool:
    """Whether there is such a process; one that ended and that nobody asked after is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except FileNotFoundError:
        return False


def workers(root: Path) -> list[int]:
    return [int(one.name) for one in (root / "workers").glob("*") if runs(int(one.name))]


def kill_driver(driver: subprocess.Popen[str], _root: Path) -> None:
    driver.kill()


def interrupt(driver: subprocess.Popen[str], _root: Path) -> None:
    os.killpg(driver.pid, signal.SIGINT)  # a terminal's Ctrl-C is everybody's to hear


def kill_worker(driver: subprocess.Popen[str], root: Path) -> None:
    del driver
    for pid in workers(root)[:1]:
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("rounds", [1, pytest.param(20, marks=pytest.mark.soak)], ids="{} rounds".format)
def test_whoever_is_killed_the_next_build_goes_on_from_the_shards_that_are_done(
    tmp_path: Path,
    book: Path,  # noqa: F811
    rounds: int,
) -> None:
    wanted = Desk(tmp_path, book).whole().manifest.digest
    draw = random.Random(5)
    for number in range(rounds):
        root = tmp_path / str(number)
        driver = start(root, book)
        least = draw.randint(1, 4)
        wait_until(lambda root=root, least=least: len(done(root)) >= least)  # type: ignore[misc]
        time.sleep(draw.random() * 10 * PASSAGE_S)
        kill = (kill_driver, interrupt, kill_worker)[number % 3]
        kill(driver, root)
        printed, _ = driver.communicate(timeout=WAIT_S)
        wait_until(lambda root=root: not workers(root))  # type: ignore[misc]
        assert (driver.returncode == 0) == (kill is kill_worker), (root / "told.txt").read_text()
        before = done(root)
        if driver.returncode == 0:
            assert printed.strip() == wanted
        resumed = Desk(root, book, FolderStore(root / "store"))
        engine = InTurn()
        assert resumed.sharded(MEAN_CHUNKS, engine).manifest.digest == wanted
        after = done(root)
        assert before.items() <= after.items()
        assert engine.made == len(after) - len(before)
