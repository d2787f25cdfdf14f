"""Questions which there are of something: each title under the section that is asked for is a part of the answer."""

from __future__ import annotations

import pytest

from quire.answering.answerer import answer
from quire.answering.findings import AskedCollection
from quire.answering.request import Answer, Inquiry
from quire.documents import Chunk, Turn
from tests.support.shelves import chunk, pages, shelf_of

FILLING = "Nothing more is to be said of it here, but of the weather and of the colours of the sea. " * 5
LEAD = "A filter keeps the grounds back."
FILTERS = ("Steam filter", "Sand filter", "Paper filter", "Ring filter", "Cloth filter")


def section(title: str, text: str, number: int) -> Chunk:
    body = f"### {title}\n\n{text}\n\n{FILLING}"
    return chunk("filters.md", body, number, breadcrumb=f"Coffee › Filters › {title}")


def shelf(*titles: str, lead: str = LEAD, text: str = "It is washed once a week.") -> AskedCollection:
    intro = chunk("filters.md", f"## Filters\n\n{lead}", breadcrumb="Coffee › Filters")
    return shelf_of(
        [intro, *(section(one, text, number) for number, one in enumerate(titles, 1)), *pages(30)]
    )


def ask(question: str, *titles: str, **more: str) -> Answer:
    return answer(shelf(*titles, **more), Inquiry(question))


@pytest.mark.parametrize(
    "question",
    [
        "Which filters are there?",
        "What are all the filters?",
        "List the filters",
        "which kinds of filters can I use?",
    ],
)
def test_each_title_under_the_section_is_an_item_with_its_own_source(question: str) -> None:
    given = ask(question, *FILTERS)
    items = [line for line in given.text.splitlines() if line.startswith("- ")]
    assert items == [f"- **{title}** It is washed once a week. [{n}]" for n, title in enumerate(FILTERS, 2)]
    assert given.text.startswith("**Filters**\n\nA filter keeps the grounds back. [1]\n\n- ")
    places = [one.hit.chunk.breadcrumb for one in given.citations]
    assert places == ["Coffee › Filters", *(f"Coffee › Filters › {title}" for title in FILTERS)]


def test_it_is_told_of_what_the_conversation_is_at() -> None:
    opened = shelf(*FILTERS)
    first = answer(opened, Inquiry("What keeps the grounds back?"))
    talk = (Turn("user", "What keeps the grounds back?"), Turn("assistant", first.text))
    assert answer(opened, Inquiry("which filters are there?", history=talk)).text.count("\n- ") == len(
        FILTERS
    )


@pytest.mark.parametrize(
    "titles",
    [
        FILTERS[:2],  # too few
        ("Before you begin", "Choose a filter", "Wash the filter", "Filter shapes"),  # an article
    ],
)
def test_what_is_no_list_of_things_is_told_as_it_is_written(titles: tuple[str, ...]) -> None:
    assert "\n- **" not in ask("Which filters are there?", *titles).text


def test_what_the_section_lists_itself_is_not_listed_again() -> None:
    lead = "There are:\n\n" + "\n".join(f"- {title}" for title in FILTERS)
    assert "[2]\n- " not in ask("Which filters are there?", *FILTERS, lead=lead).text


def test_a_short_section_is_quoted_whole() -> None:
    text = "## Filters\n\n" + "\n\n".join(
        f"### {one}\n\nIt is made of {one.split()[0].lower()}." for one in FILTERS
    )
    opened = shelf_of([chunk("filters.md", text, breadcrumb="Coffee › Filters"), *pages(30)])
    given = answer(opened, Inquiry("Which filters are there?"))
    assert "\n- **" not in given.text
    assert "It is made of cloth." in given.citations[0].quote


def test_of_very_many_the_first_are_shown_and_how_many_there_are() -> None:
    given = ask("Which filters are there?", *(f"Filter {number}" for number in range(26)))
    assert given.text.count("\n- ") == 20
    assert "20 of 26 sections." in given.notices


def test_of_a_part_that_begins_with_much_the_title_alone_is_shown() -> None:
    given = ask("Which filters are there?", *FILTERS, text="It is washed " + "and dried " * 30 + "daily.")
    assert "- **Sand filter** [3]" in given.text


def test_what_the_filters_leave_out_is_not_listed() -> None:
    parts = [section(title, "It is washed once a week.", number) for number, title in enumerate(FILTERS, 1)]
    known = [{**one.metadata, "kind": "old" if number < 1 else "new"} for number, one in enumerate(parts)]
    intro = chunk("filters.md", f"## Filters\n\n{LEAD}", breadcrumb="Coffee › Filters", kind="new")
    chunks = [one._replace(metadata=facts) for one, facts in zip(parts, known, strict=True)]
    opened = shelf_of([intro, *chunks, *pages(30)], profile="code")
    given = answer(opened, Inquiry("Which filters are there?", filters={"kind": "new"}))
    assert "**Ring filter**" in given.text
    assert "Steam filter" not in given.text


def test_an_item_says_what_it_is_and_not_since_when() -> None:
    given = answer(
        shelf(*FILTERS, text="Added in: v2.1\n\nIt is washed."), Inquiry("Which filters are there?")
    )
    assert "- **Sand filter** Added in: v2.1 It is washed." in given.text


def test_a_summary_is_no_thing_of_the_list() -> None:
    assert "TL;DR" not in ask("Which filters are there?", "TL;DR", *FILTERS).text
