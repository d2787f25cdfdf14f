"""The pointers of a store's collections: what each serves now, what it served before, and the swap between."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from quire.errors import (
    ArtifactCorrupt,
    ArtifactError,
    QuireError,
    StoreUnavailable,
    SwapConflict,
    UnknownCollection,
    UnknownVersion,
)
from quire.index.layout import Pointer, read_pointer
from quire.store.keys import (
    COLLECTIONS,
    POINTER,
    collection_key,
    pointer_key,
    read_stored_manifest,
    segment_key,
    versions_key,
)
from quire.store.pointer import BUILD

if TYPE_CHECKING:
    from quire.ports import ObjectStore

SWAP_ATTEMPTS = 50
LOOKS_AT_ONCE = 16


class Pointers:
    """The mutable part of a store. Safe to share by threads."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects
        self._guard = threading.Lock()
        self._last: dict[str, Pointer] = {}

    def collections(self) -> list[str]:
        """Names of the collections that have a pointer, sorted."""
        from concurrent.futures import ThreadPoolExecutor  # 6 ms of import that a question to one has not got

        names = [name.rstrip("/") for name in self._objects.list(COLLECTIONS) if name.endswith("/")]
        with ThreadPoolExecutor(LOOKS_AT_ONCE) as pool:  # of a bucket each look is a call
            held = pool.map(self._objects.list, map(collection_key, names))
            return [name for name, files in zip(names, held, strict=True) if POINTER in files]

    def read(self, name: str, known: Pointer | None = None) -> Pointer:
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
        """Published versions that the store holds and the current state, newest first.

        Of several of one second the current one counts as the newest.
        """
        current = self.read(name)
        held = {current.version: current}
        for file in self._objects.list(versions_key(name)):
            version = file.removesuffix(".json")
            held.setdefault(version, self.record(name, version))
        return sorted(
            held.values(), key=lambda one: (one.published_at, one is current, one.version), reverse=True
        )

    def advance(
        self, name: str, change: Callable[[Pointer | None], Pointer], *, record: bool = False
    ) -> Pointer:
        """Swap the pointer for `change` of what it is, again where it moved meanwhile.

        The first try builds on the pointer that was seen last, without a look: if it moved, the swap fails.

        Raises:
            SwapConflict: it moved `SWAP_ATTEMPTS` times.
        """
        seen = None if record else self._last.get(name)
        if seen is not None:
            try:
                return self.swap(name, change(seen), seen)
            except StoreUnavailable:
                raise
            except QuireError:
                pass  # it moved: what this says of the old state may be wrong of the new one
        for attempt in range(SWAP_ATTEMPTS):
            try:
                previous: Pointer | None = self.read(name)
            except UnknownCollection:
                previous = None
            try:
                return self.swap(name, change(previous), previous, record=record)
            except SwapConflict:
                time.sleep(0.002 * min(attempt + 1, 10))
        raise SwapConflict(f"{pointer_key(name)}: moved {SWAP_ATTEMPTS} times while it was being swapped")

    def swap(self, name: str, pointer: Pointer, expected: Pointer | None, *, record: bool = False) -> Pointer:
        """Make `pointer` the collection's state if that is still `expected` (None: there is none yet).

        With `record` this state and the one before it stay versions that can be asked for, but not one whose vectors
        were still to come. A record is written only of what was served: a swap that fails, or a process that dies in
        the middle, leaves none of a state that never was.

        Raises:
            SwapConflict: the pointer moved since `expected` was read.
        """
        if record and expected and self.is_whole(expected):
            self._write_record(name, expected)
        etag = self._objects.write(
            pointer_key(name),
            pointer.to_json(),
            if_match=expected.etag if expected else None,
            if_absent=expected is None,
        )
        swapped = pointer._replace(etag=etag)
        if record:
            self._write_record(name, swapped)
        with self._guard:
            self._last[name] = swapped
        return swapped

    def record(self, name: str, version: str) -> Pointer:
        """A published version by its id.

        Raises:
            UnknownVersion: the store holds no such version.
        """
        stored = self._objects.read(versions_key(name, version))
        if stored is None:
            raise UnknownVersion(f"version {version!r} of {name!r}: not in this store", field="version")
        return read_pointer(stored.data)

    def verify_records(self, name: str) -> None:
        """Read the record of every version that the store holds.

        Raises:
            ArtifactError: one cannot be read, or is the record of another version or collection; the message names it.
        """
        for file in sorted(self._objects.list(versions_key(name))):
            key = f"{versions_key(name)}{file}"
            try:
                found = self.record(name, file.removesuffix(".json"))
            except ArtifactError as error:
                raise type(error)(f"{key}: {error}") from error
            if (found.collection, f"{found.version}.json") != (name, file):
                raise ArtifactCorrupt(f"{key}: holds version {found.version} of {found.collection!r}")

    def is_whole(self, pointer: Pointer) -> bool:
        """Whether none of its builds is a stage on the way to one, see `Manifest.is_whole`; one that is lost counts."""
        builds = [ref.digest for ref in pointer.segments if ref.origin == BUILD]
        try:
            return all(
                read_stored_manifest(self._objects, segment_key(pointer.collection, one), one)[0].is_whole
                for one in builds
            )
        except ArtifactError:
            return True

    def seen(self, name: str) -> Pointer | None:
        """What this process read or wrote last, without a look at the store."""
        return self._last.get(name)

    def _write_record(self, name: str, pointer: Pointer) -> None:
        try:
            self._objects.write(versions_key(name, pointer.version), pointer.to_json(), if_absent=True)
        except SwapConflict:
            return  # published before: its first record stands
