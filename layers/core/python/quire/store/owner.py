"""Which process holds a lock, so that another on the same machine can tell that it is dead."""

from __future__ import annotations

import os
from pathlib import Path


def this_process() -> str:
    """The machine's boot, the namespace of process ids, and the id; "" where the system does not tell them."""
    place = _place()
    return f"{place}:{os.getpid()}" if place else ""


def is_gone(process: str) -> bool:
    """Whether a process that called itself so ran here and has ended; False where that cannot be known.

    >>> is_gone(this_process()), is_gone(""), is_gone("elsewhere:1:1")
    (False, False, False)
    """
    place, _, number = process.rpartition(":")
    if not place or place != _place() or not number.isdecimal():
        return False
    try:
        # The state stands behind the program's name, which may hold anything.
        state = (
            Path("/proc", number, "stat").read_text(encoding="ascii", errors="replace").rpartition(") ")[2]
        )
    except OSError:
        return True
    # Killed, and not yet waited for: where a container's first process waits for nobody that never ends.
    return state[:1] in ("Z", "X")


def _place() -> str:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}:{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return ""
