"""A question to hits: candidates from vectors and keywords, fused, named symbols first, diverse, calibrated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from quire.analysis.terms import HEADING_MARK
from quire.documents import NOTHING, Chunk, Hit
from quire.errors import ArtifactCorrupt, InputError
from quire.index.file_names import number_terms
from quire.index.opened import OpenedIndex
from quire.limits import QUESTION_CHARACTERS, cut
from quire.profiles import Profile, profile_named
from quire.ranking import Ranking
from quire.search.calibration import Calibration, read_calibration
from quire.search.candidates import Candidates, fuse_sides, gather, lift_related
from quire.search.diversity import diversify
from quire.search.features import gather_evidence
from quire.search.file_ranking import decay_further, lift_files
from quire.search.intent import asks_for_place
from quire.search.query import Question, read_question
from quire.search.symbol_boost import lead_with_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quire.ports import Embedder

MODES = ("hybrid", "vector", "keyword")
COPIES = 16
"""Chunks that are looked at beyond those asked for, as some may be copies of others."""
SHOWN = 5e-7
"""Scores are shown with six digits: one that is asked for as it was shown is not below itself."""
HEADING_WEIGHT = 0.25
"""What a term in a breadcrumb or symbol earns beside what it earns as text."""


class Query(NamedTuple):
    """What a caller asks; `filters` are exact, a list meaning any of. The first `offset` hits are left out."""

    text: str
    top_k: int = 8
    filters: Mapping[str, str | Sequence[str]] = NOTHING
    min_score: float | None = None
    mode: str = "hybrid"
    offset: int = 0


class Retrieved(NamedTuple):
    """Hits, best first, and how they were found; `degraded` says in words what was missing."""

    hits: tuple[Hit, ...]
    mode: str
    degraded: tuple[str, ...]
    version: str
    mended: Mapping[str, str] = NOTHING


def retrieve(
    index: OpenedIndex, embedder: Embedder | None, query: Query, *, profile: Profile | None = None
) -> Retrieved:
    """Find the chunks that answer the question.

    Without an embedder the ranking is by keywords alone, without a readable keyword index by vectors alone, and
    `degraded` says so. A `profile` given takes the place of the index's own: so constants are compared.

    Raises:
        ArtifactCorrupt: there is neither.
        InputError: the text is empty, the mode or a filter field unknown; `field` names it.
    """
    text, shortened = cut(query.text, QUESTION_CHARACTERS, "question")
    query = query._replace(text=text)
    _check(query)
    mode, degraded = _available(index, query.mode, embedder)
    profile = profile or profile_named(index.profile)
    ranked = _rank(index, embedder, query._replace(mode=mode), profile)
    chosen, chunks = _choose(index, ranked, profile, query.offset + query.top_k)
    hits = _hits(index, ranked, chosen, chunks)[query.offset :]
    if query.min_score is not None:
        hits = tuple(hit for hit in hits if hit.score > query.min_score - SHOWN)
    return Retrieved(hits, mode, (*shortened, *degraded), index.version, ranked.question.mended)


def weigh_top_hit(
    index: OpenedIndex, embedder: Embedder, query: Query, calibration: Calibration
) -> tuple[Chunk, float] | None:
    """The best chunk with its log odds by another calibration than the index's own; None without a hit."""
    ranked = _rank(index, embedder, query, profile_named(index.profile))
    top = Ranking(ranked.fused.ordinals[:1], ranked.fused.scores[:1])
    if not len(top):
        return None
    evidence = gather_evidence(index, ranked.candidates, top, ranked.question)
    return index.fetch(top.ordinals.tolist())[0], float(calibration.logits(evidence)[0])


class _Ranked(NamedTuple):
    question: Question
    candidates: Candidates
    fused: Ranking


def _rank(index: OpenedIndex, embedder: Embedder | None, query: Query, profile: Profile) -> _Ranked:
    mode, allowed = query.mode, index.allowed(query.filters)
    question = read_question(
        query.text,
        index,
        heading_weight=HEADING_WEIGHT,
        resolve=index.resolve,
        is_ordinary=getattr(embedder, "has_word", None),  # of a `quire.ports.WordList`
    )
    row = embedder.embed([question.text])[0] if embedder is not None and mode != "keyword" else None
    candidates = gather(index, row, question, allowed, keywords=mode != "vector")
    priors = _priors(index, profile, question)
    fused = fuse_sides(candidates, _weight(profile, question, mode), priors)
    fused = _lift_files(index, fused, question, profile=profile, priors=priors)
    fused = lift_related(candidates, lead_with_names(index, fused, question, priors), priors)
    if profile.decay < 1.0:
        fused = decay_further(fused, index.documents(fused.ordinals), profile.decay)
    return _Ranked(question, candidates, fused)


