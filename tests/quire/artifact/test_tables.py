from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quire.artifact.tables import postings
from quire.artifact.writer.postings import PostingsBuilder

ROWS = st.lists(st.lists(st.text(max_size=4), unique=True, max_size=6), max_size=20)


@given(ROWS, st.randoms(use_true_random=False))
def test_every_string_leads_to_the_rows_that_hold_it(rows: list[list[str]], random: object) -> None:
    order = list(range(len(rows)))
    random.shuffle(order)  # type: ignore[attr-defined]
    builder = PostingsBuilder()
    weights: list[int] = []
    for number, row in enumerate(rows):
        builder.add_row(row)
        weights.extend((number * 7 + place) % 250 for place in range(len(row)))
    arrays = builder.finish("p", np.array(order, np.intp), np.array(weights, np.uint8))
    table = postings(arrays, "p")

    strings = sorted({text for row in rows for text in row}, key=lambda text: text.encode())
    assert list(table.keys()) == strings
    assert [table.strings[place] for place in range(len(table.strings))] == strings
    for text in [*strings, "absent!"]:
        expected = sorted(
            (order.index(number), (number * 7 + row.index(text)) % 250)
            for number, row in enumerate(rows)
            if text in row
        )
        ordinals, found = table.entry(text)
        assert list(zip(ordinals.tolist(), found.tolist(), strict=True)) == expected
        assert table.ordinals(text).tolist() == [ordinal for ordinal, _ in expected]


def test_many_postings_are_placed_block_by_block() -> None:
    builder = PostingsBuilder()
    for number in range(3000):
        builder.add_row([str(place) for place in range(number % 7, 700, 7)] + ["every"])
    order = np.arange(3000)[::-1].astype(np.intp)
    table = postings(builder.finish("p", order), "p")
    assert table.ordinals("every").tolist() == list(range(3000))
    assert table.ordinals("8").tolist() == [2999 - n for n in range(2999, -1, -1) if n % 7 == 1]


def test_a_string_that_cannot_be_utf8_is_not_found() -> None:
    builder = PostingsBuilder()
    builder.add_row(["a"])
    assert len(postings(builder.finish("p", np.zeros(1, np.intp)), "p").ordinals("\ud800")) == 0
