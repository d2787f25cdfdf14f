"""Vectors of the questions that a build asks its own index, kept between builds: a rebuild asks nearly the same."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from quire.ports import Embedder, Vectors

BUSY_S = 60.0
CHECK_BYTES = 4
TABLE = "CREATE TABLE IF NOT EXISTS questions (key BLOB PRIMARY KEY, row BLOB) WITHOUT ROWID"

_log = logging.getLogger(__name__)


class CachedQuestions:
    """An embedder whose questions come from the file where it has them; passages always come from the model.

    Use it as a context manager: what was asked is kept at the end, and what was not is forgotten. A file or row that is
    damaged costs time, never a wrong vector.
    """

    def __init__(self, embedder: Embedder, path: Path) -> None:
        self.dimensions = embedder.dimensions
        self.digest = embedder.digest
        self._embedder = embedder
        self._path = path
        self._kept: dict[bytes, bytes] = {}
        self._asked: dict[bytes, bytes] = {}

    def __enter__(self) -> Self:
        try:
            with closing(self._connect()) as connection:
                self._kept = dict(connection.execute("SELECT key, row FROM questions"))
        except sqlite3.Error as error:
            _log.warning("%s: the cache of questions cannot be read, all are embedded: %s", self._path, error)
            if not isinstance(error, sqlite3.OperationalError):  # damaged, and not merely in use
                self._path.unlink(missing_ok=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None or self._asked == self._kept:
            return
        try:
            with closing(self._connect()) as connection, connection:
                connection.execute("DELETE FROM questions")
                connection.executemany("INSERT INTO questions VALUES (?, ?)", self._asked.items())
        except sqlite3.Error as failure:
            _log.warning("%s: the cache of questions cannot be written: %s", self._path, failure)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `quire.ports.Embedder`."""
        return np.concatenate([np.empty((0, self.dimensions), np.float32), *map(self._row, texts)])

    def embed_passages(self, passages: Sequence[tuple[str, str]]) -> Iterator[Vectors]:
        """See `quire.ports.Embedder`."""
        return self._embedder.embed_passages(passages)

    def _row(self, text: str) -> Vectors:
        key = hashlib.sha256(f"{self.digest}\0{text}".encode("utf-8", "surrogatepass")).digest()
        packed = self._asked.get(key) or self._kept.get(key, b"")
        row, check = packed[:-CHECK_BYTES], packed[-CHECK_BYTES:]
        if len(row) != 4 * self.dimensions or _checksum(row) != check:
            row = self._embedder.embed([text]).astype("<f4").tobytes()
        self._asked[key] = row + _checksum(row)
        return np.frombuffer(row, "<f4").reshape(1, -1).astype(np.float32)

    def _connect(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=BUSY_S)
        try:
            connection.execute(TABLE)
        except sqlite3.Error:
            connection.close()
            raise
        return connection


def _checksum(row: bytes) -> bytes:
    return zlib.crc32(row).to_bytes(CHECK_BYTES, "little")
