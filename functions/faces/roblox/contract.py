"""Wire models of face `roblox`, field for field as its specification gives them (section 5.2)."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict
from typing_extensions import TypedDict

QUERY_EXAMPLE: JsonDict = {
    "text": "event that fires when a part touches another",
    "top_k": 3,
    "filters": {"source": "api_dump", "member_type": "Event"},
}


class QueryFilter(BaseModel):
    """Exact filters; what is left out does not filter, and another field is refused: results would not be of it."""

    model_config = ConfigDict(extra="forbid")

    source: str | None = Field(None, description="Filter by 'api_dump' or 'creator_docs'")
    class_name: str | None = Field(None, description="Filter by a specific API class name")
    member_type: str | None = Field(None, description="Filter by 'Property', 'Function', etc.")


class QueryRequest(BaseModel):
    """A question in natural language."""

    model_config = ConfigDict(json_schema_extra={"examples": [QUERY_EXAMPLE]})

    text: str = Field(..., description="The natural language query text.")
    top_k: int = Field(5, gt=0, le=20, description="The number of results to return.")
    filters: QueryFilter | None = Field(None, description="Optional metadata filters.")


class SearchResult(TypedDict):
    """One chunk: its metadata, its text, and what a citation of it needs."""

    score: Annotated[float, Field(description="Calibrated probability that it is relevant, 0 to 1.")]
    payload: Annotated[
        dict[str, Any], Field(description="`text`, `id`, `sha256`, `version` and the metadata.")
    ]


class QueryResponse(TypedDict):
    """Results, best first."""

    results: list[SearchResult]


class InvalidField(TypedDict):
    """One thing that is wrong with a request."""

    type: Annotated[str, Field(description="Kind of error, for programs.")]
    loc: Annotated[list[str | int], Field(description="Where: `body`, then the field.")]
    msg: Annotated[str, Field(description="What was wanted.")]
    input: NotRequired[Annotated[Any, Field(description="What was found.")]]
    ctx: NotRequired[Annotated[dict[str, Any], Field(description="Bounds and the like.")]]


class InvalidRequest(TypedDict):
    """Everything that is wrong with a request."""

    detail: list[InvalidField]


class Refusal(TypedDict):
    """Why there is no answer."""

    detail: str


class Health(TypedDict):
    """The server runs."""

    status: Literal["ok"]


class Status(TypedDict):
    """What is loaded."""

    roblox_version: Annotated[str, Field(description="Engine version of the data.")]
    last_updated: Annotated[str, Field(description="When this index was published, UTC.")]
    total_documents: Annotated[int, Field(description="Chunks that can be found.")]
