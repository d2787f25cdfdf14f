"""Approximate nearest chunks of large segments: rows of near cells, sifted by estimates of their cosines, then exact.

A cell has the rows that are nearer to its centre than to any other centre. Of each row a bit a dimension tells on which
side of the cell's mean it lies, and a factor how far: so a question's cosine with the mean, plus the factor times what
its numbers give by those bits, estimates its cosine with the row. How many cells a question looks into depends on
itself: those whose means are nearest first, then as many as may hold better rows than these held. The estimates of all
their rows take the question's own signs too; those of the rows that are left its numbers; and what is left of these is
scored exactly. What is left is what may be among the wanted rows: an estimate errs in proportion to its row's factor.
All that is added up are whole numbers, see `quire.embedding.quantization`, so a question finds the same
everywhere. Sources: Jégou et al., "Product quantization for nearest neighbor search", IEEE TPAMI 2011, for the inverted
file; Gao and Long, "RaBitQ", SIGMOD 2024, for the estimate and its error.
"""

from __future__ import annotations

import math
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from quire.embedding.quantization import cosines, question_step, whole_question, words
from quire.errors import REBUILT, ArtifactCorrupt
from quire.index.exact import bit_distances, question_bits
from quire.index.vectors import CellArrays, VectorArrays, best_of_owners, rows_of
from quire.ranking import EMPTY, Ranking, contains

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quire.index.tensors import Array
    from quire.ports import Ordinals, VectorIndex, Vectors

