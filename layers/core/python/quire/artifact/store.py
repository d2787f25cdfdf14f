"""Collections in an object store: their segments, pointers, versions and locks.

collections/<name>/segments/<digest>/...   immutable, named by the manifest's digest
collections/<name>/versions/<version>.json immutable, one for each published build
collections/<name>/current.json            the pointer, the one object that changes, swapped last
collections/<name>/lock.json               the build lock
models/<digest>/...                        each model once
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from quire.artifact import pointer as states
from quire.artifact.layout import Manifest, Pointer, SegmentRef, read_pointer
from quire.artifact.lock import BuildLock
from quire.artifact.reader import Segment, verify_segment
from quire.artifact.shelf import Shelf
from quire.artifact.transfer import (
    COLLECTIONS,
    POINTER,
    collection_key,
    lock_key,
    pointer_key,
    segment_key,
    upload_model,
    upload_segment,
    versions_key,
)
from quire.errors import SwapConflict, UnknownCollection, UnknownVersion
from quire.index import OpenedIndex
from quire.ports import ObjectStore

SWAP_ATTEMPTS = 50


class SegmentStore:
    """The collections of one object store. Safe to share by threads.

    Args:
        objects: the store.
        cache: folder for fetched segments; unused where the store's files can be mapped in place.
        clock: seconds since the epoch.
    """

    def __init__(self, objects: ObjectStore, cache: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._objects = objects
        self._shelf = Shelf(objects, cache)
        self._clock = clock
        self._guard = threading.Lock()
        self._last: dict[str, Pointer] = {}
        self._locks: dict[str, BuildLock] = {}

    def collections(self) -> list[str]:
        """Names of the collections that have a pointer, sorted."""
        names = [name.rstrip("/") for name in self._objects.list(COLLECTIONS) if name.endswith("/")]
        return [name for name in names if POINTER in self._objects.list(collection_key(name))]

    def pointer(self, name: str, known: Pointer | None = None) -> Pointer:
        """What the collection serves now; `known` itself where that has not moved.

        Raises:
            UnknownCollection: the collection has no pointer.
        """
        try:
            if known is not None and known.etag:
                stored = self._objects.read_if_changed(pointer_key(name), known.etag)
                if stored is None:
                    return known
            else:
                stored = self._objects.read(pointer_key(name))
        except KeyError:
            stored = None
        if stored is None:
            raise UnknownCollection(f"collection {name!r}: not in this store", field="collection")
        pointer = read_pointer(stored.data, stored.etag)
        with self._guard:
            self._last[name] = pointer
        return pointer

    def versions(self, name: str) -> list[Pointer]:
        """Published versions that the store holds and the current state, newest first."""
        current = self.pointer(name)
        held = {current.version: current}
        for file in self._objects.list(versions_key(name)):
            version = file.removesuffix(".json")
            held.setdefault(version, self._record(name, version))
        return sorted(held.values(), key=lambda one: (one.published_at, one.version), reverse=True)

    def open(self, name: str, version: str | None = None) -> OpenedIndex:
        """Open a version by its id, by default the current one. Today's tombstones hold in older versions too.

        Raises:
            UnknownCollection: the collection has no pointer.
            UnknownVersion: the store holds no such version.
            ArtifactCorrupt: a file is missing or damaged.
        """
        last = self._last.get(name)
        if version is not None and last is not None and last.version == version:
            return self._open(last, last)
        current = self.pointer(name)
        if version is None or version == current.version:
            return self._open(current, current)
        return self._open(self._record(name, version), current)

    def open_state(self, pointer: Pointer) -> OpenedIndex:
        """Open exactly this state, without a look at what is served now.

        Raises:
            ArtifactCorrupt: a file is missing or damaged; missing ones were folded and swept away meanwhile.
        """
        return self._open(pointer, pointer)

    def segment(self, name: str, ref: SegmentRef) -> Segment:
        """One segment of the collection, opened.

        Raises:
            ArtifactCorrupt: as above.
        """
        return self._shelf.segment(name, ref.digest)

    def put_model(self, folder: Path) -> None:
        """Store an exported embedding model, once."""
        upload_model(self._objects, folder)

    def verify(self, name: str) -> list[str]:
        """Check every byte of the segments that the collection serves; their digests, in the pointer's order.

        Raises:
            ArtifactCorrupt: naming the file, the digest found and the digest expected.
        """
        digests = [ref.digest for ref in self.pointer(name).segments]
        for digest in digests:
            verify_segment(self._shelf.folder(name, digest), digest)
        return digests

    def put(self, name: str, folder: Path, manifest: Manifest) -> None:
        """Store a segment's files; nothing serves them until the pointer names them."""
        upload_segment(self._objects, segment_key(name, manifest.digest), folder, manifest)

    def publish(self, name: str, folder: Path, manifest: Manifest, *, label: str | None = None) -> Pointer:
        """Store a built segment and serve it in place of the builds before; files first, the pointer last.

        `label` is by default the version of the first source that has one.

        Raises:
            BuildInProgress: this process's lock on the collection was lost meanwhile.
        """
        self.put(name, folder, manifest)
        lock = self._locks.get(name)
        if label is None:
            label = next((source.version for source in manifest.sources if source.version), "")

        def advance(previous: Pointer | None) -> Pointer:
            as_of = lock.as_of if lock else states.last_sequence(previous)
            return states.with_build(
                name, previous, manifest, as_of=as_of, label=label, published_at=self._now()
            )

        if lock:
            lock.renew()
        return self.advance(name, advance, record=True)

    def advance(
        self, name: str, change: Callable[[Pointer | None], Pointer], *, record: bool = False
    ) -> Pointer:
        """Swap the pointer for `change` of what it is, again where it moved meanwhile.

        Raises:
            SwapConflict: it moved `SWAP_ATTEMPTS` times.
        """
        for attempt in range(SWAP_ATTEMPTS):
            try:
                previous: Pointer | None = self.pointer(name)
            except UnknownCollection:
                previous = None
            try:
                return self.swap(name, change(previous), previous, record=record)
            except SwapConflict:
                time.sleep(0.002 * min(attempt + 1, 10))
        raise SwapConflict(f"{pointer_key(name)}: moved {SWAP_ATTEMPTS} times while it was being swapped")

    def swap(self, name: str, pointer: Pointer, expected: Pointer | None, *, record: bool = False) -> Pointer:
        """Make `pointer` the collection's state if that is still `expected` (None: there is none yet).

        With `record` this state and the one before it stay versions that can be asked for. A record is written only
        of what was served: a swap that fails, or a process that dies in the middle, leaves none of a state that
        never was.

        Raises:
            SwapConflict: the pointer moved since `expected` was read.
        """
        if record and expected:
            self._write_record(name, expected)
        etag = self._objects.write(
            pointer_key(name),
            pointer.to_json(),
            if_match=expected.etag if expected else None,
            if_absent=expected is None,
        )
        swapped = replace(pointer, etag=etag)
        if record:
            self._write_record(name, swapped)
        with self._guard:
            self._last[name] = swapped
        return swapped

    def lock(self, name: str) -> BuildLock:
        """The collection's build lock, to be held by a `with` block around reading and publishing."""
        lock = BuildLock(
            self._objects, lock_key(name), clock=self._clock, as_of=lambda: self._last_sequence(name)
        )
        self._locks[name] = lock
        return lock

    def _last_sequence(self, name: str) -> int:
        try:
            return states.last_sequence(self.pointer(name))
        except UnknownCollection:
            return 0

    def _write_record(self, name: str, pointer: Pointer) -> None:
        try:
            self._objects.write(versions_key(name, pointer.version), pointer.to_json(), if_absent=True)
        except SwapConflict:
            return  # published before: its first record stands

    def _record(self, name: str, version: str) -> Pointer:
        stored = self._objects.read(versions_key(name, version))
        if stored is None:
            raise UnknownVersion(f"version {version!r} of {name!r}: not in this store", field="version")
        return read_pointer(stored.data)

    def _open(self, pointer: Pointer, current: Pointer) -> OpenedIndex:
        segments = [
            (self._shelf.segment(pointer.collection, ref.digest), ref.sequence) for ref in pointer.segments
        ]
        return OpenedIndex(
            segments, version=pointer.version, tombstones=current.tombstones, stacker=self._shelf.stack
        )

    def _now(self) -> str:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._clock()))
