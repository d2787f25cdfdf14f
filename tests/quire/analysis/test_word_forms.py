from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from quire.analysis.terms import stem
from quire.analysis.word_forms import MOST_FORMS, OTHER_FORM, SHORTENED, inflections, other_forms


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


def known(*words: str) -> Callable[[str], Iterable[str]]:
    return lambda letters: sorted(word for word in words if word.startswith(letters))


@pytest.mark.parametrize(
    ("question", "words", "found"),
    [
        (
            "Wie lange werden Sicherungen aufbewahrt?",
            ("sicherung", "sicherheit", "aufbewahren"),
            {"Sicherungen": ["sicherung"], "aufbewahrt": ["aufbewahren"]},
        ),
        (
            "Как установить насос?",
            ("установка", "устаревший", "насоса"),
            {"установить": ["установка"], "насос": ["насоса"]},
        ),
        (
            "Comment restaurer les données ?",
            ("restauration", "donnée"),
            {"restaurer": ["restauration"], "données": ["donnée"]},
        ),
        ("How long are backups kept?", ("backup", "keeper"), {}),
        ("Wie backe ich ein Brot?", ("backup", "brocken"), {}),
    ],
)
def test_forms_of_a_word_in_another_language_are_those_that_the_sources_have(
    question: str, words: tuple[str, ...], found: dict[str, list[str]]
) -> None:
    assert inflections(question, known(*words)) == found


def test_of_each_word_a_few_forms_are_taken_however_many_begin_so() -> None:
    many = [f"verbindung{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(600)]
    (forms,) = inflections("Wie trenne ich die Verbindungen?", known(*many)).values()
    assert len(forms) == MOST_FORMS
