"""Threads for work that waits on others: a model that writes, an identity provider, a store that is written to.

Searches have threads of their own, so nothing that hangs elsewhere holds them up. Here each kind of waiting has its own
threads and its own bound: what is beyond it is refused at once, since a queue behind a hanging service only grows.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

from quire.errors import Overloaded

P = ParamSpec("P")
T = TypeVar("T")


class WaitingRoom:
    """Threads, at most `threads`, with room for `waiting` further calls in line.

    Args:
        what: is done here, for the message of a refusal.
    """

    def __init__(self, what: str, threads: int, waiting: int = 0) -> None:
        self._what = what
        self._most = threads + waiting
        self._room = threading.BoundedSemaphore(self._most)
        self._pool = ThreadPoolExecutor(threads, what)

    def start(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Begin the work in a thread, within the caller's context.

        Raises:
            Overloaded: there is no room.
        """
        if not self._room.acquire(blocking=False):
            raise Overloaded(f"{self._what}: {self._most} are under way, which is all that there is room for")
        try:
            future = self._pool.submit(copy_context().run, partial(work, *args, **kwargs))
        except RuntimeError as error:  # the machine has no thread left, or the server ends
            self._room.release()
            raise Overloaded(f"{self._what}: no thread can be started for it ({error})") from error
        future.add_done_callback(lambda _: self._room.release())
        return future

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the work returns.

        Raises:
            Overloaded: there is no room.
        """
        return await asyncio.wrap_future(self.start(work, *args, **kwargs))
