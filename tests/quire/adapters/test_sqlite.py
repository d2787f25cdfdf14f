"""What the contract of chat memories cannot say of SQLite: a new file that another process has just begun to write."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

from quire.adapters.sqlite import SqliteMemory
from quire.documents import Turn


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
