"""Who calls whom, by name: chunks name what they define (`symbols`) and what they refer to (`calls` of the metadata).

A reference is indexed as a keyword term behind a mark, so the callers of a name are the postings of one term, and the
callees of a chunk are the definitions of the names that it refers to. Names are matched without types: `x.retry()` is
taken for a call of everything called `retry`, and names that many chunks define are not followed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from quire.analysis.calls import call_term, calls_of
from quire.analysis.symbols import fold_symbol, last_part
from quire.documents import Chunk
from quire.ranking import Ranking, rank

if TYPE_CHECKING:
    from quire.ports import KeywordIndex, Ordinals


MOST_DEFINITIONS = 4
"""A name that more chunks define says nothing about which of them is meant."""


def find_callers(
    keywords: KeywordIndex, names: Sequence[str], limit: int, allowed: Ordinals | None = None
) -> Ranking:
    """Chunks that refer to one of the names, the most concentrated first; those that define it are not left out."""
    terms = dict.fromkeys(map(call_term, names), 1.0)
    return keywords.search(terms, limit, allowed)


def find_callees(defining: Callable[[str], Ordinals], chunks: Iterable[Chunk], limit: int) -> Ranking:
    """Chunks that define what the given ones refer to; `defining` gives those that define a symbol, ascending.

    A name scores 1 over its definitions, less for each reference that stands before it in its chunk, so that what one
    name alone can mean and what comes first lead. Names of the given chunks' own, and names with more definitions
    than `MOST_DEFINITIONS`, are left out.
    """
    found: dict[int, float] = {}
    for chunk in chunks:
        own = {last_part(fold_symbol(name)) for name in chunk.symbols}
        for position, name in enumerate(calls_of(chunk)):
            places = [] if last_part(fold_symbol(name)) in own else defining(name).tolist()
            if len(places) <= MOST_DEFINITIONS:
                score = 1.0 / (len(places) + position / 64) if places else 0.0
                found.update((ordinal, max(score, found.get(ordinal, 0.0))) for ordinal in places)
    ordinals = np.fromiter(found, np.uint32, len(found))
    return rank(ordinals, np.fromiter(found.values(), np.float32, len(found)), limit)
