"""Files of named arrays in the safetensors format, written in a stream and mapped when opened.

8 bytes: length of the header, little-endian. Then the header, JSON, padded with spaces so that the data begins at a
multiple of 64: `{"name": {"dtype", "shape", "data_offsets": [begin, end]}}`, offsets counted from the data's begin.
Then the arrays, little-endian and C-contiguous, without holes. Arrays stand in order of falling item size, then
of name, so that each is aligned. Source: https://github.com/huggingface/safetensors#format
"""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import os
import weakref
from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from quire.errors import ArtifactCorrupt

if TYPE_CHECKING:
    from numpy.typing import NDArray

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

DTYPES: dict[str, np.dtype[Any]] = {
    "I8": np.dtype("i1"),
    "U8": np.dtype("u1"),
    "U16": np.dtype("<u2"),
    "U32": np.dtype("<u4"),
    "U64": np.dtype("<u8"),
    "F32": np.dtype("<f4"),
}
_CODES = {dtype: code for code, dtype in DTYPES.items()}
ALIGNMENT = 64
MAPPED_FROM_BYTES = 1 << 20
"""Smaller files are read at once: a mapping holds a file descriptor, and a site of 200 segments would hold 800."""
READ_FROM_BYTES = 1 << 27
"""Arrays of which single rows are read rather than mapped: 350,000 rows of 384 codes."""


class Streamed(NamedTuple):
    """An array that is written block by block: its blocks joined along the first axis have this shape."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    blocks: Iterable[Array]


class FileFacts(NamedTuple):
    """What a manifest says of a file."""

    size: int
    sha256: str


def write_tensors(path: Path, arrays: Mapping[str, Array | Streamed]) -> FileFacts:
    """Write the arrays to a new file and say its size and digest.

    Raises:
        ValueError: a streamed array's blocks do not add up to its shape.
    """
    ordered = sorted(arrays.items(), key=lambda item: (-item[1].dtype.itemsize, item[0]))
    digest = hashlib.sha256()
    size = 0
    with path.open("wb") as file:
        for block in _stream(ordered):
            file.write(block)
            digest.update(block)
            size += len(block)
    return FileFacts(size, digest.hexdigest())


def _stream(ordered: list[tuple[str, Array | Streamed]]) -> Iterator[bytes | memoryview]:
    yield _header(ordered)
    for name, array in ordered:
        blocks = array.blocks if isinstance(array, Streamed) else (array,)
        written = 0
        for block in blocks:
            data = np.ascontiguousarray(block, array.dtype)
            written += data.nbytes
            if data.nbytes:
                yield data.reshape(-1).view(np.uint8).data
        wanted = math.prod(array.shape) * array.dtype.itemsize
        if written != wanted:
            raise ValueError(f"{name}: {written} bytes streamed, wanted {wanted} for shape {array.shape}")


def _header(ordered: list[tuple[str, Array | Streamed]]) -> bytes:
    entries: dict[str, Any] = {}
    begin = 0
    for name, array in ordered:
        end = begin + math.prod(array.shape) * array.dtype.itemsize
        entries[name] = {
            "dtype": _CODES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [begin, end],
        }
        begin = end
    text = json.dumps(entries, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    return len(text).to_bytes(8, "little") + text


class NamedArrays(dict[str, Array]):
    """The arrays of one file. One that is not there was lost with its name: the file is not what was written."""

    def __init__(self, file: str, arrays: Mapping[str, Array]) -> None:
        super().__init__(arrays)
        self._file = file

    def __missing__(self, name: str) -> Array:
        held = ", ".join(sorted(self))[:200]
        raise ArtifactCorrupt(f"{self._file}: wanted an array {name!r}, found {held}")


def read_tensors(path: Path) -> NamedArrays:
    """Open the file's arrays, read-only: mapped in place, or read whole where the file is small.

    Raises:
        ArtifactCorrupt: the file is missing or its header describes no such file.
    """
    data = read_buffer(path)
    try:
        length = int.from_bytes(data[:8], "little")
        entries = json.loads(data[8 : 8 + length])
        arrays = {name: _array(data, 8 + length, entry) for name, entry in entries.items()}
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ArtifactCorrupt(
            f"{path.name}: wanted a safetensors header, found one that is broken ({error})"
        ) from error
    return NamedArrays(path.name, arrays)


def _array(data: bytes | mmap.mmap, base: int, entry: Mapping[str, Any]) -> Array:
    begin, end = entry["data_offsets"]
    shape = tuple(entry["shape"])
    dtype: np.dtype[Any] = DTYPES[entry["dtype"]]
    if end - begin != math.prod(shape) * dtype.itemsize or base + end > len(data):
        raise ValueError(f"offsets {begin}..{end} do not hold {dtype} {shape}")
    if (base + begin) % dtype.itemsize:
        raise ValueError(f"offset {begin} is none of {dtype}")
    if begin == end:
        return np.empty(shape, dtype)
    return np.ndarray(shape, dtype, buffer=data, offset=base + begin)


def read_buffer(path: Path, *, mapped_from: int = MAPPED_FROM_BYTES) -> bytes | mmap.mmap:
    """The file's bytes: mapped, or read whole where the file has fewer than `mapped_from`.

    Raises:
        ArtifactCorrupt: there is no such file.
    """
    try:
        with path.open("rb") as file:
            if path.stat().st_size < mapped_from:
                return file.read()
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        raise ArtifactCorrupt(f"{path.name}: no such file in the segment") from None


class FileRows:
    """Rows of an array that `read_tensors` gave, read from its file: what was mapped for a row would stay in memory.

    A row that is looked at in a mapping takes 64 KB of memory, so a hundred questions take all; reading it takes a
    microsecond more. Up to `READ_FROM_BYTES` the mapping serves.
    """

    def __init__(self, path: Path, array: Array) -> None:
        self._array = array
        self._file, self._offset = -1, 0
        if isinstance(array.base, mmap.mmap) and array.nbytes >= READ_FROM_BYTES:
            begin = np.frombuffer(array.base, np.uint8).ctypes.data
            self._offset = array.ctypes.data - begin
            self._file = os.open(path, os.O_RDONLY)
            weakref.finalize(self, os.close, self._file)

    def take(self, rows: NDArray[np.intp]) -> Array:
        """Those rows."""
        if self._file < 0:
            return self._array[rows]
        width = self._array[:1].nbytes
        places = (self._offset + width * rows).tolist()
        data = b"".join(map(os.pread, repeat(self._file), repeat(width), places))
        return np.frombuffer(data, self._array.dtype).reshape(-1, *self._array.shape[1:])


def give_back(array: object) -> None:
    """Give back the memory that the pages of a mapped array's file take, until they are read again."""
    base = getattr(array, "base", None)
    if isinstance(base, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):  # where the system can
        base.madvise(mmap.MADV_DONTNEED)


def file_facts(path: Path) -> FileFacts:
    """Size and sha256 of a file, read in blocks."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
        return FileFacts(file.tell(), digest.hexdigest())
