"""Doctests of the small pure modules that the artifact rests on."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quire.index import bm25
from quire.index.writer import keywords
from quire.ranking import contains, difference, intersection, union

SETS = st.sets(st.integers(0, 60)).map(lambda members: np.array(sorted(members), np.uint32))


@given(SETS, SETS)
def test_sets_of_ordinals_behave_as_sets(left: np.ndarray, right: np.ndarray) -> None:
    ours, theirs = set(left.tolist()), set(right.tolist())
    assert union([left, right]).tolist() == sorted(ours | theirs)
    assert intersection(left, right).tolist() == sorted(ours & theirs)
    assert difference(left, right).tolist() == sorted(ours - theirs)
    assert contains(right, left).tolist() == [one in theirs for one in left.tolist()]


def test_no_sets_make_an_empty_union() -> None:
    assert union([]).tolist() == []


def test_texts_of_nearly_the_same_terms_have_near_fingerprints() -> None:
    words = [f"word{number}" for number in range(200)]

    def of(chosen: list[str]) -> int:
        ones = np.ones(len(chosen), np.uint8)
        (found,) = keywords.fingerprints(
            keywords.term_hashes(chosen), ones, np.array([len(chosen)], np.uint32)
        )
        return int(found)

    assert of(words) == of(words)
    assert (of(words) ^ of(words[:-2])).bit_count() <= 12
    assert (of(words[:100]) ^ of(words[100:])).bit_count() > 16


def test_a_fingerprint_is_the_signs_of_the_weighted_sums_of_hashed_bits() -> None:
    rows = [["a", "b", "c"], [], ["c", "d"]]
    weights = [4, 3, 2, 7, 7]
    hashes = keywords.term_hashes([term for row in rows for term in row])
    found = keywords.fingerprints(hashes, np.array(weights, np.uint8), np.array([3, 0, 2], np.uint32))
    expected = []
    for row, heavy in zip(rows, (weights[:3], [], weights[3:]), strict=True):
        bits = [int(one) for one in keywords.term_hashes(row)]
        sums = [sum(w if b >> n & 1 else -w for b, w in zip(bits, heavy, strict=True)) for n in range(64)]
        expected.append(sum(1 << n for n in range(64) if sums[n] > 0))
    assert found.tolist() == expected


def test_idf_never_falls_below_zero() -> None:
    assert bm25.idf(10, 10) > 0
    assert bm25.idf(10, 1) > bm25.idf(10, 5)
