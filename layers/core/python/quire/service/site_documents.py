"""The use cases of a site's documents: add, replace, delete, read and list them.

Those that take longer to embed than their sender can wait are accepted at once, and written by a job.
"""

from __future__ import annotations

import time
import uuid
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from quire.documents import text_sha256
from quire.errors import InputError, QuireError, SourceError
from quire.index.layout import Pointer
from quire.ports import Embedder, ObjectStore
from quire.service.access import READ, WRITE, Caller
from quire.service.jobs import DONE, FAILED, WAITING, Job, Jobs
from quire.service.live_writes import LiveWrites, Written, unknown_document
from quire.service.sites import (
    USED_KEY,
    AcceptedText,
    DocumentPage,
    NewIds,
    SiteDocument,
    SitePage,
    SiteSummary,
    Submission,
    as_document,
    described,
    text_key,
    texts_key,
    written_at,
)
from quire.store.catalog import Served
from quire.store.keys import collection_key, pointer_key
from quire.store.live_catalog import LiveCatalog
from quire.store.store import SegmentStore
from quire.store.write_targets import SITE_FIELD, Site


class SiteDocuments:
    """The use cases of documents. Each asks first whether the caller may touch the site.

    Args:
        live, writes, store, objects: the collections, to be read, written and listed.
        embedder_for: the embedder of a digest, of "" for the one that new sites get.
    """

    def __init__(
        self,
        live: LiveCatalog,
        writes: LiveWrites,
        store: SegmentStore,
        objects: ObjectStore,
        *,
        embedder_for: Callable[[str], Embedder],
    ) -> None:
        self._live = live
        self._writes = writes
        self._store = store
        self._objects = objects
        self._embedder_for = embedder_for
        self._new_ids = NewIds()

    def add(self, caller: Caller, site: Site, text: Submission, *, token: str | None = None) -> SiteDocument:
        """Add a document; the same `token` again adds nothing and gives the same id.

        Raises:
            ScopeMissing: the caller may not write to the site.
            InputError: the token came before with another text, which is kept.
        """
        accepted = self.accept(caller, site, text, token=token)
        if token:
            self.require_same(site, accepted)
        return self._write(site, accepted, self._live.find(site.name), are_new=not token)

    def require_same(self, site: Site, accepted: AcceptedText) -> None:
        """See that a document of that id, if there is one, has the accepted text.

        Raises:
            InputError: it has another: its idempotency key came before.
        """
        known = self.find(site, accepted.document_id)
        if known is not None and known.sha256 != text_sha256(accepted.text.content):
            raise InputError(USED_KEY, field="idempotency-key")

    def replace(self, caller: Caller, site: Site, document_id: str, text: Submission) -> SiteDocument:
        """Put another text in the place of a document's, in one step; without a source it keeps its own.

        Raises:
            ScopeMissing: the caller may not write to the site.
            UnknownDocument: the site has no such document.
        """
        caller.require_site(WRITE, site.collection, site.id)
        served = self._live.find(site.name)
        return self._write(site, self._replacement(site, document_id, text, served), served)

    def find_by_source(self, caller: Caller, site: Site, source: str) -> str:
        """The id of the site's first document of that source; "" where it has none.

        Raises:
            ScopeMissing: the caller may not write to the site.
        """
        caller.require_site(WRITE, site.collection, site.id)
        served = self._live.find(site.name)
        ordinals = served.index.filters.chunks({"source": source}) if served else None
        if served is None or ordinals is None or not len(ordinals):
            return ""
        return min(chunk.document_id for chunk in served.index.fetch(ordinals))

    def sites(self, caller: Caller, collection: str, *, limit: int, after: str = "") -> SitePage:
        """Up to `limit` sites that hold documents, of those that the caller may read, in the store's order.

        Raises:
            ScopeMissing: the caller may not read the collection.
        """
        caller.require(READ, collection)
        names = [
            one.rstrip("/") for one in self._objects.list(collection_key(collection)) if one.endswith("/")
        ]
        begin = bisect_right(names, after)
        found: list[SiteSummary] = []
        for name in names[begin : begin + limit]:
            served = self._live.find(f"{collection}/{name}")
            ids = self._ids(served.pointer) if served else []
            if served is None or not ids:
                continue
            first = served.index.fetch(served.index.documents.chunks(ids[0])[:1])[0]
            site_id = str(first.metadata.get(SITE_FIELD) or "")
            if caller.may_touch(site_id):
                found.append(SiteSummary(site_id, len(ids)))
        more = begin + limit < len(names)
        return SitePage(tuple(found), names[begin + limit - 1] if more else None)

    def delete_site(self, caller: Caller, site: Site) -> int:
        """Delete every document of the site, texts and index with them, and say how many there were.

        Raises:
            ScopeMissing: the caller may not write to the site.
        """
        caller.require_site(WRITE, site.collection, site.id)
        served = self._live.find(site.name)
        count = len(self._ids(served.pointer)) if served else 0
        self._objects.delete(pointer_key(site.name))  # from here on nobody finds the rest
        self._empty(collection_key(site.name))
        return count

    def _empty(self, prefix: str) -> None:
        for name in self._objects.list(prefix):
            if name.endswith("/"):
                self._empty(prefix + name)
            else:
                self._objects.delete(prefix + name)

    def accept(
        self, caller: Caller, site: Site, text: Submission, *, token: str | None = None, replaces: str = ""
    ) -> AcceptedText:
        """What `carry_out` adds, or puts in the place of the text of the document that it `replaces`.

        Raises:
            ScopeMissing: the caller may not write to the site.
            UnknownDocument: the site has no such document.
        """
        caller.require_site(WRITE, site.collection, site.id)
        if replaces:
            return self._replacement(site, replaces, text, self._live.find(site.name))
        now_ms = self._now_ms()
        document_id = str(
            uuid.uuid5(uuid.NAMESPACE_URL, f"{site.name}#{token}") if token else self._new_ids.new(now_ms)
        )
        return AcceptedText(site.id, document_id, text, written_at(now_ms))

    def carry_out(self, site: Site, accepted: AcceptedText) -> SiteDocument:
        """Write what was accepted from a caller who might. Doing so again, or twice at once, changes nothing.

        Raises:
            UnknownDocument: it was to replace a document that was deleted since.
            Superseded: the document was written anew since.
        """
        return self._write(site, accepted, self._live.find(site.name), as_of=accepted.at)

    def delete(self, caller: Caller, site: Site, document_id: str) -> None:
        """Delete a document.

        Raises:
            ScopeMissing: the caller may not write to the site.
            UnknownDocument: the site has no such document.
        """
        caller.require_site(WRITE, site.collection, site.id)
        self._writes.delete(site.place, document_id)
        texts = texts_key(site, document_id)
        for text in self._objects.list(texts):
            self._objects.delete(texts + text)

    def get(self, caller: Caller, site: Site, document_id: str) -> SiteDocument:
        """A document with its content.

        Raises:
            ScopeMissing: the caller may not read the site.
            UnknownDocument: the site has no such document.
        """
        caller.require_site(READ, site.collection, site.id)
        return self._read(site, document_id)

    def find(self, site: Site, document_id: str) -> SiteDocument | None:
        """A document without its content, for whom it is known to be meant; None where there is none."""
        return self._known(self._live.find(site.name), site, document_id)

    def page(self, caller: Caller, site: Site, *, limit: int, after: str = "") -> DocumentPage:
        """Up to `limit` documents whose ids come after `after`.

        Raises:
            ScopeMissing: the caller may not read the site.
        """
        caller.require_site(READ, site.collection, site.id)
        served = self._live.find(site.name)
        ids = self._ids(served.pointer) if served else []
        begin = bisect_right(ids, after)
        found = [self._known(served, site, one) for one in ids[begin : begin + limit]]
        documents = tuple(one for one in found if one is not None)
        more = begin + limit < len(ids)
        return DocumentPage(documents, documents[-1].id if more and documents else None, len(ids))

    def _now_ms(self) -> int:
        return int(time.time() * 1000)

    def _replacement(
        self, site: Site, document_id: str, text: Submission, served: Served | None
    ) -> AcceptedText:
        old = self._known(served, site, document_id)
        if old is None:
            raise unknown_document(document_id)
        text = Submission(text.content, old.source if text.source is None else text.source)
        # The clock that wrote it may be ahead of this one.
        at = max(written_at(self._now_ms()), old.updated_at)
        return AcceptedText(site.id, document_id, text, at, replaces=True)

    def _write(
        self,
        site: Site,
        accepted: AcceptedText,
        served: Served | None,
        *,
        are_new: bool = False,
        as_of: str = "",
    ) -> SiteDocument:
        old = None if are_new else self._known(served, site, accepted.document_id)
        if old is None and accepted.replaces:
            raise unknown_document(accepted.document_id)
        new = _new(accepted, created_at=old.created_at if old else accepted.at)
        if old and text_key(site, old) == text_key(site, new):
            return self._read(site, new.id)
        put = partial(self._writes.put, must_exist=accepted.replaces, are_new=are_new, as_of=as_of)
        written = self._put(site, new, served, put)
        if old and text_key(site, written) != text_key(site, old):
            self._objects.delete(text_key(site, old))
        return written

    def _put(
        self, site: Site, new: SiteDocument, served: Served | None, put: Callable[..., Written]
    ) -> SiteDocument:
        document = as_document(new)
        embedder = self._embedder_for(served.model if served else "")
        self._objects.write(text_key(site, new), (new.content or "").encode())
        try:
            try:
                written = put(site.place, [document], embedder)
            except SourceError:  # text that only looked like Markdown by its name is indexed as it stands
                written = put(site.place, [document._replace(kind="prose")], embedder)
        except QuireError:
            self._discard(site, new)
            raise
        if new.id in written.changed:
            return replace(new, chunks=written.chunks[new.id])
        self._discard(site, new)
        return self._read(site, new.id)

    def _discard(self, site: Site, new: SiteDocument) -> None:
        """Delete a text that came to nothing, unless another who carried out the same is served with it."""
        known = self.find(site, new.id)
        if known is None or text_key(site, known) != text_key(site, new):
            self._objects.delete(text_key(site, new))

    def _read(self, site: Site, document_id: str) -> SiteDocument:
        for _ in range(3):  # its text may be replaced between the two reads
            known = self._known(self._live.find(site.name), site, document_id)
            if known is None:
                break
            stored = self._objects.read(text_key(site, known))
            if stored is not None:
                return replace(known, content=stored.data.decode())
        raise unknown_document(document_id)

    def _known(self, served: Served | None, site: Site, document_id: str) -> SiteDocument | None:
        if served is None:
            return None
        ordinals = served.index.documents.chunks(document_id)
        if not len(ordinals):
            return None
        first = served.index.fetch(ordinals[:1])[0]
        return described(site, first, len(ordinals))

    def _ids(self, pointer: Pointer) -> list[str]:
        """Ids of the documents that are served, ascending."""
        ids: set[str] = set()
        for ref in pointer.segments:
            keys = self._store.segment(pointer.collection, ref).documents.keys()
            ids.update(one for one in keys if pointer.tombstones.get(one, -1) <= ref.sequence)
        return sorted(ids)


def _new(accepted: AcceptedText, *, created_at: str) -> SiteDocument:
    text = accepted.text
    return SiteDocument(
        accepted.document_id,
        accepted.site_id,
        text.source or "",
        created_at,
        accepted.at,
        chunks=0,
        sha256=text_sha256(text.content),
        content=text.content,
    )


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
            InputError: the token came before with another text, which is kept.
        """
        accepted = self._documents.accept(caller, site, text, token=token)
        job_id = uuid.UUID(accepted.document_id).hex
        before = self._jobs.find(site.collection, job_id) if token else None
        if token:
            self._documents.require_same(site, accepted)
        if (
            before is not None
            and before.state == WAITING
            and before.text
            and before.text.text.content != text.content
        ):
            raise InputError(USED_KEY, field="idempotency-key")
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
