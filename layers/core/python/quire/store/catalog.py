"""The opened collections of a store: looked at again now and then, switched while requests run; and older versions."""

from __future__ import annotations

import copy
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

from quire.errors import (
    ArtifactError,
    DiskFull,
    QuireError,
    StoreError,
    StoreUnavailable,
    UnknownCollection,
    UnknownVersion,
)
from quire.index.layout import Manifest, Pointer
from quire.index.opened import OWN, OpenedIndex, sources_of
from quire.store.pointers import find_version

LATEST = "latest"
"""What may stand for the version that is served now."""

IDLE_S = 60.0
"""A collection that nobody asked for so long may be closed to make room for a newer version of another."""

ARRIVAL_S = 10.0
"""So long the version before serves while a newer one is fetched beside it; then a request waits for it."""

STEADY_S = 2.0
"""A function's threads stand still between its requests, and their connections die: only where requests follow each
other within so long is anything fetched beside them."""

AGAIN_S = 1.0
OLD_VERSIONS_KEPT = 4
"""Older versions kept open at once; each costs mappings and little memory of its own."""

MakeRoom = Callable[[str, float], bool]
"""Closes something that nobody asked for so many seconds, for the collection of that name; False for nothing."""


def no_room(name: str, idle_s: float) -> bool:
    """`MakeRoom` that has nothing to close."""
    del name, idle_s
    return False


_KEEPS_SERVING = (StoreError, ArtifactError, UnknownCollection)


@dataclass(frozen=True, slots=True, eq=False)
class Served:
    """One version of a collection, open. A request that holds it may finish with it, whatever the catalog does.

    Attributes:
        name: of the collection.
        index: the opened index.
        pointer: the state that it was opened from.
        degraded: what is wrong with how it is served, in words; empty where nothing is.
    """

    name: str
    index: OpenedIndex
    pointer: Pointer
    degraded: tuple[str, ...] = ()

    @property
    def manifests(self) -> tuple[Manifest, ...]:
        """Of its segments."""
        return self.index.manifests

    @property
    def version(self) -> str:
        """Id of the version."""
        return self.index.version

    @property
    def label(self) -> str:
        """The engine's or release's version, else the commit of a source; "" where neither is known."""
        return label_of(self.pointer, self.manifests)

    @property
    def engine(self) -> str:
        """What searches its builds: `quire`, or a server's name."""
        return self.pointer.engine or OWN

    @property
    def model(self) -> str:
        """Digest of the embedding model that the vectors are of; "" where nothing is indexed yet."""
        return next((manifest.model for manifest in self.manifests), "")

    @property
    def chunk_count(self) -> int:
        """Chunks that can be found."""
        return self.index.chunk_count


@dataclass(frozen=True, slots=True, eq=False)
class Unopened:
    """What a collection serves by its pointer and manifests, as `Served` tells it, while nothing of it is open."""

    name: str
    pointer: Pointer
    manifests: tuple[Manifest, ...]
    degraded: tuple[str, ...] = ()

    @property
    def version(self) -> str:
        """Id of the version."""
        return self.pointer.version

    @property
    def label(self) -> str:
        """See `Served`."""
        return label_of(self.pointer, self.manifests)

    @property
    def engine(self) -> str:
        """See `Served`."""
        return self.pointer.engine or OWN

    @property
    def model(self) -> str:
        """See `Served`."""
        return next((manifest.model for manifest in self.manifests), "")

    @property
    def chunk_count(self) -> int:
        """Chunks that it holds, those of documents that were deleted since included."""
        return sum(manifest.counts.chunks for manifest in self.manifests)


def label_of(pointer: Pointer, manifests: Sequence[Manifest]) -> str:
    """The engine's or release's version, else the commit of a source; "" where neither is known."""
    if pointer.label:
        return pointer.label
    sources = sources_of(manifests, pointer.build)
    return next((source.revision for source in sources if source.revision), "")


