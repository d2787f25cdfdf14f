"""`GET /collections/{name}/passages/{id}`: one passage of a version, and what has become of it since."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from fastapi import Query as Asked
from pydantic import Field
from starlette.responses import Response
from typing_extensions import TypedDict

from functions.faces.native import examples
from functions.web.calls import caller_of, run, service_of
from functions.web.documented import answer, problems
from functions.web.freshness import FreshnessWire, freshness_of, freshness_wire
from functions.web.replies import reply
from functions.web.wire import CitationWire, MetadataValue, citation_wire, metadata_wire
from quire.service.documents import Standing, read_passage

router = APIRouter(tags=["native"])


class PassageResponse(TypedDict):
    """One passage as a version has it."""

    collection: str
    version: Annotated[str, Field(description="Id of the version that it was read from.")]
    state: Annotated[
        Standing,
        Field(
            description="`current`: read from the version served now; `unchanged`: that one has the same text;"
            " `changed`: it has another text under this id; `gone`: it has no passage of this id."
        ),
    ]
    current_version: Annotated[str, Field(description="Id of the version served now.")]
    freshness: Annotated[FreshnessWire, Field(description="How old the version is that it was read from.")]
    id: Annotated[str, Field(description="Id of the chunk.")]
    text: Annotated[str, Field(description="The stored text.")]
    metadata: Annotated[dict[str, MetadataValue], Field(description="What the source says about it.")]
    citation: CitationWire
    previous: Annotated[str | None, Field(description="Id of the passage before it in its document.")]
    next: Annotated[str | None, Field(description="Id of the passage after it.")]


_HIT = examples.QUERY["hits"][0]
EXAMPLE: dict[str, Any] = {
    "collection": "roblox",
    "version": examples.VERSION,
    "state": "current",
    "current_version": examples.VERSION,
    "freshness": examples.QUERY["freshness"],
    "id": _HIT["id"],
    "text": _HIT["text"],
    "metadata": _HIT["metadata"],
    "citation": _HIT["citation"],
    "previous": None,
    "next": "421fd60c3891c504",
}


@router.get(
    "/collections/{name}/passages/{passage_id}",
    summary="Read a passage",
    response_model=PassageResponse,
    responses=answer(EXAMPLE) | problems(404, 503),
)
async def get_passage(
    request: Request,
    name: Annotated[str, Path(description="Name of the collection.")],
    passage_id: Annotated[str, Path(description="Id of the chunk, as hits and citations give it.")],
    version: Annotated[
        str | None, Asked(description="An older version; by default the one served now.")
    ] = None,
) -> Response:
    """A passage by its id, of the version that a citation names, and whether it still reads so."""
    request.scope["state"]["collection"] = name
    service, caller = service_of(request), caller_of(request)
    found = await run(request.scope, read_passage, service, caller, name, passage_id, version=version)
    request.scope["state"]["served"] = found.served
    wire: PassageResponse = {
        "collection": name,
        "version": found.served.version,
        "state": found.standing,
        "current_version": found.current_version,
        "freshness": freshness_wire(freshness_of(service, found.served)),
        "id": found.chunk.id,
        "text": found.chunk.text,
        "metadata": metadata_wire(found.chunk),
        "citation": citation_wire(found.chunk, found.served.version),
        "previous": found.previous,
        "next": found.next,
    }
    return reply(wire)
