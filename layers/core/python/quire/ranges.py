"""Brings an object to a file in ranges, side by side, within a bounded time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

RANGE_BYTES = 8 << 20
RANGES_AT_ONCE = 4
BLOCK_BYTES = 1 << 16
"""After each so many bytes the clock is looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A range of an object: the object's etag and its whole size in bytes, and the range's own bytes."""

    etag: str
    size: int
    blocks: Iterable[bytes]


GetPart = Callable[[int, str | None], Part]
"""Asks for `RANGE_BYTES` from an offset on, of the object of that etag."""


def fetch_ranges(get: GetPart, target: Path, until: float) -> None:
    """Write the object into the file: the first range tells the size, the others come side by side, of its etag.

    Raises:
        TimeoutError: it is not whole at `until`, by the monotonic clock.
    """
    first = get(0, None)
    with target.open("r+b") as file:
        file.truncate(first.size)
        pour(first, file.fileno(), 0, until)
        starts = range(RANGE_BYTES, first.size, RANGE_BYTES)
        if starts:
            descriptor = file.fileno()

            def bring(start: int) -> None:
                pour(get(start, first.etag), descriptor, start, until)

            with ThreadPoolExecutor(RANGES_AT_ONCE) as pool:
                for part in [pool.submit(bring, start) for start in starts]:
                    part.result()


def pour(part: Part, descriptor: int, offset: int, until: float) -> None:
    """Write a range to its place in the file; TimeoutError as above."""
    for block in bounded(part.blocks, until):
        os.pwrite(descriptor, block, offset)
        offset += len(block)


def bounded(blocks: Iterable[bytes], until: float) -> Iterator[bytes]:
    """The blocks as they come.

    Raises:
        TimeoutError: they have not ended at `until`, however steadily they trickle.
    """
    for block in blocks:
        yield block
        if time.monotonic() > until:
            raise TimeoutError("its bytes come too slowly")