class CollectionStore(Protocol):
    """What the catalog asks of a store; `quire.store.store.SegmentStore` is the real one."""

    def collections(self) -> Sequence[str]:
        """Names of the collections that have a pointer."""

    def pointer(self, name: str, known: Pointer | None = None) -> Pointer:
        """What the collection serves now, `known` itself if it has not moved; UnknownCollection without a pointer."""

    def open(self, name: str, version: str | None = None) -> OpenedIndex:
        """Open a version, by default the current one."""

    def versions(self, name: str) -> Sequence[Pointer]:
        """Every state that the store still holds, newest first."""

    def is_near(self, pointer: Pointer) -> bool:
        """Whether opening this state fetches nothing."""

    def is_removed(self, name: str) -> bool:
        """Whether nothing of the collection is left."""

    def manifests(self, pointer: Pointer) -> tuple[Manifest, ...]:
        """Those of the state's segments, which are not opened for it."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """The last error of a collection: its name in our tree, what it said, and when (UTC)."""

    kind: str
    message: str
    at: str


def trouble_of(error: QuireError) -> Trouble:
    """The error as it is remembered."""
    return Trouble(type(error).__name__, str(error), datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))


class Catalog:
    """Opens collections at their first use and follows their pointers. Safe to share by threads.

    A collection's pointer is looked at at most every `refresh_s` seconds, by one of the threads that ask; the others
    go on with what is open. Where the store fails, or a pointer alone is lost, the last good version stays and says so;
    what was removed is closed. A newer version that has to be fetched is, where requests follow each other within
    `steady_s`, by a thread of its own, and `prepare` sees it before anybody asks it.
    """

    def __init__(
        self,
        store: CollectionStore,
        *,
        refresh_s: float,
        steady_s: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.prepare: Callable[[OpenedIndex], object] = id
        self.entries = Entries(clock)
        self.peek, self.trouble = self.entries.peek, self.entries.trouble
        self._store = store
        self._steady_s = steady_s
        self._refresh_s = refresh_s
        self._clock = clock
        self._lock = threading.Lock()
        self._names: tuple[str, ...] = ()
        self._names_due = float("-inf")
        self._history = History(store, refresh_s=refresh_s, clock=clock)

    def names(self) -> tuple[str, ...]:
        """Names of the store's collections, sorted, with those that serve on without a pointer; while the store cannot
        be read, those last seen.

        Raises:
            StoreError: the store has never been read.
        """
        with self._lock:
            if self._clock() >= self._names_due:
                try:
                    listed = self._store.collections()
                    lost = set(self.entries.opened()).difference(listed)
                    kept = [name for name in lost if not self._store.is_removed(name)]
                    self._names = tuple(sorted([*listed, *kept]))
                except StoreError:
                    if not self._names:
                        raise
                self._names_due = self._clock() + self._refresh_s
            return self._names

    def pointer(self, name: str) -> Pointer:
        """What the collection serves by the store's word now; nothing is opened for it.

        Raises:
            UnknownCollection: the collection has no pointer.
        """
        return self._store.pointer(name)

    def get(self, name: str, version: str | None = None, *, fresh: bool = False) -> Served:
        """The collection, open; `version` is an id, an engine version by prefix, a date, or `latest`.

        `fresh` looks at the pointer now, whatever `refresh_s` says.

        Raises:
            UnknownCollection: the store has none of that name; its message names no others: who asks may not know them.
            UnknownVersion: the store holds no such version of it.
            StoreError, ArtifactError: it cannot be opened and no good version is open.
        """
        entry = self.entries.known(name) or self._entry(name)
        entry.note_request(self._clock())
        return self._get(name, entry, version, fresh=fresh)

    def is_at_hand(self, name: str) -> bool:
        """Whether asking the collection fetches nothing.

        Raises:
            UnknownCollection, StoreError, ArtifactError: as above.
        """
        known = self.entries.known(name)
        return bool(known and known.served) or self._store.is_near(self._store.pointer(name))

    def describe(self, name: str) -> Served | Unopened:
        """The collection as it is open, else by its pointer and manifests: nothing is opened, and it stays idle.

        Raises:
            UnknownCollection, StoreError, ArtifactError: as above.
        """
        entry = self.entries.known(name) or self._entry(name)
        if entry.served is not None:
            return self._get(name, entry, None, fresh=False)
        known = entry.unopened
        if known is None or self._clock() >= entry.unopened_due:
            pointer = self._store.pointer(name, known.pointer if known else None)
            if known is None or known.pointer != pointer:
                known = Unopened(name, pointer, self._store.manifests(pointer))
            entry.unopened, entry.unopened_due = known, self._clock() + self._refresh_s
        if (failure := entry.failure) is None:
            return known
        return replace(known, degraded=(f"could not be opened when last asked ({type(failure).__name__})",))

    def _get(self, name: str, entry: CatalogEntry, version: str | None, *, fresh: bool) -> Served:
        served = entry.served
        if version not in (None, LATEST) and (fresh or served is None or version != served.version):
            return self._older(name, str(version), fresh=fresh)
        if served is not None and not fresh and self._clock() < entry.due and not entry.has_arrived:
            return served
        # One thread looks; where something is open already the others do not wait for it.
        if not entry.lock.acquire(blocking=served is None or fresh) and served is not None:
            return served
        try:
            return self._current(name, entry, fresh)
        finally:
            entry.lock.release()

    def look_again(self) -> None:
        """Look at the pointer of every open collection now, whatever `refresh_s` says; what cannot be read says so."""
        for name in self.entries.opened():
            self.get(name, fresh=True)

    def _entry(self, name: str) -> CatalogEntry:
        if name not in self.names():
            raise UnknownCollection(f"collection {name!r}: not in this store", field="collection")
        return self.entries.entry(name)

    def _current(self, name: str, entry: CatalogEntry, fresh: bool) -> Served:
        """Look at the pointer unless another thread just did. The caller holds the entry's lock."""
        if self._clock() < entry.due and not fresh and not entry.has_arrived:
            if entry.served is not None:
                return entry.served
            if entry.failure is not None:
                raise copy.copy(entry.failure)
        try:
            entry.served, entry.failure = self._look(name, entry, fresh=fresh), None
        except _KEEPS_SERVING as error:
            entry.trouble = trouble_of(error)
            if isinstance(error, UnknownCollection) and self._is_removed(name):
                entry.close()
            if entry.served is None:
                entry.failure = error
                raise
            entry.served = replace(entry.served, degraded=(label_failure(error, entry.served.version),))
        finally:
            entry.due = self._clock() + self._refresh_s
        return entry.served

    def _is_removed(self, name: str) -> bool:
        try:
            return self._store.is_removed(name)
        except StoreError:
            return False

    def _look(self, name: str, entry: CatalogEntry, *, fresh: bool) -> Served:
        served = entry.served
        pointer = self._store.pointer(name, served.pointer if served is not None else None)
        if served is not None and served.pointer == pointer:
            return replace(served, degraded=()) if served.degraded else served
        if served is not None and served.version == pointer.version:  # a build found it still true
            return replace(served, pointer=pointer, degraded=())
        open_version = partial(self._store.open, name, pointer.version)
        idle_s = IDLE_S if served else 0.0
        fetch = partial(self.entries.open, name, open_version, idle_s, close_more=self._history.close)
        if served is None or fresh or entry.gap_s >= self._steady_s or self._store.is_near(pointer):
            entry.arrival = None
            return Served(name, fetch(), pointer)
        index = entry.arrived(pointer.version, fetch, self.prepare, self._clock())
        return Served(name, index, pointer) if index else served

    def close(self, name: str) -> None:
        """Hold the collection open no longer; whoever asks for it next opens it."""
        if entry := self.entries.known(name):
            entry.close()

    def _older(self, name: str, wanted: str, *, fresh: bool) -> Served:
        """An older version under the tombstones of today; the current one where that is what `wanted` means."""
        try:
            current = self.get(name, fresh=fresh)
        except ArtifactError as error:
            pointer = self._history.find(name, wanted)
            index = self._history.open(pointer, self._store.pointer(name).tombstones)
            return Served(name, index, pointer, (f"current version unusable ({type(error).__name__})",))
        # The list of versions may be older than the current one.
        if (
            wanted == current.version
            or (pointer := self._history.find(name, wanted)).version == current.version
        ):
            return current
        index = self._history.open(pointer, current.pointer.tombstones)
        return Served(name, index, pointer, current.degraded)


