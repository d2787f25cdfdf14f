"""The composition root of the operator's CLI: opens the store, the embedding model and the caches."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

# onnxruntime before usearch: some releases of usearch crash when they come first.
from quire.embedding.onnx import open_embedder  # isort: skip
from quire.embedding.wordpiece import open_tokenizer  # isort: skip
from dotenv import dotenv_values

from build_index.model.export import ensure_model
from build_index.pipeline.plan import Tools
from build_index.progress import say
from quire.adapters.answer_models import open_answer_model
from quire.adapters.folder import FolderStore
from quire.errors import ConfigError, QuireError
from quire.ports import Embedder, ObjectStore
from quire.settings import Settings, adopt, read_settings
from quire.store.leftovers import sweep_all
from quire.store.store import SegmentStore


@cache
def settings() -> Settings:
    """The process's settings, read once; lines of `.env` count where the shell exports nothing."""
    adopt(dotenv_values(".env"))
    return read_settings()


def open_objects(location: str | None) -> ObjectStore:
    """The objects under `--store` or QUIRE_STORE.

    Raises:
        ConfigError: it is neither a folder nor s3://bucket/prefix.
    """
    place = location or settings().store
    scheme, separator, _ = place.partition("://")
    if not separator:
        return FolderStore(Path(place))
    if scheme != "s3":
        raise ConfigError(f"store: wanted a folder or s3://bucket/prefix, found {place!r}")
    from quire.adapters.s3 import open_s3_store

    return open_s3_store(place)


def open_store(location: str | None) -> SegmentStore:
    """The collections under `--store` or QUIRE_STORE.

    Raises:
        ConfigError: it is neither a folder nor s3://bucket/prefix.
    """
    return SegmentStore(open_objects(location), settings().cache / "store")


def open_tools(*, threads: int | None = None, cache: Path | None = None) -> Tools:
    """The embedding model, exported at the first use and opened with a thread a core, and the cache folder.

    The answer model that the settings choose is opened where a build asks for it. `cache` is by default that of the
    process's settings.
    """
    kept = cache or settings().cache
    sweep_all(kept, settings().store)
    folder = ensure_model(kept, progress=_progress)
    embedder = _embedder(folder, threads or os.cpu_count() or 1)
    return Tools(embedder, folder, kept, answer_model=lambda: open_answer_model(settings()))


@cache
def open_workshop(location: str | None, threads: int) -> tuple[Tools, ObjectStore]:
    """What a worker of a build in shards works with, opened once a process."""
    return open_tools(threads=threads), open_objects(location)


def open_question_embedder() -> Embedder:
    """The embedding model as a server opens it: one thread."""
    return _embedder(ensure_model(settings().cache, progress=_progress), 1)


def open_model(folder: Path) -> Embedder:
    """The embedding model of a folder, for one thread."""
    return _embedder(folder, 1)


def _embedder(folder: Path, threads: int) -> Embedder:
    return open_embedder(folder, open_tokenizer(folder), threads=threads)


def _progress(step: str, done: int, total: int) -> None:
    if total:
        say(f"model: {step} {done}/{total}")


__all__ = [
    "QuireError",
    "open_model",
    "open_objects",
    "open_question_embedder",
    "open_store",
    "open_tools",
    "open_workshop",
    "settings",
]
