"""Keyword search over lists that are too long for the caches: the same as plain scoring, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from quire.index import bm25
from quire.index.keywords import KeywordPart, KeywordSearch, _reaching
from quire.ranking import NONE, rank

CHUNKS = 60_000


class DrawnLists:
    """`PostingLists` of drawn chunks: the first term is in every other one, the last in a few."""

    def __init__(self) -> None:
        rng = np.random.default_rng(5)
        self.lists = {
            f"term{number}": (
                np.flatnonzero(rng.random(CHUNKS) < 0.5**number).astype(np.uint32),
                rng.integers(1, 40, CHUNKS).astype(np.uint8),
            )
            for number in range(1, 12)
        }

    def entry(self, key: str) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
        ordinals, weights = self.lists[key]
        return ordinals, weights[: len(ordinals)]

    def ordinals(self, key: str) -> NDArray[np.uint32]:
        return self.entry(key)[0]


@pytest.mark.parametrize("limit", [1, 10, 200, 800, CHUNKS])
def test_long_lists_rank_as_plain_scoring_does(limit: int) -> None:
    lists = DrawnLists()
    lengths = np.random.default_rng(6).integers(20, 2000, CHUNKS).astype(np.uint32)
    found = KeywordSearch([KeywordPart(lists, lengths, NONE)]).search(dict.fromkeys(lists.lists, 1.5), limit)
    norms = bm25.norms(lengths, float(lengths.sum()) / CHUNKS)
    scores = np.zeros(CHUNKS, np.float32)
    for term in lists.lists:
        ordinals, weights = lists.entry(term)
        factors = bm25.factors([1.5 * bm25.idf(CHUNKS, len(ordinals))])
        scores[ordinals] += bm25.gains(weights, norms[ordinals], factors)
    expected = rank(held := np.flatnonzero(scores).astype(np.uint32), scores[held], limit)
    assert found.ordinals.tolist() == expected.ordinals.tolist()
    assert found.scores.tobytes() == expected.scores.tobytes()


@given(st.integers(0, 9999), st.integers(1, 12), st.integers(1, 9000), st.integers(1, 40))
def test_of_any_scores_the_best_are_kept_whatever_ties_they_have(
    seed: int, limit: int, count: int, levels: int
) -> None:
    rng = np.random.default_rng(seed)
    scores = (rng.integers(0, levels, count) * (rng.random(count) < 0.5)).astype(np.float32)
    every, kept = np.flatnonzero(scores > 0).astype(np.uint32), _reaching(scores, limit)
    assert set(kept.tolist()) <= set(every.tolist())
    wanted, found = rank(every, scores[every], limit), rank(kept, scores[kept], limit)
    assert found.ordinals.tolist() == wanted.ordinals.tolist()


def test_of_many_scores_few_are_kept() -> None:
    scores = np.random.default_rng(2).random(400_000, np.float32)
    assert 800 <= len(_reaching(scores, 800)) < 1100
