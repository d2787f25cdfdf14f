"""What a download in ranges does where one of them fails."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.adapters.ranges import RANGE_BYTES, RANGES_AT_ONCE, ByteRange, fetch_ranges


def test_where_one_range_fails_those_that_wait_are_not_begun(tmp_path: Path) -> None:
    target, begun = tmp_path / "file", list[int]()
    target.touch()

    def blocks(start: int) -> Iterator[bytes]:
        time.sleep(0.1)
        if start:
            raise ConnectionError("gone")
        yield b"a" * RANGE_BYTES

    def get(start: int, etag: str | None) -> ByteRange:
        begun.append(start)
        return ByteRange("etag", RANGE_BYTES * 40, blocks(start))

    with pytest.raises(ConnectionError):
        fetch_ranges(get, target, time.monotonic() + 10)
    assert len(begun) <= 1 + 2 * RANGES_AT_ONCE
