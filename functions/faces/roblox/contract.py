"""Wire models of face `roblox`, field for field as its specification gives them (section 5.2)."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.config import JsonDict
from typing_extensions import TypedDict

from functions.web.wire import Body

QUERY_EXAMPLE: JsonDict = {
    "text": "event that fires when a part touches another",
    "top_k": 3,
    "filters": {"source": "api_dump", "member_type": "Event"},
}


def _listed(value: object) -> object:
    """A value as a list of one; an empty list, which nothing could fulfil, as no filter."""
    return [value] if isinstance(value, str) else value or None if isinstance(value, list) else value


Wanted: TypeAlias = Annotated[
    list[str] | None, BeforeValidator(_listed, json_schema_input_type=str | list[str] | None)
]
"""One value, or several of which a result must have one."""


class QueryFilter(BaseModel):
    """Filters, in any case; what is left out does not filter, and another field is refused."""

    model_config = ConfigDict(extra="forbid")

    source: Wanted = Field(None, description="Filter by 'api_dump' or 'creator_docs', or a list of both")
    class_name: Wanted = Field(
        None,
        description="Filter by a specific API class name, or by several; members that the class inherits are found "
        "too: their `class_name` says which class declares them, `inherited_by` for which one they were found.",
    )
    member_type: Wanted = Field(
        None, description="Filter by 'Property', 'Function', etc., or by several of them"
    )


class QueryRequest(Body):
    """A question in natural language."""

    model_config = ConfigDict(json_schema_extra={"examples": [QUERY_EXAMPLE]})

    text: str = Field(..., description="The natural language query text.")
    top_k: int = Field(
        5,
        gt=0,
        le=20,
        description="The number of results to return; for more, up to 50, there is the native `POST /query`.",
    )
    filters: QueryFilter | None = Field(None, description="Optional metadata filters.")


class SearchResult(TypedDict):
    """One chunk: its metadata, its text, and what a citation of it needs."""

    score: Annotated[float, Field(description="Calibrated probability that it is relevant, 0 to 1.")]
    payload: Annotated[
        dict[str, Any],
        Field(
            description="The metadata, `text`, `id`, `sha256` of the text, and `version`: that of the index, which "
            "the native `POST /query` takes to be asked again; not that of the engine, which `/status` has."
        ),
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


class Status(TypedDict):
    """What is loaded."""

    roblox_version: Annotated[str, Field(description="Engine version of the data.")]
    last_updated: Annotated[str, Field(description="When this index was published, UTC.")]
    total_documents: Annotated[int, Field(description="Chunks that can be found.")]
