from __future__ import annotations

import pytest

from quire.analysis.terms import stem
from quire.analysis.word_forms import OTHER_FORM, SHORTENED, other_forms


@pytest.mark.parametrize(
    ("word", "form"),
    [
        ("parsed", "parser"),
        ("routing", "router"),
        ("logs", "logger"),
        ("edits", "editor"),
        ("colours", "color"),
        ("behavior", "behaviour"),
        ("serialised", "serialized"),
        ("analyze", "analyse"),
        ("centre", "center"),
        ("catalogue", "catalog"),
        ("licence", "license"),
    ],
)
def test_a_word_is_searched_for_by_who_does_it_and_by_its_other_spelling(word: str, form: str) -> None:
    assert other_forms(word)[stem(form)] == OTHER_FORM


@pytest.mark.parametrize(
    ("word", "short"),
    [("configuration", "cfg"), ("repositories", "repo"), ("authenticated", "auth"), ("databases", "db")],
)
def test_a_word_is_searched_for_as_programmers_shorten_it_and_not_the_other_way_round(
    word: str, short: str
) -> None:
    assert other_forms(word)[short] == SHORTENED
    assert stem(word) not in other_forms(short)


@pytest.mark.parametrize("word", ["is", "k8s", "größe", "don't", "parser", "router", "color"])
def test_its_own_term_is_no_other_form_of_a_word(word: str) -> None:
    assert stem(word) not in other_forms(word)


def test_what_is_no_plain_word_has_no_other_forms() -> None:
    assert [dict(other_forms(word)) for word in ("k8s", "größe", "don't", "io")] == [{}, {}, {}, {}]
