"""Approximate nearest chunks of large segments: rows of near cells, sifted by estimates of their cosines, then exact.

A cell has the rows that are nearer to its centre than to any other centre. Of each row a bit a dimension tells on which
side of the cell's mean it lies, and a factor how far: so a question's cosine with the mean, plus the factor times what
its numbers give by those bits, estimates its cosine with the row. How many cells a question looks into depends on
itself: those whose means are nearest first, then as many as may hold better rows than these held. The estimates of all
their rows take the question's own signs too; those of the rows that are left its numbers; and what is left of these is
scored exactly. All that is added up are whole numbers, see `quire.embedding.quantization`, so a question finds the same
everywhere. Sources: Jégou et al., "Product quantization for nearest neighbor search", IEEE TPAMI 2011, for the inverted
file; Gao and Long, "RaBitQ", SIGMOD 2024, for the estimate.
"""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from quire.embedding.quantization import cosines, question_step, whole_question, words
from quire.errors import ArtifactCorrupt
from quire.index.exact import bit_distances, question_bits
from quire.index.vectors import CellArrays, VectorArrays, score_rows
from quire.ordinals import contains
from quire.ranking import EMPTY, Ranking

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quire.index.tensors import Array
    from quire.ports import Ordinals, VectorIndex, Vectors

FIRST, MOST = 256, 1536
"""Cells that are looked into in any case, and at most."""
LEADING, FLOOR, MARGIN = 40, 10, 0.34
"""So many rows of the first cells are scored exactly; further cells are looked into whose centres' cosines with the
question are at most the margin below the score of the tenth of them."""
SCORED, SCORED_A_HIT, COMPARED = 1500, 8, 8
"""Rows that are scored exactly, at least and for each row that the wanted chunks have; and how many times as many are
estimated by the question's numbers before. 405 real questions over a million rows made of 39,412 real ones find .996
of the ten nearest, a half of them in no more than 350 cells."""
BLOCK_COLUMNS = 1 << 15
"""Columns that are compared at a time: 1.6 MB."""


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
        if len(self._hidden):
            rows = rows[~contains(self._hidden, self._arrays.owners[rows])]
        found = score_rows(self._arrays, vector, rows, limit)
        return found if len(found) == limit else self._exact.nearest(vector, limit)

    def _proposed(self, vector: Vectors, limit: int) -> NDArray[np.intp]:
        """Rows that are likely the nearest, ascending."""
        cells = self._cells
        wanted = max(SCORED, int(SCORED_A_HIT * self._arrays.rows_a_chunk * limit))
        of_centres = cosines(cells.codes, cells.scales, vector)
        near = of_centres * cells.lengths
        order = np.argsort(-of_centres, kind="stable")
        places, estimates = sift(cells, near, order[:FIRST], vector, count=COMPARED * wanted)
        leading = places[_best(estimates, COMPARED * LEADING)]
        leading = leading[_best(weigh(cells, near, leading, vector), LEADING)]
        far = reach(of_centres[order], self._arrays.cosines(vector, self._rows(leading)))
        if far > FIRST:
            more, theirs = sift(cells, near, order[FIRST:far], vector, count=COMPARED * wanted)
            places, estimates = np.concatenate([places, more]), np.concatenate([estimates, theirs])
            places = places[_best(estimates, COMPARED * wanted)]
        return self._rows(places[_best(weigh(cells, near, places, vector), wanted)])

    def _rows(self, places: NDArray[np.intp]) -> NDArray[np.intp]:
        """The rows of those columns, ascending."""
        rows = np.sort(self._cells.rows[places].astype(np.intp))
        if len(rows) and int(rows[-1]) >= len(self._arrays):
            raise ArtifactCorrupt(f"cells: damaged, they name row {rows[-1]} of {len(self._arrays)}")
        return rows

    def cosines(self, vector: Vectors, ordinals: Ordinals) -> NDArray[np.float32]:
        """See `quire.ports.VectorIndex`."""
        return self._exact.cosines(vector, ordinals)


