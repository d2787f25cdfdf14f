"""Ctrl-C while native libraries are loaded: they make an ImportError of it that does not say what it was."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def held_interrupts() -> Iterator[None]:
    """Let Ctrl-C act behind the block and not inside; of other threads than the main one it is as ever.

    Raises:
        KeyboardInterrupt: at the end of the block, where Ctrl-C was pressed inside and nothing else answers to it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed: list[tuple[int, FrameType | None]] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: pressed.append((number, frame)))
    try:
        yield
    finally:
        # One that was not set by Python is not known here.
        signal.signal(signal.SIGINT, signal.default_int_handler if before is None else before)
    if pressed and callable(before):
        before(*pressed[0])
