"""Locks of the store in a folder."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from quire.adapters.folder import try_lock


def test_a_fork_has_no_lock_of_the_process_that_it_outlives(tmp_path: Path) -> None:
    ours, theirs = os.pipe()
    with (tmp_path / "lock").open("ab") as file, (tmp_path / "lock").open("ab") as another:
        assert (try_lock(file), try_lock(another)) == (True, False)
        fork = os.fork()
        if not fork:
            os.write(theirs, b".")
            signal.pause()
        assert os.read(ours, 1) == b"."
        assert not try_lock(another)
    try:
        with (tmp_path / "lock").open("ab") as file:
            assert try_lock(file)
    finally:
        os.kill(fork, signal.SIGKILL)
        os.waitpid(fork, 0)
        os.close(ours)
        os.close(theirs)
