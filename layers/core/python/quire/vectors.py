"""The rows of an index and how the best of them become a ranking of chunks; shared by every kind of vector index."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quire.fusion import EMPTY, Ranking, rank
from quire.ports import Ordinals, Vectors
from quire.quantization import cosines

EXACT_ROWS = 8192  # up to here every row is compared exactly: 0.65 ms at 384 dimensions
CANDIDATES = 400
CANDIDATES_PER_HIT = 4


def candidates_for(limit: int) -> int:
    """Rows to compare exactly for `limit` chunks, where an approximation proposes them."""
    return max(CANDIDATES, CANDIDATES_PER_HIT * limit)


@dataclass(frozen=True, slots=True, eq=False)
class VectorArrays:
    """The vectors of a segment, as its file holds them.

    Attributes:
        codes, scales: the rows, see `quire.quantization.Quantized`.
        bits: their sign bits, see `quire.quantization.sign_bits`.
        mean: the row that the bits are relative to.
        owners: uint32, shape (n,): ordinal of the chunk that each row belongs to, ascending.
    """

    codes: NDArray[np.int8]
    scales: NDArray[np.float32]
    bits: NDArray[np.uint64]
    mean: NDArray[np.float32]
    owners: Ordinals

    def __len__(self) -> int:
        return len(self.codes)


def rows_of(owners: Ordinals, chunks: Ordinals) -> NDArray[np.intp]:
    """Rows that belong to the chunks (sorted, unique), ascending."""
    begins = np.searchsorted(owners, chunks, side="left")
    ends = np.searchsorted(owners, chunks, side="right")
    counts = ends - begins
    total = np.cumsum(counts)
    size = int(total[-1]) if len(total) else 0
    rows: NDArray[np.intp] = np.arange(size) + np.repeat(begins - (total - counts), counts)
    return rows


def score_rows(arrays: VectorArrays, vector: Vectors, rows: NDArray[np.intp], limit: int) -> Ranking:
    """Best chunks among some rows (ascending), by exact cosine."""
    block = 8192
    parts = [
        cosines(arrays.codes[rows[i : i + block]], arrays.scales[rows[i : i + block]], vector)
        for i in range(0, len(rows), block)
    ]
    return best_of_owners(arrays.owners[rows], np.concatenate(parts), limit) if parts else EMPTY


def best_of_owners(owners: Ordinals, scores: NDArray[np.float32], limit: int) -> Ranking:
    """Each owner once with its best score; `owners` ascending."""
    if len(owners) == 0:
        return EMPTY
    heads = np.flatnonzero(np.diff(owners, prepend=owners[:1] ^ np.uint32(1)))
    return rank(owners[heads], np.maximum.reduceat(scores, heads), limit)
