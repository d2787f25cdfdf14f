"""Requests too large to be answered at once: staged in the store, done by whoever runs them, asked for by id."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from quire.canonical_json import canonical_json
from quire.errors import TELLABLE, QuireError, UnknownDocument
from quire.ports import ObjectStore
from quire.service.access import READ, WRITE, Caller
from quire.service.live_writes import Progress
from quire.service.sites import AcceptedText, SiteDocument, Submission
from quire.service.uploads import File, Ingested
from quire.store.keys import collection_key

LARGE_CHARACTERS = 400_000
"""About what one processor embeds in 20 seconds; the gateway gives up after 30."""
LOST_AFTER_S = 3600
"""Lambda tries an event three times, for 15 minutes each. Source: AWS, "How Lambda handles errors and retries"."""
WAITING, DONE, FAILED = "waiting", "done", "failed"
KEPT, FORGOTTEN_AT_ONCE = 500, 100
"""Records of jobs that have ended, of each collection: a client asks for its own within minutes."""
_ID = re.compile(r"[0-9a-f]{32}")

PROGRESS_EVERY_S = 1.0
Ingest = Callable[[str, Sequence[File], bool, Progress], Ingested]
"""Ingests the files of a collection, with `prune`, and says how many chunks of how many are embedded."""
CarryOut = Callable[[str, AcceptedText], SiteDocument]
"""Writes a text to its site, of a collection of sites."""


@dataclass(frozen=True, slots=True)
class Job:
    """A staged request, which holds either files of a collection or a text for a site of it, until it has ended.

    Attributes:
        at: when it was accepted, seconds since the epoch; 0 where that was not written down.
        text: once the job has ended, without its content.
        prune: whether files that were ingested before and are not among these shall go.
        embedded: how many chunks of how many are embedded, while the job goes on.
        chunks, failures, message: how it ended.
    """

    id: str
    state: str
    at: float = 0.0
    chunks: int = 0
    failures: tuple[tuple[str, str], ...] = ()
    message: str = ""
    files: tuple[File, ...] = field(default=(), repr=False)
    text: AcceptedText | None = field(default=None, repr=False)
    prune: bool = False
    embedded: tuple[int, int] = (0, 0)


class Jobs:
    """Jobs of collections. Running one again does no harm: writing the same once more changes nothing.

    Args:
        objects: the store.
        ingest, carry_out: what a job of files, and one of a site's text, does.
        start: sees to it that `run` is called for the collection and the job soon, here or elsewhere.
    """

    def __init__(
        self, objects: ObjectStore, ingest: Ingest, carry_out: CarryOut, start: Callable[[str, str], None]
    ) -> None:
        self._objects = objects
        self._ingest = ingest
        self._carry_out = carry_out
        self._start = start

    def stage(
        self,
        caller: Caller,
        collection: str,
        held: Sequence[File] | AcceptedText,
        *,
        job_id: str = "",
        prune: bool = False,
    ) -> Job:
        """Accept what the job holds, to be written later; a job of that id that is there already begins anew.

        Raises:
            ScopeMissing: the caller may not write to the collection, or to the site of the text.
            StoreError: it cannot be kept or started; then it is as if it had never come.
        """
        job = Job(job_id or secrets.token_hex(16), WAITING, round(time.time(), 3))
        if isinstance(held, AcceptedText):
            caller.require_site(WRITE, collection, held.site_id)
            job = replace(job, text=held)
        else:
            caller.require(WRITE, collection)
            job = replace(job, files=tuple(held), prune=prune)
        self._write(collection, job)
        try:
            self._start(collection, job.id)
        except QuireError:
            self._objects.delete(_key(collection, job.id))
            raise
        return job

    def get(self, caller: Caller, collection: str, job_id: str, *, site_id: str | None = None) -> Job:
        """How far a job is: one of the collection's files, or with `site_id` one of that site.

        Raises:
            ScopeMissing: the caller may not read the collection, or the site.
            UnknownDocument: there is no such job, or it is not of that site.
        """
        if site_id is None:
            caller.require(READ, collection)
        else:
            caller.require_site(READ, collection, site_id)
        job = self.find(collection, job_id)
        if job is None or (job.text.site_id if job.text else None) != site_id:
            raise _unknown(job_id)
        if job.state != WAITING:
            return job
        told = self._objects.read(_progress_key(collection, job_id))
        done, of = json.loads(told.data) if told else (0, 0)
        return replace(job, embedded=(done, of))

    def find(self, collection: str, job_id: str) -> Job | None:
        """The job, for whom it is known to be meant; None where there is none.

        One that nobody ended within `LOST_AFTER_S` has failed: all who were to do it died of it.
        """
        job = self._read(collection, job_id)
        if job is None or job.state != WAITING or not 0 < job.at < time.time() - LOST_AFTER_S:
            return job
        return replace(job, state=FAILED, message="nobody finished it within an hour; send it again")

    def _read(self, collection: str, job_id: str) -> Job | None:
        stored = self._objects.read(_key(collection, job_id)) if _ID.fullmatch(job_id) else None
        return _read(job_id, json.loads(stored.data)) if stored else None

    def run(self, collection: str, job_id: str, *, is_repeated: bool = False) -> Job:
        """Do a job that waits; one that has ended is left as it is.

        `is_repeated` says that whoever calls will call again after an error of ours: then the job waits on.

        Raises:
            UnknownDocument: there is no such job.
            QuireError: with `is_repeated`, what kept it from being done, where that is no fault of the request.
        """
        job = self._known(collection, job_id)
        if job.state != WAITING:
            return job
        emptied = job.text and replace(job.text, text=Submission("", job.text.text.source))
        ended = replace(job, files=(), text=emptied)
        try:
            done = self._do(collection, job)
            ended = replace(ended, state=DONE, chunks=done.chunks, failures=done.failures)
        except QuireError as error:
            if is_repeated and not isinstance(error, TELLABLE):
                raise
            message = str(error) if isinstance(error, TELLABLE) else "try again later"
            ended = replace(ended, state=FAILED, message=message)
        now = self._read(collection, job_id)
        if now is None or now.state != WAITING:  # its site was deleted, or another process was faster
            return now or ended
        self._write(collection, ended)
        self._objects.delete(_progress_key(collection, job_id))
        self._forget_oldest(collection)
        return ended

    def waiting(self, collection: str) -> list[str]:
        """Jobs that nobody has ended: those under way, and those whose process died."""
        return [job.id for job in self._all(collection) if job.state == WAITING]

    def _all(self, collection: str) -> list[Job]:
        names = [name.removesuffix(".json") for name in self._names(collection)]
        return [job for name in names if (job := self.find(collection, name))]

    def _names(self, collection: str) -> list[str]:
        return list(self._objects.list(f"{collection_key(collection)}jobs/"))

    def _forget_oldest(self, collection: str) -> None:
        """Keep the newest `KEPT` records; those that are too many go together, since each look reads all of them."""
        if len(self._names(collection)) <= KEPT + FORGOTTEN_AT_ONCE:
            return
        jobs = sorted(self._all(collection), key=lambda job: job.at)
        for job in jobs[: len(jobs) - KEPT]:
            if job.state != WAITING:
                self._objects.delete(_key(collection, job.id))
                self._objects.delete(_progress_key(collection, job.id))

    def drop(self, collection: str, site_id: str) -> None:
        """Forget the jobs of a site that is deleted: none of them may bring a text of it back."""
        for job_id in self.waiting(collection):
            job = self._read(collection, job_id)
            if job and job.text and job.text.site_id == site_id:
                self._objects.delete(_key(collection, job_id))

    def _do(self, collection: str, job: Job) -> Ingested:
        if job.text is None:
            return self._ingest(collection, job.files, job.prune, self._teller(collection, job.id))
        return Ingested(self._carry_out(collection, job.text).chunks, ())

    def _teller(self, collection: str, job_id: str) -> Progress:
        """Writes down how far a job is, once a second at most: each time costs a request to the store."""
        told_at = time.time()

        def tell(done: int, of: int) -> None:
            nonlocal told_at
            if not 0 <= time.time() - told_at < PROGRESS_EVERY_S:  # a clock may be set back
                told_at = time.time()
                self._objects.write(_progress_key(collection, job_id), canonical_json([done, of]))

        return tell

    def _known(self, collection: str, job_id: str) -> Job:
        # One that was told as failed stays so: it may have been sent again.
        job = self.find(collection, job_id)
        if job is None:
            raise _unknown(job_id)
        return job

    def _write(self, collection: str, job: Job) -> None:
        tree: dict[str, Any] = {
            "state": job.state,
            "at": job.at,
            "chunks": job.chunks,
            "failures": list(job.failures),
            "message": job.message,
            "prune": job.prune,
        }
        held = {"text": asdict(job.text)} if job.text else {"files": [asdict(one) for one in job.files]}
        self._objects.write(_key(collection, job.id), canonical_json(tree | held))


def _read(job_id: str, tree: Mapping[str, Any]) -> Job:
    text = tree.get("text")
    return Job(
        job_id,
        tree["state"],
        float(tree.get("at", 0)),
        tree["chunks"],
        tuple((str(path), str(reason)) for path, reason in tree["failures"]),
        tree["message"],
        files=tuple(File(**one) for one in tree.get("files", ())),
        prune=bool(tree.get("prune")),
        text=AcceptedText(**{**text, "text": Submission(**text["text"])}) if text else None,
    )


def _unknown(job_id: str) -> UnknownDocument:
    return UnknownDocument(f"job {job_id[:40]!r}: not here", field="job")


def _key(collection: str, job_id: str) -> str:
    return f"{collection_key(collection)}jobs/{job_id}.json"


def _progress_key(collection: str, job_id: str) -> str:
    return f"{collection_key(collection)}progress/{job_id}.json"
