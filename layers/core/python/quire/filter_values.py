"""How values of metadata are spelled in the postings that filters read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from quire.documents import Metadata

Filters: TypeAlias = Mapping[str, str | Sequence[str]]
"""A field to the value that a chunk has of it, or to several of which it has one."""

ALSO = {"heading": "headings", "chapter": "chapters"}
"""A chunk that several sections were merged into is found by the heading of each, a page also by its folder's title."""


def filter_value(value: object) -> str:
    """How a metadata value, or a filter's, is spelled in the postings.

    >>> filter_value("Part"), filter_value(True), filter_value(3), filter_value(3.0)
    ('Part', 'true', '3', '3.0')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


def filter_key(field_name: str, value: object) -> str:
    """The string whose postings hold the chunks with that value: the field's name, U+0000, the value."""
    return f"{field_name}\x00{filter_value(value)}"


def filter_keys(field_names: Iterable[str], metadata: Metadata) -> Iterable[str]:
    """The keys of a chunk, each once; a tuple has one for each value, None has none."""
    keys: dict[str, None] = {}
    for name, value in _values(field_names, metadata):
        if isinstance(value, str):  # most are, and there are hundreds of thousands of them
            keys[f"{name}\x00{value}"] = None
        elif isinstance(value, tuple | list):
            keys.update((filter_key(name, one), None) for one in value)
        elif value is not None:
            keys[filter_key(name, value)] = None
    return keys


def _values(field_names: Iterable[str], metadata: Metadata) -> Iterator[tuple[str, object]]:
    for name in field_names:
        yield name, metadata.get(name)
        if name in ALSO:
            yield name, metadata.get(ALSO[name])
