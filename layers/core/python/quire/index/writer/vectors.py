"""Writes the vectors of a segment: codes, scales, sign bits and the chunk that owns each row."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.embedding.quantization import Quantized, mean_row, restore, sign_bits, words
from quire.errors import ArtifactMismatch
from quire.index.layout import VECTORS
from quire.index.tensors import FileFacts, Streamed, give_back, write_tensors
from quire.index.writer.kept_rows import KeptRows
from quire.index.writer.rows import Spool, gather
from quire.ranking import ranges

BLOCK = 1024
SUMMED = 8192  # the mean's last bit depends on how many rows are summed at a time


class VectorsWriter:
    """Spools codes to disk as they come; memory holds 4 bytes a vector and 4 a chunk."""

    def __init__(self, spool: Spool, dimensions: int) -> None:
        self._spool = spool
        self._dimensions = dimensions
        self._scales = array("f")
        self._counts = array("I")

    def __len__(self) -> int:
        return len(self._scales)

    def add(self, chunk_id: str, vectors: Quantized) -> None:
        """Add the next chunk's rows.

        Raises:
            ArtifactMismatch: they are not as wide as the segment's vectors.
        """
        if len(vectors) and vectors.codes.shape[1] != self._dimensions:
            raise ArtifactMismatch(
                f"chunk {chunk_id}: vectors of {vectors.codes.shape[1]} dimensions, wanted {self._dimensions}"
            )
        self._spool.append(vectors.codes.tobytes())
        self._scales.frombytes(vectors.scales.tobytes())
        self._counts.append(len(vectors))

    def add_kept(self, kept: KeptRows) -> None:
        """Add the vectors of kept rows.

        Raises:
            ArtifactMismatch: they are not as wide as the segment's vectors.
        """
        arrays = kept.segment.vectors
        if arrays.codes.shape[1] != self._dimensions:
            raise ArtifactMismatch(
                f"kept rows: vectors of {arrays.codes.shape[1]} dimensions, wanted {self._dimensions}"
            )
        held = np.flatnonzero(kept.is_kept[arrays.owners])
        for block in gather(arrays.codes, held):
            self._spool.append(block.tobytes())
            give_back(arrays.codes)
        self._scales.frombytes(arrays.scales[held].tobytes())
        counts = np.bincount(arrays.owners, minlength=kept.segment.chunk_count)[kept.ordinals]
        self._counts.frombytes(counts.astype(np.uint32).tobytes())

    def finish(self, folder: Path, order: NDArray[np.intp]) -> FileFacts:
        """Write the file; `order[ordinal]` is the number of the row that got that ordinal, or is still to come."""
        counts = np.zeros(len(order), np.intp)
        counts[: len(self._counts)] = self._counts
        rows = ranges((np.cumsum(counts) - counts)[order], counts[order])
        scales = np.asarray(self._scales)[rows]
        owners = np.repeat(np.arange(len(order), dtype=np.uint32), counts[order])
        mean = mean_row(self._blocks(rows, scales, SUMMED), self._dimensions)
        bits = np.empty((words(self._dimensions), len(rows)), np.uint64)
        for start, block in zip(range(0, len(rows), BLOCK), self._blocks(rows, scales), strict=True):
            bits[:, start : start + len(block)] = sign_bits(restore(block), mean)
        codes = self._spool.records(rows, self._dimensions, BLOCK)
        arrays: dict[str, Any] = {
            "codes": Streamed(np.dtype("i1"), (len(rows), self._dimensions), codes),
            "scales": scales,
            "owners": owners,
            "mean": mean,
            "bits": bits,
        }
        return write_tensors(folder / VECTORS, arrays)

    def _blocks(
        self, rows: NDArray[np.intp], scales: NDArray[np.float32], size: int = BLOCK
    ) -> Iterator[Quantized]:
        """Rows in their final order, so many at a time."""
        blocks = self._spool.records(rows, self._dimensions, size)
        starts = range(0, len(rows), size)
        return (
            Quantized(block, scales[start : start + size])
            for start, block in zip(starts, blocks, strict=True)
        )
