"""Sorted string tables and the postings of their strings, looked up in place without parsing.

Four arrays make one table of postings, under a common prefix: `bytes` uint8, the strings' UTF-8 end to end, in
ascending order of their bytes; `offsets` uint64 (n + 1), where each begins; `starts` uint64 (n + 1), where its
postings begin; `ordinals` uint32, ascending for each string. Some tables add `weights` uint8, beside the ordinals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from quire.errors import ArtifactCorrupt
from quire.index.tensors import Array

if TYPE_CHECKING:
    from numpy.typing import NDArray

NO_ORDINALS: NDArray[np.uint32] = np.empty(0, np.uint32)
NO_WEIGHTS: NDArray[np.uint8] = np.empty(0, np.uint8)
REMEMBERED = 4096


class StringTable:
    """Strings in ascending order of their UTF-8 bytes, each once."""

    def __init__(self, data: NDArray[np.uint8], offsets: NDArray[np.uint64]) -> None:
        self.data = data
        self.offsets = offsets

    @cached_property
    def _views(self) -> tuple[memoryview, memoryview]:
        return self.data.data, self.offsets.data

    @cached_property
    def _found(self) -> dict[str, int]:
        return {}

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, position: int) -> str:
        data, offsets = self._views
        return _text(data[offsets[position] : offsets[position + 1]])

    def __iter__(self) -> Iterator[str]:
        data = self.data.tobytes()
        return (_text(data[begin:end]) for begin, end in pairwise(self.offsets.tolist()))

    def find(self, text: str) -> int:
        """Position of the string, or -1. The last strings asked for are remembered: one question asks thrice."""
        place = self._found.get(text)
        if place is None:
            if len(self._found) >= REMEMBERED:
                self._found.clear()
            place = self._found[text] = self._search(text.encode("utf-8", "surrogatepass"))
        return place

    def with_prefix(self, prefix: str) -> Iterator[str]:
        """The strings that begin with it, ascending."""
        for position in range(self._lower_bound(prefix.encode("utf-8", "surrogatepass")), len(self)):
            text = self[position]
            if not text.startswith(prefix):
                return
            yield text

    def count_between(self, first: str, behind: str) -> int:
        """How many strings there are from `first` to the one before `behind`."""
        begin, end = (self._lower_bound(one.encode("utf-8", "surrogatepass")) for one in (first, behind))
        return end - begin

    def _search(self, wanted: bytes) -> int:
        data, offsets = self._views
        low = self._lower_bound(wanted)
        if low < len(self) and data[offsets[low] : offsets[low + 1]] == wanted:
            return low
        return -1

    def _lower_bound(self, wanted: bytes) -> int:
        """Position of the first string that is not before it."""
        data, offsets = self._views
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) >> 1
            if data[offsets[middle] : offsets[middle + 1]].tobytes() < wanted:
                low = middle + 1
            else:
                high = middle
        return low


def _text(data: bytes | memoryview) -> str:
    """One string of a table.

    Raises:
        ArtifactCorrupt: it is not UTF-8; what is mapped in place is not digested.
    """
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError as error:
        raise ArtifactCorrupt(f"strings: wanted UTF-8, found {bytes(data[:60])!r}") from error


class Postings:
    """For each string the ordinals that hold it, ascending, and their weights where the table has them."""

    def __init__(
        self,
        strings: StringTable,
        starts: NDArray[np.uint64],
        all_ordinals: NDArray[np.uint32],
        all_weights: NDArray[np.uint8],
    ) -> None:
        self.strings = strings
        self.starts = starts
        self.all_ordinals = all_ordinals
        self.all_weights = all_weights

    def entry(self, key: str) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
        """Ordinals and weights of the string; empty where the table lacks it."""
        position = self.strings.find(key)
        return (NO_ORDINALS, NO_WEIGHTS) if position < 0 else self.at(position)

    def ordinals(self, key: str) -> NDArray[np.uint32]:
        """Ordinals of the string, ascending."""
        return self.entry(key)[0]

    def at(self, position: int) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
        """Ordinals and weights of the string at a position of the table."""
        span = slice(int(self.starts[position]), int(self.starts[position + 1]))
        return self.all_ordinals[span], self.all_weights[span]

    def with_prefix(self, prefix: str) -> Iterator[str]:
        """The strings that begin with it, ascending."""
        return self.strings.with_prefix(prefix)

    def keys(self) -> Iterator[str]:
        """The strings, ascending."""
        return iter(self.strings)


def string_table(arrays: Mapping[str, Array], prefix: str) -> StringTable:
    """The string table stored under `prefix`."""
    return StringTable(_of(arrays, f"{prefix}.bytes", np.uint8), _of(arrays, f"{prefix}.offsets", np.uint64))


def _of(arrays: Mapping[str, Array], name: str, dtype: type[np.generic]) -> Array:
    """The array of that name.

    Raises:
        ArtifactCorrupt: it holds other numbers than it is written with.
    """
    array = arrays[name]
    if array.dtype != dtype or array.ndim != 1:
        raise ArtifactCorrupt(f"{name}: wanted a row of {dtype.__name__}, found {array.dtype} {array.shape}")
    return array


def postings(arrays: Mapping[str, Array], prefix: str) -> Postings:
    """The postings stored under `prefix`."""
    return Postings(
        string_table(arrays, prefix),
        _of(arrays, f"{prefix}.starts", np.uint64),
        _of(arrays, f"{prefix}.ordinals", np.uint32),
        _of(arrays, f"{prefix}.weights", np.uint8) if f"{prefix}.weights" in arrays else NO_WEIGHTS,
    )


def table_arrays(prefix: str, strings: list[str]) -> dict[str, Array]:
    """The arrays of a string table; `strings` are sorted and unique."""
    encoded = [text.encode() for text in strings]
    offsets = np.zeros(len(encoded) + 1, np.uint64)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    return {f"{prefix}.bytes": np.frombuffer(b"".join(encoded), np.uint8), f"{prefix}.offsets": offsets}
