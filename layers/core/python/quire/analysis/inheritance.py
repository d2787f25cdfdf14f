"""Inherited names: which class declares the member that a question names on one of its subclasses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping


def resolve(name: str, hierarchy: Mapping[str, str], symbols_contains: Callable[[str], bool]) -> str | None:
    """Turn `Part.Position` into `BasePart.Position`: the name as the class that declares the member spells it.

    The nearest declaring class wins. `.`, `:` and trailing parentheses are alike; a class whose case differs from
    the hierarchy's is found too, its exact spelling first. None where the name has no class, or no class of the
    chain declares the member.

    Args:
        name: `Class.Member`, `Class:Member` or `Class:Member()`.
        hierarchy: class -> superclass; a root has no entry, or one that names no class.
        symbols_contains: whether some chunk defines exactly that symbol.

    >>> resolve("Part:Destroy()", {"Part": "BasePart", "BasePart": "Instance"}, {"Instance.Destroy"}.__contains__)
    'Instance.Destroy'
    """
    owner, separator, member = name.strip().removesuffix("()").replace(":", ".").partition(".")
    if not separator or not owner or not member or "." in member:
        return None
    for ancestor in ancestry(_spelled(owner, hierarchy), hierarchy):
        candidate = f"{ancestor}.{member}"
        if symbols_contains(candidate):
            return candidate
    return None


def ancestry(name: str, hierarchy: Mapping[str, str]) -> Iterator[str]:
    """The class itself, then its superclasses, nearest first; a cycle ends where it closes.

    >>> list(ancestry("Part", {"Part": "BasePart", "BasePart": "Instance"}))
    ['Part', 'BasePart', 'Instance']
    """
    seen: set[str] = set()
    while name and name not in seen:
        seen.add(name)
        yield name
        name = hierarchy.get(name, "")


def _spelled(owner: str, hierarchy: Mapping[str, str]) -> str:
    if owner in hierarchy:
        return owner
    folded = owner.casefold()
    return next((known for known in hierarchy if known.casefold() == folded), owner)
