"""Use cases over the stored text of a version: its documents, a plain search, and whether a passage still stands."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from quire.canonical_json import canonical_json
from quire.documents import Chunk, text_sha256
from quire.errors import InputError, QuireError, UnknownVersion
from quire.index.opened import OpenedIndex
from quire.parsing.line_maps import lines_at
from quire.service.access import Caller
from quire.service.documents import document_names
from quire.service.knowledge import Knowledge
from quire.store.catalog import Served

GREP_S = 5.0
"""How long one search through the text may take: 24,000 passages take about 0.1 s."""
LOOKED_BETWEEN_CLOCKS = 512
CURRENT, CHANGED, GONE = "current", "changed", "gone"


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
class Standing:
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
) -> Standing:
    """Whether the passage of that id is in the version, with the text that the version `read_at` had."""
    now = _passage(served.index, passage)
    was = None
    if read_at is not None:
        try:
            was = _passage(service.serve(caller, served.name, read_at).index, passage)
        except UnknownVersion as error:
            if now is None:
                return Standing(passage, served, GONE, f"not in this version; {error}")
            return Standing(passage, served, CURRENT, f"it is there; not compared: {error}", now)
    if now is None:
        return _gone(served, passage, was)
    if was is not None and was.text != now.text:
        digests = f"sha256 was {text_sha256(was.text)[:12]}, is {text_sha256(now.text)[:12]}"
        return Standing(passage, served, CHANGED, f"its text changed since {read_at}: {digests}", now)
    return Standing(passage, served, CURRENT, "same text" if was else "it is there", now)


def _gone(served: Served, passage: str, was: Chunk | None) -> Standing:
    if was is None:
        return Standing(passage, served, GONE, "no passage of that id is in this version")
    for chunk in served.index.fetch(served.index.documents.chunks(was.document_id)):
        if chunk.text == was.text:
            return Standing(passage, served, GONE, "the same text is there under another id", chunk)
    document = "its document is still there, its text is not"
    if not len(served.index.documents.chunks(was.document_id)):
        document = "its document is gone too"
    return Standing(passage, served, GONE, document)


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
