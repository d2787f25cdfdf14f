"""Brings an object to a file in ranges, side by side, within a bounded time, and checks its digest on the way."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from quire.errors import ArtifactCorrupt

RANGE_BYTES = 8 << 20
RANGES_AT_ONCE = 4
BLOCK_BYTES = 1 << 16
"""After each so many bytes the clock is looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class ByteRange:
    """A range of an object: the object's etag and its whole size in bytes, and the range's own bytes."""

    etag: str
    size: int
    blocks: Iterable[bytes]


GetPart = Callable[[int, str | None], ByteRange]
"""Asks for `RANGE_BYTES` from an offset on, of the object of that etag."""


def fetch_checked(fetch: Callable[[Path], str], path: Path, sha256: str) -> None:
    """Have `fetch` fill a new file and say its sha256; where that is the one wanted, it appears at `path`.

    Raises:
        ArtifactCorrupt: it is another.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    os.close(descriptor)
    beside = Path(name)
    try:
        found = fetch(beside)
        if found != sha256:
            raise ArtifactCorrupt(f"{path.name}: sha256 {found} expected {sha256}")
        beside.chmod(0o644)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def fetch_ranges(get: GetPart, target: Path, until: float) -> str:
    """Write the object into the file and give its sha256.

    The first range tells the size, the others come side by side, of its etag. Blocks are digested as they come where
    they come in order, the others from the file.

    Raises:
        TimeoutError: it is not whole at `until`, by the monotonic clock.
    """
    digest = hashlib.sha256()
    first = get(0, None)
    with target.open("r+b") as file:
        descriptor = file.fileno()
        at = 0
        for block in bounded(first.blocks, until):
            at += os.pwrite(descriptor, block, at)
            digest.update(block)
        starts = range(RANGE_BYTES, first.size, RANGE_BYTES)
        if starts:

            def bring(start: int) -> None:
                at = start
                if time.monotonic() > until:
                    raise TimeoutError(f"{start} bytes of {first.size} came in time")
                for block in bounded(get(start, first.etag).blocks, until):
                    at += os.pwrite(descriptor, block, at)

            pool = ThreadPoolExecutor(RANGES_AT_ONCE)
            try:
                for start, part in [(start, pool.submit(bring, start)) for start in starts]:
                    part.result()
                    _digest_range(descriptor, start, digest.update)
            finally:
                pool.shutdown(cancel_futures=True)  # where one range fails the others are not waited for
    return digest.hexdigest()


def _digest_range(descriptor: int, start: int, update: Callable[[bytes], None]) -> None:
    for offset in range(start, start + RANGE_BYTES, BLOCK_BYTES):
        update(os.pread(descriptor, BLOCK_BYTES, offset))


def bounded(blocks: Iterable[bytes], until: float) -> Iterator[bytes]:
    """The blocks as they come.

    Raises:
        TimeoutError: they have not ended at `until`, however steadily they trickle.
    """
    for block in blocks:
        yield block
        if time.monotonic() > until:
            raise TimeoutError("its bytes come too slowly")
