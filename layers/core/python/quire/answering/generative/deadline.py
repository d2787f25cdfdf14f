"""A bound in time around an iterator that may block for as long as it likes."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from quire.errors import ModelTooSlow

T = TypeVar("T")
_END = object()


def within(deadline: float, pieces: Iterator[T]) -> Generator[T, None, None]:
    """The pieces, read in a thread of their own, until `deadline` (in `time.monotonic()` seconds).

    A provider's own timeouts are for each read, and none covers the look-up of its name. At the deadline, or when the
    consumer closes this, the thread is left behind: it ends with its current read, then closes the pieces.

    Raises:
        ModelTooSlow: the deadline passed.
    """
    reader = ThreadPoolExecutor(1, "answer model")
    try:
        while True:
            step = reader.submit(next, pieces, _END)
            try:
                piece = step.result(max(deadline - time.monotonic(), 0.0))
            except TimeoutError:
                raise ModelTooSlow("answer model: the deadline passed") from None
            if piece is _END:
                return
            yield piece  # type: ignore[misc]
    finally:
        close = getattr(pieces, "close", None)
        if close is not None:
            reader.submit(close)
        reader.shutdown(wait=False)
