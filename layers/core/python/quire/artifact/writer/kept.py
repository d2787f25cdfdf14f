"""Rows of an opened segment that go into another as they are, copied by whole arrays and not one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quire.artifact.reader import Segment
from quire.artifact.tables import Postings
from quire.documents import Metadata
from quire.ordinals import difference
from quire.ports import Ordinals


@dataclass(frozen=True, eq=False)
class KeptRows:
    """What another segment takes over of this one. Writing them gives the bytes that writing their rows would give.

    Attributes:
        segment: where they are.
        ordinals: which of its chunks, ascending, uint32.
        source: the key of the source that a chunk of such metadata came from, for the counts by source.
    """

    segment: Segment
    ordinals: Ordinals
    source: Callable[[Metadata], str]

    def __len__(self) -> int:
        return len(self.ordinals)

    @cached_property
    def dropped(self) -> Ordinals:
        """The segment's other chunks."""
        return difference(np.arange(self.segment.chunk_count, dtype=np.uint32), self.ordinals)

    @cached_property
    def is_kept(self) -> NDArray[np.bool_]:
        """For each chunk of the segment whether it is taken over."""
        kept = np.zeros(self.segment.chunk_count, np.bool_)
        kept[self.ordinals] = True
        return kept

    def lines(self) -> Iterator[bytes]:
        """The stored line of each kept chunk, in order."""
        return map(self.segment.payloads.line, self.ordinals.tolist())

    def postings_by_row(self, table: Postings) -> RowPostings:
        """The postings of the kept rows in a table of this segment."""
        starts = table.starts.astype(np.intp)
        sizes = starts[1:] - starts[:-1]
        held = self.is_kept[table.all_ordinals]
        owners = table.all_ordinals[held]
        by_row = np.argsort(owners, kind="stable")
        strings = np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)[held][by_row]
        counts = np.bincount(owners, minlength=self.segment.chunk_count)[self.ordinals]
        weights = table.all_weights[held][by_row] if len(table.all_weights) else table.all_weights
        return RowPostings(strings, counts.astype(np.uint32), weights)


@dataclass(frozen=True, slots=True, eq=False)
class RowPostings:
    """Postings in the order of rows.

    Attributes:
        strings: each posting's place in the table's strings, uint32.
        counts: postings of each row, uint32.
        weights: each posting's weight, uint8; empty where the table has none.
    """

    strings: NDArray[np.uint32]
    counts: NDArray[np.uint32]
    weights: NDArray[np.uint8]
