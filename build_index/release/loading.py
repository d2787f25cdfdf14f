"""Loads builds into a search server, from the segments that a build left or a store holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from build_index.progress import say
from quire.embedding.quantization import Quantized, restore
from quire.errors import ConfigError
from quire.index.bm25 import STEPS
from quire.index.layout import Pointer
from quire.index.opened import OpenedIndex, built_segments, open_built
from quire.index.reader import Segment
from quire.index.vectors import rows_of
from quire.ports import LoadedChunk, SearchServer
from quire.ranking import bases
from quire.store.keys import server_index
from quire.store.pointers import BUILD
from quire.store.store import SegmentStore

Terms = list[list[tuple[str, int]]]


class SegmentsToLoad:
    """`quire.ports.BuildToLoad` over segments laid end to end."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = segments
        self._bases = bases([one.chunk_count for one in segments])
        self.chunks = sum(one.chunk_count for one in segments)
        self.dimensions = segments[0].manifest.dimensions

    def row_counts(self) -> NDArray[np.int64]:
        """See `quire.ports.BuildToLoad`."""
        counts = [np.bincount(one.vectors.owners, minlength=one.chunk_count) for one in self._segments]
        return np.concatenate(counts).astype(np.int64)

    def read(self, first: int, last: int) -> Iterator[LoadedChunk]:
        """See `quire.ports.BuildToLoad`; terms of all these chunks are held, 16 bytes for each and more."""
        for base, segment in zip(self._bases, self._segments, strict=True):
            begin, end = max(first - base, 0), min(last - base, segment.chunk_count)
            if begin < end:
                yield from _read(segment, base, begin, end)


def _read(segment: Segment, base: int, begin: int, end: int) -> Iterator[LoadedChunk]:
    ordinals = np.arange(begin, end, dtype=np.uint32)
    ids = segment.ids.by_ordinal()[begin:end].tolist()
    lines = segment.payloads.lines(ordinals)
    terms, arrays = _terms(segment, begin, end), segment.vectors
    for place, (number, line) in enumerate(zip(ids, lines, strict=True)):
        rows = rows_of(arrays.owners, ordinals[place : place + 1])
        vectors = restore(Quantized(arrays.codes[rows], arrays.scales[rows]))
        yield LoadedChunk(base + begin + place, f"{number:016x}", bytes(line), terms[place], vectors)


def _terms(segment: Segment, begin: int, end: int) -> Terms:
    """The terms of each chunk from `begin` to before `end`, with their weights, in ascending order."""
    table = segment.terms
    inside = np.flatnonzero((table.all_ordinals >= begin) & (table.all_ordinals < end))
    numbers = np.searchsorted(table.starts.astype(np.intp), inside, side="right") - 1
    found: Terms = [[] for _ in range(end - begin)]
    strings = {number: table.strings[number] for number in dict.fromkeys(numbers.tolist())}
    owners = (table.all_ordinals[inside] - np.uint32(begin)).tolist()
    for owner, number, weight in zip(
        owners, numbers.tolist(), table.all_weights[inside].tolist(), strict=True
    ):
        found[owner].append((strings[number], max(round(weight / STEPS), 1)))
    return found


def load_folder(server: SearchServer, name: str, folder: Path) -> None:
    """Have the server hold what a build left in a folder.

    Raises:
        StoreUnavailable: the server is away.
        StoreError: it refuses a chunk.
    """
    segments = built_segments(folder)
    load_segments(server, _index_of(name, segments), segments)


def open_loaded(server: SearchServer, name: str, folder: Path) -> OpenedIndex:
    """Open what a build left in a folder as the server searches it, once that holds it; raises as above."""
    load_folder(server, name, folder)
    return open_built(folder, server=server, index=_index_of(name, built_segments(folder)))


def _index_of(name: str, segments: Sequence[Segment]) -> str:
    return server_index(name, [one.manifest.digest for one in segments])


def load_version(server: SearchServer, store: SegmentStore, pointer: Pointer) -> None:
    """Have the server hold the builds of a version, which the store holds; raises as above."""
    builds = [ref for ref in pointer.segments if ref.origin == BUILD]
    index = server_index(pointer.collection, [ref.digest for ref in builds])
    if not server.is_loaded(index):
        load_segments(server, index, [store.segment(pointer.collection, ref) for ref in builds])


def load_segments(server: SearchServer, index: str, segments: Sequence[Segment]) -> None:
    """Load the segments into an index, unless it holds them already."""
    if server.is_loaded(index):
        return
    build = SegmentsToLoad(segments)
    say(f"{server.name}: loading {build.chunks:,} chunks into {index}")
    server.load(index, build)


def server_named(store: SegmentStore, name: str) -> SearchServer:
    """The store's server, if it is of that kind.

    Raises:
        ConfigError: it is not; the message names the setting.
    """
    if store.server is None or store.server.name != name:
        raise ConfigError(f"options.engine: wanted the address of {name} in QUIRE_{name.upper()}_URL")
    return store.server
