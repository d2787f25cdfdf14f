from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.answering.generative.sentence_stream import LONGEST_UNIT, SentenceStream, StreamUnit

FRAGMENTS = st.sampled_from(
    [
        "One two. ",
        "It is so",
        "! ",
        "[1]",
        " [1] ",
        "(Source 2) ",
        "`a. B` ",
        "`",
        "```py\n",
        "```\n",
        "~~~\n",
        "\n",
        *("e.g. ", "A", "b", ".", " ", "1. ", "- ", "3.5 ", "Ü ", "“Quoted.” "),
    ]
)


def cut(text: str, sizes: Sequence[int]) -> Iterator[str]:
    start = 0
    for size in sizes:
        yield text[start : start + size]
        start += size
    yield text[start:]


def units(pieces: Iterator[str] | Sequence[str]) -> list[StreamUnit]:
    stream = SentenceStream()
    return [unit for piece in pieces for unit in stream.feed(piece)] + stream.finish()


@given(st.lists(FRAGMENTS, max_size=30).map("".join), st.lists(st.integers(0, 5), max_size=60))
def test_units_join_to_the_text_however_it_arrives(text: str, sizes: list[int]) -> None:
    whole = units([text])
    assert "".join(unit.text for unit in whole) == text
    assert units(cut(text, sizes)) == whole


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("It is steel. [1] It is heavy.", ["It is steel. [1] ", "It is heavy."]),
        ("Use e.g. Citric acid. Then rinse.", ["Use e.g. Citric acid. ", "Then rinse."]),
        ("Call `a. B` first. Then go.", ["Call `a. B` first. ", "Then go."]),
        ("1. Press it. Lift it.\n2. Wash it.", ["1. Press it. ", "Lift it.\n", "2. Wash it."]),
    ],
)
def test_a_sentence_ends_where_a_reader_would_end_it(text: str, wanted: list[str]) -> None:
    assert [unit.text for unit in units([text])] == wanted


def test_a_sentence_is_given_as_soon_as_the_next_one_begins() -> None:
    stream = SentenceStream()
    assert stream.feed("It is steel [1]. ") == []
    assert [unit.text for unit in stream.feed("I")] == ["It is steel [1]. "]


def test_code_is_given_line_by_line() -> None:
    assert [unit.is_code for unit in units(["Run:\n```sh\nmake. Now\n```\nDone."])] == [
        False,
        True,
        True,
        True,
        False,
    ]


def test_a_text_without_an_end_is_given_in_parts() -> None:
    parts = units(["word " * 1_000])
    assert len(parts) == 3
    assert max(len(unit.text) for unit in parts) <= LONGEST_UNIT
