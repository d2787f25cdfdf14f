"""Merges the many small segments of live writes into few, while the collection serves and is written to.

Segments of a like size are merged once there are `SEGMENTS_A_TIER` of them, so that a chunk is copied once for each
power of `TIER_BASE` and a collection of n chunks has some 16 log8(n) segments. What is replaced is noted under
`retired/` and swept away when no request can be reading it any more.
"""

from __future__ import annotations

import logging
import math
import secrets
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from quire.errors import ArtifactCorrupt, SwapConflict, UnknownCollection
from quire.index.layout import Manifest, Pointer, SegmentRef, SourceFacts
from quire.index.reader import Segment
from quire.index.writer import KeptRows, SegmentFacts, write_segment
from quire.ports import ObjectStore, Ordinals
from quire.ranking import difference, union
from quire.store import pointers as states
from quire.store.retired import retire, sweep
from quire.store.store import SegmentStore
from quire.store.write_targets import WriteTarget

SEGMENTS_A_TIER = 16
TIER_BASE = 8
_LOG = logging.getLogger(__name__)


class SegmentMerger:
    """Merges and sweeps the collections of one store. Several processes may do so at once: one of them wins.

    Args:
        store, objects: the collections, and the objects that they lie in.
        work: folder for segments on their way.
        clock: seconds since the epoch.
    """

    def __init__(
        self, store: SegmentStore, objects: ObjectStore, work: Path, *, clock: Callable[[], float] = time.time
    ) -> None:
        self._store = store
        self._objects = objects
        self._work = work
        self._clock = clock

    def merge(self, place: WriteTarget, *, everything: bool = False) -> Pointer | None:
        """Merge what has become many, or with `everything` whatever was written live; None where nothing was due.

        Deleted documents' chunks are left behind. The ranking stays what it was. Where another process merged the
        same meanwhile, its work stands.
        """
        try:
            before = self._store.pointer(place.name)
            opened = [(ref, self._store.segment(place.name, ref)) for ref in before.segments]
        except (UnknownCollection, ArtifactCorrupt):
            return None  # nothing there, or another process merged and swept it a moment ago
        chosen = _chosen(opened, before, everything=everything)
        if not chosen:
            return None
        manifest = self._write_merged(place, before, chosen)
        gone = {ref.digest for ref, _ in chosen}

        def change(now: Pointer | None) -> Pointer:
            if now is None:
                raise SwapConflict(f"merge: collection {place.name!r} is no longer there")
            return self._after(place, now, gone, manifest=manifest, as_of=states.last_sequence(before))

        try:
            pointer = self._store.pointers.advance(place.name, change)
        except SwapConflict as lost:
            _LOG.info("%s: not merged: %s", place.name, lost)
            return None
        retire(self._objects, place.name, gone, self._clock())
        self.sweep(place.name)
        return pointer

    def sweep(self, name: str) -> int:
        """See `quire.store.retired.sweep`."""
        return sweep(self._objects, name, lambda: self._states(name), self._clock)

    def _states(self, name: str) -> Sequence[Pointer]:
        try:
            return self._store.versions(name)
        except UnknownCollection:
            return ()

    def _write_merged(
        self, place: WriteTarget, before: Pointer, chosen: Sequence[tuple[SegmentRef, Segment]]
    ) -> Manifest | None:
        """One stored segment of what is served of the chosen ones; None where nothing of them is."""
        kept = [(segment, _hidden(ref, segment, before)) for ref, segment in chosen]
        if not any(segment.chunk_count > len(hidden) for segment, hidden in kept):
            return None
        facts = _facts([segment.manifest for segment, _ in kept])
        rows = [_kept(segment, hidden) for segment, hidden in kept]
        self._work.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="merge-", dir=self._work) as work:
            # No graph: what a request waits for copies rows, and will be merged again.
            manifest = write_segment(Path(work) / "segment", (), facts, kept=rows, vector_index="exact")
            self._store.put(place.name, Path(work) / "segment", manifest, is_new=True)
        return manifest

    def _after(
        self, place: WriteTarget, now: Pointer, gone: set[str], *, manifest: Manifest | None, as_of: int
    ) -> Pointer:
        if manifest is not None:
            after = states.with_merge(now, gone, manifest.digest, as_of=as_of)
        else:
            after = now._replace(segments=tuple(ref for ref in now.segments if ref.digest not in gone))
        # A build under way may hold what was deleted since it began: then its tombstone must stay.
        return after if place.is_built else after._replace(tombstones=self._needed(after))

    def _needed(self, pointer: Pointer) -> dict[str, int]:
        """The tombstones that still hide something."""
        segments = [(self._store.segment(pointer.collection, ref), ref.sequence) for ref in pointer.segments]
        return {
            document: sequence
            for document, sequence in pointer.tombstones.items()
            if any(
                written < sequence and len(segment.documents.ordinals(document))
                for segment, written in segments
            )
        }


def may_be_due(pointer: Pointer) -> bool:
    """Whether a look at the segments is worth it; needs nothing but the pointer."""
    written = sum(ref.origin == states.WRITE for ref in pointer.segments)
    return written >= SEGMENTS_A_TIER or bool(pointer.tombstones)


def _chosen(
    opened: Sequence[tuple[SegmentRef, Segment]], pointer: Pointer, *, everything: bool
) -> list[tuple[SegmentRef, Segment]]:
    """The live segments to merge: those half of which is hidden, and all of the lowest tier that is full."""
    written = [(ref, segment) for ref, segment in opened if ref.origin == states.WRITE]
    live = [segment.chunk_count - len(_hidden(ref, segment, pointer)) for ref, segment in written]
    wasted = {n for n, (_, segment) in enumerate(written) if 2 * live[n] <= segment.chunk_count}
    if everything:
        hides = any(live[n] < segment.chunk_count for n, (_, segment) in enumerate(written))
        return written if len(written) > 1 or hides else []
    tiers: defaultdict[int, set[int]] = defaultdict(set)
    for n in set(range(len(written))) - wasted:
        tiers[int(math.log(live[n], TIER_BASE))].add(n)
    full = next((tiers[tier] for tier in sorted(tiers) if len(tiers[tier]) >= SEGMENTS_A_TIER), set())
    return [one for n, one in enumerate(written) if n in wasted or n in full]


def _hidden(ref: SegmentRef, segment: Segment, pointer: Pointer) -> Ordinals:
    tombstones = pointer.tombstones.items()
    return union([segment.documents.ordinals(one) for one, sequence in tombstones if ref.sequence < sequence])


def _kept(segment: Segment, hidden: Ordinals) -> KeptRows:
    keys = list(segment.manifest.source_counts)
    source = keys[0] if len(keys) == 1 else ""  # rows do not say which of several sources they came from
    every = np.arange(segment.chunk_count, dtype=np.uint32)
    return KeptRows(segment, difference(every, hidden), lambda _: source)


def _facts(manifests: Sequence[Manifest]) -> SegmentFacts:
    largest = max(manifests, key=lambda one: one.counts.chunks)
    sources: dict[SourceFacts, None] = {source: None for one in manifests for source in one.sources}
    return SegmentFacts(
        profile=largest.profile,
        face=largest.face,
        filters=largest.filters,
        dimensions=largest.dimensions,
        model=largest.model,
        sources=tuple(sources),
        calibration=largest.calibration,
        extra={"write": secrets.token_hex(8)},
    )
