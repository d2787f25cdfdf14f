"""The floor of the search: a question of which the collection holds no word, and nothing near it, finds nothing."""

from __future__ import annotations

from quire.analysis.terms import analyze
from quire.index.opened import OpenedIndex
from quire.search.query import mended
from quire.search.retrieval import Retrieved

NEAR = 0.48
"""Cosine from which a chunk may answer without sharing a word. Of gibberish the nearest of 9,580 chunks, some of which
hold keys, reach .44; none of 285 questions with an answer, to six collections, shares no word."""


def matches_nothing(index: OpenedIndex, question: str, found: Retrieved) -> bool:
    """Whether the hits are only what every question finds: the nearest of chunks that are all far away."""
    terms = analyze(mended(question, found.mended))
    if any(map(index.document_frequency, terms)):
        return False
    return all(hit.cosine is not None and hit.cosine < NEAR for hit in found.hits)
