"""A client that leaves or cancels its call: the model that writes its answer is ended too, which would cost money."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Leaving:
    """What one call has to end when its client leaves. Its work runs in a thread, which finds it by `ended_by`."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._has_left = False
        self._ends: list[Callable[[], None]] = []

    def leave(self) -> None:
        """The client has left: end what is under way, and what begins from now on."""
        with self._guard:
            self._has_left = True
            ends = list(self._ends)
        for end in ends:
            end()

    def add(self, end: Callable[[], None]) -> None:
        """What is under way from now on."""
        with self._guard:
            self._ends.append(end)
            has_left = self._has_left
        if has_left:
            end()

    @contextmanager
    def current(self) -> Iterator[None]:
        """It is this call that is made inside the block, by threads that the block starts too."""
        token = _CURRENT.set(self)
        try:
            yield
        finally:
            _CURRENT.reset(token)


_CURRENT: ContextVar[Leaving | None] = ContextVar("leaving", default=None)


def ended_by(end: Callable[[], None]) -> None:
    """Note what ends the call that is being made; nothing where nobody can leave."""
    if (leaving := _CURRENT.get()) is not None:
        leaving.add(end)
