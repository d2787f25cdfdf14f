"""Segments whose tables outgrow their memory: the same bytes, bounded memory, and nothing left on disk."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.documents import Chunk, chunk_id
from quire.index.reader import open_segment
from quire.index.writer import IndexRow, KeptRows, write_segment
from quire.index.writer.spill import Column, Spill
from tests.support.rows import FACTS, make_rows, no_vectors, tree_bytes

ROWS = list(make_rows(60))
NAMES = st.text("aéß语.:#", min_size=1, max_size=3)
TERMS = st.dictionaries(st.text("abé语", max_size=3), st.sampled_from([0.25, 1.0, 3.0, 90.0]), max_size=8)


@st.composite
def rows(draw: st.DrawFn) -> list[IndexRow]:
    """Some rows of few documents, in any order, of one source or another."""
    made = []
    for number in range(draw(st.integers(0, 25))):
        document = draw(st.sampled_from(["a", "b", "é", "语"]))
        chunk = Chunk(
            chunk_id(document, str(number)),
            document,
            draw(st.sampled_from(["A word here", "words and words", "nothing"])),
            metadata={"kind": draw(st.sampled_from(["x", "y"])), "tags": tuple(draw(st.lists(NAMES)))},
            symbols=tuple(draw(st.lists(NAMES, max_size=3))),
        )
        source = draw(st.sampled_from(["one", "two"]))
        made.append(IndexRow(chunk, draw(TERMS), 4.0, no_vectors(FACTS.dimensions), source))
    return made


@settings(max_examples=40)
@given(rows(), st.integers(0, 2000))
def test_tables_that_outgrow_their_memory_have_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, given_rows: list[IndexRow], held_bytes: int
) -> None:
    folder = tmp_path_factory.mktemp("spill")
    write_segment(folder / "held", given_rows, FACTS)
    write_segment(folder / "spilled", given_rows, FACTS, held_bytes=held_bytes)
    assert tree_bytes(folder / "spilled") == tree_bytes(folder / "held")


@settings(max_examples=12)
@given(dropped=st.sets(st.integers(0, 59), max_size=30), held_bytes=st.sampled_from([0, 3000, 40_000]))
def test_kept_rows_beside_tables_on_disk_give_the_bytes_of_all_rows(
    tmp_path_factory: pytest.TempPathFactory, dropped: set[int], held_bytes: int
) -> None:
    folder = tmp_path_factory.mktemp("kept")
    write_segment(folder / "before", ROWS, FACTS)
    segment = open_segment(folder / "before")
    ordinals = np.array(sorted(set(range(60)) - dropped), np.uint32)
    ids = {chunk.id for chunk in segment.payloads.fetch(ordinals)}
    old = [row for row in ROWS if row.chunk.id in ids]
    new = list(make_rows(20, seed=5, prefix="more"))
    kept = KeptRows(segment, ordinals, lambda _: "docs")
    write_segment(folder / "after", new, FACTS, kept=[kept], held_bytes=held_bytes)
    write_segment(folder / "whole", [*old, *new], FACTS)
    assert tree_bytes(folder / "after") == tree_bytes(folder / "whole")


def many_rows(count: int) -> Iterator[IndexRow]:
    """Rows that share no term, symbol or value, made one at a time: the worst case for what is held."""
    for number in range(count):
        chunk = Chunk(
            chunk_id("d", str(number)),
            f"d{number // 50}",
            "the same few words",
            metadata={"kind": f"kind {number}"},
            symbols=(f"Class{number}.member{number % 9}",),
        )
        terms = {f"term{number}x{place}": 1.0 for place in range(20)}
        yield IndexRow(chunk, terms, 20.0, no_vectors(FACTS.dimensions), "docs")


def test_memory_grows_little_with_the_number_of_rows(tmp_path: Path) -> None:
    def peak(count: int) -> int:
        tracemalloc.start()
        try:
            write_segment(tmp_path / str(count), many_rows(count), FACTS, held_bytes=1 << 20)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    few = peak(400)
    assert (peak(1600) - few) / 1200 < 1000  # 400, against 5,700 where all is held


def test_a_segment_that_fails_leaves_nothing_on_disk(tmp_path: Path) -> None:
    def failing() -> Iterator[IndexRow]:
        yield from ROWS
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        write_segment(tmp_path / "a", failing(), FACTS, held_bytes=0)
    assert list(tmp_path.iterdir()) == []


def test_what_waits_on_disk_has_no_name_there(tmp_path: Path) -> None:
    with Spill(tmp_path, 100) as spill:
        kept = [spill.keep(np.arange(begin, begin + 20, dtype=np.uint32)) for begin in range(0, 200, 20)]
        assert sum(isinstance(one, np.ndarray) for one in kept) == 1
        assert list(tmp_path.iterdir()) == []
        assert [kept[begin // 20][3:7].tolist() for begin in (0, 100)] == [[3, 4, 5, 6], [103, 104, 105, 106]]


@given(st.lists(st.lists(st.integers(0, 255))), st.integers(0, 60))
def test_a_column_is_what_was_appended_to_it(
    tmp_path_factory: pytest.TempPathFactory, parts: list[list[int]], held_bytes: int
) -> None:
    with Spill(tmp_path_factory.mktemp("column"), held_bytes) as spill:
        column = Column(spill, np.uint64)
        for part in parts:
            column.append(np.array(part, np.uint8))
        assert column.joined().tolist() == [item for part in parts for item in part]
        assert column.streamed().shape == (len(column),)


def test_what_is_held_in_memory_needs_no_file(tmp_path: Path) -> None:
    with Spill(tmp_path / "no such folder", 1 << 20) as spill:
        assert spill.keep(np.arange(9, dtype=np.uint8))[0:3].tolist() == [0, 1, 2]
