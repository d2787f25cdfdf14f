"""Rankings: ordinals with scores, best first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Ranking:
    """Ordinals with scores, best first.

    Attributes:
        ordinals: uint32, shape (n,), each once.
        scores: float32, shape (n,), descending; equal scores stand in ascending order of ordinal.
    """

    __slots__ = ("ordinals", "scores")

    def __init__(self, ordinals: NDArray[np.uint32], scores: NDArray[np.float32]) -> None:
        self.ordinals = ordinals
        self.scores = scores

    def __len__(self) -> int:
        return len(self.ordinals)


FEW = 400
"""Up to here sorting by two keys is the faster: 46 us against 82 for 120 of 900, and by as much with cold caches."""
_ZERO, _HALF = np.float32(0), np.uint64(32)
_SIGN, _ONE, _MAGNITUDE = np.uint32(31), np.uint32(1), np.uint32(0x7FFFFFFF)
EMPTY = Ranking(np.empty(0, np.uint32), np.empty(0, np.float32))


def rank(ordinals: NDArray[np.uint32], scores: NDArray[np.float32], limit: int) -> Ranking:
    """Sort pairs into a Ranking: by score, ties to the smaller ordinal, which keeps results alike from run to run.

    A partial selection comes first, so that the cost beyond `limit` is linear. What is left, if it is much, is sorted
    as integers, score above ordinal: seven times as fast as sorting by two keys, which takes fewer steps.
    """
    if limit <= 0 or len(ordinals) == 0:
        return EMPTY
    if len(ordinals) > 2 * limit:
        floor = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        keep = np.flatnonzero(scores >= floor)
        ordinals, scores = ordinals[keep], scores[keep]
    if len(ordinals) <= FEW:
        order = np.lexsort((ordinals, -scores))[:limit]
        return Ranking(ordinals[order], scores[order])
    keys = _descending((scores + _ZERO).view(np.uint32)).astype(np.uint64)
    keys <<= _HALF
    keys |= ordinals
    keys.sort()
    best = keys[:limit].view(np.uint32).reshape(-1, 2)
    return Ranking(np.ascontiguousarray(best[:, 0]), _descending(best[:, 1]).view(np.float32))


def _descending(bits: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Bits of float32 numbers as integers that ascend where the numbers descend; done twice, the bits again."""
    flips = bits >> _SIGN
    flips -= _ONE
    flips &= _MAGNITUDE
    flips ^= bits
    return flips
