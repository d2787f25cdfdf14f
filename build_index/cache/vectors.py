"""Vectors of passages by content, kept between builds in one SQLite file: a rebuild embeds only what changed."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import numpy as np

from quire.embedding.quantization import Quantized, quantize
from quire.errors import StoreError
from quire.ports import Embedder

Passage: TypeAlias = tuple[str, str]

BLOCK = (
    4096  # passages looked up at once; the threads run dry once a block, for less than 0.1 s of its minute
)
COMMIT_EVERY = 64  # an interrupted build loses at most so many vectors, about a second of work
LOOKUP = 500  # keys in one query: older SQLite builds take at most 999 parameters
BUSY_S = 60.0  # how long one process waits for another's write

_log = logging.getLogger(__name__)


class CachedVectors:
    """Passages to quantized vectors, from the cache where it has them, else from the embedder.

    Cached and fresh vectors are the same bytes: what is stored is what `quantize` gave. Several processes may use one
    file at once. A damaged row is embedded again; a damaged file is replaced by an empty one; both with a warning.

    Attributes:
        hits, misses: passages answered from the cache, and by the embedder; a passage that comes again in its block
            is a hit.
    """

    def __init__(self, embedder: Embedder, path: Path) -> None:
        self.hits = 0
        self.misses = 0
        self._embedder = embedder
        self._path = path

    @property
    def tokens(self) -> int:
        """Tokens that the embedder ran so far, where it counts them; else 0."""
        return int(getattr(self._embedder, "tokens", 0))

    def __call__(self, passages: Iterable[Passage]) -> Iterator[Quantized]:
        """One Quantized for each passage `(prefix, text)`, in order, a row for each window; lazy.

        Raises:
            ModelError: the model fails.
            StoreError: the cache file cannot be written.
        """
        source = iter(passages)
        while block := list(islice(source, BLOCK)):
            yield from self._answer(block)

    def _answer(self, block: Sequence[Passage]) -> Iterator[Quantized]:
        keys = [passage_key(self._embedder.digest, passage) for passage in block]
        ready = self._read(keys)
        wanted = {key: passage for key, passage in zip(keys, block, strict=True) if key not in ready}
        self.misses += len(wanted)
        self.hits += len(block) - len(wanted)
        fresh: dict[bytes, Quantized] = {}
        rows = self._embedder.embed_passages(list(wanted.values()))
        arriving = zip(wanted, rows, strict=True)
        try:
            for key in keys:
                while key not in ready:
                    name, vectors = next(arriving)
                    ready[name] = fresh[name] = quantize(vectors)
                    if len(fresh) >= COMMIT_EVERY:
                        self._write(fresh)
                        fresh.clear()
                yield ready[key]
        finally:
            self._write(fresh)

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, Quantized]:
        try:
            return dict(self._rows(keys))
        except sqlite3.OperationalError as error:
            raise StoreError(f"{self._path}: vector cache: cannot be read: {error}") from error
        except sqlite3.DatabaseError as error:
            self._replace(error)
            return {}

    def _rows(self, keys: Sequence[bytes]) -> Iterator[tuple[bytes, Quantized]]:
        width = self._embedder.dimensions
        with closing(self._connect()) as connection:
            for start in range(0, len(keys), LOOKUP):
                some = keys[start : start + LOOKUP]
                marks = ",".join("?" * len(some))
                query = f"SELECT key, data FROM vectors WHERE key IN ({marks})"  # noqa: S608 - only question marks
                for key, data in connection.execute(query, some):
                    found = unpack(data, width)
                    if found is None:
                        _log.warning("%s: a damaged vector is embedded again", self._path)
                    else:
                        yield key, found

    def _write(self, fresh: Mapping[bytes, Quantized]) -> None:
        if not fresh:
            return
        rows = [(key, pack(vectors)) for key, vectors in fresh.items()]
        try:
            self._insert(rows)
        except sqlite3.OperationalError as error:
            raise StoreError(f"{self._path}: vector cache: cannot be written: {error}") from error
        except sqlite3.DatabaseError as error:
            self._replace(error)
            self._insert(rows)

    def _insert(self, rows: Sequence[tuple[bytes, bytes]]) -> None:
        with closing(self._connect()) as connection, connection:
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

    def _connect(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=BUSY_S)
        try:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, data BLOB) WITHOUT ROWID"
            )
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _replace(self, error: sqlite3.DatabaseError) -> None:
        _log.warning("%s: the vector cache is damaged and is made again: %s", self._path, error)
        for suffix in ("", "-journal"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)


def passage_key(digest: str, passage: Passage) -> bytes:
    """What a passage's vectors are found by: sha256 over the model's digest and the passage's own sha256."""
    content = hashlib.sha256("\0".join(passage).encode("utf-8", "surrogatepass")).digest()
    return hashlib.sha256(bytes.fromhex(digest) + content).digest()


def pack(vectors: Quantized) -> bytes:
    """Scales, then codes, then a CRC-32 of both, little-endian."""
    body = vectors.scales.astype("<f4").tobytes() + vectors.codes.tobytes()
    return body + zlib.crc32(body).to_bytes(4, "little")


def unpack(data: object, dimensions: int) -> Quantized | None:
    """What `pack` packed; None where the bytes are not sound."""
    if not isinstance(data, bytes):
        return None
    body, check = data[:-4], data[-4:]
    count, rest = divmod(len(body), 4 + dimensions)
    if rest or not count or zlib.crc32(body).to_bytes(4, "little") != check:
        return None
    scales = np.frombuffer(body, "<f4", count=count).astype(np.float32, copy=False)
    codes = np.frombuffer(body, np.int8, offset=4 * count).reshape(count, dimensions)
    return Quantized(codes, scales)
