"""Telling whether the process that held a lock is dead."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quire.store.owner import id_here, is_gone, this_process

pytestmark = pytest.mark.skipif(this_process() == "", reason="this system does not tell processes apart")


def named(pid: int) -> str:
    return f"{this_process().rpartition(':')[0]}:{pid}"


def test_a_process_that_runs_is_not_gone_and_one_that_ended_is() -> None:
    with subprocess.Popen((sys.executable, "-c", "input()"), stdin=subprocess.PIPE) as process:
        assert not is_gone(named(process.pid))
        process.kill()
        process.wait()
        assert is_gone(named(process.pid))


def test_a_killed_process_that_nobody_waited_for_is_gone() -> None:
    process = subprocess.Popen((sys.executable, "-c", "input()"), stdin=subprocess.PIPE)
    process.kill()
    stat = Path("/proc", str(process.pid), "stat")
    while ") Z " not in stat.read_text(encoding="ascii"):
        time.sleep(0.01)
    assert is_gone(named(process.pid))
    process.communicate()


def test_a_later_process_of_the_same_id_is_another() -> None:
    ours = this_process()
    assert (is_gone(ours), id_here(ours)) == (False, os.getpid())
    earlier = f"{ours}9"
    assert (is_gone(earlier), id_here(earlier)) == (True, 0)
