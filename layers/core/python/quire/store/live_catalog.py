"""Opened collections that take live writes: what was acknowledged anywhere holds here at the next request."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Protocol

from quire.errors import (
    ArtifactCorrupt,
    ArtifactError,
    QuireError,
    StoreError,
    StoreUnavailable,
    UnknownCollection,
)
from quire.index.layout import Pointer
from quire.index.opened import OpenedIndex
from quire.store.catalog import IDLE_S, CatalogEntry, Entries, Served, label_failure, trouble_of
from quire.store.pointers import builds_of, with_rollback

RETRY_S = 10.0
"""A newer build that could not be opened is left alone for so long."""
MOST_OPEN = 256
"""Collections kept open at once; a site's index costs mappings and some 100 KB."""
OPEN_ATTEMPTS = 5
"""Looks at a pointer that moves on each time that its state is opened, as while somebody merges what others write."""


class StateStore(Protocol):
    """What this asks of a store; `quire.store.store.SegmentStore` is the real one."""

    def pointer(self, name: str, known: Pointer | None = None) -> Pointer:
        """What the collection serves now, `known` itself if it has not moved; UnknownCollection without a pointer."""

    def open_state(self, pointer: Pointer) -> OpenedIndex:
        """Open exactly this state."""

    def is_near(self, pointer: Pointer) -> bool:
        """Whether opening this state fetches nothing."""


class LiveCatalog:
    """Looks at the pointer at every request, by a conditional read. Safe to share by threads.

    Requests that come while another looks wait, and share the next look among them: a look counts for those that
    began before it did. While the store cannot be reached, the last state serves and says so.

    A newer build is fetched and made ready as `quire.store.catalog.Catalog` does it. Until it is there, and where it
    cannot be had, the build before serves with what was written and deleted since.
    """

    def __init__(
        self,
        store: StateStore,
        *,
        most_open: int = MOST_OPEN,
        steady_s: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.prepare: Callable[[OpenedIndex], object] = id
        self.entries = Entries(clock, most_open)
        self.peek, self.trouble = self.entries.peek, self.entries.trouble
        self._store = store
        self._steady_s = steady_s
        self._clock = clock

    def get(self, name: str) -> Served:
        """The collection as it is at this moment.

        Raises:
            UnknownCollection: it has no pointer.
            StoreError, ArtifactError: it cannot be opened, and was not open.
        """
        asked = self._clock()
        entry = self.entries.entry(name)
        with entry.lock:
            if entry.served is not None and entry.looked_at > asked:
                return entry.served
            entry.looked_at = self._clock()
            entry.note_request(asked)
            try:
                entry.served = self._look(name, entry)
            except QuireError as error:
                if isinstance(error, UnknownCollection):
                    entry.served = None
                entry.trouble = trouble_of(error)
                raise
            return entry.served

    def find(self, name: str) -> Served | None:
        """The same, None where the collection has no pointer."""
        try:
            return self.get(name)
        except UnknownCollection:
            return None

    def _look(self, name: str, entry: CatalogEntry) -> Served:
        served, tried, failure = entry.served, None, None
        for _ in range(OPEN_ATTEMPTS):
            try:
                pointer = self._store.pointer(name, served.pointer if served else None)
            except (StoreUnavailable, ArtifactError) as error:
                if served is None:
                    raise
                entry.trouble = trouble_of(error)
                return replace(served, degraded=(label_failure(error, served.version),))
            if served is not None and served.pointer == pointer:
                return replace(served, degraded=()) if served.degraded else served
            if failure is not None and pointer == tried:
                return self._kept(name, entry, pointer, failure)
            try:
                return self._follow(name, entry, pointer)
            except ArtifactCorrupt as error:
                # A segment may have been merged and swept away since the pointer was read.
                tried, failure = pointer, error
            except (StoreUnavailable, ArtifactError) as error:
                return self._kept(name, entry, pointer, error)
        raise StoreUnavailable(f"collection {name!r}: its pointer moved {OPEN_ATTEMPTS} times in one look")

    def _follow(self, name: str, entry: CatalogEntry, pointer: Pointer) -> Served:
        """That state; while a newer build of it is on its way, the build before with what was written since."""
        served, builds = entry.served, builds_of(pointer)
        if builds == entry.failed and self._clock() < entry.retry_at and entry.failure is not None:
            raise copy.copy(entry.failure)
        open_state = partial(self._store.open_state, pointer)
        fetch = partial(self.entries.open, name, open_state, IDLE_S if served else 0.0)
        if served is None or builds == builds_of(served.pointer) or self._store.is_near(pointer):
            entry.arrival = None
            return Served(name, fetch(), pointer)
        key = ",".join(builds)
        is_begun = entry.arrival is not None and entry.arrival.version == key
        if not is_begun and entry.gap_s >= self._steady_s:
            return Served(name, fetch(), pointer)
        index = entry.arrived(key, fetch, self.prepare, self._clock())
        if index is None:
            return self._before(served, pointer)
        return Served(name, index if index.version == pointer.version else fetch(), pointer)

    def _before(self, served: Served, pointer: Pointer) -> Served:
        """The builds that `served` has, with what was written and deleted by that pointer."""
        state = with_rollback(pointer, served.pointer)._replace(etag="")
        if state == served.pointer:
            return served
        return Served(served.name, self._store.open_state(state), state)

    def _kept(self, name: str, entry: CatalogEntry, pointer: Pointer, error: QuireError) -> Served:
        """What serves on, labelled, where that state cannot be opened; what was deleted since is not served."""
        served = entry.served
        if served is None:
            raise error
        entry.trouble, now, builds = trouble_of(error), self._clock(), builds_of(pointer)
        if builds != builds_of(served.pointer) and now >= entry.retry_at:
            entry.failure, entry.failed, entry.retry_at = error, builds, now + RETRY_S
        try:
            kept = self._before(served, pointer)
        except (StoreError, ArtifactError):  # what was written since cannot be had either
            state = served.pointer._replace(tombstones=pointer.tombstones, etag="")
            kept = Served(name, self._store.open_state(state), state)
        return replace(kept, degraded=(label_failure(error, kept.version),))
