"""`POST /verify`: whether citations are what a version of a collection says."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict
from starlette.responses import Response
from typing_extensions import TypedDict

from functions.web.calls import caller_of, run, service_of
from functions.web.documented import answer, problems
from functions.web.replies import reply
from functions.web.wire import Filters
from quire.service.verification import VERIFIED, Claim, Verdict, read_claims, verify_claims

MOST_CITATIONS = 100
router = APIRouter(tags=["native"])

CITED: JsonDict = {
    "id": "8f14e45fceea167a",
    "version": "9b1f7c02e4d1",
    "sha256": "b1946ac92492d2347c6235b4d2611184a1f0e3c6f0d0e6b7c0a1c1c1d6a0c0de",
    "path": "content/en-us/physics/units.md",
}


class CitationClaim(BaseModel):
    """A citation as a response showed it; entries that are not listed here are not checked."""

    model_config = ConfigDict(extra="ignore", json_schema_extra={"examples": [CITED]})

    id: str = Field(description="Id of the chunk.")
    version: str = Field(description="Id of the collection version that it was read from.")
    sha256: str = Field(description="Digest of the quoted text; without a quote, of the chunk's whole text.")
    quote: str | None = Field(None, description="The quoted text.")
    start: int | None = Field(None, ge=0, description="Where the quote begins in the chunk, in characters.")
    end: int | None = Field(None, ge=0, description="Where it ends.")
    path: str | None = Field(None, description="Path in the source.")
    start_line: int | None = Field(None, description="First line.")
    end_line: int | None = Field(None, description="Last line.")
    heading: str | None = Field(None, description="The heading that it stands under.")
    url: str | None = Field(None, description="The page that shows it.")


class VerifyRequest(BaseModel):
    """Citations of one collection; a reply of `/answer` may be sent as it came, what else it says is not checked."""

    model_config = ConfigDict(
        extra="ignore", json_schema_extra={"examples": [{"collection": "roblox", "citations": [CITED]}]}
    )

    collection: str = Field(min_length=1, description="The collection that the citations are of.")
    citations: list[CitationClaim] = Field(
        min_length=1, max_length=MOST_CITATIONS, description="What to check, in any order."
    )
    filters: Filters = Field(
        default_factory=dict, description="`site_id` names the site, where the collection has sites."
    )


class VerdictWire(TypedDict):
    """What the artifacts say to one citation."""

    id: Annotated[str, Field(description="Id of the chunk, as claimed.")]
    version: Annotated[str, Field(description="Id of the version, as claimed.")]
    status: Annotated[
        Literal["verified", "text changed", "not in this version", "unknown version"],
        Field(description="The verdict."),
    ]
    detail: Annotated[str, Field(description="What was found and what was wanted; empty if verified.")]
    segment: Annotated[str, Field(description="Digest of the segment's manifest; empty if none holds it.")]
    file: Annotated[str, Field(description="The segment's file that holds the text.")]
    file_sha256: Annotated[str, Field(description="Its digest, computed now, as the manifest has it.")]


class VerifyResponse(TypedDict):
    """Verdicts in the order of the citations."""

    collection: str
    verified: Annotated[int, Field(description="How many are verified.")]
    refused: Annotated[int, Field(description="How many are not.")]
    results: list[VerdictWire]


EXAMPLE: dict[str, Any] = {
    "collection": "roblox",
    "verified": 1,
    "refused": 0,
    "results": [
        {
            "id": "8f14e45fceea167a",
            "version": "9b1f7c02e4d1",
            "status": "verified",
            "detail": "",
            "segment": "6f1ed002ab5595859014ebf0951522d9f4a2ef0b2e5d4f2bb0b1bd8d2b2ecd3f",
            "file": "payloads/00000.jsonl",
            "file_sha256": "45e2d9b8a3d7f9a10d2ee0c5f0a2f6c3b8e1d4c7a6f5e4d3c2b1a0f9e8d7c6b5",
        }
    ],
}


@router.post(
    "/verify",
    summary="Check citations",
    response_model=VerifyResponse,
    responses=answer(EXAMPLE) | problems(404, 413, 422, 503),
)
async def verify(body: VerifyRequest, request: Request) -> Response:
    """Whether each quoted text is what the version holds, told from the index files alone."""
    request.scope["state"]["collection"] = body.collection
    claims = read_claims([one.model_dump(exclude_none=True) for one in body.citations])
    service, caller = service_of(request), caller_of(request)
    verdicts = await run(
        request.scope, verify_claims, service, caller, body.collection, claims, filters=body.filters
    )
    results = [_wire(claim, verdict) for claim, verdict in zip(claims, verdicts, strict=True)]
    verified = sum(one["status"] == VERIFIED for one in results)
    wire: VerifyResponse = {
        "collection": body.collection,
        "verified": verified,
        "refused": len(results) - verified,
        "results": results,
    }
    return reply(wire)


def _wire(claim: Claim, verdict: Verdict) -> VerdictWire:
    return {
        "id": claim.id,
        "version": claim.version,
        "status": verdict.status,  # type: ignore[typeddict-item]
        "detail": verdict.detail,
        "segment": verdict.segment,
        "file": verdict.file,
        "file_sha256": verdict.file_sha256,
    }
