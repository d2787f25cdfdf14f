"""A function in a process of its own: what hangs, recurses, eats memory or crashes costs that call, not the program.

The process is started at the first call and kept for the next ones, so that a call costs 0.1 ms more than one in place.
It begins as a fresh interpreter, not as a fork: a server has threads, whose locks a fork would inherit closed. Lambda
has neither shared memory nor semaphores, and needs none for this.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import logging
import math
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any, Generic, TypeVar

from quire import errors
from quire.errors import QuireError, SourceError
from quire.limits import (
    READING_CPU_S,
    READING_CPU_S_A_MB,
    READING_MEMORY_MB,
    READING_PROCESSES,
    READING_WAITS,
)
from quire.precompiled import compiled_once

START_S, LEAST_WAIT_S = 60.0, 20.0
"""What starting an interpreter, and any call, may take by the clock on a machine that does much else."""
STALL_S = START_S
"""What a message may stand still for amid its way: where the other side neither goes on nor ends, as when stopped."""
COLLECT_AFTER = 1_000_000
"""New containers after which garbage is looked for, against 700 by default: looking took a tenth of the time."""
A = TypeVar("A")
R = TypeVar("R")


class Killable(Generic[A, R]):
    """Calls `work` in another process. Safe to share by threads: each call has a process to itself.

    Args:
        work: a function of a module, which takes and gives what can be pickled; its warnings are logged here. As
            `module:function` it is imported in the other process alone.
        memory_mb: what one process may hold, where the system heeds RLIMIT_DATA.
        least_wait_s: what any call of a warm process may take by the clock.
        stall_s: what a value or an answer may stand still for when a part of it was sent.

    Attributes:
        cpu_s: CPU seconds of calls that were answered.
        peak_mb: the most that a process of them held.
    """

    def __init__(
        self,
        work: Callable[[A], R] | str,
        *,
        memory_mb: int = READING_MEMORY_MB,
        least_wait_s: float = LEAST_WAIT_S,
        stall_s: float = STALL_S,
    ) -> None:
        self._target = work if isinstance(work, str) else f"{work.__module__}:{work.__qualname__}"
        self._memory_mb, self._least_wait_s, self._stall_s = memory_mb, least_wait_s, stall_s
        self._slots = threading.BoundedSemaphore(READING_PROCESSES)
        self._idle: list[_Process] = []
        self._guard = threading.Lock()
        self.cpu_s = self.peak_mb = 0.0
        weakref.finalize(self, _end_all, self._idle)

    def __call__(self, value: A, *, name: str, size: int, cpu_s: float = READING_CPU_S) -> R:
        """What `work` gives for the value.

        Args:
            value: as `work` takes it.
            name: of the file, for messages.
            size: of the file in bytes or characters; the larger it is, the more time it has.
            cpu_s: the least that it has.

        Raises:
            SourceError: it took too long, needed too much memory or died of it; or as `work` raised.
            QuireError: as `work` raised.
        """
        cpu_s += size / 1e6 * READING_CPU_S_A_MB
        with self._process() as process:
            result: R = process.call(value, name, cpu_s, self._least_wait_s)
            with self._guard:
                self.cpu_s += process.cpu_s
                self.peak_mb = max(self.peak_mb, process.peak_mb)
        return result

    def start(self, processes: int) -> None:
        """Have so many processes wait for calls: they import what they need while the caller does something else."""
        while len(self._idle) < processes:
            self._idle.append(self._new())

    def _new(self) -> _Process:
        return _Process(self._target, self._memory_mb, self._stall_s)

    @contextlib.contextmanager
    def _process(self) -> Iterator[_Process]:
        with self._slots:
            process = self._idle.pop() if self._idle else self._new()
            try:
                yield process
            finally:
                if process.is_sound:
                    self._idle.append(process)
                else:
                    process.end()


def interpreter(module: str, *arguments: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """The command that runs a module in a fresh interpreter, and the environment for it.

    It imports what this one would: not from the folder where it starts, which may be somebody's repository with a
    `pickle.py` of its own.
    """
    places = os.pathsep.join(place or str(Path.cwd()) for place in sys.path)
    return (sys.executable, "-P", "-m", module, *arguments), {**os.environ, "PYTHONPATH": places}


class _Process:
    """One interpreter. `is_sound` says whether it waits for the next value: not while a call is under way."""

    def __init__(self, target: str, memory_mb: int, stall_s: float) -> None:
        self._connection, theirs = Pipe()
        _bound_stalls(self._connection, stall_s)
        self._memory_mb = memory_mb
        command, environment = interpreter(__name__, str(theirs.fileno()), target, str(memory_mb))
        self._program = subprocess.Popen(
            command,
            env=environment,
            pass_fds=(theirs.fileno(),),
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is this side's to hear
        )
        theirs.close()
        self._is_warm = False
        self.is_sound = True
        self.cpu_s = self.peak_mb = 0.0

    def call(self, value: object, name: str, cpu_s: float, least_wait_s: float) -> Any:
        """See `Killable`."""
        self.is_sound = False
        wait_s = READING_WAITS * cpu_s + (least_wait_s if self._is_warm else START_S)
        try:
            self._connection.send((value, cpu_s))
            if not self._connection.poll(wait_s):
                raise TimeoutError
            kind, said, logged, self.cpu_s, self.peak_mb = self._connection.recv()
        except (TimeoutError, BlockingIOError):
            told = f"{name}: was not read within {wait_s:.0f} s and was given up"
            raise SourceError(told, path=name) from None
        except (EOFError, OSError):
            raise SourceError(f"{name}: {self._why_dead(cpu_s)}", path=name) from None
        self._is_warm = True
        self.is_sound = kind in ("done", "refused")
        for place, level, message in logged:
            logging.getLogger(place).log(level, "%s", message)
        if kind == "done":
            return said
        raise _refusal(kind, said, name)

    def end(self) -> None:
        """End the process, whatever it does."""
        self._connection.close()
        self._program.kill()
        self._program.wait()

    def _why_dead(self, cpu_s: float) -> str:
        try:
            code = self._program.wait(READING_WAITS)
        except subprocess.TimeoutExpired:
            code = 0
        if code == -signal.SIGXCPU:
            return f"took more than {math.ceil(cpu_s)} s to read and was given up"
        how = signal.Signals(-code).name if code < 0 else f"code {code}"
        return f"the process that read it died ({how}); it may hold up to {self._memory_mb:,} MB"


def _bound_stalls(connection: Connection, stall_s: float) -> None:
    """Have the connection raise BlockingIOError where nothing of a message went on for so long.

    A call that waits for the beginning of one asks `poll` before.
    """
    bound = struct.pack("ll", int(stall_s), int(stall_s % 1 * 1e6))
    with socket.socket(fileno=os.dup(connection.fileno())) as pipe:  # what it sets holds for both
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            pipe.setsockopt(socket.SOL_SOCKET, option, bound)


def _refusal(kind: str, said: tuple[str, str, str], name: str) -> QuireError:
    """The error of the other side as one of this."""
    known, message, path = said
    if kind == "broken":
        return SourceError(f"{name}: {message}", path=name)
    error = getattr(errors, known, SourceError)
    return SourceError(message, path=path or name) if error is SourceError else error(message)


def _end_all(processes: list[_Process]) -> None:
    while processes:
        processes.pop().end()


class _Kept(logging.Handler):
    """Keeps what is logged, to be logged on the other side."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.records: list[tuple[str, int, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append((record.name, record.levelno, record.getMessage()))


