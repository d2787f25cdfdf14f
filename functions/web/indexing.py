"""Index builds that a server starts: each in a process of its own, so that questions keep their speed meanwhile.

The process runs `build_index.pipeline.folder_job`; this side only starts it, waits, and remembers what became of it.
A Lambda function has no indexer (`app.state.indexer` is missing there): it holds no build code and no folder to read.
"""

from __future__ import annotations

import json
import logging
import subprocess
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias

from functions.web.logs import log
from quire import errors
from quire.errors import BuildInProgress, QuireError, SourceError
from quire.killable import interpreter
from quire.limits import INDEX_JOB_S
from quire.settings import Settings

JOBS_KEPT = 100
LAST_LINES = 5
JobStatus: TypeAlias = Literal["running", "done", "failed"]
RUNNING: JobStatus = "running"
DONE: JobStatus = "done"
FAILED: JobStatus = "failed"


@dataclass(frozen=True, slots=True)
class IndexOrder:
    """What to index, in the fields of `build_index.pipeline.file_ledger.Order`; `root` must be confined already."""

    collection: str
    root: str
    patterns: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    clean: bool = False
    incremental: bool = False
    add: bool = False


@dataclass(frozen=True, slots=True)
class IndexJob:
    """One build.

    `outcome` is that of `build_index.pipeline.folder_job` once `status` is `done`; `error` says why it failed.
    """

    id: str
    collection: str
    status: JobStatus
    started_at: str
    outcome: Mapping[str, Any] | None = None
    error: QuireError | None = None


class Indexer:
    """Starts builds, one a collection at a time, and knows the last hundred. Safe to share by threads.

    A build that has not ended after `most_s` seconds is ended.
    """

    def __init__(self, settings: Settings, *, most_s: float = INDEX_JOB_S) -> None:
        self._settings = settings
        self._most_s = most_s
        self._lock = threading.Lock()
        self._jobs: OrderedDict[str, IndexJob] = OrderedDict()
        self._threads: dict[str, threading.Thread] = {}

    def start(self, order: IndexOrder) -> IndexJob:
        """Start a build and return at once.

        Raises:
            BuildInProgress: one of the same collection is running.
        """
        with self._lock:
            for other in self._jobs.values():
                if other.collection == order.collection and other.status == RUNNING:
                    raise BuildInProgress(f"collection {order.collection!r}: job {other.id} is building it")
            job = IndexJob(uuid.uuid4().hex[:12], order.collection, RUNNING, _now())
            self._jobs[job.id] = job
            while len(self._jobs) > JOBS_KEPT:
                self._threads.pop(self._jobs.popitem(last=False)[0], None)
            thread = self._threads[job.id] = threading.Thread(
                target=self._run, args=(job, order), daemon=True
            )
            thread.start()
        return job

    def wait(self, job: IndexJob) -> IndexJob:
        """The job once it has ended."""
        self._threads[job.id].join()
        return self._jobs[job.id]

    def job(self, name: str) -> IndexJob | None:
        """The job of that id; None where it is not known, or no longer."""
        return self._jobs.get(name)

    def _run(self, job: IndexJob, order: IndexOrder) -> None:
        began = time.perf_counter()
        try:
            outcome = _build(order, self._settings, self._most_s)
            outcome["seconds"] = time.perf_counter() - began  # the start of the process is waited for too
            ended = replace(job, status=DONE, outcome=outcome)
        except QuireError as error:
            ended = replace(job, status=FAILED, error=error)
        except Exception as error:  # noqa: BLE001  the outermost handler of this thread: a job that runs for ever bars others
            log("build failed", logging.ERROR, job=job.id, message=f"{type(error).__name__}: {error}")
            failed = BuildDied(f"the build failed ({type(error).__name__}); what was served before still is")
            ended = replace(job, status=FAILED, error=failed)
        with self._lock:
            self._jobs[job.id] = ended
        _log_ended(ended)


def _build(order: IndexOrder, settings: Settings, most_s: float) -> dict[str, Any]:
    """Run the build's process to its end.

    Raises:
        QuireError: as the process says; BuildDied where it said nothing, or not in time.
    """
    command, environment = interpreter("quire.precompiled", "build_index.pipeline.folder_job")
    try:
        done = subprocess.run(
            command,
            input=json.dumps(asdict(order)),
            capture_output=True,
            env={**environment, "QUIRE_STORE": settings.store, "QUIRE_CACHE": str(settings.cache)},
            text=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=most_s,
        )
    except OSError as error:  # no memory or process left for it, no such folder
        raise BuildDied(
            f"the build could not be started: {error.strerror}; what was served before still is"
        ) from error
    except subprocess.TimeoutExpired:
        raise BuildDied(
            f"the build did not end within {most_s:,.0f} s and was ended; what was served before still is"
        ) from None
    try:
        said: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        last = " | ".join(done.stderr.splitlines()[-LAST_LINES:])
        log("build died", logging.ERROR, code=done.returncode, message=last)
        raise BuildDied(
            f"the build ended with code {done.returncode}; what was served before still is"
        ) from None
    if "error" in said:
        raise _error(said["error"], said["message"])
    return said


class BuildDied(QuireError):
    """The process of a build ended without a word: killed, out of memory, or out of time."""


def _error(name: str, message: str) -> QuireError:
    kind = getattr(errors, name, QuireError)
    return kind(message) if isinstance(kind, type) and issubclass(kind, QuireError) else SourceError(message)


def _log_ended(job: IndexJob) -> None:
    said = job.outcome or {}
    embedded = said.get("embedded", 0)
    log(
        "indexed",
        collection=job.collection,
        job=job.id,
        status=job.status,
        error=type(job.error).__name__ if job.error else None,
        files=said.get("files"),
        chunks=said.get("chunks"),
        embedded=embedded,
        excluded=said.get("excluded"),
        failed=[path for path, _ in said.get("failed", ())],
        mean_embedding_ms=round(said["embedding_s"] / embedded * 1000, 2) if embedded else None,
        took_s=round(said.get("seconds", 0.0), 2),
    )


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
