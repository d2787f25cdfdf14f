"""What builds keep, by content, in one SQLite file: values by kind and key, each with its checksum."""

from __future__ import annotations

import errno
import logging
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from quire.errors import StoreError

FILE = "kept.sqlite"
VECTORS = "vectors"
BUSY_S = 60.0  # how long one process waits for another's write
COMPACTED_BYTES = 2_000_000_000
"""Of a file that is copied without what was forgotten: others wait about 15 s, and would for `BUSY_S`."""
LOOKUP = 500  # keys in one query: older SQLite builds take at most 999 parameters
TABLE = (
    "CREATE TABLE IF NOT EXISTS kept (kind TEXT, key BLOB, value BLOB, crc INTEGER, PRIMARY KEY (kind, key))"
)
INSERT = "INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?)"

T = TypeVar("T")
_log = logging.getLogger(__name__)


class ContentStore:
    """Bytes by kind and key, kept in a folder. Several processes may use one folder at once, each object one thread.

    A damaged value counts as missing and a damaged file is replaced by an empty one, both with a warning: damage costs
    time, never a wrong value.

    Raises:
        StoreError: by every method, where the file cannot be used, or another process writes for more than `busy_s`.
        PermissionError: by every method, where the folder may not be written to.
    """

    def __init__(self, folder: Path, *, busy_s: float = BUSY_S) -> None:
        self._path = folder / FILE
        self._busy_s = busy_s
        self._connection: sqlite3.Connection | None = None

    def close(self) -> None:
        """Let go of the file; it is opened again when needed."""
        if self._connection:
            self._connection.close()
            self._connection = None

    def read(self, kind: str, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """The sound values of those keys that have one."""
        wanted = list(keys)
        return self._run(lambda connection: dict(self._sound(kind, _some(connection, kind, wanted))))

    def read_all(self, kind: str) -> dict[bytes, bytes]:
        """Every sound value of a kind."""
        query = "SELECT key, value, crc FROM kept WHERE kind = ?"
        return self._run(lambda connection: dict(self._sound(kind, connection.execute(query, [kind]))))

    def keys(self, kind: str) -> frozenset[bytes]:
        """The keys of a kind, those of damaged values too."""
        query = "SELECT key FROM kept WHERE kind = ?"
        return self._run(lambda connection: frozenset(key for (key,) in connection.execute(query, [kind])))

    def write(self, kind: str, values: Mapping[bytes, bytes]) -> None:
        """Keep the values, over what was kept under the same keys."""
        rows = [(kind, key, value, zlib.crc32(value)) for key, value in values.items()]
        if rows:
            self._run(lambda connection: connection.executemany(INSERT, rows))

    def retain(self, kind: str, keys: Iterable[bytes]) -> None:
        """Forget all values of a kind but those of these keys."""
        used = frozenset(keys)

        def forget(connection: sqlite3.Connection) -> None:
            known = connection.execute("SELECT key FROM kept WHERE kind = ?", [kind]).fetchall()
            unused = [(kind, key) for (key,) in known if key not in used]
            connection.executemany("DELETE FROM kept WHERE kind = ? AND key = ?", unused)

        self._run(forget)

    def compact(self, most_bytes: int = COMPACTED_BYTES) -> None:
        """Give back the space of what was forgotten; in a larger file it is kept for what comes, and says nothing."""
        if self._path.exists() and self._path.stat().st_size <= most_bytes:
            self._run(lambda connection: connection.execute("VACUUM"))

    def take(self, other: Path, kinds: Sequence[str]) -> None:
        """Keep what the store in another folder, if there is one, keeps of these kinds, too."""
        if not (other / FILE).exists():
            return
        marks = ",".join("?" * len(kinds))
        query = f"SELECT * FROM kept WHERE kind IN ({marks})"  # noqa: S608 - only question marks
        with closing(sqlite3.connect(other / FILE)) as source:
            self._run(lambda connection: connection.executemany(INSERT, source.execute(query, kinds)))

    def _run(self, act: Callable[[sqlite3.Connection], T]) -> T:
        """What `act` gives in one transaction; done again over an empty file where this one is damaged."""
        try:
            try:
                return self._transact(act)
            except sqlite3.DatabaseError as error:
                if type(error) is not sqlite3.DatabaseError:
                    raise  # in use, or no place to write: only the plain class says that the file is damaged
                _log.warning("%s: the build's cache is damaged and is made again: %s", self._path, error)
                self.close()
                for suffix in ("", "-journal"):
                    self._path.with_name(FILE + suffix).unlink(missing_ok=True)
                return self._transact(act)
        except sqlite3.Error as error:
            self.close()
            if not os.access(self._path.parent, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self._path)) from error
            raise StoreError(f"{self._path}: the build's cache cannot be used: {error}") from error

    def _transact(self, act: Callable[[sqlite3.Connection], T]) -> T:
        with self._open() as connection:
            return act(connection)

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self._path, timeout=self._busy_s)
            self._connection.execute("PRAGMA secure_delete = ON")  # what is forgotten is overwritten
            self._connection.execute(TABLE)
        return self._connection

    def _sound(self, kind: str, rows: Iterable[tuple[bytes, bytes, int]]) -> Iterator[tuple[bytes, bytes]]:
        for key, value, crc in rows:
            if isinstance(value, bytes) and zlib.crc32(value) == crc:
                yield key, value
            else:
                _log.warning("%s: a damaged value of %s is made again", self._path, kind)


def _some(
    connection: sqlite3.Connection, kind: str, keys: Sequence[bytes]
) -> Iterator[tuple[bytes, bytes, int]]:
    for start in range(0, len(keys), LOOKUP):
        some = keys[start : start + LOOKUP]
        marks = ",".join("?" * len(some))
        query = f"SELECT key, value, crc FROM kept WHERE kind = ? AND key IN ({marks})"  # noqa: S608 - question marks
        yield from connection.execute(query, [kind, *some])