FIRST, MOST = 128, 1536
"""Cells that are looked into in any case, and at most."""
LEADING, LEADING_A_ROW, FLOOR, MARGIN = 400, 3, 10, 0.36
"""So many rows of the first cells are scored exactly, at least and for each that is wanted; further cells are looked
into whose centres' cosines with the question are at most the margin below the score of the tenth of them."""
SIGNS_ERR, NUMBERS_ERR = np.float32(2.25), np.float32(1.25)
"""How many factors of its row an estimate by the question's signs is taken to err, and one by its numbers: standard
deviations over real questions are .83 and .61. So what a question costs follows from how many rows lie near it."""
SCORED, SCORED_A_ROW, WEIGHED = 3000, 8, 8
"""Further rows that are scored exactly, at most, however many are wanted and for each that is; and how many times as
many of a round of cells are estimated by numbers."""
BLOCK_COLUMNS, FIRST_COLUMNS = 1 << 15, 1 << 12
"""Columns that are compared at a time, 1.6 MB; fewer at first, since what they hold says which of the next to keep."""


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
        found = best_of_owners(*self._scored(vector, limit), limit)
        return found if len(found) == limit else self._exact.nearest(vector, limit)

    def _scored(self, vector: Vectors, limit: int) -> tuple[Ordinals, NDArray[np.float32]]:
        """Owners of rows that are likely the nearest, ascending, and the exact cosines of these."""
        cells, wanted = self._cells, math.ceil(self._arrays.rows_a_chunk * limit)
        most = max(SCORED, SCORED_A_ROW * wanted)
        of_centres = cosines(cells.codes, cells.scales, vector)
        near, order = of_centres * cells.lengths, np.argsort(-of_centres, kind="stable")
        sieve = Sieve(cells, near, vector, self._hidden_columns, wanted=wanted, kept=WEIGHED * most)
        # The nearest cells come first: how far the question has to look follows from how good their rows are.
        places = sieve.columns(order[:FIRST])
        estimates = weigh(cells, near, places, vector)
        is_leading = np.zeros(len(places), np.bool_)
        is_leading[_best(estimates, max(LEADING, LEADING_A_ROW * wanted))] = True
        rows, scores = self._exactly(places[is_leading], vector)
        far = reach(of_centres[order], scores)
        # In the order of their numbers, since cells that lie side by side are copied at once.
        more = sieve.columns(np.sort(order[FIRST:far]))
        places = np.concatenate([places[~is_leading], more])
        estimates = np.concatenate([estimates[~is_leading], weigh(cells, near, more, vector)])
        uppers = estimates + NUMBERS_ERR * cells.factors[places]
        may_be = np.flatnonzero(uppers >= _least(scores, wanted))
        may_be = may_be[_best(uppers[may_be], most)]
        further, theirs = self._exactly(places[may_be], vector)
        # `best_of_owners` wants the owners ascending, and rows of one owner lie in several cells.
        rows, scores = np.concatenate([rows, further]), np.concatenate([scores, theirs])
        ascending = np.argsort(rows)
        return self._arrays.owners[rows[ascending]], scores[ascending]

    @cached_property
    def _hidden_columns(self) -> NDArray[np.intp]:
        """Columns of rows that are never found, ascending."""
        if not len(self._hidden):
            return np.empty(0, np.intp)
        is_hidden = np.zeros(len(self._arrays), np.bool_)
        is_hidden[rows_of(self._arrays.owners, self._hidden)] = True
        return np.flatnonzero(is_hidden.take(self._cells.rows, mode="clip"))

    def _exactly(
        self, places: NDArray[np.intp], vector: Vectors
    ) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """The rows of those columns, ascending, and their cosines.

        Raises:
            ArtifactCorrupt: there are no such rows.
        """
        rows = np.sort(self._cells.rows[places].astype(np.intp))
        if len(rows) and int(rows[-1]) >= len(self._arrays):
            raise ArtifactCorrupt(
                f"cells: damaged, they name row {rows[-1]} of {len(self._arrays)}; {REBUILT}"
            )
        return rows, self._arrays.cosines(vector, rows)

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
    [689, 1022, 1536]
    """
    floor = np.sort(scores)[-FLOOR] if len(scores) >= FLOOR else -np.inf
    return max(FIRST, min(int(np.searchsorted(-of_centres, MARGIN - floor)), MOST))


class Columns(NamedTuple):
    """Some columns of the cells' arrays, how high their rows' cosines may be, and estimates of these."""

    places: NDArray[np.intp]
    uppers: NDArray[np.float32]
    estimates: NDArray[np.float32]

    def those(self, which: NDArray[np.intp]) -> Columns:
        """Those at these positions."""
        return Columns(self.places[which], self.uppers[which], self.estimates[which])

    def beside(self, others: Columns) -> Columns:
        """These, then the others."""
        return Columns(
            np.concatenate([self.places, others.places]),
            np.concatenate([self.uppers, others.uppers]),
            np.concatenate([self.estimates, others.estimates]),
        )


class Sieve:
    """Finds columns whose rows may be among the wanted, by the question's signs alone, cells by cells.

    The level is the estimate of the last of the wanted so far; what may err up to there is kept. It rises from block to
    block, so that selecting costs what is kept rather than what is looked at.

    Args:
        cells: with columns of rows.
        near: the question's cosine with each cell's mean.
        vector: the question.
        hidden: columns that are left out, ascending.
        wanted: how many rows are.
        kept: how many columns of some cells are kept at most, but for equal ones.
    """

    def __init__(
        self,
        cells: CellArrays,
        near: NDArray[np.float32],
        vector: Vectors,
        hidden: NDArray[np.intp],
        *,
        wanted: int,
        kept: int,
    ) -> None:
        step = question_step(len(vector)) / len(vector)
        self._magnitude = np.float32(np.abs(whole_question(vector)).sum(dtype=np.float64) * step)
        self._signs = question_bits(vector)
        self._dimensions = len(vector)
        self._cells, self._near, self._hidden = cells, near, hidden
        self._wanted, self._kept = wanted, kept
        self._level = np.float32(-np.inf)

    def columns(self, probed: NDArray[np.intp]) -> NDArray[np.intp]:
        """Those of the probed cells."""
        sizes = self._cells.starts[probed + 1].astype(np.intp) - self._cells.starts[probed]
        blocks = (np.cumsum(sizes) + (BLOCK_COLUMNS - FIRST_COLUMNS)) // BLOCK_COLUMNS
        borders = np.flatnonzero(np.diff(blocks, prepend=-1)).tolist()
        kept = Columns(np.empty(0, np.intp), np.empty(0, np.float32), np.empty(0, np.float32))
        for first, last in pairwise([*borders, len(probed)]):
            kept = kept.beside(self._block(probed[first:last], sizes[first:last]))
            self._level = max(self._level, _least(kept.estimates, self._wanted))
            kept = kept.those(np.flatnonzero(kept.uppers >= self._level))
            kept = kept.those(_best(kept.uppers, self._kept))
        return kept.places

    def _block(self, probed: NDArray[np.intp], sizes: NDArray[np.intp]) -> Columns:
        """Those of the cells that may reach the level."""
        ends = self._cells.starts[probed + 1].astype(np.intp)
        is_apart = (ends - sizes)[1:] != ends[:-1]  # cells that follow one another are copied at once
        firsts, lasts = np.flatnonzero(np.append(True, is_apart)), np.flatnonzero(np.append(is_apart, True))
        spans = [*map(slice, (ends - sizes)[firsts].tolist(), ends[lasts].tolist())]
        factors = np.concatenate([self._cells.factors[span] for span in spans])
        bits = np.concatenate([self._cells.bits[:, span] for span in spans], axis=1)
        uppers: NDArray[np.float32] = bit_distances(bits, self._signs) * (-2 * self._magnitude)
        uppers += self._dimensions * self._magnitude + SIGNS_ERR
        uppers *= factors
        uppers += self._near[probed].repeat(sizes)
        may_be = np.flatnonzero(uppers >= self._level)
        # `may_be` counts within the block, whose cells need not follow one another in the file.
        before = np.cumsum(sizes)
        places = may_be + (ends - before)[before.searchsorted(may_be, side="right")]
        if len(self._hidden):
            is_shown = ~contains(self._hidden, places)
            may_be, places = may_be[is_shown], places[is_shown]
        uppers = uppers[may_be]
        estimates = (uppers - SIGNS_ERR * factors[may_be]).astype(np.float32, copy=False)
        return Columns(places, uppers, estimates)


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


def _least(scores: NDArray[np.float32], count: int) -> np.float32:
    """The last of so many best scores; where there are fewer, what is below all."""
    if count > len(scores):
        return np.float32(-np.inf)
    least: np.float32 = np.partition(scores, len(scores) - count)[len(scores) - count]
    return least
