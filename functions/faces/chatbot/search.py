"""Searches as this face calls them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from functions.faces.chatbot.contract import QueryRequest
from functions.faces.chatbot.wire import filters_of, similarity
from functions.web.access import Caller
from quire.documents import Hit
from quire.errors import StoreUnavailable, UnknownCollection
from quire.search.by_vector import search_vector
from quire.search.retrieval import Query
from quire.service.knowledge import Knowledge

if TYPE_CHECKING:  # it imports parsers, which a question does not need
    from quire.service.uploads import Library


def find(
    service: Knowledge, caller: Caller, collection: str, wanted: QueryRequest
) -> tuple[list[Hit], tuple[str, ...]]:
    """Hits for a text or a vector, without those below `min_score`, and what was missing.

    Raises:
        ScopeMissing, UnknownCollection, InputError: as their names say.
    """
    filters = filters_of(wanted.filters)
    hits: tuple[Hit, ...]
    if wanted.query_embedding is not None:
        served = service.serve(caller, collection)
        hits = search_vector(served.index, wanted.query_embedding, wanted.limit, filters)
        degraded = served.degraded
    else:
        found = service.search(caller, collection, Query(wanted.query_text or "", wanted.limit, filters))
        hits, degraded = found.hits, found.degraded
    least = wanted.min_score
    return [hit for hit in hits if least is None or similarity(hit) >= least], degraded


def embed_text(
    service: Knowledge, caller: Caller, collection: str, text: str, *, open_library: Callable[[], Library]
) -> list[float]:
    """The text's vector as a question to the collection; before anything is ingested, by the model it will get.

    Raises:
        ScopeMissing: the caller may not read the collection.
        StoreUnavailable: the collection's model cannot be opened now.
    """
    try:
        served = service.serve(caller, collection)
    except UnknownCollection:
        return open_library().embed(caller, collection, text)
    embedder = service.embedder(served)
    if embedder is None:
        raise StoreUnavailable(f"model of {collection!r}: cannot be opened")
    row: list[float] = embedder.embed([text])[0].tolist()
    return row
