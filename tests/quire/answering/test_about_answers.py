"""Whole conversations: what follows an answer is about that answer."""

from __future__ import annotations

from typing import Any

import pytest

from quire.answering.about_answers import ALSO, LONGEST, OF_THE_SAME, about_answer
from quire.answering.answerer import CLOSEST, answer
from quire.answering.extractive.retelling import NO_SOURCE, NOT_IN, NOTHING, SHORTENED, STANDS
from quire.answering.findings import AskedCollection
from quire.answering.request import Answer, Inquiry
from quire.documents import Chunk, Turn
from tests.support.answer_checks import problems
from tests.support.shelves import Scripted, chunk, household, shelf_of

BREWING = """\
## Brewing

The brewer makes coffee in four minutes. It heats the water to 93 degrees, because hotter water turns coffee bitter.
Fill the tank first.

```python
brewer.fill(litres=1)
brewer.brew(cups=4)
```

There are two programs:

- Mild takes three minutes and little powder.
- Strong takes five minutes and much powder.
"""
FURTHER = """\
## Brewing for guests

For guests the brewer keeps coffee warm for an hour. Coffee that is brewed for guests comes in a jug.
"""
FILTERS = """\
## Filters

A paper filter holds back the oil of coffee. A steel filter lets it through.
"""
VALVE = '''\
def close_valve(valve, slowly=True):
    """Close the valve of a pump."""
    valve.turn(90)
'''
STOPPING = '''\
def stop_pump(pump):
    """Stop a pump, for good."""
    close_valve(pump.valve)
'''
TESTING = """\
def test_close_valve_turns_it():
    valve = Valve()
    close_valve(valve)
    assert valve.angle == 90
"""


def source(path: str, text: str, symbol: str, **more: Any) -> Chunk:
    facts: dict[str, Any] = {
        "lang": "python",
        "kind": "function",
        "symbol": symbol,
        "start_line": 1,
        "end_line": text.count("\n") + 1,
    }
    made = chunk(path, text, **facts, **more)
    return made._replace(symbols=(symbol,), breadcrumb=f"{path} › {symbol}")


HANDBOOK = shelf_of(
    [
        chunk("brewer.md", BREWING),
        chunk("brewer.md", FURTHER, 1),
        chunk("filters.md", FILTERS),
        *household(),
    ]
)
CODE = shelf_of(
    [
        source("valves.py", VALVE, "close_valve"),
        source("pumps.py", STOPPING, "stop_pump", calls=("close_valve",)),
        source(
            "tests/test_valves.py", TESTING, "test_close_valve_turns_it", is_test=True, calls=("close_valve",)
        ),
    ],
    profile="code",
)
OPENING = "How does the brewer make coffee?"


def talk(shelf: AskedCollection, *messages: str) -> list[Answer]:
    """What each of the messages is answered, one after the other."""
    history: tuple[Turn, ...] = ()
    given = []
    for message in messages:
        given.append(answer(shelf, Inquiry(message, history=history)))
        history = (*history, Turn("user", message), Turn("assistant", given[-1].text))
    for one in given:
        assert problems(one) == []
        for cited in one.citations:
            assert cited.hit.chunk.text[cited.start : cited.end] == cited.quote
    return given


@pytest.mark.parametrize(
    "message",
    [
        "Summarise that in one sentence",
        "Explain that more simply",
        "tl;dr",
        "shorter please",
    ],
)
def test_without_a_model_a_summary_is_the_part_of_the_same_answer_that_says_most(message: str) -> None:
    opened, given = talk(HANDBOOK, OPENING, message)
    assert given.answerable
    assert given.notices == (SHORTENED,)
    assert len(given.citations) == 1
    assert given.citations[0].hit.chunk.document_id == "brewer.md"
    assert given.citations[0].quote in opened.citations[0].quote
    assert len(given.text) < len(opened.text)


def test_a_summary_of_a_summary_is_of_the_same() -> None:
    _, first, second = talk(HANDBOOK, OPENING, "tl;dr", "even shorter please")
    assert "The brewer makes coffee" in second.text
    assert len(second.text) <= len(first.text)


def test_a_summary_of_nothing_is_asked_back() -> None:
    [given] = talk(HANDBOOK, "Summarise that in one sentence")
    assert given.text.startswith("I need more context.")


