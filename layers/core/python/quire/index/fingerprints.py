"""Fingerprints of chunks: near-duplicates differ in few of 64 bits.

A bit is the sign of the weighted sum of its terms' hashed bits. Source: Charikar, "Similarity estimation techniques
from rounding algorithms", STOC 2002 (simhash).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

BITS = 64


def term_hashes(terms: Sequence[str]) -> NDArray[np.uint64]:
    """The 64 bits of each term's blake2b hash."""
    hashes = b"".join(hashlib.blake2b(term.encode(), digest_size=BITS // 8).digest() for term in terms)
    return np.frombuffer(hashes, "<u8")


def fingerprints(
    hashes: NDArray[np.uint64], weights: NDArray[np.uint8], counts: NDArray[np.uint32]
) -> NDArray[np.uint64]:
    """Simhash of each chunk.

    Args:
        hashes: of the chunks' terms, chunk by chunk.
        weights: of these terms; whole numbers, so sums are exact.
        counts: terms of each chunk.
    """
    bits = np.unpackbits(hashes.astype("<u8").view(np.uint8), bitorder="little").reshape(-1, BITS)
    is_set, heavy = bits.astype(np.float32), weights.astype(np.float32)
    ends = np.cumsum(counts, dtype=np.intp)
    sums = np.zeros((len(counts), BITS), np.float32)
    begin = 0
    for row, end in enumerate(ends.tolist()):
        np.matmul(heavy[begin:end], is_set[begin:end], out=sums[row])
        begin = end
    running = np.concatenate([[0], np.cumsum(weights, dtype=np.int64)])
    totals = np.diff(running[ends], prepend=0)
    return np.packbits(2 * sums > totals[:, None], axis=1, bitorder="little").view("<u8").ravel()
