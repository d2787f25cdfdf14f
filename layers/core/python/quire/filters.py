"""How values of metadata are spelled in the postings that filters read."""

from __future__ import annotations

from collections.abc import Iterable

from quire.documents import Metadata


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


def filter_keys(field_names: Iterable[str], metadata: Metadata) -> list[str]:
    """The keys of a chunk; a tuple has one for each value, None has none."""
    keys: dict[str, None] = {}
    for name in field_names:
        value = metadata.get(name)
        values = value if isinstance(value, tuple | list) else () if value is None else (value,)
        keys.update((filter_key(name, one), None) for one in values)
    return list(keys)
