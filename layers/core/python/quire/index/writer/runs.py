"""Sorted runs of postings, and their merge: what a table of any size is made of in bounded memory."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire.index.tensors import Array, give_back
from quire.index.writer.spill import Slices

LEAST_STRINGS = 16
POSTINGS_A_STRING = 8
"""How far a merge reads ahead in each run: to so many postings for each string of its share, which is what tables of
terms have, but at least to the end of a string."""
DROPPED = np.uint32(0xFFFF_FFFF)
STRING_SHIFT, ROW_SHIFT = np.uint64(40), np.uint64(8)
"""A posting as one number that sorts by string, then by row: 24 bits of string, 32 of row, 8 of weight. Sorting such
numbers takes a tenth of the time of sorting places by string."""


class RunTable(NamedTuple):
    """The arrays of a run, in the form of `quire.index.postings`.

    Attributes:
        data, offsets: its strings, ascending, each once.
        starts: where each string's postings begin, and where the last one's end.
        rows: the rows that hold a string, ascending for each, counted from 0.
        weights: beside them; empty where the table has none.
    """

    data: Slices
    offsets: Slices
    starts: Slices
    rows: Slices
    weights: Slices


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Postings of some rows.

    Attributes:
        table: sorted by string.
        first: the segment's number of the table's row 0.
        kept: for each row of the table its number among those that are taken over, or DROPPED; None where all are.
    """

    table: RunTable
    first: int
    kept: NDArray[np.uint32] | None = None

    def __len__(self) -> int:
        return len(self.table.offsets) - 1


class Merged(NamedTuple):
    """Some strings of a table with all their postings.

    Attributes:
        strings: ascending, each once.
        counts: postings of each, above 0, int64.
        ordinals: ascending for each string, uint32.
        weights: beside them, uint8.
    """

    strings: list[str]
    counts: NDArray[np.int64]
    ordinals: NDArray[np.uint32]
    weights: NDArray[np.uint8]


class _RunPart(NamedTuple):
    strings: list[str]
    counts: NDArray[np.int64]
    keys: NDArray[np.uint64]


def merge_runs(runs: Sequence[Run], ordinals: NDArray[np.uint32] | None, *, strings: int) -> Iterator[Merged]:
    """The table that the runs are parts of, in order, part by part.

    Args:
        runs: in any order.
        ordinals: the ordinal of each row of the segment; without it rows stay as they are.
        strings: about so many are read of all runs at a time; each takes some 300 bytes with its postings.
    """
    share = max(strings // max(len(runs), 1), LEAST_STRINGS)
    cursors = [_Cursor(run, ordinals, share) for run in runs]
    while cursors := [cursor for cursor in cursors if cursor.fill()]:
        # Beyond the least of the last strings that were read, a run may still hold some that come before others here.
        last = min((one.window[-1] for one in cursors if not one.is_at_end), default=None)
        merged = _merged([part for cursor in cursors if (part := cursor.take(last)).strings])
        if merged.strings:
            yield merged


class _Cursor:
    """What of a run has not been taken yet; `window` holds its next strings."""

    def __init__(self, run: Run, ordinals: NDArray[np.uint32] | None, share: int) -> None:
        self.window: list[str] = []
        self._run = run
        self._table = run.table
        self._ordinals = ordinals
        self._begin = 0  # of the window, in the run
        self._share = share

    @property
    def is_at_end(self) -> bool:
        return self._begin + len(self.window) == len(self._run)

    def fill(self) -> bool:
        """Read the next strings where all were taken; whether there are any."""
        if not self.window and self._begin < len(self._run):
            give_back(self._table.rows)
            limit = min(self._begin + self._share, len(self._run))
            starts = self._table.starts[self._begin : limit + 1].astype(np.int64)
            fitting = (
                int(np.searchsorted(starts, starts[0] + self._share * POSTINGS_A_STRING, side="right")) - 1
            )
            self.window = _strings(self._table, self._begin, self._begin + max(fitting, 1))
        return bool(self.window)

    def take(self, last: str | None) -> _RunPart:
        """The strings up to `last`, or all, with their postings."""
        size = len(self.window) if last is None else bisect_right(self.window, last)
        strings, self.window = self.window[:size], self.window[size:]
        starts = self._table.starts[self._begin : self._begin + size + 1].astype(np.int64)
        self._begin += size
        counts = np.diff(starts)
        span = slice(int(starts[0]), int(starts[-1]))
        rows = self._table.rows[span]
        keys = np.repeat(np.arange(size, dtype=np.uint64) << STRING_SHIFT, counts)
        if len(self._table.weights):
            keys |= self._table.weights[span]
        return self._placed(_RunPart(strings, counts, keys), rows)

    def _placed(self, part: _RunPart, rows: Array) -> _RunPart:
        """The part with its rows' ordinals in its keys, without rows that are not taken over."""
        strings, counts, keys = part
        if self._run.kept is not None:
            rows = self._run.kept[rows]
            is_kept = rows != DROPPED
            if not is_kept.all():
                rows, keys = rows[is_kept], keys[is_kept]
                counts = np.bincount((keys >> STRING_SHIFT).astype(np.intp), minlength=len(strings))
        if self._ordinals is not None:
            rows = self._ordinals[self._run.first :][rows]
        elif self._run.first:
            rows = rows + np.uint32(self._run.first)
        keys |= rows.astype(np.uint64) << ROW_SHIFT
        return _RunPart(strings, counts, keys)


def _strings(table: RunTable, begin: int, end: int) -> list[str]:
    offsets = table.offsets[begin : end + 1].tolist()
    first = offsets[0]
    data = table.data[first : offsets[-1]].tobytes()
    if data.isascii():
        text = data.decode("ascii")
        return [text[left - first : right - first] for left, right in pairwise(offsets)]
    return [str(data[left - first : right - first], "utf-8") for left, right in pairwise(offsets)]


def _merged(parts: Sequence[_RunPart]) -> Merged:
    strings, keys = parts[0].strings, parts[0].keys
    if len(parts) > 1:
        strings = sorted(set(chain.from_iterable(part.strings for part in parts)))
        places = dict(zip(strings, range(len(strings)), strict=True))
        keys = np.concatenate([_renumbered(part, places) for part in parts])
    keys.sort()
    counts = np.bincount((keys >> STRING_SHIFT).astype(np.intp), minlength=len(strings))
    if not counts.all():
        strings = [text for text, count in zip(strings, counts.tolist(), strict=True) if count]
        counts = counts[counts > 0]
    return Merged(strings, counts, (keys >> ROW_SHIFT).astype(np.uint32), keys.astype(np.uint8))


def _renumbered(part: _RunPart, places: dict[str, int]) -> NDArray[np.uint64]:
    """The part's keys with the places of its strings among those of all parts."""
    moves = np.array([places[text] for text in part.strings], np.uint64)
    moves -= np.arange(len(moves), dtype=np.uint64)  # a string never moves to the front
    renumbered: NDArray[np.uint64] = part.keys + np.repeat(moves << STRING_SHIFT, part.counts)
    return renumbered
