from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.answering.citations import cite, read_marks
from quire.documents import Chunk, Hit, text_sha256

FRAGMENTS = st.sampled_from(
    "word |[1]|[2, 9]| [7]|[[3]]|【1†page】|(Source 2)|[^1]|[1-2]|`a[9]`|`|[|]|1|,| |a[1]|[1|【|Ü".split("|")
)
TEXTS = st.lists(FRAGMENTS, max_size=30).map("".join)


@given(TEXTS)
def test_without_known_numbers_no_mark_outside_code_is_passed(text: str) -> None:
    marked = read_marks(text.replace("`", ""), frozenset())
    assert marked.numbers == ()
    assert "[1]" not in marked.text.replace("[[", "")


@pytest.mark.parametrize(
    ("text", "wanted", "dropped"),
    [
        ("A fact [1].", "A fact [1].", 0),
        ("A fact [9].", "A fact.", 1),
        ("Two [1, 9] and [2][8].", "Two [1] and [2].", 2),
        ("Nested [[2]] and 【1†page 3】.", "Nested [2] and [1].", 0),
        ("`rows[9]` stays [9].", "`rows[9]` stays.", 1),
        ("a range [0.5, 2] is no mark", "a range [0.5, 2] is no mark", 0),
    ],
)
def test_unknown_numbers_are_dropped_and_counted_outside_code(text: str, wanted: str, dropped: int) -> None:
    marked = read_marks(text, {1, 2, 3})
    assert (marked.text, marked.dropped) == (wanted, dropped)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Steel (Source 1).", "Steel [1]."),
        ("Steel (see sources 1 and 2).", "Steel [1][2]."),
        ("Steel [Source 3].", "Steel [3]."),
        ("Steel [^1].", "Steel [1]."),
        ("Steel [1-3].", "Steel [1][2][3]."),
        ("Steel [1](https://example.com).", "Steel [1]."),
        ("Any of [0-9] matches.", "Any of [0-9] matches."),
        ("See chapter (2) there.", "See chapter (2) there."),
    ],
)
def test_marks_are_understood_in_the_forms_that_models_write(text: str, wanted: str) -> None:
    assert read_marks(text, {1, 2, 3}).text == wanted


def test_brackets_that_a_source_wrote_itself_are_no_mark() -> None:
    own = "The first is items[0], the next items[1]."
    marked = read_marks("Take items[0], then items[1] [2].", {1, 2}, own)
    assert marked.text == "Take items[0], then items[1] [2]."
    assert marked.numbers == (2,)


def hit(text: str) -> Hit:
    return Hit(Chunk(id="0" * 16, document_id="d", text=text), 1, 0.5, None, "v1")


def test_a_citation_quotes_the_stored_text_with_its_digest() -> None:
    citation = cite(2, hit("One. Zwei – drei."), 5, 17)
    assert (citation.quote, citation.start, citation.end) == ("Zwei – drei.", 5, 17)
    assert citation.sha256 == text_sha256("Zwei – drei.")


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 3), (2, 99)])
def test_offsets_outside_the_stored_text_are_refused(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="wanted a passage inside 0"):
        cite(1, hit("short"), start, end)
