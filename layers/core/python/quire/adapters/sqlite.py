"""Chat memory in one SQLite file: the embedded default, for processes of one machine."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from quire.adapters.circuit_breaker import Outage
from quire.documents import Turn
from quire.errors import InputError, StoreUnavailable
from quire.ports import Purged, Remembered
from quire.sessions import moment, next_ids, oldest_ms, read_turn_id

BUSY_S = 10.0
REST_S = 3.0
AGAIN_S = 0.01
PURGE_EVERY_S = 24 * 3600.0
WRITING = "IMMEDIATE"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS turns (
    session TEXT NOT NULL, id TEXT NOT NULL, at_ms INTEGER NOT NULL, role TEXT NOT NULL, text TEXT NOT NULL,
    token TEXT, PRIMARY KEY (session, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS turns_at ON turns (at_ms);
CREATE INDEX IF NOT EXISTS turns_token ON turns (session, token) WHERE token IS NOT NULL;
"""


class SqliteMemory:
    """`ChatMemory` over a file, which is made at the first use. Safe to share by threads; processes may share the file.

    Expired turns are deleted when it is opened and then daily, at an append. A file that was deleted or replaced is
    left for what is at its path now: what was written into it would be gone with this process.

    Args:
        path: the file.
        clock: seconds since the epoch.
        busy_s: what is waited for another process that writes; after it writes fail at once for `REST_S`, so that one
            request pays.
    """

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time, busy_s: float = BUSY_S) -> None:
        self._path = path
        self._name = f"chat memory {path.name}"
        self._clock = clock
        self._busy_s = busy_s
        self._guard = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._file = (0, 0)
        self._outage = Outage(REST_S)
        self._purged_at = 0.0

    def append(self, session: str, turns: Sequence[Turn], *, token: str | None = None) -> list[Remembered]:
        """See `quire.ports.ChatMemory`."""
        self._purge_when_due()
        with self._transaction() as database:
            if token is not None and (known := _stored(database, session, token)):
                return known
            (last,) = database.execute("SELECT max(id) FROM turns WHERE session = ?", (session,)).fetchone()
            ids = next_ids(len(turns), self._now_ms(), last)
            rows = [
                (one, read_turn_id(one)[0], turn.role, turn.text)
                for one, turn in zip(ids, turns, strict=True)
            ]
            database.executemany(
                "INSERT INTO turns (session, token, id, at_ms, role, text) VALUES (?, ?, ?, ?, ?, ?)",
                [(session, token, *row) for row in rows],
            )
        return [_remembered(row) for row in rows]

    def stored(self, session: str, token: str) -> list[Remembered]:
        """See `quire.ports.ChatMemory`."""
        with self._transaction("DEFERRED") as database:
            return _stored(database, session, token)

    def recent(self, session: str, limit: int, *, before: str | None = None) -> list[Remembered]:
        """See `quire.ports.ChatMemory`."""
        with self._transaction("DEFERRED") as database:  # readers need not wait for who writes
            rows = database.execute(
                "SELECT id, at_ms, role, text FROM turns WHERE session = ? AND at_ms >= ? AND id < ? "
                "ORDER BY id DESC LIMIT ?",
                (session, oldest_ms(self._now_ms()), before or "~", max(limit, 0)),
            ).fetchall()
        return [_remembered(row) for row in reversed(rows)]

    def forget(self, session: str) -> int:
        """See `quire.ports.ChatMemory`."""
        with self._transaction() as database:
            (live,) = database.execute(
                "SELECT count(*) FROM turns WHERE session = ? AND at_ms >= ?",
                (session, oldest_ms(self._now_ms())),
            ).fetchone()
            database.execute("DELETE FROM turns WHERE session = ?", (session,))
        return int(live)

    def forget_all(self, prefix: str) -> int:
        """See `quire.ports.ChatMemory`."""
        with self._transaction() as database:
            deleted = database.execute(
                "DELETE FROM turns WHERE substr(session, 1, ?) = ?", (len(prefix), prefix)
            )
        return deleted.rowcount

    def purge(self, before: datetime, *, after: str = "", within_s: float = 1e9) -> Purged:
        """See `quire.ports.ChatMemory`. One statement, whatever `within_s` says."""
        del within_s
        if after:
            message = f"after: wanted none, since one call deletes all, found {after[:80]!r}"
            raise InputError(message, field="after")
        with self._transaction() as database:
            oldest = int(before.timestamp() * 1000)
            deleted = database.execute("DELETE FROM turns WHERE at_ms < ?", (oldest,))
        return Purged(deleted.rowcount)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._guard:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def _purge_when_due(self) -> None:
        with self._guard:
            now = self._clock()
            if 0 <= now - self._purged_at < PURGE_EVERY_S:  # a clock may be set back
                return
            self._purged_at = now
        self.purge(moment(oldest_ms(self._now_ms())))

    @contextmanager
    def _transaction(self, kind: str = WRITING) -> Iterator[sqlite3.Connection]:
        if not self._guard.acquire(timeout=self._busy_s):
            raise StoreUnavailable(f"{self._name}: others wait for it")
        try:
            if kind == WRITING:
                self._outage.demand_over(self._name)
            with self._opened() as database:  # commits at the end, rolls back on an error
                database.execute(f"BEGIN {kind}")
                yield database
        except (sqlite3.Error, OSError) as error:
            if _is_busy(error):
                self._outage.begin("another process holds it locked: end that one, or its transaction")
            raise StoreUnavailable(f"{self._name}: {error}") from error
        finally:
            self._guard.release()

    def _opened(self) -> sqlite3.Connection:
        until = time.monotonic() + self._busy_s
        if self._connection is not None and self._file != _identity(self._path):
            self.close()
        while self._connection is None:
            try:
                self._connection = self._connect()
            except sqlite3.OperationalError as error:
                # Of several who open a new file at once, SQLite refuses some without its own wait.
                if not _is_busy(error) or time.monotonic() > until:
                    raise
                time.sleep(AGAIN_S)
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.touch(mode=0o600)
        database = sqlite3.connect(
            self._path, timeout=self._busy_s, isolation_level=None, check_same_thread=False
        )
        try:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = FULL")  # what was acknowledged outlives a power cut
            database.execute("PRAGMA secure_delete = ON")  # what was forgotten is not left in free pages
            database.executescript(_SCHEMA)
            database.execute("DELETE FROM turns WHERE at_ms < ?", (oldest_ms(self._now_ms()),))
        except sqlite3.Error:
            database.close()
            raise
        self._purged_at, self._file = self._clock(), _identity(self._path)
        return database

    def _now_ms(self) -> int:
        return int(self._clock() * 1000)


def _stored(database: sqlite3.Connection, session: str, token: str) -> list[Remembered]:
    rows = database.execute(
        "SELECT id, at_ms, role, text FROM turns WHERE session = ? AND token = ? ORDER BY id",
        (session, token),
    )
    return [_remembered(row) for row in rows]


def _is_busy(error: Exception) -> bool:
    return (
        isinstance(error, sqlite3.Error)
        and getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
    )


def _identity(path: Path) -> tuple[int, int]:
    """Which file it is; no file's where there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0, 0
    return found.st_dev, found.st_ino


def _remembered(row: tuple[str, int, str, str]) -> Remembered:
    name, at_ms, role, text = row
    return Remembered(name, moment(at_ms), Turn(role, text))
