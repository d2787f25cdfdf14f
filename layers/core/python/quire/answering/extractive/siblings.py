"""More chunks of the documents that were found: the sentence that answers often stands a section further."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quire.documents import Hit
from quire.index.opened import OpenedIndex
from quire.ports import Vectors
from quire.search.query import term_weights

DOCUMENTS = 2
PER_DOCUMENT = 3
LOOKED_AT = 50
DECAY = 0.9
"""A sibling's score against its finder's. With 3 siblings of 2 documents, key facts of answers rise from .62 to .66
over the textbook and React Native, and citations of a relevant page from .73 to .78."""
KEYWORD_SHARE = 0.5
HEADING_WEIGHT = 0.5


def with_siblings(
    index: OpenedIndex, hits: Sequence[Hit], question: str, vector: Vectors | None
) -> tuple[Hit, ...]:
    """The hits, then the best other chunks of the first two documents, with ranks behind those of the hits.

    With their finder's rank they stood before it: rank 1 alone is what the search itself put first. The question is
    given as the search read it, its spelling mended.
    """
    seen = {hit.chunk.id for hit in hits}
    terms = term_weights(question, HEADING_WEIGHT)
    found = list(hits)
    for finder in _first_of_documents(hits):
        chunks = index.fetch(
            _ranked(index, finder.chunk.document_id, terms, vector)[: PER_DOCUMENT + len(hits)]
        )
        others = [chunk for chunk in chunks if chunk.id not in seen][:PER_DOCUMENT]
        found += [
            Hit(chunk, found[-1].rank + place, finder.score * DECAY, finder.cosine, finder.version)
            for place, chunk in enumerate(others, 1)
        ]
    return tuple(found)


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
