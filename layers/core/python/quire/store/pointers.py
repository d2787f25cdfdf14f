"""The pointers of a store's collections: what each serves now, what it served before, and the swap between.

How a pointer goes from one state to the next, and which of its states is meant, are plain functions; the store swaps
what they give. A build carries the sequence that was last used when it began to read. A document that is deleted or
replaced while the build runs gets a higher tombstone, which therefore hides the build's copy of it.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
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
from quire.index.layout import Manifest, Pointer, SegmentRef, read_pointer
from quire.store.keys import (
    COLLECTIONS,
    POINTER,
    collection_key,
    pointer_key,
    read_stored_manifest,
    segment_key,
    versions_key,
)

if TYPE_CHECKING:
    from quire.ports import ObjectStore

PREVIOUS = "previous"
BUILD = "build"
WRITE = "write"
SWAP_ATTEMPTS = 50
"""Writers of one collection wait for each other: 20 ms at most between two tries, a second in all."""
LOOKS_AT_ONCE = 16
SHOWING = frozenset((POINTER, f"{POINTER}/"))
"""What shows that a collection is there; a folder of that name is damage that a look at it tells."""
MENDING = "Copy the newest file of {} over it, or remove the collection and build it again"

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z")


def last_sequence(pointer: Pointer | None) -> int:
    """The sequence that was last used; what a build that begins now carries."""
    return pointer.next_sequence - 1 if pointer else 0


def builds_of(pointer: Pointer) -> tuple[str, ...]:
    """Digests of the segments that builds made."""
    return tuple(ref.digest for ref in pointer.segments if ref.origin == BUILD)


def with_build(
    collection: str,
    previous: Pointer | None,
    manifest: Manifest,
    *,
    parts: Sequence[str] = (),
    as_of: int,
    label: str,
    published_at: str,
    engine: str = "",
) -> Pointer:
    """A finished build takes the place of the builds before it; what was written live stays behind it.

    `parts` are the digests of its segments where it has several; `engine` is what searches them, "" for themselves.
    """
    written = tuple(ref for ref in previous.segments if ref.origin == WRITE) if previous else ()
    return Pointer(
        collection=collection,
        profile=manifest.profile,
        face=manifest.face,
        segments=(*(SegmentRef(one, as_of, BUILD) for one in parts or (manifest.digest,)), *written),
        tombstones=previous.tombstones if previous else {},
        label=label,
        published_at=published_at,
        next_sequence=previous.next_sequence if previous else as_of + 1,
        build=manifest.facts if parts else None,
        engine=engine,
    )


def with_write(pointer: Pointer, digest: str, replaced: Iterable[str]) -> Pointer:
    """A live segment is added, and the `replaced` documents vanish from all segments before it, in one step."""
    sequence = pointer.next_sequence
    return pointer._replace(
        segments=(*pointer.segments, SegmentRef(digest, sequence, WRITE)),
        tombstones={**pointer.tombstones, **dict.fromkeys(replaced, sequence)},
        next_sequence=sequence + 1,
    )


def with_deletion(pointer: Pointer, documents: Iterable[str]) -> Pointer:
    """The documents vanish from every segment there is."""
    sequence = pointer.next_sequence
    return pointer._replace(
        tombstones={**pointer.tombstones, **dict.fromkeys(documents, sequence)}, next_sequence=sequence + 1
    )


def with_check(pointer: Pointer, digest: str, checked_at: str) -> Pointer:
    """The sources are still what the segment was built from; the version stays."""
    if all(ref.digest != digest for ref in pointer.segments):
        return pointer  # it was rolled back meanwhile
    return pointer._replace(checked_at=checked_at)


def with_rollback(pointer: Pointer, older: Pointer) -> Pointer:
    """An older state's builds serve again. Live writes stay as they are now, and what was deleted stays deleted."""
    built = [ref for ref in older.segments if ref.origin == BUILD]
    written = [ref for ref in pointer.segments if ref.origin == WRITE]
    tombstones = {**older.tombstones}
    for document, sequence in pointer.tombstones.items():
        tombstones[document] = max(sequence, tombstones.get(document, 0))
    return older._replace(
        segments=(*built, *written),
        tombstones=tombstones,
        next_sequence=max(pointer.next_sequence, older.next_sequence),
    )


