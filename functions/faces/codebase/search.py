"""The use cases as this face calls them: a search with a second look, and an answer."""

from __future__ import annotations

from dataclasses import replace

from functions.web.access import READ, Caller
from functions.web.service import Found, Knowledge
from quire.answering.answerer import answer
from quire.answering.findings import Shelf
from quire.answering.inquiry import Answer, Inquiry
from quire.catalog import Served
from quire.reranking import POOL, rerank
from quire.retrieval import Query


def search(service: Knowledge, caller: Caller, name: str, question: Query, *, second_look: bool) -> Found:
    """Matches for a question; with `second_look` the best of them are read once more, if there is time and a model."""
    if not second_look:
        return service.search(caller, name, question)
    pool = replace(question, top_k=max(question.top_k, POOL))
    found = service.search(caller, name, pool)
    hits, missing = rerank(service.embedder(found.served), question.text, found.hits)
    return replace(found, hits=hits[: question.top_k], degraded=(*found.degraded, *missing))


def answer_question(service: Knowledge, caller: Caller, name: str, inquiry: Inquiry) -> tuple[Served, Answer]:
    """The answer to an inquiry, and the state of the collection that gave it."""
    caller.require(READ, name)
    served = service.catalog.get(name)
    shelf = Shelf(served.index, service.embedder(served), service.title(name), served.label)
    return served, answer(shelf, inquiry)
