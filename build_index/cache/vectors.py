"""Vectors of passages by content, kept between builds: a rebuild embeds only what changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias

import numpy as np

from build_index.cache.store import VECTORS, ContentStore
from quire.embedding.quantization import Quantized, quantize
from quire.ports import Embedder

Passage: TypeAlias = tuple[str, str]

BLOCK = 4096
"""Passages looked up at once; the threads run dry once a block, for less than 0.1 s of its minute."""
COMMIT_EVERY = 64
"""An interrupted build loses at most so many vectors, about a second of work."""


class CachedVectors:
    """Passages to quantized vectors, from the cache where it has them, else from the embedder.

    Cached and fresh vectors are the same bytes: what is stored is what `quantize` gave.

    Attributes:
        hits, misses: passages answered from the cache, and by the embedder; a passage that comes again in its block
            is a hit.
    """

    def __init__(self, embedder: Embedder, store: ContentStore) -> None:
        self.hits = 0
        self.misses = 0
        self._embedder = embedder
        self._store = store

    @property
    def tokens(self) -> int:
        """Tokens that the embedder ran so far, where it counts them; else 0."""
        return int(getattr(self._embedder, "tokens", 0))

    def __call__(self, passages: Iterable[Passage]) -> Iterator[Quantized]:
        """One Quantized for each passage `(prefix, text)`, in order, a row for each window; lazy.

        Raises:
            ModelError: the model fails.
            StoreError: the store cannot be used.
        """
        source = iter(passages)
        while block := list(islice(source, BLOCK)):
            yield from self._answer(block)

    def _answer(self, block: Sequence[Passage]) -> Iterator[Quantized]:
        keys = [passage_key(self._embedder.digest, passage) for passage in block]
        ready = self._read(keys)
        wanted = {key: passage for key, passage in zip(keys, block, strict=True) if key not in ready}
        self.misses += len(wanted)
        self.hits += len(block) - len(wanted)
        fresh: dict[bytes, Quantized] = {}
        # An embedder opens its model when it is first asked: .06 s, in each worker of a build that has all vectors.
        rows = self._embedder.embed_passages(list(wanted.values())) if wanted else iter(())
        arriving = zip(wanted, rows, strict=True)
        try:
            for key in keys:
                while key not in ready:
                    name, vectors = next(arriving)
                    ready[name] = fresh[name] = quantize(vectors)
                    if len(fresh) >= COMMIT_EVERY:
                        self._write(fresh)
                yield ready[key]
        finally:
            self._write(fresh)

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, Quantized]:
        width = self._embedder.dimensions
        found = {key: unpack(value, width) for key, value in self._store.read(VECTORS, keys).items()}
        return {key: vectors for key, vectors in found.items() if vectors is not None}

    def _write(self, fresh: dict[bytes, Quantized]) -> None:
        self._store.write(VECTORS, {key: pack(vectors) for key, vectors in fresh.items()})
        fresh.clear()


def passage_key(digest: str, passage: Passage) -> bytes:
    """What a passage's vectors are found by: sha256 over the model's digest and the passage's own sha256."""
    content = hashlib.sha256("\0".join(passage).encode("utf-8", "surrogatepass")).digest()
    return hashlib.sha256(bytes.fromhex(digest) + content).digest()


def pack(vectors: Quantized) -> bytes:
    """Scales, then codes, little-endian."""
    return vectors.scales.astype("<f4").tobytes() + vectors.codes.tobytes()


def unpack(data: bytes, dimensions: int) -> Quantized | None:
    """What `pack` packed; None where it is of another length."""
    count, rest = divmod(len(data), 4 + dimensions)
    if rest or not count:
        return None
    scales = np.frombuffer(data, "<f4", count=count).astype(np.float32, copy=False)
    codes = np.frombuffer(data, np.int8, offset=4 * count).reshape(count, dimensions)
    return Quantized(codes, scales)
