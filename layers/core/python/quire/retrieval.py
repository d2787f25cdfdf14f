"""A question to hits: candidates from vectors and keywords, fused, named symbols first, diverse, calibrated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from quire.calibration import read_calibration
from quire.diversity import diversify
from quire.documents import Hit
from quire.errors import InputError
from quire.fusion import EMPTY, Ranking, rank
from quire.index import OpenedIndex
from quire.ports import Embedder, Ordinals
from quire.profiles import Profile, profile_named
from quire.question import Question, read_question
from quire.symbols import fold_symbol

MODES = ("hybrid", "vector", "keyword")
DEPTH = 200
"""Candidates from each side. 10 lose recall; beyond 300 nothing more is found."""
HEADING_WEIGHT = 0.5
MOST_NAMED = 64
NAME_LEAD = 1.0
"""Added to the fused score of a chunk that defines a named symbol; a fused score is at most 1."""


@dataclass(frozen=True, slots=True)
class Query:
    """What a caller asks; `filters` are exact, a list meaning any of."""

    text: str
    top_k: int = 8
    filters: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    min_score: float | None = None
    mode: str = "hybrid"


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Hits, best first, and how they were found; `degraded` says in words what was missing."""

    hits: tuple[Hit, ...]
    mode: str
    degraded: tuple[str, ...]
    version: str
    mended: Mapping[str, str] = field(default_factory=dict)


def retrieve(index: OpenedIndex, embedder: Embedder | None, query: Query) -> Retrieved:
    """Find the chunks that answer the question.

    Without an embedder the ranking is by keywords alone and `degraded` says so.

    Raises:
        InputError: the text is empty, the mode or a filter field unknown; `field` names it.
    """
    _check(query)
    profile = profile_named(index.profile)
    allowed = index.allowed(query.filters)
    question = read_question(query.text, index, heading_weight=HEADING_WEIGHT, resolve=index.resolve)
    mode, degraded = _available(query.mode, embedder)
    legs = _legs(index, embedder if mode != "keyword" else None, question, allowed, mode)
    fused = _fuse(legs, _weight(profile, question, mode), index.priors(profile.demotions))
    fused = _lead(index, fused, question)
    chosen = diversify(index, fused, per_document=profile.per_document, limit=query.top_k)
    hits = _hits(index, chosen, legs, question)
    if query.min_score is not None:
        hits = tuple(hit for hit in hits if hit.score >= query.min_score)
    return Retrieved(hits, mode, degraded, index.version, question.mended)


def _check(query: Query) -> None:
    if not query.text.strip():
        raise InputError("q: the question is empty", field="q")
    if query.mode not in MODES:
        raise InputError(f"mode: wanted one of {', '.join(MODES)}, found {query.mode!r}", field="mode")
    if query.top_k < 1:
        raise InputError(f"top_k: wanted 1 or more, found {query.top_k}", field="top_k")


def _available(mode: str, embedder: Embedder | None) -> tuple[str, tuple[str, ...]]:
    if embedder is None and mode != "keyword":
        return "keyword", ("embedding model unavailable: ranked by keywords alone",)
    return mode, ()


@dataclass(frozen=True, slots=True, eq=False)
class _Legs:
    """Both sides' exact scores over the same candidates; `ordinals` ascending, absent keywords score 0."""

    ordinals: Ordinals
    cosines: NDArray[np.float32] | None
    keywords: NDArray[np.float32]


def _legs(
    index: OpenedIndex, embedder: Embedder | None, question: Question, allowed: Ordinals | None, mode: str
) -> _Legs:
    vectors, keywords, row = EMPTY, EMPTY, None
    if embedder is not None:
        row = embedder.embed([question.text])[0]
        vectors = index.nearest(row, DEPTH, allowed)
    if mode != "vector":
        keywords = index.search(question.terms, DEPTH, allowed)
    named = _named(index, question.names, allowed)
    ordinals = np.unique(np.concatenate([vectors.ordinals, keywords.ordinals, named])).astype(np.uint32)
    cosines = None
    if row is not None:
        cosines = _align(ordinals, index.nearest(row, len(ordinals), ordinals))
    return _Legs(ordinals, cosines, _align(ordinals, keywords))


def _align(ordinals: Ordinals, ranking: Ranking) -> NDArray[np.float32]:
    scores = np.zeros(len(ordinals), np.float32)
    scores[np.searchsorted(ordinals, ranking.ordinals)] = ranking.scores
    return scores


def _weight(profile: Profile, question: Question, mode: str) -> float:
    if mode != "hybrid":
        return 1.0 if mode == "vector" else 0.0
    return profile.identifier_vector_weight if question.names else profile.vector_weight


def _fuse(legs: _Legs, weight: float, priors: NDArray[np.float32]) -> Ranking:
    scores = np.float32(1.0 - weight) * _scaled(legs.keywords)
    if legs.cosines is not None:
        scores = scores + np.float32(weight) * _scaled(legs.cosines)
    return rank(legs.ordinals, scores * priors[legs.ordinals], len(scores))


def _scaled(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    descending = np.sort(scores)[::-1]
    if len(scores) == 0 or descending[0] <= 0:
        return np.zeros_like(scores)
    top, low = descending[0], descending[min(100, len(scores)) - 1]
    return np.clip((scores - low) / max(top - low, np.float32(1e-9)), 0.0, 1.0).astype(np.float32)


def _named(index: OpenedIndex, names: Sequence[str], allowed: Ordinals | None) -> Ordinals:
    """Chunks that define one of the names, ascending, inside the filter."""
    if not names:
        return np.empty(0, np.uint32)
    named = np.unique(np.concatenate([index.symbol(name)[:MOST_NAMED] for name in names]))
    return named if allowed is None else named[np.isin(named, allowed)]


def _lead(index: OpenedIndex, fused: Ranking, question: Question) -> Ranking:
    """Put the chunks that define a named symbol first, a qualified name before a bare one."""
    if not question.names:
        return fused
    scores = fused.scores.copy()
    for name in question.names:
        ordinals = index.symbol(name)[:MOST_NAMED]
        lead = NAME_LEAD * (1.0 if question.whole or "." in fold_symbol(name) else 0.5)
        scores[np.isin(fused.ordinals, ordinals)] += np.float32(lead / max(len(ordinals), 1) ** 0.5)
    return rank(fused.ordinals, scores, len(scores))


def _hits(index: OpenedIndex, chosen: Ranking, legs: _Legs, question: Question) -> tuple[Hit, ...]:
    places = np.searchsorted(legs.ordinals, chosen.ordinals)
    cosines = None if legs.cosines is None else legs.cosines[places]
    ideal = index.ideal(question.terms)
    evidence = np.column_stack(
        [
            np.zeros(len(places)) if cosines is None else cosines,
            legs.keywords[places] / max(ideal, 1e-9),
            np.isin(chosen.ordinals, _named(index, question.names, None)),
        ]
    )
    scores = read_calibration(index.calibration).probabilities(evidence.astype(np.float64))
    scores = np.minimum.accumulate(scores)
    return tuple(
        Hit(chunk, position, float(scores[position - 1]), None if cosines is None else float(cosines[position - 1]), index.version)
        for position, chunk in enumerate(index.fetch(chosen.ordinals.tolist()), 1)
    )