def with_merge(pointer: Pointer, parts: Iterable[str], digest: str, *, as_of: int) -> Pointer:
    """One segment takes the place of its `parts`, which were merged into it, `as_of` the last sequence when that began.

    What was written or deleted meanwhile has a higher sequence and holds on.

    Raises:
        SwapConflict: one of them is no longer served, so the new segment may hold what is gone.
    """
    gone = set(parts)
    missing = gone - {ref.digest for ref in pointer.segments}
    if missing:
        raise SwapConflict(f"merge: segment {min(missing)} is no longer served")
    at = next(place for place, ref in enumerate(pointer.segments) if ref.digest in gone)
    kept = [ref for ref in pointer.segments if ref.digest not in gone]
    before = sum(ref.digest not in gone for ref in pointer.segments[:at])
    whole = SegmentRef(digest, as_of, WRITE)
    return pointer._replace(segments=(*kept[:before], whole, *kept[before:]))


def find_version(held: Sequence[Pointer], name: str, wanted: str) -> Pointer:
    """The version of that id; else the newest of that label or label prefix; else the newest published by that date.

    `previous` is the one before the newest. A date such as `2026-11-21` means its end in UTC; `2026-11-21T08:00:00Z`
    means that moment. `held` is newest first.

    Raises:
        UnknownVersion: none of `held` is meant; the message lists them.
    """
    moment = f"{wanted}T23:59:59Z" if _DATE.fullmatch(wanted) else wanted
    is_moment = bool(_MOMENT.fullmatch(moment))
    meant = chain(
        (one for one in held if one.version == wanted),
        (one for one in held if matches_label(one.label, wanted)),
        held[1:2] if wanted == PREVIOUS else (),
        (one for one in held if is_moment and one.published_at and one.published_at <= moment),
    )
    if found := next(meant, None):
        return found
    raise UnknownVersion(
        f"version {wanted!r} of {name!r}: the store holds {list_versions(held)}", field="version"
    )


def list_versions(held: Sequence[Pointer]) -> str:
    """The versions in a line, for messages."""
    return ", ".join(
        f"{one.version} ({' of '.join(filter(None, (one.label, one.published_at[:10])))})".replace(" ()", "")
        for one in held
    )


def matches_label(label: str, wanted: str) -> bool:
    """Whether `wanted` is the label or a prefix of it that ends at a dot.

    >>> matches_label("0.735.0.7350832", "0.735"), matches_label("0.735.0.7350832", "0.73")
    (True, False)
    """
    return bool(wanted) and (label == wanted or label.startswith(wanted.rstrip(".") + "."))


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
            return [name for name, files in zip(names, held, strict=True) if not SHOWING.isdisjoint(files)]

    def is_removed(self, name: str) -> bool:
        """Whether nothing of the collection is left, no segment and no version: it was removed as a whole."""
        return not self._objects.list(collection_key(name))

    def read(self, name: str, known: Pointer | None = None) -> Pointer:
        """What the collection serves now; `known` itself where that has not moved.

        Raises:
            UnknownCollection: the collection has no pointer.
            ArtifactError: it cannot be read; the message says what helps.
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
            self._refuse_folder(name)
            raise UnknownCollection(f"collection {name!r}: not in this store", field="collection")
        try:
            pointer = read_pointer(stored.data, stored.etag)
        except ArtifactCorrupt as error:
            raise ArtifactCorrupt(
                f"{pointer_key(name)}: {error}. {MENDING.format(versions_key(name))}"
            ) from error
        with self._guard:
            self._last[name] = pointer
        return pointer

    def _refuse_folder(self, name: str) -> None:
        """A folder that bears the pointer's name is damage, and no collection that is missing."""
        path = self._objects.local_path(pointer_key(name))
        if path is not None and path.is_dir():
            mending = MENDING.format(versions_key(name))
            raise ArtifactCorrupt(
                f"{pointer_key(name)}: is a folder, wanted a file. Remove that folder first. {mending}"
            )

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
            except StoreUnavailable:  # whether it was swapped is not known
                raise
            except QuireError:
                pass  # it moved: what this says of the old state may be wrong of the new one
        for attempt in range(SWAP_ATTEMPTS):
            try:
                previous: Pointer | None = self.read(name)
            except UnknownCollection:
                previous = None
            changed = change(previous)
            try:
                return self.swap(name, changed, previous, record=record)
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
