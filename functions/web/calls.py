"""What a route needs of the request around it: the service, the caller, and a thread to work in."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Annotated, Generic, ParamSpec, TypeVar

from fastapi import Header
from starlette.requests import Request
from starlette.types import Scope

from functions.web.waiting import WaitingRoom
from quire.service.access import Caller
from quire.service.knowledge import Knowledge

if TYPE_CHECKING:
    from functions.web.live import Live

P = ParamSpec("P")
T = TypeVar("T")
Prefer = Annotated[str, Header(max_length=200, description="`respond-async`: large requests become jobs.")]
"""What a client sends that would rather ask for a job than wait, see `Live.leaves`. Source: RFC 7240, section 4.1."""


def service_of(request: Request) -> Knowledge:
    """The use cases of this process."""
    service: Knowledge = request.app.state.service
    return service


class Once(Generic[T]):
    """Opens something at the first call and gives it at every one. Safe to share by threads."""

    def __init__(self, open_it: Callable[[], T]) -> None:
        self._open = open_it
        self._guard = threading.Lock()
        self._opened: list[T] = []

    def __call__(self) -> T:
        """What was opened; where opening failed, the next call tries again."""
        if not self._opened:
            with self._guard:
                if not self._opened:
                    self._opened.append(self._open())
        return self._opened[0]


def live_of(request: Request) -> Live:
    """The use cases of live documents and chat messages. The first call blocks while they are opened."""
    live: Once[Live] = request.app.state.live
    return live()


def caller_of(request: Request) -> Caller:
    """Who asks, as the frame identified them."""
    caller: Caller = request.scope["state"]["caller"]
    return caller


def collection_of(request: Request) -> str:
    """The collection whose face this request came through."""
    name: str = request.scope["state"]["collection"]
    return name


async def run(scope: Scope, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call the blocking `work` where it blocks nobody else.

    A server hands it to one of as many threads as there are cores: more would only take turns. In Lambda, which
    sends one request at a time, it runs in place: the hand-over costs 0.1 ms of CPU and buys nothing.
    """
    pool: ThreadPoolExecutor | None = scope["app"].state.pool
    if pool is None:
        return work(*args, **kwargs)
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(pool, partial(copy_context().run, partial(work, *args, **kwargs)))


async def run_answer(scope: Scope, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The same for an answer: where a model writes it, it waits on the model among its like, and searches do not queue.

    Raises:
        Overloaded: as many answers are being written as there is room for.
    """
    state = scope["app"].state
    if state.answers is None or state.service.answer_model is None:
        return await run(scope, work, *args, **kwargs)
    answers: WaitingRoom = state.answers
    return await answers.run(work, *args, **kwargs)


async def write(scope: Scope, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The same for what waits on a store more than it computes: in threads of their own, questions do not queue."""
    pool: ThreadPoolExecutor | None = getattr(scope["app"].state, "writers", None)
    if pool is None:
        return await run(scope, work, *args, **kwargs)
    within = partial(copy_context().run, partial(work, *args, **kwargs))
    return await asyncio.get_running_loop().run_in_executor(pool, within)
