"""Approximate nearest chunks of large segments: the rows of the nearest cells, sifted by their sign bits, then exact.

A cell has the rows that are nearer to its centre than to any other centre. Of the cells nearest to a question the sign
bits are compared, which lie cell by cell; then those of the fewer rows that are left are weighed by the question's own
numbers, and what is left of these is scored exactly. All of it counts in whole numbers, see
`quire.embedding.quantization`, so a question finds the same everywhere. Source: Jégou et al., "Product quantization for
nearest neighbor search", IEEE TPAMI 2011, for the inverted file.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from quire.embedding.quantization import cosines, whole_question, words
from quire.errors import ArtifactCorrupt
from quire.index.exact import bit_distances, question_bits
from quire.index.vectors import VectorArrays, score_rows
from quire.ordinals import contains
from quire.ranking import EMPTY, Ranking

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quire.index.tensors import Array
    from quire.ports import Ordinals, VectorIndex, Vectors

PROBED = 512
SCORED, SCORED_A_HIT, COMPARED = 2000, 8, 8
"""Cells whose bits are compared; rows that are scored exactly, at least and for each row that the wanted chunks have;
and how many times as many are weighed before. Real questions lie further from passages than these from each other: 405
of them over a million rows made of 31,882 real ones find .982 of the ten nearest and .955 of the 120 nearest (.973 and
.921 with 1,000 scored, 2 ms of CPU less; .989 and .974 with 768 cells and 3,000 scored, 5 ms more)."""
BLOCK_COLUMNS = 1 << 14
"""Columns that are compared at a time: 0.8 MB."""


class CellArrays(NamedTuple):
    """The cells of a segment's vectors, as its file holds them.

    Attributes:
        codes: int8, shape (cells, d): the centres.
        scales: float32, shape (cells,): 1 over the length of each, 0 for one without length.
        starts: uint32, shape (cells + 1,): where the rows of each cell begin, then where the last one's end.
        rows: uint32, shape (n,): the rows cell by cell, ascending in each.
        bits: uint64, shape (words, n): their sign bits, in the order of `rows`.
    """

    codes: NDArray[np.int8]
    scales: NDArray[np.float32]
    starts: NDArray[np.uint32]
    rows: NDArray[np.uint32]
    bits: NDArray[np.uint64]


class CellVectors:
    """`VectorIndex` over rows in cells.

    Args:
        arrays: the rows.
        cells: theirs.
        hidden: chunks that are never found.
        exact: answers filtered questions, and those for which the cells propose too few chunks.
    """

    def __init__(self, arrays: VectorArrays, cells: CellArrays, hidden: Ordinals, exact: VectorIndex) -> None:
        self._arrays = arrays
        self._cells = cells
        self._hidden = hidden
        self._exact = exact
        _check(arrays, cells)

    def nearest(self, vector: Vectors, limit: int, allowed: Ordinals | None = None) -> Ranking:
        """See `quire.ports.VectorIndex`.

        Raises:
            ArtifactCorrupt: a damaged file names a row that there is not.
        """
        if limit <= 0 or not len(self._arrays):
            return EMPTY
        if allowed is not None:
            return self._exact.nearest(vector, limit, allowed)
        rows = self._proposed(vector, limit)
        if len(rows) and int(rows[-1]) >= len(self._arrays):
            raise ArtifactCorrupt(f"cells: damaged, they name row {rows[-1]} of {len(self._arrays)}")
        if len(self._hidden):
            rows = rows[~contains(self._hidden, self._arrays.owners[rows])]
        found = score_rows(self._arrays, vector, rows, limit)
        return found if len(found) == limit else self._exact.nearest(vector, limit)

    def _proposed(self, vector: Vectors, limit: int) -> NDArray[np.intp]:
        """Rows that are likely the nearest, ascending."""
        wanted = max(SCORED, int(SCORED_A_HIT * self._arrays.rows_a_chunk * limit))
        cells, starts = self._cells, self._cells.starts.astype(np.intp)
        probed = _best(cosines(cells.codes, cells.scales, vector), PROBED)
        begins, ends = starts[probed], starts[probed + 1]
        near = _least(_distances(cells.bits, begins, ends, vector), COMPARED * wanted)
        before = np.cumsum(ends - begins)
        of_cell = before.searchsorted(near, side="right")
        places = near + (ends - before)[of_cell]
        best = places[_best(weigh(cells.bits.take(places, axis=1), vector), wanted)]
        return np.sort(cells.rows[best].astype(np.intp))

    def cosines(self, vector: Vectors, ordinals: Ordinals) -> NDArray[np.float32]:
        """See `quire.ports.VectorIndex`."""
        return self._exact.cosines(vector, ordinals)


def _check(arrays: VectorArrays, cells: CellArrays) -> None:
    """Raise `ArtifactCorrupt` where the cells are not such as the rows have."""
    rows, dimensions, count = *arrays.codes.shape, len(cells.scales)
    wanted = CellArrays(
        codes=np.empty((count, dimensions), np.int8),
        scales=np.empty(count, np.float32),
        starts=np.empty(count + 1, np.uint32),
        rows=np.empty(rows, np.uint32),
        bits=np.empty((words(dimensions), rows), np.uint64),
    )
    for name in CellArrays._fields:
        found: Array = getattr(cells, name)
        like: Array = getattr(wanted, name)
        if (found.dtype, found.shape) != (like.dtype, like.shape):
            raise ArtifactCorrupt(
                f"cells: {name}: wanted {like.dtype} {like.shape}, found {found.dtype} {found.shape}"
            )
    if cells.starts[-1] != rows or (cells.starts[1:] < cells.starts[:-1]).any():
        raise ArtifactCorrupt(f"cells: starts: wanted to end at {rows}, ascending; found {cells.starts[-1]}")


def _distances(
    bits: NDArray[np.uint64], begins: NDArray[np.intp], ends: NDArray[np.intp], vector: Vectors
) -> NDArray[np.uint16]:
    """Differing bits of the question and each column of the spans, end to end; some spans at a time, for the caches."""
    question, found, held = question_bits(vector), [], 0
    spans = []
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        spans.append(bits[:, begin:end])
        held += end - begin
        if held >= BLOCK_COLUMNS or end == ends[-1]:
            found.append(bit_distances(np.concatenate(spans, axis=1), question))
            spans, held = [], 0
    return np.concatenate([np.empty(0, np.uint16), *found])


def _least(distances: NDArray[np.uint16], count: int) -> NDArray[np.intp]:
    """Places of the smallest, ascending: so many, and those that equal the largest of them."""
    if count >= len(distances):
        return np.arange(len(distances))
    return np.flatnonzero(distances <= np.partition(distances, count - 1)[count - 1])


def weigh(bits: NDArray[np.uint64], vector: Vectors) -> NDArray[np.float32]:
    """The sum of the question's numbers where a row's bits are set, for each column.

    Eight bits are looked up at a time in a table of their 256 sums, in two thirds of the time that a product takes.
    """
    numbers = np.zeros((8 * len(bits), 8), np.float32)
    numbers.reshape(-1)[: len(vector)] = whole_question(vector)
    patterns = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    tables = numbers @ patterns.T.astype(np.float32)
    weights = np.zeros(bits.shape[1], np.float32)
    columns = chain.from_iterable(word.view(np.uint8).reshape(-1, 8).T for word in bits)
    for column, table in zip(columns, tables, strict=True):
        weights += table.take(column)
    return weights


def _best(scores: NDArray[np.generic], count: int) -> NDArray[np.intp]:
    """Places of the largest, ascending: so many, and those that equal the least of them."""
    if count >= len(scores):
        return np.arange(len(scores))
    floor = np.partition(scores, len(scores) - count)[len(scores) - count]
    return np.flatnonzero(scores >= floor)
