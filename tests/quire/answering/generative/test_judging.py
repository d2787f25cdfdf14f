"""Forty replies, judged by hand; see `tests/support/model_replies.py`."""

from __future__ import annotations

import pytest

from quire.answering.answerer import answer
from quire.answering.generative.judging import FLAG, Judge
from quire.answering.generative.sentence_stream import SentenceStream
from quire.answering.request import Inquiry
from tests.support.model_replies import CHOSEN_ON, REPORTED_ON, handbook
from tests.support.shelves import Scripted, household, shelf_of

QUESTION = "How often do I descale the kettle, every how many months?"
WORST_FLAGGED = {CHOSEN_ON: 1.0, REPORTED_ON: 0.96}
"""Share of unsupported sentences that must be flagged: all where thresholds were chosen, 26 of 27 elsewhere."""


def judged(names: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """Of every sentence: what a reader says of it, itself, and what is shown."""
    found = []
    for name in names:
        book = handbook(name)
        shelf = shelf_of(book.chunks)
        for reply in book.replies:
            judge = Judge(book.sources, shelf.index, question=reply.question, title=book.title)
            for kind, sentence in reply.sentences:
                stream = SentenceStream()
                units = [*stream.feed(sentence), *stream.finish()]
                found.append((kind, sentence, "".join(judge.read(unit) for unit in units)))
    return found


def test_there_are_forty_replies_half_of_them_over_handbooks_that_chose_nothing() -> None:
    assert len(handbook("glasshouse").replies) == 20
    assert sum(len(handbook(name).replies) for name in REPORTED_ON) == 20


@pytest.mark.parametrize("names", [CHOSEN_ON, REPORTED_ON])
def test_what_no_source_says_is_flagged_and_what_one_says_is_kept_and_marked(names: tuple[str, ...]) -> None:
    verdicts = judged(names)
    wrong = [FLAG in shown for kind, _, shown in verdicts if kind == "-"]
    right = [FLAG not in shown and "[" in shown for kind, _, shown in verdicts if kind == "+"]
    assert sum(wrong) / len(wrong) >= WORST_FLAGGED[names]
    assert sum(right) / len(right) >= 0.95
    assert not any(FLAG in shown for kind, _, shown in verdicts if kind == "=")


@pytest.mark.parametrize("name", [*CHOSEN_ON, *REPORTED_ON])
def test_a_whole_reply_is_shown_with_its_flags_and_its_notices(name: str) -> None:
    book = handbook(name)
    shelf = shelf_of(book.chunks)
    for reply in book.replies:
        judge = Judge(book.sources, shelf.index, question=reply.question, title=book.title)
        stream = SentenceStream()
        text = "".join(judge.read(unit) for unit in [*stream.feed(reply.text), *stream.finish()])
        assert text.count(FLAG) == len(judge.refused)
        assert bool(judge.notices()) is bool(judge.refused)


def said(sentence: str, *, strict: bool = False) -> tuple[str, Judge]:
    book = handbook("glasshouse")
    judge = Judge(book.sources, shelf_of(book.chunks).index, strict=strict)
    stream = SentenceStream()
    return "".join(judge.read(unit) for unit in [*stream.feed(sentence), *stream.finish()]), judge


def test_a_wrong_mark_is_replaced_by_the_right_one() -> None:
    assert said("The heater is serviced once a year [2].")[0] == "The heater is serviced once a year [4]."


@pytest.mark.parametrize(
    ("sentence", "strange"),
    [
        ("The pump delivers 9 litres per minute [1].", "9"),
        ("The controller reads the thermometer every 90 minutes [3].", "90 minute"),
        ("Version 3.4 added the option `--dry-run` [5].", "3.4"),
        ("Run `glassctl state` to see all sensors [5].", "glassctl state"),
        ("The heater was installed by Napoleon in 2014 [4].", "napoleon"),
    ],
)
def test_numbers_units_versions_symbols_and_names_of_no_source_are_told(sentence: str, strange: str) -> None:
    text, judge = said(sentence)
    assert FLAG in text
    assert strange in judge.strange
    assert any(f"`{strange}`" in notice for notice in judge.notices())


def test_code_that_no_source_holds_is_told() -> None:
    text, judge = said("```sh\nglassctl status\nos.removeAll()\n```\n")
    assert "os.removeAll()" in text
    assert "os.removeall" in judge.notices()[0]


def test_in_strict_mode_what_no_source_says_is_left_out_and_told() -> None:
    text, judge = said(
        "It starts when the temperature drops under 5 degrees. Napoleon built it in 1805.", strict=True
    )
    assert text.strip() == "It starts when the temperature drops under 5 degrees [4]."
    assert judge.notices()[0].startswith("Left out")


def test_an_answer_tells_in_its_notices_what_the_sources_do_not_say() -> None:
    model = Scripted(["Descale it every two months [1]. It was invented by Napoleon in 1805 [2]."])
    shelf = shelf_of(household())
    lenient = answer(shelf, Inquiry(QUESTION), model)
    assert f"Napoleon in 1805{FLAG}." in lenient.text
    assert any("Napoleon" in notice for notice in lenient.notices)
    strict = answer(shelf, Inquiry(QUESTION, strict=True), model)
    assert strict.text.strip() == "Descale it every two months [1]."
    assert [citation.n for citation in strict.citations] == [1]


def test_the_first_line_of_a_table_names_its_columns_and_claims_nothing() -> None:
    text, judge = said(
        "| What | When |\n| --- | --- |\n| Heater | It starts when the temperature drops under 5 degrees [1] |\n"
        "| Roof | Napoleon opens it |\n"
    )
    head, _, heater, roof = text.splitlines()
    assert head == "| What | When |"
    assert heater.endswith("[4] |")
    assert FLAG in roof
    assert list(judge.used) == [4]
    assert FLAG in said("| Napoleon's heater | 1805 |\n| --- | --- |\n")[0]
