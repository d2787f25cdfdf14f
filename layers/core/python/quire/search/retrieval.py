"""A question to hits: candidates from vectors and keywords, fused, named symbols first, diverse, calibrated."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from quire.analysis.language import is_foreign
from quire.analysis.terms import analyze, identifiers, words
from quire.documents import NOTHING, Chunk, Hit
from quire.errors import ArtifactCorrupt, InputError
from quire.filter_values import Filters
from quire.index.opened import OpenedIndex, vector_share
from quire.limits import QUESTION_CHARACTERS, TERMS_CHARACTERS
from quire.ports import WordList
from quire.profiles import Profile, profile_named
from quire.ranking import Ranking, fuse, union
from quire.search.calibration import Calibration, read_calibration
from quire.search.candidates import Ranked, gather, gather_evidence
from quire.search.intent import (
    may_ask_of_product,
    of_product,
    with_default,
    without_common_name,
    without_courtesy,
    without_product,
    words_of,
)
from quire.search.ordering import NORMALIZED_DEPTH, Chosen, choose, score
from quire.search.query import mended, read_question

if TYPE_CHECKING:
    from quire.index.layout import Manifest
    from quire.ports import Embedder, Vectors

MODES = ("hybrid", "vector", "keyword")
SHOWN = 5e-7
"""Scores are shown with six digits: one that is asked for as it was shown is not below itself."""
NEAR, MANY, FEW = 0.48, 10_000, 4
"""Cosine from which a chunk of a collection of so many may answer without sharing a word. Of gibberish the nearest of
9,580 chunks, some of which hold keys, reach .44; none of 285 questions with an answer, to six collections, shares no
word. Questions to a few pages often share none."""
LEAST_NAMING, FEWEST_NAMING = 0.02, 3
"""Share and number of the chunks that say a product's name at least."""
COMMON_NAME, MOST_CHUNKS = 0.5, 60
"""Share of the chunks that say a name from which on it is the product's, whatever the collection is called; in a larger
one several names may be as common, as those of parts are in a book on robots. Chosen on ten collections of 7 to 47
chunks: of 220 questions on the product's price, founder or cloud 208 are refused with it, 153 without."""
HEADING_WEIGHT = 0.25
"""What a term in a breadcrumb or symbol earns beside what it earns as text."""


