"""What asks of the conversation itself is told by its whole wording and answered from the turns before."""

from __future__ import annotations

import pytest

from quire.answering.answerer import answer
from quire.answering.conversation import complete
from quire.answering.recalling import ALL, FIRST, LAST, LEFT_OUT, MOST_LISTED, NONE_BEFORE, recalled
from quire.answering.request import Inquiry
from quire.documents import Turn
from quire.limits import HISTORY_TURNS
from tests.support.shelves import Scripted, household, shelf_of

SHELF = shelf_of(household())
FIRST_ASKED, THEN_ASKED = "How often do I descale the kettle?", "give me an example"
TALK = (
    Turn("user", "hello"),
    Turn("assistant", "Hello."),
    Turn("user", FIRST_ASKED),
    Turn("assistant", "Every three months [1]."),
    Turn("user", THEN_ASKED),
    Turn("assistant", "I found no code about this."),
)
ASKED = {
    FIRST: "what was my first question?|And what was my very first question|What did I ask first?"
    "|what's my first question|what was the first thing I asked you?|do you remember my first question?"
    "|Can you tell me what my first question was?|repeat my first question please|what did I say at the beginning?",
    LAST: "what was my last question?|what did I ask before?|What did I just ask?|what was my question again?"
    "|remind me of my previous question|what was the last thing I asked|what did I ask you?",
    ALL: "summarize our conversation|Summarise this chat so far|what have I asked so far?|what have we talked about?"
    "|which questions did I ask today?|list all my questions|what were my previous questions?|recap this conversation",
}
"""Texts by their kind, apart by a bar."""
QUESTIONS = """
What was the first question?
What is the first question that a visitor asks?
How do I ask a question?
How do I summarize a conversation?
Summarize the chat API
What is my first request?
what did they ask before?
list all questions
What was the last release?
what did you say first?
""".strip().splitlines()


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, one) for kind, texts in ASKED.items() for one in texts.split("|")]
)
def test_what_asks_of_the_conversation_is_told_by_its_wording(kind: str, text: str) -> None:
    assert recalled(text) == kind


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_question_with_such_words_is_looked_up(text: str) -> None:
    assert recalled(text) == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("what was my first question?", [FIRST_ASKED]),
        ("what did I ask before?", [THEN_ASKED]),
        ("summarize our conversation", [FIRST_ASKED, THEN_ASKED]),
    ],
)
def test_questions_before_are_told_back_without_a_search_or_a_model(text: str, told: list[str]) -> None:
    model = Scripted(["The kettle [1]."])
    given = answer(SHELF, Inquiry(text, history=TALK), model)
    assert [one for one in (FIRST_ASKED, THEN_ASKED) if one in given.text] == told
    assert "hello" not in given.text
    assert (given.answerable, given.hits, given.citations, model.asked) == (False, (), (), [])


def test_where_nothing_was_asked_before_that_is_said() -> None:
    assert answer(SHELF, Inquiry("what was my first question?")).text == NONE_BEFORE
    assert answer(SHELF, Inquiry("what did I ask before?", history=TALK[:2])).text == NONE_BEFORE


def test_the_first_question_is_told_of_all_that_was_sent() -> None:
    talk = TALK[2:4] + TALK[4:] * HISTORY_TURNS
    assert FIRST_ASKED in answer(SHELF, Inquiry("what was my first question?", history=talk)).text


def test_a_long_list_of_questions_ends_with_the_last_and_says_so() -> None:
    talk = TALK[2:4] * MOST_LISTED
    whole = answer(SHELF, Inquiry("what have I asked so far?", history=talk)).text
    assert f"{MOST_LISTED}. {FIRST_ASKED}" in whole
    assert LEFT_OUT not in whole
    cut = answer(SHELF, Inquiry("what have I asked so far?", history=talk + TALK[2:4])).text
    assert ("\n1. " in cut, f"\n{MOST_LISTED + 1}. " in cut, LEFT_OUT in cut) == (False, True, True)


def test_a_long_question_is_told_back_by_its_beginning() -> None:
    talk = (Turn("user", "Why does the kettle " + "whistle and " * 200), Turn("assistant", "It boils [1]."))
    given = answer(SHELF, Inquiry("what was my first question?", history=talk))
    assert "> Why does the kettle whistle" in given.text
    assert len(given.text) < 400


def test_a_follow_up_reaches_over_it_to_what_it_is_about() -> None:
    talk = (*TALK[2:4], Turn("user", "what was my first question?"), Turn("assistant", f"> {FIRST_ASKED}"))
    assert complete("and how often is that?", talk).endswith(FIRST_ASKED)
