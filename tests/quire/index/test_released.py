"""What an opened segment holds, and when it gives it up."""

from __future__ import annotations

import gc
import mmap
import weakref
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.index.payloads import HELD_SHARDS, PayloadShards
from quire.index.tensors import MAPPED_FROM_BYTES, give_back, read_tensors, write_tensors
from tests.support.rows import FACTS, build, make_rows, open_index


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


@pytest.mark.parametrize(("shards", "opened"), [(HELD_SHARDS, 1), (HELD_SHARDS + 1, 3)])
def test_a_shard_is_held_after_it_was_read_only_where_there_are_few(shards: int, opened: int) -> None:
    asked: list[int] = []

    def open_shard(number: int) -> bytes:
        asked.append(number)
        return b"line"

    firsts = np.arange(shards + 1, dtype=np.uint32)
    offsets = 4 * firsts.astype(np.uint64)
    stored = PayloadShards(offsets, firsts, open_shard)
    assert [stored.line(1) for _ in range(3)] == [b"line"] * 3
    assert asked == [1] * opened


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
