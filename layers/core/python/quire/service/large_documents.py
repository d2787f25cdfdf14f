"""Documents that take longer to embed than their sender can wait: accepted at once, written by a job."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from quire.service.access import Caller
from quire.service.jobs import DONE, FAILED, Job, Jobs
from quire.service.site_documents import SiteDocuments
from quire.service.sites import SiteDocument, Submission
from quire.store.write_targets import Site


@dataclass(frozen=True, slots=True)
class LargeDocument:
    """A document on its way; `written` is None while the job goes on, and where it was deleted since."""

    job: Job
    id: str
    written: SiteDocument | None = None


class LargeDocuments:
    """Accepts such documents. The id of a document is known before it is written.

    Args:
        documents: write them.
        jobs: carry that out.
    """

    def __init__(self, documents: SiteDocuments, jobs: Jobs) -> None:
        self._documents = documents
        self._jobs = jobs

    def add(self, caller: Caller, site: Site, text: Submission, *, token: str | None = None) -> LargeDocument:
        """Accept a new document; the same `token` again is the same document and the same job.

        A job that failed, or whose document was deleted since, begins anew.

        Raises:
            ScopeMissing: the caller may not write to the site.
        """
        accepted = self._documents.accept(caller, site, text, token=token)
        job_id = uuid.UUID(accepted.document_id).hex
        before = self._jobs.find(site.collection, job_id) if token else None
        if before is not None and before.state != FAILED:
            known = self._found(site, before, accepted.document_id)
            if known.written or before.state != DONE:
                return known
        job = self._jobs.stage(caller, site.collection, accepted, job_id=job_id)
        return LargeDocument(job, accepted.document_id)

    def replace(self, caller: Caller, site: Site, document_id: str, text: Submission) -> LargeDocument:
        """Accept another text for a document; without a source it keeps its own.

        Raises:
            ScopeMissing: the caller may not write to the site.
            UnknownDocument: the site has no such document.
        """
        accepted = self._documents.accept(caller, site, text, replaces=document_id)
        return LargeDocument(self._jobs.stage(caller, site.collection, accepted), document_id)

    def get(self, caller: Caller, site: Site, job_id: str) -> LargeDocument:
        """How far a job is, with the document as it is now once it is done.

        Raises:
            ScopeMissing: the caller may not read the site.
            UnknownDocument: the site has no such job.
        """
        job = self._jobs.get(caller, site.collection, job_id, site_id=site.id)
        return self._found(site, job, job.text.document_id if job.text else "")

    def _found(self, site: Site, job: Job, document_id: str) -> LargeDocument:
        written = self._documents.find(site, document_id) if job.state == DONE else None
        return LargeDocument(job, document_id, written)
