import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quire.ranking import EMPTY, Ranking, fuse, normalize, rank
from quire.search.calibration import DEFAULT, FEATURES, UNLIKELY, UNRELATED, read_calibration
from quire.search.query import edit_distance


@given(st.lists(st.floats(-12, 12), max_size=200))
def test_of_unrelated_questions_one_in_twenty_may_find_what_seems_likely(logits: list[float]) -> None:
    lowered = DEFAULT.lowered(np.array(logits))
    shift = lowered.intercept - DEFAULT.intercept
    likely = 1 / (1 + np.exp(-(np.array(logits) + shift))) > UNLIKELY + 1e-6
    assert shift <= 0
    assert likely.sum() <= (1 - UNRELATED / 100) * len(logits) + 1
    assert lowered.weights == DEFAULT.weights


def test_a_collection_whose_unrelated_questions_find_nothing_likely_keeps_the_scores_that_all_start_from() -> (
    None
):
    assert DEFAULT.lowered(np.array([])) == DEFAULT
    assert DEFAULT.lowered(np.full(100, -5.0)) == DEFAULT


def test_a_calibration_survives_its_manifest() -> None:
    lowered = DEFAULT.lowered(np.array([2.0]))
    assert lowered != DEFAULT
    assert read_calibration(lowered.as_json()) == lowered
    assert read_calibration({}) == DEFAULT
    assert read_calibration({"features": ["other"], "weights": [1.0], "intercept": 0.0}) == DEFAULT
    stretched = DEFAULT._replace(weights=tuple(3 * weight for weight in DEFAULT.weights))
    assert read_calibration(stretched.as_json()) == DEFAULT, "fitted by a build that stretched the weights"


def test_more_evidence_never_lowers_a_probability() -> None:
    base = np.full((1, len(FEATURES)), 0.4)
    for column in range(len(FEATURES)):
        more = base.copy()
        more[0, column] += 0.3
        assert DEFAULT.probabilities(more)[0] >= DEFAULT.probabilities(base)[0]


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
        assert edit_distance(left, right, 20) == distance(len(left), len(right))


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
