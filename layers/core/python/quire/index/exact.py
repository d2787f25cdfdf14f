"""Exact nearest chunks over int8 rows, behind a prefilter that compares sign bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quire.embedding.quantization import cosines, words
from quire.index.vectors import (
    EXACT_ROWS,
    VectorArrays,
    best_of_owners,
    candidates_for,
    cosines_of,
    rows_of,
    score_rows,
)
from quire.ranking import EMPTY, Ranking, contains

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quire.ports import Ordinals, Vectors


class ExactVectors:
    """`VectorIndex` over mapped arrays; `hidden` chunks (sorted ordinals) are never found.

    Up to `exact_rows` rows every row is compared. Beyond, the rows whose sign bits differ least from the question's
    are compared exactly, `candidates_for` of them.
    """

    def __init__(
        self, arrays: VectorArrays, hidden: Ordinals | None = None, *, exact_rows: int = EXACT_ROWS
    ) -> None:
        self._exact_rows = exact_rows
        self._arrays = arrays
        self._hidden_rows = rows_of(arrays.owners, hidden) if hidden is not None and len(hidden) else None
        self._live = len(arrays) - (0 if self._hidden_rows is None else len(self._hidden_rows))

    def nearest(self, vector: Vectors, limit: int, allowed: Ordinals | None = None) -> Ranking:
        """See `quire.ports.VectorIndex`."""
        if limit <= 0 or not self._live:
            return EMPTY
        if allowed is not None:
            return score_rows(
                self._arrays, vector, self._without_hidden(rows_of(self._arrays.owners, allowed)), limit
            )
        if len(self._arrays) <= self._exact_rows:
            return self._all_rows(vector, limit)
        return self._prefiltered(vector, limit)

    def cosines(self, vector: Vectors, ordinals: Ordinals) -> NDArray[np.float32]:
        """See `quire.ports.VectorIndex`."""
        return cosines_of(self._arrays, vector, ordinals)

    def _without_hidden(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        if self._hidden_rows is None:
            return rows
        return rows[~contains(self._hidden_rows, rows)]

    def _all_rows(self, vector: Vectors, limit: int) -> Ranking:
        if self._hidden_rows is not None:
            return score_rows(self._arrays, vector, self._without_hidden(np.arange(len(self._arrays))), limit)
        scores = cosines(self._arrays.codes, self._arrays.scales, vector)
        return best_of_owners(self._arrays.owners, scores, limit)

    def _prefiltered(self, vector: Vectors, limit: int) -> Ranking:
        distances = bit_distances(self._arrays.bits, question_bits(vector))
        if self._hidden_rows is not None:
            distances[self._hidden_rows] = np.iinfo(np.uint16).max
        wanted = candidates_for(limit, len(self._arrays))
        while True:
            wanted = min(wanted, self._live)
            farthest = np.partition(distances, wanted - 1)[wanted - 1]
            found = score_rows(self._arrays, vector, np.flatnonzero(distances <= farthest), limit)
            if len(found) == limit or wanted == self._live:
                return found
            wanted *= 4  # long chunks own many rows: the candidates were too few chunks


def question_bits(vector: Vectors) -> NDArray[np.uint64]:
    """The question's signs, to be compared with the rows' bits: uint64, shape (words,)."""
    # The rows' bits are relative to their mean, the question's to zero: q.(x - mean) ranks rows as q.x does. Recall@10
    # of 400 candidates rises from .980 to .984 by it.
    bits = np.zeros(8 * words(len(vector)), np.uint8)
    bits[: -(-len(vector) // 8)] = np.packbits(vector > 0, bitorder="little")
    return bits.view(np.uint64)


def bit_distances(bits: NDArray[np.uint64], question: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """Differing bits between each column of `bits` (words, n) and `question` (words,): uint16, shape (n,)."""
    distances = np.zeros(bits.shape[1], np.uint16)
    buffer = np.empty(bits.shape[1], np.uint64)
    for first in range(0, len(bits), 3):  # three words differ in at most 192 bits, which uint8 still holds
        partial: NDArray[np.uint8] | None = None
        for word in range(first, min(first + 3, len(bits))):
            counts = np.bitwise_count(np.bitwise_xor(bits[word], question[word], out=buffer))
            partial = counts if partial is None else np.add(partial, counts, out=partial)
        distances += partial  # type: ignore[arg-type]
    return distances
