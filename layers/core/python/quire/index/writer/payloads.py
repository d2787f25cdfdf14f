"""Writes the stored text of a segment: one chunk a line of canonical JSON, in shards."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quire.index.layout import PAYLOADS, payload_shard
from quire.index.lines import chunk_line
from quire.index.tensors import Array, FileFacts
from quire.index.writer.kept_rows import KeptRows
from quire.index.writer.rows import IndexRow, Spool

SHARD_BYTES = 1_000_000
"""A function that starts fetches whole shards, of those lines alone that its first answers read."""


class PayloadsWriter:
    """Spools lines to disk as they come; memory holds 8 bytes a chunk."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._begins = array("Q")

    def add(self, row: IndexRow) -> None:
        """Add the next row's chunk."""
        self._append(row.line or chunk_line(row.chunk))

    def add_kept(self, kept: KeptRows) -> None:
        """Add the chunks of kept rows."""
        for line in kept.lines():
            self._append(line)

    def _append(self, line: bytes) -> None:
        self._begins.append(self._spool.size)
        self._spool.append(line)

    def finish(self, folder: Path, order: NDArray[np.intp]) -> tuple[dict[str, FileFacts], dict[str, Array]]:
        """Write the shards; give their facts and the arrays that locate a line."""
        bounds = np.append(np.asarray(self._begins, np.int64), self._spool.size)
        begins, ends = bounds[:-1][order], bounds[1:][order]
        sizes = ends - begins
        (folder / PAYLOADS).mkdir()
        files: dict[str, FileFacts] = {}
        shards = [0]
        for number, (first, last) in enumerate(_shards(sizes)):
            data = self._spool.gathered(begins[first:last], ends[first:last])
            (folder / payload_shard(number)).write_bytes(data)
            files[payload_shard(number)] = FileFacts(len(data), hashlib.sha256(data).hexdigest())
            shards.append(last)
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint64)
        return files, {"payload.offsets": offsets, "payload.shards": np.array(shards, np.uint32)}


def _shards(sizes: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Spans of ordinals whose lines fill a shard: the first line that passes SHARD_BYTES ends it."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        done = ends[first - 1] if first else 0
        last = min(int(np.searchsorted(ends, done + SHARD_BYTES)) + 1, len(sizes))
        yield first, last
        first = last
