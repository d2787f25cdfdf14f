"""Wire models of face `sites`: the fields of its specification (section 4), and what Quire adds to its responses."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.config import JsonDict
from typing_extensions import TypedDict

from functions.web.wire import Body
from quire.limits import ID_CHARACTERS, KEPT_MESSAGE_CHARACTERS
from quire.service.chat import BUDGET_TOKENS

MOST_TOKENS = 16_000

DOCUMENT_EXAMPLE: JsonDict = {
    "site_id": "acme",
    "source": "returns.md",
    "content": "# Returns\n\nA parcel may come back within 14 days. The label is in the box.",
}
MESSAGE_EXAMPLE: JsonDict = {
    "user_id": "283945720184931",
    "site_id": "acme",
    "role": "user",
    "message": "Can I send it back?",
}
CONTEXT_EXAMPLE: JsonDict = {"user_id": "283945720184931", "site_id": "acme", "query": "How long may I wait?"}

SiteId = Annotated[
    str,
    Field(min_length=1, max_length=ID_CHARACTERS, description="The site; nothing of another is ever seen."),
]
UserId = Annotated[
    str,
    Field(
        max_length=ID_CHARACTERS,
        description="The user; a token's `sub` outranks it, then it may be left out.",
    ),
]
Role = Literal["user", "ai"]


class DocumentRequest(Body):
    """A new document."""

    model_config = ConfigDict(json_schema_extra={"examples": [DOCUMENT_EXAMPLE]})

    site_id: SiteId
    source: str = Field("", max_length=2_000, description="Where it comes from: a file name or a URL.")
    content: str = Field(
        min_length=1, pattern=r"\S", description="Its full text; Markdown by the name of its source."
    )
    upsert: bool = Field(
        False,
        description="Whether it takes the place of the site's document of that `source`, if there is one.",
    )


class ReplaceRequest(Body):
    """Another text in the place of a document's."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"content": "# Returns\n\nWithin 30 days."}]})

    site_id: str | None = Field(
        None, description="The site once more; wanted to be the query's, where it is given."
    )
    source: str | None = Field(
        None, max_length=2_000, description="Where it comes from; left out, as before."
    )
    content: str = Field(min_length=1, pattern=r"\S", description="Its full text.")


class DocumentWire(TypedDict):
    """A document."""

    id: Annotated[str, Field(description="A UUID; those of later documents sort behind.")]
    site_id: str
    source: str
    created_at: Annotated[str, Field(description="UTC.")]
    updated_at: Annotated[str, Field(description="UTC.")]
    chunks: Annotated[int, Field(description="Passages that it was cut into.")]
    sha256: Annotated[str, Field(description="Digest of its text in UTF-8.")]


class JobWire(TypedDict):
    """How far a document is that takes longer to embed than a request may take."""

    id: Annotated[str, Field(description="The document's.")]
    site_id: str
    status: Literal["accepted", "done"]
    job: Annotated[str, Field(description="Ask `documents/jobs/{job}` for the rest.")]
    message: str
    document: Annotated[DocumentWire | None, Field(description="Once it is done; null if deleted since.")]


class WholeDocument(DocumentWire):
    """A document with its text."""

    content: str


class DocumentList(TypedDict):
    """Some documents of a site, oldest first."""

    documents: list[DocumentWire]
    after: Annotated[str | None, Field(description="Ask with this for the next page; null on the last.")]
    total: Annotated[int, Field(description="All documents of the site.")]


class SiteWire(TypedDict):
    """A site that holds documents."""

    site_id: str
    documents: Annotated[int, Field(description="How many it holds.")]


class SiteList(TypedDict):
    """Some of the collection's sites that a key may read."""

    sites: list[SiteWire]
    after: Annotated[str | None, Field(description="Ask with this for the next page; null on the last.")]


class DeletedSite(TypedDict):
    """What was deleted with a site."""

    site_id: str
    deleted_documents: int
    deleted_messages: int


class MessageRequest(Body):
    """A message of a conversation."""

    model_config = ConfigDict(json_schema_extra={"examples": [MESSAGE_EXAMPLE]})

    user_id: UserId = ""
    site_id: SiteId
    role: Role = Field(description="Who said it.")
    message: str = Field(min_length=1, max_length=KEPT_MESSAGE_CHARACTERS, description="What was said.")


class MessageWire(TypedDict):
    """A message as it is kept."""

    id: Annotated[str, Field(description="Ids of later messages sort behind.")]
    role: Role
    message: str
    timestamp: Annotated[str, Field(description="When it was said, UTC; 30 days later it is gone.")]


class MessageList(TypedDict):
    """Messages of one user at one site, oldest first."""

    messages: list[MessageWire]
    before: Annotated[
        str | None, Field(description="Ask with this for the messages before; null at the beginning.")
    ]


class Forgotten(TypedDict):
    """How many messages there were."""

    deleted: int


class CleanUpSummary(TypedDict):
    """What a clean-up did."""

    deleted: Annotated[int, Field(description="Messages that were too old and are deleted now.")]
    older_than: Annotated[str, Field(description="What was said before this moment was too old.")]
    retention_days: int
    next: Annotated[
        str | None, Field(description="Where the next call goes on, as `after`; null where all was read.")
    ]


class ContextRequest(Body):
    """The user's current message."""

    model_config = ConfigDict(json_schema_extra={"examples": [CONTEXT_EXAMPLE]})

    user_id: UserId = ""
    site_id: SiteId
    query: str = Field(min_length=1, pattern=r"\S", description="What the user asks now.")
    budget_tokens: int = Field(
        BUDGET_TOKENS,
        ge=100,
        le=MOST_TOKENS,
        description="Most tokens of the context, at four characters each.",
    )


class SourceWire(TypedDict):
    """A numbered source of the context."""

    n: Annotated[int, Field(description="Its number in the context.")]
    document_id: str
    source: str
    heading: Annotated[str | None, Field(description="The heading it stands under.")]
    chunk_ids: list[str]
    score: Annotated[float, Field(description="Probability that it is relevant, 0 to 1.")]
    version: Annotated[str, Field(description="State of the site that it was read from.")]


class ContextResponse(TypedDict):
    """What to answer from, and after what."""

    context: Annotated[str, Field(description="Knowledge and conversation as one text for a language model.")]
    sources: list[SourceWire]
    turns: Annotated[list[MessageWire], Field(description="The messages in it, newest last.")]
    degraded: Annotated[list[str], Field(description="What was missing, in words; empty when all is well.")]
