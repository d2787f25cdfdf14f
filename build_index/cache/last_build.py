"""The segment that the last build left in the cache: a rebuild takes over the documents that are what they were."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from build_index.cache.prepared import PreparedEntry
from build_index.cache.store import ContentStore
from build_index.progress import say
from quire.adapters.folder import try_lock
from quire.canonical_json import json_sha256
from quire.errors import ArtifactError, StoreError
from quire.index.layout import MANIFEST, Manifest
from quire.index.reader import Segment, manifest_in, open_segment, verify_segment
from quire.index.writer import KeptRows
from quire.ingestion.rows import source_key


@dataclass(frozen=True, slots=True)
class TakenOver:
    """What a new segment takes over: rows of the last one, and the ids of the documents that they belong to."""

    rows: tuple[KeptRows, ...] = ()
    documents: frozenset[str] = frozenset()


class LastBuild:
    """A collection's last segment in the cache, with the record of what it was made of.

    Args:
        folder: where the segment lies, if there is one, by the collection's name.
        store: keeps the record.
        made_by: any JSON value that says how documents become rows, their own content and Quire's code aside.
    """

    def __init__(self, folder: Path, store: ContentStore, made_by: object) -> None:
        self._folder = folder
        self._store = store
        self._kind = record_of(folder.name)
        self._made_by = made_by

    def take_over(self, keys: Mapping[str, bytes]) -> TakenOver:
        """The rows of the documents that have the same key, see `content_keys`, as when the segment was written.

        Nothing where the segment is not the one on record, or is damaged, which is said.
        """
        recorded = self._store.read_all(self._kind)
        name = recorded.pop(b"", b"").decode()
        same = frozenset(one for one, key in keys.items() if recorded.get(_spelt(one)) == key)
        if not same or not (self._folder / MANIFEST).exists():
            return TakenOver()
        try:
            verify_segment(self._folder)
            if name != self._name(manifest_in(self._folder)):  # a build in shards may have left several there
                return TakenOver()
            return TakenOver((_rows_of(open_segment(self._folder), same),), same)
        except ArtifactError as error:
            say(f"{self._folder.name}: the last build's segment is damaged and is written anew: {error}")
            return TakenOver()

    def replace(self, fresh: Path, manifest: Manifest, keys: Mapping[str, bytes]) -> Path:
        """Put a written segment in the place of the last one, with its record; gives the folder."""
        shutil.rmtree(self._folder, ignore_errors=True)
        fresh.rename(self._folder)
        record = {_spelt(one): key for one, key in keys.items()}
        self._store.write(self._kind, {**record, b"": self._name(manifest).encode()})
        self._store.retain(self._kind, [*record, b""])
        return self._folder

    def _name(self, manifest: Manifest) -> str:
        return json_sha256([self._made_by, {name: one._asdict() for name, one in manifest.files.items()}])


@contextmanager
def hold_cache(cache: Path, collection: str) -> Iterator[None]:
    """Have what the cache keeps of a collection to oneself; the kernel frees it when the process dies.

    The store's lock does not: builds into two stores may share a cache, and each would remove the other's half-written
    segment, and, where their code differs, the chunks that the other has just cut.

    Raises:
        StoreError: another build has it.
    """
    path = lock_file(cache, collection)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        if not try_lock(file) or not _is_in_place(file, path):
            raise StoreError(
                f"{path}: another build of {collection!r}, into another store, works in the "
                f"cache {cache}; wait until it ends, or give this one a cache of its own (QUIRE_CACHE)"
            )
        yield


def lock_file(cache: Path, collection: str) -> Path:
    """What `hold_cache` locks."""
    return cache / f".{collection}.lock"


def _is_in_place(file: BinaryIO, path: Path) -> bool:
    """Whether nobody removed it since it was opened, as the removal of a collection does: it would bar nobody."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def record_of(collection: str) -> str:
    """The kind that the record of a collection's last segment is kept as."""
    return f"last segment of {collection}"


def content_keys(entries: Iterable[PreparedEntry]) -> dict[str, bytes]:
    """For each document id a digest of all that was read under it, in order."""
    keys: defaultdict[str, bytes] = defaultdict(bytes)
    for entry in entries:
        keys[entry.document_id] = hashlib.sha256(keys[entry.document_id] + entry.key).digest()
    return dict(keys)


def _rows_of(segment: Segment, documents: frozenset[str]) -> KeptRows:
    is_wanted = np.array([one in documents for one in segment.documents.strings], np.bool_)
    ordinals = np.flatnonzero(is_wanted[segment.document_numbers]).astype(np.uint32)
    return KeptRows(segment, ordinals, source_key)


def _spelt(document_id: str) -> bytes:
    return document_id.encode("utf-8", "surrogatepass")
