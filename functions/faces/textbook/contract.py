"""Wire models of face `textbook`."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field
from pydantic.config import JsonDict
from typing_extensions import TypedDict

from functions.web.wire import Body

MOST_WORDS = 500
MOST_SELECTED_WORDS = 200
QUERY_EXAMPLE: JsonDict = {
    "query": "Why does the robot need a loop?",
    "selected_text": "The loop senses, decides and acts.",
}


class QueryRequest(Body):
    """A question about the book; over-long input is truncated, never refused."""

    model_config = ConfigDict(json_schema_extra={"examples": [QUERY_EXAMPLE]})

    query: str = Field(min_length=1, pattern=r"\S", description="The question, at most 500 words.")
    selected_text: str | None = Field(None, description="What the reader had marked, at most 200 words.")


class Source(TypedDict):
    """A place in the book that the answer used; one for each mark."""

    n: Annotated[int, Field(description="The number that stands in the answer.")]
    chapter: Annotated[str, Field(description="Chapter number and title.")]
    section: Annotated[str, Field(description="The section's identifier.")]
    filename: Annotated[str, Field(description="The file.")]
    relevance_score: Annotated[float, Field(description="0 to 1.")]
    heading: Annotated[str, Field(description="The heading that the passage stands under.")]
    url: Annotated[str, Field(description="The page that shows it, or its path in the book.")]


class QueryResponse(TypedDict):
    """The answer with its sources."""

    answer: str
    sources: list[Source]
    model_used: str
    latency_ms: float
    notices: list[str]


class Failure(TypedDict):
    """What went wrong, in a sentence for the reader."""

    detail: str
    request_id: Annotated[str, Field(description="Quote it when you report the problem; the log has it.")]
