"""The search ports in their plainest form: every row and every chunk is looked at."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from quire.documents import Chunk
from quire.ports import Ordinals, Vectors
from quire.ranking import Ranking, rank


class BruteForceVectors:
    """`VectorIndex` that multiplies float rows; `owners` says whose each row is."""

    def __init__(self, rows: NDArray[np.float32], owners: Sequence[int]) -> None:
        self._rows = rows
        self._owners = list(owners)

    def nearest(self, vector: Vectors, limit: int, allowed: Ordinals | None = None) -> Ranking:
        best: dict[int, float] = {}
        permitted = None if allowed is None else set(allowed.tolist())
        for owner, score in zip(self._owners, (self._rows @ vector).tolist(), strict=True):
            if permitted is None or owner in permitted:
                best[owner] = max(score, best.get(owner, -2.0))
        return rank(np.array(list(best), np.uint32), np.array(list(best.values()), np.float32), limit)

    def cosines(self, vector: Vectors, ordinals: Ordinals) -> NDArray[np.float32]:
        scores = (self._rows @ vector).tolist()
        mine = [[s for o, s in zip(self._owners, scores, strict=True) if o == one] for one in ordinals]
        return np.array([max(found, default=0.0) for found in mine], np.float32)


class CountedKeywords:
    """`KeywordIndex` that reads BM25 off each chunk's counted terms."""

    def __init__(self, chunks: Sequence[Mapping[str, float]], lengths: Sequence[float]) -> None:
        self._chunks = list(chunks)
        self._lengths = list(lengths)

    def search(self, terms: Mapping[str, float], limit: int, allowed: Ordinals | None = None) -> Ranking:
        permitted = range(len(self._chunks)) if allowed is None else allowed.tolist()
        scores = {ordinal: self._score(ordinal, terms) for ordinal in permitted}
        found = {ordinal: score for ordinal, score in scores.items() if score > 0}
        return rank(np.array(list(found), np.uint32), np.array(list(found.values()), np.float32), limit)

    def frequency(self, term: str) -> int:
        return sum(term in chunk for chunk in self._chunks)

    def ideal(self, terms: Mapping[str, float]) -> float:
        return sum(2.2 * weight * self._idf(term) for term, weight in terms.items())

    def _idf(self, term: str) -> float:
        holding = self.frequency(term)
        return math.log(1 + (len(self._chunks) - holding + 0.5) / (holding + 0.5))

    def _score(self, ordinal: int, terms: Mapping[str, float]) -> float:
        share = self._lengths[ordinal] * len(self._lengths) / sum(self._lengths)
        norm = 1.2 * (0.25 + 0.75 * share)
        counts = self._chunks[ordinal]
        return sum(
            weight * self._idf(term) * counts[term] * 2.2 / (counts[term] + norm)
            for term, weight in terms.items()
            if term in counts
        )


class ListedPayloads:
    """`PayloadStore` over a list."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = list(chunks)

    def fetch(self, ordinals: Sequence[int] | Ordinals) -> list[Chunk]:
        if any(not 0 <= ordinal < len(self._chunks) for ordinal in ordinals):
            raise IndexError("out of range")
        return [self._chunks[ordinal] for ordinal in ordinals]
