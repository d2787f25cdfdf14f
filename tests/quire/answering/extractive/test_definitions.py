from __future__ import annotations

import time

import pytest

from quire.answering.answerer import answer
from quire.answering.extractive.definitions import (
    LISTED,
    OPENING,
    PARTLY,
    SAID,
    STATED,
    Term,
    definition_shares,
)
from quire.answering.extractive.passages import split_passages
from quire.answering.findings import AskedCollection, find
from quire.answering.request import Inquiry
from tests.support.answer_checks import problems
from tests.support.pace import takes_cpu_within
from tests.support.shelves import chunk, shelf_of

USED = """\
# Yearly checks

See whether the damper is in use. The damper has a red lever, and the damper moves with it.

Every damper is checked twice a year. Write each check of the damper into the book of the house."""
DEFINED = """\
# Air

## Parts of the flue

Smoke leaves by the flue. A damper is a flap that lets less air through. It closes by itself.

The heat recovery unit (HRU) warms fresh air with used air."""
GLOSSARY = """\
# Words

- **Cowl** – the cap that keeps rain and birds out of the flue.
- **Lintel**: the beam above the opening.
- **Ash pit**: see house.example/ash-pit"""
TAKEN = chunk("lamp.md", "# Lamp\n\nThe lamp takes a bulb.\n\n# Stand\n\nThe lamp is on a stand for lamps.")


@pytest.fixture(scope="module")
def house() -> AskedCollection:
    return shelf_of([chunk("check.md", USED), chunk("air.md", DEFINED), chunk("words.md", GLOSSARY), TAKEN])


@pytest.mark.parametrize(
    "question", ["What is a damper?", "what are dampers", "Define damper", "damper meaning"]
)
def test_an_answer_opens_with_the_sentence_that_defines_what_is_asked_for(
    house: AskedCollection, question: str
) -> None:
    given = answer(house, Inquiry(question))
    first = given.citations[0]
    assert first.hit.chunk.document_id == "air.md"
    assert first.quote[first.answers_at - first.start :].startswith("A damper is a flap")
    assert problems(given) == []


@pytest.mark.parametrize(
    ("text", "worth"),
    [
        ("Oil.\n\nDefinition 2.1 (Flue). A flue $F$ consists of:\n\n- a pipe", STATED),
        ("**Definition.** A pipe $P$ is a flue if it is open.\n\nSo is oil.", STATED),
        ("Definition. For a house $H$, a flue $F$ is two pipes.", STATED),
        ("A flue is a pipe.\n\nLemma. A flue is open.", SAID),
        ("Theorem 3. A flue is open.\n\nExample (Chimney). A flue is a pipe.", 0),
        ("For a house, a flue is two pipes.", 0),
        ("A pipe is a flue if and only if it is open.", 0),
        ("Definition of terms\n\nThe flue is a pipe.", SAID),
    ],
)
def test_what_a_book_states_as_a_definition_defines_most_and_a_theorem_nothing(
    text: str, worth: float
) -> None:
    assert Term("flue").said(text) == worth


def test_a_line_of_a_session_defines_nothing() -> None:
    def shares(text: str) -> list[float]:
        found = chunk("flue.rst", text, lang="rst")
        return definition_shares("What is flue?", found, split_passages(text))

    assert max(shares("    >>> flue = house.flue(2)\n    <Flue: 2>")) == 0
    assert max(shares("> Flue = the pipe that leads the smoke out.")) > 0


def test_an_abbreviation_that_is_spelled_out_is_an_answer_to_what_it_stands_for(
    house: AskedCollection,
) -> None:
    given = answer(house, Inquiry("What does HRU stand for?"))
    assert given.answerable
    assert "heat recovery unit (HRU)" in given.citations[0].quote
    assert "stand for lamps" not in given.text


def test_for_a_term_that_is_said_and_never_explained_the_evidence_is_that_of_all_words(
    house: AskedCollection,
) -> None:
    question = "What does HRU stand for?"
    unexplained = shelf_of([chunk("check.md", USED.replace("the damper", "the HRU")), TAKEN])
    told = [find(one, Inquiry(question), question).evidence.coverage for one in (unexplained, house)]
    assert told[0] < 0.9
    assert told[1] == 1.0


def test_an_entry_of_a_glossary_defines_and_an_address_does_not() -> None:
    assert Term("cowl").said(GLOSSARY) == Term("lintels").said(GLOSSARY) == LISTED
    assert Term("ash pit").said(GLOSSARY) == 0.0