class History:
    """Opens older versions and keeps a few of them open. Safe to share by threads.

    The list of versions is read at most every `refresh_s` seconds, or every `AGAIN_S` where one is asked for that is
    not on it: it may have been published since. While the store fails, the last one read serves.
    What is deleted today is deleted in every version: an older one is opened again when the tombstones changed.
    """

    def __init__(self, store: CollectionStore, *, refresh_s: float, clock: Callable[[], float]) -> None:
        self._store = store
        self._refresh_s = refresh_s
        self._clock = clock
        self._guard = threading.Lock()
        self._held: dict[str, _Held] = {}
        self._open: OrderedDict[tuple[str, str], _OpenedVersion] = OrderedDict()

    def find(self, name: str, wanted: str) -> Pointer:
        """The version that `wanted` means.

        Raises:
            UnknownVersion: the store holds no such version; the message lists those it does.
            StoreError: the versions were never read and cannot be.
        """
        held, now = self._held.get(name), self._clock()
        if held is not None and now < held.due:
            with suppress(UnknownVersion):
                return find_version(held.versions, name, wanted)
        if held is None or now >= min(held.due, held.due - self._refresh_s + AGAIN_S):
            held = self._read(name, held)
        return find_version(held.versions, name, wanted)

    def open(self, pointer: Pointer, tombstones: Mapping[str, int]) -> OpenedIndex:
        """The version's index; `tombstones` are those that hold now.

        Raises:
            StoreError, ArtifactError: it cannot be opened.
        """
        key = (pointer.collection, pointer.version)
        with self._guard:
            opened = self._open.get(key)
            if opened is not None and opened.tombstones == tombstones:
                self._open.move_to_end(key)
                return opened.index
        opened = _OpenedVersion(self._store.open(*key), dict(tombstones))
        with self._guard:
            self._open[key] = opened
            self._open.move_to_end(key)
            while len(self._open) > OLD_VERSIONS_KEPT:
                self._open.popitem(last=False)
        return opened.index

    def close(self) -> bool:
        """Close every older version; False where none was open."""
        with self._guard:
            was_open = bool(self._open)
            self._open.clear()
        return was_open

    def _read(self, name: str, before: _Held | None) -> _Held:
        due = self._clock() + self._refresh_s
        try:
            held = _Held(tuple(self._store.versions(name)), due)
        except StoreError:
            if before is None:
                raise
            held = _Held(before.versions, due)
        self._held[name] = held
        return held