def test_what_a_mark_stood_for_is_shown_whole_with_its_place() -> None:
    opened, given = talk(HANDBOOK, OPENING, "What did you mean by [1]?")
    assert given.text.startswith(f"{STANDS}{opened.citations[0].hit.chunk.place}")
    assert given.citations[0].hit.chunk.id == opened.citations[0].hit.chunk.id
    *_, none = talk(HANDBOOK, OPENING, "What is [7]?")
    assert (none.answerable, none.citations) == (False, ())
    assert none.text.startswith(NO_SOURCE)


@pytest.mark.parametrize("message", ["are you sure?", "Who says that?", "where is that documented?"])
def test_who_doubts_is_shown_where_it_stands(message: str) -> None:
    opened, given = talk(HANDBOOK, OPENING, message)
    assert given.citations[0].hit.chunk.id == opened.citations[0].hit.chunk.id


def test_more_is_what_was_not_shown_and_in_the_end_that_there_is_no_more() -> None:
    replies = talk(HANDBOOK, OPENING, *["more", "continue", "go on", "tell me more"])
    quoted = [cited.quote for one in replies for cited in one.citations]
    assert len(quoted) == len(set(quoted))
    assert replies[-1].text.startswith(NOTHING["more"].format("the Household documentation"))
    assert not replies[-1].answerable


def test_an_example_is_code_of_the_same_passages_in_the_language_that_is_named() -> None:
    *_, example, other, none = talk(HANDBOOK, OPENING, "can you give an example?", "in Rust?", "in Python?")
    assert "brewer.fill(litres=1)" in example.text
    assert example.notices == none.notices == ()
    assert NOT_IN.format("Rust") in other.notices
    assert "brewer.fill(litres=1)" in none.text


def test_where_there_is_no_code_that_is_said() -> None:
    _, given = talk(HANDBOOK, "Which filter holds back the oil of coffee?", "show me the code")
    assert given.citations == () or "```" in given.text
    _, told = talk(
        shelf_of([chunk("filters.md", FILTERS)]), "Which filter holds back the oil?", "show me the code"
    )
    assert told.text.startswith(NOTHING["example"].format("the Household documentation"))


def test_a_reason_is_quoted_or_it_is_said_that_there_is_none() -> None:
    shelf = shelf_of([chunk("lamp.md", "# Lamp\n\nThe lamp takes an E14 bulb.")])
    _, given = talk(shelf, "Which bulb does the lamp take?", "why?")
    assert given.notices == (NOTHING["reason"].format("the Household documentation"),)
    why = "# Lamp\n\nThe lamp takes an E14 bulb.\n\n" + "It stands by the bed and is made of brass. " * 60
    because = chunk("lamp.md", "The lamp takes this bulb because its socket is narrow.", 1)
    _, given = talk(shelf_of([chunk("lamp.md", why), because]), "Which bulb does the lamp take?", "why?")
    assert "because its socket is narrow" in given.text


def test_the_second_one_is_the_second_of_what_was_set_beside_each_other() -> None:
    *_, given = talk(
        HANDBOOK, "What is the difference between a paper filter and a steel filter?", "and the second one?"
    )
    assert given.citations[0].hit.chunk.document_id == "filters.md"


def test_whether_it_is_so_for_another_thing_is_never_sure_by_quotes() -> None:
    *_, given = talk(HANDBOOK, "What does a paper filter hold back?", "Is that also true for a steel filter?")
    assert "steel filter" in given.text
    assert CLOSEST in given.notices
    *_, far = talk(HANDBOOK, "What does a paper filter hold back?", "Is that also true for submarines?")
    assert not far.answerable
    assert "covers what this follows" in far.text


@pytest.mark.parametrize("message", ["and where is it called?", "who calls it?", "where is it used?"])
def test_it_is_the_symbol_that_the_question_named(message: str) -> None:
    *_, given = talk(CODE, "What does close_valve do?", message)
    assert "`stop_pump`, pumps.py" in given.text
    assert {cited.hit.chunk.document_id for cited in given.citations} <= {"pumps.py", "tests/test_valves.py"}


def test_its_tests_are_tests() -> None:
    *_, given = talk(CODE, "What does close_valve do?", "what about its tests?")
    assert [cited.hit.chunk.document_id for cited in given.citations] == ["tests/test_valves.py"]
    *_, none = talk(CODE, "What does stop_pump do?", "is it tested?")
    assert "test_valves" in none.text or not none.answerable


