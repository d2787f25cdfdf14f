"""Counts what a segment holds, as a whole and by source."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from quire.index.layout import Counts
from quire.index.writer.postings import PostingsBuilder
from quire.index.writer.spill import Spill


class Tally:
    """Counts rows as they come by; holds 4 bytes a row, and what the spill lets it hold of symbols."""

    def __init__(self, spill: Spill) -> None:
        self._places: dict[str, int] = {}
        self._sums: list[tuple[int, int, int]] = []
        self._sources = array("I")
        self._symbols = PostingsBuilder(spill)

    def add(self, source: str, symbols: Iterable[str], *, characters: int, vectors: int) -> None:
        """Count the next row."""
        place = self._places.setdefault(source, len(self._places))
        if place == len(self._sums):
            self._sums.append((0, 0, 0))
        chunks, before, length = self._sums[place]
        self._sums[place] = (chunks + 1, before + vectors, length + characters)
        self._sources.append(place)
        self._symbols.add_row(symbols)  # one that comes twice is counted once at the end
        if self._symbols.is_full:
            self._symbols.flush()

    def counts(
        self, order: NDArray[np.intp], documents: NDArray[np.uint32]
    ) -> tuple[Counts, dict[str, Counts]]:
        """Of the whole, and by source.

        Args:
            order: numbers of the rows in the order of their ordinals.
            documents: number of each chunk's document, ascending.
        """
        sources = np.array(self._sources, np.int64)
        by_document = self._shares(documents, sources[order])
        by_symbol = np.zeros(len(self._sums), np.int64)
        symbols = 0
        for part in self._symbols.incidences():
            by_symbol += self._shares(part.strings, sources[part.rows])
            symbols += part.size
        chunks, vectors, characters = (sum(one[n] for one in self._sums) for n in range(3))
        whole = Counts(int(documents[-1]) + 1 if len(documents) else 0, chunks, vectors, characters, symbols)
        shares = zip(self._sums, by_document.tolist(), by_symbol.tolist(), strict=True)
        counts = [Counts(held, *sums, defined) for sums, held, defined in shares]
        return whole, dict(sorted(zip(self._places, counts, strict=True)))

    def _shares(self, things: NDArray[np.integer], sources: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many different things each source has, of pairs of a thing and a source."""
        size = max(len(self._sums), 1)
        pairs = np.unique(things.astype(np.int64) * size + sources)
        return np.bincount(pairs % size, minlength=len(self._sums))