@dataclass(frozen=True, slots=True)
class _Held:
    versions: tuple[Pointer, ...]
    due: float


@dataclass(frozen=True, slots=True, eq=False)
class _OpenedVersion:
    index: OpenedIndex
    tombstones: Mapping[str, int]


class CatalogEntry:
    """What a catalog knows of one collection; `lock` belongs to the thread that opens or looks.

    `gap_s` lies between the last two requests. Of live collections alone are `looked_at`, when the last look at the
    pointer began, and `failed`, builds that could not be opened, which are left alone until `retry_at`.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.served: Served | None = None
        self.failure: QuireError | None = None
        self.trouble: Trouble | None = None
        self.arrival: Arrival | None = None
        self.unopened: Unopened | None = None
        self.failed: tuple[str, ...] = ()
        self.due = self.unopened_due = self.asked = self.looked_at = self.retry_at = float("-inf")
        self.gap_s = float("inf")

    def note_request(self, now: float) -> None:
        """Somebody asks for the collection."""
        self.gap_s, self.asked = now - self.asked, now

    def arrived(
        self,
        version: str,
        fetch: Callable[[], OpenedIndex],
        prepare: Callable[[OpenedIndex], object],
        now: float,
        *,
        wait_s: float = ARRIVAL_S,
    ) -> OpenedIndex | None:
        """The version once it is here; None while it is on its way and the one before may serve.

        Raises:
            StoreUnavailable: it was waited for `wait_s` and is not here; for a while the one before serves again.
        """
        if self.arrival is None or self.arrival.version != version:
            self.arrival = Arrival(version, fetch, prepare, now)
        arrival = self.arrival
        if arrival.is_awaited(now):
            return None
        try:
            return arrival.result(wait_s)
        finally:
            if arrival.is_over:
                self.arrival = None
            else:
                arrival.began = now + wait_s

    def close(self) -> None:
        """Let go of what is open."""
        self.served, self.due = None, float("-inf")

    @property
    def has_arrived(self) -> bool:
        """Whether a newer version was fetched that nobody took up yet."""
        return self.arrival is not None and self.arrival.is_over


class Entries:
    """What a catalog knows of its collections, by name. Safe to share by threads.

    Args:
        clock: seconds, monotonic.
        most: how many are known at once; the one that was asked for longest ago goes.

    Attributes:
        make_room: closes something elsewhere, where the disk is full and nothing here may be closed.
    """

    def __init__(self, clock: Callable[[], float], most: int | None = None) -> None:
        self.make_room: MakeRoom = no_room
        self._clock = clock
        self._most = most
        self._guard = threading.Lock()
        self._held: OrderedDict[str, CatalogEntry] = OrderedDict()

    def known(self, name: str) -> CatalogEntry | None:
        """The collection's entry, where it has one."""
        return self._held.get(name)

    def entry(self, name: str) -> CatalogEntry:
        """The collection's entry, made where it has none, as the one that was asked for last."""
        with self._guard:
            entry = self._held.setdefault(name, CatalogEntry())
            self._held.move_to_end(name)
            while self._most is not None and len(self._held) > self._most:
                self._held.popitem(last=False)
            return entry

    def opened(self) -> list[str]:
        """Names of the collections that are open."""
        with self._guard:
            return [name for name, entry in self._held.items() if entry.served is not None]

    def peek(self, name: str) -> Served | None:
        """The collection as it is open now, without a look at the store; None where it is not open."""
        entry = self._held.get(name)
        return entry.served if entry else None

    def trouble(self, name: str) -> Trouble | None:
        """The collection's last error since this process began, however it serves now."""
        entry = self._held.get(name)
        return entry.trouble if entry else None

    def open(
        self,
        name: str,
        fetch: Callable[[], OpenedIndex],
        idle_s: float,
        *,
        close_more: Callable[[], bool] = lambda: False,
    ) -> OpenedIndex:
        """What `fetch` opens. Where the disk has no room, others are closed for it that nobody asked for so long.

        `close_more` closes what else can be spared, first; False for nothing.
        """
        while True:
            try:
                return fetch()
            except DiskFull:
                if not (close_more() or self.close_idlest(name, idle_s) or self.make_room(name, idle_s)):
                    raise

    def close_idlest(self, name: str, idle_s: float) -> bool:
        """Close the collection that was asked for longest ago, that long at least, but not this one; False for none."""
        until = self._clock() - idle_s
        with self._guard:
            held = list(self._held.items())
        others = [one for key, one in held if key != name and one.served and one.asked <= until]
        if not others:
            return False
        min(others, key=lambda one: one.asked).close()
        return True


