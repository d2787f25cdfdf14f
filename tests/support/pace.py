"""How long a bound in seconds is on this machine now: bounds are written for a quiet one of two fast cores."""

from __future__ import annotations

import time
from collections.abc import Callable

WORK_S = 0.028
"""What `_work` takes there."""


def _work() -> None:
    sum(hash(str(number)) & 1 for number in range(100_000))


def _times(clock: Callable[[], float]) -> float:
    began = clock()
    _work()
    return max(1.0, (clock() - began) / WORK_S)


def seconds(quiet: float) -> float:
    """So many by the clock, and as many times more as fixed work takes longer now than on a quiet machine."""
    return quiet * _times(time.perf_counter)


def cpu_seconds(quiet: float) -> float:
    """So many of CPU time, and as many times more as fixed work takes here."""
    return quiet * _times(time.process_time)


def is_within(took_s: float, quiet_s: float) -> bool:
    """Whether what took so long is below `seconds(quiet_s)`; where it is below `quiet_s`, no machine is measured."""
    return took_s < quiet_s or took_s < seconds(quiet_s)


def takes_cpu_within(took_s: float, quiet_s: float) -> bool:
    """The same of CPU time and `cpu_seconds`."""
    return took_s < quiet_s or took_s < cpu_seconds(quiet_s)
