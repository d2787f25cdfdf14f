"""Stored chunks, read by slicing mapped shards of JSON lines."""

from __future__ import annotations

import mmap
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from quire.documents import Chunk
from quire.index.lines import read_line

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quire.ports import Ordinals

Buffer = bytes | mmap.mmap
Bring = Callable[[Collection[int]], None]
HELD_SHARDS = 16
"""So many shards stay mapped, those that were opened last; each holds a file descriptor. Opening one takes 15 us."""
# The same chunks are found again and again: a build asks its own collection 150 questions (a small one's takes 7 % less
# CPU for it), and a conversation stays in one place. A chunk depends on its line alone, whichever segment holds it.
_read_line = lru_cache(maxsize=256)(read_line)


class PayloadShards:
    """`PayloadStore` over one segment; a shard is opened when a chunk in it is fetched, and held until others are.

    Args:
        offsets: uint64, shape (n + 1,): where each chunk's line begins in the shards laid end to end.
        shards: uint32, shape (shards + 1,): ordinal of the first chunk of each shard, then n.
        open_shard: the bytes of the shard of that number.
        bring: brings the shards of those numbers near where they are not; None where all are.
    """

    def __init__(
        self,
        offsets: NDArray[np.uint64],
        shards: NDArray[np.uint32],
        open_shard: Callable[[int], Buffer],
        bring: Bring | None = None,
    ) -> None:
        self._offsets = offsets.data  # gives int, not numpy's scalars, for a fifth of the time
        self._firsts: list[int] = shards.tolist()
        self._open_shard = open_shard
        self._bring = bring
        self._opened: dict[int, Buffer] = {}

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def fetch(self, ordinals: Sequence[int] | Ordinals) -> list[Chunk]:
        """See `quire.ports.PayloadStore`."""
        self.prepare(map(int, ordinals))
        return [_read_line(self.line(int(ordinal))) for ordinal in ordinals]

    def prepare(self, ordinals: Iterable[int]) -> None:
        """Bring near what the chunks lie in, all of it at once; nothing where it is."""
        if self._bring:
            self._bring({self.shard_of(ordinal) for ordinal in ordinals})

    def line(self, ordinal: int) -> bytes:
        """The stored line of a chunk.

        Raises:
            IndexError: there is no such ordinal.
        """
        shard = self.shard_of(ordinal)
        data = self._opened.get(shard)
        if data is None:
            data = self._open(shard)
            # Threads share it: a list is taken first, and what another one has removed meanwhile is passed over.
            while len(self._opened) >= HELD_SHARDS:
                self._opened.pop(next(iter(list(self._opened)), shard), None)
            self._opened[shard] = data
        begin = self._offsets[self._firsts[shard]]
        return data[self._offsets[ordinal] - begin : self._offsets[ordinal + 1] - begin]

    def lines(self, ordinals: Ordinals) -> Iterator[bytes]:
        """The stored lines of the chunks (ascending), in order; one shard at a time is open and none stays so."""
        bounds = np.searchsorted(ordinals, self._firsts).tolist()
        for shard, (first, last) in enumerate(pairwise(bounds)):
            if first == last:
                continue
            data, begin = self._open(shard), self._offsets[self._firsts[shard]]
            for ordinal in ordinals[first:last].tolist():
                yield data[self._offsets[ordinal] - begin : self._offsets[ordinal + 1] - begin]

    def _open(self, shard: int) -> Buffer:
        if self._bring:
            self._bring((shard,))
        return self._open_shard(shard)

    def shard_of(self, ordinal: int) -> int:
        """Number of the shard that holds a chunk.

        Raises:
            IndexError: there is no such ordinal.
        """
        if not 0 <= ordinal < len(self):
            raise IndexError(f"chunk ordinal {ordinal}: the segment has 0 to {len(self) - 1}")
        return bisect_right(self._firsts, ordinal) - 1
