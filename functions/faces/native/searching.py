"""Native `POST /query`: one question, or up to 32 at once, and how the best passages divide by their fields."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from fastapi import APIRouter, Request
from starlette.responses import Response

from functions.faces.native import examples
from functions.faces.native.contract import (
    BatchRequest,
    BatchResponse,
    FacetsWire,
    QueryBody,
    QueryResponse,
    Searched,
)
from functions.web.calls import caller_of, run, service_of
from functions.web.documented import answer, problems
from functions.web.freshness import freshness_of, freshness_wire
from functions.web.replies import reply
from functions.web.wire import SEND_TERMS, HitWire, excerpt_wire, hit_wire
from quire.analysis.language import advice
from quire.documents import NOTHING, Hit
from quire.errors import InputError
from quire.filter_values import filter_value
from quire.search.excerpts import weigh_stems
from quire.search.retrieval import Query
from quire.service.access import Caller
from quire.service.knowledge import Found, Knowledge

router = APIRouter(tags=["native"])
COUNTED = 50
"""Passages that are counted: as many as a request may ask for."""
MOST_VALUES = 50


@router.post(
    "/query",
    summary="Search a collection",
    response_model=QueryResponse | BatchResponse,
    responses=answer(examples.QUERY) | problems(404, 413, 422, 503),
)
async def query(body: QueryBody, request: Request) -> Response:
    """Passages that answer the question, best first, each with a citation that can be checked.

    With `queries` in place of `q`, up to 32 questions at once: `results` are what each alone would get.
    """
    began = time.perf_counter()
    scope = request.scope
    scope["state"]["collection"] = body.collection
    service, caller = service_of(request), caller_of(request)
    if not isinstance(body, BatchRequest):
        found, wire = await run(scope, _search, service, caller, body.collection, body, version=body.version)
        scope["state"]["served"] = found.served
        wire["took_ms"] = _since(began)
        return reply(wire)
    results = []
    for one in body.queries:
        asked = time.perf_counter()
        found, wire = await run(scope, _search, service, caller, body.collection, one, version=body.version)
        wire["took_ms"] = _since(asked)
        results.append(wire)
    scope["state"]["served"] = found.served
    batch: BatchResponse = {"collection": body.collection, "took_ms": _since(began), "results": results}
    return reply(batch)


def _search(
    service: Knowledge, caller: Caller, collection: str, asked: Searched, *, version: str | None
) -> tuple[Found, QueryResponse]:
    """One question's reply, its time excepted."""
    question = Query(
        asked.q, asked.top_k, asked.filters, asked.min_score, asked.mode, asked.offset, asked.terms
    )
    found = service.search(caller, collection, question, version)
    wire: QueryResponse = {
        "collection": collection,
        "version": found.served.version,
        "mode": found.mode,
        "degraded": list(found.degraded),
        "notices": list(found.notices),
        "freshness": freshness_wire(freshness_of(service, found.served)),
        "took_ms": 0.0,
        "hits": _hits(found, asked),
    }
    if found.terms:
        wire["terms"] = found.terms
    if hints := advice(found.notices, SEND_TERMS):
        wire["advice"] = list(hints)
    if asked.facets:
        wire["facets"] = _facets(service, caller, collection, question, fields=asked.facets, version=version)
    return found, wire


def _hits(found: Found, asked: Searched) -> list[HitWire]:
    if asked.excerpt is None:
        return [hit_wire(hit) for hit in found.hits]
    weights = weigh_stems(f"{asked.q} {found.terms}", found.served.index)
    return [excerpt_wire(hit, weights, asked.excerpt) for hit in found.hits]


def _since(began: float) -> float:
    return round((time.perf_counter() - began) * 1000, 3)


def _facets(
    service: Knowledge,
    caller: Caller,
    collection: str,
    query: Query,
    *,
    fields: Sequence[str],
    version: str | None = None,
) -> FacetsWire:
    """Counts of the fields' values over the best passages without the question's filters, so that a second one can be
    chosen.

    Raises:
        InputError: the collection cannot be filtered by one of them.
    """
    wide = query._replace(top_k=COUNTED, offset=0)
    found = service.search(caller, collection, wide, version)
    known = found.served.index.filters.fields
    for field in fields:
        if field not in known:
            message = f"facets: unknown field {field[:80]!r}, wanted some of {', '.join(known)}"
            raise InputError(message, field="facets")
    every = found
    if query.filters:
        every = service.search(caller, collection, wide._replace(filters=NOTHING), version)
    counts = {field: _values(every.hits, field) for field in fields}
    return {"of": len(every.hits), "matching": len(found.hits), "counts": counts}


def _values(hits: Sequence[Hit], field: str) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for hit in hits:
        value = hit.chunk.metadata.get(field)
        values = value if isinstance(value, tuple | list) else (value,)
        counts.update(dict.fromkeys((filter_value(one) for one in values if one not in (None, "")), 1))
    best = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return dict(best[:MOST_VALUES])
