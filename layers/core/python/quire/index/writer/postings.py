"""Builds the arrays of `quire.index.postings.Postings` from rows of strings."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from quire.index.bm25 import quantize_frequencies
from quire.index.postings import NO_WEIGHTS, Postings, table_arrays
from quire.index.tensors import Array, Streamed
from quire.index.writer.kept_rows import KeptRows
from quire.index.writer.runs import ROW_SHIFT, STRING_SHIFT, Merged, Run, RunTable, merge_runs
from quire.index.writer.spill import Column, Slices, Spill

STRING_BYTES = 180
"""What a string of 15 letters costs with its number in a dictionary: 64 + 32, and 80 to 100 for its place there."""
MERGED_BYTES = 1024
"""A merge reads a string ahead for so many bytes of what the spill may hold: 10 of 32 MB."""
MOST_RUNS = 16
"""Runs merged at once: all of 200 at once read so few strings ahead in each that the cost grows with their square."""

Tensors: TypeAlias = dict[str, Array | Streamed]


class PostingsBuilder:
    """Collects rows of strings in any order; `finish` says which ordinal each row got.

    What was collected becomes a sorted run when it has outgrown a quarter of what the spill may hold.
    """

    def __init__(self, spill: Spill) -> None:
        self._spill = spill
        self._runs: list[Run] = []
        self._first = 0  # number of the first row that is in no run
        self._ids: defaultdict[str, int] = defaultdict()
        self._ids.default_factory = self._ids.__len__
        self._clear()

    def _clear(self) -> None:
        self._ids.clear()  # a new one would leave the old in a cycle with its own method
        self._postings = array("I")
        self._counts = array("I")
        self._frequencies = array("f")

    @property
    def is_full(self) -> bool:
        """Whether it is time to `flush`."""
        return 4 * STRING_BYTES * len(self._ids) + 32 * len(self._postings) > self._spill.held_bytes

    def add_row(self, strings: Iterable[str], frequencies: Collection[float] = ()) -> None:
        """Add the next row's strings, each once, and how often it holds each in a table with weights."""
        before = len(self._postings)
        self._postings.extend(map(self._ids.__getitem__, strings))
        if frequencies:
            self._frequencies.fromlist(list(frequencies))  # two thirds of what `extend` takes
        self._counts.append(len(self._postings) - before)

    def add_kept(self, kept: KeptRows, table: Postings) -> None:
        """Add the strings of kept rows, which stand in this table of their segment."""
        self.flush()
        strings = table.strings
        columns = (strings.data, strings.offsets, table.starts, table.all_ordinals, table.all_weights)
        self._runs.append(Run(RunTable(*columns), self._first, kept.numbers))
        self._first += len(kept)

    def strings(self) -> list[str]:
        """The strings of the rows since the last flush, in the order of first sight."""
        return list(self._ids)

    def rows(self) -> tuple[NDArray[np.uint32], NDArray[np.uint8], NDArray[np.uint32]]:
        """Of the rows since the last flush each posting's place in `strings` and weight, and postings of each row."""
        weights = quantize_frequencies(np.array(self._frequencies, np.float32))
        return np.array(self._postings, np.uint32), weights, np.array(self._counts, np.uint32)

    def flush(self) -> None:
        """Make a run of the rows since the last time."""
        if not self._counts:
            return
        strings = sorted(self._ids)
        keys = self._keys(strings)
        is_weighted, rows = bool(self._frequencies), len(self._counts)
        self._clear()
        bounds = np.arange(len(strings) + 1, dtype=np.uint64) << STRING_SHIFT
        table = table_arrays("", strings)
        columns = (
            table[".bytes"],
            table[".offsets"],
            np.searchsorted(keys, bounds).astype(np.uint64),
            (keys >> ROW_SHIFT).astype(np.uint32),
            keys.astype(np.uint8) if is_weighted else NO_WEIGHTS,
        )
        self._runs.append(Run(RunTable(*map(self._spill.keep, columns)), self._first))
        self._first += rows

    def _keys(self, strings: list[str]) -> NDArray[np.uint64]:
        """The postings since the last flush as sorted numbers, see `runs.STRING_SHIFT`; `strings` are in order."""
        postings, weights, counts = self.rows()
        ranks = np.empty(len(strings), np.uint64)
        ranks[[self._ids[text] for text in strings]] = np.arange(len(strings), dtype=np.uint64)
        keys = ranks[postings] << STRING_SHIFT
        keys |= np.repeat(np.arange(len(counts), dtype=np.uint64) << ROW_SHIFT, counts)
        if len(weights):
            keys |= weights
        keys.sort()
        return keys

    def merged(self, ordinals: NDArray[np.uint32] | None = None) -> Iterator[Merged]:
        """The whole table in order, see `merge_runs`; no row may be added any more."""
        self.flush()
        while len(self._runs) > MOST_RUNS:
            firsts = range(0, len(self._runs), MOST_RUNS)
            self._runs = [self._joined(self._runs[first : first + MOST_RUNS]) for first in firsts]
        return self._merge(self._runs, ordinals)

    def _merge(self, runs: list[Run], ordinals: NDArray[np.uint32] | None = None) -> Iterator[Merged]:
        return merge_runs(runs, ordinals, strings=self._spill.held_bytes // MERGED_BYTES)

    def _joined(self, runs: list[Run]) -> Run:
        """Some runs as one, of the segment's rows."""
        table = TableColumns(self._spill, weighted=any(len(run.table.weights) for run in runs))
        for part in self._merge(runs):
            table.append(part)
        return Run(table.run_table(), 0)

    def finish(self, prefix: str, ordinals: NDArray[np.uint32], *, weighted: bool = False) -> Tensors:
        """The arrays under `prefix`; `ordinals` has that of each row in the order in which rows were added."""
        table = TableColumns(self._spill, weighted=weighted)
        for part in self.merged(ordinals):
            table.append(part)
        return table.tensors(prefix)


class TableColumns:
    """The arrays of a table, as its strings come in order."""

    def __init__(self, spill: Spill, *, weighted: bool) -> None:
        dtypes = {"bytes": np.uint8, "offsets": np.uint64, "starts": np.uint64, "ordinals": np.uint32}
        self._columns = {name: Column(spill, dtype) for name, dtype in dtypes.items()}
        if weighted:
            self._columns["weights"] = Column(spill, np.uint8)
        for name in ("offsets", "starts"):
            self._columns[name].append(np.zeros(1, np.uint64))

    def append(self, part: Merged) -> None:
        """Append strings with their postings."""
        encoded = [text.encode() for text in part.strings]
        sizes = np.fromiter(map(len, encoded), np.uint64, len(encoded))
        columns = self._columns
        columns["offsets"].append(np.cumsum(sizes) + np.uint64(len(columns["bytes"])))
        columns["starts"].append(part.counts.cumsum().astype(np.uint64) + np.uint64(len(columns["ordinals"])))
        columns["bytes"].append(np.frombuffer(b"".join(encoded), np.uint8))
        columns["ordinals"].append(part.ordinals)
        if "weights" in columns:
            columns["weights"].append(part.weights)

    def run_table(self) -> RunTable:
        """The arrays as those of a run."""
        columns = self._columns
        weights: Slices = columns.get("weights", NO_WEIGHTS)
        return RunTable(columns["bytes"], columns["offsets"], columns["starts"], columns["ordinals"], weights)

    def tensors(self, prefix: str) -> Tensors:
        """The arrays under `prefix`."""
        return {f"{prefix}.{name}": column.streamed() for name, column in self._columns.items()}
