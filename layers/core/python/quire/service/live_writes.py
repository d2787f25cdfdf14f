"""Documents into a served collection, without a build: a small segment each time, then one swap of the pointer."""

from __future__ import annotations

import secrets
import tempfile
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from quire.canonical_json import json_sha256
from quire.documents import Chunk, Document
from quire.embedding.quantization import Quantized, quantize
from quire.errors import ArtifactMismatch, SourceError, Superseded, UnknownCollection, UnknownDocument
from quire.index.layout import Manifest, Pointer
from quire.index.reader import Segment
from quire.index.writer import SegmentFacts, write_segment
from quire.ingestion.rows import cut_apart, index_rows
from quire.ports import Embedder
from quire.store import pointers as states
from quire.store.store import SegmentStore
from quire.store.write_targets import WriteTarget

DIGEST_FIELD = "document_sha256"
"""Metadata of a chunk that was written live: digest of the whole document, by which a repetition is recognised."""
PLACES_KEPT = 64
TIME_FIELDS = frozenset({"created_at", "updated_at"})


@dataclass(frozen=True, slots=True)
class Written:
    """What a write did.

    Attributes:
        pointer: the state that serves it.
        chunks: how many each document has, those included that were served already just as they are.
        changed: the documents that were not.
    """

    pointer: Pointer
    chunks: Mapping[str, int]
    changed: frozenset[str] = frozenset()

    @property
    def total(self) -> int:
        """Chunks of all documents."""
        return sum(self.chunks.values())


Progress = Callable[[int, int], None]
Refused = Callable[[str, SourceError], None]


def unseen(_done: int, _all: int) -> None:
    """Progress that nobody looks at."""


AfterWrite = Callable[[WriteTarget, Pointer], None]


