"""What a request did, noted where it happens: the frame around it logs it, and may make metrics of it.

with noting():                   the frame, around a request
    note(degraded=True)          whoever did something worth counting
    log("request", **noted())
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

SERVED = "served"


_facts: ContextVar[dict[str, Any] | None] = ContextVar("facts", default=None)


@contextmanager
def noting() -> Iterator[None]:
    """Collect what is noted inside the block, by this task and what it hands its context to."""
    token = _facts.set({})
    try:
        yield
    finally:
        _facts.reset(token)


def note(**facts: object) -> None:
    """Add facts to the request's log line; times and tokens of the same name add up. Nothing outside a request."""
    held = _facts.get()
    if held is None:
        return
    for name, value in facts.items():
        held[name] = held.get(name, 0) + value if name.endswith(("_ms", "_tokens")) else value


def note_degraded(reasons: Iterable[str]) -> None:
    """Add to what the answer lacks, in words: the frame's log line and the header `x-quire-degraded` say it."""
    held = _facts.get()
    if held is None:
        return
    known = held.get("missing", ())
    if added := [one for one in reasons if one not in known]:
        held.update(degraded=True, missing=[*known, *added])


def note_served(served: object) -> None:
    """Remember the state of the collection that this request is answered from: its headers tell of no other."""
    held = _facts.get()
    if held is not None:
        held[SERVED] = served


def noted_served() -> Any:
    """The state that was remembered last; None where none was."""
    return (_facts.get() or {}).get(SERVED)


def noted() -> dict[str, Any]:
    """What was noted of this request so far."""
    return {name: value for name, value in (_facts.get() or {}).items() if name != SERVED}


@contextmanager
def timed(name: str) -> Iterator[None]:
    """Note how long the block took, in milliseconds, under that name."""
    began = time.perf_counter()
    try:
        yield
    finally:
        note(**{name: round((time.perf_counter() - began) * 1000, 2)})
