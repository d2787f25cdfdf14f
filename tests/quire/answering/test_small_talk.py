"""Small talk is told by its whole wording; what merely holds such a word is a question."""

from __future__ import annotations

import pytest

from quire.answering.answerer import answer
from quire.answering.conversation import read_message
from quire.answering.request import Inquiry
from quire.answering.small_talk import (
    ABOUT,
    CONSENT,
    DISMISSAL,
    DISSENT,
    FAILED,
    FAREWELL,
    GREETING,
    THANKS,
    TRANSLATION,
    bare_question,
    small_talk,
)
from quire.documents import Turn
from tests.support.shelves import Scripted, household, shelf_of

SHELF = shelf_of(household())
TALK = (Turn("user", "How often do I descale the kettle?"), Turn("assistant", "Every three months [1]."))
SAID = {
    THANKS: "thanks|Thanks!|thank you very much|ok great, thank you so much!|thx|Thanks, that helped a lot.|cheers"
    "|ok thanks, bye|Thank you and goodbye!",
    GREETING: "hi|Hello!|hey there|Good morning|hello, how are you?",
    ABOUT: "who are you?|Are you a bot?|what can you do|What can I ask you?|can you help me?|what's your name?",
    FAREWELL: "bye|ok, goodbye!",
    DISSENT: "that's wrong|no, that is not what I asked|It didn't help.|wrong answer|hmm, that did not help",
    DISMISSAL: "never mind|Nevermind.|ok, forget it|let's start over|start again|new topic|another question",
    FAILED: "that did not work|That didn't work.|it doesn't work for me|still not working|no luck"
    "|I tried that, still the same error|it's still broken|I still get an error|nothing works"
    "|hmm, that doesn't seem to work|none of that worked",
    TRANSLATION: "in German please|Say it in Spanish|can you translate it to French?|auf Deutsch bitte"
    "|en español por favor|translate that|do you speak Dutch?|I don't understand English|en français s'il vous plaît",
    CONSENT: "nice|cool|ok|great, that works|I see|got it|that makes sense|perfect",
}
"""Texts by their kind, apart by a bar."""
QUESTIONS = """
How do I thank a donor?
Hello World in Rust
does it work?
is that good?
what is a good tree
who made the kettle?
that doesn't work with the lamp
still not working on Windows
why does it not work?
does it fail
an error message
translate the page to German
is there a German version?
it works on Linux but not on Windows
thanks to which setting does the lamp dim
ok and then?
nice values of a process
What can I ask the kettle to do?
who are the contributors
how do I start over
forget it in the cache
another question about the lamp
""".strip().splitlines()


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, one) for kind, texts in SAID.items() for one in texts.split("|")]
)
def test_small_talk_is_told_by_its_wording(kind: str, text: str) -> None:
    assert small_talk(text, goes_on=True) == kind


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_question_with_such_words_is_no_small_talk(text: str) -> None:
    assert small_talk(text, goes_on=True) == ""


@pytest.mark.parametrize("text", ["nice", "bye", "I see", "ok", "that's wrong"])
def test_praise_and_farewells_may_be_looked_up_where_nothing_was_said(text: str) -> None:
    assert small_talk(text, goes_on=False) == ""


@pytest.mark.parametrize("text", ["thanks!", "who are you?", "hello", "cool"])
def test_small_talk_is_answered_without_a_search_or_a_model_and_repeats_no_quote(text: str) -> None:
    model = Scripted(["You are welcome [1]."])
    given = answer(SHELF, Inquiry(text, history=TALK), model)
    assert (given.answerable, given.hits, given.citations, model.asked) == (False, (), (), [])
    assert "not covered" not in given.text


@pytest.mark.parametrize(
    ("text", "told"),
    [("that did not work", "which step fails?"), ("auf Deutsch bitte", "I cannot translate")],
)
def test_what_no_search_mends_is_said_and_what_follows_it_is_asked_of_the_topic(text: str, told: str) -> None:
    given = answer(SHELF, Inquiry(text, history=TALK))
    assert told in given.text
    assert (given.answerable, given.citations, given.notices) == (False, (), ())
    after = (*TALK, Turn("user", text), Turn("assistant", given.text))
    assert answer(SHELF, Inquiry("show me that again", history=after)).citations
    assert "kettle" in answer(SHELF, Inquiry("and with what?", history=after)).text.lower()


BEFORE = """
ok never mind.|Forget it.|new question:|Different topic:|another question,|by the way,|btw|unrelated:|One more question:
|let's move on.|changing the subject:|something else:|got it.|I see.|that worked!|ok that works.|that did not work.
"""
"""What people say of an answer, or of the topic, before they ask something else."""


@pytest.mark.parametrize("before", BEFORE.replace("\n", "").split("|"))
def test_what_is_said_of_the_answer_before_a_question_leads_back_to_no_topic(before: str) -> None:
    asked = f"{before} How do I clean the lamp?"
    assert bare_question(asked) == "How do I clean the lamp?"
    talk = (*TALK, Turn("user", asked), Turn("assistant", "With a cloth [1]."))
    reading = read_message("and how often?", talk, lambda _: False)
    assert "kettle" not in reading.searched
    assert "lamp" in reading.searched


@pytest.mark.parametrize("text", ["It works, but slowly", "new topic creation", "Unrelated histories in git"])
def test_what_is_no_opening_stays(text: str) -> None:
    assert bare_question(text) == text


@pytest.mark.parametrize("text", ["yes", "no", "sure!", "Nope."])
def test_yes_and_no_are_looked_up_only_as_a_reply_to_what_was_asked_back(text: str) -> None:
    assert answer(SHELF, Inquiry(text, history=TALK)).hits == ()
    asked = (*TALK[:-1], Turn("assistant", "Do you mean the lamp?"))
    assert answer(SHELF, Inquiry(text, history=asked)).hits


def test_about_itself_it_says_what_it_answers_from() -> None:
    assert "from the Household documentation" in answer(SHELF, Inquiry("who are you?")).text


def test_a_correction_is_answered_by_what_was_meant_and_a_model_reads_it_as_it_was_said() -> None:
    said = "no, I meant the lamp"
    model = Scripted(["NOT_COVERED"])
    answer(SHELF, Inquiry(said, history=TALK), model)
    assert said in str(model.asked[-1])
