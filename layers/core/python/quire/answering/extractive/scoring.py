"""Scores the passages of the hits: which sentence, item, row or code block answers the question best."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache

from quire.analysis.symbols import fold_separators, fold_symbol
from quire.analysis.terms import analyze
from quire.answering.extractive.code_chunks import is_code_chunk
from quire.answering.extractive.definitions import definition_shares
from quire.answering.extractive.passages import CODE, Passage, split_passages
from quire.answering.extractive.weighing import Weighed, cue, tells_replacement
from quire.documents import Chunk, Hit
from quire.ports import Embedder, Vectors
from quire.search.intent import read_intent
from quire.search.query import written_names

MOST_EMBEDDED, UNREAD = 8, 0.8
"""About 3 ms each, the most of an answer without a language model. What is not embedded is taken for `UNREAD` times as
near as its chunk. Key facts over eight collections are .889 with 10, .888 with 8, .885 with 6; of the textbook all
stand in the first quote for .65 with 8, .60 with 6. The best of each chunk first, which may say it in other words than
the question, holds .0235 more of them over three collections that it was chosen on (interval +.0035 to +.0481), and of
the lines that answer 182 questions to fourteen others .006 more (-.011 to +.025)."""
EMBEDDED_CHARACTERS = 200
SHORTEST_STEM = 5
DEFINES = 5.0
"""For what says what the term is whose meaning is asked for. Of 67 questions such as "What is X?" to five collections
that nobody had looked at, 26 answers open elsewhere than without it: 15 better, 9 as well, 2 worse."""
NAMED = 1.0
"""For passages of the chunk that defines a symbol which the question writes. Of 100 questions such as "What does X()
do?" made from the symbols of celery and gson, 99 cite the definition (96 without), 96 first (95)."""

REPLACING = 3.0
"""For what tells what to use in place of a symbol, in a chunk that defines it, where that is asked. Of 62 such
questions about what 15 code bases have deprecated, none of which it was chosen on, 50 are answered with it, 47 of them
at once (48 and 45 without)."""

TITLED = 1.2
"""For passages whose section is called what the question asks about. With the joining of near quotes, key facts held
rise from .864 to .885 over 228 questions to seven collections (React Native's fall from .85 to .83), and from .86 to
.91 over Defold's and Caddy's manuals and microdot, which took no part in any other constant."""

PAGE = 0.6
"""How well a page's title says what is asked and nothing else, from which the question is about the page."""

COVERAGE, CONTEXT, ABOVE, STEMS, COSINE, CUE, RANK, HIT = 4.2, 3.0, 3.0, 1.8, 3.1, 0.6, 0.5, 4.0
"""Weights of the score, fitted on questions of SQuAD 2.0 by the sentence that holds the answer, for term F1. That of
the rank is raised from .3: a collection's sections differ more than Wikipedia's paragraphs."""
LAST_RANK = 4
"""Later ranks weigh as this one does: of many sections of a page, the place at which they were found says little."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A passage with how well it answers.

    Attributes:
        hit: the chunk it stands in.
        passage: its span.
        text: the span's text.
        order: its place among the chunk's passages, from 0.
        coverage: share of the question's term weight that it holds.
        context: share that it does not hold but the sentence before it, its lead or its heading does.
        score: higher is better; comparable within one question only.
        cosine: with the question; None where it was not embedded.
        apart: cosine with the question without its common words; None where it was not embedded or has none.
        defines: how far it says what the term is whose meaning is asked for, see `definitions`.
        asked: it stands in the section that the question asks for by its title, see `asked_section`.
    """

    hit: Hit
    passage: Passage
    text: str
    order: int
    coverage: float
    context: float
    score: float
    cosine: float | None = None
    apart: float | None = None
    defines: float = 0.0
    asked: bool = False


def score_passages(
    question: Weighed,
    hits: Sequence[Hit],
    embedder: Embedder | None,
    vector: Vectors | None,
    *,
    apart: Vectors | None = None,
) -> list[Scored]:
    """Passages of the hits, best first; those that look best by their terms are compared by meaning too.

    `vector` is the question's row; None, like no embedder, leaves it at the terms. `apart` is that of the question
    without its common words, where it has some: it moves no passage.
    """
    names = set(map(fold_separators, written_names(question.text)))
    if names.isdisjoint(fold_separators(symbol) for hit in hits for symbol in hit.chunk.symbols):
        # Nothing is called as it is written: then case tells no names apart.
        names = set(map(fold_symbol, names))
    priors = [(hit, _prior(hit, hits) + NAMED * _defines(hit, names)) for hit in hits]
    replaced = _replaced(question, hits)
    found = sorted(
        (
            one
            for hit, prior in priors
            for one in _of_hit(question, hit, prior, REPLACING * (hit.rank in replaced))
        ),
        key=_order,
    )
    if embedder is None or vector is None or not found:
        return found
    first, unread, rest = _one_a_piece(found)
    rows = embedder.embed([_embedded_text(one) for one in first])
    first = [
        replace(one, score=one.score + COSINE * float(cosine), cosine=float(cosine))
        for one, cosine in zip(first, rows @ vector, strict=True)
    ]
    if apart is not None:
        first = [replace(one, apart=float(cosine)) for one, cosine in zip(first, rows @ apart, strict=True)]
    unread = [replace(one, score=one.score + COSINE * UNREAD * (one.hit.cosine or 0.0)) for one in unread]
    return sorted(first + unread + rest, key=_order)


