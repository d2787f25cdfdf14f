"""Wire models of the native API."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypeAlias

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag
from pydantic.config import JsonDict
from typing_extensions import TypedDict

from functions.web.freshness import FreshnessWire
from functions.web.wire import ADVICE, Filters, HitWire

QUERY_EXAMPLE: JsonDict = {
    "collection": "roblox",
    "q": "How do I move a character to a point?",
    "top_k": 3,
    "filters": {"member_type": ["Function", "Event"]},
}

BATCH_EXAMPLE: JsonDict = {
    "collection": "roblox",
    "queries": [
        {"q": "How do I move a character?", "top_k": 3},
        {"q": "When does Touched fire?", "top_k": 3},
    ],
}
MOST_QUERIES = 32
MOST_OFFSET = 200
"""About as many passages are ranked; those further down are left out of every ranking."""

TERMS = (
    "Names and words that the documentation would use for what the question says in its own, such as"
    " `NoCollisionConstraint collision groups` for parts that should not bump into each other. They are ranked beside"
    " the question; scores stay the question's own."
)
USED_TERMS = (
    "The terms that were searched for beside the question, where there were any: with them it is found again."
)
Mode = Literal["hybrid", "vector", "keyword"]


class Searched(BaseModel):
    """A question and how it is to be searched."""

    model_config = ConfigDict(extra="forbid")

    q: str = Field(
        min_length=1, pattern=r"\S", description="The question, or words and identifiers to search for."
    )
    top_k: int = Field(8, ge=1, le=50, strict=True, description="How many hits at most.")
    offset: int = Field(
        0, ge=0, le=MOST_OFFSET, strict=True, description="How many of the best hits to leave out: pages."
    )
    filters: Filters = Field(
        default_factory=dict,
        description="Metadata field to the value it must have, or to a list of which it must have one.",
    )
    min_score: float | None = Field(
        None, ge=0, le=1, allow_inf_nan=False, description="Leave out hits that score below this."
    )
    terms: str = Field("", description=TERMS)
    mode: Mode = Field("hybrid", description="Search by meaning and by words, or by one alone.")
    excerpt: int | None = Field(
        None,
        ge=80,
        le=4000,
        description="Instead of whole texts, of each at most this many characters around what was asked.",
    )
    facets: list[str] = Field(
        default_factory=list,
        max_length=20,
        description="Fields whose values are counted among the 50 best passages without the filters.",
    )


class QueryRequest(Searched):
    """A question to one collection."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [QUERY_EXAMPLE]})

    collection: str = Field(
        min_length=1, description="Name of the collection, as `GET collections` lists it."
    )
    version: str | None = Field(
        None, min_length=1, description="Ask an older version: its id, or an engine version by prefix."
    )


class BatchRequest(BaseModel):
    """Several questions to one collection."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [BATCH_EXAMPLE]})

    collection: str = Field(
        min_length=1, description="Name of the collection, as `GET collections` lists it."
    )
    queries: list[Searched] = Field(
        min_length=1, max_length=MOST_QUERIES, description="The questions, each as if it were asked alone."
    )
    version: str | None = Field(None, min_length=1, description="Ask an older version, all of them.")


def _form(body: object) -> str:
    return (
        "batch" if isinstance(body, BatchRequest) or (isinstance(body, dict) and "queries" in body) else "one"
    )


QueryBody: TypeAlias = Annotated[
    Annotated[QueryRequest, Tag("one")] | Annotated[BatchRequest, Tag("batch")], Discriminator(_form)
]


class FacetsWire(TypedDict):
    """How the best passages divide."""

    of: Annotated[int, Field(description="Passages that were counted, without the filters.")]
    matching: Annotated[int, Field(description="Passages that there are with them, of as many at most.")]
    counts: Annotated[
        dict[str, dict[str, int]], Field(description="Field to value to passages, most frequent first.")
    ]


class QueryResponse(TypedDict):
    """Hits, best first."""

    collection: Annotated[str, Field(description="The collection that was asked.")]
    version: Annotated[str, Field(description="Id of the version that answered.")]
    mode: Annotated[
        str, Field(description="How the hits were found; differs from what was asked if degraded.")
    ]
    degraded: Annotated[list[str], Field(description="What was missing, in words; empty when all is well.")]
    notices: Annotated[
        list[str], Field(description="What of the question found nothing, such as a filter's value.")
    ]
    freshness: Annotated[FreshnessWire, Field(description="How old that version is.")]
    took_ms: Annotated[float, Field(description="Milliseconds spent on the question in the server.")]
    hits: list[HitWire]
    terms: NotRequired[Annotated[str, Field(description=USED_TERMS)]]
    advice: NotRequired[Annotated[list[str], Field(description=ADVICE)]]
    facets: NotRequired[Annotated[FacetsWire, Field(description="Counts, where they were asked for.")]]


class BatchResponse(TypedDict):
    """What several questions found."""

    collection: Annotated[str, Field(description="The collection that was asked.")]
    took_ms: Annotated[float, Field(description="Milliseconds spent on all of them in the server.")]
    results: Annotated[
        list[QueryResponse], Field(description="For each question, in order, what it alone would get.")
    ]


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
    engine: Annotated[
        str | None, Field(description="What searches it: `quire`, or the server that holds its builds.")
    ]
    degraded: Annotated[list[str], Field(description="What is wrong, in words.")]


class TroubleWire(TypedDict):
    """The last error of a collection since this process began."""

    kind: Annotated[str, Field(description="Which error it was.", examples=["StoreUnavailable"])]
    at: Annotated[str, Field(description="When, UTC.")]
    message: Annotated[
        str | None, Field(description="What it said; for callers that may administer the collection.")
    ]


class CollectionStatus(CollectionSummary):
    """One collection with how it fares on this machine."""

    disk_bytes: Annotated[int, Field(description="What its open version takes of this machine's disk.")]
    last_error: Annotated[TroubleWire | None, Field(description="Null where nothing has gone wrong so far.")]


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
    collections: list[CollectionStatus]
