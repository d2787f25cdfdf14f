"""The name of what a collection is about asks for nothing by itself."""

from __future__ import annotations

import time

import pytest

from quire.search.intent import without_product, words_of
from tests.support.pace import takes_cpu_within


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("How do I empty the kiln in Glazer?", "How do I empty the kiln?"),
        ("Glazer: kiln stays cold", "kiln stays cold"),
        ("What does glazer do when the kiln is cold?", "What does do when the kiln is cold?"),
        ("Glazer's kiln timer", "kiln timer"),
        ("kiln timer with Glazer", "kiln timer"),
    ],
)
def test_the_name_of_the_product_is_left_out_of_what_is_asked_of_it(question: str, left: str) -> None:
    assert without_product(question, ["glazer"], lambda _: False) == left


@pytest.mark.parametrize(
    "question",
    [
        "What is Glazer?",
        "How does Glazer work?",
        "Where is Glazer.fire defined?",
        "What does `Glazer` take?",
        "Which methods has the Glazer class?",
        "Is Glazer or Potter faster at firing?",
        "How do I add Glazer to my pottery?",
        "Which options has --glazer-kiln?",
        "How do I fire a Glazer pot by hand?",
        "What changed from Glazer v4 to v5 for pots?",
    ],
)
def test_the_name_stays_where_it_is_what_is_asked_for(question: str) -> None:
    assert without_product(question, ["glazer"], lambda _: False) == question


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("How do I stream requests?", "How do I stream requests?"),
        ("How do I retry a failed requests call?", "How do I retry a failed requests call?"),
        ("How do I stream a body with requests?", "How do I stream a body?"),
        ("Does Requests follow redirects?", "Does follow redirects?"),
        ("What does the requests table hold?", "What does the requests table hold?"),
    ],
)
def test_a_word_of_the_language_is_a_name_where_something_shows_it(question: str, left: str) -> None:
    assert without_product(question, ["requests"], lambda word: word == "requests") == left


def test_a_name_of_two_words_is_known_in_each_spelling() -> None:
    words = words_of("clay-works-docs")
    for name in ("Clay Works", "clay-works", "ClayWorks"):
        assert without_product(f"How do I fire a bowl in {name}?", words) == "How do I fire a bowl?"


@pytest.mark.parametrize("name", ["docs", "api-reference", "v2", "my-app", "textbook"])
def test_what_a_collection_is_made_of_names_no_product(name: str) -> None:
    assert words_of(name) == ()


@pytest.mark.parametrize("piece", ["in ", "with the ", "in the   ", "glazer ", "glazer:", "in glazer ", "a"])
def test_a_long_question_is_read_at_once(piece: str) -> None:
    began = time.process_time()
    without_product(piece * 300, ["glazer"], lambda _: True)
    assert takes_cpu_within(time.process_time() - began, 0.05)
