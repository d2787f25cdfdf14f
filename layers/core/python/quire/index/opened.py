"""A version's segments end to end as one index, without what tombstones hide.

Ordinals count chunks in the pointer's order. Small segments are stacked in memory first.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.analysis.inheritance import ancestry, resolve
from quire.analysis.symbols import fold_symbol
from quire.documents import Chunk
from quire.errors import InputError
from quire.filter_values import filter_key
from quire.index.file_names import FileNames
from quire.index.layout import Manifest
from quire.index.parts import (
    Keywords,
    Part,
    bases,
    filtered,
    group,
    hidden_ordinals,
    joined,
    number_documents,
    open_keywords,
    open_vectors,
)
from quire.index.reader import Segment
from quire.index.stack import Stack
from quire.index.vocabulary import nearest_words
from quire.ordinals import NONE, difference
from quire.ranking import Ranking, rank

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quire.ports import Ordinals, VectorIndex, Vectors


class OpenedIndex:
    """`VectorIndex`, `KeywordIndex` and `PayloadStore` over the segments of one version.

    Args:
        segments: each with its sequence number, in the pointer's order.
        version: what hits are labelled with.
        tombstones: document id -> sequence; hides the document in segments of a lower sequence.
        stacker: makes a stack of small segments; a store passes one that remembers.

    Attributes:
        segments: as they were opened, in the pointer's order.
    """

    def __init__(
        self,
        segments: Sequence[tuple[Segment, int]],
        *,
        version: str = "",
        tombstones: Mapping[str, int] | None = None,
        stacker: Callable[[Sequence[Segment]], Stack] = Stack,
    ) -> None:
        self.version = version
        self._priors: dict[tuple[tuple[str, Any, float], ...], NDArray[np.float32]] = {}
        self.segments = [segment for segment, _ in segments]
        counts = [segment.chunk_count for segment in self.segments]
        self._bases = bases(counts)
        groups = group(self.segments)
        self._parts: list[Part] = [group[0] if len(group) == 1 else stacker(group) for group in groups]
        self._part_bases = bases([part.chunk_count for part in self._parts])
        sequences = np.repeat(np.array([sequence for _, sequence in segments], np.int64), counts)
        self._hidden = [
            hidden_ordinals(part, sequences[base : base + part.chunk_count], tombstones or {})
            for part, base in zip(self._parts, self._part_bases, strict=True)
        ]

    @property
    def manifests(self) -> tuple[Manifest, ...]:
        """The segments' manifests, in order."""
        return tuple(segment.manifest for segment in self.segments)

    @property
    def profile(self) -> str:
        """The collection's profile; "" where there is no segment."""
        return self.segments[0].manifest.profile if self.segments else ""

    @cached_property
    def chunk_count(self) -> int:
        """Chunks that can be found."""
        return sum(part.chunk_count for part in self._parts) - sum(len(hidden) for hidden in self._hidden)

    def nearest(self, vector: Vectors, limit: int, allowed: Ordinals | None = None) -> Ranking:
        """See `quire.ports.VectorIndex`."""
        rankings = [
            index.nearest(vector, limit, None if allowed is None else self._local(allowed, number))
            for number, index in enumerate(self._vectors)
        ]
        if len(rankings) == 1:
            return rankings[0]
        ordinals = [r.ordinals + np.uint32(b) for r, b in zip(rankings, self._part_bases, strict=True)]
        scores = [ranking.scores for ranking in rankings] or [np.empty(0, np.float32)]
        return rank(np.concatenate(ordinals or [NONE]), np.concatenate(scores), limit)

    def cosines(self, vector: Vectors, ordinals: Ordinals) -> NDArray[np.float32]:
        """See `quire.ports.VectorIndex`."""
        found = [index.cosines(vector, self._local(ordinals, n)) for n, index in enumerate(self._vectors)]
        return found[0] if len(found) == 1 else np.concatenate([np.empty(0, np.float32), *found])

    def search(self, terms: Mapping[str, float], limit: int, allowed: Ordinals | None = None) -> Ranking:
        """See `quire.ports.KeywordIndex`; statistics are those of all live chunks of all segments."""
        return self._keywords.search(terms, limit, allowed)

    @property
    def has_keywords(self) -> bool:
        """Whether the keyword index can be read. Where it cannot, terms find nothing and each counts as known."""
        return bool(self._keywords.parts) or not self._parts

    def fetch(self, ordinals: Sequence[int] | Ordinals) -> list[Chunk]:
        """See `quire.ports.PayloadStore`."""
        return [chunk for ordinal in ordinals for chunk in self._fetch(int(ordinal))]

    def _fetch(self, ordinal: int) -> list[Chunk]:
        number = bisect_right(self._bases, ordinal) - 1
        if number < 0 or ordinal >= self._bases[number] + self.segments[number].chunk_count:
            raise IndexError(f"chunk ordinal {ordinal}: out of range")
        return self.segments[number].payloads.fetch([ordinal - self._bases[number]])

    def allowed(self, filters: Mapping[str, Any]) -> Ordinals | None:
        """Live chunks that fulfil every filter, ascending; None where there is no filter.

        A list means any of its values. A value that no chunk has gives an empty array.

        Raises:
            InputError: a field is unknown; the message lists the known.
        """
        if not filters:
            return None
        for place in (f"filters.{name}" for name in filters if name not in self.filter_fields):
            known = ", ".join(self.filter_fields)
            raise InputError(f"{place}: unknown field, wanted one of {known}", field=place)
        return self._everywhere(lambda part: filtered(part, filters))

    def has_value(self, field: str, value: object) -> bool:
        """Whether any chunk has that value of the field; one that only a hidden chunk has counts too."""
        return any(len(part.filters.ordinals(filter_key(field, value))) for part in self._parts)

    def values(self, field: str) -> Iterator[str]:
        """Every value of the field as filters spell it; one that several segments have may come again."""
        prefix = filter_key(field, "")
        for part in self._parts:
            yield from (key[len(prefix) :] for key in part.filters.with_prefix(prefix))

    def priors(self, demotions: tuple[tuple[str, Any, float], ...]) -> NDArray[np.float32]:
        """What each chunk's score is multiplied by, shape (chunks,): the product of the demotions that apply to it.

        Each is `(field, value, factor)`; a field that cannot be filtered by demotes nothing. Computed once.
        """
        if demotions not in self._priors:
            factors = np.ones(sum(part.chunk_count for part in self._parts), np.float32)
            for name, value, factor in demotions:
                if name in self.filter_fields:
                    factors[self.allowed({name: value})] *= np.float32(factor)
            self._priors[demotions] = factors
        return self._priors[demotions]

    @cached_property
    def filter_fields(self) -> tuple[str, ...]:
        """Metadata fields that can be filtered by."""
        return tuple(dict.fromkeys(name for manifest in self.manifests for name in manifest.filters))

    def has_symbol(self, name: str) -> bool:
        """Whether a live chunk defines the symbol, compared by `fold_symbol`."""
        return len(self.symbol(name)) > 0

    def symbol(self, name: str) -> Ordinals:
        """Live chunks that define the symbol, ascending."""
        folded = fold_symbol(name)
        return self._everywhere(lambda part: part.symbols.ordinals(folded))

    def resolve(self, name: str) -> str | None:
        """The symbol as its declaring class spells it, through the `hierarchy` of the manifests' `extra`."""
        return resolve(name, self._hierarchy, self.has_symbol)

    def ancestry(self, name: str) -> tuple[str, ...]:
        """The class itself, then its superclasses, nearest first; the class alone where no hierarchy is known."""
        return tuple(ancestry(name, self._hierarchy))

    @cached_property
    def _hierarchy(self) -> dict[str, str]:
        return {k: v for manifest in self.manifests for k, v in manifest.extra.get("hierarchy", {}).items()}

    def document_chunks(self, document_id: str) -> Ordinals:
        """Live chunks of the document, in its order."""
        return self._everywhere(lambda part: part.documents.ordinals(document_id))

    def documents(self, ordinals: Ordinals) -> NDArray[np.uint32]:
        """Number of each chunk's document: equal for chunks of one document, and for no others."""
        return self._document_numbers[ordinals]

    def document_id(self, number: int) -> str:
        """Id of the document of that number, see `documents`."""
        offsets = bases([part.document_count for part in self._parts])
        place = bisect_right(offsets, number) - 1
        return self._parts[place].document_id(number - offsets[place])

    @cached_property
    def file_names(self) -> FileNames:
        """The documents' names as paths."""
        return FileNames(sum(part.document_count for part in self._parts), self.document_id)

    def fingerprints(self, ordinals: Ordinals) -> NDArray[np.uint64]:
        """Simhash of each chunk's terms, see `quire.index.fingerprints`."""
        return self._fingerprints[ordinals]

    def find(self, chunk_id: str) -> int | None:
        """Ordinal of the live chunk of that id."""
        for base, segment in zip(self._bases, self.segments, strict=True):
            local = segment.find(chunk_id)
            if local is None:
                continue
            number = bisect_right(self._part_bases, base + local) - 1
            within = np.array([base + local - self._part_bases[number]], np.uint32)
            if len(difference(within, self._hidden[number])):
                return base + local
        return None

    def document_frequency(self, term: str) -> int:
        """Live chunks that hold the search term."""
        return self._keywords.frequency(term) if self.has_keywords else 1

    def ideal(self, terms: Mapping[str, float]) -> float:
        """The score that a chunk holding every term without end would near: what BM25 scores are a share of."""
        return self._keywords.ideal(terms)

    @cached_property
    def calibration(self) -> Mapping[str, Any]:
        """How scores become probabilities, as the largest segment's build fitted it."""
        largest = max(self.manifests, key=lambda manifest: manifest.counts.chunks, default=None)
        return largest.calibration if largest else {}

    def near(self, word: str, limit: int) -> list[str]:
        """Known words that share most trigrams with the lower-case `word`, likeliest first."""
        return nearest_words((part.spelling for part in self._parts), word, limit)

    @cached_property
    def _vectors(self) -> list[VectorIndex]:
        return [open_vectors(part, hidden) for part, hidden in zip(self._parts, self._hidden, strict=True)]

    @cached_property
    def _keywords(self) -> Keywords:
        return open_keywords(self._parts, self._hidden)

    @cached_property
    def _document_numbers(self) -> NDArray[np.uint32]:
        return number_documents(self._parts)

    @cached_property
    def _fingerprints(self) -> NDArray[np.uint64]:
        return joined([part.fingerprints for part in self._parts])

    def _everywhere(self, look_up: Callable[[Part], Ordinals]) -> Ordinals:
        looks = zip(self._parts, self._hidden, self._part_bases, strict=True)
        parts = [difference(look_up(part), hidden) + np.uint32(base) for part, hidden, base in looks]
        return parts[0] if len(parts) == 1 else np.concatenate([NONE, *parts])

    def _local(self, ordinals: Ordinals, number: int) -> Ordinals:
        if len(self._parts) == 1:
            return ordinals
        base = self._part_bases[number]
        bounds = np.array([base, base + self._parts[number].chunk_count], np.uint32)
        first, last = np.searchsorted(ordinals, bounds)
        return ordinals[first:last] - np.uint32(base)