class Query(NamedTuple):
    """What a caller asks; `filters` are exact, a list meaning any of. The first `offset` hits are left out.

    `terms` are names and words that the sources would use for what the question says in its own.
    """

    text: str
    top_k: int = 8
    filters: Filters = NOTHING
    min_score: float | None = None
    mode: str = "hybrid"
    offset: int = 0
    terms: str = ""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Hits, best first, and how they were found; `degraded` says in words what was missing.

    Where `terms` took part, `plain` are the hits of the question alone. `row` is the question's vector, where one was
    made; `names` are the symbols that the question names, as the collection spells them; `of_product` is as in
    `Ranked`.
    """

    hits: tuple[Hit, ...]
    mode: str
    degraded: tuple[str, ...]
    version: str
    mended: Mapping[str, str] = field(default_factory=dict)
    terms: str = ""
    plain: tuple[Hit, ...] = ()
    row: Vectors | None = field(default=None, compare=False, repr=False)
    names: tuple[str, ...] = ()
    of_product: bool = field(default=False, compare=False)


def retrieve(
    index: OpenedIndex,
    embedder: Embedder | None,
    query: Query,
    *,
    profile: Profile | None = None,
    ranked: Ranked | None = None,
) -> Retrieved:
    """Find the chunks that answer the question.

    Without an embedder the ranking is by keywords alone, without a readable keyword index by vectors alone, and
    `degraded` says so. A `profile` given takes the place of the index's own: so constants are compared. `ranked` is
    what `rank_question` gave for this query, if it was ranked before.

    With `terms` the question is ranked a second time with them behind it, and both rankings count alike. Scores stay
    those of the question alone, place by place: how sure the first hits are does not depend on what an agent guesses.
    A question in another language is read by its terms alone, see `read_by_terms`.

    Raises:
        ArtifactCorrupt: there is neither.
        InputError: the text is empty, the mode or a filter field unknown; `field` names it.
    """
    text, shortened = cut(query.text, QUESTION_CHARACTERS, "question")
    terms, too_long = cut(" ".join(query.terms.split()), TERMS_CHARACTERS, "terms")
    asked = query._replace(text=text, terms=terms)
    query = read_by_terms(asked)
    _check(query)
    mode, degraded = _available(index, query.mode, embedder)
    profile = profile or profile_named(index.profile)
    if not index.segments:  # the last document was deleted
        return Retrieved((), mode, (*shortened, *too_long, *degraded), index.version, terms=asked.terms)
    ranked = ranked or _rank(index, embedder, query._replace(mode=mode), profile)
    rankings = [ranked]
    if query.terms:
        longer = query._replace(mode=mode, text=f"{query.text} {query.terms}")
        rankings.append(_joined(ranked, _rank(index, embedder, longer, profile)))
    first, *other = choose(index, profile, rankings, query.offset + query.top_k)
    plain = _hits(index, ranked, first)
    hits = _as_sure_as(plain, index, ranked.row, other[0]) if other else plain
    return Retrieved(
        _shown(hits, query),
        mode,
        (*shortened, *too_long, *degraded),
        index.version,
        ranked.question.mended,
        terms=asked.terms,
        plain=_shown(plain, query) if query.terms else (),
        row=ranked.row,
        names=ranked.question.names,
        of_product=ranked.of_product,
    )


def cut(text: str, most: int, what: str) -> tuple[str, tuple[str, ...]]:
    """The first `most` characters, with a sentence where something is missing.

    >>> cut("abcdef", 4, "question"), cut("abc", 4, "question")
    (('abcd', ('question: read the first 4 of 6 characters',)), ('abc', ()))
    """
    if len(text) <= most:
        return text, ()
    return text[:most], (f"{what}: read the first {most:,} of {len(text):,} characters",)


def read_by_terms(query: Query) -> Query:
    """The query as it is ranked: one in another language by its terms and the identifiers that it writes.

    The words of another language are found by chance: they are misspellings of the index's, and its scores were
    measured on English. So the terms, which are English, are searched for and scored in their place.
    """
    if not query.terms or not is_foreign(query.text):
        return query
    return query._replace(text=" ".join([*identifiers(query.text), query.terms]), terms="")


def _shown(hits: tuple[Hit, ...], query: Query) -> tuple[Hit, ...]:
    """What is left of them by the offset and the least score."""
    hits = hits[query.offset :]
    if query.min_score is None:
        return hits
    return tuple(hit for hit in hits if hit.score > query.min_score - SHOWN)


def rank_question(index: OpenedIndex, embedder: Embedder, query: Query) -> Ranked:
    """Everything that is found for a question, before any chunk is read; calibrations have no part in it."""
    return _rank(index, embedder, query, profile_named(index.profile))


def weigh_top_hit(ranked: Ranked, calibration: Calibration) -> float | None:
    """The best chunk's log odds by another calibration than the index's own; None without a hit."""
    top = Ranking(ranked.fused.ordinals[:1], ranked.fused.scores[:1])
    if not len(top):
        return None
    evidence = gather_evidence(ranked.candidates, top, ranked.question)
    return float(calibration.logits(evidence)[0])


def _rank(index: OpenedIndex, embedder: Embedder | None, query: Query, profile: Profile) -> Ranked:
    mode, allowed = query.mode, index.filters.chunks(query.filters)
    is_ordinary = getattr(embedder, "has_word", None)  # of a `quire.ports.WordList`
    asked, may_ask = _asked(query.text, index, is_ordinary)
    question = read_question(
        asked,
        index,
        heading_weight=HEADING_WEIGHT,
        resolve=index.symbols.resolve,
        is_ordinary=is_ordinary,
        word_forms=profile.word_forms,
    )
    row = embedder.embed([question.text])[0] if embedder is not None and mode != "keyword" else None
    candidates = gather(index, profile, question, allowed, row=row, keywords=mode != "vector")
    return Ranked(question, row, candidates, score(candidates, question, profile, mode), may_ask)


def _asked(text: str, index: OpenedIndex, is_ordinary: Callable[[str], bool] | None) -> tuple[str, bool]:
    """The question without courtesy and the product's name, and whether it may ask what is asked of any product.

    The name is the collection's, where enough chunks say it, or in a small one a name that most of them say.
    """
    product = words_of(index.name)
    bare = without_courtesy(text)
    may_ask = may_ask_of_product(bare)
    text = of_product(with_default(bare), product)
    least = max(FEWEST_NAMING, LEAST_NAMING * index.chunk_count)
    left = without_product(text, product, is_ordinary)
    if left != text and all(index.document_frequency(term) >= least for term in analyze(" ".join(product))):
        return left, may_ask

    def is_common(word: str) -> bool:
        terms = [] if index.has_symbol(word) else analyze(word)
        return bool(terms) and min(map(index.document_frequency, terms)) >= COMMON_NAME * index.chunk_count

    if index.chunk_count <= MOST_CHUNKS:
        text = without_common_name(text, is_ordinary, is_common)
    return text, may_ask


def _joined(plain: Ranked, second: Ranked) -> Ranked:
    """Both rankings as one, each with weight 1; what either question names may fill its file's places."""
    fused = fuse(
        plain.fused,
        second.fused,
        weight=0.5,
        depth=NORMALIZED_DEPTH,
        limit=len(plain.fused) + len(second.fused),
    )
    named = union([plain.candidates.named, second.candidates.named])
    return plain._replace(candidates=plain.candidates._replace(named=named), fused=fused)


def _check(query: Query) -> None:
    if not query.text.strip():
        raise InputError("q: the question is empty", field="q")
    if query.mode not in MODES:
        raise InputError(f"mode: wanted one of {', '.join(MODES)}, found {query.mode!r}", field="mode")
    if query.top_k < 1:
        raise InputError(f"top_k: wanted 1 or more, found {query.top_k}", field="top_k")