@pytest.mark.parametrize(
    ("term", "text", "share"),
    [
        ("waker", "A waker is the way by which a task is told to go on.", SAID),
        ("roles", "Roles are parts of a playbook.", SAID),
        ("role", "Roles are small and handy.", PARTLY),
        ("role", "Roles are loaded first.", 0.0),
        ("task", "A Tokio task is a green thread.", SAID),
        ("worker", "Several processes, called workers, share the load.", PARTLY),
        ("data model", "A place has a data model, a tree of objects.", SAID),
        ("TOPS", "TOPS = Tera Operations Per Second.", SAID),
        ("lamp", "lamp = RedLamp('hall')", 0.0),
        ("lamp", "lamp = [", 0.0),
        ("VLA", "Vision-Language-Action (VLA) models learn from films.", SAID),
        ("c++", "C++ is a language.", SAID),
        ("mux", 'The name mux stands for "multiplexer".', SAID),
        ("kiln", "The library potters/kiln is a box of heat.", SAID),
        ("lamp", "A lampshade is a shade.", 0.0),
        ("lamp", "The light of a lamp is a warm one.", 0.0),
        ("lamp", "The lamp is not a toy.", 0.0),
    ],
)
def test_what_a_sentence_says_of_a_term(term: str, text: str, share: float) -> None:
    assert Term(term).said(f"Before it. {text}") == share


def test_what_leads_into_a_list_says_it_of_the_first_item() -> None:
    text = chunk("pump.rst", "*light and small*\n\npump is:\n\n* a machine\n* made of steel\n", lang="rst")
    passages = split_passages(text.text)
    shares = definition_shares("What is a pump?", text, passages)
    assert [text.text[one.start : one.end] for one, share in zip(passages, shares, strict=True) if share] == [
        "a machine"
    ]


def test_what_a_thing_is_stands_before_sections_that_are_called_so() -> None:
    readme = "Kilnkit (_kiln kit_) is a library that fires clay.\n\n## Support Kilnkit\n\nSend bricks to Kilnkit.\n"
    given = answer(kilns("README.md", readme, "Kilnkit"), Inquiry("What is Kilnkit?"))
    assert given.citations[0].quote.startswith("Kilnkit (_kiln kit_) is a library")


def test_what_stands_first_below_its_title_counts_and_code_does_not() -> None:
    text = chunk(
        "pump.md", "# Pumps\n\nWater goes up by them.\n\nMore is told elsewhere.\n\n```\npump = a\n```"
    )
    shares = definition_shares("What is a pump?", text, split_passages(text.text))
    assert shares == [OPENING, 0.0, 0.0]
    code = chunk("pump.py", 'pump = a\n"""A pump is a machine."""\n', lang="python")
    assert set(definition_shares("What is a pump?", code, split_passages(code.text))) == {0.0}


@pytest.mark.parametrize(
    "hostile",
    ["a " * 20_000, "lamp " * 8_000, "lamp (" * 6_000, "- lamp: " * 5_000, "L a m p-" * 5_000, "\n" * 40_000],
)
def test_no_text_takes_long(hostile: str) -> None:
    started = time.process_time()
    for term in ("lamp", "LAMP", "a a a a"):
        Term(term).said(hostile)
    assert takes_cpu_within(time.process_time() - started, 0.5)


README = """\
# Heat by Kilnkit [![Build](https://kiln.example/badge.svg)](https://kiln.example/ci)

[![Version](https://kiln.example/version.svg)](https://kiln.example)

Kilnkit is a program that fires clay by a curve of heat.

## Install

Take it from the shelf."""
NEWS = "# News of {0}\n\nKilnkit is the best there is, says part {0}. Part {0} of Kilnkit: Kilnkit, kilnkit, kilnkit."
TOOL = "# Start\n\nGlazer sends the glaze to the kiln, and waits.\n\nGlazer is installed by hand.\n"


def kilns(home: str, text: str, name: str) -> AskedCollection:
    """A collection in which nearly all that there is says the product's name more often than the page about it."""
    news = [
        chunk(f"news/{n}.md", NEWS.format(n).replace("Kilnkit", name), n + 1, lang="markdown")
        for n in range(90)
    ]
    made = chunk(home, text, 0, lang="markdown", start_line=1)
    code = chunk("kiln.py", f"class {name}:\n    heat = 0\n", 99, lang="python", kind="class")
    return shelf_of([*news, made._replace(breadcrumb=home), code._replace(symbols=(name,))])


def test_what_a_product_is_is_told_by_the_page_for_strangers() -> None:
    given = answer(kilns("README.md", README, "Kilnkit"), Inquiry("What is Kilnkit?"))
    assert given.citations[0].quote.startswith("Kilnkit is a program that fires clay")
    assert given.text.startswith("**Heat by Kilnkit**\n\nKilnkit is a program")
    assert problems(given) == []


def test_what_a_product_does_says_what_it_is_on_its_first_page() -> None:
    given = answer(kilns("docs/index.md", TOOL, "Glazer"), Inquiry("What is Glazer?"))
    assert "Glazer sends the glaze to the kiln" in given.citations[0].quote
    assert Term("Glazer").does("Package `potters/glazer` sends the glaze.")


def test_a_definition_is_found_however_often_its_term_is_said_elsewhere() -> None:
    told = chunk("far/away.md", "Once more.\n\nA slip bucket is a bucket for slip.", 500, lang="markdown")
    often = [
        chunk(f"n{n}.md", f"Slip bucket {n}, slip bucket, slip bucket and bucket.", n) for n in range(90)
    ]
    given = answer(shelf_of([*often, told]), Inquiry("What is a slip bucket?"))
    assert "A slip bucket is a bucket for slip." in given.citations[0].quote
