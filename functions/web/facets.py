"""How the best passages divide by the fields that they can be filtered by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from functions.web.access import Caller
from quire.documents import NOTHING, Hit
from quire.errors import InputError
from quire.filter_values import filter_value
from quire.search.retrieval import Query
from quire.service.knowledge import Knowledge

COUNTED = 50
"""Passages that are counted: as many as a request may ask for."""
MOST_VALUES = 50


@dataclass(frozen=True, slots=True)
class Facets:
    """Counts over the best passages without the question's filters, so that a second value can be chosen.

    Attributes:
        of: passages that were counted, at most `COUNTED`.
        matching: of as many with the filters, those that there are.
        counts: field -> value -> passages, the most frequent first.
    """

    of: int
    matching: int
    counts: dict[str, dict[str, int]]


def count_facets(
    service: Knowledge,
    caller: Caller,
    collection: str,
    query: Query,
    *,
    fields: Sequence[str],
    version: str | None = None,
) -> Facets:
    """Count the values of the fields.

    Raises:
        InputError: the collection cannot be filtered by one of them.
    """
    wide = query._replace(top_k=COUNTED, offset=0)
    found = service.search(caller, collection, wide, version)
    known = found.served.index.filters.fields
    for field in fields:
        if field not in known:
            message = f"facets: unknown field {field[:80]!r}, wanted some of {', '.join(known)}"
            raise InputError(message, field="facets")
    every = found
    if query.filters:
        every = service.search(caller, collection, wide._replace(filters=NOTHING), version)
    counts = {field: _values(every.hits, field) for field in fields}
    return Facets(len(every.hits), len(found.hits), counts)


def _values(hits: Sequence[Hit], field: str) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for hit in hits:
        value = hit.chunk.metadata.get(field)
        values = value if isinstance(value, tuple | list) else (value,)
        counts.update(dict.fromkeys((filter_value(one) for one in values if one not in (None, "")), 1))
    best = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return dict(best[:MOST_VALUES])
