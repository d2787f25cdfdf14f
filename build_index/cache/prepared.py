"""What documents became in the build before, kept by content: a rebuild cuts, reads and scans only what changed.

One SQLite file a collection holds, for each document, its chunks with their search terms and what the poison scan found
in them. A document counts as the same where it and Quire's own code are the same, so a cached row is the row that would
be made again. After a build only what that build used stays. The file also says of which documents the last build's
segment was made, see `build_index.cache.last_build`.
"""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from build_index.cache.inputs import digest_code
from build_index.cache.number_set import SeenNumbers
from build_index.pipeline.preparing import Prepared, prepare_apart, unpack
from build_index.progress import say
from build_index.sources import Failure
from quire.documents import Document
from quire.errors import SourceError, StoreError

TABLES = """
CREATE TABLE IF NOT EXISTS documents
    (key BLOB PRIMARY KEY, document_id TEXT, ids BLOB, has_finds INTEGER, data BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS built (document_id TEXT PRIMARY KEY, key BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS built_name (name TEXT);
"""
COMMIT_BYTES = 4_000_000
BUSY_S = 60.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PreparedEntry:
    """A document of the build at hand.

    Attributes:
        document_id: of its chunks; several documents that were read may be parts of one that is cited.
        key: sha256 of the document and of Quire's code; what its chunks are kept under.
        ids: numbers of its chunks' ids, in order, each once.
        has_finds: whether the scan found something in one of them.
    """

    document_id: str
    key: bytes
    ids: array[int]
    has_finds: bool


class PreparedDocuments:
    """Documents to prepared chunks, from the file where it has them. Used by one build at a time, under its lock.

    A file that is damaged or of an earlier form is replaced by an empty one, with a warning: it costs time, never a
    wrong row.

    Args:
        path: of the file.
        busy_s: how long it is waited for where another build holds it.

    Raises:
        StoreError: another build holds it for longer.
    """

    def __init__(self, path: Path, *, busy_s: float = BUSY_S) -> None:
        self._path = path
        self._busy_s = busy_s
        self._salt = digest_code().encode()
        self._used: set[bytes] = set()
        self._fresh: list[tuple[bytes, str, bytes, bool, bytes]] = []
        self._fresh_bytes = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._connection = self._connect()
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                message = f"{path}: in use by another build for {busy_s:.0f} s: try again when that has ended"
                raise StoreError(message) from error
            _log.warning("%s: the cache of documents cannot be used and is made again: %s", path, error)
            path.unlink(missing_ok=True)
            self._connection = self._connect()
        self._known = self._read_known()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Keep what was made; where the build came to its end, forget what it did not use."""
        self._write()
        if kind is None:
            unused = [(key,) for key in self._known.keys() - self._used]
            with self._connection:
                self._connection.executemany("DELETE FROM documents WHERE key = ?", unused)
        self._connection.close()

    def admit(self, document: Document) -> PreparedEntry:
        """Prepare a document of this build, unless the last one did; gives its entry.

        Raises:
            SourceError: the document cannot be parsed.
        """
        key = hashlib.sha256(self._salt + _spelt(document)).digest()
        if key not in self._known:
            cited, ids, has_finds, data = prepare_apart(document)
            self._known[key] = (cited, ids, has_finds)
            self._fresh.append((key, cited, ids, has_finds, data))
            self._fresh_bytes += len(data)
            if self._fresh_bytes >= COMMIT_BYTES:
                self._write()
        self._used.add(key)
        cited, packed, has_finds = self._known[key]
        return PreparedEntry(cited, key, array("Q", packed), has_finds)

    def load(self, entry: PreparedEntry) -> Iterator[Prepared]:
        """The chunks of an admitted document that its entry names, in order."""
        if self._fresh:
            self._write()
        (data,) = self._connection.execute(
            "SELECT data FROM documents WHERE key = ?", (entry.key,)
        ).fetchone()
        wanted = frozenset(entry.ids)
        return (one for one in unpack(data) if int(one.chunk.id, 16) in wanted)

    def recorded(self) -> tuple[str, dict[str, bytes]]:
        """What `record` wrote down the last time; "" and nothing where it never did."""
        named = self._connection.execute("SELECT name FROM built_name").fetchone()
        keys = dict(self._connection.execute("SELECT document_id, key FROM built"))
        return (named[0], keys) if named else ("", {})

    def record(self, name: str, keys: Mapping[str, bytes]) -> None:
        """Write down what the build's segment, known by this name, was made of: a key for each document id."""
        with self._connection:
            self._connection.execute("DELETE FROM built_name")
            self._connection.execute("DELETE FROM built")
            self._connection.executemany("INSERT INTO built VALUES (?, ?)", keys.items())
            self._connection.execute("INSERT INTO built_name VALUES (?)", (name,))

    def _write(self) -> None:
        with self._connection:
            self._connection.executemany(
                "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?)", self._fresh
            )
        self._fresh.clear()
        self._fresh_bytes = 0

    def _read_known(self) -> dict[bytes, tuple[str, bytes, bool]]:
        rows = self._connection.execute("SELECT key, document_id, ids, has_finds FROM documents")
        return {key: (cited, ids, bool(has_finds)) for key, cited, ids, has_finds in rows}

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=self._busy_s)
        try:
            connection.executescript(TABLES)
            connection.execute("PRAGMA synchronous = OFF")  # what a power cut damages is made again
            connection.execute("SELECT document_id, ids FROM documents LIMIT 1").fetchone()
        except sqlite3.Error:
            connection.close()
            raise
        return connection


def admit_all(
    read: Iterable[Document | Failure],
    documents: PreparedDocuments,
    failures: list[Failure],
    announce: Callable[[str, int], None],
) -> Iterator[PreparedEntry]:
    """Every document that was read; each chunk id is in one entry. What cannot be read or cut goes to `failures`, said.

    `announce` is told of each document with how many chunks it gave.
    """
    seen = SeenNumbers()
    for document in read:
        if isinstance(document, Failure):
            failures.append(document)
            say(f"skipped {document.path}: {document.reason}")
            continue
        try:
            entry = documents.admit(document)
        except SourceError as error:
            failures.append(Failure(error.path or document.id, str(error)))
            say(f"skipped {document.id}: {error}")
            continue
        new = seen.add_new(entry.ids)
        announce(document.id, len(new))
        yield replace(entry, ids=new)


def _spelt(document: Document) -> bytes:
    texts = [document.id, document.kind, document.text]
    fields = [*texts, dict(document.metadata), dict(document.includes), document.anchors]
    return json.dumps(fields, ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")
