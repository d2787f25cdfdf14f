"""Use cases over the stored text of a version: whole documents, lists of them, one passage and whether it still stands,
what defines a symbol, and a plain search."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Literal

import numpy as np

from quire.analysis.symbols import fold_symbol
from quire.canonical_json import canonical_json
from quire.documents import Chunk, text_sha256
from quire.errors import InputError, QuireError, UnknownPassage, UnknownVersion
from quire.index.opened import OpenedIndex
from quire.index.tables import near_values
from quire.parsing.line_maps import lines_at
from quire.ports import Ordinals
from quire.search.retrieval import Query, retrieve
from quire.service.access import Caller
from quire.service.knowledge import Knowledge
from quire.store.catalog import Served
from quire.store.pointers import PREVIOUS

PATH_FIELDS = ("path", "file_path")
MOST_NEAR = 8
MOST_COMPARED = 20_000
"""Names that a wrong one is compared with, letter by letter: 8 µs each."""
GREP_S = 5.0
"""How long one search through the text may take: 24,000 passages take about 0.1 s."""
LOOKED_BETWEEN_CLOCKS = 512
CURRENT, CHANGED, GONE = "current", "changed", "gone"


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


def moved_passage(service: Knowledge, caller: Caller, collection: str, chunk_id: str) -> str:
    """The id under which the text of a passage of the version before stands now, where lines above it came or went; ""
    where it stands nowhere in its document, or was of no version that is kept.
    """
    try:
        was = _passage(service.serve(caller, collection, PREVIOUS).index, chunk_id)
    except QuireError:
        return ""
    if was is None:
        return ""
    now = _gone(service.serve(caller, collection), chunk_id, was).chunk
    return now.id if now else ""


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
    today = _passage(now.index, chunk.id)
    if today is None:
        return "gone"
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
    """Passages that define the symbol, inherited ones included, first what is called just so and not a member of that
    name; without any, names of symbols that come near."""
    served = service.serve(caller, collection, version)
    index = served.index
    ordinals = index.symbols.chunks(symbol)
    if not len(ordinals) and (declared := index.symbols.resolve(symbol)):
        ordinals = index.symbols.chunks(declared)
    name = fold_symbol(symbol)
    found = sorted(index.fetch(ordinals), key=lambda chunk: name not in map(fold_symbol, chunk.symbols[:1]))
    return served, tuple(found), () if found else _near(index, symbol)


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


@dataclass(frozen=True, slots=True)
class Listing:
    """First passages and passage counts of documents, by id; `left` follow the last of them, `total` fit in all."""

    served: Served
    documents: tuple[tuple[Chunk, int], ...]
    total: int
    left: int


@dataclass(frozen=True, slots=True)
class Match:
    """One line of the stored text; `line` is the file's, None where no lines are known."""

    chunk: Chunk
    text: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Grepped:
    """Matching lines in the order of the index; `stopped` says in words why there may be more, "" where all is told."""

    served: Served
    matches: tuple[Match, ...]
    stopped: str


@dataclass(frozen=True, slots=True)
class CheckedPassage:
    """Whether a passage is what it was: one of `CURRENT`, `CHANGED`, `GONE`, and why.

    `chunk` is the passage as it is now; for one that is gone, the passage of the same text, if there is any.
    """

    id: str
    served: Served
    status: str
    detail: str
    chunk: Chunk | None = None


def list_documents(served: Served, under: str = "", after: str = "", *, limit: int = 100) -> Listing:
    """Documents whose id contains `under`, each with its first passage and how many it has."""
    index = served.index
    names = document_names(index)
    fitting = [name for name in names if under.casefold() in name.casefold()] if under else names
    start = bisect_right(fitting, after) if after else 0
    page = [index.documents.chunks(name) for name in fitting[start : start + limit]]
    documents = tuple((index.fetch(ordinals[:1])[0], len(ordinals)) for ordinals in page)
    return Listing(served, documents, len(fitting), len(fitting) - start - len(page))


