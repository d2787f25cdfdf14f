"""Small segments laid end to end in memory, so that 200 of them answer as fast as a few."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quire.artifact.reader import Segment
from quire.artifact.tables import NO_ORDINALS, NO_WEIGHTS, Postings
from quire.ports import Ordinals
from quire.quantization import Quantized, block_bits, mean_row
from quire.vectors import EXACT_ROWS, VectorArrays
from quire.vocabulary import Spelling


class StackedPostings:
    """`Postings` of several tables whose ordinals follow one another, looked up through one dictionary."""

    def __init__(self, tables: Sequence[Postings], sizes: Sequence[int]) -> None:
        self._tables = tables
        self._bases = [sum(sizes[:position]) for position in range(len(sizes))]
        self._places: dict[str, list[tuple[int, int]]] = {}
        for number, table in enumerate(tables):
            for position, key in enumerate(table.keys()):
                self._places.setdefault(key, []).append((number, position))

    def entry(self, key: str) -> tuple[Ordinals, NDArray[np.uint8]]:
        """Ordinals and weights of the string over all tables."""
        places = self._places.get(key)
        if not places:
            return NO_ORDINALS, NO_WEIGHTS
        found = [(self._bases[number], self._tables[number].at(position)) for number, position in places]
        ordinals = np.concatenate([ordinals + np.uint32(base) for base, (ordinals, _) in found])
        return ordinals, np.concatenate([weights for _, (_, weights) in found])

    def ordinals(self, key: str) -> Ordinals:
        """Ordinals of the string, ascending."""
        return self.entry(key)[0]


class Stack:
    """The searchable parts of several segments as one; payloads and ids stay with the segments."""

    graph = None

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.segments = tuple(segments)
        self._sizes = [segment.chunk_count for segment in segments]
        self._bases = [sum(self._sizes[:position]) for position in range(len(self._sizes))]

    @property
    def chunk_count(self) -> int:
        """Chunks of all its segments, hidden ones included."""
        return sum(self._sizes)

    @property
    def document_count(self) -> int:
        """Documents of all its segments; one that several hold counts in each."""
        return sum(segment.document_count for segment in self.segments)

    @cached_property
    def vectors(self) -> VectorArrays:
        """The rows of all segments; sign bits only where there are too many to compare each."""
        parts = [segment.vectors for segment in self.segments]
        rows = Quantized(np.concatenate([p.codes for p in parts]), np.concatenate([p.scales for p in parts]))
        owners = np.concatenate(
            [part.owners + np.uint32(base) for base, part in zip(self._bases, parts, strict=True)]
        )
        blocks = [rows] if len(rows) > EXACT_ROWS else []
        mean = mean_row(blocks, rows.codes.shape[1])
        return VectorArrays(rows.codes, rows.scales, block_bits(blocks, mean), mean, owners)

    @cached_property
    def terms(self) -> StackedPostings:
        """Search terms -> chunks and frequencies in quarters."""
        return StackedPostings([segment.terms for segment in self.segments], self._sizes)

    @cached_property
    def lengths(self) -> NDArray[np.uint32]:
        """Weighted lengths of the chunks in quarters."""
        return np.concatenate([segment.lengths for segment in self.segments])

    @cached_property
    def filters(self) -> StackedPostings:
        """`filter_key` -> chunks."""
        return StackedPostings([segment.filters for segment in self.segments], self._sizes)

    @cached_property
    def symbols(self) -> StackedPostings:
        """Folded symbols -> chunks that define them."""
        return StackedPostings([segment.symbols for segment in self.segments], self._sizes)

    @cached_property
    def documents(self) -> StackedPostings:
        """Document ids -> their chunks."""
        return StackedPostings([segment.documents for segment in self.segments], self._sizes)

    @cached_property
    def document_numbers(self) -> NDArray[np.uint32]:
        """Number of each chunk's document."""
        parts, base = [], 0
        for segment in self.segments:
            parts.append(segment.document_numbers + np.uint32(base))
            base += segment.document_count
        return np.concatenate(parts)

    @cached_property
    def fingerprints(self) -> NDArray[np.uint64]:
        """Simhash of each chunk's terms."""
        return np.concatenate([segment.fingerprints for segment in self.segments])

    @cached_property
    def spelling(self) -> Spelling:
        """The words of all segments, for spelling."""
        parts = [segment.spelling for segment in self.segments]
        words = [word for part in parts for word in part.words]
        trigrams = StackedPostings(
            [segment.trigrams for segment in self.segments], [len(part.words) for part in parts]
        )
        return Spelling(
            trigrams,
            words,
            np.concatenate([part.lengths for part in parts]),
            np.concatenate([part.counts for part in parts]),
            np.concatenate([part.names for part in parts]),
        )
