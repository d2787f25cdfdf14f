"""Locks of the store in a folder."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as StillWorking
from pathlib import Path

import pytest

from quire.adapters.folder import FolderStore, try_lock
from quire.errors import SwapConflict


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


def test_a_write_that_waits_while_its_object_is_deleted_does_not_bring_it_back(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    etag, lock = store.write("site/current.json", b"1"), tmp_path / "site" / ".current.json.lock"
    with ThreadPoolExecutor(2) as pool, lock.open("ab") as file:
        assert try_lock(file)
        written = pool.submit(store.write, "site/current.json", b"2", if_match=etag)
        with pytest.raises(StillWorking):
            written.result(0.2)
        (tmp_path / "site" / "current.json").unlink()
        lock.unlink()
        file.close()
        with pytest.raises(SwapConflict):
            written.result(10)
    assert store.read("site/current.json") is None
    assert list(tmp_path.iterdir()) == []


def test_an_object_is_deleted_when_who_writes_it_is_done_and_its_lock_goes_with_it(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    store.write("site/current.json", b"1")
    with ThreadPoolExecutor(1) as pool, (tmp_path / "site" / ".current.json.lock").open("ab") as file:
        assert try_lock(file)
        deleted = pool.submit(store.delete, "site/current.json")
        with pytest.raises(StillWorking):
            deleted.result(0.2)
        assert store.read("site/current.json") is not None
        file.close()
        deleted.result(10)
    assert list(tmp_path.iterdir()) == []