class LiveWrites:
    """Adds, replaces and deletes documents. When a method returns, every process finds what it says. Thread-safe.

    Args:
        store: holds the collections.
        work: folder for segments on their way.
        after_write: called after each write, to merge what has become many.
    """

    def __init__(self, store: SegmentStore, work: Path, *, after_write: AfterWrite = lambda *_: None) -> None:
        self._store = store
        self._work = work
        self._after_write = after_write
        self._guard = threading.Lock()
        self._kept: OrderedDict[str, list[Segment]] = OrderedDict()
        self._turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def put(
        self,
        place: WriteTarget,
        documents: Sequence[Document],
        embedder: Embedder,
        *,
        must_exist: bool = False,
        are_new: bool = False,
        as_of: str = "",
        progress: Progress = unseen,
        refused: Refused | None = None,
    ) -> Written:
        """Serve the documents, each in place of the one of its id, all in one swap.

        A document that is served already just as it is is not written again; `are_new` says that none is served.
        `as_of`, as `updated_at` is written, says when the write was accepted, where that was long ago. `progress` is
        told how many chunks of how many are embedded. With `refused`, which is told its id and why, a document
        that cannot be parsed is left out.

        Raises:
            SourceError: a document cannot be parsed, or says nothing; none is written.
            UnknownDocument: with `must_exist`, one of them is not there, or was deleted meanwhile.
            Superseded: one of them was updated after `as_of`.
            ArtifactMismatch: the collection's vectors are another model's.
        """
        stamped = [_stamped(one) for one in {one.id: one for one in documents}.values()]
        known = {} if are_new else self._unchanged(place, stamped)
        changed = [one for one in stamped if one.id not in known]
        cut = dict(_cut_each(changed, refused))
        counts = {**known, **{name: len(chunks) for name, chunks in cut.items()}}
        if not cut:
            return Written(self._pointer(place), counts)
        ids = list(cut)
        chunks = [chunk for document in cut.values() for chunk in document]
        manifest = self._write(place, chunks, embedder, progress)

        def change(previous: Pointer | None) -> Pointer:
            pointer = previous or _first(place)
            self._check(pointer, manifest)
            held = self._held(pointer, ids)
            _check_held(held, ids if must_exist else (), as_of)
            return states.with_write(pointer, manifest.digest, ids if place.is_built else held)

        return Written(self._swap(place, change), counts, frozenset(ids))

    def delete(self, place: WriteTarget, document_id: str) -> Pointer:
        """Stop serving the document, in every version that there is.

        Raises:
            UnknownDocument: it is not served.
        """

        def change(previous: Pointer | None) -> Pointer:
            if previous is None or not self._held(previous, [document_id]):
                raise unknown_document(document_id)
            return states.with_deletion(previous, [document_id])

        return self._swap(place, change)

    def written(self, place: WriteTarget) -> dict[str, Segment]:
        """The documents that were written live and are served, ascending by id, each with its segment."""
        pointer = self._pointer(place)
        found: dict[str, Segment] = {}
        for ref in pointer.segments:
            if ref.origin == states.WRITE:
                segment = self._store.segment(pointer.collection, ref)
                keys = segment.documents.keys()
                found |= {one: segment for one in keys if pointer.tombstones.get(one, -1) <= ref.sequence}
        return dict(sorted(found.items()))

    def keep_only(self, place: WriteTarget, ids: Collection[str]) -> int:
        """Stop serving the documents that were written live and are not among `ids`, and say how many those were."""
        gone = [one for one in self.written(place) if one not in ids]
        if not gone:
            return 0

        def change(previous: Pointer | None) -> Pointer:
            return states.with_deletion(previous or _first(place), gone)

        self._swap(place, change)
        return len(gone)

    def _pointer(self, place: WriteTarget) -> Pointer:
        try:
            return self._store.pointer(place.name)
        except UnknownCollection:
            return _first(place)

    def _swap(self, place: WriteTarget, change: Callable[[Pointer | None], Pointer]) -> Pointer:
        with self._turns[place.name]:  # writers of one process need not lose against each other
            pointer = self._store.pointers.advance(place.name, change)
        self._after_write(place, pointer)
        return pointer

    def _write(
        self, place: WriteTarget, chunks: Sequence[Chunk], embedder: Embedder, progress: Progress
    ) -> Manifest:
        """A stored segment of the chunks, under a name of its own: the same chunks may be written again later."""
        profile = place.profile

        def vectors(passages: Iterable[tuple[str, str]]) -> Iterator[Quantized]:
            texts = list(passages)
            for number, vector in enumerate(embedder.embed_passages(texts), 1):
                yield quantize(vector)
                progress(number * len(chunks) // len(texts), len(chunks))

        rows = index_rows(chunks, profile, vectors)
        facts = SegmentFacts(
            profile=profile.name,
            face=profile.face,
            filters=profile.filters,
            dimensions=embedder.dimensions,
            model=embedder.digest,
            extra={"write": secrets.token_hex(8)},
        )
        self._work.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="write-", dir=self._work) as work:
            manifest = write_segment(Path(work) / "segment", rows, facts)
            self._store.put(place.name, Path(work) / "segment", manifest, is_new=True)
        return manifest

    def _check(self, pointer: Pointer, manifest: Manifest) -> None:
        if not pointer.segments:
            return
        served = self._store.segment(pointer.collection, pointer.segments[-1]).manifest
        if (served.model, served.dimensions) != (manifest.model, manifest.dimensions):
            raise ArtifactMismatch(
                f"model: collection {pointer.collection} has {served.model[:12]!r}, this write {manifest.model[:12]!r}"
            )

    def _unchanged(self, place: WriteTarget, documents: Iterable[Document]) -> dict[str, int]:
        """Of the documents that are served just as they are, the number of chunks."""
        pointer = self._pointer(place)
        wanted = {one.id: one.metadata[DIGEST_FIELD] for one in documents}
        found: dict[str, int] = {}
        for one, segment in self._held(pointer, wanted).items():
            ordinals = segment.documents.ordinals(one)
            chunk = segment.payloads.fetch([int(ordinals[0])])[0]
            if chunk.metadata.get(DIGEST_FIELD) == wanted[one]:
                found[one] = len(ordinals)
        return found

    def _held(self, pointer: Pointer, ids: Iterable[str]) -> dict[str, Segment]:
        """Which of the documents were written live and are served, each with its newest segment."""
        held: dict[str, Segment] = {}
        wanted = list(ids)
        written = [ref for ref in pointer.segments if ref.origin == states.WRITE]
        segments = [self._store.segment(pointer.collection, ref) for ref in written]
        self._keep(pointer.collection, segments)
        for ref, segment in zip(written, segments, strict=True):
            for one in wanted:
                if pointer.tombstones.get(one, -1) <= ref.sequence and len(segment.documents.ordinals(one)):
                    held[one] = segment
        return held

    def _keep(self, name: str, segments: list[Segment]) -> None:
        """Keep the segments of the last places written to open: opening 30 again takes 60 ms."""
        with self._guard:
            self._kept[name] = segments
            self._kept.move_to_end(name)
            while len(self._kept) > PLACES_KEPT:
                self._kept.popitem(last=False)


def unknown_document(document_id: str) -> UnknownDocument:
    """The error for a document that is not there, or is somebody else's."""
    return UnknownDocument(f"document {document_id[:80]!r}: not here", field="id")


def _check_held(held: Mapping[str, Segment], wanted: Iterable[str], as_of: str) -> None:
    for one in wanted:
        if one not in held:
            raise unknown_document(one)
    for one, segment in held.items() if as_of else ():
        ordinals = segment.documents.ordinals(one)
        updated_at = segment.payloads.fetch([int(ordinals[0])])[0].metadata.get("updated_at")
        if str(updated_at or "") > as_of:
            raise Superseded(
                f"document {one[:80]!r}: written anew at {updated_at}, after this was accepted at {as_of}",
                field="id",
            )


def _cut_each(documents: Iterable[Document], refused: Refused | None) -> Iterator[tuple[str, list[Chunk]]]:
    for one in documents:
        try:
            chunks = cut_apart(one)
            if not chunks:
                raise SourceError(f"{one.id}: nothing in it can be read", path=one.id)
            yield one.id, chunks
        except SourceError as error:
            if refused is None:
                raise
            refused(one.id, error)


def _first(place: WriteTarget) -> Pointer:
    """A collection begins with its first document."""
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Pointer(place.name, place.profile.name, place.profile.face, published_at=now)


def _stamped(document: Document) -> Document:
    """The document with its digest; when it was written is not part of what it says."""
    lasting = {key: value for key, value in document.metadata.items() if key not in TIME_FIELDS}
    digest = json_sha256({"kind": document.kind, "text": document.text, "metadata": lasting})
    return document._replace(metadata={**document.metadata, DIGEST_FIELD: digest})
