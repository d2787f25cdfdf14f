"""Use cases that read: whole documents, one passage, and what defines a symbol."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Literal

import numpy as np

from quire.documents import Chunk
from quire.errors import InputError, UnknownPassage
from quire.index.opened import OpenedIndex
from quire.index.tables import near_values
from quire.ports import Ordinals
from quire.search.retrieval import Query, retrieve
from quire.service.access import Caller
from quire.service.knowledge import Knowledge
from quire.store.catalog import Served

PATH_FIELDS = ("path", "file_path")


MOST_NEAR = 8
MOST_COMPARED = 20_000
"""Names that a wrong one is compared with, letter by letter: 8 µs each."""


@dataclass(frozen=True, slots=True)
class Read:
    """Passages of one document in its order; `start` is where the passage that was asked for stands among them."""

    served: Served
    chunks: tuple[Chunk, ...]
    start: int = 0


Standing = Literal["current", "unchanged", "changed", "gone"]


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """One passage of a version.

    Attributes:
        standing: how the version that is served now has it.
        previous, next: ids of the passages beside it in its document.
    """

    served: Served
    chunk: Chunk
    standing: Standing
    current_version: str
    previous: str | None
    next: str | None


def read_around(
    service: Knowledge, caller: Caller, collection: str, chunk_id: str, *, version: str | None = None
) -> Read:
    """The document that the cited passage belongs to.

    Raises:
        InputError: this version has no such passage.
    """
    served = service.serve(caller, collection, version)
    ordinal = served.index.find(chunk_id)
    if ordinal is None:
        raise InputError(
            f"id {chunk_id!r}: version {served.version} of {collection!r} has no such passage", field="id"
        )
    [chunk] = served.index.fetch([ordinal])
    ordinals = served.index.documents.chunks(chunk.document_id)
    start = int(np.searchsorted(ordinals, ordinal))
    return Read(served, tuple(served.index.fetch(ordinals)), start)


def read_passage(
    service: Knowledge, caller: Caller, collection: str, chunk_id: str, *, version: str | None = None
) -> StoredPassage:
    """The passage of that id, its neighbours in its document, and how the version served now has it.

    Raises:
        UnknownPassage: this version has none of that id.
        ScopeMissing, UnknownCollection, UnknownVersion, InputError: as their names say.
    """
    now = service.serve(caller, collection)
    served = service.serve(caller, collection, version) if version else now
    ordinal = served.index.find(chunk_id)
    if ordinal is None:
        message = f"passage {chunk_id[:80]!r}: version {served.version} of {collection!r} has none of that id"
        raise UnknownPassage(message, field="passage_id")
    [chunk] = served.index.fetch([ordinal])
    ordinals = served.index.documents.chunks(chunk.document_id)
    start = int(np.searchsorted(ordinals, ordinal))
    beside = [ordinals[place : place + 1] for place in (start - 1, start + 1) if place >= 0]
    around = [one.id for one in served.index.fetch(np.concatenate(beside))]
    before = around.pop(0) if start else None
    after = around[0] if around else None
    return StoredPassage(served, chunk, _standing(served, now, chunk), now.version, before, after)


def _standing(served: Served, now: Served, chunk: Chunk) -> Standing:
    if served.version == now.version:
        return "current"
    ordinal = now.index.find(chunk.id)
    if ordinal is None:
        return "gone"
    [today] = now.index.fetch([ordinal])
    return "unchanged" if today.text == chunk.text else "changed"


def read_document(
    service: Knowledge, caller: Caller, collection: str, name: str, *, version: str | None = None
) -> Read:
    """A document by its id or its path.

    Raises:
        InputError: this version has no such document.
    """
    served = service.serve(caller, collection, version)
    ordinals = _document(served.index, name)
    if not len(ordinals):
        near = near_documents(served.index, name)
        hint = f". Near it: {', '.join(near)}" if near else ""
        raise InputError(
            f"document {name!r}: version {served.version} of {collection!r} has none of that id or path{hint}",
            field="document",
        )
    return Read(served, tuple(served.index.fetch(ordinals)))


def look_up(
    service: Knowledge, caller: Caller, collection: str, symbol: str, *, version: str | None = None
) -> tuple[Served, tuple[Chunk, ...], tuple[str, ...]]:
    """Passages that define the symbol, inherited ones included; without any, names of symbols that come near."""
    served = service.serve(caller, collection, version)
    index = served.index
    ordinals = index.symbols.chunks(symbol)
    if not len(ordinals) and (declared := index.symbols.resolve(symbol)):
        ordinals = index.symbols.chunks(declared)
    return served, tuple(index.fetch(ordinals)), () if len(ordinals) else _near(index, symbol)


def _near(index: OpenedIndex, symbol: str) -> tuple[str, ...]:
    """Symbols of the passages that words alone find for the name, its spelling mended."""
    if not symbol.strip() or not index.keywords.is_readable:
        return ()
    hits = retrieve(index, None, Query(symbol, MOST_NEAR, mode="keyword")).hits
    return tuple(dict.fromkeys(hit.chunk.symbols[0] for hit in hits if hit.chunk.symbols))


def document_names(index: OpenedIndex) -> list[str]:
    """Ids of the documents that have a live passage, ascending."""
    names = sorted(set(chain.from_iterable(segment.documents.keys() for segment in index.segments)))
    if index.chunk_count == sum(segment.chunk_count for segment in index.segments):
        return names
    return [name for name in names if len(index.documents.chunks(name))]


def near_documents(index: OpenedIndex, wanted: str) -> list[str]:
    """Ids that `wanted` may have meant: the end of a longer path, a file of that name elsewhere, or one that is
    spelled alike."""
    asked = wanted.replace("\\", "/").casefold().strip("/")
    stem = asked.rpartition("/")[2]
    names = document_names(index)
    folded = [(name.casefold(), name) for name in names]
    ends = [name for fold, name in folded if f"/{asked}".endswith(f"/{fold}")]
    same = [name for fold, name in folded if fold.rpartition("/")[2] == stem]
    alike = () if ends or same or len(names) > MOST_COMPARED else near_values(wanted, names)
    return list(dict.fromkeys((*ends, *same, *alike)))[:MOST_NEAR]


def _document(index: OpenedIndex, name: str) -> Ordinals:
    ordinals = index.documents.chunks(name)
    for field in PATH_FIELDS:
        if len(ordinals):
            break
        if field in index.filters.fields:
            found = index.filters.chunks({field: name})
            ordinals = ordinals if found is None else found
    return ordinals
