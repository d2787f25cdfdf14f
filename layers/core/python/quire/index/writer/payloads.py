"""Writes the stored text of a segment: one chunk a line of canonical JSON, in shards."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quire.canonical_json import canonical_json
from quire.documents import Chunk
from quire.errors import ArtifactError
from quire.index.layout import PAYLOADS, payload_shard
from quire.index.tensors import Array, FileFacts
from quire.index.writer.kept import KeptRows
from quire.index.writer.rows import IndexRow, Spool

SHARD_BYTES = 4_000_000


def chunk_line(chunk: Chunk) -> bytes:
    """The chunk as its line: canonical JSON of all fields, empty ones left out, and a newline.

    Raises:
        ArtifactError: the text cannot be UTF-8 (a lone surrogate) or a number is not finite.
    """
    fields = chunk._asdict()
    fields["metadata"] = dict(chunk.metadata)
    try:
        return canonical_json({name: value for name, value in fields.items() if value}) + b"\n"
    except (ValueError, TypeError) as error:
        raise ArtifactError(
            f"chunk {chunk.id} of {chunk.document_id}: cannot be stored as JSON: {error}"
        ) from error


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
        sizes = np.diff(bounds)[order]
        lines = self._spool.pieces(zip(bounds[order].tolist(), bounds[order + 1].tolist(), strict=True))
        (folder / PAYLOADS).mkdir()
        files: dict[str, FileFacts] = {}
        shards = [0]
        for number, (first, last) in enumerate(_shards(sizes)):
            digest = hashlib.sha256()
            with (folder / payload_shard(number)).open("wb") as file:
                for line in islice(lines, last - first):
                    file.write(line)
                    digest.update(line)
            files[payload_shard(number)] = FileFacts(int(sizes[first:last].sum()), digest.hexdigest())
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
