"""What is compared is told of each side by the page or section that is about it."""

from __future__ import annotations

import pytest

from quire.answering.answerer import answer
from quire.answering.extractive.parts import is_about, parts_of
from quire.answering.extractive.weighing import weigh
from quire.answering.request import Inquiry
from tests.support.shelves import chunk, pages, shelf_of

BASIC = "# The basic kiln\n\nIt is fired with wood and takes a day to cool."
DIGEST = "# The digest kiln\n\nIt is fired with gas and cools within hours."
SHELF = shelf_of(
    [
        chunk("kilns/basickiln.md", BASIC, start_line=1),
        chunk("kilns/digestkiln.md", DIGEST, start_line=1),
        chunk(
            "kilns/digestkiln.md",
            "## Secrets\n\nThe basicKiln and the digestKiln glaze is basic glaze.",
            1,
            start_line=90,
        ),
        *pages(6),
    ]
)


def test_both_sides_of_a_comparison_are_cited_by_the_pages_that_are_called_so() -> None:
    given = answer(SHELF, Inquiry("What is the difference between basicKiln and digestKiln?"))
    assert {"kilns/basickiln.md", "kilns/digestkiln.md"} <= {
        one.hit.chunk.document_id for one in given.citations
    }
    assert "a day to cool" in given.text
    assert "within hours" in given.text


@pytest.mark.parametrize(
    ("part", "path", "line", "wanted"),
    [
        ("basicKiln", "kilns/basickiln.md", 1, True),
        ("the basic-kiln", "kilns/basickiln.md", 1, True),
        ("basic-kiln ovens", "kilns/basickiln.md", 1, True),
        ("basicKiln", "kilns/basickiln.md", 90, False),
        ("digestKiln", "kilns/basickiln.md", 1, False),
    ],
)
def test_the_beginning_of_a_page_is_about_what_its_file_is_called(
    part: str, path: str, line: int, wanted: bool
) -> None:
    page = chunk(path, "It is fired.", start_line=line, breadcrumb="Ovens")
    assert is_about(weigh(part, SHELF.index), page) is wanted


def test_a_kind_that_is_said_once_is_meant_of_both() -> None:
    assert parts_of("What is the difference between the open and the closed kiln doors?") == (
        "the open doors",
        "the closed kiln doors",
    )


def test_names_that_a_question_joins_with_or_are_each_told_by_their_own_entry() -> None:
    props = (
        "### softGlaze\n\nA coat that is brushed on at room heat and wiped off again.\n\n"
        "### hardGlaze\n\nA coat for pots that go outside. It overrides the prop softGlaze of the rack.\n\n"
        "### rackGlaze\n\nWith softGlaze or hardGlaze set it colours the rack that the pots stand on."
    )
    shelf = shelf_of([chunk("props.md", props, breadcrumb="Props › softGlaze"), *pages(6)])
    text = answer(shelf, Inquiry("softGlaze or hardGlaze, which one for what?")).text
    assert "brushed on at room heat" in text
    assert "pots that go outside" in text
    assert text.startswith(("**softGlaze**", "**hardGlaze**"))
