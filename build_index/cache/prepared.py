"""What documents became in the build before, kept by content: a rebuild cuts, reads and scans only what changed.

The store holds, for each document, its chunks with their search terms and what the poison scan found in them. A
document is the same where it and Quire's own code are the same, so a cached row is the row that would be made again.
After a build only what that build used stays.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from struct import Struct
from threading import Semaphore
from types import TracebackType
from typing import Self, TypeAlias

import numpy as np

from build_index.cache.inputs import digest_code
from build_index.cache.store import ContentStore
from build_index.pipeline.readers import Made, Prepared, cores, reader, unpack
from build_index.progress import say
from build_index.sources import Failure
from quire.documents import Document, plain
from quire.errors import SourceError, StoreError
from quire.limits import READING_PROCESSES

RECENT = 1 << 16
COMMITTED_BYTES = 16 << 20
"""What a kill may lose: three seconds of work, of some 800 documents. Each commit waits for the disk."""
READ_AT_ONCE = 16
AHEAD, AHEAD_CHARACTERS = 16, 4_000_000
"""Documents that wait for each process, so that none of them is idle while a long one is read; fewer of large ones, of
which each also leaves three times its size in chunks until the ones before it are done."""
MUCH_CHARACTERS = 100_000
"""Text that is worth a second process, which takes as long to start as to prepare two and a half times of that."""
_WRITTEN_BY_US = frozenset({"api_member"})
"""Kinds whose text a reader of ours wrote: there is nothing to parse."""
_HEAD = Struct("<?II")
"""Whether something was found, then the bytes of the document's id and of its chunks' ids."""


Prepare: TypeAlias = Callable[[Document], Callable[[], Made]]
"""Begins to prepare a document; what it gives waits for the result, or raises SourceError."""


@dataclass(frozen=True, slots=True)
class PreparedEntry:
    """A document of the build at hand.

    Attributes:
        document_id: of its chunks; several documents that were read may be parts of one that is cited.
        key: sha256 of the document and of Quire's code; what its chunks are kept under.
        ids: numbers of its chunks' ids, in order, each once.
        has_finds: whether the scan found something in one of them.
    """

    document_id: str
    key: bytes
    ids: array[int]
    has_finds: bool


class PreparedDocuments:
    """Documents to prepared chunks, from the store where it has them. Used by one build at a time, under its lock."""

    def __init__(self, store: ContentStore, collection: str) -> None:
        self._store = store
        self._kind = chunks_of(collection)
        self._salt = digest_code().encode()
        self._known = store.keys(self._kind)
        self._used: set[bytes] = set()
        self._fresh: dict[bytes, bytes] = {}
        self._fresh_bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Keep what was made; where the build came to its end, forget what it did not use."""
        self._write()
        if kind is None:
            self._store.retain(self._kind, self._used)

    def begin(self, document: Document, prepare: Prepare) -> Callable[[], PreparedEntry]:
        """Look up a document of this build, or begin to `prepare` it; what this gives waits for its entry.

        Raises:
            SourceError: by what this gives: the document cannot be parsed.
        """
        key = hashlib.sha256(self._salt + _spelt(document)).digest()
        kept = self._fresh.get(key)
        if kept is None and key in self._known:
            kept = self._store.read(self._kind, [key]).get(key)
        made = prepare(document) if kept is None else None

        def finish() -> PreparedEntry:
            value = kept
            if made is not None:
                value = self._fresh[key] = _packed(made())
                self._fresh_bytes += len(value)
                if self._fresh_bytes >= COMMITTED_BYTES:
                    self._write()
            self._used.add(key)
            cited, ids, has_finds, _ = _unpacked(value or b"")
            return PreparedEntry(cited, key, array("Q", ids), has_finds)

        return finish

    def load(self, entries: Iterable[PreparedEntry]) -> Iterator[Prepared]:
        """The chunks of admitted documents that their entries name, in order.

        Raises:
            StoreError: they were damaged since.
        """
        rest = iter(entries)
        while some := list(islice(rest, READ_AT_ONCE)):
            wanted = {entry.key for entry in some}
            values = {key: self._fresh[key] for key in wanted & self._fresh.keys()}
            if wanted := wanted - values.keys():
                values |= self._store.read(self._kind, wanted)
            for entry in some:
                if entry.key not in values:
                    raise StoreError(
                        f"{entry.document_id}: its chunks in the cache were damaged meanwhile: build again"
                    )
                ids = frozenset(entry.ids)
                chunks = unpack(_unpacked(values[entry.key]).data)
                yield from (one for one in chunks if int(one.chunk.id, 16) in ids)

    def _write(self) -> None:
        self._store.write(self._kind, self._fresh)
        self._fresh.clear()
        self._fresh_bytes = 0


def chunks_of(collection: str) -> str:
    """The kind that a collection's prepared documents are kept as."""
    return f"chunks of {collection}"


