"""More chunks than were found: of their documents, where the sentence that answers often stands a section further, and
those that words alone put first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from quire.answering.extractive.scoring import asks_for_page
from quire.answering.extractive.weighing import weigh
from quire.documents import Hit
from quire.filter_values import Filters
from quire.index.opened import OpenedIndex
from quire.ports import Vectors
from quire.search.query import term_weights

DOCUMENTS = 2
PER_DOCUMENT, OF_TOPIC = 5, 9
"""Of a page that the question is about as a whole there are more: each of its sections may be part of the answer.
Key facts over ten documentation sites that chose it are .771 with 5, .759 with 3; with their own cosines two
books that took no part rise from .789 to .800, eight code bases stay at .656."""
LOOKED_AT = 50
DECAY = 0.9
"""A sibling's score against its finder's. With 3 siblings of 2 documents, key facts of answers rise from .62 to .66
over the textbook and React Native, and citations of a relevant page from .73 to .78."""
KEYWORD_SHARE = 0.5
HEADING_WEIGHT = 0.5
LEADING = 3
"""Chunks that words alone put first. Of 59 questions to four sites all facts are in 41 answers with them, in 39 without
and with one; React Native's key facts .852 to .861, celery's and the textbook's as they were."""
WORDS_HEADING_WEIGHT = 0.25
"""As the search weighs headings."""


def with_siblings(
    index: OpenedIndex, hits: Sequence[Hit], question: str, vector: Vectors | None
) -> tuple[Hit, ...]:
    """The hits, then the best other chunks of the first two documents, with their own cosines and ranks behind those of
    the hits.

    With their finder's rank they stood before it: rank 1 alone is what the search itself put first. The question is
    given as the search read it, its spelling mended.
    """
    seen, asked = {hit.chunk.id for hit in hits}, weigh(question, index)
    terms = term_weights(question, HEADING_WEIGHT)
    found = list(hits)
    for finder in _first_of_documents(hits):
        most = OF_TOPIC if asks_for_page(asked, finder.chunk) else PER_DOCUMENT
        ordinals = _ranked(index, finder.chunk.document_id, terms, vector)[: most + len(hits)]
        cosines = _cosines(index, ordinals, vector)
        others = [
            (chunk, cosine)
            for chunk, cosine in zip(index.fetch(ordinals), cosines, strict=True)
            if chunk.id not in seen
        ]
        found += [
            Hit(chunk, found[-1].rank + place, finder.score * DECAY, cosine, finder.version)
            for place, (chunk, cosine) in enumerate(others[:most], 1)
        ]
    return tuple(found)


def leading_hits(
    index: OpenedIndex, hits: Sequence[Hit], question: str, vector: Vectors | None, *, filters: Filters
) -> tuple[Hit, ...]:
    """The chunks that words alone put first, where they are not among the hits, with ranks behind those.

    Of a page one chunk is among the hits, which vectors choose more than words: "Which variable sets the log level?"
    finds the page of logs by its introduction.
    """
    if not hits:
        return ()
    terms = term_weights(question, WORDS_HEADING_WEIGHT)
    ordinals = index.search(terms, LEADING, index.filters.chunks(filters)).ordinals.tolist()
    seen, last, score = {hit.chunk.id for hit in hits}, hits[-1], hits[0].score * DECAY
    others = [
        (chunk, cosine)
        for chunk, cosine in zip(index.fetch(ordinals), _cosines(index, ordinals, vector), strict=True)
        if chunk.id not in seen
    ]
    return tuple(
        Hit(chunk, last.rank + place, score, cosine, last.version)
        for place, (chunk, cosine) in enumerate(others, 1)
    )


def _cosines(index: OpenedIndex, ordinals: Sequence[int], vector: Vectors | None) -> list[float | None]:
    """Each chunk's own, in the order of the ordinals: with its finder's all of a long page would be as near as the
    section that was found."""
    if vector is None:
        return [None] * len(ordinals)
    ascending = np.sort(np.asarray(ordinals, np.uint32))
    return [float(one) for one in index.cosines(vector, ascending)[np.searchsorted(ascending, ordinals)]]


def _first_of_documents(hits: Sequence[Hit]) -> list[Hit]:
    firsts: dict[str, Hit] = {}
    for hit in hits:
        firsts.setdefault(hit.chunk.document_id, hit)
    return list(firsts.values())[:DOCUMENTS]


def _ranked(
    index: OpenedIndex, document_id: str, terms: Mapping[str, float], vector: Vectors | None
) -> list[int]:
    """The document's chunks by cosine and keywords; the keyword scores are scaled to at most a half."""
    allowed = index.documents.chunks(document_id)
    scores: dict[int, float] = {}
    if vector is not None:
        near = index.nearest(vector, LOOKED_AT, allowed)
        scores.update(zip(near.ordinals.tolist(), near.scores.tolist(), strict=True))
    words = index.search(terms, LOOKED_AT, allowed)
    top = float(words.scores[0]) if len(words) else 1.0
    for ordinal, score in zip(words.ordinals.tolist(), words.scores.tolist(), strict=True):
        scores[ordinal] = scores.get(ordinal, 0.0) + KEYWORD_SHARE * score / top
    return sorted(scores, key=lambda ordinal: (-scores[ordinal], ordinal))
