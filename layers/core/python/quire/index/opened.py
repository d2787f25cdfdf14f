"""A version's segments end to end as one index, without what tombstones hide.

Ordinals count chunks in the pointer's order. Small segments are stacked in memory first.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from quire.documents import Chunk
from quire.errors import REBUILT, ArtifactCorrupt, ArtifactMismatch
from quire.index.lines import read_line
from quire.index.parts import Part, group, hidden_ordinals, open_keywords, open_vectors
from quire.index.reader import Segment, manifest_in, open_segment
from quire.index.served import BuildOnServer, JoinedKeywords, joined_rankings
from quire.index.stack import Stack
from quire.index.tables import DocumentTable, FilterTable, LiveParts, SymbolTable, WordTable
from quire.index.vocabulary import nearest_words
from quire.profiles import PROFILES, profile_named
from quire.ranking import NONE, Ranking, bases, joined

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from quire.index.keywords import KeywordSearch
    from quire.index.layout import BuildFacts, Manifest, SourceFacts
    from quire.ports import Ordinals, SearchServer, ServedChunks, VectorIndex, Vectors

HIERARCHY = "hierarchy"
"""In `extra`: class -> superclass."""
OWN = "quire"
"""What the engine is called that reads segments itself."""


class _SearchedPart(NamedTuple):
    """What finds the nearest of the `size` chunks from ordinal `base` on."""

    base: int
    size: int
    vectors: VectorIndex

    def local(self, ordinals: Ordinals) -> Ordinals:
        """Those of the ascending ordinals that are its own, counted within it."""
        first, last = np.searchsorted(ordinals, np.array([self.base, self.base + self.size], np.uint32))
        return ordinals[first:last] - np.uint32(self.base)


class OpenedIndex:
    """`VectorIndex`, `KeywordIndex` and `PayloadStore` over the segments of one version.

    Args:
        segments: each with its sequence number, in the pointer's order.
        version: what hits are labelled with.
        tombstones: document id -> sequence; hides the document in segments of a lower sequence.
        stacker: makes a stack of small segments; a store passes one that remembers.
        profile: the collection's, where there is no segment to say it: its last document may have been deleted.
        build: what holds for a build of several segments.
        on_server: who searches the first segments, where they do not do so themselves.
        name: the collection's.

    Raises:
        ArtifactMismatch: it is of a profile that this program does not have: it began before somebody added it.

    Attributes:
        name: the collection's.
        engine: what searches the builds, `quire` or the server's name.
        segments: as they were opened, in the pointer's order.
        manifests: theirs.
        profile: the collection's.
        chunk_count: how many chunks can be found.
        sources: where its chunks came from, each once.
        is_api: whether it knows the classes of an API, so that a symbol it does not have does not exist.
        filters, symbols, documents: the tables of its chunks.
        words: those of its text, in the order of their letters.
    """

    def __init__(
        self,
        segments: Sequence[tuple[Segment, int]],
        *,
        version: str = "",
        tombstones: Mapping[str, int] | None = None,
        stacker: Callable[[Sequence[Segment]], Stack] = Stack,
        profile: str = "",
        build: BuildFacts | None = None,
        on_server: BuildOnServer | None = None,
        name: str = "",
    ) -> None:
        self.version = version
        self.name = name
        self.engine = on_server.server.name if on_server else OWN
        self._on_server = on_server
        self.segments = [segment for segment, _ in segments]
        self.manifests = tuple(segment.manifest for segment in self.segments)
        self.profile = self.manifests[0].profile if self.manifests else profile
        if self.profile and self.profile not in PROFILES:
            raise ArtifactMismatch(
                f"version {version}: its profile {self.profile!r} is none of {', '.join(sorted(PROFILES))}, which this"
                " program knows: start it anew with the code that built the index"
            )
        counts = [segment.chunk_count for segment in self.segments]
        self._bases = bases(counts)
        self._served_count = served = on_server.segments if on_server else 0
        self._served_size = sum(counts[:served])
        # What a server searches is one part a segment: from part `served` on everything is searched here.
        groups = [*([one] for one in self.segments[:served]), *group(self.segments[served:])]
        parts: list[Part] = [group[0] if len(group) == 1 else stacker(group) for group in groups]
        # By chunk, because a stack holds several segments, each written at another time.
        sequences = np.repeat(np.array([sequence for _, sequence in segments], np.int64), counts)
        hidden = [
            hidden_ordinals(part, sequences[base : base + part.chunk_count], tombstones or {})
            for part, base in zip(parts, bases([part.chunk_count for part in parts]), strict=True)
        ]
        self._live = live = LiveParts(parts, hidden)
        self.chunk_count = sum(counts) - sum(map(len, hidden))
        held = [manifest.filters for manifest in self.manifests]
        fields = dict.fromkeys(chain(*(held or [profile_named(profile).filters if profile else ()])))
        self.filters = FilterTable(live, tuple(fields))
        self.words = WordTable(live)
        self.sources = sources_of(self.manifests, build)
        self._build = build
        said = [*([build.extra] if build else []), *(manifest.extra for manifest in self.manifests)]
        extras = [extra for extra in said if HIERARCHY in extra]
        self.is_api = bool(extras)
        self.symbols = SymbolTable(live, [extra[HIERARCHY] for extra in extras])
        self.documents = DocumentTable(live)

    def nearest(self, vector: Vectors, limit: int, allowed: Ordinals | None = None) -> Ranking:
        """See `quire.ports.VectorIndex`.

        Raises:
            ArtifactCorrupt: a damaged file names a chunk that there is not.
        """
        rankings: list[Ranking] = []
        for side in self._sides:
            found = side.vectors.nearest(vector, limit, None if allowed is None else self._own(side, allowed))
            if len(found) and int(found.ordinals.max()) >= side.size:
                raise ArtifactCorrupt(
                    f"version {self.version}: its vectors are damaged: they name chunk {found.ordinals.max()}"
                    f" of {side.size}; {REBUILT}"
                )
            rankings.append(
                Ranking(found.ordinals + np.uint32(side.base), found.scores) if side.base else found
            )
        return joined_rankings(rankings, limit)

    def cosines(self, vector: Vectors, ordinals: Ordinals) -> NDArray[np.float32]:
        """See `quire.ports.VectorIndex`."""
        found = [side.vectors.cosines(vector, self._own(side, ordinals)) for side in self._sides]
        return found[0] if len(found) == 1 else np.concatenate([np.empty(0, np.float32), *found])

    def _own(self, side: _SearchedPart, ordinals: Ordinals) -> Ordinals:
        return ordinals if len(self._sides) == 1 else side.local(ordinals)

    def search(self, terms: Mapping[str, float], limit: int, allowed: Ordinals | None = None) -> Ranking:
        """See `quire.ports.KeywordIndex`; statistics are those of all live chunks of all segments.

        Raises:
            ArtifactCorrupt: a damaged file names a chunk that there is not; what is mapped in place is not digested.
        """
        try:
            return self.keywords.search(terms, limit, allowed)
        except (IndexError, ValueError) as error:  # of a number, or of lengths that do not agree
            raise ArtifactCorrupt(
                f"version {self.version}: its keywords or columns are damaged: {error}; {REBUILT}"
            ) from error

    @cached_property
    def keywords(self) -> KeywordSearch | JoinedKeywords:
        """The keyword index; where a segment's cannot be read, one in which terms find nothing."""
        first = self._served_count
        own = open_keywords(self._live.parts[first:], self._live.hidden[first:])
        if self._served is None:
            return own
        live = self._served_size - sum(map(len, self._live.hidden[:first]))
        return JoinedKeywords(self._served, self._served_size, live, own)

    def fetch(self, ordinals: Sequence[int] | Ordinals) -> list[Chunk]:
        """See `quire.ports.PayloadStore`."""
        places = [self._place(int(ordinal)) for ordinal in ordinals]
        served = self._fetch_served([int(one) for one in ordinals if one < self._served_size])
        # All shards that follow are asked for at once, before the first chunk is read.
        first = self._served_count
        for number, segment in enumerate(self.segments[first:], first):
            if segment.bring:
                segment.payloads.prepare(local for held, local in places if held == number)
        return [
            next(served) if number < first else self.segments[number].payloads.fetch([local])[0]
            for number, local in places
        ]

    def _fetch_served(self, ordinals: Sequence[int]) -> Iterator[Chunk]:
        return map(read_line, self._served.lines(ordinals)) if self._served and ordinals else iter(())

    def expect(self, terms: Iterable[str]) -> None:
        """Say of which terms `document_frequency` will be asked; a server is asked once for all of them."""
        if self._served is not None:
            self._served.expect(terms)

    def _place(self, ordinal: int) -> tuple[int, int]:
        """Number of the chunk's segment, and its ordinal there."""
        number = bisect_right(self._bases, ordinal) - 1
        if number < 0 or ordinal >= self._bases[number] + self.segments[number].chunk_count:
            raise IndexError(f"chunk ordinal {ordinal}: out of range")
        return number, ordinal - self._bases[number]

    def fingerprints(self, ordinals: Ordinals) -> NDArray[np.uint64]:
        """Simhash of each chunk's terms, see `quire.index.writer.keywords`."""
        return self._fingerprints[ordinals]

    def find(self, chunk_id: str) -> int | None:
        """Ordinal of the live chunk of that id."""
        for base, segment in zip(self._bases, self.segments, strict=True):
            local = segment.ids.find(chunk_id)
            if local is not None and self._live.is_live(base + local):
                return base + local
        return None

    def document_frequency(self, term: str) -> int:
        """Live chunks that hold the search term; 1 where the keyword index cannot be read, for nobody knows."""
        return self.keywords.frequency(term) if self.keywords.is_readable else 1

    def has_symbol(self, name: str) -> bool:
        """Whether a live chunk defines the symbol, compared by `fold_symbol`."""
        return self.symbols.has(name)

    def near(self, word: str, limit: int) -> list[str]:
        """Known words that share most trigrams with the lower-case `word`, likeliest first.

        Raises:
            ArtifactCorrupt: a damaged file names a word that there is not.
        """
        try:
            return nearest_words((part.spelling for part in self._live.parts), word, limit)
        except IndexError as error:
            raise ArtifactCorrupt(
                f"version {self.version}: its spelling is damaged: {error}; {REBUILT}"
            ) from error

    @cached_property
    def calibration(self) -> Mapping[str, Any]:
        """How scores become probabilities: as the build of several segments fitted it, else that of the largest one."""
        if self._build:
            return self._build.calibration
        largest = max(self.manifests, key=lambda manifest: manifest.counts.chunks, default=None)
        return largest.calibration if largest else {}

    @cached_property
    def _served(self) -> ServedChunks | None:
        """The chunks that the server holds."""
        if self._on_server is None:
            return None
        server, name, count = self._on_server
        pairs = zip(self._live.bases[:count], self._live.hidden[:count], strict=True)
        hidden = np.concatenate([NONE, *(one + np.uint32(base) for base, one in pairs)])
        vectors = sum(one.counts.vectors for one in self.manifests[:count])
        return server.open(name, chunks=self._served_size, vectors=vectors, hidden=hidden)

    @cached_property
    def _sides(self) -> list[_SearchedPart]:
        sides = [] if self._served is None else [_SearchedPart(0, self._served_size, self._served)]
        first, live = self._served_count, self._live
        return sides + [
            _SearchedPart(base, part.chunk_count, open_vectors(part, hidden))
            for base, part, hidden in zip(
                live.bases[first:], live.parts[first:], live.hidden[first:], strict=True
            )
        ]

    @cached_property
    def _fingerprints(self) -> NDArray[np.uint64]:
        return joined([part.fingerprints for part in self._live.parts])


