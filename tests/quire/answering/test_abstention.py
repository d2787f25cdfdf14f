from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.answering.abstention import (
    BOUNDS,
    CLEAR,
    DEFAULT,
    UNMEASURED,
    Abstention,
    Evidence,
    News,
    Topic,
    begin,
    confidence,
    fit_threshold,
    gather,
    measure_topic,
    read_abstention,
)
from quire.answering.abstention import EVIDENCE as EVIDENCE_NUMBER
from quire.answering.extractive.weighing import FEW_CHUNKS, weigh
from quire.answering.findings import KNOWN_PAGE, find
from quire.answering.request import Inquiry
from quire.ports import Vectors
from tests.support.fakes import HashingEmbedder
from tests.support.shelves import chunk, hit_of, household, pages, shelf_of

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


@given(EVIDENCE, SHARE, SHARE)
def test_more_evidence_for_what_a_follow_up_asks_anew_never_lowers_confidence(
    evidence: Evidence, cosine: float, joined: float
) -> None:
    known = confidence(replace(evidence, news=News(cosine, joined)))
    assert 0 <= known <= 1
    assert confidence(replace(evidence, news=News(cosine + 0.1, joined))) >= known
    assert confidence(replace(evidence, news=News(cosine, joined + 0.1))) >= known


def test_a_topic_that_is_known_does_not_answer_what_is_new() -> None:
    unheard, heard = replace(GOOD, news=News(0.1, 0.0)), replace(GOOD, news=News(0.5, 0.8))
    assert confidence(unheard) < UNMEASURED < confidence(heard)


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


def test_a_name_whose_parts_are_known_is_no_strange_one_though_a_variable_of_the_asker_s_stands_before_it() -> (
    None
):
    shelf = shelf_of(household())
    asked = "What does kettle.descale:twice do?"
    assert find(shelf, Inquiry(asked), asked).evidence.name_unknown is False
    asked = "What does kettle.zorbatron:twice do?"
    assert find(shelf, Inquiry(asked), asked).evidence.name_unknown is True


@pytest.mark.parametrize(
    ("written", "is_strange"), [("kettel", False), ("ketle", False), ("kettlex", False), ("mettle", True)]
)
def test_a_word_that_is_read_as_another_than_its_writer_may_have_meant_is_strange(
    written: str, is_strange: bool
) -> None:
    shelf = shelf_of(household())
    asked = f"How often is the {written} descaled?"
    found = find(shelf, Inquiry(asked), asked)
    assert found.found.mended == {written: "kettle"}
    assert found.evidence.strange is is_strange
    told = confidence(replace(found.evidence, strange=False))
    assert (found.confidence < told) is is_strange


def test_the_threshold_moves_to_where_a_collection_s_own_questions_part() -> None:
    def evidence(cosine: float) -> Evidence:
        return Evidence(cosine, cosine, 0.2, 0.0, name_unknown=False, name_missing=False)

    examples = [(evidence(0.6 + n / 500), True) for n in range(60)]
    examples += [(evidence(0.35 + n / 1000), False) for n in range(60)]
    found = fit_threshold(examples)
    assert BOUNDS[0] <= found.threshold <= BOUNDS[1]
    assert found.threshold > DEFAULT.threshold
    assert found.examples == 120
    assert found.false_answers is not None
    assert found.false_answers < calibrate_at_default(examples)
    assert found.false_refusals == 0.0


def test_what_a_few_questions_prefer_by_chance_does_not_move_the_threshold() -> None:
    def evidence(cosine: float) -> Evidence:
        return Evidence(cosine, cosine, 0.5, 0.0, name_unknown=False, name_missing=False)

    start, level = Abstention(0.6), 0.26
    answered = [(evidence(level), True), *[(evidence(0.9), True)] * 5]
    strange = [(evidence(0.1), False)] * 4
    assert confidence(evidence(level)) < start.threshold
    assert fit_threshold([*answered, *strange], start).threshold == start.threshold
    many = [(evidence(level), True)] * 6 + [(evidence(0.9), True)] * 6
    assert fit_threshold([*many, *strange], start).threshold < start.threshold


def calibrate_at_default(examples: list[tuple[Evidence, bool]]) -> float:
    wrong = [confidence(evidence) >= DEFAULT.threshold for evidence, answers in examples if not answers]
    return sum(wrong) / len(wrong)


def test_one_kind_of_question_leaves_the_threshold_and_measures_what_it_can() -> None:
    found = fit_threshold([(BAD, False), (BAD, False), (GOOD, False)])
    assert found.threshold == DEFAULT.threshold
    assert found.false_answers == pytest.approx(0.3333)
    assert found.false_refusals is None
    assert fit_threshold([]).examples == 0


