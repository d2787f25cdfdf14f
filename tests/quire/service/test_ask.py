"""When a refusal names another collection, and what it does not say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quire.answering.answerer import answer
from quire.answering.request import Inquiry
from quire.service.ask import is_told
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
