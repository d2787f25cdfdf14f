"""Vectors of the questions that a build asks its own index, kept between builds: a rebuild asks nearly the same."""

from __future__ import annotations

import hashlib
import os
import pickle
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import islice
from multiprocessing import get_context
from types import TracebackType
from typing import IO, Self, TypeVar

import numpy as np

from build_index.cache.store import ContentStore
from build_index.pipeline.readers import cores
from quire.errors import QuireError
from quire.ports import Embedder, Vectors, WordList

COMMON = "questions of every collection"
LEAST_WAIT_S = 5.0
"""What a fork may take longer than its parent does for the other half."""

A = TypeVar("A")
R = TypeVar("R")


class CachedQuestions:
    """An embedder whose questions come from the store where it has them; passages always come from the model.

    Use it as a context manager: what was asked is kept at the end, and what was not is forgotten, unless nothing was
    asked. The questions in
    `common` are asked of every collection, so they are kept once for all: half of a small collection's build.
    """

    def __init__(
        self, embedder: Embedder, store: ContentStore, collection: str, common: Sequence[str] = ()
    ) -> None:
        self.dimensions = embedder.dimensions
        self.digest = embedder.digest
        self.embed_passages = embedder.embed_passages
        if isinstance(embedder, WordList):  # questions of a build are read as serving reads them
            self.has_word = embedder.has_word
        self._embedder = embedder
        self._store = store
        self._kind = questions_of(collection)
        self._common = frozenset(map(self._key, common))
        self._asked: dict[bytes, bytes] = {}

    def __enter__(self) -> Self:
        self._kept = self._store.read_all(self._kind) | self._store.read(COMMON, self._common)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._asked and self._asked != self._kept:
            own = {key: row for key, row in self._asked.items() if key not in self._common}
            new = {
                key: row for key, row in self._asked.items() if key in self._common and key not in self._kept
            }
            self._store.write(COMMON, new)
            self._store.write(self._kind, own)
            self._store.retain(self._kind, own)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `quire.ports.Embedder`."""
        keys = list(map(self._key, texts))
        left = {key: text for key, text in zip(keys, texts, strict=True) if not self._knows(key)}
        if left:  # together, so that the model's threads share them; each runs alone, to the same bytes
            rows = self._embedder.embed(list(left.values())).astype("<f4")
            self._asked.update(zip(left, map(bytes, rows), strict=True))
        found = np.frombuffer(b"".join(map(self._asked.__getitem__, keys)), "<f4")
        return found.reshape(-1, self.dimensions).astype(np.float32)

    def in_two(self, work: Callable[[Sequence[A]], list[R]], items: Sequence[A]) -> list[R]:
        """What `work` gives for the items, in order; it asks this embedder, and a fork does their second half.

        One process does all of them where there is one core, or where the model is open: its threads are not in a fork.
        Where a fork fails, dies or stands still its half is done here, and fails here.
        """
        is_open = getattr(self._embedder, "is_open", True)
        if is_open or len(items) < 2 or cores() < 2 or sys.platform != "linux":
            return work(items)
        half = len(items) // 2
        with tempfile.TemporaryFile() as answer:
            fork = get_context("fork").Process(
                target=self._tell, args=(answer, work, items[half:]), daemon=True
            )
            fork.start()
            try:
                began = time.monotonic()
                found = work(items[:half])
                fork.join(LEAST_WAIT_S + 2 * (time.monotonic() - began))
                if fork.exitcode != 0:
                    return [*found, *work(items[half:])]
            finally:
                fork.kill()
                fork.join()
            answer.seek(0)
            more, asked = pickle.load(answer)  # noqa: S301 - written by a copy of this process
        self._asked |= asked
        return [*found, *more]

    def _tell(self, answer: IO[bytes], work: Callable[[Sequence[A]], list[R]], items: Sequence[A]) -> None:
        """In the fork: write what it found and asked. The store, whose connection is its parent's, is not touched."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # its parent hears it
        before = len(self._asked)
        try:
            found = work(items)
        except (QuireError, OSError):
            os._exit(1)  # done again there, it is raised there
        pickle.dump((found, dict(islice(self._asked.items(), before, None))), answer)
        answer.flush()

    def _knows(self, key: bytes) -> bool:
        """Whether the row has been asked for, or is kept sound; from now on it has been."""
        if key not in self._asked and len(row := self._kept.get(key, b"")) == 4 * self.dimensions:
            self._asked[key] = row
        return key in self._asked

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(f"{self.digest}\0{text}".encode("utf-8", "surrogatepass")).digest()


def questions_of(collection: str) -> str:
    """The kind that the questions of a collection's builds are kept as."""
    return f"questions of {collection}"
