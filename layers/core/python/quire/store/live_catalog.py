"""Opened collections that take live writes: what was acknowledged anywhere holds here at the next request."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from quire.errors import ArtifactCorrupt, QuireError, StoreUnavailable, UnknownCollection
from quire.index.layout import Pointer
from quire.index.opened import OpenedIndex
from quire.store.catalog import Served, Trouble, trouble_of

MOST_OPEN = 256
"""Collections kept open at once; a site's index costs mappings and some 100 KB."""
OPEN_ATTEMPTS = 5


class StateStore(Protocol):
    """What this asks of a store; `quire.store.store.SegmentStore` is the real one."""

    def pointer(self, name: str, known: Pointer | None = None) -> Pointer:
        """What the collection serves now, `known` itself if it has not moved; UnknownCollection without a pointer."""

    def open_state(self, pointer: Pointer) -> OpenedIndex:
        """Open exactly this state."""


class LiveCatalog:
    """Looks at the pointer at every request, by a conditional read. Safe to share by threads.

    Requests that come while another looks wait, and share the next look among them: a look counts for those that
    began before it did. While the store cannot be reached, the last state serves and says so.
    """

    def __init__(
        self,
        store: StateStore,
        *,
        most_open: int = MOST_OPEN,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._most_open = most_open
        self._clock = clock
        self._guard = threading.Lock()
        self._entries: OrderedDict[str, _LiveEntry] = OrderedDict()

    def get(self, name: str) -> Served:
        """The collection as it is at this moment.

        Raises:
            UnknownCollection: it has no pointer.
            StoreError, ArtifactError: it cannot be opened, and was not open.
        """
        asked = self._clock()
        entry = self._entry(name)
        with entry.lock:
            if entry.served is not None and entry.looked_at > asked:
                return entry.served
            entry.looked_at = self._clock()
            try:
                entry.served = self._look(name, entry)
            except QuireError as error:
                if isinstance(error, UnknownCollection):
                    entry.served = None
                entry.trouble = trouble_of(error)
                raise
            return entry.served

    def trouble(self, name: str) -> Trouble | None:
        """The collection's last error since this process began."""
        entry = self._entries.get(name)
        return entry.trouble if entry else None

    def find(self, name: str) -> Served | None:
        """The same, None where the collection has no pointer."""
        try:
            return self.get(name)
        except UnknownCollection:
            return None

    def _entry(self, name: str) -> _LiveEntry:
        with self._guard:
            entry = self._entries.setdefault(name, _LiveEntry())
            self._entries.move_to_end(name)
            while len(self._entries) > self._most_open:
                self._entries.popitem(last=False)
            return entry

    def _look(self, name: str, entry: _LiveEntry) -> Served:
        served = entry.served
        for attempt in range(OPEN_ATTEMPTS):
            try:
                pointer = self._store.pointer(name, served.pointer if served else None)
            except StoreUnavailable as error:
                if served is None:
                    raise
                entry.trouble = trouble_of(error)
                return replace(served, degraded=(f"store unreachable: serving version {served.version}",))
            if served is not None and served.pointer == pointer:
                return replace(served, degraded=()) if served.degraded else served
            try:
                return Served(name, self._store.open_state(pointer), pointer)
            except ArtifactCorrupt:
                # A segment may have been folded into another and swept away since the pointer was read.
                if attempt == OPEN_ATTEMPTS - 1:
                    raise
        raise AssertionError("the loop returns or raises")


class _LiveEntry:
    """What is known of one collection; `looked_at` is when the last look at its pointer began."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.served: Served | None = None
        self.trouble: Trouble | None = None
        self.looked_at = float("-inf")
