"""A client of an app in this process whose requests share an event loop, as those to a server do."""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache

from anyio.from_thread import BlockingPortal, start_blocking_portal
from starlette import testclient


class TestClient(testclient.TestClient):
    """Starlette's, which starts a thread with an event loop for each request: half of what a small one costs."""

    @contextmanager
    def _portal_factory(self) -> Iterator[BlockingPortal]:
        yield self.portal or _portal()


@cache
def _portal() -> BlockingPortal:
    """The event loop of this process."""
    open_until_exit = ExitStack()
    atexit.register(open_until_exit.close)
    return open_until_exit.enter_context(start_blocking_portal())
