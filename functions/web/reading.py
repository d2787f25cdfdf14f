"""Use cases that read whole documents, exact symbols and the difference of two versions."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

import numpy as np

from functions.web.access import Caller
from functions.web.metrics import age_hours, note, note_degraded, noted, timed
from functions.web.service import Knowledge
from quire.answering.answerer import answer, stream_answer
from quire.answering.events import Done, Event
from quire.answering.findings import Shelf
from quire.answering.request import Answer, Inquiry
from quire.documents import Chunk
from quire.errors import InputError, UnknownPassage
from quire.index.near_values import missing_values
from quire.index.opened import OpenedIndex
from quire.ports import Ordinals
from quire.search.retrieval import Query, retrieve
from quire.store.catalog import Served

PATH_FIELDS = ("path", "file_path")
MOST_NEAR = 8


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


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs between two versions, by document."""

    before: Served
    after: Served
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]


def ask(
    service: Knowledge, caller: Caller, collection: str, inquiry: Inquiry, *, version: str | None = None
) -> tuple[Served, Answer]:
    """A cited answer, and the state of the collection that gave it.

    Raises:
        ScopeMissing, UnknownCollection, UnknownVersion, InputError: as their names say.
    """
    served, shelf = _opened(service, caller, collection, inquiry, version=version)
    with timed("answer_ms"):
        given = _with_state(answer(shelf, inquiry, service.answer_model), served, inquiry)
    if service.print_answers:
        sys.stdout.write(f"{given.text}\n")
    return served, given


def ask_stream(
    service: Knowledge, caller: Caller, collection: str, inquiry: Inquiry, *, version: str | None = None
) -> Iterator[Event]:
    """The same answer as events. What is wrong with the request is raised here, before the first of them.

    Raises:
        ScopeMissing, UnknownCollection, UnknownVersion, InputError: as their names say.
    """
    served, shelf = _opened(service, caller, collection, inquiry, version=version)
    began = time.perf_counter()
    events = stream_answer(shelf, inquiry, service.answer_model)
    first = next(events)

    def rest() -> Iterator[Event]:
        try:
            for one in chain([first], events):
                yield (
                    replace(one, answer=_with_state(one.answer, served, inquiry))
                    if isinstance(one, Done)
                    else one
                )
        finally:
            note(answer_ms=round((time.perf_counter() - began) * 1000, 2))

    return rest()


def _opened(
    service: Knowledge, caller: Caller, collection: str, inquiry: Inquiry, *, version: str | None
) -> tuple[Served, Shelf]:
    with timed("open_ms"):
        served = service.serve(caller, collection, version, inquiry.filters)
        embedder = service.embedder(served)
    return served, Shelf(served.index, embedder, service.title(collection), served.label)


def _with_state(given: Answer, served: Served, inquiry: Inquiry) -> Answer:
    """The answer with what its collection's state adds to what is missing; notes what it was and cost."""
    note_degraded(given.degraded)
    note(
        collection=served.name,
        version=served.version,
        degraded=bool(noted().get("missing")),
        index_age_h=age_hours(served.pointer.fresh_at),
        abstained=not given.answerable,
        prompt_tokens=given.usage.prompt_tokens,
        answer_tokens=given.usage.answer_tokens,
    )
    notices = (*given.notices, *missing_values(served.index, inquiry.filters))
    return replace(given, degraded=tuple(dict.fromkeys((*served.degraded, *given.degraded))), notices=notices)


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
    ordinals = served.index.document_chunks(chunk.document_id)
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
    ordinals = served.index.document_chunks(chunk.document_id)
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
        raise InputError(
            f"document {name!r}: version {served.version} of {collection!r} has none of that id or path",
            field="document",
        )
    return Read(served, tuple(served.index.fetch(ordinals)))


def look_up(
    service: Knowledge, caller: Caller, collection: str, symbol: str, *, version: str | None = None
) -> tuple[Served, tuple[Chunk, ...], tuple[str, ...]]:
    """Passages that define the symbol, inherited ones included; without any, names of symbols that come near."""
    served = service.serve(caller, collection, version)
    index = served.index
    ordinals = index.symbol(symbol)
    if not len(ordinals) and (declared := index.resolve(symbol)):
        ordinals = index.symbol(declared)
    return served, tuple(index.fetch(ordinals)), () if len(ordinals) else _near(index, symbol)


def _near(index: OpenedIndex, symbol: str) -> tuple[str, ...]:
    """Symbols of the passages that words alone find for the name, its spelling mended."""
    if not symbol.strip() or not index.has_keywords:
        return ()
    hits = retrieve(index, None, Query(symbol, MOST_NEAR, mode="keyword")).hits
    return tuple(dict.fromkeys(hit.chunk.symbols[0] for hit in hits if hit.chunk.symbols))


def compare(
    service: Knowledge, caller: Caller, collection: str, before: str, *, after: str | None = None
) -> Changes:
    """Documents that the later version added, changed or removed, by the text of their passages."""
    older = service.serve(caller, collection, before)
    newer = service.serve(caller, collection, after)
    was, now = _texts(older.index), _texts(newer.index)
    return Changes(
        before=older,
        after=newer,
        added=tuple(sorted(now.keys() - was.keys())),
        changed=tuple(sorted(name for name in now.keys() & was.keys() if now[name] != was[name])),
        removed=tuple(sorted(was.keys() - now.keys())),
    )


def _document(index: OpenedIndex, name: str) -> Ordinals:
    ordinals = index.document_chunks(name)
    for field in PATH_FIELDS:
        if len(ordinals):
            break
        if field in index.filter_fields:
            found = index.allowed({field: name})
            ordinals = ordinals if found is None else found
    return ordinals


def _texts(index: OpenedIndex) -> dict[str, list[str]]:
    """Document id -> the texts of its passages, in order."""
    texts: dict[str, list[str]] = {}
    for chunk in _live(index):
        texts.setdefault(chunk.document_id, []).append(chunk.text)
    return texts


def _live(index: OpenedIndex) -> Sequence[Chunk]:
    everything = index.fetch(range(sum(manifest.counts.chunks for manifest in index.manifests)))
    if len(everything) == index.chunk_count:
        return everything
    return [chunk for number, chunk in enumerate(everything) if index.find(chunk.id) == number]
