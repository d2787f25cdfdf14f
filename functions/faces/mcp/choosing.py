"""Which collections a call means: one by its name or a near one, or all that the caller may read."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import SequenceMatcher
from typing import TypeVar

from quire.errors import InputError, QuireError, UnknownCollection
from quire.service.access import Caller
from quire.service.knowledge import Knowledge, nothing_to_read

MOST_COLLECTIONS = 32
"""That one question is asked of: each costs a search, and its first one opens it."""
MOST_NAMED = 40
"""Of the others, in a note."""
T = TypeVar("T")


def collections(service: Knowledge, caller: Caller, wanted: str | None) -> list[str]:
    """The collection of that name or, without one, every collection that can be asked without more said.

    Raises:
        UnknownCollection: there is none to ask.
    """
    if wanted is not None:
        return [near_collection(service, caller, wanted)]
    names = list(service.names(caller))
    if not names:
        raise UnknownCollection(f"collection: the store holds {nothing_to_read(service)}", field="collection")
    return names[:MOST_COLLECTIONS]


def unasked(service: Knowledge, caller: Caller, wanted: str | None) -> list[str]:
    """A note on the collections that a call without a name leaves out, where there are any."""
    left = [] if wanted is not None else list(service.names(caller))[MOST_COLLECTIONS:]
    more = f" and {len(left) - MOST_NAMED} more" if len(left) > MOST_NAMED else ""
    names = f"{', '.join(left[:MOST_NAMED])}{more}"
    asked = f"Note: only the first {MOST_COLLECTIONS} collections were asked"
    return [f"{asked}. Name one as `collection` to ask it: {names}."] if left else []


def one_collection(service: Knowledge, caller: Caller, wanted: str | None) -> str:
    """The collection of that name or, without one, the only one.

    Raises:
        InputError: there are several.
    """
    names = collections(service, caller, wanted)
    if len(names) > 1:
        more = f" and {left} more" if (left := len(service.names(caller)) - len(names)) else ""
        raise InputError(f"collection: say which, one of {', '.join(names)}{more}", field="collection")
    return names[0]


def near_collection(service: Knowledge, caller: Caller, wanted: str) -> str:
    """The collection that is called so but for case and punctuation, by its name or title; else the name as it is."""
    names = {*service.names(caller), *(name for name in service.collections if caller.may("read", name))}
    if wanted in names:
        return wanted
    folded = _folded(wanted)
    near = {name for name in names if folded in (_folded(name), _folded(service.title(name)))}
    return near.pop() if len(near) == 1 and folded else wanted


def from_each(names: list[str], work: Callable[[str], T]) -> tuple[list[T], list[str]]:
    """What `work` gives for each collection, and a note for each that could not be asked.

    Raises:
        QuireError: none of them could; it is what was wrong with the first.
    """
    done: list[T] = []
    failed: list[tuple[str, QuireError]] = []
    for name in names:
        try:
            done.append(work(name))
        except QuireError as error:
            failed.append((name, error))
    if failed and not done:
        raise failed[0][1]
    # What was wrong with the call is told; what is wrong with a store is the operator's.
    why = (
        (name, str(error) if isinstance(error, InputError) else type(error).__name__)
        for name, error in failed
    )
    return done, [f"{name} was not asked ({told})" for name, told in why]


def likeness(wanted: str, name: str) -> tuple[bool, float]:
    """How much alike two names are spelled, by which near ones of several collections are put in one order.

    >>> max(["docs/index.md", "guide/lamp.md"], key=lambda one: likeness("docs/lamp.md", one))
    'guide/lamp.md'
    """
    asked, told = wanted.casefold(), name.casefold()
    same_end = _END.split(asked)[-2:] == _END.split(told)[-2:]
    return same_end, SequenceMatcher(None, asked, told).ratio()


_END = re.compile(r"[/.:#]+")


def _folded(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())
