"""Wire models of the native API."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict
from typing_extensions import TypedDict

from functions.web.freshness import FreshnessWire
from functions.web.wire import Filters, HitWire

QUERY_EXAMPLE: JsonDict = {
    "collection": "roblox",
    "q": "How do I move a character to a point?",
    "top_k": 3,
    "filters": {"member_type": ["Function", "Event"]},
}

Mode = Literal["hybrid", "vector", "keyword"]


class QueryRequest(BaseModel):
    """A question to one collection."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [QUERY_EXAMPLE]})

    collection: str = Field(
        min_length=1, description="Name of the collection, as `GET collections` lists it."
    )
    q: str = Field(
        min_length=1, pattern=r"\S", description="The question, or words and identifiers to search for."
    )
    top_k: int = Field(8, ge=1, le=50, strict=True, description="How many hits at most.")
    filters: Filters = Field(
        default_factory=dict,
        description="Metadata field to the value it must have, or to a list of which it must have one.",
    )
    min_score: float | None = Field(
        None, ge=0, le=1, allow_inf_nan=False, description="Leave out hits that score below this."
    )
    mode: Mode = Field("hybrid", description="Search by meaning and by words, or by one alone.")
    version: str | None = Field(
        None, min_length=1, description="Ask an older version: its id, or an engine version by prefix."
    )


class QueryResponse(TypedDict):
    """Hits, best first."""

    collection: Annotated[str, Field(description="The collection that was asked.")]
    version: Annotated[str, Field(description="Id of the version that answered.")]
    mode: Annotated[
        str, Field(description="How the hits were found; differs from what was asked if degraded.")
    ]
    degraded: Annotated[list[str], Field(description="What was missing, in words; empty when all is well.")]
    freshness: Annotated[FreshnessWire, Field(description="How old that version is.")]
    took_ms: Annotated[float, Field(description="Milliseconds spent on the question in the server.")]
    hits: list[HitWire]


class SourceWire(TypedDict):
    """Where documents of a collection came from."""

    key: Annotated[str, Field(description="Name of the source.", examples=["creator_docs"])]
    location: Annotated[str, Field(description="Path or URL.")]
    revision: Annotated[str, Field(description="Commit; empty where there is none.")]
    version: Annotated[str, Field(description="Engine version; empty where there is none.")]


class CollectionSummary(TypedDict):
    """One collection as it is served now."""

    name: str
    title: str
    profile: Annotated[str, Field(description="How it was built.", examples=["roblox"])]
    face: Annotated[str, Field(description="The contract that is mounted at its name.", examples=["roblox"])]
    status: Annotated[Literal["ok", "degraded", "unavailable"], Field(description="How it is served.")]
    version: Annotated[str | None, Field(description="Id of the version served.")]
    label: Annotated[str | None, Field(description="Engine version or commit that it was built from.")]
    published_at: Annotated[str | None, Field(description="When this version was published, UTC.")]
    age_s: Annotated[float | None, Field(description="Seconds since then.")]
    notice: Annotated[str | None, Field(description="Says so where it is older than the set age.")]
    chunks: Annotated[int, Field(description="Passages that can be found.")]
    documents: Annotated[int, Field(description="Documents that they were cut from.")]
    degraded: Annotated[list[str], Field(description="What is wrong, in words.")]


class CollectionDetail(CollectionSummary):
    """One collection with how it was made."""

    filters: Annotated[list[str], Field(description="Metadata fields that a query can filter by.")]
    model: Annotated[str | None, Field(description="Digest of the embedding model.")]
    sources: list[SourceWire]


class CollectionList(TypedDict):
    """Every collection that the caller may read."""

    collections: list[CollectionSummary]


class Health(TypedDict):
    """The process runs."""

    status: Literal["ok"]


class Status(TypedDict):
    """What is served, and how well."""

    status: Annotated[Literal["ok", "degraded"], Field(description="`degraded` if any collection is not ok.")]
    program: Annotated[str, Field(description="Version of Quire.")]
    uptime_s: Annotated[float, Field(description="Seconds since this process began to serve.")]
    collections: list[CollectionSummary]
