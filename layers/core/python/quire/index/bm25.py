"""BM25 over quarter steps.

    score(q, c) = sum over t of weight(t) idf(t) tf (k1 + 1) / (tf + k1 (1 - b + b length(c) / average))
    idf(t)      = ln(1 + (N - df(t) + 0.5) / (df(t) + 0.5))

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009; this form of idf, which
never falls below 0, is Lucene's. Term frequencies and lengths are weighted by field and kept as whole quarters, so that
their sums are exact in any order and merging segments changes no score.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

K1 = 1.2
B = 0.75
STEPS = 4  # quarter steps: whole numbers and the field weights 0.5 and 0.25 are kept exactly
MAX_STEPS = 255  # frequencies saturate at 63.75, where tf (k1 + 1) / (tf + k1) is within 2 % of its limit


def quantize_frequencies(frequencies: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Weighted term frequencies as quarters, at least one and at most `MAX_STEPS`.

    >>> quantize_frequencies(np.array([0.01, 1.0, 2.3, 900.0], np.float32)).tolist()
    [1, 4, 9, 255]
    """
    return np.clip(np.rint(frequencies * STEPS), 1, MAX_STEPS).astype(np.uint8)


def idf(chunks: int, frequency: int) -> float:
    """Inverse document frequency of a term that `frequency` of `chunks` hold."""
    return math.log1p((chunks - frequency + 0.5) / (frequency + 0.5))


def norms(lengths: NDArray[np.uint32], average: float) -> NDArray[np.float32]:
    """k1 (1 - b + b length / average) of each chunk, in quarters; `lengths` and `average` in quarters."""
    base = np.float32(STEPS * K1 * (1 - B))
    slope = np.float32(STEPS * K1 * B / average) if average > 0 else np.float32(0)
    return (base + lengths * slope).astype(np.float32)


def factors(weights: Iterable[float]) -> NDArray[np.float32]:
    """What the share of a term's frequency is multiplied by; a weight is the question's weight times the idf."""
    return np.array([weight * (K1 + 1) for weight in weights], np.float32)


def gains(
    frequencies: NDArray[np.uint8], length_norms: NDArray[np.float32], factors: NDArray[np.float32]
) -> NDArray[np.float32]:
    """What terms add to chunks that hold them: frequencies, norms and factors of each term in each chunk."""
    tf = frequencies.astype(np.float32)
    below = tf + length_norms
    tf *= factors
    tf /= below
    return tf