def _one_a_piece(found: Sequence[Scored]) -> tuple[list[Scored], list[Scored], list[Scored]]:
    """The best passages of each paragraph, list or table, which are shown whole: those to embed, the best of each chunk
    before a second one, and the others of them; then all other passages."""
    seen: set[tuple[str, int]] = set()
    chunks: set[str] = set()
    leading: list[Scored] = []
    second: list[Scored] = []
    rest: list[Scored] = []
    for one in found:
        chunk, place = one.hit.chunk.id, (one.hit.chunk.id, one.passage.block)
        (rest if place in seen else second if chunk in chunks else leading).append(one)
        seen.add(place)
        chunks.add(chunk)
    leading += second
    return leading[:MOST_EMBEDDED], leading[MOST_EMBEDDED:], rest


def _replaced(question: Weighed, hits: Sequence[Hit]) -> set[int]:
    """Ranks of the hits that define a symbol of which the question asks what to use in its place."""
    if not read_intent(question.text).is_replacement:
        return set()
    names = {fold_symbol(name) for name in (*written_names(question.text), *question.names)}
    return {hit.rank for hit in hits if _defines(hit, names)}


def _prior(hit: Hit, hits: Sequence[Hit]) -> float:
    """What the chunk's rank and cosine say of its passages; scores are calibrated, and differ between collections."""
    best = max((other.cosine for other in hits if other.cosine is not None), default=None)
    nearness = 0.0 if best is None or hit.cosine is None else hit.cosine - best
    return HIT * nearness - RANK * math.log(min(hit.rank, LAST_RANK))


def _defines(hit: Hit, names: set[str]) -> bool:
    """Whether the chunk defines one of the names, as they are written or folded: others only mention it."""
    symbols = hit.chunk.symbols
    return bool(names) and not names.isdisjoint((*map(fold_separators, symbols), *map(fold_symbol, symbols)))


def _order(one: Scored) -> tuple[float, int, int]:
    return -one.score, one.hit.rank, one.order


@lru_cache(maxsize=512)
def _read(text: str) -> tuple[tuple[Passage, str, frozenset[str], frozenset[str]], ...]:
    """A text's passages with words, terms and their stems: a collection's best chunks are found again and again."""
    spans = ((passage, text[passage.start : passage.end]) for passage in split_passages(text))
    said = ((passage, quote, frozenset(analyze(quote))) for passage, quote in spans)
    return tuple((passage, quote, terms, frozenset(map(_stem, terms))) for passage, quote, terms in said)


def _stem(term: str) -> str:
    return term[:SHORTEST_STEM]


def _of_hit(question: Weighed, hit: Hit, prior: float, replacing: float) -> list[Scored]:
    text = hit.chunk.text
    scored: list[Scored] = []
    before: Set[str] = frozenset()
    breadcrumb = set(analyze(hit.chunk.breadcrumb))
    title = hit.chunk.breadcrumb.rpartition(" › ")[2]
    own_title = set(analyze(title))
    defining = definition_shares(question.text, hit.chunk, split_passages(text))
    read: dict[tuple[int, int] | None, set[str]] = {None: set()}  # headings and leads, each of many passages
    for order, (passage, quote, terms, stems) in enumerate(_read(text)):
        for span in (passage.lead, passage.heading):
            if span is not None and span not in read:
                read[span] = set(analyze(text[slice(*span)]))
        around: Set[str] = read[passage.lead]
        if scored and scored[-1].passage.block == passage.block:
            around = around | before
        coverage = question.coverage(terms)
        context = question.coverage(around - terms)
        above = question.coverage((breadcrumb | read[passage.heading]) - terms - around)
        score = (
            COVERAGE * coverage + CONTEXT * context + ABOVE * above + STEMS * _stems(question, terms, stems)
        )
        score += TITLED * titled(question, read[passage.heading] if passage.heading else own_title)
        heading = text[slice(*passage.heading)] if passage.heading else title
        score += CUE * cue(question, quote, heading) + prior
        score += DEFINES * defining[order]
        score += replacing * tells_replacement(quote) if replacing else 0.0
        scored.append(Scored(hit, passage, quote, order, coverage, context, score, defines=defining[order]))
        before = terms
    return scored


def titled(question: Weighed, title: set[str]) -> float:
    """How well the title says what is asked and nothing else: the harmonic mean of both shares, 0 to 1."""
    said = question.idf.keys() & title
    if not said:
        return 0.0
    share, covered = len(said) / len(title), question.coverage(said)
    return 2 * share * covered / (share + covered)


def asks_for_page(question: Weighed, chunk: Chunk) -> bool:
    """Whether the question asks for what the chunk's page is about as a whole, by the page's title."""
    if is_code_chunk(chunk):
        return False
    titles = [title for title in chunk.breadcrumb.split(" › ") if title != chunk.metadata.get("path")]
    return titled(question, set(analyze("".join(titles[:1])))) >= PAGE


def _stems(question: Weighed, terms: Set[str], stems: Set[str]) -> float:
    """Share of the weight of terms that are missing but share their first five letters with one that is there."""
    found = (
        weight
        for term, weight in question.idf.items()
        if len(term) >= SHORTEST_STEM and term not in terms and _stem(term) in stems
    )
    return sum(found) / question.total


def _embedded_text(one: Scored) -> str:
    text = one.text[:EMBEDDED_CHARACTERS]
    if one.passage.lead and one.passage.kind != CODE:
        return f"{one.hit.chunk.text[slice(*one.passage.lead)]} {text}"
    return text
