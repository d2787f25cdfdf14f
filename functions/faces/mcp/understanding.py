"""What the arguments of a call mean: models write other names and types than a schema has, and clients add their own.

What can be understood is, with a note where that matters; an error would cost the model another turn.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel

from functions.web.wire import ALIKE, MOST_NAMES

M = TypeVar("M", bound=BaseModel)
NEAR: Mapping[str, tuple[str, ...]] = {
    "query": ("question", "q", "text", "search", "search_query", "prompt"),
    "question": ("query", "q", "text", "prompt"),
    "collection": ("collection_name", "index", "library", "corpus"),
    "terms": ("keywords", "hints", "search_terms"),
    "limit": ("top_k", "k", "n", "count", "max_results", "num_results"),
    "symbol": ("name", "identifier", "query"),
    "pattern": ("query", "text", "q", "regex", "search"),
    "document": ("path", "file", "file_path", "filename", "document_id", "doc", "uri"),
    "id": ("passage_id", "passage", "chunk_id"),
    "ids": ("id", "passage_id", "passage_ids", "chunk_ids"),
    "under": ("path", "prefix", "folder", "directory"),
    "since": ("before", "from", "from_version"),
    "until": ("after", "to", "to_version"),
    "start_line": ("start", "line", "offset", "line_start"),
    "end_line": ("end", "line_end"),
    "filters": ("filter", "where"),
    "max_tokens": ("budget", "budget_tokens", "token_limit"),
}
"""Names that models write in place of a field's own."""
CLIENTS_OWN = frozenset(("tool_call_id", "session_id", "action", "chat_input"))
"""What n8n sends beside the arguments of each call. Source: n8n-io/n8n#21500."""
NOTHING = frozenset(("", "null", "none", "undefined", "nil"))
IN_WORDS = ("query", "question", "terms", "symbol", "pattern")
"""Fields that may be told in several words."""
MOST_UNKNOWN = 10


class _Value(NamedTuple):
    """A value as it is understood, None to leave it out; and a note on that, "" for none."""

    value: Any
    note: str = ""


@cache
def schema_of(takes: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a tool's arguments, made once: the SDK asks for the list of tools at every call of one."""
    return takes.model_json_schema()


def understand(takes: type[M], given: Mapping[str, Any]) -> tuple[M, list[str]]:
    """The arguments, with notes on what was understood otherwise than written.

    Raises:
        ValidationError: something is missing, or cannot be understood.
    """
    properties = schema_of(takes)["properties"]
    required = schema_of(takes).get("required", ())
    known, unknown = _named(properties, given)
    read: dict[str, Any] = {}
    notes = []
    for name, value in known.items():
        meant = _meant(name, value, properties[name], is_needed=name in required)
        if meant.value is not None:
            read[name] = meant.value
        notes += [meant.note] if meant.note else []
    if unknown:
        taken = ", ".join(properties) or "nothing"
        notes.append(
            f"left out {', '.join(unknown[:MOST_UNKNOWN])}, which this tool does not take; it takes {taken}"
        )
    return takes.model_validate(read), notes


def _named(fields: Iterable[str], given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The values under the fields' own names, and the names that are nobody's."""
    said = {plain_name(name): (name, value) for name, value in given.items() if value is not None}
    known = {name: value for name, (_, value) in said.items() if name in fields}
    unknown: list[str] = []
    for name, (written, value) in said.items():
        if name in fields or name in CLIENTS_OWN:
            continue
        unsent = [field for field in fields if field not in known]
        alike = [field for field in unsent if name in NEAR.get(field, ())]
        if len(unknown) < MOST_NAMES:
            alike = alike or get_close_matches(name[:100], unsent, 1, ALIKE)
        if alike:
            known[alike[0]] = value
        else:
            unknown.append(written[:100])
    return known, unknown


def plain_name(name: str) -> str:
    """The name as fields are spelled.

    >>> plain_name("maxTokens"), plain_name("top-k")
    ('max_tokens', 'top_k')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).replace("-", "_").lower()


def _meant(name: str, value: Any, schema: Mapping[str, Any], *, is_needed: bool) -> _Value:
    """A value as the field's schema has it; what cannot be understood is left as it is, for its model to refuse."""
    kinds = {one.get("type"): one for one in (schema, *schema.get("anyOf", ()))}
    if not is_needed and _is_nothing(value, may_be_null="null" in kinds):
        return _Value(None)
    if "object" in kinds:
        return _Value(_without_nulls(from_json(value)))
    if "integer" in kinds:
        return _within(name, value, kinds["integer"])
    return _text(name, value) if "string" in kinds else _Value(value)


def _is_nothing(value: Any, *, may_be_null: bool) -> bool:
    if isinstance(value, str):
        return value.strip().casefold() in NOTHING if may_be_null else not value.strip()
    return value in ([], {})


def _text(name: str, value: Any) -> _Value:
    """A text: a number is one as it is written, and so is a list of one."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _Value(str(value))
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        return _Value(value)
    if len(value) == 1 or name in IN_WORDS:
        return _Value(" ".join(value))
    if name == "collection":
        return _Value(None, "collection: one is asked, or all; all were")
    return _Value(value)


def _within(name: str, value: Any, schema: Mapping[str, Any]) -> _Value:
    """A whole number, brought within what the field takes."""
    least, most = schema.get("minimum"), schema.get("maximum")
    try:
        number = int(float(value))
    except (TypeError, ValueError, OverflowError):
        return _Value(value)
    if most is not None and number > most:
        return _Value(most, f"{name}: {most} is the most")
    return _Value(least if least is not None and number < least else number)


def from_json(value: object) -> object:
    """A mapping or a list that was sent as a string of JSON."""
    if isinstance(value, str) and value.strip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _without_nulls(value: Any) -> Any:
    return {name: one for name, one in value.items() if one is not None} if isinstance(value, dict) else value
