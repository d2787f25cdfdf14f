"""A version whose builds a search server holds: their vectors, keywords and stored lines are asked of it.

The tables of filters, symbols, documents, ids and words stay in the segments' files, so that filters and names are
looked up as ever; what was written live is searched here, beside the server.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from quire.index import bm25
from quire.index.layout import CELLS, GRAPH, KEYWORDS, PAYLOADS, VECTORS, Manifest
from quire.ranking import Ranking, rank

if TYPE_CHECKING:
    from quire.index.keywords import KeywordSearch
    from quire.ports import Ordinals, SearchServer, ServedChunks


class BuildOnServer(NamedTuple):
    """Where a version's builds are searched.

    Attributes:
        server: who holds them.
        name: of the index that it holds them in.
        segments: how many of the version's first segments they are.
    """

    server: SearchServer
    name: str
    segments: int


def held_by_server(manifest: Manifest) -> set[str]:
    """The files of a segment that nobody reads where a server holds its chunks."""
    files = (VECTORS, KEYWORDS, GRAPH, CELLS)
    return {name for name in manifest.files if name in files or name.startswith(f"{PAYLOADS}/")}


class JoinedKeywords:
    """`KeywordIndex` over the chunks of a server, and behind them what was written live.

    Terms are weighed by how many chunks of both sides hold them, lengths by each side's own average.

    Attributes:
        is_readable: always; a server that is away is an error of the search.
    """

    is_readable = True

    def __init__(self, served: ServedChunks, size: int, chunks: int, written: KeywordSearch) -> None:
        self._served = served
        self._size = np.uint32(size)
        self._written = written
        self._served_chunks = chunks
        self.chunks = chunks + written.chunks

    def expect(self, terms: Iterable[str]) -> None:
        """See `quire.ports.ServedChunks`."""
        self._served.expect(terms)

    def search(self, terms: Mapping[str, float], limit: int, allowed: Ordinals | None = None) -> Ranking:
        """See `quire.ports.KeywordIndex`."""
        first, rest = (None, None) if allowed is None else split(allowed, int(self._size))
        if not self._written.chunks:
            return self._served.search(terms, limit, first)
        self.expect(terms)
        served = self._served.search(
            self._weighed(terms, self._served.frequency, self._served_chunks), limit, first
        )
        own = self._weighed(terms, self._written.frequency, self._written.chunks)
        written = self._written.search(own, limit, rest)
        return joined_rankings([served, Ranking(written.ordinals + self._size, written.scores)], limit)

    def _weighed(
        self, terms: Mapping[str, float], frequency: Callable[[str], int], chunks: int
    ) -> dict[str, float]:
        """The terms with weights that make a side's idf that of both."""
        return {
            term: weight * self._idf(term) / bm25.idf(chunks, min(held, chunks))
            for term, weight in terms.items()
            if (held := frequency(term))
        }

    def _idf(self, term: str) -> float:
        return bm25.idf(self.chunks, min(self.frequency(term), self.chunks))

    def frequency(self, term: str) -> int:
        """See `quire.ports.KeywordIndex`."""
        return self._served.frequency(term) + self._written.frequency(term)

    def together(self, terms: Collection[str], least: int) -> int:
        """Chunks of those written live that hold at least so many of the terms; the server is not asked."""
        return self._written.together(terms, least)

    def ideal(self, terms: Mapping[str, float]) -> float:
        """See `quire.ports.KeywordIndex`."""
        self.expect(terms)
        gains = (weight * self._idf(term) for term, weight in terms.items())
        return (bm25.K1 + 1) * sum(gains)


def split(ordinals: Ordinals, size: int) -> tuple[Ordinals, Ordinals]:
    """Those of the ascending ordinals that are below `size`, and the others counted from there."""
    place = int(np.searchsorted(ordinals, size))
    return ordinals[:place], ordinals[place:] - np.uint32(size)


def joined_rankings(rankings: Sequence[Ranking], limit: int) -> Ranking:
    """Rankings of different chunks as one, by their scores."""
    if len(rankings) == 1:
        return rankings[0]
    ordinals = [one.ordinals for one in rankings] or [np.empty(0, np.uint32)]
    scores = [one.scores for one in rankings] or [np.empty(0, np.float32)]
    return rank(np.concatenate(ordinals), np.concatenate(scores), limit)
