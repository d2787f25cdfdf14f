"""The composition root of the operator's CLI: opens the store, the embedding model and the caches."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from dotenv import dotenv_values

from build_index.model.export import ensure_model
from build_index.pipeline.plan import Tools
from build_index.progress import say
from quire.adapters import chosen
from quire.embedding.model_folder import read_facts
from quire.embedding.wordpiece import WordPiece, open_tokenizer
from quire.ports import Embedder, ObjectStore, Vectors
from quire.settings import Settings, adopt, read_settings
from quire.store.leftovers import sweep_all
from quire.store.store import SegmentStore

if TYPE_CHECKING:
    from quire.embedding.onnx import OnnxEmbedder


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
    return chosen.open_objects(location or settings().store)


def open_store(location: str | None) -> SegmentStore:
    """The collections under `--store` or QUIRE_STORE.

    Raises:
        ConfigError: it is neither a folder nor s3://bucket/prefix, or the search server's address is none.
    """
    server = chosen.open_server(settings().opensearch, is_serving=False)
    return SegmentStore(open_objects(location), settings().cache / "store", server=server)


def open_tools(*, threads: int | None = None, cache: Path | None = None) -> Tools:
    """The embedding model, exported at the first use and opened with a thread a core, and the cache folder.

    The answer model that the settings choose is opened where a build asks for it. `cache` is by default that of the
    process's settings.
    """
    kept = cache or settings().cache
    sweep_all(kept, settings().store)
    folder = ensure_model(kept, progress=_progress)
    embedder = _Model(folder, threads or os.cpu_count() or 1)
    return Tools(embedder, folder, kept, answer_model=lambda: chosen.open_answer_model(settings()))


@cache
def open_worker(location: str | None, threads: int) -> tuple[Tools, ObjectStore]:
    """What a worker of a build in shards works with, opened once a process."""
    return open_tools(threads=threads), open_objects(location)


def open_question_embedder() -> Embedder:
    """The embedding model as a server opens it: one thread."""
    return _Model(ensure_model(settings().cache, progress=_progress), 1)


def open_model(folder: Path) -> Embedder:
    """The embedding model of a folder, for one thread."""
    return _Model(folder, 1)


class _Model:
    """An exported model's folder as an embedder that is opened when the first text comes.

    Opening it takes .2 s of CPU, with its libraries: what waits for names and words need not wait for that.

    Raises:
        ModelError: a file is missing or has another size than `model.json` says; what else is wrong is raised by the
            first text.
    """

    def __init__(self, folder: Path, threads: int) -> None:
        facts = read_facts(folder)
        self.dimensions, self.digest = facts.dimensions, facts.digest
        self._folder, self._threads = folder, threads

    @cached_property
    def _tokenizer(self) -> WordPiece:
        return open_tokenizer(self._folder)

    @cached_property
    def _opened(self) -> OnnxEmbedder:
        # Imported here with onnxruntime: a build that knows all vectors needs neither.
        from quire.embedding import onnx

        return onnx.open_embedder(self._folder, self._tokenizer, threads=self._threads)

    @property
    def is_open(self) -> bool:
        return "_opened" in vars(self)

    @property
    def tokens(self) -> int:
        return self._opened.tokens if self.is_open else 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._opened.embed(texts)

    def embed_passages(self, passages: Iterable[tuple[str, str]]) -> Iterator[Vectors]:
        return self._opened.embed_passages(passages)

    def has_word(self, word: str) -> bool:
        return len(self._tokenizer.ids(word)) == 1


def _progress(step: str, done: int, total: int) -> None:
    if total:
        say(f"model: {step} {done}/{total}")
