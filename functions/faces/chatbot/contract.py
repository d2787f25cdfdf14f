"""Wire models of face `chatbot`, field for field as its specification gives them (section 2), and Quire's additions."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, Self
from unicodedata import category

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, field_validator, model_validator
from pydantic.config import JsonDict
from typing_extensions import TypedDict

from functions.web.wire import Body
from quire.limits import (
    FILES,
    ID_CHARACTERS,
    MARKED_CHARACTERS,
    MESSAGE_CHARACTERS,
    PATH_CHARACTERS,
    SENT_TURN_CHARACTERS,
    SENT_TURNS,
)

INGEST_EXAMPLE: JsonDict = {
    "files": [
        {"path": "ros2/topics.md", "content": "# ROS 2 Architecture\n\n## Topics\n\nNodes publish messages."}
    ]
}
QUERY_EXAMPLE: JsonDict = {
    "query_text": "What are ROS2 topics?",
    "limit": 5,
    "min_score": 0.4,
    "filters": {"chapter": "ROS 2 Architecture", "section": "Topics"},
}
CHAT_EXAMPLE: JsonDict = {
    "user_message": "How do humanoids use actions?",
    "selected_text_context": "When a humanoid performs a walking action...",
    "chat_history": [
        {"role": "user", "content": "What is ROS?"},
        {"role": "assistant", "content": "ROS is a middleware."},
    ],
}


UNWRITABLE = ("Cc", "Cs")
"""Unicode categories of what no path holds; blanks that do not break, as macOS and French write them, it may."""


class FileWire(Body):
    """A file: Markdown, MDX, HTML, text, a notebook; a PDF, EPUB or Word document in base64. Its name says which."""

    path: str = Field(
        min_length=1, max_length=PATH_CHARACTERS, pattern=r"\S", description="Its path; names it from now on."
    )
    content: str = Field(description="Its text, or its bytes in base64.")
    encoding: Literal["text", "base64"] = Field(
        "text", description="`base64` for a PDF, EPUB or Word document."
    )
    is_highlight_chunk: bool = Field(False, description="Kept with its passages: what a reader marked.")

    @field_validator("path")
    @classmethod
    def _stays_below(cls, path: str) -> str:
        """The path if it leads to no folder above its first one; the specification's begin with a slash, or do not."""
        if any(category(letter) in UNWRITABLE for letter in path) or ".." in path.replace("\\", "/").split(
            "/"
        ):
            raise ValueError(f"wanted a path without `..` and control characters, found {path!r}")
        return path


class IngestRequest(Body):
    """Files to serve."""

    model_config = ConfigDict(json_schema_extra={"examples": [INGEST_EXAMPLE]})

    files: list[FileWire] = Field(
        min_length=1, max_length=FILES, description="Each takes the place of its path's."
    )
    prune: bool = Field(
        False, description="Whether files that were ingested before and are not among these shall go."
    )


class FailureWire(TypedDict):
    """A file that could not be read."""

    path: str
    reason: str


class ProgressWire(TypedDict):
    """How far a job is."""

    embedded: Annotated[int, Field(description="Chunks whose vectors are made.")]
    of: Annotated[int, Field(description="All chunks; 0 until the files are cut.")]


class IngestResponse(TypedDict):
    """What became of the files."""

    status: Annotated[
        Literal["success", "accepted"], Field(description="`accepted` where a job goes on with it.")
    ]
    ingested_count: Annotated[int, Field(description="Chunks of these files that are served.")]
    message: str
    failures: Annotated[list[FailureWire], Field(description="Files left out; the others are served.")]
    pruned_count: NotRequired[Annotated[int, Field(description="With `prune`, files that are gone.")]]
    job: NotRequired[Annotated[str, Field(description="Ask `ingest/{job}` how far it is.")]]
    progress: NotRequired[ProgressWire]


class LibraryPageWire(TypedDict):
    """A file that was ingested."""

    path: str
    chapter: Annotated[str, Field(description="Its title.")]
    url: str
    chunks: int
    sha256: Annotated[str, Field(description="Digest of the document that it became.")]


class LibraryPages(TypedDict):
    """Some of the files that were ingested, by path."""

    pages: list[LibraryPageWire]
    after: Annotated[str | None, Field(description="Ask with this for the next; null at the end.")]
    total: int


class DeletedPage(TypedDict):
    """What was deleted."""

    status: Literal["success"]
    message: str


class ErrorBody(TypedDict):
    """What went wrong."""

    status: Literal["error"]
    message: str


