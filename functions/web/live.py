"""What live documents and chat messages need of a process: opened at the first request that asks for it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from functions.web.logs import log
from quire.errors import QuireError
from quire.index.layout import Pointer
from quire.parsing.site_pages import PublishedSite
from quire.ports import ChatMemory, Embedder, ObjectStore
from quire.service.access import ANYONE
from quire.service.chat import Contexts, Conversations
from quire.service.jobs import LARGE_CHARACTERS, Jobs
from quire.service.live_writes import LiveWrites
from quire.service.site_documents import LargeDocuments, SiteDocuments
from quire.service.uploads import UNPUBLISHED, Library
from quire.store.live_catalog import LiveCatalog
from quire.store.merging import SegmentMerger, may_be_due
from quire.store.store import SegmentStore
from quire.store.write_targets import Site, WriteTarget


@dataclass(frozen=True, slots=True)
class Live:
    """The use cases of live documents and chat messages.

    `may_wait`: whether an answer may take as long as the work does; behind a gateway it may not.
    """

    documents: SiteDocuments
    large: LargeDocuments
    conversations: Conversations
    contexts: Contexts
    library: Library
    jobs: Jobs
    memory: ChatMemory
    site_of: Callable[[str], PublishedSite] = lambda _: UNPUBLISHED
    may_wait: bool = True

    def leaves(self, characters: int, prefer: str) -> bool:
        """Whether so much text is left to a job: where no answer may take that long, or the client prefers it so."""
        return characters > LARGE_CHARACTERS and ("respond-async" in prefer or not self.may_wait)


@dataclass(frozen=True, slots=True)
class Foundation:
    """What `open_live` builds on.

    Attributes:
        store, objects, live: the collections, to be written, listed and read.
        work: folder for segments on their way.
        embedder_for: the embedder of a digest, of "" for the one that new collections get.
        memory: chat messages.
        site_of: what shows a collection's pages to readers.
        concurrent: whether work can go on when a response was sent; in Lambda it cannot.
        invoke: has a job of a collection run elsewhere; None runs it here.
        resume: collections whose jobs go on here that another process left when it died.
    """

    store: SegmentStore
    objects: ObjectStore
    live: LiveCatalog
    work: Path
    embedder_for: Callable[[str], Embedder]
    memory: ChatMemory
    site_of: Callable[[str], PublishedSite] = lambda _: UNPUBLISHED
    concurrent: bool = True
    invoke: Callable[[str, str], None] | None = None
    resume: Sequence[str] = ()


def open_live(base: Foundation) -> Live:
    """Put the use cases together."""
    upkeep = Upkeep(SegmentMerger(base.store, base.objects, base.work), concurrent=base.concurrent)
    writes = LiveWrites(base.store, base.work, after_write=upkeep)
    library = Library(base.live, writes, base.embedder_for)
    conversations = Conversations(base.memory)
    documents = SiteDocuments(base.live, writes, base.store, base.objects, embedder_for=base.embedder_for)

    def start(collection: str, job_id: str) -> None:
        if base.invoke:
            base.invoke(collection, job_id)
        else:
            threading.Thread(target=jobs.run, args=(collection, job_id), daemon=True).start()

    jobs = Jobs(
        base.objects,
        lambda name, files, prune, progress: library.ingest(
            ANYONE, name, files, site=base.site_of(name), prune=prune, progress=progress
        ),
        lambda name, text: documents.carry_out(Site(name, text.site_id), text),
        start,
    )
    for name in base.resume:
        for job_id in jobs.waiting(name):
            start(name, job_id)
    return Live(
        documents=documents,
        large=LargeDocuments(documents, jobs),
        conversations=conversations,
        contexts=Contexts(base.live, conversations, base.embedder_for),
        library=library,
        jobs=jobs,
        memory=base.memory,
        site_of=base.site_of,
        may_wait=base.concurrent,
    )


class Upkeep:
    """Merges a place's segments after a write, where many have gathered: beside the requests, or before the answer.

    Each place is merged by one thread at a time; a write that comes meanwhile has it looked at once more.
    """

    def __init__(self, merger: SegmentMerger, *, concurrent: bool) -> None:
        self._merger = merger
        self._concurrent = concurrent
        self._guard = threading.Lock()
        self._due: dict[str, WriteTarget] = {}
        self._works = False

    def __call__(self, place: WriteTarget, pointer: Pointer) -> None:
        """Merge what is due."""
        if not may_be_due(pointer):
            return
        if not self._concurrent:
            self._merge(place)
            return
        with self._guard:
            self._due[place.name] = place
            if self._works:
                return
            try:
                threading.Thread(target=self._work, name="upkeep", daemon=True).start()
            except RuntimeError as error:
                # No thread is left. What was written is kept, and the next write tries again.
                log("not merged", logging.WARNING, collection=place.name, message=str(error))
                return
            self._works = True

    def _work(self) -> None:
        try:
            while place := self._next():
                self._merge(place)
        except BaseException:
            with self._guard:
                self._works = False  # so that the next write begins anew
            raise

    def _next(self) -> WriteTarget | None:
        """What is due; where nothing is, the thread ends."""
        with self._guard:
            self._works = bool(self._due)
            return self._due.pop(next(iter(self._due))) if self._due else None

    def _merge(self, place: WriteTarget) -> None:
        try:
            self._merger.merge(place)
        except (QuireError, OSError) as error:
            # The documents are served as they are; the next write tries again.
            log("not merged", logging.WARNING, collection=place.name, message=str(error))
