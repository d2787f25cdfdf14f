"""Chooses which ranked chunks to show: near-duplicates collapse, and no document crowds out the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quire.index.opened import OpenedIndex
from quire.ordinals import contains
from quire.ranking import Ranking

if TYPE_CHECKING:
    from quire.ports import Ordinals

NEAR_BITS = 3
"""Fingerprints of 64 bits that differ in no more are one text. Source: Manku et al., "Detecting near-duplicates
for web crawling", WWW 2007."""


def diversify(
    index: OpenedIndex, ranking: Ranking, *, per_document: int, limit: int, exempt: Ordinals
) -> Ranking:
    """The best `limit` chunks without near-duplicates, at most `per_document` of one document.

    Chunks in `exempt` (sorted) are neither near-duplicates nor counted: the question names what they define. Others
    over the cap come after the rest had their turn, so a full page is shown whenever there is one. A larger limit
    begins with what a smaller one gives, so pages follow one another. Scores stay those of the ranking, made descending
    again by lowering late ones to their predecessor's.
    """
    fingerprints: list[int] = index.fingerprints(ranking.ordinals).tolist()
    documents: list[int] = index.documents.numbers(ranking.ordinals).tolist()
    is_exempt = contains(exempt, ranking.ordinals).tolist() if len(exempt) else [False] * len(ranking)
    chosen: list[int] = []
    spare: list[int] = []
    seen: dict[int, int] = {}
    for position in range(len(ranking)):
        if len(chosen) == limit:
            break
        if is_exempt[position]:
            chosen.append(position)
            continue
        if chosen and _is_near(fingerprints, position, chosen):
            continue
        shown = seen.get(documents[position], 0)
        if per_document and shown >= per_document:
            spare.append(position)
            continue
        seen[documents[position]] = shown + 1
        chosen.append(position)
    chosen += spare[: limit - len(chosen)]
    return Ranking(ranking.ordinals[chosen], np.minimum.accumulate(ranking.scores[chosen]))


def _is_near(fingerprints: list[int], position: int, chosen: list[int]) -> bool:
    own = fingerprints[position]
    return any((fingerprints[other] ^ own).bit_count() <= NEAR_BITS for other in chosen)
