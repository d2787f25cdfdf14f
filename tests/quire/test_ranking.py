"""Sorting into rankings, against a plain sort."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from quire.ranking import rank

SCORES = arrays.arrays(np.float32, st.integers(0, 300), elements=st.floats(-2, 2, width=32) | st.just(-0.0))


@given(SCORES, st.integers(0, 40), st.randoms(use_true_random=False))
def test_the_best_come_first_and_equals_by_ordinal(scores: np.ndarray, limit: int, chance: object) -> None:
    ordinals = np.arange(len(scores), dtype=np.uint32) * 7
    chance.shuffle(ordinals)  # type: ignore[attr-defined]
    found = rank(ordinals, scores, limit)
    plain = sorted(zip(scores.tolist(), ordinals.tolist(), strict=True), key=lambda one: (-one[0], one[1]))[
        :limit
    ]
    assert found.ordinals.tolist() == [ordinal for _, ordinal in plain]
    assert found.scores.tolist() == [score for score, _ in plain]
    assert (found.ordinals.dtype, found.scores.dtype) == (np.dtype(np.uint32), np.dtype(np.float32))
