"""Documents to prepared ones, in their order; where much is new, beside other processes.

Those end before the first passage is embedded, so that they take nothing from the model.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, closing
from dataclasses import dataclass, field

from build_index.sources import Failure
from build_index.workers import Outcome, Worker, prepare_each
from quire.documents import Document
from quire.errors import SourceError

ALONE = 600_000
"""Characters that are prepared before there are other processes: half a second of each is spent until it begins."""
MOST_WORKERS = 3
"""One takes about 150 MB, and what is left to a single process, the writing, is a third of a build."""
BATCH = 64_000
BATCH_ORDERS = 256
MOST_WAITING = 32
"""Batches that may wait for one before them."""


@dataclass(slots=True)
class Order:
    """Something that was read, on its way to an entry.

    Attributes:
        read: what was read.
        key: what it is kept under.
        is_wanted: whether it has to be prepared.
        made: what preparing it gave.
    """

    read: Document | Failure
    key: bytes = b""
    is_wanted: bool = False
    made: Outcome | None = None

    @property
    def name(self) -> str:
        """Which document it is."""
        return self.read.path if isinstance(self.read, Failure) else self.read.id

    def failure(self) -> Failure | None:
        """Why it did not become anything; None where it did."""
        if isinstance(self.read, Failure):
            return self.read
        return (
            Failure(self.made.path or self.name, str(self.made))
            if isinstance(self.made, SourceError)
            else None
        )


def prepare_all(
    orders: Iterable[Order], *, workers: int | None = None, alone: int = ALONE
) -> Generator[Order, None, None]:
    """Prepare what is wanted; every order comes back, in its place.

    Args:
        orders: read lazily, some hundred thousand characters ahead.
        workers: processes beside this one, by default one for each core that is idle.
        alone: characters from which they are started.

    Raises:
        QuireError: such a process ended, or a document failed otherwise than with a SourceError.
    """
    most = min(_idle_cores(), MOST_WORKERS) if workers is None else workers
    with closing(_Crew(most, alone)) as crew:
        waiting: deque[_Batch] = deque()
        for batch in _batches(orders):
            waiting.append(batch)
            crew.take(batch)
            while waiting and (waiting[0].is_done or len(waiting) > MOST_WAITING):
                yield from waiting.popleft().finish()
        while waiting:
            yield from waiting.popleft().finish()


def _idle_cores() -> int:
    """Cores that nobody uses, this process's own left out: where others work, one more process only takes turns."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    others = max(os.getloadavg()[0] - 1, 0.0)
    return max(round(cores - 1 - others), 0)


@dataclass(slots=True)
class _Batch:
    orders: list[Order] = field(default_factory=list)
    characters: int = 0
    answer: Future[list[Outcome]] | None = None

    @property
    def wanted(self) -> list[Document]:
        return [one.read for one in self.orders if one.is_wanted and isinstance(one.read, Document)]

    @property
    def is_done(self) -> bool:
        return self.answer is None or self.answer.done()

    def finish(self) -> Iterator[Order]:
        """Wait for what was made, and give the orders."""
        outcomes = iter(self.answer.result() if self.answer else ())
        for order in self.orders:
            if order.is_wanted:
                order.made = next(outcomes)
            yield order


def _batches(orders: Iterable[Order]) -> Iterator[_Batch]:
    batch = _Batch()
    for order in orders:
        batch.orders.append(order)
        if order.is_wanted and isinstance(order.read, Document):
            batch.characters += len(order.read.text)
        if batch.characters >= BATCH or len(batch.orders) >= BATCH_ORDERS:
            yield batch
            batch = _Batch()
    yield batch


class _Crew:
    """This process and its workers, which are started when it has done so much alone."""

    def __init__(self, most: int, alone: int) -> None:
        self._most = most
        self._alone = alone
        self._done = 0
        self._workers: list[Worker] = []

    def take(self, batch: _Batch) -> None:
        """Have a batch prepared by a worker that has time, or here."""
        wanted = batch.wanted
        if not wanted:
            return
        if self._done >= self._alone and not self._workers:
            self._workers = [Worker() for _ in range(self._most)]
        self._done += batch.characters
        free = next((worker for worker in self._workers if worker.is_free), None)
        if free is not None:
            batch.answer = free.begin(wanted)
        else:
            batch.answer = Future()
            batch.answer.set_result(prepare_each(wanted))

    def close(self) -> None:
        """End the workers, whatever they do."""
        with ExitStack() as closed:
            for worker in self._workers:
                closed.callback(worker.close)
