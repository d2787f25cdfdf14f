"""What each tool takes. The descriptions are read by models: they say when to use a field and what it looks like."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from functions.faces.mcp.understanding import from_json
from functions.web.wire import Filters
from quire.store.pointers import PREVIOUS

MOST_TOKENS = 25_000
"""Claude Code cuts replies there. Source: Claude Code, "MCP output limits and warnings"."""

EVERYWHERE = ("", "/", ".", "./", "*", "**", "**/*")


def _as_list(value: object) -> object:
    read = from_json(value)
    return [read] if isinstance(read, str) else read


def _everything(value: object) -> object:
    return None if isinstance(value, str) and value.strip().casefold() in ("", "*", "all") else value


def _below_root(value: object) -> object:
    """A folder as paths have it, which begin with no dot or slash: of the root "" is left.

    >>> _below_root("./docs/"), _below_root("/"), _below_root("*"), _below_root(".github")
    ('docs/', '', '', '.github')
    """
    if not isinstance(value, str):
        return value
    return "" if value.strip() in EVERYWHERE else value.strip().removeprefix("./")


Budget: TypeAlias = Annotated[
    int,
    Field(ge=200, le=MOST_TOKENS, description="Most tokens of text to return, about four characters each."),
]
CollectionName: TypeAlias = Annotated[
    str | None,
    BeforeValidator(_everything),
    Field(
        description="Name of a collection, as list_collections gives it. Leave out to look in all of them."
    ),
]
Version: TypeAlias = Annotated[
    str | None,
    Field(
        min_length=1,
        description="An older version: its id, an engine version such as 0.735, or `previous`. Leave out for the"
        " newest.",
    ),
]
ExactFilters: TypeAlias = Annotated[
    Filters,
    Field(
        description='Exact metadata, such as {"member_type": "Event"}; a list means any of. See list_collections.'
    ),
]
Under: TypeAlias = Annotated[
    str,
    BeforeValidator(_below_root),
    Field(max_length=300, description="Only documents whose path contains this, such as docs/guide/."),
]
Limit: TypeAlias = Annotated[int, Field(ge=1, le=20, description="How many passages at most.")]


Terms: TypeAlias = Annotated[
    str, Field(description="Names and words that the documentation would use, in English.")
]


class Arguments(BaseModel):
    """Arguments of a tool, as `functions.faces.mcp.understanding` reads them."""

    model_config = ConfigDict(extra="forbid")


class ListCollections(Arguments):
    """Nothing is needed."""


class Search(Arguments):
    """A search."""

    query: str = Field(
        min_length=1,
        pattern=r"\S",
        description="A question in plain words, or identifiers such as Humanoid.MoveTo.",
    )
    terms: Terms = ""
    collection: CollectionName = None
    limit: Limit = 5
    filters: ExactFilters = Field(default_factory=dict)
    version: Version = None
    max_tokens: Budget = 2_000


class Ask(Arguments):
    """A question."""

    question: str = Field(min_length=1, pattern=r"\S", description="One whole question, with its context.")
    terms: Terms = ""
    collection: CollectionName = None
    selected_text: str = Field(
        "", max_length=8_000, description="Text that the question is about, if there is any."
    )
    filters: ExactFilters = Field(default_factory=dict)
    version: Version = None
    max_tokens: Budget = 1_500


class ReadArguments(Arguments):
    """A document, or a part of one. Give `id` or `document`."""

    collection: CollectionName = None
    id: str | None = Field(
        None, description="Id of a passage from search, answer or lookup: reads on from there."
    )
    document: str | None = Field(
        None, description="Path or id of a document, also as path:12-40: reads it from its beginning."
    )
    start_line: int | None = Field(None, ge=1, description="With `document`: first line wanted.")
    end_line: int | None = Field(None, ge=1, description="With `document`: last line wanted.")
    version: Version = None
    max_tokens: Budget = 3_000


class OutlineArguments(Arguments):
    """A document."""

    document: str = Field(min_length=1, description="Path or id of a document.")
    collection: CollectionName = None
    version: Version = None
    max_tokens: Budget = 2_000


class ListArguments(Arguments):
    """Which documents."""

    collection: CollectionName = None
    under: Under = ""
    after: str = Field("", max_length=500, description="List on behind this document, as the last page said.")
    limit: int = Field(100, ge=1, le=500, description="How many documents at most.")
    version: Version = None
    max_tokens: Budget = 3_000


class GrepArguments(Arguments):
    """A plain text."""

    pattern: str = Field(
        min_length=1,
        max_length=200,
        pattern=r"\S",
        description="Text within one line, as it is written. It is no regular expression.",
    )
    collection: CollectionName = None
    under: Under = ""
    ignore_case: bool = Field(False, description="Whether case does not matter.")
    limit: int = Field(50, ge=1, le=500, description="How many lines at most.")
    version: Version = None
    max_tokens: Budget = 3_000


class VerifyArguments(Arguments):
    """Passages that were read before."""

    ids: Annotated[list[str], BeforeValidator(_as_list)] = Field(
        min_length=1, max_length=50, description="Ids of passages, as the tools print them."
    )
    collection: CollectionName = None
    read_at: str | None = Field(
        None, min_length=1, description="Id of the version that they were read from, to compare the texts."
    )


class LookUp(Arguments):
    """An exact symbol."""

    symbol: str = Field(
        min_length=1,
        pattern=r"\S",
        description="Exact name: Humanoid.MoveTo, TweenService:Create, parse_date, Vector3.",
    )
    collection: CollectionName = None
    version: Version = None
    max_tokens: Budget = 2_000


class ChangesArguments(Arguments):
    """Two versions."""

    since: str = Field(
        PREVIOUS,
        min_length=1,
        description="The older version: its id or an engine version such as 0.732. Leave out for the one before.",
    )
    collection: CollectionName = None
    until: Version = None
    kind: Literal["all", "added", "changed", "removed"] = Field(
        "all", description="Only this kind of change."
    )
    max_tokens: Budget = 1_500