def test_a_calibration_survives_the_manifest() -> None:
    found = Abstention(0.31, 0.1, 0.02, 65, Topic((0.5, -1.25), 0.75))
    assert read_abstention(json.loads(json.dumps(found.as_json()))) == found
    assert read_abstention(json.loads(json.dumps(Abstention(0.31).as_json()))) == Abstention(0.31)
    assert read_abstention(None) == DEFAULT
    assert read_abstention({"threshold": "high"}) == DEFAULT
    assert read_abstention({"threshold": 0.21, "examples": 9}) == DEFAULT, "measured with other weights"


def test_of_a_manifest_that_was_measured_with_the_weights_before_the_topic_stays() -> None:
    before = Abstention(0.71, topic=Topic((0.5, -1.25), 0.75))
    assert read_abstention({**before.as_json(), "evidence": EVIDENCE_NUMBER - 1}) == before
    older = {**before.as_json(), "evidence": EVIDENCE_NUMBER - 2}
    assert read_abstention(older) == Abstention(UNMEASURED, topic=before.topic)
    assert read_abstention({**older, "topic": None}) == DEFAULT
    assert read_abstention({**older, "evidence": EVIDENCE_NUMBER - 3}) == DEFAULT


def rows(*texts: str) -> Vectors:
    return HashingEmbedder().embed(texts)


KITCHEN = [f"How is the kettle {done}?" for done in ("filled", "rinsed", "cleaned", "emptied", "sold")]
ELSEWHERE = [f"Who won the {of} cup?" for of in ("hockey", "rugby", "chess", "sailing", "golf")]


def test_the_topic_places_what_a_collection_asks_itself_apart_from_everyday_life() -> None:
    topic = measure_topic(rows(*KITCHEN, *KITCHEN), rows(*ELSEWHERE, *ELSEWHERE))
    assert topic is not None
    own, other = rows("How is the kettle descaled?", "Who won the darts cup?")
    assert topic.place(own) > topic.place(other) + 2
    everyday = [topic.place(row) for row in rows(*ELSEWHERE)]
    assert sum(everyday) / len(everyday) == pytest.approx(0.0, abs=0.01)


def test_a_topic_needs_questions_of_both_kinds_that_differ() -> None:
    assert measure_topic(rows(*KITCHEN), rows(*ELSEWHERE * 9)) is None
    assert measure_topic(rows(*["the same"] * 9), rows(*["another"] * 9)) is None


@given(EVIDENCE, st.floats(-9, 9), st.floats(0, 1))
def test_a_question_nearer_to_the_topic_or_better_found_is_never_less_likely_covered(
    evidence: Evidence, topic: float, score: float
) -> None:
    near = replace(evidence, topic=topic, score=score)
    assert confidence(near) >= confidence(replace(near, topic=topic - 1))
    assert confidence(near) >= confidence(replace(near, score=score / 2))


def test_everyday_words_that_a_large_collection_holds_by_chance_do_not_make_a_question_its_own() -> None:
    by_chance = Evidence(0.45, 0.5, 0.5, 0.0, name_unknown=False, name_missing=False, score=0.06)
    assert confidence(replace(by_chance, topic=3.0)) > 0.5
    assert confidence(replace(by_chance, topic=-0.3)) < BOUNDS[0]


def test_a_word_that_a_few_pages_do_not_have_says_less_than_one_that_many_do_not_have() -> None:
    text = "# Account\n\nWhoever forgot a password asks for a link on the sign-in page."

    def evidence(size: int) -> Evidence:
        index = shelf_of([chunk("account.md", text), *pages(size - 1)]).index
        asked = weigh("How do I reset my password?", index)
        return gather(asked, asked, [hit_of(chunk("account.md", text), 1)], (), lexicon=index)

    few, some, many, more = (evidence(size) for size in (2, 12, FEW_CHUNKS, 2 * FEW_CHUNKS))
    assert few.coverage > some.coverage > many.coverage
    assert few.alone < some.alone < many.alone == more.alone == 1.0
    assert many.coverage == pytest.approx(1.0 - many.unknown)


def test_a_clear_passage_speaks_for_an_answer_unless_a_name_or_a_strange_word_speaks_against_it() -> None:
    near = Evidence(0.3, 0.68, 0.4, 0.6, name_unknown=False, name_missing=False, alone=1.0, score=0.1)
    without = replace(near, passage_cosine=CLEAR)
    gained = confidence(near) - confidence(without)
    assert gained > 0.3
    for doubt in ("strange", "name_unknown", "name_missing"):
        doubted = replace(near, **{doubt: True}), replace(without, **{doubt: True})  # type: ignore[arg-type]
        assert confidence(doubted[0]) - confidence(doubted[1]) < gained / 2


def test_a_single_word_that_question_and_passage_share_speaks_less_than_several_of_the_same_weight() -> None:
    text = "# Lamp\n\nThe lamp has a button. Its bulb and its shade are of glass."
    index = shelf_of([chunk("torch.md", text), *household(), *pages(FEW_CHUNKS)]).index

    def alone(question: str) -> float:
        asked = weigh(question, index)
        return gather(asked, asked, [hit_of(chunk("torch.md", text), 1)], (), lexicon=index).alone

    assert alone("Who invented the button and the zipper?") == 1.0
    assert alone("Is the shade of glass or of porcelain?") == pytest.approx(0.5)
    assert alone("button") == 0.0
    one = Evidence(0.5, 0.5, 0.4, 0.0, name_unknown=False, name_missing=False, topic=1.0, score=0.3)
    assert confidence(replace(one, alone=1.0)) < confidence(replace(one, alone=0.5)) < confidence(one)


