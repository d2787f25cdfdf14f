"""Wire shapes that several contracts share: how a hit and its citation look as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from itertools import islice
from typing import Annotated, Any, NotRequired, TypeAlias

from pydantic import BaseModel, BeforeValidator, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict

from quire.documents import Chunk, Hit, text_sha256
from quire.filter_values import filter_value
from quire.parsing.formats import UNITS
from quire.parsing.line_maps import LINE_MAP, PART_MAP
from quire.parsing.rst import TITLES
from quire.search.excerpts import find_excerpt
from quire.service.diff import Comparison
from quire.store.catalog import Served

SEND_TERMS = "send `terms`"
"""How a caller of this API and of MCP names words of the sources."""
ADVICE = "What the program that asks can do for a better reply, where there is something; `notices` are its reader's."

MetadataValue: TypeAlias = str | int | float | bool | list[str] | None


def _spelled(value: object) -> object:
    """Yes and no as filters spell them, so that what `metadata` shows can be asked for."""
    return filter_value(value) if isinstance(value, bool) else value


FilterValue: TypeAlias = Annotated[str, BeforeValidator(_spelled, json_schema_input_type=str | bool)]
Filters: TypeAlias = dict[str, FilterValue | list[FilterValue]]
"""Metadata field to the value it must have, or to a list of which it must have one."""


ALIKE = 0.82
"""Share of letters that a misspelt name has of a field's: `sesion`, `topK` and `sources` have more, `store` for `stop`
has less."""
MOST_NAMES = 50
"""Of a body that are compared with a face's, each in about 15 µs."""


class Body(BaseModel):
    """What is sent to a face. An unknown field is ignored, unless it is spelt almost as one that was not sent."""

    @model_validator(mode="before")
    @classmethod
    def _refuse_misspelt(cls, given: Any) -> Any:
        names = cls.model_fields.keys()
        unsent = [name for name in names if isinstance(given, dict) and name not in given]
        wrong: list[Any] = [
            {
                "type": PydanticCustomError(
                    "misspelt", "unknown field, wanted {wanted}", {"wanted": near[0]}
                ),
                "loc": (name,),
                "input": given[name],
            }
            for name in islice(given if unsent else (), MOST_NAMES)
            if name not in names and (near := get_close_matches(str(name)[:100].lower(), unsent, 1, ALIKE))
        ]
        if wrong:
            raise ValidationError.from_exception_data(cls.__name__, wrong)
        return given


class CitationWire(TypedDict):
    """Where a hit's text stands, checkable: `sha256` is of the UTF-8 bytes of exactly the hit's `text`."""

    id: Annotated[str, Field(description="Id of the chunk.", examples=["8f14e45fceea167a"])]
    path: Annotated[str | None, Field(description="Path in the source; null for what is not a file.")]
    start_line: Annotated[int | None, Field(description="First line in the file, from 1.")]
    end_line: Annotated[int | None, Field(description="Last line in the file.")]
    heading: Annotated[str | None, Field(description="The heading it stands under.")]
    url: Annotated[str | None, Field(description="The page that shows it.")]
    sha256: Annotated[str, Field(description="Digest of the stored text.")]
    version: Annotated[str, Field(description="Id of the collection version it was read from.")]


class ExcerptWire(TypedDict):
    """A part of the stored text, in characters."""

    start: Annotated[int, Field(description="Where it begins.")]
    end: Annotated[int, Field(description="Where it ends.")]
    of: Annotated[int, Field(description="Length of the stored text.")]


class HitWire(TypedDict):
    """One passage that was found."""

    id: Annotated[str, Field(description="Id of the chunk, stable while its document stands.")]
    rank: Annotated[int, Field(description="From 1, best first.")]
    score: Annotated[float, Field(description="Calibrated probability that it is relevant, 0 to 1.")]
    text: Annotated[str, Field(description="The stored text, or an excerpt of it where that was asked for.")]
    metadata: Annotated[dict[str, MetadataValue], Field(description="What the source says about it.")]
    citation: CitationWire
    excerpt: NotRequired[
        Annotated[ExcerptWire, Field(description="Which part `text` is, where excerpts were asked for.")]
    ]


def excerpt_wire(hit: Hit, weights: Mapping[str, float], size: int) -> HitWire:
    """A hit whose `text` is the part that speaks of the question; its digest stays that of the whole text."""
    text = hit.chunk.text
    start, end = find_excerpt(text, weights, size)
    return hit_wire(hit) | {"text": text[start:end], "excerpt": {"start": start, "end": end, "of": len(text)}}


def hit_wire(hit: Hit) -> HitWire:
    """A hit as JSON sees it."""
    chunk = hit.chunk
    return {
        "id": chunk.id,
        "rank": hit.rank,
        "score": rounded(hit.score),
        "text": chunk.text,
        "metadata": metadata_wire(chunk),
        "citation": citation_wire(chunk, hit.version),
    }


def citation_wire(chunk: Chunk, version: str) -> CitationWire:
    """The citation of a whole chunk."""
    known: Any = chunk.metadata.get
    return {
        "id": chunk.id,
        "path": known("path") or known("file_path"),
        "start_line": known("start_line"),
        "end_line": known("end_line"),
        "heading": known("heading"),
        "url": known("url"),
        "sha256": text_sha256(chunk.text),
        "version": version,
    }


def place_of(chunk: Chunk) -> str:
    """Where a passage stands: its path with lines, pages, cells or slides; "" where it has no path."""
    known = chunk.metadata.get
    path = str(known("path") or "")
    if not path:
        return ""
    if known("start_line"):
        return f"{path}:{known('start_line')}-{known('end_line')}"
    for unit in UNITS.values():
        first, last = known(unit), known(f"end_{unit}")
        if first:
            return f"{path}, {unit} {first}" if first == last else f"{path}, {unit}s {first}-{last}"
    return path


def metadata_wire(chunk: Chunk) -> dict[str, MetadataValue]:
    """The chunk's metadata without what only showing it needs; line numbers are always there, null where the source has
    none."""
    wire: dict[str, Any] = {"start_line": None, "end_line": None, **chunk.metadata}
    for name in (LINE_MAP, PART_MAP, TITLES):
        wire.pop(name, None)
    for name, value in wire.items():
        if type(value) is tuple:
            wire[name] = list(value)
    return wire


def rounded(score: float) -> float:
    """Six digits: what distinguishes two float32 scores, and no noise of their conversion."""
    return round(float(score), 6)


def comparison_wire(collection: str, found: Comparison) -> dict[str, Any]:
    """What changed between two versions of a collection."""
    before, after = _version_wire(found.before), _version_wire(found.after)
    return {"collection": collection, "from": before, "to": after, **found.diff.as_json()}


def _version_wire(served: Served) -> dict[str, str | None]:
    published = served.pointer.published_at
    return {"version": served.version, "label": served.label or None, "published_at": published or None}