class Arrival:
    """A version on its way, fetched and made ready by a thread of its own."""

    def __init__(
        self,
        version: str,
        fetch: Callable[[], OpenedIndex],
        prepare: Callable[[OpenedIndex], object],
        began: float,
    ) -> None:
        self.version, self.began = version, began
        self._fetch, self._prepare = fetch, prepare
        self._index: OpenedIndex | None = None
        self._failure: QuireError | None = None
        self._thread = threading.Thread(target=self._run, name=f"fetch {version}", daemon=True)
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether it is here, or will not come."""
        return not self._thread.is_alive()

    def is_awaited(self, now: float) -> bool:
        """Whether it is on its way, and the version before may still serve."""
        return not self.is_over and now < self.began + ARRIVAL_S

    def result(self, wait_s: float) -> OpenedIndex:
        """The index, waited for; raises what the fetch ended with, and StoreUnavailable where it has no end."""
        self._thread.join(wait_s)
        if self._thread.is_alive():  # such as a disk that hangs
            raise StoreUnavailable(f"version {self.version}: still on its way after {wait_s:g} s more")
        if self._failure is not None:
            raise self._failure
        # An error that is none of ours ended the thread: fetched here it is met by who can tell of it.
        return self._index or self._fetch()

    def _run(self) -> None:
        try:
            self._index = self._fetch()
            self._prepare(self._index)
        except QuireError as error:
            self._failure = error


def label_failure(error: QuireError, version: str) -> str:
    """Why an older version serves, in words."""
    if isinstance(error, DiskFull):
        return f"no room for a newer version: serving version {version}"
    if isinstance(error, StoreUnavailable):
        return f"store unreachable: serving version {version}"
    if isinstance(error, UnknownCollection):
        return f"pointer missing: serving version {version}"
    return f"newer version unusable ({type(error).__name__}): serving version {version}"
