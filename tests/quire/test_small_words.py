"""Doctests of the small pure modules that the artifact rests on."""

from __future__ import annotations

import doctest
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire import bm25, canonical, filters, fingerprints, ordinals, symbols, trigrams
from quire.artifact import ids, parts
from quire.artifact.writer import postings
from quire.ordinals import contains, difference, intersection, union

SETS = st.sets(st.integers(0, 60)).map(lambda members: np.array(sorted(members), np.uint32))


@pytest.mark.parametrize(
    "module",
    [bm25, canonical, filters, ids, ordinals, symbols, trigrams, parts, postings],
    ids=lambda m: m.__name__,
)
def test_examples_in_the_docstrings_hold(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


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
        return fingerprints.fingerprint(fingerprints.term_signs(chosen), np.ones(len(chosen), np.float32))

    assert of(words) == of(words)
    assert (of(words) ^ of(words[:-2])).bit_count() <= 12
    assert (of(words[:100]) ^ of(words[100:])).bit_count() > 16


def test_idf_never_falls_below_zero() -> None:
    assert bm25.idf(10, 10) > 0
    assert bm25.idf(10, 1) > bm25.idf(10, 5)