def _available(index: OpenedIndex, mode: str, embedder: Embedder | None) -> tuple[str, tuple[str, ...]]:
    missing: tuple[str, ...] = ()
    if mode != "keyword" and vector_share(index.manifests) < 1.0:
        mode, missing = "keyword", (vectors_follow(index.manifests),)
    if embedder is None and mode != "keyword":
        mode, missing = "keyword", ("embedding model unavailable: ranked by keywords alone",)
    if mode == "vector" or index.keywords.is_readable:
        return mode, missing
    if embedder is None:
        raise ArtifactCorrupt(
            f"version {index.version}: the keyword index cannot be read, nor a model opened"
        )
    return "vector", ("keyword index unreadable: ranked by vectors alone",)


def vectors_follow(manifests: Sequence[Manifest]) -> str:
    """What is said while the vectors of an index are still being made; of some chunks they would favour those."""
    return f"vectors {vector_share(manifests):.0%}: ranked by keywords alone until they are there"


def _hits(index: OpenedIndex, ranked: Ranked, chosen: Chosen) -> tuple[Hit, ...]:
    candidates = ranked.candidates
    evidence = gather_evidence(candidates, chosen.ranking, ranked.question)
    calibration = read_calibration(index.calibration)
    scores = np.minimum.accumulate(calibration.probabilities(evidence)).tolist()
    cosines: list[float] = []
    if candidates.cosines is not None:
        cosines = candidates.cosines[np.searchsorted(candidates.ordinals, chosen.ranking.ordinals)].tolist()
    return _numbered(index, chosen.chunks, scores, cosines)


def _as_sure_as(
    plain: Sequence[Hit], index: OpenedIndex, row: Vectors | None, found: Chosen
) -> tuple[Hit, ...]:
    """The chunks found, with the scores that the question alone earns at their places; `row` is its vector."""
    chosen, chunks = found
    last = plain[-1].score if plain else 0.0
    scores = [hit.score for hit in plain[: len(chunks)]] + [last] * (len(chunks) - len(plain))
    cosines: list[float] = []
    if row is not None:
        ascending = np.sort(chosen.ordinals)
        cosines = index.cosines(row, ascending)[np.searchsorted(ascending, chosen.ordinals)].tolist()
    return _numbered(index, chunks, scores, cosines)


def _numbered(
    index: OpenedIndex, chunks: Sequence[Chunk], scores: Sequence[float], cosines: Sequence[float]
) -> tuple[Hit, ...]:
    """Hits in their order; without `cosines` where vectors took no part."""
    known: Sequence[float | None] = cosines or [None] * len(scores)
    return tuple(
        Hit(chunk, number, score, cosine, index.version)
        for number, (chunk, score, cosine) in enumerate(zip(chunks, scores, known, strict=True), 1)
    )


def matches_nothing(index: OpenedIndex, embedder: Embedder | None, question: str, found: Retrieved) -> bool:
    """Whether the hits are only what every question finds: the nearest of chunks that are all far away.

    Of a few chunks those may be less near that ordinary words find; gibberish says nothing in other words.
    """
    ordinary = embedder if isinstance(embedder, WordList) else None
    is_said = ordinary is not None and any(
        ordinary.has_word(word) for word in words(question) if analyze(word)
    )
    least = near_of(index.chunk_count) if is_said else NEAR
    if found.names or any(hit.cosine is None or hit.cosine >= least for hit in found.hits):
        return False
    return not any(map(index.document_frequency, analyze(mended(question, found.mended))))


def near_of(chunks: int) -> float:
    """`NEAR` in a collection of so many chunks: the largest of n values at random grows as the root of log n.

    >>> [round(near_of(chunks), 2) for chunks in (1, 10, 100, 1_000, 100_000)]
    [0.19, 0.24, 0.34, 0.42, 0.48]
    """
    return NEAR * min(math.sqrt(math.log(max(chunks, FEW)) / math.log(MANY)), 1.0)


def search_vector(
    index: OpenedIndex, vector: Sequence[float], limit: int, filters: Mapping[str, Any]
) -> tuple[Hit, ...]:
    """The chunks nearest to a vector, which need not be of unit length; scores are cosines.

    Raises:
        InputError: the vector is not as wide as the index's, or has no direction, or a filter field is unknown.
    """
    if not index.chunk_count:
        return ()
    ranking = index.nearest(
        _unit(vector, index.manifests[0].dimensions), limit, index.filters.chunks(filters)
    )
    cosines = ranking.scores.tolist()
    scores = [min(max(cosine, 0.0), 1.0) for cosine in cosines]
    return _numbered(index, index.fetch(ranking.ordinals), scores, cosines)


def _unit(vector: Sequence[float], wanted: int) -> Vectors:
    row = np.asarray(vector, np.float32)
    if row.shape != (wanted,):
        message = f"query_embedding: wanted {wanted} numbers, found {len(row)}"
        raise InputError(message, field="query_embedding")
    length = np.float32(np.sqrt(row @ row))
    if not 0 < length < np.inf:
        raise InputError("query_embedding: wanted a direction, found none", field="query_embedding")
    unit: Vectors = row / length
    return unit
