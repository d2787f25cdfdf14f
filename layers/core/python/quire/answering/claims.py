"""Checks names of an API collection: symbols that this version does not have, and the nearest that it has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from quire.analysis.symbols import fold_symbol, last_part
from quire.analysis.terms import identifiers
from quire.index.opened import OpenedIndex

MOST_OFFERED = 3
MOST_NAMED = 5
MOST_CHECKED = 64


@dataclass(frozen=True, slots=True)
class MissingSymbol:
    """A name as it was written, and the nearest that exist, as they are spelled."""

    name: str
    nearest: tuple[str, ...]


def missing_symbols(index: OpenedIndex, text: str) -> list[MissingSymbol]:
    """Members that the text names on a class which the collection has, and which that class does not have.

    Names of other things, such as variables and other libraries, are not judged.
    """
    missing: list[MissingSymbol] = []
    for name in list(dict.fromkeys(identifiers(text)))[:MOST_CHECKED]:
        owner, separator, member = fold_symbol(name).partition(".")
        if not separator or not member or "." in member or not _is_class(index, name, owner):
            continue
        if not index.has_symbol(name) and not index.symbols.resolve(name):
            missing.append(MissingSymbol(name, nearest_symbols(index, owner, member)))
        if len(missing) >= MOST_NAMED:
            break
    return missing


def nearest_symbols(index: OpenedIndex, owner: str, member: str) -> tuple[str, ...]:
    """Names of members that look most like the missing one, those of its own class first."""
    offered: dict[str, None] = {}
    candidates = index.near(member, 24)
    for word in candidates:
        known = f"{owner}.{word}"
        own = index.symbols.resolve(known) or (known if index.has_symbol(known) else None)
        if own:
            offered.update(dict.fromkeys(_spelled(index, own)))
    for word in candidates:
        offered.update(dict.fromkeys(_spelled(index, word)))
    return tuple(list(offered)[:MOST_OFFERED])


def sentence(missing: MissingSymbol, title: str, version: str) -> str:
    """What a reader is told of a missing symbol."""
    where = f"{title}, version {version}" if version else title
    offer = ", ".join(f"`{name}`" for name in missing.nearest)
    return f"`{missing.name}` does not exist in {where}." + (
        f" The nearest that does: {offer}." if offer else ""
    )


def _is_class(index: OpenedIndex, name: str, owner: str) -> bool:
    """Whether the name's first part is a class, written as one: `part.Foo` is a variable, `Part.Foo` a claim."""
    return name[:1].isupper() and index.has_symbol(owner)


def _spelled(index: OpenedIndex, name: str) -> Iterator[str]:
    """The symbol's most specific name as the collection spells it."""
    ordinals = index.symbols.chunks(name)[:1]
    for chunk in index.fetch(ordinals.tolist()):
        folded = fold_symbol(name)
        if chunk.symbols and any(last_part(fold_symbol(one)) == last_part(folded) for one in chunk.symbols):
            yield chunk.symbols[0]