def _answer(work: Callable[[Any], Any], value: object) -> tuple[str, object]:
    """What a call came to: `done`, `refused` by an error of ours, or `broken` by anything else."""
    try:
        return "done", work(value)
    except QuireError as error:
        return "refused", (type(error).__name__, str(error), str(getattr(error, "path", "")))
    except RecursionError:
        return "broken", ("", "nested too deeply to be read", "")
    except MemoryError:
        return "broken", ("", f"needs more than {sys.argv[3]} MB of memory to be read", "")
    except Exception as error:  # noqa: BLE001  the outermost handler of this process: the file is told, not the program
        return "broken", ("", f"cannot be read: {type(error).__name__}: {error}", "")


def _serve(descriptor: str, target: str, memory_mb: str) -> None:
    """Answer values with what the function gives for them, until the other side is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    most = int(memory_mb) << 20
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    module, _, function = target.partition(":")
    with compiled_once():
        work = getattr(importlib.import_module(module), function)
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER)
    kept = _Kept()
    logging.getLogger().addHandler(kept)
    connection = Connection(int(descriptor))
    spent = 0.0
    with contextlib.suppress(EOFError, OSError):
        while True:
            value, cpu_s = connection.recv()
            until = math.ceil(time.process_time() + cpu_s)
            resource.setrlimit(resource.RLIMIT_CPU, (until, resource.RLIM_INFINITY))
            kept.records = []
            kind, said = _answer(work, value)
            del value
            peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            before, spent = spent, time.process_time()
            connection.send((kind, said, kept.records, spent - before, peak_mb))


if __name__ == "__main__":
    _serve(*sys.argv[1:])
