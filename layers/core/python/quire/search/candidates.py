"""The chunks that may answer a question, scored by both sides, and how the sides become one ranking.

Who calls whom is read from names: chunks name what they define (`symbols`) and what they refer to (`calls` of the
metadata). A reference is indexed as a keyword term behind a mark, so the callers of a name are the postings of one
term, and the callees of a chunk are the definitions of the names that it refers to. Names are matched without types:
`x.retry()` is taken for a call of everything called `retry`, and names that many chunks define are not followed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from quire.analysis.calls import call_term, calls_of
from quire.analysis.symbols import fold_symbol, last_part
from quire.documents import Chunk
from quire.index.opened import OpenedIndex
from quire.ordinals import NONE, contains, difference, intersection, union
from quire.ranking import EMPTY, Ranking, fuse, rank
from quire.search.query import Question

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quire.ports import KeywordIndex, Ordinals, Vectors

DEPTH = 120
"""Candidates from each side. 10 lose recall; beyond 100 no golden question of four collections finds more."""
KEYWORD_DEPTH = 800
"""Keyword scores looked up for the vectors' candidates; further down they are as good as nothing."""
NORMALIZED_DEPTH = 100
"""Min-max spans the best 100 scores: .729 nDCG@10 on SciFact against .716 by reciprocal rank."""
MOST_NAMED = 64
RELATED = 20
MOST_DEFINING = 8
MOST_DEFINITIONS = 4
"""A name that more chunks define says nothing about which of them is meant."""
CALLER_SHARE = 0.75
"""Callers are what a question for them wants, before pages that mention the name; callees belong to their caller."""


class Candidates(NamedTuple):
    """Chunks with both sides' scores.

    Attributes:
        ordinals: ascending.
        cosines: float32, or None where vectors take no part.
        keywords: float32, 0 where no term matched.
        named: those that define a symbol of the question, ascending.
        related: callers and callees of those symbols, where the question is about them.
    """

    ordinals: Ordinals
    cosines: NDArray[np.float32] | None
    keywords: NDArray[np.float32]
    named: Ordinals
    related: Ranking


class Ranked(NamedTuple):
    """A question as it was read, its vector, and the chunks that it found, best first."""

    question: Question
    row: Vectors | None
    candidates: Candidates
    fused: Ranking


def gather(
    index: OpenedIndex, row: Vectors | None, question: Question, allowed: Ordinals | None, *, keywords: bool
) -> Candidates:
    """The best of each side and every chunk that defines a named symbol, each scored by both sides.

    `row` is the question's vector, None to leave vectors out; `keywords` says whether terms take part.
    """
    by_vector = EMPTY if row is None else index.nearest(row, DEPTH, allowed)
    by_term = index.search(question.searched, KEYWORD_DEPTH, allowed) if keywords else EMPTY
    named = named_chunks(index, question.names, allowed)
    related = find_related(index, question, named, allowed)
    ordinals = union([by_vector.ordinals, by_term.ordinals[:DEPTH], named, related.ordinals])
    cosines = None if row is None else _cosines(index, row, ordinals, by_vector)
    return Candidates(ordinals, cosines, align_scores(ordinals, by_term), named, related)


def _cosines(index: OpenedIndex, row: Vectors, ordinals: Ordinals, known: Ranking) -> NDArray[np.float32]:
    """Cosines of all candidates, the `known` among them; only those that the search did not score are computed."""
    cosines = np.empty(len(ordinals), np.float32)
    is_missing = np.ones(len(ordinals), np.bool_)
    places = ordinals.searchsorted(known.ordinals)
    cosines[places], is_missing[places] = known.scores, False
    missing = is_missing.nonzero()[0]
    if len(missing):
        cosines[missing] = index.cosines(row, ordinals[missing])
    return cosines


def fuse_sides(candidates: Candidates, weight: float, priors: NDArray[np.float32]) -> Ranking:
    """All candidates by a convex combination of min-max normalized scores times their priors.

    `weight` goes to the vectors. Source: Bruch, Gai and Ingber, "An analysis of fusion functions for hybrid
    retrieval", ACM TOIS 2023.
    """
    scores = np.float32(1.0 - weight) * _scaled(candidates.keywords)
    if candidates.cosines is not None:
        scores = scores + np.float32(weight) * _scaled(candidates.cosines)
    return rank(candidates.ordinals, scores * priors[candidates.ordinals], len(scores))


def find_related(
    index: OpenedIndex, question: Question, named: Ordinals, allowed: Ordinals | None
) -> Ranking:
    """Callers and callees of the named symbols, where the question is about either; scores at most 1."""
    if not len(named):
        return EMPTY
    asked = question.intent
    if not (asked.callers or asked.callees):
        return EMPTY
    callers = find_callers(index.keywords, question.names, RELATED, allowed) if asked.callers else EMPTY
    callees = EMPTY
    if asked.callees:
        callees = find_callees(index.symbols.chunks, index.fetch(named[:MOST_DEFINING].tolist()), RELATED)
    found = fuse(callers, callees, weight=CALLER_SHARE, depth=RELATED, limit=2 * RELATED)
    if allowed is None:
        return found
    held = contains(allowed, found.ordinals)
    return Ranking(found.ordinals[held], found.scores[held])


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


def named_chunks(index: OpenedIndex, names: Sequence[str], allowed: Ordinals | None) -> Ordinals:
    """Chunks that define one of the names, ascending, inside the filter."""
    if not names:
        return np.empty(0, np.uint32)
    named = union([defining_chunks(index, name) for name in names])
    return named if allowed is None else intersection(named, allowed)


def defining_chunks(index: OpenedIndex, name: str) -> Ordinals:
    """Up to `MOST_NAMED` chunks that define the name, ascending; those called exactly so are never left out."""
    defining = index.symbols.chunks(name)
    if len(defining) <= MOST_NAMED:
        return defining
    own = own_chunks(index, name)[:MOST_NAMED]
    return union([own, difference(defining, own)[: MOST_NAMED - len(own)]])


def own_chunks(index: OpenedIndex, name: str) -> Ordinals:
    """Chunks that are the definition of just this name, spelled so, and not a member's; ascending.

    `Serialize` the trait, and neither `Serializer.serialize` nor `serialize`. None where symbols cannot be filtered by.
    """
    own = index.filters.chunks({"symbol": name}) if "symbol" in index.filters.fields else None
    return NONE if own is None else own


def align_scores(ordinals: Ordinals, ranking: Ranking) -> NDArray[np.float32]:
    """The ranking's scores in the order of `ordinals`, 0 for those that it lacks."""
    scores = np.zeros(len(ordinals), np.float32)
    if len(ordinals):
        places = np.minimum(ordinals.searchsorted(ranking.ordinals), len(ordinals) - 1)
        held = ordinals[places] == ranking.ordinals
        scores[places[held]] = ranking.scores[held]
    return scores


def _scaled(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Min-max over the best `NORMALIZED_DEPTH`, 0 below them."""
    top = scores.max(initial=0)
    if top <= 0:
        return np.zeros_like(scores)
    below = max(len(scores) - NORMALIZED_DEPTH, 0)
    low = np.partition(scores, below)[below]
    scaled: NDArray[np.float32] = scores - low
    scaled /= max(top - low, np.float32(1e-9))
    np.maximum(scaled, 0, out=scaled)
    return scaled