def _check(arrays: VectorArrays, cells: CellArrays) -> None:
    """Raise `ArtifactCorrupt` where the cells are not such as the rows have."""
    rows, dimensions, count = *arrays.codes.shape, len(cells.scales)
    wanted = CellArrays(
        codes=np.empty((count, dimensions), np.int8),
        scales=np.empty(count, np.float32),
        lengths=np.empty(count, np.float32),
        starts=np.empty(count + 1, np.uint32),
        rows=np.empty(rows, np.uint32),
        bits=np.empty((words(dimensions), rows), np.uint64),
        factors=np.empty(rows, np.float32),
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


def reach(of_centres: NDArray[np.float32], scores: NDArray[np.float32]) -> int:
    """How many cells a question looks into, by its cosines with their centres, best first, and with the best rows.

    >>> far = np.linspace(0.9, -0.9, 4000, dtype=np.float32)
    >>> [reach(far, np.full(40, score, np.float32)) for score in (0.95, 0.8, 0.1)]
    [645, 978, 1536]
    """
    floor = np.sort(scores)[-FLOOR] if len(scores) >= FLOOR else -np.inf
    return max(FIRST, min(int(np.searchsorted(-of_centres, MARGIN - floor)), MOST))


def sift(
    cells: CellArrays, near: NDArray[np.float32], probed: NDArray[np.intp], vector: Vectors, *, count: int
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Columns of the probed cells whose rows are likely nearest, by the question's signs alone, and their estimates.

    So many, and those that equal the least of them; some cells are compared at a time, for the caches.
    """
    signs, starts = question_bits(vector), cells.starts.astype(np.intp)
    step = question_step(len(vector)) / len(vector)
    magnitude = np.float32(np.abs(whole_question(vector)).sum(dtype=np.float64) * step)
    begins, ends = starts[probed], starts[probed + 1]
    borders = np.flatnonzero(np.diff(np.cumsum(ends - begins) // BLOCK_COLUMNS, prepend=-1)).tolist()
    found = []
    for first, last in pairwise([*borders, len(probed)]):
        spans = [*map(slice, begins[first:last].tolist(), ends[first:last].tolist())]
        distances = bit_distances(np.concatenate([cells.bits[:, span] for span in spans], axis=1), signs)
        estimated = distances * (-2 * magnitude)
        estimated += len(vector) * magnitude
        estimated *= np.concatenate([cells.factors[span] for span in spans])
        estimated += near[probed[first:last]].repeat(ends[first:last] - begins[first:last])
        found.append(estimated)
    estimates = np.concatenate([np.empty(0, np.float32), *found])
    best = _best(estimates, count)
    before = np.cumsum(ends - begins)
    places = best + (ends - before)[before.searchsorted(best, side="right")]
    return places, estimates[best]


def weigh(
    cells: CellArrays, near: NDArray[np.float32], places: NDArray[np.intp], vector: Vectors
) -> NDArray[np.float32]:
    """Estimated cosines of the question with the rows of those columns."""
    whole = whole_question(vector)
    sums = 2 * summed(cells.bits.take(places, axis=1), whole) - whole.sum(dtype=np.float32)
    cell_of = cells.starts.searchsorted(places, side="right") - 1
    estimates: NDArray[np.float32] = sums * np.float32(question_step(len(vector))) * cells.factors[places]
    return estimates + near[cell_of]


def summed(bits: NDArray[np.uint64], whole: NDArray[np.float32]) -> NDArray[np.float32]:
    """The sum of the question's whole numbers where a row's bits are set, for each column.

    Eight bits are looked up at a time in a table of their 256 sums, in two thirds of the time that a product takes.
    """
    numbers = np.zeros((8 * len(bits), 8), np.float32)
    numbers.reshape(-1)[: len(whole)] = whole
    patterns = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    tables = numbers @ patterns.T.astype(np.float32)
    sums = np.zeros(bits.shape[1], np.float32)
    columns = chain.from_iterable(word.view(np.uint8).reshape(-1, 8).T for word in bits)
    for column, table in zip(columns, tables, strict=True):
        sums += table.take(column)
    return sums


def _best(scores: NDArray[np.generic], count: int) -> NDArray[np.intp]:
    """Places of the largest, ascending: so many, and those that equal the least of them."""
    if count >= len(scores):
        return np.arange(len(scores))
    floor = np.partition(scores, len(scores) - count)[len(scores) - count]
    return np.flatnonzero(scores >= floor)
