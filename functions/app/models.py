"""Embedding models by digest: found in the store, brought near, opened once."""

from __future__ import annotations

import json
import logging
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from copy import copy
from pathlib import Path

from functions.web.logs import log
from quire.embedding.model_folder import FACTS_FILE
from quire.errors import (
    ArtifactError,
    ModelError,
    ModelOutOfReach,
    StoreError,
    StoreUnavailable,
    UnknownCollection,
    unavailable,
)
from quire.ports import Embedder, ObjectStore
from quire.store.catalog import Catalog
from quire.store.keys import MODELS, model_key


class Models:
    """Embedders by digest, each opened once, at its first use. Safe to share by threads.

    One that cannot be opened is tried again after `retry_s`, so that a broken model does not cost every request.

    Args:
        folder_of: brings the model's folder near; see `model_folder`.
        open_folder: opens it.
    """

    def __init__(
        self,
        folder_of: Callable[[str], Path],
        open_folder: Callable[[Path], Embedder],
        *,
        retry_s: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder_of = folder_of
        self._open_folder = open_folder
        self._retry_s = retry_s
        self._clock = clock
        self._lock = threading.Lock()
        self._opened: dict[str, Embedder] = {}
        self._failed: dict[str, tuple[float, ModelError]] = {}

    def __call__(self, digest: str) -> Embedder:
        """The embedder of that digest.

        Raises:
            ModelError: the store has no such model, or it cannot be opened.
        """
        embedder = self._opened.get(digest)
        if embedder is not None:
            return embedder
        with self._lock:
            return self._opened.get(digest) or self._open(digest)

    def _open(self, digest: str) -> Embedder:
        failed_at, why = self._failed.get(digest, (float("-inf"), ModelError()))
        if self._clock() < failed_at + self._retry_s:
            raise copy(why)
        try:
            embedder = self._open_folder(self._folder_of(digest))
            if embedder.digest != digest:
                raise ModelError(
                    f"model: index has {digest!r}, the folder of that name holds {embedder.digest!r}"
                )
        except (ModelError, StoreError, ArtifactError) as error:
            kind = ModelOutOfReach if isinstance(error, StoreUnavailable) else ModelError
            failure = kind(str(error))
            self._failed[digest] = (self._clock(), failure)
            log("model unavailable", logging.WARNING, model=digest, message=str(error))
            raise failure from error
        self._opened[digest] = embedder
        return embedder


def model_folder(objects: ObjectStore, cache: Path, digest: str) -> Path:
    """Where the model's files lie on this machine: in the store itself, in the cache, or fetched into it just now.

    Raises:
        ModelError: neither has the model.
        StoreError, ArtifactError: it cannot be fetched, or other bytes arrived than were promised.
    """
    here, cached = objects.local_path(model_key(digest)), cache / "models" / digest
    for folder in (here, cached):
        if digest and folder is not None and (folder / FACTS_FILE).exists():
            return folder
    stored = objects.read(model_key(digest) + FACTS_FILE) if digest else None
    if stored is None:
        raise ModelError(f"model {digest!r}: not in the store, nor in the cache")
    try:
        _fetch_model(objects, digest, stored.data, cached)
    except OSError as error:
        raise unavailable(f"model {digest[:12]}", error) from error
    return cached


def _fetch_model(objects: ObjectStore, digest: str, facts: bytes, cached: Path) -> None:
    """Bring the model's files to `cached`, which appears whole."""
    cached.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".arriving-", dir=cached.parent))
    try:
        (work / FACTS_FILE).write_bytes(facts)
        for name, sha256 in _digests(digest, facts).items():
            objects.fetch_file(model_key(digest) + name, work / name, sha256)
        work.rename(cached)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def newest_model(objects: ObjectStore, cache: Path, catalog: Catalog) -> str:
    """Digest of the model that a new collection gets: that of the collection published last, else the only one there.

    Raises:
        ModelError: no collection has one, and neither the store nor the cache holds just one.
    """
    published: list[tuple[str, str]] = []
    for name in catalog.names():
        try:
            served = catalog.get(name)
        except (StoreError, ArtifactError, UnknownCollection):
            continue
        if served.model:
            published.append((served.pointer.published_at, served.model))
    if published:
        return max(published)[1]
    held = {name.rstrip("/") for name in objects.list(MODELS)}
    held = held or {path.parent.name for path in (cache / "models").glob(f"*/{FACTS_FILE}")}
    if len(held) != 1:
        found = ", ".join(sorted(held)) or "none"
        raise ModelError(
            f"model: wanted one in the store for a new collection, found {found}; build any collection"
        )
    return held.pop()


def _digests(digest: str, facts: bytes) -> dict[str, str]:
    """The sha256 of each of the model's files, as its facts promise them."""
    try:
        return {str(name): str(one["sha256"]) for name, one in json.loads(facts)["files"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"model {digest!r}: {FACTS_FILE} is broken: {error!r}") from error
