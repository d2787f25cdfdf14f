"""Sets of ordinals as sorted arrays.

`numpy.unique` and its relatives import `numpy.ma` when first called, 30 to 70 ms that a process start has not got.
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
