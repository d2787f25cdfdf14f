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


def term_signs(terms: Sequence[str]) -> NDArray[np.float32]:
    """The 64 bits of each term's blake2b hash as +1 and -1, lowest bit first; float32, shape (terms, 64)."""
    hashes = b"".join(hashlib.blake2b(term.encode(), digest_size=BITS // 8).digest() for term in terms)
    bits = np.unpackbits(np.frombuffer(hashes, np.uint8), bitorder="little").reshape(len(terms), BITS)
    return bits.astype(np.float32) * 2 - 1


def fingerprint(signs: NDArray[np.float32], weights: NDArray[np.float32]) -> int:
    """Simhash of a chunk from its terms' signs, shape (terms, 64), and their weights, whole numbers, shape (terms,)."""
    bits = np.packbits(weights @ signs > 0, bitorder="little")
    return int.from_bytes(bits.tobytes(), "little")
