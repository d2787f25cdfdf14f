"""How two rankings become one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quire.ranking import Ranking, rank

if TYPE_CHECKING:
    from numpy.typing import NDArray


def normalize(scores: NDArray[np.float32], depth: int) -> NDArray[np.float32]:
    """Min-max over the best `depth` scores, clipped to 0..1; a single or constant ranking becomes ones.

    `scores` is descending, as in a Ranking.
    """
    if len(scores) == 0:
        return scores
    top, low = float(scores[0]), float(scores[min(depth, len(scores)) - 1])
    if top - low < 1e-9:
        return np.ones_like(scores)
    spread: NDArray[np.float32] = np.clip((scores - low) / np.float32(top - low), 0.0, 1.0).astype(np.float32)
    return spread


def fuse(vectors: Ranking, keywords: Ranking, *, weight: float, depth: int, limit: int) -> Ranking:
    """Combine two rankings by a convex combination of their min-max normalized scores.

    `weight` goes to the vectors, the rest to the keywords; a chunk that only one ranking holds earns that side
    alone. Source: Bruch, Gai and Ingber, "An analysis of fusion functions for hybrid retrieval", ACM TOIS 2023.

    Raises:
        ValueError: `weight` is outside 0..1.
    """
    if not 0.0 <= weight <= 1.0:
        raise ValueError(f"weight: wanted 0..1, found {weight}")
    every = np.sort(np.concatenate([vectors.ordinals, keywords.ordinals]))
    ordinals = every[np.append(True, every[1:] != every[:-1])] if len(every) else every
    scores = np.zeros(len(ordinals), np.float32)
    for ranking, share in ((vectors, weight), (keywords, 1.0 - weight)):
        scores[np.searchsorted(ordinals, ranking.ordinals)] += np.float32(share) * normalize(
            ranking.scores, depth
        )
    return rank(ordinals, scores, limit)
