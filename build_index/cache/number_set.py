"""Numbers seen so far, of which there may be millions: 8 bytes each, where a set takes 70."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

RECENT = 1 << 16


class SeenNumbers:
    """Unsigned 64-bit numbers, the last ones in a set and earlier ones in a sorted array."""

    def __init__(self, recent: int = RECENT) -> None:
        self._most_recent = recent
        self._recent: set[int] = set()
        self._earlier = np.empty(0, np.uint64)

    def add_new(self, numbers: Sequence[int]) -> array[int]:
        """Those of the numbers, each given once, that were never given before, in order; from now on they were."""
        new = [one for one in numbers if one not in self._recent]
        if len(self._earlier) and new:
            wanted = np.array(new, np.uint64)
            places = np.minimum(np.searchsorted(self._earlier, wanted), len(self._earlier) - 1)
            is_known = self._earlier[places] == wanted
            new = [one for one, known in zip(new, is_known.tolist(), strict=True) if not known]
        self._recent.update(new)
        if len(self._recent) >= self._most_recent:
            self._earlier = np.union1d(self._earlier, np.fromiter(self._recent, np.uint64, len(self._recent)))
            self._recent.clear()
        return array("Q", new)
