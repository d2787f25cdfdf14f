from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.answering.abstention import (
    BOUNDS,
    DEFAULT,
    Abstention,
    Evidence,
    begin,
    calibrate,
    confidence,
    read_abstention,
)
from quire.answering.abstention import EVIDENCE as EVIDENCE_NUMBER
from quire.answering.findings import find
from quire.answering.request import Inquiry
from tests.support.shelves import household, shelf_of

GOOD = Evidence(0.7, 0.8, 1.0, 0.0, name_unknown=False, name_missing=False)
BAD = Evidence(0.1, 0.15, 0.1, 0.9, name_unknown=True, name_missing=True)
SHARE = st.floats(0, 1)
EVIDENCE = st.builds(Evidence, SHARE, SHARE, SHARE, SHARE, st.booleans(), st.booleans())


def test_good_evidence_is_answered_and_bad_is_not() -> None:
    assert confidence(GOOD) > 0.8
    assert confidence(BAD) < 0.05


@given(EVIDENCE, st.floats(0, 1))
def test_more_evidence_never_lowers_confidence(evidence: Evidence, better: float) -> None:
    base = confidence(evidence)
    assert 0 <= base <= 1
    assert confidence(replace(evidence, cosine=max(evidence.cosine or 0, better))) >= base
    assert confidence(replace(evidence, coverage=max(evidence.coverage, better))) >= base
    assert confidence(replace(evidence, name_unknown=False, name_missing=False)) >= base


@pytest.mark.parametrize("kept", [GOOD, BAD])
def test_without_vectors_the_words_alone_are_judged(kept: Evidence) -> None:
    plain = replace(kept, cosine=None, passage_cosine=None)
    assert (confidence(plain) > DEFAULT.threshold) is (kept is GOOD)


def test_a_name_that_the_collection_never_mentions_speaks_against_an_answer() -> None:
    shelf = shelf_of(household())
    known = find(shelf, Inquiry("How is the kettle descaled?"), "How is the kettle descaled?").evidence
    foreign = find(
        shelf, Inquiry("How is the Zorbatron descaled?"), "How is the Zorbatron descaled?"
    ).evidence
    assert (known.name_unknown, known.unknown) == (False, 0.0)
    assert (foreign.name_unknown, foreign.name_missing) == (True, True)
    assert confidence(foreign) < confidence(known)


def test_the_threshold_moves_to_where_a_collection_s_own_questions_part() -> None:
    def evidence(cosine: float) -> Evidence:
        return Evidence(cosine, cosine, 0.2, 0.0, name_unknown=False, name_missing=False)

    examples = [(evidence(0.6 + n / 500), True) for n in range(60)]
    examples += [(evidence(0.35 + n / 1000), False) for n in range(60)]
    found = calibrate(examples)
    assert BOUNDS[0] <= found.threshold <= BOUNDS[1]
    assert found.threshold > DEFAULT.threshold
    assert found.examples == 120
    assert found.false_answers is not None
    assert found.false_answers < calibrate_at_default(examples)
    assert found.false_refusals == 0.0


def calibrate_at_default(examples: list[tuple[Evidence, bool]]) -> float:
    wrong = [confidence(evidence) >= DEFAULT.threshold for evidence, answers in examples if not answers]
    return sum(wrong) / len(wrong)


def test_one_kind_of_question_leaves_the_threshold_and_measures_what_it_can() -> None:
    found = calibrate([(BAD, False), (BAD, False), (GOOD, False)])
    assert found.threshold == DEFAULT.threshold
    assert found.false_answers == pytest.approx(0.3333)
    assert found.false_refusals is None
    assert calibrate([]).examples == 0


def test_a_calibration_survives_the_manifest() -> None:
    found = Abstention(0.31, 0.1, 0.02, 65, 0.0021)
    assert read_abstention(json.loads(json.dumps(found.as_json()))) == found
    assert read_abstention(None) == DEFAULT
    assert read_abstention({"threshold": "high"}) == DEFAULT
    assert read_abstention({"threshold": 0.21, "examples": 9}) == DEFAULT, "measured with other weights"


def test_a_question_that_the_search_finds_nothing_for_is_not_covered_however_sure_the_words_are() -> None:
    found = Abstention(0.4, floor=0.002)
    assert found.covers(0.5, 0.01)
    assert not found.covers(0.9, 0.001)
    assert not found.covers(0.39, 0.9)
    assert found.is_unsure(0.45)
    assert not found.is_unsure(0.6)


def test_threshold_and_floor_begin_above_everyday_questions_and_far_below_the_collection_s_own() -> None:
    quiet = begin([(0.02, 0.0001)] * 99 + [(0.6, 0.5)], [0.9] * 40)
    loud = begin([(0.42, 0.0001)] * 100, [0.9] * 40)
    assert quiet.threshold == BOUNDS[0]
    assert BOUNDS[0] < loud.threshold <= 0.5
    assert quiet.floor == 0.0001
    assert begin([(0.02, 0.3)] * 100, [0.5] * 40).floor == 0.01
    assert begin([], [0.5]) == DEFAULT


def test_a_collection_s_own_threshold_is_read_from_its_index() -> None:
    shelf = shelf_of(
        household(), calibration={"abstention": {"threshold": 0.45, "evidence": EVIDENCE_NUMBER}}
    )
    assert shelf.abstention.threshold == 0.45
    assert shelf_of(household()).abstention == DEFAULT
