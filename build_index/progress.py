"""Progress of long steps, on standard error: what, how far, at what rate, and how long still."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TextIO, TypeVar

T = TypeVar("T")
QUIET_S = 1.0
EVERY_S = 1.0
LOOK_S = 0.25
"""Between two moments that the rate is reckoned from."""
LOG_EVERY_S = 10.0
"""Between two lines where nobody draws them again: a build of minutes leaves a screen of them at most."""
TOO_EARLY = 0.01
"""Of so small a share nothing is foretold: the first items wait for the first block of them."""


def track(
    items: Iterable[T],
    label: str,
    *,
    total: int | None = None,
    out: TextIO | None = None,
    weigh: Callable[[T], int] = lambda _: 1,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[T]:
    """Pass the items through and say how it goes; a step under a second says nothing.

    A terminal shows one line that is drawn again once a second, anything else a line every ten.
    With `total` the time left is estimated from the rate of the later half of the time, for a build that goes on where
    it was has the first items at once. An item counts for as much as `weigh` says.
    """
    stream = out or sys.stderr
    started = said = clock()
    every_s = EVERY_S if stream.isatty() else LOG_EVERY_S
    done = 0
    looks = deque([(started, 0)])
    for item in items:
        yield item
        done += weigh(item)
        now = clock()
        if now - looks[-1][0] >= LOOK_S:
            looks.append((now, done))
        while len(looks) > 1 and 2 * looks[1][0] <= started + now and looks[1][0] < now:
            looks.popleft()
        if now - said >= every_s:
            said = now
            since, before = looks[0]
            line = _line(label, done, total, (done - before) / (now - since))
            print(*_drawn(line, stream), sep="", end="", file=stream, flush=True)
    seconds = clock() - started
    if seconds >= QUIET_S:
        line = f"{label}: {done} in {seconds:.1f} s ({done / seconds:.0f}/s)"
        print(*_drawn(line, stream)[:2], file=stream, sep="", flush=True)


def say(message: str, out: TextIO | None = None) -> None:
    """One line of progress."""
    stream = out or sys.stderr
    print(*_drawn(message, stream)[:2], sep="", file=stream, flush=True)


def _drawn(line: str, stream: TextIO) -> tuple[str, str, str]:
    """What goes before the line, the line, and what ends it: a terminal's cursor goes back and the old line away."""
    return ("\r\x1b[K", line, "") if stream.isatty() else ("", line, "\n")


def _line(label: str, done: int, total: int | None, rate: float) -> str:
    if not total:
        return f"{label}: {done} ({rate:.0f}/s)"
    if done < total * TOO_EARLY:
        return f"{label}: {done}/{total}"
    left = max(total - done, 0) / rate
    return f"{label}: {done}/{total} ({rate:.0f}/s, {left:.0f} s left)"
