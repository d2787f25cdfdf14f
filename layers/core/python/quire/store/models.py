"""Embedding models of a store: where one lies on this machine, fetched where it must be."""

from __future__ import annotations

import json
from pathlib import Path

from quire.embedding.model_folder import FACTS_FILE
from quire.errors import ArtifactError, ModelError, StoreError, UnknownCollection, unavailable
from quire.folders import whole_folder
from quire.ports import ObjectStore
from quire.store.catalog import Catalog
from quire.store.keys import MODELS, model_key


def model_folder(objects: ObjectStore, cache: Path, digest: str, *, brought: Path | None = None) -> Path:
    """Where the model's files lie on this machine: in the store itself, in the cache, or fetched into it just now.

    `brought` is a folder of models that came with the program. Each lies under its digest, and one that the index does
    not want is of no use.

    Raises:
        ModelError: neither has the model.
        StoreError, ArtifactError: it cannot be fetched, or other bytes arrived than were promised.
    """
    here, cached = objects.local_path(model_key(digest)), cache / "models" / digest
    for folder in (here, brought and brought / digest, cached):
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
    with whole_folder(cached, is_shared=True) as work:
        (work / FACTS_FILE).write_bytes(facts)
        for name, sha256 in _digests(digest, facts).items():
            objects.fetch_file(model_key(digest) + name, work / name, sha256)


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
