"""What an opened segment holds, and when it gives it up."""

from __future__ import annotations

import gc
import mmap
import tracemalloc
import weakref
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.index.payloads import HELD_SHARDS, PayloadShards
from quire.index.tensors import MAPPED_FROM_BYTES, give_back, read_tensors, write_tensors
from tests.support.rows import FACTS, build, make_rows, open_index, plain_row


@pytest.fixture
def no_collector() -> Iterator[None]:
    """A build lets the garbage collector look rarely, so that cycles would live to its end."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
def test_a_segment_is_given_up_with_its_last_reference(tmp_path: Path) -> None:
    segment = build(tmp_path / "a", list(make_rows(20)))
    index = open_index(segment)
    index.fetch([0, 7])
    index.search({"ba": 1.0}, 5)
    index.nearest(np.eye(1, FACTS.dimensions, dtype=np.float32)[0], 5)
    segment.spelling.words.find("ba")
    references = weakref.ref(index), weakref.ref(segment)
    del index, segment
    assert [one() for one in references] == [None, None]


def test_a_mapped_array_is_the_same_after_its_pages_were_given_back(tmp_path: Path) -> None:
    numbers = np.arange(MAPPED_FROM_BYTES, dtype=np.uint32)
    write_tensors(tmp_path / "a", {"numbers": numbers})
    mapped = read_tensors(tmp_path / "a")["numbers"]
    assert isinstance(mapped.base, mmap.mmap)
    assert np.array_equal(mapped, numbers)
    give_back(mapped)
    assert np.array_equal(mapped, numbers)
    give_back(numbers)  # which is not mapped: nothing happens


def test_so_many_shards_are_held_as_were_opened_last() -> None:
    asked: list[int] = []

    def open_shard(number: int) -> bytes:
        asked.append(number)
        return b"line"

    firsts = np.arange(HELD_SHARDS + 3, dtype=np.uint32)
    offsets = 4 * firsts.astype(np.uint64)
    stored = PayloadShards(offsets, firsts, open_shard)
    assert [stored.line(one) for one in (1, 1, *range(HELD_SHARDS))] == [b"line"] * (HELD_SHARDS + 2)
    assert asked == [1, 0, *range(2, HELD_SHARDS)]
    stored.line(HELD_SHARDS)  # the first that was opened goes
    stored.line(0)
    stored.line(1)
    assert asked[HELD_SHARDS:] == [HELD_SHARDS, 1]


@given(
    st.lists(st.lists(st.binary(max_size=5), min_size=1, max_size=4), max_size=4),
    st.sets(st.integers(0, 15)),
)
def test_lines_in_order_are_the_lines_one_by_one(shards: list[list[bytes]], chosen: set[int]) -> None:
    sizes = [len(line) for shard in shards for line in shard]
    offsets = np.cumsum([0, *sizes]).astype(np.uint64)
    firsts = np.cumsum([0, *map(len, shards)]).astype(np.uint32)
    stored = PayloadShards(offsets, firsts, lambda shard: b"".join(shards[shard]))
    ordinals = np.array(sorted(one for one in chosen if one < len(sizes)), np.uint32)
    assert list(stored.lines(ordinals)) == [stored.line(one) for one in ordinals.tolist()]


def test_a_shard_that_stays_open_takes_the_memory_of_the_lines_that_were_read(tmp_path: Path) -> None:
    """Read whole, the eleven here would take 11 MB for as long as the segment is open."""
    rows = [plain_row(f"d{number:03}", "0", "oil " * 25_000) for number in range(110)]
    segment = build(tmp_path / "a", rows)
    tracemalloc.start()
    try:
        for ordinal in range(0, 110, 10):
            assert segment.payloads.line(ordinal)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 1_000_000
