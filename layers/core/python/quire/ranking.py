"""Ordinals with scores, best first, and sets of ordinals as sorted arrays.

How pairs are sorted into a ranking, and how two become one. `numpy.unique` and its relatives import `numpy.ma` when
first called, 30 to 70 ms that a process start has not got.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quire.ports import Ordinals

NONE: Ordinals = np.empty(0, np.uint32)

_Number = TypeVar("_Number", bound=np.integer[Any])
_Item = TypeVar("_Item", bound=np.generic)


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


EMPTY = Ranking(np.empty(0, np.uint32), np.empty(0, np.float32))


def rank(ordinals: NDArray[np.uint32], scores: NDArray[np.float32], limit: int) -> Ranking:
    """Sort pairs into a Ranking: by score, ties to the smaller ordinal, which keeps results alike from run to run.

    A partial selection comes first, so that the cost beyond `limit` is linear.
    """
    if limit <= 0 or len(ordinals) == 0:
        return EMPTY
    if len(ordinals) > 2 * limit:
        floor = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        keep = np.flatnonzero(scores >= floor)
        ordinals, scores = ordinals[keep], scores[keep]
    order = np.lexsort((ordinals, -scores))[:limit]
    return Ranking(ordinals[order], scores[order])


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
    ordinals = union([vectors.ordinals, keywords.ordinals])
    scores = np.zeros(len(ordinals), np.float32)
    for ranking, share in ((vectors, weight), (keywords, 1.0 - weight)):
        scores[np.searchsorted(ordinals, ranking.ordinals)] += np.float32(share) * normalize(
            ranking.scores, depth
        )
    return rank(ordinals, scores, limit)


def union(sets: Sequence[Ordinals]) -> Ordinals:
    """Every ordinal that is in one of the sets, which need not be sorted, ascending and once.

    >>> union([np.array([5, 1], np.uint32), np.array([1, 2], np.uint32)]).tolist()
    [1, 2, 5]
    """
    every = np.sort(np.concatenate([NONE, *sets]))
    keep = np.ones(len(every), np.bool_)
    np.not_equal(every[1:], every[:-1], out=keep[1:])
    return every[keep]


def repeated(sets: Sequence[Ordinals], least: int) -> Ordinals:
    """Every ordinal that is in `least` of the sets or more, two at least, ascending and once.

    >>> repeated([np.array(one, np.uint32) for one in ([1, 5], [1, 2, 5], [1, 3])], 3).tolist()
    [1]
    """
    every = np.sort(np.concatenate([NONE, *sets]))
    return union([every[: -(least - 1)][every[: -(least - 1)] == every[least - 1 :]]])


def contains(members: NDArray[_Number], ordinals: NDArray[_Number]) -> NDArray[np.bool_]:
    """For each of `ordinals`, in any order, whether it is among the ascending `members`."""
    places = np.searchsorted(members, ordinals)
    found = places < len(members)
    found[found] = members[places[found]] == ordinals[found]
    return found


def intersection(left: Ordinals, right: Ordinals) -> Ordinals:
    """What two ascending sets share, ascending.

    >>> intersection(np.array([1, 3, 5], np.uint32), np.array([3, 4, 5, 6], np.uint32)).tolist()
    [3, 5]
    """
    small, large = (left, right) if len(left) <= len(right) else (right, left)
    return small[contains(large, small)]


def difference(ordinals: Ordinals, members: Ordinals) -> Ordinals:
    """Those of `ordinals` that are not among the ascending `members`.

    >>> difference(np.array([1, 3, 5], np.uint32), np.array([3], np.uint32)).tolist()
    [1, 5]
    """
    return ordinals[~contains(members, ordinals)] if len(members) else ordinals


def bases(sizes: Sequence[int]) -> list[int]:
    """Where each of some parts begins when they are laid end to end.

    >>> bases([3, 0, 4])
    [0, 3, 3]
    """
    return [0, *accumulate(sizes)][: len(sizes)]


def joined(columns: Sequence[NDArray[_Item]]) -> NDArray[_Item]:
    """Columns end to end; a single one is not copied."""
    return columns[0] if len(columns) == 1 else np.concatenate(columns)


def ranges(begins: NDArray[np.intp], counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """The whole numbers begin, begin + 1, ... of each pair, end to end.

    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(counts)
    size = ends[-1] if len(ends) else 0
    spans: NDArray[np.intp] = np.arange(size) + np.repeat(begins - (ends - counts), counts)
    return spans
