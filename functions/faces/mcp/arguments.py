"""What each tool takes. The descriptions are read by models: they say when to use a field and what it looks like."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from functions.web.wire import Filters

Budget: TypeAlias = Annotated[
    int, Field(ge=200, le=20_000, description="Most tokens of text to return, about four characters each.")
]
CollectionName: TypeAlias = Annotated[
    str, Field(min_length=1, description="Name of the collection, as list_collections gives it.")
]
Version: TypeAlias = Annotated[
    str | None,
    Field(
        min_length=1,
        description="An older version: its id or an engine version such as 0.735. Leave out for the newest.",
    ),
]
ExactFilters: TypeAlias = Annotated[
    Filters,
    Field(
        description='Exact metadata, such as {"member_type": "Event"}; a list means any of. See list_collections.'
    ),
]


class Arguments(BaseModel):
    """Arguments of a tool; an unknown one is an error that names it."""

    model_config = ConfigDict(extra="forbid")


class ListCollections(Arguments):
    """Nothing is needed."""


class Search(Arguments):
    """A search."""

    collection: CollectionName
    query: str = Field(
        min_length=1,
        pattern=r"\S",
        description="A question in plain words, or identifiers such as Humanoid.MoveTo.",
    )
    limit: int = Field(5, ge=1, le=20, description="How many passages at most.")
    filters: ExactFilters = Field(default_factory=dict)
    version: Version = None
    max_tokens: Budget = 2_000


class Ask(Arguments):
    """A question."""

    collection: CollectionName
    question: str = Field(min_length=1, pattern=r"\S", description="One whole question, with its context.")
    selected_text: str = Field(
        "", max_length=8_000, description="Text that the question is about, if there is any."
    )
    filters: ExactFilters = Field(default_factory=dict)
    version: Version = None
    max_tokens: Budget = 1_500


class ReadArguments(Arguments):
    """A document, or a part of one. Give `id` or `document`."""

    collection: CollectionName
    id: str | None = Field(
        None, description="Id of a passage from search, answer or lookup: reads on from there."
    )
    document: str | None = Field(None, description="Path or id of a document: reads it from its beginning.")
    start_line: int | None = Field(None, ge=1, description="With `document`: first line wanted.")
    end_line: int | None = Field(None, ge=1, description="With `document`: last line wanted.")
    version: Version = None
    max_tokens: Budget = 3_000


class LookUp(Arguments):
    """An exact symbol."""

    collection: CollectionName
    symbol: str = Field(
        min_length=1,
        pattern=r"\S",
        description="Exact name: Humanoid.MoveTo, TweenService:Create, parse_date, Vector3.",
    )
    version: Version = None
    max_tokens: Budget = 2_000


class ChangesArguments(Arguments):
    """Two versions."""

    collection: CollectionName
    since: str = Field(
        min_length=1, description="The older version: its id or an engine version such as 0.732."
    )
    until: Version = None
    kind: Literal["all", "added", "changed", "removed"] = Field(
        "all", description="Only this kind of change."
    )
    max_tokens: Budget = 1_500
