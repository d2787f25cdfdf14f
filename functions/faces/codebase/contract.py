"""Wire models of face `codebase`, field for field as its specification gives them (sections 8 and 9).

What goes beyond the specification is optional in requests and absent from responses.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field
from pydantic.config import JsonDict
from typing_extensions import TypedDict

from functions.web.wire import Body, Filters

MOST_MATCHES = 50
QUERY_EXAMPLE: JsonDict = {"q": "Where is doCurlGet implemented and what are its side effects?", "top_k": 8}
ANSWER_EXAMPLE: JsonDict = {
    "q": "How do sessions work in our Docker PHP image?",
    "top_k": 8,
    "max_tokens": 500,
}
INDEX_EXAMPLE: JsonDict = {
    "root": "./",
    "clean": False,
    "patterns": ["**/*.py", "**/*.md"],
    "exclude": ["node_modules/**", ".git/**"],
}


class IndexRequest(Body):
    """A folder to index."""

    model_config = ConfigDict(json_schema_extra={"examples": [INDEX_EXAMPLE]})

    root: str = Field(
        "./", min_length=1, description="Folder, relative to the allowed one; never outside of it."
    )
    clean: bool = Field(
        False,
        description="Index this folder alone, and embed it again; without it others that were indexed stay.",
    )
    patterns: list[str] = Field(
        default_factory=list,
        description="Files to take, in the notation of .gitignore; by default all known kinds.",
    )
    exclude: list[str] = Field(
        default_factory=list,
        description="Files and folders to leave out, besides .gitignore and the usual ones.",
    )


class IndexResponse(TypedDict):
    """What was indexed."""

    ok: bool
    files_indexed: Annotated[int, Field(description="Files in the index.")]
    chunks: Annotated[int, Field(description="Passages in the index.")]
    duration_s: Annotated[float, Field(description="Seconds that the caller waited, or that the job ran.")]


class JobResponse(TypedDict):
    """A build that runs or has ended."""

    id: str
    status: Literal["running", "done", "failed"]
    started_at: str
    result: Annotated[IndexResponse | None, Field(description="Once it is done.")]
    files_changed: Annotated[
        int | None, Field(description="Files new, different or gone since the last build.")
    ]
    failed: Annotated[list[str], Field(description="Files that could not be read.")]
    excluded: Annotated[dict[str, int], Field(description="Files and folders left out, by reason.")]
    error: Annotated[str | None, Field(description="Why it failed.")]
    vectors: Annotated[
        float | None,
        Field(
            description="Share of the passages served now whose vectors are there: a first index is served by names and"
            " keywords before them. Null where nothing is served yet."
        ),
    ]


class Stats(TypedDict):
    """What the index holds."""

    files: int
    chunks: int
    updated_at: Annotated[
        str | None, Field(description="When it was published, UTC; null where nothing is indexed.")
    ]


class _Question(Body):
    q: str = Field(min_length=1, pattern=r"\S", description="The question, or names to look for.")
    top_k: int | None = Field(
        None, ge=1, le=MOST_MATCHES, strict=True, description="At most so many; by default 8."
    )
    filters: Filters = Field(
        default_factory=dict,
        description="`lang`, `path`, `kind`, `repository`, ... to the wanted value or values.",
    )
    expand: Literal["lines", "symbol", "file"] | None = Field(
        None, description="Show more than what matched: lines around it, its whole definition, or its file."
    )


class QueryRequest(_Question):
    """A question about the code."""

    model_config = ConfigDict(json_schema_extra={"examples": [QUERY_EXAMPLE]})

    rerank: bool = Field(
        False, description="Accepted for clients that send it; the one ranking there is has no second pass."
    )


class AnswerRequest(_Question):
    """A question to be answered in words."""

    model_config = ConfigDict(json_schema_extra={"examples": [ANSWER_EXAMPLE]})

    max_tokens: int = Field(
        512,
        ge=1,
        le=8_000,
        description="Bound of the answer's text, by a model or by quotes, without its sources.",
    )
    stream: bool = Field(
        False, description="Answer as server-sent events: `delta`..., then `done` or `error`."
    )


class Match(TypedDict):
    """One passage of a file; `metadata` holds `lang`, `symbol`, `kind`, `sha256` of the matched lines, and the like."""

    score: Annotated[float, Field(description="Calibrated probability that it is relevant, 0 to 1.")]
    path: str
    start_line: Annotated[int, Field(description="First line of the snippet, from 1.")]
    end_line: Annotated[int, Field(description="Its last line.")]
    snippet: str
    metadata: dict[str, Any]


class QueryResponse(TypedDict):
    """Matches, best first."""

    matches: list[Match]


class CitationWire(TypedDict):
    """Lines that an answer rests on."""

    n: Annotated[
        int, Field(description="The number that stands in the answer, and before it under its sources.")
    ]
    path: str
    start_line: int
    end_line: int
    page: NotRequired[Annotated[int, Field(description="First page of a PDF, which has no lines.")]]


class AnswerResponse(TypedDict):
    """An answer that ends with its sources."""

    final: Annotated[
        str,
        Field(
            description="Ends with `Sources:` and each citation as `n path:start-end`; of a PDF `n path, page p`."
        ),
    ]
    citations: list[CitationWire]
    matches: list[Match]


class Health(TypedDict):
    """The server runs."""

    status: Literal["ok"]
    version: str


class Refusal(TypedDict):
    """Why the request was refused."""

    detail: str
