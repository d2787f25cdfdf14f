"""In-memory implementations of ports, which pass the same contracts as the real ones."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np

from quire.analysis.terms import analyze
from quire.ports import Vectors

WINDOW_WORDS = 180
OVERLAP_WORDS = 30


class HashingEmbedder:
    """Unit vectors from hashed terms: texts that share terms lie near each other; no model file, no vendor.

    Each term adds a pseudo-random direction of its own, drawn from its sha256.
    """

    def __init__(self, dimensions: int = 64) -> None:
        self._dimensions = dimensions
        self.tokens = 0

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def digest(self) -> str:
        return hashlib.sha256(f"hashing-{self._dimensions}".encode()).hexdigest()

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = [self._row(" ".join(text.split()[:WINDOW_WORDS])) for text in texts]
        return np.stack(rows) if rows else np.empty((0, self._dimensions), np.float32)

    def embed_passages(self, passages: Iterable[tuple[str, str]]) -> Iterator[Vectors]:
        for prefix, text in passages:
            words = text.split()
            self.tokens += len(words)
            step = WINDOW_WORDS - OVERLAP_WORDS
            starts = range(0, max(len(words) - OVERLAP_WORDS, 1), step)
            windows = [" ".join(words[start : start + WINDOW_WORDS]) for start in starts]
            yield np.stack([self._row(f"{prefix}\n{window}") for window in windows])

    def _row(self, text: str) -> Vectors:
        return row(text, self._dimensions)


@lru_cache(maxsize=2_000)
def row(text: str, dimensions: int) -> Vectors:
    """The unit row of a text, not to be written to: each build of a test asks the same hundred questions."""
    total = 0.01 * direction("", dimensions)
    for term in analyze(text):
        total = total + direction(term, dimensions)
    found = np.asarray(total / np.linalg.norm(total), np.float32)
    found.flags.writeable = False
    return found


@lru_cache(maxsize=20_000)
def direction(term: str, dimensions: int) -> Vectors:
    """A term's own pseudo-random direction."""
    seed = int.from_bytes(hashlib.sha256(term.encode("utf-8", "surrogatepass")).digest()[:8], "little")
    return np.random.default_rng(seed).normal(size=dimensions).astype(np.float32)
