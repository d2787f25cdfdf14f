"""The rows of an index and how the best of them become a ranking of chunks; shared by every kind of vector index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from quire.embedding.quantization import cosines
from quire.ranking import EMPTY, Ranking, ranges, rank

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quire.index.tensors import FileRows
    from quire.ports import Ordinals, Vectors

EXACT_ROWS = 8192  # up to here every row is compared exactly: 0.65 ms at 384 dimensions
CANDIDATES, CANDIDATES_PER_HIT, ROWS_PER_CANDIDATE = 800, 8, 32
"""On 26,257 real vectors, against comparing all: recall@10 .984 / .993 / .999 with 400 / 800 / 1,600 candidates, and
recall@200 .96 / .988 with 1,600 / 3,200; a thousand more cost 0.1 ms."""

MOST_READ = 8192
"""Rows of a large segment that are read one by one; what wants more of them maps the file."""


def candidates_for(limit: int, rows: int) -> int:
    """Rows to compare exactly for `limit` chunks among `rows`, where an approximation proposes them."""
    return max(CANDIDATES, CANDIDATES_PER_HIT * limit, rows // ROWS_PER_CANDIDATE)


class CellArrays(NamedTuple):
    """The cells of a segment's vectors, as its file holds them.

    Attributes:
        codes: int8, shape (cells, d): the centres.
        scales: float32, shape (cells,): 1 over the length of each, 0 for one without length.
        lengths: float32, shape (cells,): of the mean of a cell's rows, along the centre.
        starts: uint32, shape (cells + 1,): where the rows of each cell begin, then where the last one's end.
        rows: uint32, shape (n,): the rows cell by cell, ascending in each.
        bits: uint64, shape (words, n): signs of what they have beyond their cell's mean, in the order of `rows`.
        factors: float32, shape (n,): what makes an estimate of those, likewise: the squared length of what a row has
            beyond the mean by the sum of its magnitudes.
    """

    codes: NDArray[np.int8]
    scales: NDArray[np.float32]
    lengths: NDArray[np.float32]
    starts: NDArray[np.uint32]
    rows: NDArray[np.uint32]
    bits: NDArray[np.uint64]
    factors: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class VectorArrays:
    """The vectors of a segment, as its file holds them.

    Attributes:
        codes, scales: the rows, see `quire.embedding.quantization.Quantized`.
        bits: their sign bits, see `quire.embedding.quantization.sign_bits`.
        mean: the row that the bits are relative to.
        owners: uint32, shape (n,): ordinal of the chunk that each row belongs to, ascending.
        cells: where the rows are so many that they are divided.
        file: the codes as they lie in their file, where few of them shall be mapped.
    """

    codes: NDArray[np.int8]
    scales: NDArray[np.float32]
    bits: NDArray[np.uint64]
    mean: NDArray[np.float32]
    owners: Ordinals
    cells: CellArrays | None = None
    file: FileRows | None = None

    @property
    def rows_a_chunk(self) -> float:
        """How many rows a chunk has in the mean."""
        return len(self) / (int(self.owners[-1]) + 1) if len(self) else 0.0

    def cosines(self, vector: Vectors, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        """Exact cosine of the vector with each of the rows."""
        if self.file is None or len(rows) > MOST_READ:
            return cosines(self.codes, self.scales, vector, rows)
        return cosines(self.file.take(rows), self.scales[rows], vector)

    def __len__(self) -> int:
        return len(self.codes)


def rows_of(owners: Ordinals, chunks: Ordinals) -> NDArray[np.intp]:
    """Rows that belong to the chunks (sorted, unique), ascending."""
    begins = np.searchsorted(owners, chunks, side="left")
    ends = np.searchsorted(owners, chunks, side="right")
    return ranges(begins, ends - begins)


def score_rows(arrays: VectorArrays, vector: Vectors, rows: NDArray[np.intp], limit: int) -> Ranking:
    """Best chunks among some rows (ascending), by exact cosine."""
    return best_of_owners(arrays.owners[rows], arrays.cosines(vector, rows), limit)


def cosines_of(arrays: VectorArrays, vector: Vectors, chunks: Ordinals) -> NDArray[np.float32]:
    """Best exact cosine of each of the chunks (sorted, unique), in their order; 0 for one without rows."""
    rows = rows_of(arrays.owners, chunks)
    if not len(rows):
        return np.zeros(len(chunks), np.float32)
    owners, best = _best_rows(arrays.owners[rows], arrays.cosines(vector, rows))
    if len(owners) == len(chunks):
        return best
    every = np.zeros(len(chunks), np.float32)
    every[np.searchsorted(chunks, owners)] = best
    return every


def best_of_owners(owners: Ordinals, scores: NDArray[np.float32], limit: int) -> Ranking:
    """Each owner once with its best score; `owners` ascending."""
    return rank(*_best_rows(owners, scores), limit) if len(owners) else EMPTY


def _best_rows(owners: Ordinals, scores: NDArray[np.float32]) -> tuple[Ordinals, NDArray[np.float32]]:
    """Each owner once, ascending, and its best score; there is at least one."""
    is_head = np.empty(len(owners), np.bool_)
    is_head[0] = True
    np.not_equal(owners[1:], owners[:-1], out=is_head[1:])
    heads = is_head.nonzero()[0]
    return owners[heads], np.maximum.reduceat(scores, heads)
