"""A search with a second look."""

from __future__ import annotations

from dataclasses import replace

from functions.web.access import Caller
from quire.search.reranking import POOL, rerank
from quire.search.retrieval import Query
from quire.service.knowledge import Found, Knowledge


def search(
    service: Knowledge,
    caller: Caller,
    name: str,
    question: Query,
    *,
    second_look: bool,
    version: str | None = None,
) -> Found:
    """Matches for a question; with `second_look` the best of them are read once more, if there is time and a model."""
    if not second_look:
        return service.search(caller, name, question, version)
    pool = question._replace(top_k=max(question.top_k, POOL))
    found = service.search(caller, name, pool, version)
    hits, missing = rerank(service.embedder(found.served), question.text, found.hits)
    return replace(found, hits=hits[: question.top_k], degraded=(*found.degraded, *missing))
