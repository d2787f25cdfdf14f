"""Engines: where the steps of a build in shards run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from build_index.distributed.shards import Item, Record
from build_index.progress import say
from quire.errors import SourceError

ATTEMPTS = 4
"""A shard whose worker dies each time is not begun a fifth time: memory that does not suffice kills it again."""


class LocalEngine:
    """Processes of this machine; with one worker, this process."""

    def __init__(self, workers: int) -> None:
        self._workers = workers

    def map(self, step: Callable[[Item], Record], items: Sequence[Item]) -> Iterator[Record]:
        """See `build_index.distributed.shards.Engine`.

        Raises:
            SourceError: a worker died at each attempt.
        """
        if self._workers == 1:
            yield from map(step, items)
            return
        left = {str(item["inputs"]): item for item in items}
        for _ in range(ATTEMPTS):
            try:
                for name, record in self._once(step, left):
                    del left[name]
                    yield record
            except BrokenProcessPool:
                say(f"a worker died: {len(left)} of {len(items)} shards are left and begun again")
                continue
            return
        raise SourceError(f"shards: {len(left)} left, and a worker died {ATTEMPTS} times", path=min(left))

    def _once(self, step: Callable[[Item], Record], left: dict[str, Item]) -> Iterator[tuple[str, Record]]:
        # Fresh interpreters: a fork would inherit the locks of the model's threads.
        with ProcessPoolExecutor(self._workers, mp_context=get_context("spawn")) as pool:
            running = {pool.submit(step, item): name for name, item in left.items()}
            try:
                for future in as_completed(running):
                    yield running[future], future.result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
