"""What the writer is fed, and the disk-backed columns in which it keeps bulky rows until their order is known."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.documents import Chunk
from quire.embedding.quantization import Quantized


@dataclass(frozen=True, slots=True, eq=False)
class IndexRow:
    """A chunk with everything that is indexed of it.

    Attributes:
        chunk: the chunk.
        terms: search term -> weighted frequency, field weights already applied, above 0.
        length: the weighted length that BM25 uses.
        vectors: one row for each of the chunk's windows; none where it is found by keywords alone.
        source: key of the source that it came from, for the counts by source.
        line: the chunk as `quire.index.lines.chunk_line` gives it, where that was done already; b"" where not.
    """

    chunk: Chunk
    terms: Mapping[str, float]
    length: float
    vectors: Quantized
    source: str = ""
    line: bytes = b""


WRITTEN_BYTES = 1 << 20


class Spool:
    """Bytes appended to a temporary file, given back in another order."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("wb", buffering=WRITTEN_BYTES)
        self.size = 0

    def append(self, data: bytes | memoryview) -> None:
        """Append bytes at `size`."""
        self._file.write(data)
        self.size += len(data)

    def gathered(self, begins: NDArray[np.int64], ends: NDArray[np.int64]) -> bytes:
        """What stands between each begin and end, end to end; what lies side by side is read at once."""
        is_head = np.append(True, begins[1:] != ends[:-1])  # of a stretch that lies end to end
        is_tail = np.append(is_head[1:], True)
        bounds = zip(begins[is_head].tolist(), ends[is_tail].tolist(), strict=True)
        self._file.flush()
        with self._path.open("rb", buffering=0) as file:
            return b"".join(os.pread(file.fileno(), end - begin, begin) for begin, end in bounds)

    def records(self, numbers: NDArray[np.intp], width: int, block: int) -> Iterator[NDArray[np.int8]]:
        """The records of these numbers, of `width` bytes each, a block at a time.

        They are read and not mapped: a mapped page counts as this process's memory for as long as it is mapped.
        """
        for start in range(0, len(numbers), block):
            begins = numbers[start : start + block] * width
            yield np.frombuffer(self.gathered(begins, begins + width), np.int8).reshape(len(begins), width)

    def __enter__(self) -> Spool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        self._path.unlink(missing_ok=True)


def gather(rows: NDArray[Any], order: NDArray[np.intp], block: int = 8192) -> Iterator[NDArray[Any]]:
    """`rows[order]`, a block at a time."""
    for start in range(0, len(order), block):
        yield rows[order[start : start + block]]
