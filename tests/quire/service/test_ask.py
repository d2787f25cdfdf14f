"""When a refusal names another collection, and what it does not say."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from quire.answering.answerer import answer
from quire.answering.request import Inquiry
from quire.limits import QUESTION_CHARACTERS
from quire.service.access import ANYONE
from quire.service.ask import ask, is_told
from tests.support.served import Shelf
from tests.support.shelves import chunk, household, shelf_of


@pytest.mark.parametrize(
    ("question", "confidence", "is_named"),
    [
        ("How often is the kettle descaled?", 0.8, True),
        ("How often is the kettle descaled?", None, True),
        ("How do I set up a broker for the kettle?", 0.9, False),
        ("How do I set up a broker for the kettle?", 0.97, True),
    ],
)
def test_another_collection_is_named_for_more_than_a_word_in_common(
    question: str, confidence: float | None, is_named: bool
) -> None:
    given = answer(shelf_of(household()), Inquiry("How often is the kettle descaled?"))
    assert given.answerable
    assert is_told(replace(given, confidence=confidence), question) is is_named


def test_a_refusal_does_not_say_that_a_word_was_read_as_another_one() -> None:
    one = chunk("kettle.py", "def kettle(): ...\n", lang="python")._replace(symbols=("kettle",))
    shelf = shelf_of([one, *household()])
    given = answer(shelf, Inquiry("How often is the kettel descaled?"))
    assert given.notices == ("Read `kettel` as `kettle`.",)
    given = answer(shelf, Inquiry("Which stock exchange lists the kettel of Zorbatron?"))
    assert not given.answerable
    assert given.notices == ()


def test_of_a_long_question_no_more_is_read_for_another_collection_than_for_the_answer(
    tmp_path: Path,
) -> None:
    shelf = Shelf(tmp_path)
    shelf.publish()
    long = " ".join(f"zq{number}x" for number in range(80_000))
    took_s = {}
    for question in (long[:QUESTION_CHARACTERS], long):
        began = time.process_time()
        ask(shelf.service(), ANYONE, "roblox", Inquiry(question))
        took_s[len(question)] = time.process_time() - began
    assert took_s[len(long)] < 2 * took_s[QUESTION_CHARACTERS] + 0.1
