"""Builds in shards on a real Dask cluster of this machine; `make test-dask` installs what they need."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from build_index.distributed.engines import DaskEngine
from quire.adapters.folder import FolderStore
from quire.errors import SourceError
from tests.build_index.distributed.test_killed_shards import PATHS, WAIT_S, done, start, wait_until
from tests.build_index.distributed.test_shards import Desk, InTurn, book, whole  # noqa: F401 - fixtures
from tests.support.killed_shards import MEAN_CHUNKS, PASSAGE_S

distributed = pytest.importorskip("distributed", reason="make test-dask installs the extra `dask`")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")

ANY_PORT = "127.0.0.1:0"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two workers, each a process that a nanny starts again."""
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=ANY_PORT) as started:
        yield started


def kill_worker(cluster: Any) -> None:
    with distributed.Client(cluster.scheduler_address, set_as_default=False) as client:
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)


@pytest.mark.parametrize("rounds", [2, pytest.param(20, marks=pytest.mark.soak)], ids="{} rounds".format)
def test_a_cluster_makes_the_build_of_one_process_whoever_is_killed(
    cluster: Any,
    tmp_path: Path,
    book: Path,  # noqa: F811
    whole: Any,  # noqa: F811
    rounds: int,
) -> None:
    draw = random.Random(3)
    for number in range(rounds):
        root = tmp_path / str(number)
        driver = start(root, book, cluster.scheduler_address)
        least = draw.randint(1, 4)
        wait_until(lambda root=root, least=least: len(done(root)) >= least)  # type: ignore[misc]
        time.sleep(draw.random() * 10 * PASSAGE_S)
        if number % 2:
            driver.kill()
        else:
            kill_worker(cluster)
        printed, _ = driver.communicate(timeout=WAIT_S)
        assert (driver.returncode == 0) != bool(number % 2), (root / "told.txt").read_text()
        if driver.returncode == 0:
            assert printed.strip() == whole.manifest.digest
        before = done(root)
        resumed = Desk(root, book, FolderStore(root / "store"))
        assert resumed.sharded(MEAN_CHUNKS, InTurn()).manifest.digest == whole.manifest.digest
        assert before.items() <= done(root).items()


def test_a_cluster_that_is_not_there_is_named() -> None:
    engine = DaskEngine("tcp://127.0.0.1:9", connect_s=1)
    with pytest.raises(SourceError, match=r"engine dask at tcp://127\.0\.0\.1:9"):
        list(engine.map(dict, [{"inputs": "1"}]))


def test_a_cluster_without_a_worker_is_not_waited_for_for_ever() -> None:
    with distributed.LocalCluster(n_workers=0, dashboard_address=ANY_PORT) as empty:
        engine = DaskEngine(empty.scheduler_address, workers_s=1)
        with pytest.raises(SourceError, match="0/1 workers"):
            list(engine.map(dict, [{"inputs": "1"}]))


def sleep_long(item: Any) -> Any:
    time.sleep(600)
    return item


@pytest.mark.parametrize(
    ("whom", "how", "told"),
    [
        (
            "scheduler",
            signal.SIGSTOP,
            "the scheduler does not answer any more. The shards that are done are kept",
        ),
        (
            "scheduler",
            signal.SIGKILL,
            "the connection to the scheduler was lost. The shards that are done are kept",
        ),
        ("worker", signal.SIGKILL, "without a worker for 15 s. The shards that are done are kept"),
    ],
)
def test_a_cluster_that_goes_amid_the_work_is_not_waited_for_for_ever(
    tmp_path: Path, whom: str, how: int, told: str
) -> None:
    place = tmp_path / "scheduler.json"
    at = ("--host", "127.0.0.1", "--port", "0", "--dashboard-address", ANY_PORT, "--no-show")
    with ended("dask_scheduler", *at, "--scheduler-file", str(place)) as scheduler:
        wait_until(lambda: place.exists() and place.read_text().endswith("}"))
        address = json.loads(place.read_text())["address"]
        with ended("dask_worker", address, "--no-dashboard", "--no-nanny") as worker:
            engine = DaskEngine(address, connect_s=5, workers_s=15)
            hit = threading.Thread(
                target=hit_amid_work, args=({"scheduler": scheduler, "worker": worker}[whom], how, tmp_path)
            )
            hit.start()
            with pytest.raises(SourceError, match=told):
                list(engine.map(work_long, [{"inputs": str(tmp_path / "begun")}]))
            hit.join()


def work_long(item: Any) -> Any:
    Path(item["inputs"]).touch()
    time.sleep(600)
    return item


def hit_amid_work(process: subprocess.Popen[bytes], how: int, folder: Path) -> None:
    wait_until((folder / "begun").exists)
    process.send_signal(how)


@contextmanager
def ended(program: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    command = (sys.executable, "-m", f"distributed.cli.{program}", *arguments)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": PATHS}
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()
