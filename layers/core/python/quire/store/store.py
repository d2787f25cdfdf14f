"""Collections in an object store: their segments, pointers, versions and locks.

collections/<name>/segments/<digest>/...   immutable, named by the manifest's digest
collections/<name>/versions/<version>.json immutable, one for each published build
collections/<name>/current.json            the pointer, the one object that changes, swapped last
collections/<name>/lock.json               the build lock
models/<digest>/...                        each model once
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from quire.errors import ArtifactCorrupt, StoreUnavailable, UnknownCollection
from quire.index.layout import Manifest, Pointer, SegmentRef
from quire.index.opened import OpenedIndex
from quire.index.reader import Segment, manifest_in, verify_segment
from quire.index.served import BuildOnServer
from quire.ranking import NONE
from quire.store import pointers as states
from quire.store.keys import (
    damaged_files,
    lock_key,
    naming_segment,
    segment_key,
    server_alias,
    server_index,
    upload_model,
    upload_segment,
)
from quire.store.pointers import Pointers
from quire.store.retired import retire, sweep
from quire.store.segment_cache import SegmentCache

if TYPE_CHECKING:
    from quire.ports import ObjectStore, SearchServer
    from quire.store.lock import BuildLock

VERIFIED_AT_ONCE = 1_000
"""Lines that are asked of a search server in one go."""


class SegmentStore:
    """The collections of one object store. Safe to share by threads.

    Args:
        objects: the store.
        cache: folder for fetched segments; unused where the store's files can be mapped in place.
        most_bytes: what may lie in that folder where no other process uses it; 0 bounds nothing.
        is_late: whether a collection is first opened before its stored text is here.
        server: holds the builds of collections that say so.
        clock: seconds since the epoch.

    Attributes:
        server: as above.
        pointers: what is served of each collection, with its `collections`, `versions` and `is_removed`.
    """

    def __init__(
        self,
        objects: ObjectStore,
        cache: Path,
        *,
        most_bytes: int = 0,
        is_late: bool = False,
        server: SearchServer | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._objects = objects
        self.server = server
        self._segments = SegmentCache(objects, cache, most_bytes=most_bytes, is_late=is_late)
        self._clock = clock
        self.pointers = Pointers(objects)
        self.collections = self.pointers.collections
        self.versions = self.pointers.versions
        self.is_removed = self.pointers.is_removed
        self._locks: dict[str, BuildLock] = {}

    def pointer(self, name: str, known: Pointer | None = None) -> Pointer:
        """What the collection serves now; `known` itself where that has not moved.

        Raises:
            UnknownCollection: the collection has no pointer.
        """
        return self.pointers.read(name, known)

    def open(self, name: str, version: str | None = None) -> OpenedIndex:
        """Open a version by its id, by default the current one. Today's tombstones hold in older versions too.

        Raises:
            UnknownCollection: the collection has no pointer.
            UnknownVersion: the store holds no such version.
            ArtifactCorrupt: a file is missing or damaged.
        """
        last = self.pointers.seen(name)
        if version is not None and last is not None and last.version == version:
            return self._open(last, last)
        current = self.pointer(name)
        if version is None or version == current.version:
            return self._open(current, current)
        return self._open(self.pointers.record(name, version), current)

    def is_near(self, pointer: Pointer) -> bool:
        """Whether opening this state fetches nothing."""
        return all(
            self._segments.is_near(pointer.collection, ref.digest, is_served=_is_served(pointer, ref))
            for ref in pointer.segments
        )

    def manifests(self, pointer: Pointer, *, checked: bool = False) -> tuple[Manifest, ...]:
        """Those of the state's segments, which are neither fetched nor opened for it.

        `checked` reads the files of its builds where the store is a folder, byte by byte.

        Raises:
            ArtifactCorrupt: one is missing or damaged, or such a file is.
        """
        name = pointer.collection
        found = tuple(self._segments.manifest(name, ref.digest) for ref in pointer.segments)
        for ref, manifest in zip(pointer.segments, found, strict=True):
            key = segment_key(name, ref.digest)
            damaged = checked and ref.origin == states.BUILD and damaged_files(self._objects, key, manifest)
            if damaged:
                raise ArtifactCorrupt(f"{key}{damaged[0]}: missing or damaged")
        return found

    def open_state(self, pointer: Pointer) -> OpenedIndex:
        """Open exactly this state, without a look at what is served now.

        Raises:
            ArtifactCorrupt: a file is missing or damaged; missing ones were merged and swept away meanwhile.
        """
        return self._open(pointer, pointer)

    def segment(self, name: str, ref: SegmentRef) -> Segment:
        """One segment of the collection, opened.

        Raises:
            ArtifactCorrupt: as above.
        """
        return self._segments.segment(name, ref.digest)

    def put_model(self, folder: Path) -> None:
        """Store an exported embedding model, once."""
        upload_model(self._objects, folder)

    def verify(self, name: str) -> list[str]:
        """Check every byte of the segments that the collection serves, that it opens, and the records of its versions.

        Returns the segments' digests, in the pointer's order.

        Raises:
            ArtifactCorrupt: naming the file, the digest found and the digest expected.
        """
        pointer = self.pointer(name)
        digests = [ref.digest for ref in pointer.segments]
        for digest in digests:
            with naming_segment(name, digest):
                verify_segment(self._segments.folder(name, digest), digest)
        self._open(pointer, pointer)
        if pointer.engine:
            self._verify_served(pointer)
        self.pointers.verify_records(name)
        return digests

    def _verify_served(self, pointer: Pointer) -> None:
        """Compare every line that the server holds with its segment's, and see that the alias points there."""
        server, name = self._server_of(pointer), _index_of(pointer)
        found = server.pointed(server_alias(pointer.collection))
        if found != name:
            raise ArtifactCorrupt(
                f"{server.name}: alias {server_alias(pointer.collection)} points at {found}, expected {name}"
            )
        base = 0
        chunks = sum(one.counts.chunks for one in self.manifests(pointer))
        served = server.open(name, chunks=chunks, vectors=chunks, hidden=NONE)
        for ref in (one for one in pointer.segments if _is_served(pointer, one)):
            segment = self._segments.segment(pointer.collection, ref.digest)
            for first in range(0, segment.chunk_count, VERIFIED_AT_ONCE):
                ordinals = np.arange(
                    first, min(first + VERIFIED_AT_ONCE, segment.chunk_count), dtype=np.uint32
                )
                held = served.lines(ordinals + np.uint32(base))
                for ordinal, ours, theirs in zip(
                    ordinals.tolist(), segment.payloads.lines(ordinals), held, strict=True
                ):
                    if bytes(ours) != theirs:
                        raise ArtifactCorrupt(f"{server.name}: {name}: chunk {base + ordinal} differs")
            base += segment.chunk_count

    def put(self, name: str, folder: Path, manifest: Manifest, *, is_new: bool = False) -> None:
        """Store a segment's files; nothing serves them until the pointer names them.

        `is_new`: this process made it and will read it, and nobody else can have stored it.
        """
        upload_segment(self._objects, segment_key(name, manifest.digest), folder, manifest, is_new=is_new)
        if is_new:
            self._segments.keep(manifest.digest, folder)

    def publish(
        self, name: str, folder: Path, manifest: Manifest, *, label: str | None = None, engine: str = ""
    ) -> Pointer:
        """Store a build and serve it in place of the builds before; files first, the pointer last.

        The folder has its segment, or several beside the manifest of them all. `engine` names the server that was given
        them and searches them; "" where they are searched here.

        One that is no version but a stage on the way to it, see `Manifest.is_whole`, is swept once it was replaced.

        `label` is by default the version of the first source that has one.

        Raises:
            BuildInProgress: this process's lock on the collection was lost meanwhile.
        """
        parts = [(folder / part, manifest_in(folder / part)) for part in manifest.parts]
        for one in parts or [(folder, manifest)]:
            self.put(name, *one)
        lock = self._locks.get(name)
        if label is None:
            label = next((source.version for source in manifest.sources if source.version), "")
        # Known inside of the swap alone: what it replaces may have changed meanwhile.
        stages: set[str] = set()

        def advance(previous: Pointer | None) -> Pointer:
            if previous and not self.pointers.is_whole(previous):
                stages.update(ref.digest for ref in previous.segments if ref.origin == states.BUILD)
            as_of = lock.as_of if lock else states.last_sequence(previous)
            return states.with_build(
                name,
                previous,
                manifest,
                parts=[one.digest for _, one in parts],
                as_of=as_of,
                label=label,
                published_at=self._now(),
                engine=engine,
            )

        if lock:
            lock.renew()  # whoever lost it must not move the pointer
        pointer = self.pointers.advance(name, advance, record=manifest.is_whole)
        follow_pointer(self.server, pointer)
        stages -= {ref.digest for ref in pointer.segments}
        if stages:
            retire(self._objects, name, stages, self._clock())
        self._sweep(name)
        return pointer

    def confirm(self, name: str, digest: str) -> Pointer:
        """Note that a build found nothing to publish: the sources are still what the segment was made from.

        Raises:
            UnknownCollection: there is no such collection.
        """
        pointer = self.pointers.read(name)
        after = self.pointers.advance(
            name, lambda now: states.with_check(now or pointer, digest, self._now())
        )
        follow_pointer(self.server, after)
        self._sweep(name)
        return after

    def _sweep(self, name: str) -> None:
        """Delete what was replaced long enough ago; what a build leaves behind would stay until the next one."""
        sweep(self._objects, name, lambda: self.versions(name), self._clock)

    @contextmanager
    def lock(self, name: str) -> Iterator[BuildLock]:
        """The collection's build lock, to be held by a `with` block around reading and publishing.

        Raises:
            BuildInProgress: another build holds it.
        """
        from quire.store.lock import BuildLock  # not for those who only read

        lock = BuildLock(
            self._objects, lock_key(name), clock=self._clock, as_of=lambda: self._last_sequence(name)
        )
        with lock:
            self._locks[name] = lock
            try:
                yield lock
            finally:
                del self._locks[name]

    def _last_sequence(self, name: str) -> int:
        try:
            return states.last_sequence(self.pointer(name))
        except UnknownCollection:
            return 0

    def _open(self, pointer: Pointer, current: Pointer) -> OpenedIndex:
        segments = [
            (
                self._segments.segment(pointer.collection, ref.digest, is_served=_is_served(pointer, ref)),
                ref.sequence,
            )
            for ref in pointer.segments
        ]
        self._segments.note_opened(pointer.collection)
        on_server = None
        if pointer.engine:
            count = sum(_is_served(pointer, ref) for ref in pointer.segments)
            on_server = BuildOnServer(self._server_of(pointer), _index_of(pointer), count)
        return OpenedIndex(
            segments,
            version=pointer.version,
            tombstones=current.tombstones,
            stacker=self._segments.stack,
            profile=pointer.profile,
            build=pointer.build,
            on_server=on_server,
            name=pointer.collection,
        )

    def _server_of(self, pointer: Pointer) -> SearchServer:
        if self.server is None or self.server.name != pointer.engine:
            raise StoreUnavailable(
                f"collection {pointer.collection!r}: is searched by {pointer.engine}, which no setting names here"
            )
        return self.server

    def _now(self) -> str:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._clock()))


def follow_pointer(server: SearchServer | None, pointer: Pointer) -> None:
    """Have the server's alias point at what the pointer serves, or at nothing; whoever moves a pointer does so.

    Raises:
        StoreUnavailable: the server is away; the pointer has moved all the same.
    """
    if server is not None:
        server.point(server_alias(pointer.collection), _index_of(pointer) if pointer.engine else None)


def _is_served(pointer: Pointer, ref: SegmentRef) -> bool:
    """Whether a server searches the segment."""
    return bool(pointer.engine) and ref.origin == states.BUILD


def _index_of(pointer: Pointer) -> str:
    return server_index(pointer.collection, states.builds_of(pointer))
