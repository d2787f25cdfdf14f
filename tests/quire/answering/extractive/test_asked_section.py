"""Sections that every page has, asked for by what they are called: of the page that is named, or that is in hand."""

from __future__ import annotations

import pytest

from quire.answering.answerer import answer
from quire.answering.request import Answer, Inquiry
from quire.documents import Chunk, Turn
from tests.support.shelves import chunk, pages, shelf_of

SECTIONS = {
    "Options": "Set `{0}_speed` from 1 to 9, and `{0}_delay` in seconds before it starts.",
    "Known limitations": "It stops above {1} degrees, and it cannot be stacked upon another.",
    "Before you begin": "Fill the {0} tank with {1} litres of clean water and open its lid.",
    "Example": "```yaml\n{0}:\n  speed: {1}\n```",
    "Troubleshooting": "If nothing moves, press the red {0} button for {1} seconds.",
}
PARTS = {"Pump": 31, "Valve": 47, "Boiler": 58, "Washer": 66}


def page(name: str, number: int) -> list[Chunk]:
    first = chunk(
        f"{name.lower()}.md",
        f"# {name}\n\nThe {name} is the part that makes every {name.lower()} job in this house easy to do.",
        breadcrumb=name,
    )
    rest = (
        chunk(
            f"{name.lower()}.md",
            f"## {title}\n\n{text.format(name.lower(), number)}",
            at,
            breadcrumb=f"{name} › {title}",
        )
        for at, (title, text) in enumerate(SECTIONS.items(), 1)
    )
    return [first, *rest]


SHELF = shelf_of([*(one for part in PARTS.items() for one in page(*part)), *pages(30)])


def ask(*questions: str) -> Answer:
    """The answer to the last of the questions, asked one after the other."""
    history: tuple[Turn, ...] = ()
    for question in questions:
        given = answer(SHELF, Inquiry(question, history=history))
        history = (*history, Turn("user", question), Turn("assistant", given.text))
    return given


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("Which options are there?", "Options"),
        ("which settings?", "Options"),
        ("Any limits?", "Known limitations"),
        ("what do I need?", "Before you begin"),
        ("Are there prerequisites?", "Before you begin"),
        ("Show me an example", "Example"),
        ("How do I debug it?", "Troubleshooting"),
    ],
)
@pytest.mark.parametrize("part", PARTS)
def test_what_every_page_has_is_shown_of_the_page_in_hand(part: str, question: str, title: str) -> None:
    given = ask(f"What is the {part}?", question)
    assert given.citations[0].hit.chunk.breadcrumb == f"{part} › {title}"


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("What are the options of the {}?", "Options"),
        ("Does the {} have restrictions?", "Known limitations"),
        ("What are the requirements of the {}?", "Before you begin"),
        ("Show me an example of the {}", "Example"),
    ],
)
@pytest.mark.parametrize("part", PARTS)
def test_the_section_of_a_page_that_is_named_opens_the_answer(part: str, question: str, title: str) -> None:
    assert ask(question.format(part)).citations[0].hit.chunk.breadcrumb == f"{part} › {title}"


def test_a_third_question_is_still_about_what_the_first_named() -> None:
    given = ask("What is the Valve?", "Which options are there?", "and the limitations?")
    assert given.citations[0].hit.chunk.breadcrumb == "Valve › Known limitations"


def test_another_page_that_is_named_is_not_read_as_the_one_in_hand() -> None:
    given = ask("What is the Valve?", "What are the options of the Washer?", "Any limits?")
    assert given.citations[0].hit.chunk.breadcrumb == "Washer › Known limitations"


def test_what_no_section_is_called_is_looked_for_as_before() -> None:
    given = ask("What is the Valve?", "How many seconds do I press the red button?")
    assert given.citations[0].hit.chunk.breadcrumb.endswith("Troubleshooting")


def test_a_long_example_is_shown_from_its_beginning_below_what_leads_into_it() -> None:
    lines = [f"step_{number}(speed={number})  # the Grinder turns" for number in range(90)]
    body = "## Example\n\nRun it so:\n\n```python\nimport grinder\n\n" + "\n".join(lines) + "\n```"
    intro = chunk("grinder.md", "# Grinder\n\nThe Grinder makes coffee of beans.", breadcrumb="Grinder")
    shelf = shelf_of([intro, chunk("grinder.md", body, 1, breadcrumb="Grinder › Example"), *pages(30)])
    first = answer(shelf, Inquiry("What is the Grinder?"))
    talk = (Turn("user", "What is the Grinder?"), Turn("assistant", first.text))
    shown = answer(shelf, Inquiry("an example?", history=talk)).text
    assert "Run it so:\n\n```python\nimport grinder" in shown
    assert shown.count("```") == 2


def test_examples_in_words_are_shown_where_there_is_no_code() -> None:
    intro = chunk("grinder.md", "# Grinder\n\nThe Grinder makes coffee of beans.", breadcrumb="Grinder")
    told = chunk(
        "grinder.md", "## Examples\n\nForty beans give one small cup.", 1, breadcrumb="Grinder › Examples"
    )
    shelf = shelf_of([intro, told, *pages(30)])
    talk = (Turn("user", "What is the Grinder?"), Turn("assistant", "The Grinder makes coffee of beans. [1]"))
    assert "Forty beans" in answer(shelf, Inquiry("Show me an example", history=talk)).text


def test_a_section_that_was_shown_already_is_shown_again_when_it_is_asked_for() -> None:
    given = ask("What is the Valve?", "Any limits?", "What are its limitations?")
    assert given.citations[0].hit.chunk.breadcrumb == "Valve › Known limitations"


def test_an_answer_in_other_words_than_its_source_leads_to_the_page_too() -> None:
    asked = "What is the Boiler?"
    talk = (Turn("user", asked), Turn("assistant", "Hot water for the household comes from this device. [1]"))
    given = answer(SHELF, Inquiry("Any limits?", history=talk))
    assert given.citations[0].hit.chunk.breadcrumb == "Boiler › Known limitations"
