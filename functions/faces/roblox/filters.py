"""Filters of face `roblox` as the index spells them: whatever the case, and with what a class inherits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from quire.index.opened import OpenedIndex

CLASS = "class_name"


def spelled(index: OpenedIndex, filters: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The filters with each value as passages have it; one that none has stays as it is and finds nothing."""
    return {field: _spelled(index, field, values) for field, values in filters.items()}


def with_inherited(index: OpenedIndex, filters: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The filters with the superclasses of each class: what they declare is a member of the class too."""
    wider = {field: list(values) for field, values in filters.items()}
    if CLASS in wider:
        chains = (index.ancestry(one) for one in wider[CLASS])
        wider[CLASS] = list(dict.fromkeys(name for chain in chains for name in chain))
    return wider


def heirs(index: OpenedIndex, classes: Iterable[str], declared_by: object) -> list[str]:
    """Those of the classes that inherit what is declared by the other class."""
    return [one for one in classes if one != declared_by and declared_by in index.ancestry(one)]


def _spelled(index: OpenedIndex, field: str, values: Sequence[str]) -> list[str]:
    if all(index.has_value(field, one) for one in values):
        return list(values)
    known = {one.casefold(): one for one in index.values(field)}
    return [one if index.has_value(field, one) else known.get(one.casefold(), one) for one in values]
