import doctest
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.analysis import spelling
from quire.ranking import EMPTY, Ranking, rank
from quire.search import fusion
from quire.search.calibration import DEFAULT, FEATURES, SLOPES, fit_scale, read_calibration
from quire.search.fusion import fuse, normalize


def test_fitted_scores_follow_the_outcomes_they_were_fitted_on() -> None:
    generator = np.random.default_rng(3)
    logits = np.concatenate([generator.normal(2.0, 1.0, 400), generator.normal(-1.0, 1.0, 400)])
    relevant = np.arange(800) < 400
    slope, offset = fit_scale(logits, relevant)
    probabilities = 1 / (1 + np.exp(-(slope * logits + offset)))
    for low, high in ((0.1, 0.4), (0.6, 0.9)):
        inside = (probabilities > low) & (probabilities < high)
        assert abs(probabilities[inside].mean() - relevant[inside].mean()) < 0.12


@given(st.lists(st.tuples(st.floats(-8, 8), st.booleans()), min_size=4, max_size=60))
def test_fitting_never_turns_the_order_round(examples: list[tuple[float, bool]]) -> None:
    logits = np.array([logit for logit, _ in examples])
    relevant = np.array([outcome for _, outcome in examples])
    if relevant.all() or not relevant.any():
        with pytest.raises(ValueError, match="one kind"):
            fit_scale(logits, relevant)
        return
    slope, offset = fit_scale(logits, relevant)
    assert SLOPES[0] <= slope <= SLOPES[1]
    assert np.isfinite(offset)


def test_a_calibration_survives_its_manifest() -> None:
    stretched = DEFAULT.rescaled(0.5, 1.0)
    assert read_calibration(stretched.as_json()) == stretched
    assert read_calibration({}) == DEFAULT
    assert read_calibration({"features": ["other"], "weights": [1.0], "intercept": 0.0}) == DEFAULT


def test_more_evidence_never_lowers_a_probability() -> None:
    base = np.full((1, len(FEATURES)), 0.4)
    for column in range(len(FEATURES)):
        more = base.copy()
        more[0, column] += 0.3
        assert DEFAULT.probabilities(more)[0] >= DEFAULT.probabilities(base)[0]


@pytest.mark.parametrize("module", [spelling, fusion])
def test_doctests_hold(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


words = st.text("abcde", min_size=1, max_size=7)


@given(words, words)
def test_edit_distance_is_the_textbook_recursion(left: str, right: str) -> None:
    def distance(i: int, j: int) -> int:
        if i == 0 or j == 0:
            return i + j
        best = min(
            distance(i - 1, j) + 1,
            distance(i, j - 1) + 1,
            distance(i - 1, j - 1) + (left[i - 1] != right[j - 1]),
        )
        if i > 1 and j > 1 and left[i - 1] == right[j - 2] and left[i - 2] == right[j - 1]:
            best = min(best, distance(i - 2, j - 2) + 1)
        return best

    if len(left) + len(right) <= 9:
        assert spelling.edit_distance(left, right, 20) == distance(len(left), len(right))


rankings = st.dictionaries(st.integers(0, 30), st.floats(0.125, 8, width=16), max_size=20).map(
    lambda scores: rank(
        np.array(list(scores), np.uint32), np.array(list(scores.values()), np.float32), len(scores)
    )
)


@given(rankings, rankings, st.floats(0, 1))
def test_fusion_keeps_every_chunk_once_and_stays_within_one(
    vectors: Ranking, keywords: Ranking, weight: float
) -> None:
    fused = fuse(vectors, keywords, weight=weight, depth=100, limit=100)
    assert sorted(fused.ordinals.tolist()) == sorted(
        {*vectors.ordinals.tolist(), *keywords.ordinals.tolist()}
    )
    assert all(0 <= score <= 1.0001 for score in fused.scores.tolist())
    assert fused.scores.tolist() == sorted(fused.scores.tolist(), reverse=True)


@given(rankings)
def test_fusing_with_nothing_keeps_the_order(ranking: Ranking) -> None:
    fused = fuse(ranking, EMPTY, weight=1.0, depth=len(ranking) or 1, limit=100)
    assert normalize(ranking.scores, 100).tolist() == sorted(
        normalize(ranking.scores, 100).tolist(), reverse=True
    )
    assert set(fused.ordinals.tolist()) == set(ranking.ordinals.tolist())


def test_equal_scores_stand_in_order_of_ordinal() -> None:
    ranking = rank(np.array([9, 2, 5], np.uint32), np.ones(3, np.float32), 2)
    assert ranking.ordinals.tolist() == [2, 5]
    assert isinstance(ranking, Ranking)