class SeenNumbers:
    """Unsigned 64-bit numbers, of which there may be millions: 8 bytes each in a sorted array, where a set takes 70.

    The last ones are in a set.
    """

    def __init__(self, recent: int = RECENT) -> None:
        self._most_recent = recent
        self._recent: set[int] = set()
        self._earlier = np.empty(0, np.uint64)

    def add_new(self, numbers: Sequence[int]) -> array[int]:
        """Those of the numbers, each given once, that were never given before, in order; from now on they were."""
        new = [one for one in numbers if one not in self._recent]
        if len(self._earlier) and new:
            wanted = np.array(new, np.uint64)
            places = np.minimum(np.searchsorted(self._earlier, wanted), len(self._earlier) - 1)
            is_known = self._earlier[places] == wanted
            new = [one for one, known in zip(new, is_known.tolist(), strict=True) if not known]
        self._recent.update(new)
        if len(self._recent) >= self._most_recent:
            self._earlier = np.union1d(self._earlier, np.fromiter(self._recent, np.uint64, len(self._recent)))
            self._recent.clear()
        return array("Q", new)


def admit_all(
    read: Iterable[Document | Failure],
    documents: PreparedDocuments,
    failures: list[Failure],
    announce: Callable[[str, int], None],
    *,
    processes: int = READING_PROCESSES,
) -> Iterator[PreparedEntry]:
    """Every document that was read; each chunk id is in one entry. What cannot be read or cut goes to `failures`, said.

    `announce` is told of each document with how many chunks it gave; a process a core reads, or fewer.
    """
    seen = SeenNumbers()
    for document, finish in _begin_ahead(read, documents, processes):
        if isinstance(document, Failure):
            failures.append(document)
            say(f"failed: {document}")
            continue
        try:
            entry = finish()
        except SourceError as error:
            failures.append(Failure(error.path or document.id, str(error)))
            say(f"failed: {failures[-1]}")
            continue
        new = seen.add_new(entry.ids)
        announce(document.id, len(new))
        yield replace(entry, ids=new)


def _begin_ahead(
    read: Iterable[Document | Failure], documents: PreparedDocuments, processes: int
) -> Iterator[tuple[Document | Failure, Callable[[], PreparedEntry]]]:
    """What was read, in order, with what waits for its entry; of much that is not kept a process a core prepares it."""
    workers = min(cores(), processes)
    waiting: deque[tuple[Document | Failure, Callable[[], PreparedEntry]]] = deque()
    pool, at_once, asked = ThreadPoolExecutor(workers), Semaphore(), 0

    def apart(document: Document) -> Made:
        with at_once:
            return prepare_apart(document)

    def prepare(document: Document) -> Callable[[], Made]:
        nonlocal asked
        before, asked = asked, asked + len(document.text)
        if before < MUCH_CHARACTERS <= asked:
            at_once.release(workers)
        return pool.submit(apart, document).result

    try:
        held = 0
        for one in read:
            waiting.append((one, _nothing if isinstance(one, Failure) else documents.begin(one, prepare)))
            held += _characters(one)
            while len(waiting) > AHEAD * workers or (held > AHEAD_CHARACTERS and len(waiting) > workers):
                held -= _characters(waiting[0][0])
                yield waiting.popleft()
        yield from waiting
    finally:
        pool.shutdown(cancel_futures=True)


def prepare_apart(document: Document) -> Made:
    """`prepare` in a process that can be ended: a file may make a parser hang, recurse or fill the memory.

    Raises:
        SourceError: the document cannot be parsed, or not within its bounds.
    """
    if document.kind in _WRITTEN_BY_US:
        from build_index.pipeline.preparing import prepare

        return prepare(document)
    return reader()(plain(document), name=document.id, size=len(document.text))


def _characters(one: Document | Failure) -> int:
    return 0 if isinstance(one, Failure) else len(one.text)


def _nothing() -> PreparedEntry:
    raise AssertionError("a file that was not read has no entry")


def _spelt(document: Document) -> bytes:
    texts = [document.id, document.kind, document.text]
    mappings = [dict(one) for one in (document.metadata, document.includes, document.links)]
    fields = [*texts, *mappings, document.anchors]
    return json.dumps(fields, ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")


def _packed(made: Made) -> bytes:
    name = made.document_id.encode("utf-8", "surrogatepass")
    return _HEAD.pack(made.has_finds, len(name), len(made.ids)) + name + made.ids + made.data


def _unpacked(value: bytes) -> Made:
    has_finds, name, ids = _HEAD.unpack_from(value)
    begin = _HEAD.size + name
    cited = value[_HEAD.size : begin].decode("utf-8", "surrogatepass")
    return Made(cited, value[begin : begin + ids], has_finds, value[begin + ids :])
