"""Moves a collection's pointer by hand: publish what was built, go back to an older state, list what there is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from build_index.release.loading import load_folder, load_segments, load_version, server_named
from quire.embedding.model_folder import FACTS_FILE
from quire.errors import ArtifactCorrupt, InputError, ModelError, UnknownVersion
from quire.index.layout import MANIFEST, Manifest, Pointer, SegmentRef, read_manifest
from quire.index.reader import verify_segment
from quire.ports import ObjectStore, SearchServer
from quire.store import pointers as states
from quire.store.keys import model_key, segment_key, server_index
from quire.store.pointers import find_version as find_held
from quire.store.retired import names_under
from quire.store.store import SegmentStore, follow_pointer

LATEST = "latest"
PREVIOUS, NEWEST = "previous", "newest"


@dataclass(frozen=True, slots=True)
class ReleaseTarget:
    """A store, as collections and as the objects beneath."""

    objects: ObjectStore
    store: SegmentStore


@dataclass(frozen=True, slots=True)
class VersionFacts:
    """One version of a collection for people. `chunks` is None where a segment of it is gone."""

    id: str
    label: str
    published_at: str
    chunks: int | None
    is_current: bool

    def as_json(self) -> dict[str, Any]:
        """The value that `versions --json` prints for it."""
        return {
            "id": self.id,
            "label": self.label,
            "published_at": self.published_at,
            "chunks": self.chunks,
            "current": self.is_current,
        }


def list_versions(place: ReleaseTarget, name: str) -> list[VersionFacts]:
    """Every version that the store holds, newest first.

    Raises:
        UnknownCollection: the collection has no pointer.
    """
    current = place.store.pointer(name)
    return [_facts(place, one, current.version) for one in place.store.versions(name)]


def find_version(place: ReleaseTarget, name: str, wanted: str) -> Pointer:
    """A version by its id, its label (whole, or up to a dot), its date, or one of three words.

    `latest` is what is served now, `previous` what was published before that, `newest` what was published last.

    Raises:
        UnknownVersion: there is none; the message lists those there are.
    """
    current, held = place.store.pointer(name), place.store.versions(name)
    if wanted in (LATEST, NEWEST):
        return current if wanted == LATEST else held[0]
    if wanted == PREVIOUS:
        # What was written live since has the time of its build: only another build is a version before it.
        built = _builds(current)
        older = [one for one in held[held.index(current) + 1 :] if _builds(one) != built]
        if not older:
            raise UnknownVersion(
                f"version {wanted!r} of {name!r}: {current.version} is served and the oldest that is kept",
                field="version",
            )
        return older[0]
    return find_held(held, name, wanted)


def _builds(pointer: Pointer) -> list[SegmentRef]:
    return [ref for ref in pointer.segments if ref.origin == states.BUILD]


def roll_back(place: ReleaseTarget, name: str, wanted: str = PREVIOUS) -> Pointer:
    """Serve an older state again, by compare-and-swap; documents that were deleted since stay deleted.

    Raises:
        UnknownVersion: the store holds no such version.
        ArtifactCorrupt: a file of it is missing or damaged; nothing is changed.
    """
    older = find_version(place, name, wanted)
    for ref in older.segments:
        _require_segment(place, name, ref.digest)

    if older.engine:
        load_version(server_named(place.store, older.engine), place.store, older)

    def again(pointer: Pointer | None) -> Pointer:
        if pointer is None:
            raise UnknownVersion(f"version {wanted!r} of {name!r}: the pointer is gone", field="version")
        return states.with_rollback(pointer, older)

    pointer = place.store.pointers.advance(name, again, record=True)
    follow_pointer(place.store.server, pointer)
    return pointer


def publish_built(
    place: ReleaseTarget,
    name: str,
    cache: Path,
    *,
    segment: str = LATEST,
    label: str | None = None,
    review: Callable[[str, Path], Manifest] | None = None,
    engine: str = "",
) -> Pointer:
    """Serve a segment that was built with `--no-publish`, or one that the store holds already.

    Args:
        place: the store.
        name: of the collection.
        cache: folder that the build wrote into.
        segment: digest, or `latest` for what was built last.
        label: of the version; by default the version of the first source that has one.
        review: judges what comes from the cache; what the store holds already was judged when it came.
        engine: the server that searches it, which is given it first; "" where it is searched in place.

    Raises:
        PublishRefused: the review refused it.
        InputError: neither the cache nor the store has that segment.
        ArtifactCorrupt: a byte of it differs from its manifest.
        ModelError: neither has its embedding model.
        BuildInProgress: a build of the collection is running.
    """
    with place.store.lock(name):
        folder, manifest = _built(place, name, cache, segment)
        _require_model(place, cache, manifest.model)
        if review is not None and manifest_of(place, name, manifest.digest) is None:
            manifest = review(name, folder)
        if engine:
            _load(place, name, (folder, manifest), server_named(place.store, engine))
        return place.store.publish(name, folder, manifest, label=label, engine=engine)


def _load(place: ReleaseTarget, name: str, built: tuple[Path, Manifest], server: SearchServer) -> None:
    """Have the server hold what the cache or the store has."""
    folder, manifest = built
    held = folder / MANIFEST
    if held.exists() and read_manifest(held.read_bytes()).digest == manifest.digest:
        load_folder(server, name, folder)
        return
    stored = place.store.segment(name, SegmentRef(manifest.digest, 0))
    load_segments(server, server_index(name, [manifest.digest]), [stored])


def manifest_of(place: ReleaseTarget, name: str, digest: str) -> Manifest | None:
    """The manifest of a segment in the store; None where it is not there, or not wholly."""
    stored = place.objects.read(segment_key(name, digest) + MANIFEST)
    return read_manifest(stored.data) if stored else None


def _facts(place: ReleaseTarget, pointer: Pointer, current: str) -> VersionFacts:
    manifests = [manifest_of(place, pointer.collection, ref.digest) for ref in pointer.segments]
    whole = [one for one in manifests if one is not None]
    chunks = sum(one.counts.chunks for one in whole) if len(whole) == len(manifests) else None
    is_current = pointer.version == current
    return VersionFacts(pointer.version, pointer.label, pointer.published_at, chunks, is_current)


def _require_segment(place: ReleaseTarget, name: str, digest: str) -> None:
    """Stop where a file of the segment is missing, or, in a folder, of another size than it was."""
    manifest = manifest_of(place, name, digest)
    prefix = segment_key(name, digest)
    if manifest is None:
        raise ArtifactCorrupt(f"{prefix}{MANIFEST}: no such object in the store")
    missing = sorted(set(manifest.files) - set(names_under(place.objects, prefix)))
    if missing:
        raise ArtifactCorrupt(f"{prefix}{missing[0]}: no such object in the store")
    local = place.objects.local_path(prefix)
    if local is not None:
        verify_segment(local, digest)


def _built(place: ReleaseTarget, name: str, cache: Path, segment: str) -> tuple[Path, Manifest]:
    """Folder and manifest of what is to be published, every byte checked where it is not in the store yet."""
    folder = cache / "built" / name
    path = folder / MANIFEST
    built = read_manifest(path.read_bytes()) if path.exists() else None
    if built is not None and segment in (LATEST, built.digest):
        verify_segment(folder, built.digest)
        return folder, built
    stored = manifest_of(place, name, segment) if segment != LATEST else None
    if stored is None:
        found = built.digest if built else "nothing"
        raise InputError(
            f"segment {segment!r} of {name!r}: the cache holds {found}, and the store has no such segment",
            field="segment",
        )
    _require_segment(place, name, segment)
    return folder, stored


def _require_model(place: ReleaseTarget, cache: Path, digest: str) -> None:
    if not digest or place.objects.read(model_key(digest) + FACTS_FILE) is not None:
        return
    for facts in sorted(cache.glob(f"**/{FACTS_FILE}")):
        if f'"{digest}"' in facts.read_text(encoding="utf-8"):
            place.store.put_model(facts.parent)
            return
    raise ModelError(f"model {digest!r}: neither in the store nor in {cache}")
