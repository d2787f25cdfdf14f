"""Builds the arrays of `quire.artifact.tables.Postings` from rows of strings."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from quire.artifact.tables import Postings, table_arrays
from quire.artifact.tensors import Array
from quire.artifact.writer.kept import KeptRows

BLOCK_POSTINGS = 1 << 18


class PostingsBuilder:
    """Collects rows of strings in any order; `finish` says which ordinal each row got.

    Holds 4 bytes a posting and each string once.
    """

    def __init__(self) -> None:
        self._ids: defaultdict[str, int] = defaultdict()
        self._ids.default_factory = self._ids.__len__
        self._postings = array("I")
        self._counts = array("I")

    def add_row(self, strings: Iterable[str]) -> None:
        """Add the next row's strings, each once."""
        before = len(self._postings)
        self._postings.extend(map(self._ids.__getitem__, strings))
        self._counts.append(len(self._postings) - before)

    def add_kept(self, kept: KeptRows, table: Postings) -> NDArray[np.uint8]:
        """Add the strings of kept rows, which stand in this table of their segment; gives the postings' weights."""
        rows = kept.postings_by_row(table)
        used = np.flatnonzero(np.bincount(rows.strings, minlength=len(table.strings)))
        strings = list(table.keys())
        ids = np.zeros(len(strings), np.uint32)
        ids[used] = [self._ids[strings[place]] for place in used.tolist()]
        self._postings.frombytes(ids[rows.strings].tobytes())
        self._counts.frombytes(rows.counts.tobytes())
        return rows.weights

    def strings(self) -> list[str]:
        """Every string, in the order of first sight."""
        return list(self._ids)

    def rows(self) -> Iterator[slice]:
        """The span of each row's postings, in the order in which rows came."""
        begin = 0
        for count in self._counts:
            yield slice(begin, begin + count)
            begin += count

    def postings(self) -> NDArray[np.uint32]:
        """Each posting's place in `strings`."""
        return np.asarray(self._postings)

    def finish(
        self, prefix: str, order: NDArray[np.intp], weights: NDArray[np.uint8] | None = None
    ) -> dict[str, Array]:
        """The arrays under `prefix`.

        Args:
            prefix: of their names.
            order: `order[ordinal]` is the number of the row that got that ordinal.
            weights: one for each posting, in the order in which they were added.
        """
        strings = sorted(self._ids)
        rank = np.empty(len(strings), np.uint32)
        rank[[self._ids[text] for text in strings]] = np.arange(len(strings), dtype=np.uint32)
        postings = self.postings()
        starts = np.zeros(len(strings) + 1, np.uint64)
        np.cumsum(np.bincount(rank[postings], minlength=len(strings)), out=starts[1:])
        ordinals = np.empty(len(postings), np.uint32)
        sorted_weights = np.empty(0 if weights is None else len(weights), np.uint8)
        cursor = starts[:-1].astype(np.intp)
        for block, owners in self._blocks(order):
            terms = rank[postings[block]]
            by_term = np.argsort(terms, kind="stable")
            places = _places(terms[by_term], cursor)
            ordinals[places] = owners[by_term]
            if weights is not None:
                sorted_weights[places] = weights[block[by_term]]
        arrays = table_arrays(prefix, strings)
        arrays |= {f"{prefix}.starts": starts, f"{prefix}.ordinals": ordinals}
        return arrays if weights is None else arrays | {f"{prefix}.weights": sorted_weights}

    def _blocks(self, order: NDArray[np.intp]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.uint32]]]:
        """Positions of postings in the order of ordinals, with the ordinal of each, about so many at a time."""
        counts = np.asarray(self._counts, np.intp)
        begins = np.cumsum(counts) - counts
        counts, begins = counts[order], begins[order]
        total = np.cumsum(counts)
        first = 0
        while first < len(order):
            done = total[first - 1] if first else 0
            last = max(int(np.searchsorted(total, done + BLOCK_POSTINGS, side="right")), first + 1)
            yield (
                ranges(begins[first:last], counts[first:last]),
                np.repeat(np.arange(first, last, dtype=np.uint32), counts[first:last]),
            )
            first = last


def ranges(begins: NDArray[np.intp], counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """The whole numbers begin, begin + 1, ... of each pair, end to end.

    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(counts)
    size = ends[-1] if len(ends) else 0
    spans: NDArray[np.intp] = np.arange(size) + np.repeat(begins - (ends - counts), counts)
    return spans


def _places(terms: NDArray[np.uint32], cursor: NDArray[np.intp]) -> NDArray[np.intp]:
    """Where ascending `terms` go in the posting lists; moves each list's cursor behind what it got."""
    heads = np.flatnonzero(np.diff(terms, prepend=terms[:1] ^ np.uint32(1)))
    lengths = np.diff(heads, append=len(terms))
    firsts = cursor[terms[heads]]
    cursor[terms[heads]] += lengths
    return ranges(firsts, lengths)
