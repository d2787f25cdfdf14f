"""Processes that prepare documents for this one."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe

from build_index.preparing import Made, prepare
from quire.documents import Document
from quire.errors import QuireError, SourceError

COLLECT_AFTER = 500_000  # new containers in a worker, against 700 by default
AHEAD = 2
"""Batches that a process is given at once, so that it never waits for the next."""

Outcome = Made | SourceError


class Worker:
    """A process that prepares documents; it ends with this one."""

    def __init__(self) -> None:
        self._ours, theirs = Pipe()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", f"from {__name__} import serve; serve({theirs.fileno()})"],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OPENBLAS_NUM_THREADS": "1"},
            )
        self._thread = ThreadPoolExecutor(max_workers=1)
        self._is_up = False
        self._begun = deque([self._thread.submit(self._receive)])

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    @property
    def is_free(self) -> bool:
        """Whether it can take a batch: it is up and has less than it was to have ahead.

        Raises:
            QuireError: it failed.
        """
        while self._begun and self._begun[0].done():
            self._begun.popleft().result()
            self._is_up = True
        return self._is_up and len(self._begun) < AHEAD

    def begin(self, documents: Sequence[Document]) -> Future[list[Outcome]]:
        """Have the documents prepared behind those that it has already."""
        answer = self._thread.submit(self._ask, documents)
        self._begun.append(answer)
        return answer

    def close(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait()
        self._thread.shutdown(cancel_futures=True)
        self._ours.close()

    def _ask(self, documents: Sequence[Document]) -> list[Outcome]:
        try:
            self._ours.send(documents)
        except OSError as error:
            raise self._ended() from error
        return self._receive()

    def _receive(self) -> list[Outcome]:
        try:
            answer: list[Outcome] | QuireError = self._ours.recv()
        except (EOFError, OSError) as error:
            raise self._ended() from error
        if isinstance(answer, QuireError):
            raise answer
        return answer

    def _ended(self) -> QuireError:
        status = self._process.wait()
        found = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
        return QuireError(f"preparing documents: process {self._process.pid} {found}: build again")


def prepare_each(documents: Iterable[Document]) -> list[Outcome]:
    """What each document became, or why it did not."""
    outcomes: list[Outcome] = []
    for document in documents:
        try:
            outcomes.append(prepare(document))
        except SourceError as error:
            outcomes.append(error)
    return outcomes


def serve(descriptor: int) -> None:
    """Answer the process at the other end of the socket until it closes its end; this is what a worker runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process says when it ends
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER)
    with Connection(descriptor) as asking, suppress(EOFError, ConnectionError):
        asking.send([])
        while True:
            asking.send(_answer(asking.recv()))


def _answer(documents: Sequence[Document]) -> list[Outcome] | QuireError:
    try:
        return prepare_each(documents)
    except QuireError as error:
        return error
