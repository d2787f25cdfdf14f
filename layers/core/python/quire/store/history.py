"""Older versions of collections: found by id, engine version or date, and a few of them kept open.

What is deleted today is deleted in every version: an older one is opened again when the tombstones changed.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quire.errors import StoreError, UnknownVersion
from quire.index.layout import Pointer
from quire.index.opened import OpenedIndex

if TYPE_CHECKING:
    from quire.store.catalog import CollectionStore

OLD_VERSIONS_KEPT = 4
"""Older versions kept open at once; each costs mappings and little memory of its own."""

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z")


class History:
    """Opens older versions. Safe to share by threads.

    The list of versions is read at most every `refresh_s` seconds; while the store fails, the last one read serves.
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
        held = self._held.get(name)
        if held is None or self._clock() >= held.due:
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


def find_version(held: Sequence[Pointer], name: str, wanted: str) -> Pointer:
    """The version of that id; else the newest of that label or label prefix; else the newest published by that date.

    A date such as `2026-11-21` means its end in UTC; `2026-11-21T08:00:00Z` means that moment. `held` is newest first.

    Raises:
        UnknownVersion: none of `held` is meant; the message lists them.
    """
    for pointer in held:
        if pointer.version == wanted:
            return pointer
    for pointer in held:
        if matches_label(pointer.label, wanted):
            return pointer
    moment = f"{wanted}T23:59:59Z" if _DATE.fullmatch(wanted) else wanted
    if _MOMENT.fullmatch(moment):
        for pointer in held:
            if pointer.published_at and pointer.published_at <= moment:
                return pointer
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