def _lift_files(
    index: OpenedIndex,
    fused: Ranking,
    question: Question,
    *,
    profile: Profile,
    priors: NDArray[np.float32],
) -> Ranking:
    """Lift files that match in several places; by name only where no definition of a symbol is asked for."""
    if not (profile.coherence or profile.file_name):
        return fused
    documents = index.documents(fused.ordinals)
    terms = number_terms(term for term in question.terms if not term.startswith(HEADING_MARK))

    def named(best: NDArray[np.intp]) -> NDArray[np.float32]:
        likeness = index.file_names.likeness(documents[best], terms)
        return np.float32(profile.file_name) * priors[fused.ordinals[best]] * likeness

    by_name = profile.file_name and not (question.whole or question.defined)
    return lift_files(fused, documents, coherence=profile.coherence, named=named if by_name else None)


def _choose(
    index: OpenedIndex, ranked: _Ranked, profile: Profile, wanted: int
) -> tuple[Ranking, list[Chunk]]:
    """The first `wanted` chunks of different texts; more of the ranking is read where many are copies of others."""
    limit = wanted + COPIES
    while True:
        chosen = diversify(
            index,
            ranked.fused,
            per_document=profile.per_document,
            limit=limit,
            exempt=ranked.candidates.named,
        )
        kept, chunks = _distinct(index, chosen, wanted)
        if len(chunks) == wanted or len(chosen) < limit:
            return kept, chunks
        limit *= 4


def _check(query: Query) -> None:
    if not query.text.strip():
        raise InputError("q: the question is empty", field="q")
    if query.mode not in MODES:
        raise InputError(f"mode: wanted one of {', '.join(MODES)}, found {query.mode!r}", field="mode")
    if query.top_k < 1:
        raise InputError(f"top_k: wanted 1 or more, found {query.top_k}", field="top_k")


def _available(index: OpenedIndex, mode: str, embedder: Embedder | None) -> tuple[str, tuple[str, ...]]:
    missing: tuple[str, ...] = ()
    if embedder is None and mode != "keyword":
        mode, missing = "keyword", ("embedding model unavailable: ranked by keywords alone",)
    if mode == "vector" or index.has_keywords:
        return mode, missing
    if embedder is None:
        raise ArtifactCorrupt(
            f"version {index.version}: the keyword index cannot be read, nor a model opened"
        )
    return "vector", ("keyword index unreadable: ranked by vectors alone",)


def _weight(profile: Profile, question: Question, mode: str) -> float:
    if mode != "hybrid":
        return 1.0 if mode == "vector" else 0.0
    return profile.identifier_vector_weight if question.names else profile.vector_weight


def _priors(index: OpenedIndex, profile: Profile, question: Question) -> NDArray[np.float32]:
    is_place = profile.place_demotions and (question.whole or asks_for_place(question.text))
    return index.priors((*profile.demotions, *profile.place_demotions) if is_place else profile.demotions)


def _hits(index: OpenedIndex, ranked: _Ranked, chosen: Ranking, chunks: Sequence[Chunk]) -> tuple[Hit, ...]:
    candidates = ranked.candidates
    evidence = gather_evidence(index, candidates, chosen, ranked.question)
    calibration = read_calibration(index.calibration)
    scores = np.minimum.accumulate(calibration.probabilities(evidence)).tolist()
    cosines: list[float | None] = [None] * len(scores)
    if candidates.cosines is not None:
        cosines = candidates.cosines[np.searchsorted(candidates.ordinals, chosen.ordinals)].tolist()
    return tuple(
        Hit(chunk, number, score, cosine, index.version)
        for number, (chunk, score, cosine) in enumerate(zip(chunks, scores, cosines, strict=True), 1)
    )


def _distinct(index: OpenedIndex, chosen: Ranking, limit: int) -> tuple[Ranking, list[Chunk]]:
    """The first `limit`, without those whose text a better one holds: copies under other headings, in other files."""
    first: dict[str, int] = {}
    chunks: list[Chunk] = []
    while len(first) < limit and len(chunks) < len(chosen):
        begin = len(chunks)
        chunks += index.fetch(chosen.ordinals[begin : begin + limit - len(first)].tolist())
        for place in range(begin, len(chunks)):
            first.setdefault(chunks[place].text, place)
    kept = list(first.values())
    return Ranking(chosen.ordinals[kept], chosen.scores[kept]), [chunks[place] for place in kept]
