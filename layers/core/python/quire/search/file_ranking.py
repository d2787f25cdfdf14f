"""What speaks for a file as a whole: several of its chunks, and what it is called.

Both lift the file's best chunk; its further chunks then count less and less, so that a long file leaves room for
others. Nothing here looks at a chunk's text, so a question costs a few array operations over its candidates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from quire.ranking import Ranking, rank

if TYPE_CHECKING:
    from numpy.typing import NDArray

BEST_CHUNKS = 5
"""Chunks of a file that speak for it; with all of them long files would win by their length."""


def lift_files(
    ranking: Ranking,
    documents: NDArray[np.uint32],
    *,
    coherence: float,
    named: Callable[[NDArray[np.intp]], NDArray[np.float32]] | None = None,
) -> Ranking:
    """Lift the best chunk of each file.

    Args:
        ranking: all candidates, scores of 0 and more.
        documents: the number of each chunk's document, in the ranking's order.
        coherence: times the sum of a file's best `BEST_CHUNKS` scores, as a share of the largest such sum.
        named: positions in the ranking, one a file, to what their files' names earn them.
    """
    if not len(ranking):
        return ranking
    order, begins, places = _by_document(documents)
    scores = ranking.scores.copy()
    sums = np.add.reduceat(np.where(places < BEST_CHUNKS, scores[order], np.float32(0)), begins)
    best = order[begins]
    scores[best] += np.float32(coherence / max(float(sums.max()), 1e-9)) * sums
    if named is not None:
        scores[best] += named(best)
    return rank(ranking.ordinals, scores, len(scores))


def decay_further(ranking: Ranking, documents: NDArray[np.uint32], decay: float) -> Ranking:
    """Multiply the score of a file's second chunk by `decay`, of its third by the square of it, and so on."""
    if not len(ranking):
        return ranking
    order, _, places = _by_document(documents)
    scores = ranking.scores.copy()
    scores[order] *= np.float32(decay) ** places.astype(np.float32)
    return rank(ranking.ordinals, scores, len(scores))


def _by_document(
    documents: NDArray[np.uint32],
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Positions sorted by document, where each document begins among them, and each one's place in its document."""
    order = np.argsort(documents, kind="stable")
    ordered = documents[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    places = np.arange(len(order)) - np.repeat(begins, np.diff(begins, append=len(order)))
    return order, begins, places
