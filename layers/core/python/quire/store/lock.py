"""The build lock: a lease in the store that keeps two builds of a collection apart."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from quire.canonical_json import canonical_json
from quire.errors import BuildInProgress, StoreError, SwapConflict
from quire.store.keys import COLLECTIONS, lock_key

if TYPE_CHECKING:
    from quire.ports import ObjectStore


PROC = Path("/proc")
TOLD_WITHIN_S = 10.0


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
    """What a program of the system prints; "" where there is none, it fails, or does not end."""
    try:
        told = subprocess.run(
            command,
            capture_output=True,
            text=True,
            env={**os.environ, "LC_ALL": "C"},
            timeout=TOLD_WITHIN_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return told.stdout.strip()


LEASE_S = 15 * 60.0
"""After so long without a renewal anybody may take the lock; at once where its holder ran here and is dead."""
TELLS_S = 2.0
"""How far a build is, is written so often at most."""


@dataclass(frozen=True, slots=True)
class BuildState:
    """A build that has begun and did not say that it ended.

    Attributes:
        since: when it began, in seconds since the epoch.
        process: its id where it runs on this machine; else 0.
        is_running: False where it was killed.
        progress: how far it was when it last said so; "" where it said nothing yet.
    """

    since: float
    process: int
    is_running: bool
    progress: str = ""


def read_build(objects: ObjectStore, name: str, now: float) -> BuildState | None:
    """The collection's build that is under way, or was killed; None where there is none."""
    stored = objects.read(lock_key(name))
    held = json.loads(stored.data) if stored else {"expires_at": 0.0}
    if not held["expires_at"]:
        return None
    process = str(held.get("process", ""))
    is_running = held["expires_at"] > now and not is_gone(process)
    since, progress = float(held.get("since", 0.0)), str(held.get("progress", ""))
    return BuildState(since, id_here(process), is_running, progress)


def read_builds(objects: ObjectStore, now: float) -> dict[str, BuildState]:
    """Those of every collection; what they build may not be served yet."""
    names = [name.rstrip("/") for name in objects.list(COLLECTIONS) if name.endswith("/")]
    return {name: build for name in names if (build := read_build(objects, name, now))}


class BuildLock:
    """Holds the lock while its `with` block runs, and renews the lease of `LEASE_S` three times in its length.

    Args:
        objects: the store.
        key: of the lock object.
        clock: seconds since the epoch, as other machines count them too.
        as_of: what `quire.store.pointers.with_build` wants to know of the pointer when the build began.

    Raises:
        BuildInProgress: on entering, where another build holds the lock.
    """

    def __init__(
        self,
        objects: ObjectStore,
        key: str,
        *,
        clock: Callable[[], float],
        as_of: Callable[[], int] = lambda: 0,
    ) -> None:
        self._objects = objects
        self._key = key
        self._clock = clock
        self._read_as_of = as_of
        self._owner = os.urandom(8).hex()
        self._since = self._told_at = 0.0
        self._progress = ""
        self._etag = ""
        self._guard = threading.Lock()
        self._ended = threading.Event()
        self._renewing = threading.Thread(target=self._keep_renewing, daemon=True)
        self.as_of = 0

    def __enter__(self) -> BuildLock:
        self._take()
        try:
            self.as_of = self._read_as_of()
            self._renewing.start()
        except BaseException:
            self._release()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._renewing.join()
        self._release()

    def _release(self) -> None:
        with suppress(StoreError):  # somebody else has it, or the lease will run out
            self._write(0.0)

    def renew(self) -> None:
        """Extend the lease.

        Raises:
            BuildInProgress: it ran out and another build took the lock.
        """
        try:
            self._write(self._clock() + LEASE_S)
        except SwapConflict as error:
            raise BuildInProgress(
                f"{self._key}: the lease ran out and another build took the lock"
            ) from error

    def tell(self, progress: str) -> None:
        """Let `read_build` know how far the build is; most calls within two seconds of the last one do nothing."""
        now = self._clock()
        if 0 <= now - self._told_at < TELLS_S:  # a clock may be set back
            return
        self._told_at, self._progress = now, progress
        with suppress(StoreError):  # the next one may be told; `renew` says where the lock was lost
            self._write(now + LEASE_S)

    def _take(self) -> None:
        stored = self._objects.read(self._key)
        self._since = self._told_at = self._clock()
        until = self._since + LEASE_S
        try:
            if stored is None:
                self._etag = self._objects.write(self._key, self._state(until), if_absent=True)
                return
            held = json.loads(stored.data)
            if held["expires_at"] <= self._clock() or is_gone(str(held.get("process", ""))):
                self._etag = self._objects.write(self._key, self._state(until), if_match=stored.etag)
                return
        except SwapConflict:
            pass  # another build was a moment faster
        raise BuildInProgress(
            f"Ingestion already in progress: {self._key} is held by another build; wait until it ends, or, where it "
            f"died, {LEASE_S:.0f} s"
        )

    def _write(self, expires_at: float) -> None:
        with self._guard:
            self._etag = self._objects.write(self._key, self._state(expires_at), if_match=self._etag)

    def _state(self, expires_at: float) -> bytes:
        state = {"owner": self._owner, "since": self._since, "process": this_process()}
        progress = {"progress": self._progress} if self._progress else {}
        return canonical_json(state | progress | {"expires_at": expires_at})

    def _keep_renewing(self) -> None:
        while not self._ended.wait(LEASE_S / 3):
            try:
                self.renew()
            except BuildInProgress:
                return  # lost for good; `renew` before publishing says so
            except StoreError:
                continue  # two more tries remain before the lease runs out
