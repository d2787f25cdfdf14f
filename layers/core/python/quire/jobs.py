"""Requests too large to be answered at once: staged in the store, done by whoever runs them, asked for by id."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from quire.access import READ, WRITE, Caller
from quire.artifact.transfer import collection_key
from quire.canonical import canonical_json
from quire.errors import QuireError, UnknownDocument
from quire.library import File, Ingested
from quire.ports import ObjectStore

LARGE_CHARACTERS = 400_000
"""About what one processor embeds in 20 seconds; the gateway gives up after 30."""
WAITING, DONE, FAILED = "waiting", "done", "failed"
_ID = re.compile(r"[0-9a-f]{32}")

Work = Callable[[str, Sequence[File]], Ingested]
"""Ingests the files of a collection."""


@dataclass(frozen=True, slots=True)
class Job:
    """A staged request; `chunks`, `failures` and `message` say how it ended."""

    id: str
    state: str
    chunks: int = 0
    failures: tuple[tuple[str, str], ...] = ()
    message: str = ""
    files: tuple[File, ...] = field(default=(), repr=False)


class Jobs:
    """Jobs of collections. Running one again does no harm: writes of the same files change nothing.

    Args:
        objects: the store.
        work: what a job does.
        start: sees to it that `run` is called for the collection and the job soon, here or elsewhere.
    """

    def __init__(self, objects: ObjectStore, work: Work, start: Callable[[str, str], None]) -> None:
        self._objects = objects
        self._work = work
        self._start = start

    def stage(self, caller: Caller, collection: str, files: Sequence[File]) -> Job:
        """Accept the files, to be ingested later.

        Raises:
            ScopeMissing: the caller may not write to the collection.
        """
        caller.require(WRITE, collection)
        job = Job(secrets.token_hex(16), WAITING, files=tuple(files))
        self._write(collection, job)
        self._start(collection, job.id)
        return job

    def get(self, caller: Caller, collection: str, job_id: str) -> Job:
        """How far a job is.

        Raises:
            ScopeMissing: the caller may not read the collection.
            UnknownDocument: there is no such job.
        """
        caller.require(READ, collection)
        return self._read(collection, job_id)

    def run(self, collection: str, job_id: str) -> Job:
        """Do a job that waits; one that has ended is left as it is."""
        job = self._read(collection, job_id)
        if job.state != WAITING:
            return job
        try:
            done = self._work(collection, job.files)
            ended = Job(job_id, DONE, done.chunks, done.failures)
        except QuireError as error:
            ended = Job(job_id, FAILED, message=str(error) if error.status < 500 else "try again later")
        self._write(collection, ended)
        return ended

    def waiting(self, collection: str) -> list[str]:
        """Jobs that nobody has ended: those under way, and those whose process died."""
        names = (
            name.removesuffix(".json") for name in self._objects.list(f"{collection_key(collection)}jobs/")
        )
        return [name for name in names if self._read(collection, name).state == WAITING]

    def _read(self, collection: str, job_id: str) -> Job:
        stored = self._objects.read(_key(collection, job_id)) if _ID.fullmatch(job_id) else None
        if stored is None:
            raise UnknownDocument(f"job {job_id[:40]!r}: not here", field="job")
        tree: Mapping[str, Any] = json.loads(stored.data)
        files = tuple(File(**one) for one in tree["files"])
        failures = tuple((str(path), str(reason)) for path, reason in tree["failures"])
        return Job(job_id, tree["state"], tree["chunks"], failures, tree["message"], files)

    def _write(self, collection: str, job: Job) -> None:
        files = [
            {"path": one.path, "content": one.content, "is_highlight": one.is_highlight} for one in job.files
        ]
        tree = {
            "state": job.state,
            "chunks": job.chunks,
            "failures": list(job.failures),
            "message": job.message,
        }
        self._objects.write(_key(collection, job.id), canonical_json({**tree, "files": files}))


def _key(collection: str, job_id: str) -> str:
    return f"{collection_key(collection)}jobs/{job_id}.json"
