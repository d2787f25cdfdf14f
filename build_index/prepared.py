"""What documents became in the build before, kept by content: a rebuild cuts, reads and scans only what changed.

One SQLite file a collection holds, for each document, its chunks with their search terms and what the poison scan found
in them. A document counts as the same where it and Quire's own code are the same, so a cached row is the row that would
be made again. After a build only what that build used stays.
"""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from build_index.inputs import digest_code
from build_index.poison import Find, scan_chunk
from build_index.progress import say
from build_index.sources import Failure
from quire.adapters.payload_shards import read_line
from quire.artifact.writer.payloads import chunk_line
from quire.canonical import canonical_json
from quire.documents import Chunk, Document
from quire.errors import SourceError
from quire.ingestion import chunk_document, keyword_terms

TABLE = "CREATE TABLE IF NOT EXISTS documents (key BLOB PRIMARY KEY, data BLOB) WITHOUT ROWID"
COMMIT_EVERY = 500
BUSY_S = 60.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A chunk ready to be indexed; `terms` is JSON until it is asked for, for memory holds every chunk of a build."""

    chunk: Chunk
    finds: tuple[Find, ...]
    terms: bytes

    def read_terms(self) -> tuple[Counter[str], float]:
        """See `quire.ingestion.keyword_terms`."""
        frequencies, length = json.loads(self.terms)
        return Counter(frequencies), length


class PreparedDocuments:
    """Documents to prepared chunks, from the file where it has them. Used by one build at a time, under its lock.

    A damaged file is replaced by an empty one, with a warning: it costs time, never a wrong row.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._salt = digest_code().encode()
        self._used: set[bytes] = set()
        self._fresh: list[tuple[bytes, bytes]] = []
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._connection = self._connect()
        except sqlite3.DatabaseError as error:
            _log.warning("%s: the cache of documents is damaged and is made again: %s", path, error)
            path.unlink(missing_ok=True)
            self._connection = self._connect()

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
            kept = {key for (key,) in self._connection.execute("SELECT key FROM documents")}
            with self._connection:
                self._connection.executemany(
                    "DELETE FROM documents WHERE key = ?", [(key,) for key in kept - self._used]
                )
        self._connection.close()

    def prepare(self, document: Document) -> list[Prepared]:
        """Cut the document, take the terms of its chunks and scan them.

        Raises:
            SourceError: the document cannot be parsed.
        """
        key = hashlib.sha256(self._salt + _spelt(document)).digest()
        self._used.add(key)
        found = self._connection.execute("SELECT data FROM documents WHERE key = ?", (key,)).fetchone()
        if found is not None:
            return list(_unpack(found[0]))
        made = [_prepare(chunk) for chunk in chunk_document(document)]
        self._fresh.append((key, _pack(made)))
        if len(self._fresh) >= COMMIT_EVERY:
            self._write()
        return made

    def _write(self) -> None:
        with self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO documents VALUES (?, ?)", self._fresh)
        self._fresh.clear()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=BUSY_S)
        try:
            connection.execute(TABLE)
            connection.execute("PRAGMA synchronous = OFF")  # what a power cut damages is made again
            connection.execute("SELECT count(*) FROM documents").fetchone()
        except sqlite3.Error:
            connection.close()
            raise
        return connection


def prepare_all(
    read: Iterable[Document | Failure],
    documents: PreparedDocuments,
    failures: list[Failure],
    announce: Callable[[str, int], None],
) -> Iterator[Prepared]:
    """Every chunk of what was read, each id once; what cannot be read or cut is said and goes to `failures`.

    `announce` is told of each document with how many chunks it gave.
    """
    seen: set[str] = set()
    for document in read:
        if isinstance(document, Failure):
            failures.append(document)
            say(f"skipped {document.path}: {document.reason}")
            continue
        try:
            made = documents.prepare(document)
        except SourceError as error:
            failures.append(Failure(error.path or document.id, str(error)))
            say(f"skipped {document.id}: {error}")
            continue
        new = list({one.chunk.id: one for one in made if one.chunk.id not in seen}.values())
        seen.update(one.chunk.id for one in new)
        announce(document.id, len(new))
        yield from new


def _spelt(document: Document) -> bytes:
    fields = [document.id, document.kind, document.text, dict(document.metadata), dict(document.includes)]
    return json.dumps(fields, ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")


def _prepare(chunk: Chunk) -> Prepared:
    frequencies, length = keyword_terms(chunk)
    terms = json.dumps([frequencies, length], ensure_ascii=False, separators=(",", ":"))
    return Prepared(chunk, tuple(scan_chunk(chunk)), terms.encode("utf-8", "surrogatepass"))


def _pack(made: Iterable[Prepared]) -> bytes:
    """Three lines a chunk: itself as a segment stores it, its terms, its finds."""
    lines = []
    for one in made:
        finds = [[find.rule, find.document_id, find.place, find.excerpt] for find in one.finds]
        lines += [chunk_line(one.chunk), one.terms, b"\n", canonical_json(finds), b"\n"]
    return b"".join(lines)


def _unpack(data: bytes) -> Iterator[Prepared]:
    lines = iter(data.splitlines())
    for line, terms, finds in zip(lines, lines, lines, strict=True):
        yield Prepared(read_line(line), tuple(Find(*fields) for fields in json.loads(finds)), terms)
