"""A question to hits: candidates from vectors and keywords, fused, named symbols first, diverse, calibrated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from quire.calibration import read_calibration
from quire.candidates import Candidates, fuse_sides, gather, lead_with_names
from quire.confidence import gather_evidence
from quire.diversity import diversify
from quire.documents import Hit
from quire.errors import InputError
from quire.fusion import Ranking
from quire.index import OpenedIndex
from quire.ports import Embedder
from quire.profiles import Profile, profile_named
from quire.question import Question, read_question

MODES = ("hybrid", "vector", "keyword")
HEADING_WEIGHT = 0.25
"""What a term in a breadcrumb or symbol earns beside what it earns as text."""


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
    row = embedder.embed([question.text])[0] if embedder is not None and mode != "keyword" else None
    candidates = gather(index, row, question, allowed, keywords=mode != "vector")
    fused = fuse_sides(candidates, _weight(profile, question, mode), index.priors(profile.demotions))
    fused = lead_with_names(index, fused, question)
    chosen = diversify(index, fused, per_document=profile.per_document, limit=query.top_k)
    hits = _hits(index, chosen, candidates, question)
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


def _weight(profile: Profile, question: Question, mode: str) -> float:
    if mode != "hybrid":
        return 1.0 if mode == "vector" else 0.0
    return profile.identifier_vector_weight if question.names else profile.vector_weight


def _hits(index: OpenedIndex, chosen: Ranking, candidates: Candidates, question: Question) -> tuple[Hit, ...]:
    evidence = gather_evidence(index, candidates, chosen, question)
    scores = np.minimum.accumulate(read_calibration(index.calibration).probabilities(evidence)).tolist()
    cosines: list[float | None] = [None] * len(scores)
    if candidates.cosines is not None:
        cosines = candidates.cosines[np.searchsorted(candidates.ordinals, chosen.ordinals)].tolist()
    chunks = index.fetch(chosen.ordinals.tolist())
    rows = zip(chunks, scores, cosines, strict=True)
    return tuple(
        Hit(chunk, number, score, cosine, index.version)
        for number, (chunk, score, cosine) in enumerate(rows, 1)
    )
