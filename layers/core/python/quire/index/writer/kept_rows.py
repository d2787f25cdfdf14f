"""Rows of an opened segment that go into another as they are, copied by whole arrays and not one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quire.documents import Metadata
from quire.index.reader import Segment
from quire.index.writer.runs import DROPPED
from quire.ports import Ordinals
from quire.ranking import difference


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
    def numbers(self) -> NDArray[np.uint32] | None:
        """For each chunk of the segment its place in `ordinals`, or DROPPED; None where all are taken over."""
        if len(self) == self.segment.chunk_count:
            return None
        numbers = np.full(self.segment.chunk_count, DROPPED, np.uint32)
        numbers[self.ordinals] = np.arange(len(self), dtype=np.uint32)
        return numbers

    @cached_property
    def is_kept(self) -> NDArray[np.bool_]:
        """For each chunk of the segment whether it is taken over."""
        kept = np.zeros(self.segment.chunk_count, np.bool_)
        kept[self.ordinals] = True
        return kept

    def lines(self) -> Iterator[bytes]:
        """The stored line of each kept chunk, in order."""
        return self.segment.payloads.lines(self.ordinals)
