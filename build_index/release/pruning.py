"""Removes what no pointer and no kept version refers to: old segments, half-uploaded ones, models, indexes of a server.

A store tells no ages, so removal takes two looks. The first condemns: `condemned.json` notes what nothing refers to
and since when. A later one removes what is still condemned after the grace period. In between a process that read an
older pointer can finish fetching, and a live write that uploaded its segment can swap its pointer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from build_index.release.publishing import ReleaseTarget, manifest_of
from quire.canonical_json import canonical_json
from quire.embedding.model_folder import FACTS_FILE
from quire.errors import SwapConflict, UnknownVersion
from quire.index.layout import MANIFEST, Pointer
from quire.ports import ObjectStore
from quire.store.keys import (
    COLLECTIONS,
    CONDEMNED,
    MODELS,
    SEGMENTS,
    collection_key,
    model_key,
    pointer_key,
    segment_key,
    server_alias,
    server_index,
    versions_key,
)
from quire.store.pointers import builds_of
from quire.store.retired import delete_under

GRACE_S = 3600.0
INDEXES = "server:"
"""Before the name of an index of a search server, where keys of the store are meant otherwise."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """What one look did: ids of forgotten versions, and key prefixes that were condemned or removed."""

    versions: tuple[str, ...]
    condemned: tuple[str, ...]
    removed: tuple[str, ...]


def prune(place: ReleaseTarget, name: str, *, keep: int, now: float, grace_s: float = GRACE_S) -> Pruned:
    """Keep the current state and the `keep` newest versions of the collection; see the module for the rest.

    Raises:
        UnknownCollection: the collection has no pointer.
        BuildInProgress: a build of the collection is running.
    """
    place.store.pointer(name)
    with place.store.lock(name):
        forgotten = _forget_versions(place, name, keep)
        segments = collection_key(name) + SEGMENTS
        in_use = _referred(place, place.store.collections())
        indexes = _indexes(place, name)
        held = [*_folders(place.objects, segments), *_folders(place.objects, MODELS), *indexes]
        unused = _without_sites_models(place, [key for key in held if key not in in_use])
        scope = (segments, MODELS, *indexes)
        since = _condemn(place.objects, unused, scope, now)
        due = [key for key in unused if now - since[key] >= grace_s]
        removed = tuple(key for key in due if _remove(place, name, key))
        _acquit(place.objects, removed)
    waiting = tuple(key for key in unused if key not in removed)
    return Pruned(tuple(forgotten), waiting, removed)


def _forget_versions(place: ReleaseTarget, name: str, keep: int) -> list[str]:
    """Delete the records of all but the newest; the current one's stays."""
    current, held = place.store.pointer(name), place.store.versions(name)
    kept = {one.version for one in held[:keep]} | {current.version}
    forgotten = [one.version for one in held if one.version not in kept]
    for version in forgotten:
        place.objects.delete(versions_key(name, version))
    return forgotten


def _folders(objects: ObjectStore, prefix: str) -> Iterator[str]:
    """Keys of the folders directly under the prefix."""
    return (prefix + one for one in objects.list(prefix) if one.endswith("/"))


def _indexes(place: ReleaseTarget, name: str) -> list[str]:
    """Keys of the collection's indexes on a search server, where there is one."""
    server = place.store.server
    return [f"{INDEXES}{one}" for one in server.indexes(server_alias(name))] if server else []


def _referred(place: ReleaseTarget, names: Iterable[str]) -> set[str]:
    """Prefixes of the segments and models that some pointer or version of the collections needs."""
    keys: set[str] = set()
    for name in names:
        for pointer in _states(place, name):
            if pointer.engine:
                keys.add(f"{INDEXES}{server_index(name, builds_of(pointer))}")
            for ref in pointer.segments:
                keys.add(segment_key(name, ref.digest))
                manifest = manifest_of(place, name, ref.digest)
                if manifest is not None and manifest.model:
                    keys.add(model_key(manifest.model))
    return keys


def _without_sites_models(place: ReleaseTarget, unused: list[str]) -> list[str]:
    """The keys without the models that sites need; sites, of which there may be thousands, are read only for models."""
    if not any(key.startswith(MODELS) for key in unused):
        return unused
    in_use = _referred(place, _sites(place.objects))
    return [key for key in unused if key not in in_use]


def _sites(objects: ObjectStore) -> Iterator[str]:
    """Names of the sites: their pointers lie a folder deeper than those of collections."""
    for collection in _folders(objects, COLLECTIONS):
        for folder in _folders(objects, collection):
            name = folder.removeprefix(COLLECTIONS).rstrip("/")
            if objects.read(pointer_key(name)) is not None:
                yield name


def _states(place: ReleaseTarget, name: str) -> list[Pointer]:
    try:
        return place.store.versions(name)
    except UnknownVersion:  # a record vanished between being listed and being read: another prune
        return place.store.versions(name)


def _condemn(
    objects: ObjectStore, unused: list[str], scope: tuple[str, ...], now: float
) -> Mapping[str, float]:
    """Note what is unused since now and forget what is used again; gives since when each is condemned."""

    def noted(before: Mapping[str, float]) -> dict[str, float]:
        elsewhere = {key: since for key, since in before.items() if not key.startswith(scope)}
        return elsewhere | {key: before.get(key, now) for key in unused}

    return _change(objects, noted)


def _acquit(objects: ObjectStore, removed: tuple[str, ...]) -> None:
    if removed:
        _change(objects, lambda before: {key: since for key, since in before.items() if key not in removed})


def _change(
    objects: ObjectStore, change: Callable[[Mapping[str, float]], dict[str, float]]
) -> dict[str, float]:
    """Swap what is condemned for `change` of it; again where another prune was faster."""
    while True:
        stored = objects.read(CONDEMNED)
        after = change(json.loads(stored.data) if stored else {})
        try:
            objects.write(
                CONDEMNED,
                canonical_json(after),
                if_match=stored.etag if stored else None,
                if_absent=not stored,
            )
        except SwapConflict:
            continue
        return after


def _remove(place: ReleaseTarget, name: str, prefix: str) -> bool:
    """Delete what lies under the prefix unless something refers to it by now; what makes it whole goes first."""
    is_model = prefix.startswith(MODELS)
    if prefix in _referred(place, place.store.collections() if is_model else [name]):
        return False
    if is_model and not _without_sites_models(place, [prefix]):
        return False
    if prefix.startswith(INDEXES):
        if place.store.server:
            place.store.server.delete(prefix.removeprefix(INDEXES))
        return True
    for one in (MANIFEST, FACTS_FILE):
        place.objects.delete(prefix + one)
    delete_under(place.objects, prefix)
    return True
