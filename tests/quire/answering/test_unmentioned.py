"""Whether a code, a version or a numbered thing that a question asks about stands in what was found."""

from __future__ import annotations

import time

import pytest

from quire.answering.unmentioned import Unmentioned, unmentioned
from tests.support.shelves import chunk, hit_of

ERRORS = hit_of(
    chunk("errors.md", "| code | meaning |\n| --- | --- |\n| `LP-101` | the wick is wet |\n| 204 | no oil |")
)
NOTES = hit_of(chunk("notes.md", "Lamp 4.2 burns colza. Set `MAX_OIL`, for Lamp 5.x too. See chapter 3."))


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What does error LP-999 mean?", Unmentioned("LP-999", True)),
        ("my worker prints LP-999, how do I restart it?", Unmentioned("LP-999", False)),
        ("What does error code 299 mean?", Unmentioned("code 299", True)),
        ("What changed in Lamp 7.3?", Unmentioned("Lamp 7.3", True)),
        ("How do I move from Lamp 3.1 to the new one?", Unmentioned("Lamp 3.1", False)),
        ("What is chapter 42 about?", Unmentioned("chapter 42", True)),
        ("What does LAMP_MAX_WICK do?", Unmentioned("LAMP_MAX_WICK", True)),
    ],
)
def test_what_nothing_found_mentions_is_told(question: str, missing: Unmentioned) -> None:
    assert unmentioned(question, [ERRORS, NOTES]) == missing


@pytest.mark.parametrize(
    "question",
    [
        "What does error LP-101 mean?",
        "What does error code 204 mean?",
        "Is Lamp 4.2.1 supported?",
        "Does Lamp 5.7 burn colza?",
        "What is chapter 3 about?",
        "What does LAMP_MAX_OIL do?",
        "How do I wait 77 seconds?",
        "How many of 12 lamps burn after 30 minutes?",
        "Set the limit to 512 for one lamp",
        "dial tcp 10.0.0.7:8080: connect: connection refused",
    ],
)
def test_amounts_and_what_is_mentioned_are_not(question: str) -> None:
    assert not unmentioned(question, [ERRORS, NOTES]).name


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What does status 404 mean?", "An unknown lamp is 404, a wrong field 422."),
        ("What does exit code 2 mean?", "It exits with 2 when no oil is left."),
        ("What does exit code 2 mean?", "Exit codes: 0 done; 1 no oil; 2 refused."),
        ("What is new in version 3?", "## 3.1\n\nThe wick is wider."),
        ("What is new in version 3?", "Colza burns in v3 and later."),
        ("What changed in Lamp 3?", "Lamp 3.0 burns colza."),
        ("What changed in version 4.2?", "What is new in Lamp 4.2"),
        ("What changed in version 4.2?", "Wicks of 4.2.1 are wider."),
        ("What is new in version 3?", "Lamp 3 burns colza."),
        ("What does error 12 mean?", "ERR12: no oil"),
        ("What is layer 3 of?", "Layer 1 is of wool, layers 2 and 3 are of cotton."),
        ("What is lesson 2 about?", "The second lesson is on oils."),
        ("What does figure 3.2 show?", "Figure 3-2: a wick"),
        ("What is chapter 4 about?", "## 4.1 Oils"),
        ("What is chapter 4 about?", "## Chapter Four"),
        ("What is part 2 about?", "Part 1 is on oils, part II on wicks."),
        ("What does figure 2 show?", "Fig. 2: a wick"),
        ("What is section 4.2 about?", "On oils see 4.2."),
        ("What is lesson 5 about?", "Lesson 05: oils"),
        ("What does LP101 mean?", "`LP-101`: the wick is wet"),
        ("What does LP-101 mean?", "lp101: the wick is wet"),
        ("How do I set max_wicks?", "`maxWicks` says how many."),
        ("How do I set maxWicks?", "`--max-wicks` says how many."),
    ],
)
def test_other_ways_to_write_it_are_mentions_too(question: str, text: str) -> None:
    assert not unmentioned(question, [hit_of(chunk("a.md", text))], ["lamp"]).name


def test_parts_of_other_words_and_numbers_are_no_mentions() -> None:
    found = [
        hit_of(chunk("a.md", "Lesson 15 is on 5 oils, exit codes are 1 and 12, an order of 1,404. LP-1010"))
    ]
    for question in (
        "What is lesson 5 about?",
        "What does exit code 2 mean?",
        "Error 404?",
        "What is LP-101?",
    ):
        assert unmentioned(question, found).name


def test_an_identifier_is_looked_for_in_a_question_and_not_in_a_pasted_message() -> None:
    found = [hit_of(chunk("wick.md", "Call `trimWick()` each evening."))]
    assert not unmentioned("When do I call lamp.trimWick?", found).name
    assert unmentioned("When do I call lamp.trimGlass?", found) == Unmentioned("lamp.trimGlass", False)
    assert not unmentioned(f"ERROR {'x ' * 60} lamp.trimGlass failed", found).name


def test_hostile_texts_are_looked_through_in_no_time() -> None:
    text = ("LP-101 lamp version since v1.1.1 | `" * 4_000) + "\n" * 4_000
    started = time.process_time()
    assert unmentioned(
        "What does LAMP_MAX_OIL_9 of Lamp 7.3 do with lamp 12?", [hit_of(chunk("wide.md", text))]
    ).name
    for question in ("What is chapter 4 about?", "What does exit code 2 mean?"):
        hostile = "code " * 4_000 + "chapter " * 4_000 + "chapter" * 4_000
        assert unmentioned(question, [hit_of(chunk("wide.md", hostile))]).name
    unmentioned("Lamp 7.3? " * 100, [hit_of(chunk("wide.md", text))])
    assert time.process_time() - started < 1.0