def test_a_symbol_that_is_named_is_no_word_by_chance() -> None:
    code = chunk("kettle.py", "def descale(water):\n    water.heat()", lang="python")
    shelf = shelf_of([code._replace(symbols=("descale",)), *household()])
    asked = "Who on earth would ever call descale()?"
    assert find(shelf, Inquiry(asked), asked).evidence.alone == 0.0


PUMPS = [
    chunk(f"pump{number}.md", f"# Pump {part}\n\nThe Pump has a {part} that wants to be cleaned every year.")
    for number, part in enumerate("filter valve hose rotor seal gauge sieve motor shaft hinge".split() * 4)
]


def test_what_only_a_common_word_connects_with_a_collection_is_doubted() -> None:
    shelf = shelf_of(PUMPS)

    def lent(question: str, **more: str) -> float:
        return find(shelf, Inquiry(question, **more), question).evidence.lent  # type: ignore[arg-type]

    assert lent("stock price of pump") > lent("filter of the pump") > lent("filter") == 0.0
    assert lent("pump") == lent("stock price of pump", selected_text="the rotor") == 0.0
    near = Evidence(0.6, 0.6, 0.2, 0.5, name_unknown=False, name_missing=False, topic=3.0, score=0.1)
    assert confidence(replace(near, lent=0.4, alone=0.9)) < BOUNDS[0] < confidence(replace(near, alone=0.9))


def test_in_a_small_collection_no_word_is_too_common() -> None:
    question = "stock price of pump"
    sizes = FEW_CHUNKS - 1, FEW_CHUNKS
    few, many = (find(shelf_of(PUMPS[:size]), Inquiry(question), question).evidence.lent for size in sizes)
    assert few == 0.0 < many


def test_words_that_say_of_a_thing_that_it_works_are_missed_by_no_question() -> None:
    index = shelf_of(household()).index
    asked = weigh("How does the kettle work, what happens to it and what does it support?", index)
    assert [*asked.idf] == ["kettl"]
    told = shelf_of([chunk("tools.md", "Work at the bench."), *household()]).index
    assert [*weigh("How does the kettle work?", told).idf] == ["kettl", "work"]
    assert [*weigh("What happens at work?", index).idf] == ["work"]


def test_a_follow_up_is_not_doubted_for_the_name_of_what_it_is_about() -> None:
    shelf, asked = shelf_of(PUMPS), "and the Pump's price?"
    assert find(shelf, Inquiry(asked), f"{asked}\nHow is the filter cleaned?").evidence.lent == 0.0


def test_the_threshold_begins_above_what_everyday_questions_reach_and_higher_where_they_find_more() -> None:
    quiet, busy = begin([0.0005] * 99 + [0.4], None), begin([0.02] * 99 + [0.4], None)
    assert BOUNDS[0] < quiet.threshold < busy.threshold < BOUNDS[1]
    assert begin([0.52] * 100, Topic((1.0,), 0.0)).threshold >= 0.52
    assert begin([0.001] * 90 + [0.6] * 10, None).threshold >= 0.6
    assert begin([0.9] * 100, Topic((1.0,), 0.0)) == Abstention(BOUNDS[1], topic=Topic((1.0,), 0.0))
    assert begin([1e-9] * 100, None).threshold == BOUNDS[0]
    assert begin([], None) == DEFAULT


def test_what_is_just_above_the_threshold_is_answered_and_called_the_closest_there_is() -> None:
    found = Abstention(0.4)
    assert not found.covers(0.39)
    assert found.covers(0.45)
    assert found.is_unsure(0.45)
    assert not found.is_unsure(0.62)


def test_a_collection_s_own_threshold_is_read_from_its_index() -> None:
    shelf = shelf_of(
        household(), calibration={"abstention": {"threshold": 0.45, "evidence": EVIDENCE_NUMBER}}
    )
    assert shelf.abstention.threshold == 0.45
    assert shelf_of(household()).abstention == DEFAULT


def test_a_question_that_is_the_title_of_a_section_is_covered_by_it() -> None:
    text = "Put its wick into the tank, then call the porter.\n"
    guide = chunk("guide.md", f"## Adding a lamp\n\n{text}\n## Care\n\nWipe it.", heading="Adding a lamp")
    shelf = shelf_of([*PUMPS, guide])
    asked = ("How do I add a lamp?", "How do I add the lamp of a friend?")
    sure = [find(shelf, Inquiry(one), one).confidence for one in asked]
    assert sure[0] >= KNOWN_PAGE > sure[1]
