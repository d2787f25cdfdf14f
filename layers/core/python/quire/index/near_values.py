"""What is said of a filter whose value no passage has: the values that are spelled almost alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from quire.filter_values import filter_value
from quire.index.vocabulary import trigrams

if TYPE_CHECKING:
    from quire.index.tables import FilterTable

MOST_NEAR = 3
MOST_COMPARED = 5_000
"""Values looked through, 20 ms at most. Of a field with more, such as paths, the rest is not."""
MOST_TOLD = 3
"""Values of a request that are told of, so that a list of thousands costs no more."""
LEAST_ALIKE = 0.34
LONGEST = 80


def missing_values(table: FilterTable, filters: Mapping[str, Any]) -> tuple[str, ...]:
    """One sentence for each of the first values of the filters that no passage has."""
    pairs = (
        (field, value)
        for field, wanted in filters.items()
        for value in (wanted if isinstance(wanted, list | tuple) else (wanted,))
    )
    missing = ((field, value) for field, value in pairs if not table.has_value(field, value))
    told = []
    for field, value in islice(missing, MOST_TOLD):
        near = near_values(filter_value(value), islice(table.values(field), MOST_COMPARED))
        names = ", ".join(repr(one[:LONGEST]) for one in near)
        hint = f"; near it: {names}" if near else ""
        told.append(f"filters.{field}: no passage has {filter_value(value)[:LONGEST]!r}{hint}")
    return tuple(told)


def near_values(wanted: str, known: Iterable[str]) -> list[str]:
    """The known values that share most trigrams with the wanted one, best first, whatever their case.

    >>> near_values("Evnt", ["Event", "Function", "Property"])
    ['Event']
    """
    asked = set(trigrams(wanted[:LONGEST].lower()))
    scored = []
    for one in known:
        has = set(trigrams(one[:LONGEST].lower()))
        alike = 2 * len(asked & has) / (len(asked) + len(has))
        if alike >= LEAST_ALIKE:
            scored.append((-alike, one))
    return [one for _, one in sorted(scored)[:MOST_NEAR]]