def test_where_that_is_defined_is_where_the_answer_was_found() -> None:
    opened, given = talk(CODE, "How is a pump stopped for good?", "where is that defined?")
    assert given.citations[0].hit.chunk.id == opened.citations[0].hit.chunk.id


def test_what_follows_a_question_that_found_nothing_is_about_the_one_before() -> None:
    *_, refused, given = talk(HANDBOOK, OPENING, "And who painted it?", "Summarise that in one sentence")
    assert not refused.answerable
    assert given.citations[0].hit.chunk.document_id == "brewer.md"


def test_a_model_reads_what_was_asked_with_the_conversation_and_the_same_sources() -> None:
    model = Scripted(["It heats water to 93 degrees [1]."])
    opened = answer(HANDBOOK, Inquiry(OPENING))
    history = (Turn("user", OPENING), Turn("assistant", opened.text))
    given = answer(HANDBOOK, Inquiry("Summarise that in one sentence", history=history), model)
    assert given.model_used == "scripted"
    prompt = model.asked[0][1][-1].text
    assert "Question: Summarise that in one sentence" in prompt
    assert f"user: {OPENING}" in prompt
    assert "93 degrees" in prompt
    assert [hit.chunk.id for hit in given.hits] == [hit.chunk.id for hit in opened.hits]


@pytest.mark.parametrize(
    "text",
    [
        "How do I continue a loop?",
        "Summarise the licence",
        "Explain the pump",
        "What is the second law?",
        "Where is it sold?",
        "Is that also " + "very " * LONGEST + "true for it?",
        "in Rome?",
        "More about pumps",
        "show me the code of the pump",
        "",
    ],
)
def test_a_question_that_names_its_topic_is_one_of_its_own(text: str) -> None:
    assert about_answer(text) is None


def test_kinds_are_told_apart() -> None:
    assert ALSO not in OF_THE_SAME
    kinds = {
        text: (about_answer(text) or ("",))[0]
        for text in ("more", "why?", "in C++?", "its callers", "same for Go")
    }
    assert list(kinds.values()) == ["more", "reason", "example", "uses", "also"]


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (
            "shorter",
            "in a nutshell? | keep it short | one sentence please | what's the gist? | what do you mean? | huh?",
        ),
        (
            "source",
            "which page is that on? | where can I find that? | link? | what does [1] say about it? | cite that",
        ),
        ("source", "can you give me the link? | what is the URL of that?"),
        ("more", "and? | any more details? | go deeper | anything else I should know? | next page | then?"),
        (
            "example",
            "can I see some code? | which command? | Python version? | how would I do that in Go? | any examples?",
        ),
        ("reason", "how so? | but why? | how come? | why would I use that? | Why should one do it"),
        ("place", "which file is that in? | show me the implementation | where does that live in the code?"),
        ("ordinal", "option 2 | explain step 2 | the second | and the other one?"),
        ("also", "same question for Linux | does this also work for Postgres? | is it the same on Mac?"),
    ],
)
def test_a_kind_is_told_in_many_wordings(kind: str, texts: str) -> None:
    found = [about_answer(text) for text in texts.split(" | ")]
    assert [one and one.kind for one in found] == [kind] * len(found)


def test_the_language_of_code_is_told_by_the_directive_above_it() -> None:
    page = """\
Pumps
=====

The pump is stopped by its name in a shell, and no other way is there to stop a pump.

.. code-block:: console

    $ pumpctl stop main
"""
    shelf = shelf_of([chunk("pumps.rst", page, lang="rst"), *household()])
    *_, given = talk(shelf, "How is a pump stopped by its name in a shell?", "in Python?")
    assert NOT_IN.format("Python") in given.notices
    assert "pumpctl stop main" in given.text
    *_, given = talk(shelf, "How is a pump stopped by its name in a shell?", "in bash?")
    assert given.notices == ()


def test_a_command_in_a_sentence_is_the_code_that_is_asked_for() -> None:
    page = "# Lamp\n\nThe lamp takes an E14 bulb.\n\nPut it out with `lampctl off --for 2h` before a storm."
    shelf = shelf_of([chunk("lamp.md", page)])
    _, shown = talk(shelf, "How do I put the lamp out before a storm?", "show me the command")
    assert "lampctl off --for 2h" in shown.text
    assert shown.citations
    _, other = talk(shelf, "How do I put the lamp out before a storm?", "can you give an example in Rust?")
    assert not other.citations
