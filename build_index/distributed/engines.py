"""Engines: where the steps of a build in shards run."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing import active_children, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Literal

from build_index.distributed.shards import Item, Record, make_shard
from build_index.progress import say
from quire.errors import ConfigError, SourceError
from quire.killable import COLLECT_AFTER

ATTEMPTS = 4
"""A shard whose worker dies each time is not begun a fifth time: memory that does not suffice kills it again."""

STALL_S = 600.0
"""Workers that made no shard and used no CPU for so long are ended: stopped ones, say, or a disk that is gone."""
LOOK_S, NOTHING_S = 5.0, 0.01
"""How often is looked whether workers go on, and CPU seconds that are none: those that only wait use less in a day."""
END_S = 10.0
"""What workers that have nothing to do any more are given to end by themselves."""
CONNECT_S = 30.0
WORKERS_S = 600.0
"""Within these a cluster that starts its workers when they are asked for has one, also where it has lost all it had."""
POLL_S = 0.05
"""How often a cluster is asked for what is done; every `LOOK_S` without anything, whether it is still there."""

RESUMED = "The shards that are done are kept: the next build makes the others"


class LocalEngine:
    """Processes of this machine; with one worker, this process."""

    def __init__(self, workers: int, *, stall_s: float = STALL_S) -> None:
        self._workers, self._stall_s = workers, stall_s
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
            SourceError: a worker died, or all stood still, at each attempt.
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
            running: dict[Future[Record], str] = {}
            finished: SimpleQueue[Future[Record]] = SimpleQueue()
            for name, item in left.items():
                future = pool.submit(step, item)
                running[future] = name
                future.add_done_callback(finished.put)
            watch = _Standstill(crew, self._stall_s)
            while running:
                try:
                    future = finished.get(timeout=watch.look_s)
                except Empty:
                    watch.look(len(running))
                else:
                    yield running.pop(future), future.result()


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
        self._others = active_children()
        self.pool = ProcessPoolExecutor(workers, context, _follow, (self._theirs, inherited, *place))

    def workers(self) -> list[BaseProcess]:
        """Those that are there."""
        return [one for one in active_children() if one not in self._others]

    @contextmanager
    def ended(self) -> Iterator[ProcessPoolExecutor]:
        """The pool; behind the block its processes are gone, whatever they were at, and those too that are stopped."""
        is_done = False
        try:
            yield self.pool
            is_done = True
        finally:
            if not is_done:
                self._ours.close()
            workers, until = self.workers(), time.monotonic() + END_S
            self.pool.shutdown(wait=False, cancel_futures=True)
            for one in workers:
                one.join(max(0.0, until - time.monotonic()))
                one.kill()
                one.join(END_S)
            self._ours.close()
            self._theirs.close()


class _Standstill:
    """Ends the workers where none of them goes on.

    It counts looks and reads no clock: where this process too was stopped for hours, nobody stood still.
    """

    def __init__(self, crew: _Crew, stall_s: float) -> None:
        self._crew, self._stall_s = crew, stall_s
        self.look_s = min(LOOK_S, stall_s)
        self._left, self._cpu_s, self._still_s = 0, 0.0, 0.0

    def look(self, left: int) -> None:
        """Called when no shard came for `look_s`: kill the workers where that was so for too long."""
        workers = self._crew.workers()
        cpu_s = sum(map(_cpu_s, workers))
        if left != self._left or abs(cpu_s - self._cpu_s) > NOTHING_S:
            self._left, self._cpu_s, self._still_s = left, cpu_s, 0.0
            return
        self._still_s += self.look_s
        if self._still_s >= self._stall_s:
            say(f"the workers stood still for {self._stall_s:g} s and are ended")
            for one in workers:
                one.kill()


def _cpu_s(process: BaseProcess) -> float:
    """CPU seconds of a child. Where the system tells none, the time by the clock: it never seems to stand still.

    Source: clock_getcpuclockid(3), whose number for a process Linux makes so.
    """
    if sys.platform != "linux":
        return time.monotonic()
    try:
        return time.clock_gettime((~(process.pid or 0) << 3) | 2)
    except OSError:  # it has just ended
        return 0.0


class DaskEngine:
    """Workers of a Dask cluster, each with this code, the store and a cache; `scheduler` is its address."""

    def __init__(self, scheduler: str, *, connect_s: float = CONNECT_S, workers_s: float = WORKERS_S) -> None:
        self._scheduler, self._connect_s, self._workers_s = scheduler, connect_s, workers_s

    def map(self, step: Callable[[Item], Record], items: Sequence[Item]) -> Iterator[Record]:
        """See `build_index.distributed.shards.Engine`.

        Raises:
            ConfigError: the package `distributed` is not installed.
            SourceError: the cluster cannot be reached, also while it works, or has no worker, or a worker died at each
                attempt.
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
                yield from self._finished(client, dask.as_completed(futures))
        except CancelledError as error:
            raise SourceError(
                f"engine dask at {self._scheduler}: the connection to the scheduler was lost. {RESUMED}",
                path=self._scheduler,
            ) from error
        except (dask.KilledWorker, OSError) as error:
            raise SourceError(f"engine dask at {self._scheduler}: {error}", path=self._scheduler) from error

    def _finished(self, client: Any, finished: Any) -> Iterator[Record]:
        """The records as they come, for as long as the cluster is there.

        Raises:
            TimeoutError: it is not any more.
        """
        seen = looked = time.monotonic()
        while not finished.is_empty():
            if done := finished.next_batch(block=False):
                seen = looked = time.monotonic()
                yield from (future.result() for future in done)
                continue
            time.sleep(POLL_S)
            if time.monotonic() - looked > LOOK_S:
                if self._has_workers(client):
                    seen = time.monotonic()
                elif time.monotonic() - seen > self._workers_s:
                    raise TimeoutError(f"without a worker for {self._workers_s:.0f} s. {RESUMED}")
                looked = time.monotonic()

    def _has_workers(self, client: Any) -> bool:
        """Whether the cluster has a worker; a scheduler that stands still would be waited for without end.

        Raises:
            TimeoutError: it does not say.
        """
        try:
            return bool(client.nthreads(callback_timeout=self._connect_s))
        except TimeoutError:
            raise TimeoutError(f"the scheduler does not answer any more. {RESUMED}") from None


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
