"""Small segments laid end to end in memory, so that 200 of them answer as fast as a few."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from quire.embedding.quantization import Quantized, block_bits, mean_row
from quire.index.postings import NO_ORDINALS, NO_WEIGHTS, Postings
from quire.index.reader import Segment, open_spelling
from quire.index.vectors import EXACT_ROWS, VectorArrays
from quire.index.vocabulary import Spelling
from quire.ranking import bases, joined

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from quire.ports import Ordinals


class StackedPostings:
    """Several `Postings` whose ordinals follow one another, merged and looked up through one dictionary."""

    def __init__(self, tables: Sequence[Postings], sizes: Sequence[int]) -> None:
        ids: defaultdict[str, int] = defaultdict()
        ids.default_factory = ids.__len__
        keys, ordinals, weights, base = [], [], [], 0
        for table, size in zip(tables, sizes, strict=True):
            places = np.fromiter(map(ids.__getitem__, table.keys()), np.intp, len(table.strings))
            starts = table.starts.astype(np.intp)
            keys.append(np.repeat(places, starts[1:] - starts[:-1]))
            ordinals.append(table.all_ordinals + np.uint32(base))
            weights.append(table.all_weights)
            base += size
        every = np.concatenate(keys)
        order = np.argsort(every, kind="stable")  # keeps the ordinals of a key ascending
        self._ids = dict(ids)
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(every, minlength=len(ids)))]).tolist()
        self._ordinals = np.concatenate(ordinals)[order]
        self._weights = np.concatenate(weights)
        if len(self._weights):
            self._weights = self._weights[order]

    def entry(self, key: str) -> tuple[Ordinals, NDArray[np.uint8]]:
        """Ordinals and weights of the string over all tables."""
        place = self._ids.get(key)
        if place is None:
            return NO_ORDINALS, NO_WEIGHTS
        span = slice(self._starts[place], self._starts[place + 1])
        return self._ordinals[span], self._weights[span]

    def with_prefix(self, prefix: str) -> Iterator[str]:
        """The strings that begin with it, each once."""
        return (key for key in self._ids if key.startswith(prefix))

    def ordinals(self, key: str) -> Ordinals:
        """Ordinals of the string, ascending."""
        return self.entry(key)[0]


def number_documents(parts: Sequence[Segment | Stack]) -> NDArray[np.uint32]:
    """Number of each chunk's document, counted over all parts."""
    offsets = np.array(bases([part.document_count for part in parts]), np.uint32)
    pairs = zip(parts, offsets, strict=True)
    return joined([part.document_numbers + base if base else part.document_numbers for part, base in pairs])


class Stack:
    """The searchable parts of several segments as one; payloads and ids stay with the segments."""

    graph: Path | None = None

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.segments = tuple(segments)
        self._sizes = [segment.chunk_count for segment in segments]
        self._bases = bases(self._sizes)

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
        bits = block_bits(blocks, mean)
        return VectorArrays(codes=rows.codes, scales=rows.scales, bits=bits, mean=mean, owners=owners)

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
        return number_documents(self.segments)

    def document_id(self, number: int) -> str:
        """Id of the document of that number."""
        for segment in self.segments:
            if number < segment.document_count:
                return segment.document_id(number)
            number -= segment.document_count
        raise IndexError(f"document number {number}: out of range")

    @cached_property
    def fingerprints(self) -> NDArray[np.uint64]:
        """Simhash of each chunk's terms."""
        return np.concatenate([segment.fingerprints for segment in self.segments])

    @cached_property
    def spelling(self) -> Spelling:
        """The words of all segments, for spelling, each once."""
        # Few questions mend a word over live segments: the others do not pay for importing the writer.
        from quire.index.writer.spelling import spelling_arrays

        counts: Counter[str] = Counter()
        names: set[str] = set()
        for part in (segment.spelling for segment in self.segments):
            words = list(part.words)
            counts.update(dict(zip(words, part.counts.tolist(), strict=True)))
            names.update(word for word, is_name in zip(words, part.names.tolist(), strict=True) if is_name)
        return open_spelling(spelling_arrays(counts, names))
