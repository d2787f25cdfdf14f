"""Arrays that wait until a segment's files are written: some in memory, and where these are many the rest on disk."""

from __future__ import annotations

import os
import tempfile
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Protocol, Self

import numpy as np

from quire.index.tensors import Array, Streamed

HELD_BYTES, MOST_HELD_BYTES, MEMORY_SHARE = 32 << 20, 128 << 20, 64
"""What waits in memory: sorted postings, of which a passage of code has some 600 bytes. So the tables of a collection
below some 50,000 passages never see a disk. Larger runs are fewer, and each hashes its words and is merged: 100,000
passages cost 37, 30 and 24 s CPU with 32, 128 and 256 MB, and 173, 248 and 369 MB of memory."""
READ_ITEMS = 1 << 17


def held_here() -> int:
    """A 64th of this machine's memory, between the bounds: 128 MB from 8 GB on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(max(HELD_BYTES, memory // MEMORY_SHARE), MOST_HELD_BYTES)


class Slices(Protocol):
    """A one-dimensional array of which slices can be had; a slice may be a copy."""

    def __len__(self) -> int:
        """Items."""

    def __getitem__(self, span: slice, /) -> Array:
        """The items from `span.start` to `span.stop`, both given."""


class Spill:
    """Keeps arrays in memory up to `held_bytes`, later ones in a file. To be closed, which gives all up.

    The file has no name: the system removes it with the process, however that ends.
    """

    def __init__(self, folder: Path, held_bytes: int) -> None:
        self.held_bytes = held_bytes
        self._folder = folder
        self._held = 0
        self._size = 0
        self._open = ExitStack()

    def keep(self, array: Array) -> Slices:
        """Take over a one-dimensional array, which must not change any more."""
        if self._held + array.nbytes <= self.held_bytes:
            self._held += array.nbytes
            return array
        self._file.write(np.ascontiguousarray(array).data)
        self._file.flush()  # what follows reads by the descriptor
        self._size += array.nbytes
        return _SpilledArray(self._file.fileno(), self._size - array.nbytes, array.dtype, len(array))

    @cached_property
    def _file(self) -> IO[bytes]:
        return self._open.enter_context(tempfile.TemporaryFile(dir=self._folder))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()


@dataclass(frozen=True, slots=True)
class _SpilledArray:
    """An array in a file."""

    descriptor: int
    offset: int
    dtype: np.dtype[Any]
    size: int

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, span: slice) -> Array:
        width = self.dtype.itemsize
        data = os.pread(self.descriptor, (span.stop - span.start) * width, self.offset + span.start * width)
        return np.frombuffer(data, self.dtype)


class Column:
    """An array that grows at its end, kept by a `Spill`."""

    def __init__(self, spill: Spill, dtype: Any) -> None:
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self._spill = spill
        self._parts: list[Slices] = []
        self._begins: list[int] = []
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, span: slice, /) -> Array:
        """See `Slices`."""
        place = max(bisect_right(self._begins, span.start) - 1, 0)
        found = [np.empty(0, self.dtype)]
        begin = span.start
        while begin < span.stop:
            first, part = self._begins[place], self._parts[place]
            end = min(span.stop, first + len(part))
            found.append(part[begin - first : end - first])
            begin, place = end, place + 1
        return found[1] if len(found) == 2 else np.concatenate(found)

    def append(self, items: Array) -> None:
        """Append an array, which must not change any more."""
        if len(items):
            self._parts.append(self._spill.keep(items.astype(self.dtype, copy=False)))
            self._begins.append(self._size)
            self._size += len(items)

    def blocks(self) -> Iterator[Array]:
        """All of it, some of it at a time."""
        for part in self._parts:
            for begin in range(0, len(part), READ_ITEMS):
                yield part[begin : min(begin + READ_ITEMS, len(part))]

    def joined(self) -> Array:
        """All of it as one array in memory."""
        return np.concatenate([np.empty(0, self.dtype), *self.blocks()])

    def streamed(self) -> Streamed:
        """All of it as `write_tensors` takes it."""
        return Streamed(self.dtype, (self._size,), self.blocks())
