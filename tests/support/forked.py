"""Processes that begin as copies of one that has imported their program: importing takes each a second of CPU.

`python -m tests.support.forked FD MODULE` runs `main` of the module in a process of its own for each message on the
socket of that number.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from tests.support.tree import CORE, ROOT


class Copy:
    """A running copy of a program.

    Attributes:
        pid: its process.
    """

    def __init__(self, told: int) -> None:
        self._told = os.fdopen(told)
        self.pid = int(self._told.readline())

    def kill(self) -> None:
        """End it as `kill -9` does."""
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """How it ended: below 0 by the signal of that number."""
        with self._told:
            return int(self._told.readline())

    def poll(self) -> int | None:
        """None as long as it runs."""
        return self.wait() if select.select([self._told], [], [], 0)[0] else None


class Program:
    """What copies begin from."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel

    def start(self, *arguments: str, environment: Mapping[str, str], stdout: int) -> Copy:
        """Run a copy, which has the variables besides its own and writes to that file."""
        told, status = os.pipe()
        try:
            message = json.dumps([arguments, dict(environment)]).encode()
            socket.send_fds(self._channel, [message], [stdout, status])
        finally:
            os.close(status)
        return Copy(told)


@contextmanager
def program(module: str) -> Iterator[Program]:
    """The module's `main`, imported while the block runs."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = (sys.executable, "-m", __name__, str(theirs.fileno()), module)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT}:{ROOT / CORE}"}
    with subprocess.Popen(command, env=environment, cwd=ROOT, pass_fds=(theirs.fileno(),)), ours:
        theirs.close()
        yield Program(ours)


def _run(module: str, message: bytes, stdout: int, status: int) -> None:
    """Run a copy and tell its process, then how it ended."""
    arguments, environment = json.loads(message)
    child = os.fork()
    if not child:
        os.dup2(stdout, sys.stdout.fileno())
        os.environ.update(environment)
        sys.argv[1:] = arguments
        sys.exit(importlib.import_module(module).main())
    os.close(stdout)
    os.write(status, f"{child}\n".encode())
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.write(status, f"{code}\n".encode())


def main() -> None:
    """Start copies until nobody asks any more."""
    descriptor, module = sys.argv[1:]
    channel = socket.socket(fileno=int(descriptor))
    importlib.import_module(module)
    gc.freeze()
    while (message := socket.recv_fds(channel, 1 << 16, 2))[0]:
        stdout, status = message[1]
        if not os.fork():
            _run(module, message[0], stdout, status)
            return
        os.close(stdout)
        os.close(status)
        _reap(os.WNOHANG)
    _reap(0)


def _reap(options: int) -> None:
    """Wait for those that have ended: what they took counts for this process only then."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, options)[0]:
            pass


if __name__ == "__main__":
    main()
