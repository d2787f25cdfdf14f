"""Keys of a store's objects, and carrying segments between a folder and a store."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from quire.canonical_json import json_sha256
from quire.embedding.model_folder import FACTS_FILE, read_facts
from quire.errors import ArtifactCorrupt
from quire.folders import whole_folder
from quire.index.layout import MANIFEST, Manifest, read_manifest
from quire.index.tensors import FileFacts, file_facts

if TYPE_CHECKING:
    from quire.ports import ObjectStore

COLLECTIONS = "collections/"
MODELS = "models/"
SEGMENTS = "segments/"
POINTER = "current.json"
TRANSFERS = 8
"""Files on their way at once: a segment has seven and its shards of text."""


def collection_key(name: str) -> str:
    """Prefix of everything that belongs to a collection."""
    return f"{COLLECTIONS}{name}/"


def pointer_key(name: str) -> str:
    """The one object of a collection that changes."""
    return collection_key(name) + POINTER


def lock_key(name: str) -> str:
    """The lock that keeps two builds apart."""
    return collection_key(name) + "lock.json"


def versions_key(name: str, version: str = "") -> str:
    """The record of a published version; without one the prefix of all."""
    return collection_key(name) + "versions/" + (f"{version}.json" if version else "")


def segment_key(name: str, digest: str) -> str:
    """Prefix of a segment's files."""
    return f"{collection_key(name)}{SEGMENTS}{digest}/"


def model_key(digest: str) -> str:
    """Prefix of a model's files, which lie in a store once."""
    return f"{MODELS}{digest}/"


def server_alias(collection: str) -> str:
    """The alias that points at what a search server serves of a collection."""
    return f"quire-{collection}"


def server_index(collection: str, builds: Iterable[str]) -> str:
    """The index of a search server that holds the builds of those digests, in their order.

    Versions that differ in tombstones or live writes alone share it.
    """
    return f"{server_alias(collection)}-{json_sha256([*builds])[:12]}"


CONDEMNED = "condemned.json"
"""What nothing refers to any more, and since when: `prune` removes it a while later."""


@contextmanager
def naming_segment(name: str, digest: str) -> Iterator[None]:
    """Let an error of a segment's files say whose they are, and what mends them."""
    try:
        yield
    except ArtifactCorrupt as error:
        mended = f"Building {name} again replaces it; `rollback` serves a version before"
        raise ArtifactCorrupt(f"{segment_key(name, digest)}: {error}. {mended}") from error


def upload_segment(
    objects: ObjectStore, prefix: str, folder: Path, manifest: Manifest, *, is_new: bool = False
) -> None:
    """Store a segment's files, the manifest last; where that is already there, those alone that are damaged.

    `is_new` says that it cannot be there, and saves the look.
    """
    is_there = not is_new and _holds(objects, prefix, manifest.digest)
    names = damaged_files(objects, prefix, manifest) if is_there else [*manifest.files]
    _carry(objects.put_file, ((prefix + name, folder / name, manifest.files[name].sha256) for name in names))
    if not is_there:
        path = folder / MANIFEST
        objects.put_file(prefix + MANIFEST, path, file_facts(path).sha256)


def _holds(objects: ObjectStore, prefix: str, digest: str) -> bool:
    try:
        return read_stored_manifest(objects, prefix, digest)[0].digest == digest
    except ArtifactCorrupt:
        return False


def damaged_files(objects: ObjectStore, prefix: str, manifest: Manifest) -> list[str]:
    """Files of a stored segment that are missing or not what its manifest promises, where the store is a folder.

    A bucket keeps objects whole, and what is fetched of one is checked on arrival.
    """
    paths = {name: objects.local_path(prefix + name) for name in manifest.files}
    return [
        name
        for name, path in paths.items()
        if path is not None and not (path.is_file() and file_facts(path) == manifest.files[name])
    ]


def upload_model(objects: ObjectStore, folder: Path) -> None:
    """Store an exported model's files, its facts last; where those are there, files that a folder lost or cut short.

    Raises:
        ModelError: the folder is not a sound model.
    """
    facts = read_facts(folder)
    prefix = model_key(facts.digest)
    path, stored = folder / FACTS_FILE, objects.read(prefix + FACTS_FILE)
    for name, (size, sha256) in facts.files.items():
        near = objects.local_path(prefix + name)
        if stored is None or (near and not (near.is_file() and near.stat().st_size == size)):
            objects.put_file(prefix + name, folder / name, sha256)
    if stored is None or stored.data != path.read_bytes():
        objects.put_file(prefix + FACTS_FILE, path, file_facts(path).sha256)


def read_stored_manifest(objects: ObjectStore, prefix: str, digest: str) -> tuple[Manifest, bytes]:
    """The manifest of a stored segment, and its bytes.

    Raises:
        ArtifactCorrupt: it is missing or is not the one of that digest.
    """
    stored = objects.read(prefix + MANIFEST)
    if stored is None:
        raise ArtifactCorrupt(f"{prefix}{MANIFEST}: no such object in the store")
    manifest = read_manifest(stored.data)
    if manifest.digest != digest:
        raise ArtifactCorrupt(f"{prefix}{MANIFEST}: sha256 {manifest.digest} expected {digest}")
    return manifest, stored.data


def fetch_segment(
    objects: ObjectStore,
    prefix: str,
    digest: str,
    folder: Path,
    *,
    make_room: Callable[[Manifest], None] | None = None,
    follows: Callable[[Manifest], Collection[str]] = lambda _: (),
) -> Manifest:
    """Bring a segment to `folder`, which appears whole but for what `follows`; every byte is checked on arrival.

    `make_room` is told beforehand what will arrive. Returns the segment's manifest.

    Raises:
        ArtifactCorrupt: a file is missing or is not what the digest promises.
    """
    manifest, data = read_stored_manifest(objects, prefix, digest)
    if make_room:
        make_room(manifest)
    later = follows(manifest)
    with whole_folder(folder, is_shared=True) as work:
        now = {name: one for name, one in manifest.files.items() if name not in later}
        fetch_files(objects, prefix, work, now)
        (work / MANIFEST).write_bytes(data)
    return manifest


def fetch_files(objects: ObjectStore, prefix: str, folder: Path, files: Mapping[str, FileFacts]) -> None:
    """Bring files of a segment to `folder`, each of which appears whole and checked; the largest begin first.

    Raises:
        ArtifactCorrupt: one is missing or is not what the digest promises.
    """
    names = sorted(files, key=lambda name: (-files[name].size, name))
    _carry(objects.fetch_file, ((prefix + name, folder / name, files[name].sha256) for name in names))


def _carry(move: Callable[[str, Path, str], None], files: Iterable[tuple[str, Path, str]]) -> None:
    """Move several files at once; after the first failure none is begun, and it is raised when all have ended."""
    # 6 ms of import that a process which maps its segments in place has not got.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(TRANSFERS) as pool:
        try:
            for one in [pool.submit(move, *file) for file in files]:
                one.result()
        finally:
            pool.shutdown(cancel_futures=True)
