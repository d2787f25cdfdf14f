"""The ports: what the core asks of its adapters. Each has one contract test class, run over every implementation.

A `Ranking` holds *ordinals*: positions of chunks in the opened index, from 0. Vectors are float32 rows of unit length.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from quire.documents import Chunk, Turn
from quire.fusion import Ranking

Vectors = NDArray[np.float32]
Ordinals = NDArray[np.uint32]


class Embedder(Protocol):
    """Text to unit vectors. The same text gives the same bytes whatever is embedded beside it."""

    @property
    def dimensions(self) -> int:
        """Width of a row."""

    @property
    def digest(self) -> str:
        """Hexadecimal sha256 that names the model's files; what vectors of two programs must agree on."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Questions to rows, shape (n, dimensions), order kept; over-long text is truncated at the window."""

    def embed_passages(self, passages: Sequence[tuple[str, str]]) -> Iterator[Vectors]:
        """Passages `(prefix, text)` to rows, in order, each of shape (windows, dimensions) with windows >= 1.

        A passage longer than the model's window is cut into overlapping windows, each of which begins with the
        prefix (the breadcrumb).
        """


class VectorIndex(Protocol):
    """Nearest chunks by cosine."""

    def nearest(self, vector: Vectors, limit: int, allowed: Ordinals | None = None) -> Ranking:
        """Best first by cosine, each chunk once with its best vector; with `allowed`, exact over those ordinals.

        `vector` has shape (dimensions,). `allowed` is sorted and unique; empty gives an empty ranking.
        """


class KeywordIndex(Protocol):
    """Chunks by BM25 over weighted terms."""

    def search(self, terms: Mapping[str, float], limit: int, allowed: Ordinals | None = None) -> Ranking:
        """Best first by the summed, weighted BM25 of `terms` (term -> weight); only scores above 0."""


class PayloadStore(Protocol):
    """Stored chunks by ordinal."""

    def fetch(self, ordinals: Sequence[int]) -> list[Chunk]:
        """Chunks in the order of `ordinals`.

        Raises:
            IndexError: an ordinal is out of range.
        """


class ChatMemory(Protocol):
    """Turns of sessions, each kept for 30 days at most."""

    def append(self, session: str, turns: Sequence[Turn], *, token: str | None = None) -> None:
        """Store the turns together, in order; the same `token` again stores nothing twice."""

    def recent(self, session: str, limit: int) -> list[Turn]:
        """The last `limit` live turns, oldest first."""

    def forget(self, session: str) -> int:
        """Delete the session's turns and say how many there were."""

    def purge(self, before: datetime) -> int:
        """Delete every turn older than `before` and say how many."""


class AnswerModel(Protocol):
    """A language model that streams an answer. Raises only `quire.errors.AnswerModelError` and its leaves."""

    @property
    def name(self) -> str:
        """What `model_used` says."""

    def stream(self, system: str, turns: Sequence[Turn], *, max_tokens: int, deadline: float) -> Iterator[str]:
        """Yield pieces of the answer; `deadline` is in `time.monotonic()` seconds and bounds the whole call."""
