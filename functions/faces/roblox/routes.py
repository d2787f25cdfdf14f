"""Routes of face `roblox`, relative to its collection."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from functions.faces.roblox.contract import (
    InvalidRequest,
    QueryRequest,
    QueryResponse,
    Refusal,
    SearchResult,
    Status,
)
from functions.web.calls import caller_of, collection_of, run, service_of
from functions.web.documented import add_health, answer, response
from functions.web.faces import QUERY, Face
from functions.web.problems import Problem, detail_reply
from functions.web.replies import reply
from functions.web.wire import metadata_wire, rounded
from quire.documents import Hit, text_sha256
from quire.index.opened import OpenedIndex
from quire.search.retrieval import Query
from quire.service.access import Caller
from quire.service.knowledge import Found, Knowledge

WIRE_NAMES = {"q": "text"}
ERROR_EXAMPLE = {
    "detail": [
        {
            "type": "less_than_equal",
            "loc": ["body", "top_k"],
            "msg": "Input should be less than or equal to 20",
            "input": 21,
            "ctx": {"le": 20},
        }
    ]
}


def render_detail(problem: Problem, request_id: str) -> Response:
    """A 422 lists each invalid field with its place; any other status has a sentence. The id is in the header."""
    del request_id
    return detail_reply(problem, [_place(one) for one in problem.invalid], WIRE_NAMES)


def _place(invalid: dict[str, Any]) -> dict[str, Any]:
    """Pydantic's error without what JSON cannot hold: a NaN that was sent, an exception in the context."""
    known = {key: invalid[key] for key in ("type", "loc", "msg", "input") if key in invalid}
    if "input" in known:
        known["input"] = _plain(known["input"])
    context = {key: _plain(value) for key, value in invalid.get("ctx", {}).items()}
    return known | ({"ctx": context} if context else {})


def _plain(value: Any) -> Any:
    """The value if JSON can hold it, else its text."""
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, TypeError):
        return str(value)
    return value


QUERY_ANSWER = {
    "results": [
        {
            "score": 0.93,
            "payload": {
                "source": "api_dump",
                "class_name": "BasePart",
                "member_name": "Touched",
                "member_type": "Event",
                "tags": [],
                "text": "BasePart.Touched(otherPart: BasePart) fires when another part comes in contact.",
                "id": "421fd60c3891c504",
                "sha256": "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
                "version": "9b1f7c02e4d1",
            },
        }
    ]
}
STATUS_ANSWER = {
    "roblox_version": "0.674.0.6740328",
    "last_updated": "2024-08-15T00:00:00Z",
    "total_documents": 15234,
}


ERRORS: dict[int | str, dict[str, Any]] = {
    401: response("A key is needed", {"detail": "the key is wrong"}, Refusal),
    404: response("No such collection", {"detail": "collection 'roblox': not in this store"}, Refusal),
    503: response("No index to search", {"detail": "this cannot be served now; try again"}, Refusal),
}
INVALID: dict[int | str, dict[str, Any]] = {
    413: response("Body over 1 MB", {"detail": "body: wanted at most 1,000,000 bytes"}, Refusal),
    422: response("Invalid request", ERROR_EXAMPLE, InvalidRequest),
}
CLASS = "class_name"
router = APIRouter(tags=["roblox"])


@router.post(
    "/query",
    summary="Search the engine API and the creator docs",
    response_model=QueryResponse,
    responses=answer(QUERY_ANSWER) | ERRORS | INVALID,
)
async def query(body: QueryRequest, request: Request) -> Response:
    """The most relevant document chunks, best first.

    Beyond this contract, `POST /query` and `POST /answer` of the native API take the collection's name: up to 50
    results, older versions, and answers in words with citations.
    """
    service, caller, name = service_of(request), caller_of(request), collection_of(request)
    found, classes = await run(request.scope, _search, service, caller, name, body)
    index = found.served.index
    wire: QueryResponse = {"results": [_result(hit, index, classes) for hit in found.hits]}
    headers = {"x-quire-version": found.served.version}
    if found.degraded:
        headers["x-quire-degraded"] = "; ".join(found.degraded)
    return reply(wire, headers=headers)


add_health(router)


@router.get(
    "/status",
    summary="Which engine version is loaded",
    response_model=Status,
    responses=answer(STATUS_ANSWER) | ERRORS,
)
async def status(request: Request) -> Response:
    """The engine version that the index was built from, when it was published, and its size."""
    name = collection_of(request)
    served = await run(request.scope, service_of(request).describe, caller_of(request), name)
    wire: Status = {
        "roblox_version": served.label or "unknown",
        "last_updated": served.pointer.published_at,
        "total_documents": served.index.chunk_count,
    }
    return reply(wire)


def spelled(index: OpenedIndex, filters: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The filters with each value as passages have it; one that none has stays as it is and finds nothing."""
    return {field: _spelled(index, field, values) for field, values in filters.items()}


def with_inherited(index: OpenedIndex, filters: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The filters with the superclasses of each class: what they declare is a member of the class too."""
    wider = {field: list(values) for field, values in filters.items()}
    if CLASS in wider:
        chains = (index.symbols.ancestry(one) for one in wider[CLASS])
        wider[CLASS] = list(dict.fromkeys(name for chain in chains for name in chain))
    return wider


def heirs(index: OpenedIndex, classes: Iterable[str], declared_by: object) -> list[str]:
    """Those of the classes that inherit what is declared by the other class."""
    return [one for one in classes if one != declared_by and declared_by in index.symbols.ancestry(one)]


def _spelled(index: OpenedIndex, field: str, values: Sequence[str]) -> list[str]:
    if all(index.filters.has_value(field, one) for one in values):
        return list(values)
    known = {one.casefold(): one for one in index.filters.values(field)}
    return [one if index.filters.has_value(field, one) else known.get(one.casefold(), one) for one in values]


def _search(service: Knowledge, caller: Caller, name: str, body: QueryRequest) -> tuple[Found, Sequence[str]]:
    """What was found, and the classes that it was asked of, spelled as the engine does."""
    filters = body.filters.model_dump(exclude_none=True) if body.filters else {}
    if filters:
        index = service.serve(caller, name).index
        filters = spelled(index, filters)
        wider = with_inherited(index, filters)
    else:
        wider = filters
    return service.search(caller, name, Query(body.text, body.top_k, wider)), filters.get(CLASS, ())


def _result(hit: Hit, index: OpenedIndex, classes: Sequence[str]) -> SearchResult:
    text = hit.chunk.text
    payload: dict[str, Any] = {**metadata_wire(hit.chunk), "text": text, "id": hit.chunk.id}
    payload |= {"sha256": text_sha256(text), "version": hit.version}
    inherited_by = heirs(index, classes, hit.chunk.metadata.get(CLASS))
    if inherited_by:
        payload["inherited_by"] = inherited_by
    return {"score": rounded(hit.score), "payload": payload}


FACE = Face("roblox", "Roblox API", {QUERY: router}, render_detail)
