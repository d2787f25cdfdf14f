"""Which process holds a lock, so that another on the same machine can tell that it is dead."""

from __future__ import annotations

import os
from pathlib import Path


def this_process() -> str:
    """The machine's boot, the namespace of process ids, the id and when it started, which tells it from later ones of
    that id; "" where the system does not tell them."""
    place, number = _place(), os.getpid()
    return f"{place}:{number}@{_started(number)}" if place else ""


def is_gone(process: str) -> bool:
    """Whether a process that called itself so ran here and has ended; False where that cannot be known.

    >>> is_gone(this_process()), is_gone(""), is_gone("elsewhere:1:1")
    (False, False, False)
    """
    number, started = _read(process)
    return bool(number) and _started(number) != (started or _started(number) or "gone")


def id_here(process: str) -> int:
    """The id of a process that runs on this machine, for a signal to it; 0 where none does, or nobody can tell."""
    number, started = _read(process)
    return number if number and started and _started(number) == started else 0


def _read(process: str) -> tuple[int, str]:
    """The id, 0 where it ran elsewhere, and when it started, "" where that was not told."""
    place, _, of_place = process.rpartition(":")
    number, _, started = of_place.partition("@")
    return (int(number), started) if place and place == _place() and number.isdecimal() else (0, "")


def _started(number: int) -> str:
    """When a process started, in ticks since the boot; "" where it has ended.

    One that was killed and not yet waited for has ended: a container's first process may wait for nobody.
    """
    try:
        # What is told stands behind the program's name, which may hold anything.
        told = (
            Path(f"/proc/{number}/stat")
            .read_text(encoding="ascii", errors="replace")
            .rpartition(") ")[2]
            .split()
        )
    except OSError:
        return ""
    return "" if told[0] in ("Z", "X") else told[19]


def _place() -> str:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}:{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return ""
