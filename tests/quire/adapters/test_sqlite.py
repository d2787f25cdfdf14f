"""What the contract of chat memories cannot say of SQLite: a new file that another process has just begun to write."""

from __future__ import annotations

import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from quire.adapters.sqlite import REST_S, SqliteMemory
from quire.documents import Turn
from quire.errors import StoreUnavailable
from tests.support.pace import is_within


def test_a_new_file_that_another_process_writes_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    with (
        closing(sqlite3.connect(path, check_same_thread=False, isolation_level=None)) as other,
        closing(SqliteMemory(path)) as memory,
    ):
        other.execute("CREATE TABLE others (x)")
        other.execute("BEGIN IMMEDIATE")
        ends = threading.Timer(0.2, other.execute, ("COMMIT",))
        ends.start()
        memory.append("acme#u", [Turn("user", "hello")])
        ends.join()
        assert [one.turn.text for one in memory.recent("acme#u", 5)] == ["hello"]


@pytest.mark.parametrize("parts", [("",), ("", "-wal", "-shm")], ids=["alone", "with its journal"])
def test_what_is_said_after_the_file_was_deleted_is_kept(tmp_path: Path, parts: tuple[str, ...]) -> None:
    path = tmp_path / "memory.sqlite"
    with closing(SqliteMemory(path)) as memory:
        memory.append("acme#u", [Turn("user", "before")])
        for part in parts:
            path.with_name(path.name + part).unlink()
        memory.append("acme#u", [Turn("user", "after")])
        with closing(SqliteMemory(path)) as another:
            another.append("acme#u", [Turn("user", "elsewhere")])
        assert [one.turn.text for one in memory.recent("acme#u", 5)] == ["after", "elsewhere"]
    with closing(SqliteMemory(path)) as later:
        assert [one.turn.text for one in later.recent("acme#u", 5)] == ["after", "elsewhere"]


def test_a_file_that_another_process_holds_locked_is_waited_for_once_by_all_together(
    tmp_path: Path,
) -> None:
    path = tmp_path / "memory.sqlite"
    with (
        closing(SqliteMemory(path, busy_s=0.5)) as memory,
        closing(sqlite3.connect(path, isolation_level=None)) as other,
    ):
        memory.append("acme#u", [Turn("user", "before")])
        other.execute("BEGIN IMMEDIATE")

        def say(number: int) -> BaseException | None:
            try:
                memory.append("acme#u", [Turn("user", str(number))])
            except StoreUnavailable as error:
                return error
            return None

        began = time.monotonic()
        with ThreadPoolExecutor(12) as clients:
            refused = list(clients.map(say, range(12)))
        assert is_within(time.monotonic() - began, 2)  # one after another it were 6
        assert all("database is locked" in str(one) or "holds it locked" in str(one) for one in refused)
        assert [one.turn.text for one in memory.recent("acme#u", 5)] == ["before"]  # which needs no lock
        other.execute("COMMIT")
        time.sleep(REST_S)
        assert say(12) is None