def grep(
    served: Served, text: str, under: str = "", *, ignore_case: bool = False, limit: int = 50
) -> Grepped:
    """Lines that contain the text as it is written: no regular expression, so that no pattern can hold the process.

    Raises:
        InputError: the text spans lines.
    """
    if "\n" in text or "\r" in text:
        raise InputError("pattern: wanted text within one line", field="pattern")
    matches: dict[tuple[str, int | None, str], Match] = {}
    until = time.monotonic() + GREP_S
    for number, chunk in enumerate(_holding(served.index, text, ignore_case)):
        if number % LOOKED_BETWEEN_CLOCKS == 0 and time.monotonic() > until:
            return Grepped(served, tuple(matches.values()), f"stopped after {GREP_S:.0f} s")
        if chunk is None or (under and under.casefold() not in _path(chunk).casefold()):
            continue
        for match in _lines(chunk, text, ignore_case):
            # Windows of code overlap: a line that two of them hold is one match.
            matches.setdefault((_path(chunk), match.line, match.text), match)
        if len(matches) >= limit:
            return Grepped(served, tuple(matches.values())[:limit], f"stopped at {limit} matches")
    return Grepped(served, tuple(matches.values()), "")


def check_passage(
    service: Knowledge, served: Served, caller: Caller, passage: str, *, read_at: str | None
) -> CheckedPassage:
    """Whether the passage of that id is in the version, with the text that the version `read_at` had."""
    now = _passage(served.index, passage)
    was = None
    if read_at is not None:
        try:
            was = _passage(service.serve(caller, served.name, read_at).index, passage)
        except UnknownVersion as error:
            if now is None:
                return CheckedPassage(passage, served, GONE, f"not in this version; {error}")
            return CheckedPassage(passage, served, CURRENT, f"it is there; not compared: {error}", now)
    if now is None:
        return _gone(served, passage, was)
    if was is not None and was.text != now.text:
        digests = f"sha256 was {text_sha256(was.text)[:12]}, is {text_sha256(now.text)[:12]}"
        return CheckedPassage(passage, served, CHANGED, f"its text changed since {read_at}: {digests}", now)
    return CheckedPassage(passage, served, CURRENT, "same text" if was else "it is there", now)


def _gone(served: Served, passage: str, was: Chunk | None) -> CheckedPassage:
    if was is None:
        return CheckedPassage(passage, served, GONE, "no passage of that id is in this version")
    for chunk in served.index.fetch(served.index.documents.chunks(was.document_id)):
        if chunk.text == was.text:
            return CheckedPassage(passage, served, GONE, "the same text is there under another id", chunk)
    document = "its document is still there, its text is not"
    if not len(served.index.documents.chunks(was.document_id)):
        document = "its document is gone too"
    return CheckedPassage(passage, served, GONE, document)


def holders(
    service: Knowledge, caller: Caller, names: list[str], passage: str, *, version: str | None = None
) -> list[str]:
    """Which of the collections hold a passage of that id, in the version of that id or now."""
    found = []
    for name in names:
        try:
            served = service.serve(caller, name, version)
        except QuireError:
            continue  # one that cannot be served, or has no such version, holds nothing that could be shown
        if served.index.find(passage) is not None:
            found.append(name)
    return found


def _passage(index: OpenedIndex, passage: str) -> Chunk | None:
    ordinal = index.find(passage)
    return None if ordinal is None else index.fetch([ordinal])[0]


def _holding(index: OpenedIndex, text: str, ignore_case: bool) -> Iterator[Chunk | None]:
    """Every live passage that may hold the text, as it is read; None for one that does not, so that time passes."""
    written = canonical_json(text)[1:-1]
    # Only ASCII letters have the same length in either case, in UTF-8.
    needle = written.lower() if ignore_case else written
    is_sure = text.isascii() or not ignore_case
    base = 0
    for segment in index.segments:
        everything = np.arange(segment.chunk_count, dtype=np.uint32)
        for ordinal, line in enumerate(segment.payloads.lines(everything)):
            if is_sure and needle not in (line.lower() if ignore_case else line):
                yield None
                continue
            [chunk] = index.fetch([base + ordinal])
            yield chunk if index.find(chunk.id) == base + ordinal else None
        base += segment.chunk_count


def _lines(chunk: Chunk, text: str, ignore_case: bool) -> Iterator[Match]:
    wanted = text.lower() if ignore_case else text
    begin = 0
    for line in chunk.text.split("\n"):
        at = (line.lower() if ignore_case else line).find(wanted)
        if at >= 0:
            lines = lines_at(chunk, begin + at, begin + at + len(text))
            yield Match(chunk, line.strip(), lines and lines[0])
        begin += len(line) + 1


def _path(chunk: Chunk) -> str:
    return str(chunk.metadata.get("path") or chunk.metadata.get("file_path") or chunk.document_id)