class EmbedRequest(Body):
    """A text to embed."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": "The quick brown fox jumps over the lazy dog."}]}
    )

    text: str = Field(
        min_length=1,
        max_length=MESSAGE_CHARACTERS,
        pattern=r"\S",
        description="The model reads its first 250 words or so.",
    )


class EmbedResponse(TypedDict):
    """The text's vector."""

    embedding: Annotated[list[float], Field(description="Of unit length, as wide as the collection's model.")]


class QueryFilters(BaseModel):
    """What the passages must be of."""

    model_config = ConfigDict(extra="forbid")

    chapter: str | None = Field(None, description="Title of the chapter.")
    section: str | None = Field(None, description="Heading of the section or subsection.")


class QueryRequest(Body):
    """A question as a text or as its vector."""

    model_config = ConfigDict(json_schema_extra={"examples": [QUERY_EXAMPLE]})

    query_text: str | None = Field(None, min_length=1, pattern=r"\S", description="The question.")
    query_embedding: list[float] | None = Field(
        None, min_length=1, description="Its vector, in place of a text."
    )
    limit: int = Field(5, ge=1, le=50, description="How many at most.")
    min_score: float | None = Field(
        None, ge=-1, le=1, allow_inf_nan=False, description="Leave out passages of a lower similarity."
    )
    filters: QueryFilters | None = None

    @model_validator(mode="after")
    def _one_question(self) -> Self:
        if (self.query_text is None) == (self.query_embedding is None):
            raise ValueError("wanted query_text or query_embedding, one of them")
        return self


class ResultMetadata(TypedDict):
    """Where a passage stands."""

    chapter: str
    section: str
    url: str
    is_highlight_chunk: bool
    path: str | None
    start_line: int | None
    end_line: int | None
    page: NotRequired[Annotated[int, Field(description="First page of a PDF, from 1.")]]
    end_page: NotRequired[int]
    cell: NotRequired[Annotated[int, Field(description="First cell of a notebook, from 1.")]]
    end_cell: NotRequired[int]
    slide: NotRequired[Annotated[int, Field(description="First slide of a presentation, from 1.")]]
    end_slide: NotRequired[int]
    sha256: Annotated[str, Field(description="Digest of the passage's text.")]
    version: Annotated[str, Field(description="State of the collection that it was read from.")]


class ResultWire(TypedDict):
    """One passage."""

    id: str
    text: str
    score: Annotated[float, Field(description="Cosine similarity with the question.")]
    metadata: ResultMetadata


class QueryResponse(TypedDict):
    """Passages, most relevant first."""

    results: list[ResultWire]


class HistoryTurn(Body):
    """An earlier message."""

    role: Literal["user", "assistant"]
    content: str = Field(max_length=SENT_TURN_CHARACTERS)


class ChatMessage(Body):
    """A question in a conversation."""

    model_config = ConfigDict(json_schema_extra={"examples": [CHAT_EXAMPLE]})

    user_message: str = Field(
        min_length=1, max_length=MESSAGE_CHARACTERS, pattern=r"\S", description="The question."
    )
    selected_text_context: str | None = Field(
        None, max_length=MARKED_CHARACTERS, description="What the reader marked."
    )
    chat_history: list[HistoryTurn] | None = Field(
        None,
        max_length=SENT_TURNS,
        # As `/answer` calls it: ignored, follow-ups would be answered as if nothing had been said.
        validation_alias=AliasChoices("chat_history", "history"),
        description="Earlier messages; outranks what a session remembers.",
    )
    session: str | None = Field(
        None,
        min_length=1,
        max_length=ID_CHARACTERS,
        description="Remember this conversation under it for 30 days.",
    )
    stream: bool = Field(
        False, description="Send server-sent events; without it the JSON itself arrives piece by piece."
    )


class ChatCitation(TypedDict):
    """A source of the answer."""

    chapter: str
    section: str
    url: str
    n: Annotated[int, Field(description="Its number in the response.")]
    id: str
    quote: Annotated[str, Field(description="The words it stands on.")]
    sha256: Annotated[str, Field(description="Digest of the quote.")]
    version: Annotated[str, Field(description="State of the collection that it was read from.")]
    is_highlight_chunk: bool


class SimilarityScore(TypedDict):
    """A passage that was read for the answer."""

    id: str
    score: Annotated[float, Field(description="Cosine similarity with the question.")]


class ChatResponse(TypedDict):
    """An answer with its sources."""

    response: str
    citations: list[ChatCitation]
    similarity_scores: list[SimilarityScore]
    notices: Annotated[list[str], Field(description="Sentences for the reader.")]
    degraded: Annotated[list[str], Field(description="What was missing, in words; empty when all is well.")]
    model_used: str
    version: str