def open_built(folder: Path, *, server: SearchServer | None = None, index: str = "") -> OpenedIndex:
    """What a build left in a folder: a segment, or several beside a manifest of them all.

    Where a `server` is given it searches them, in its `index` of that name.

    Raises:
        ArtifactCorrupt: a file is missing or has another size.
        ArtifactMismatch: the format is another than this program reads.
    """
    segments = built_segments(folder)
    build = manifest_in(folder).facts if manifest_in(folder).parts else None
    on_server = BuildOnServer(server, index, len(segments)) if server else None
    return OpenedIndex([(one, 1) for one in segments], build=build, on_server=on_server)


def built_segments(folder: Path) -> list[Segment]:
    """The segments that a build left in a folder; raises as above."""
    parts = manifest_in(folder).parts
    return [open_segment(folder / part) for part in parts] if parts else [open_segment(folder)]


def sources_of(manifests: Iterable[Manifest], build: BuildFacts | None) -> tuple[SourceFacts, ...]:
    """Where the chunks of some segments came from, each source once; `build` tells it of a build of several."""
    told = chain(build.sources if build else (), *(manifest.sources for manifest in manifests))
    return tuple(dict.fromkeys(told))


def vector_share(manifests: Sequence[Manifest]) -> float:
    """Share of the chunks whose vectors are there, 0 to 1: less while a build embeds what it has published."""
    if all(one.is_whole for one in manifests):
        return 1.0
    return sum(one.embedded for one in manifests) / max(sum(one.counts.chunks for one in manifests), 1)
