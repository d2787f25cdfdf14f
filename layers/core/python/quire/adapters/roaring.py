"""Sets of ordinals as Roaring bitmaps, the form in which OpenSearch takes a filter of millions.

Source: "RoaringFormatSpec", the portable format without runs: a cookie, the number of containers, their keys and sizes,
where each begins, and the containers, of which those of more than 4,096 are 65,536 bits and the others lists.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from quire.ports import Ordinals

COOKIE = 12346
LISTED = 4096
"""A container of so many and fewer is a list."""


def roaring_bitmap(ordinals: Ordinals) -> str:
    """The ordinals (ascending, unique) as base64 of a portable Roaring bitmap.

    >>> roaring_bitmap(np.array([1, 2, 65536], np.uint32))
    'OjAAAAIAAAAAAAEAAQAAABgAAAAcAAAAAQACAAAA'
    """
    highs = ordinals >> np.uint32(16)
    starts = np.flatnonzero(np.append(True, highs[1:] != highs[:-1])[: len(highs)])
    keys = highs[starts]
    lows = (ordinals & np.uint32(0xFFFF)).astype("<u2")
    containers = [_container(part) for part in np.split(lows, starts[1:])]
    counts = np.diff(np.append(starts, len(ordinals)))
    sizes = [len(one) for one in containers]
    begins = 8 + 8 * len(keys) + np.cumsum([0, *sizes[:-1]]) if sizes else np.empty(0)
    header = np.array([COOKIE, len(keys)], "<u4").tobytes()
    described = np.stack([keys, counts - 1], axis=1).astype("<u2").tobytes()
    return base64.b64encode(
        b"".join([header, described, begins.astype("<u4").tobytes(), *containers])
    ).decode()


def _container(lows: np.ndarray[tuple[int], np.dtype[np.uint16]]) -> bytes:
    if len(lows) <= LISTED:
        return lows.tobytes()
    bits = np.zeros(1 << 16, np.bool_)
    bits[lows] = True
    return np.packbits(bits, bitorder="little").tobytes()
