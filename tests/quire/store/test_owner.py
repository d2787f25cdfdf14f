"""Telling whether the process that held a lock is dead."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quire.store.lock import id_here, is_gone, this_process

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


@pytest.mark.skipif(shutil.which("ps") is None, reason="no ps")
def test_without_proc_as_on_macos_sysctl_and_ps_tell_processes_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sysctl = tmp_path / "bin" / "sysctl"
    sysctl.parent.mkdir()
    sysctl.write_text("#!/bin/sh\necho 4D5E-OF-THIS-BOOT\n", encoding="utf-8")
    sysctl.chmod(0o755)
    monkeypatch.setenv("PATH", f"{sysctl.parent}{os.pathsep}{os.environ['PATH']}")
    none = tmp_path / "proc"
    ours = this_process(none)
    assert ours.startswith(f"4D5E-OF-THIS-BOOT:{os.getpid()}@")
    assert (is_gone(ours, none), id_here(ours, none)) == (False, os.getpid())
    with subprocess.Popen((sys.executable, "-c", "input()"), stdin=subprocess.PIPE) as process:
        theirs = f"{ours.rpartition(':')[0]}:{process.pid}"
        assert not is_gone(theirs, none)
        process.kill()
        process.wait()
        assert is_gone(theirs, none)
    assert is_gone(f"{ours}9", none)
    assert not is_gone(f"of another boot:{process.pid}@1", none)


def test_a_later_process_of_the_same_id_is_another() -> None:
    ours = this_process()
    assert (is_gone(ours), id_here(ours)) == (False, os.getpid())
    earlier = f"{ours}9"
    assert (is_gone(earlier), id_here(earlier)) == (True, 0)
