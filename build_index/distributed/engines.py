"""Engines: where the steps of a build in shards run."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Literal

from build_index.distributed.shards import Item, Record, make_shard
from build_index.progress import say
from quire.errors import ConfigError, SourceError
from quire.killable import COLLECT_AFTER

ATTEMPTS = 4
"""A shard whose worker dies each time is not begun a fifth time: memory that does not suffice kills it again."""


CONNECT_S = 30.0
WORKERS_S = 600.0
"""A cluster that starts its workers when they are asked for has its first one within these."""


class LocalEngine:
    """Processes of this machine; with one worker, this process."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._started: _Crew | None = None

    def fork(self) -> None:
        """Fork the workers of the next `map` off this process, which has imported what they need.

        Called before anything else starts threads or opens a model, whose locks they would inherit.
        """
        if self._workers > 1 and sys.platform == "linux" and threading.active_count() == 1:
            self._started = _Crew(self._workers, "fork")
            self._started.pool.submit(int)  # the first call forks all

    def start(self, warm_up: Callable[[], object]) -> None:
        """Have the workers of the next `map` do what their first step would wait for, while the caller plans."""
        if self._workers > 1:
            self._started = self._started or _Crew(self._workers)
            for _ in range(self._workers):
                self._started.pool.submit(warm_up)  # what it raises a step raises again

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
        crew, self._started = self._started or _Crew(self._workers), None
        with crew.ended() as pool:
            running = {pool.submit(step, item): name for name, item in left.items()}
            for future in as_completed(running):
                yield running[future], future.result()
            pool.shutdown()


class _Crew:
    """Worker processes, which end with this one."""

    def __init__(self, workers: int, method: Literal["fork", "forkserver"] = "forkserver") -> None:
        # Where it is too late to fork them off this process, they are forks of one that imported what they need and
        # did nothing else, .6 s: fresh interpreters would take .4 s of CPU each.
        context = get_context(method)
        context.set_forkserver_preload([make_shard.__module__])
        self._theirs, self._ours = context.Pipe(duplex=False)
        inherited = self._ours if method == "fork" else None
        place = (str(Path.cwd()), {**os.environ})
        self.pool = ProcessPoolExecutor(workers, context, _follow, (self._theirs, inherited, *place))

    @contextmanager
    def ended(self) -> Iterator[ProcessPoolExecutor]:
        """The pool; behind the block its processes are gone, whatever they were at."""
        try:
            yield self.pool
        finally:
            self._ours.close()
            self.pool.shutdown(cancel_futures=True)
            self._theirs.close()


class DaskEngine:
    """Workers of a Dask cluster, each with this code, the store and a cache; `scheduler` is its address."""

    def __init__(self, scheduler: str, *, connect_s: float = CONNECT_S, workers_s: float = WORKERS_S) -> None:
        self._scheduler, self._connect_s, self._workers_s = scheduler, connect_s, workers_s

    def map(self, step: Callable[[Item], Record], items: Sequence[Item]) -> Iterator[Record]:
        """See `build_index.distributed.shards.Engine`.

        Raises:
            ConfigError: the package `distributed` is not installed.
            SourceError: the cluster cannot be reached or has no worker, or a worker died at each attempt.
        """
        try:
            dask = import_module("distributed")  # the extra `dask`
        except ImportError:
            raise ConfigError(
                "engine dask: wanted the package distributed: pip install quire[dask]"
            ) from None
        try:
            with dask.Client(self._scheduler, timeout=self._connect_s) as client:
                # A key of its own each time: what a scheduler remembers of another build is not asked for.
                futures = client.map(step, items, pure=False, retries=ATTEMPTS - 1)
                client.wait_for_workers(1, timeout=self._workers_s)
                for future in dask.as_completed(futures):
                    yield future.result()
        except (dask.KilledWorker, OSError) as error:
            raise SourceError(f"engine dask at {self._scheduler}: {error}", path=self._scheduler) from error


def _follow(driver: Connection, inherited: Connection | None, folder: str, environ: dict[str, str]) -> None:
    """Have this worker end with its driver: at Ctrl-C, which is the driver's to hear, and where that is killed.

    `inherited` is the driver's side, which a fork of it must let go of. A fork server may have been started for a build
    before, in another folder with other settings.
    """
    if inherited:
        inherited.close()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environ)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(COLLECT_AFTER)
    threading.Thread(target=_end_after, args=(driver,), daemon=True).start()


def _end_after(driver: Connection) -> None:
    with suppress(EOFError, OSError):
        driver.recv_bytes()  # nothing is ever sent: it ends when the last holder of the other side is gone
    os._exit(1)
