from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quire.answering.citations import CitationFilter, cite
from quire.documents import Chunk, Hit, text_sha256

FRAGMENTS = st.sampled_from(
    "word |[1]|[2, 9]| [7]|[[3]]|【1†page】|`a[9]`|`|``|```py\n|```\n|~~~\n|\n|[|]|1|,| |a[1]|[1|【|Ü".split(
        "|"
    )
)
TEXTS = st.lists(FRAGMENTS, max_size=30).map("".join)


def passed(pieces: Sequence[str], known: frozenset[int] = frozenset({1, 2, 3})) -> tuple[str, list[int], int]:
    checked = CitationFilter(known)
    text = "".join([checked.feed(piece) for piece in pieces]) + checked.finish()
    return text, list(checked.used), checked.dropped


def cut(text: str, sizes: Sequence[int]) -> Iterator[str]:
    start = 0
    for size in sizes:
        yield text[start : start + size]
        start += size
    yield text[start:]


@given(TEXTS, st.lists(st.integers(0, 5), max_size=60))
@example("`【`a[9]`word ```py\n", [4])
def test_how_a_text_is_cut_into_pieces_changes_nothing(text: str, sizes: list[int]) -> None:
    assert passed(list(cut(text, sizes))) == passed([text])


@given(TEXTS)
def test_without_known_numbers_no_mark_outside_code_is_passed(text: str) -> None:
    plain = text.replace("`", "").replace("~", "")
    out, used, _ = passed([plain], frozenset())
    assert used == []
    assert "[1]" not in out.replace("[[", "")


@pytest.mark.parametrize(
    ("text", "wanted", "dropped"),
    [
        ("A fact [1].", "A fact [1].", 0),
        ("A fact [9].", "A fact.", 1),
        ("Two [1, 9] and [2][8].", "Two [1] and [2].", 2),
        ("Nested [[2]] and 【1†page 3】.", "Nested [2] and [1].", 0),
        ("`rows[9]` stays [9].", "`rows[9]` stays.", 1),
        ("```js\nrows[9]\n```\nafter [9] it", "```js\nrows[9]\n```\nafter it", 1),
        ("~~~\n[9]\n```\n[9]\n~~~\nx [9]", "~~~\n[9]\n```\n[9]\n~~~\nx", 1),
        ("a range [0.5, 2] is no mark", "a range [0.5, 2] is no mark", 0),
    ],
)
def test_unknown_numbers_are_dropped_and_counted_outside_code(text: str, wanted: str, dropped: int) -> None:
    assert passed(list(text)) == (wanted, passed([text])[1], dropped)
    assert passed([text])[::2] == (wanted, dropped)


def test_only_what_may_become_a_mark_is_held_back() -> None:
    checked = CitationFilter({1})
    assert checked.feed("The stud is the unit of length [") == "The stud is the unit of length"
    assert checked.feed("1") == ""
    assert checked.feed("]. Next") == " [1]. Next"


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
