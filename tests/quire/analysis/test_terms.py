import re

import pytest
import snowballstemmer
from hypothesis import given
from hypothesis import strategies as st

from quire.analysis import terms
from tests.support.shared import shared_path

ORACLE = snowballstemmer.stemmer("english")


@given(st.from_regex(r"[a-z]{1,14}(ing|ed|ly|s|ies|ation|ness|ful|ogist|y)?", fullmatch=True))
def test_stems_agree_with_the_snowball_reference(word: str) -> None:
    assert terms.stem(word) == ORACLE.stemWord(word)


def test_stems_agree_with_the_reference_over_a_real_vocabulary() -> None:
    text = (shared_path("data/beir/scifact") / "corpus.jsonl").read_text(encoding="utf-8").lower()
    words = sorted(set(re.findall("[a-z]+", text)))
    assert len(words) > 20_000
    assert [word for word in words if terms.stem(word) != ORACLE.stemWord(word)] == []


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("Humanoid:MoveTo", "moveto"),
        ("Humanoid:MoveTo", "Humanoid.MoveTo"),
        ("WalkToPoint", "walk to points"),
        ("task.spawn(f)", "task.spawn"),
        ("snake_case_name", "snake case"),
        ("std::vector", "std.vector"),
        ("TweenService", "tweenservice"),
        ("the parts' edges", "part edge"),
    ],
)
def test_an_identifier_is_found_whole_and_by_its_words(written: str, asked: str) -> None:
    assert set(terms.analyze(asked)) <= set(terms.analyze(written))


def test_stop_words_and_over_long_tokens_leave_no_terms() -> None:
    assert terms.analyze("what is it that you don't have") == []
    assert terms.analyze("a" * (terms.LONGEST_TOKEN + 1)) == []


@given(st.text(max_size=200))
def test_any_text_gives_plain_lower_case_terms_twice_alike(text: str) -> None:
    found = terms.analyze(text)
    assert found == terms.analyze(text)
    assert all(term and not term.isspace() for term in found)
