"""Which process holds a lock, so that another on the same machine can tell that it is dead."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

PROC = Path("/proc")


def this_process(proc: Path = PROC) -> str:
    """The machine's boot, the namespace of process ids, the id and when it started, which tells it from later ones of
    that id; "" where the system does not tell them.

    Where there is no `/proc`, as on macOS, `sysctl` and `ps` tell it.
    """
    place, number = _place(proc), os.getpid()
    return f"{place}:{number}@{_started(number, proc)}" if place else ""


def is_gone(process: str, proc: Path = PROC) -> bool:
    """Whether a process that called itself so ran here and has ended; False where that cannot be known.

    >>> is_gone(this_process()), is_gone(""), is_gone("elsewhere:1:1")
    (False, False, False)
    """
    number, started = _read(process, proc)
    return bool(number) and _started(number, proc) != (started or _started(number, proc) or "gone")


def id_here(process: str, proc: Path = PROC) -> int:
    """The id of a process that runs on this machine, for a signal to it; 0 where none does, or nobody can tell."""
    number, started = _read(process, proc)
    return number if number and started and _started(number, proc) == started else 0


def _read(process: str, proc: Path) -> tuple[int, str]:
    """The id, 0 where it ran elsewhere, and when it started, "" where that was not told."""
    place, _, of_place = process.rpartition(":")
    number, _, started = of_place.partition("@")
    return (int(number), started) if place and place == _place(proc) and number.isdecimal() else (0, "")


def _started(number: int, proc: Path) -> str:
    """When a process started, in ticks since the boot or as a date; "" where it has ended.

    One that was killed and not yet waited for has ended: a container's first process may wait for nobody.
    """
    if not (proc / "self").exists():
        state, _, date = _said_by("ps", "-o", "state=", "-o", "lstart=", "-p", str(number)).partition(" ")
        return "" if state[:1] in ("Z", "X") else "-".join(date.replace(":", "-").split())
    try:
        # What is told stands behind the program's name, which may hold anything.
        stat = (proc / str(number) / "stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
    told = stat.rpartition(") ")[2].split()
    return "" if told[0] in ("Z", "X") else told[19]


@cache
def _place(proc: Path) -> str:
    if not (proc / "self").exists():
        return _said_by("sysctl", "-n", "kern.bootsessionuuid")
    try:
        boot = (proc / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}:{(proc / 'self/ns/pid').stat().st_ino}"
    except OSError:
        return ""


def _said_by(*command: str) -> str:
    """What a program of the system prints; "" where there is none, or it fails."""
    try:
        told = subprocess.run(
            command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return told.stdout.strip()
