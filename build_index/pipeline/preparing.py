"""A document to prepared chunks: cut, with their search terms and what the poison scan found in them, as bytes."""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from struct import Struct
from typing import NamedTuple

from build_index.scan.poison import Find, scan_chunk
from quire.canonical_json import canonical_json
from quire.documents import Chunk, Document
from quire.index.payloads import read_line
from quire.index.writer.payloads import chunk_line
from quire.ingestion.rows import chunk_document, keyword_terms, plain
from quire.killable import Killable

_SIZES = Struct("=4I")
_BETWEEN = "\0"  # no term holds it
_WRITTEN_BY_US = frozenset({"api_member"})
"""Kinds whose text a reader of ours wrote: there is nothing to parse."""


class Prepared(NamedTuple):
    """A chunk ready to be indexed, see `quire.ingestion.rows.Analyzed`.

    Attributes:
        chunk: the chunk.
        finds: what the poison scan found in it.
        terms: its search terms, one behind the other.
        frequencies: its length in terms, then how often each of them stands in it.
        line: the chunk as a segment stores it.
    """

    chunk: Chunk
    finds: tuple[Find, ...]
    terms: bytes
    frequencies: bytes
    line: bytes

    def read_terms(self) -> tuple[Mapping[str, float], float]:
        """See `quire.ingestion.rows.keyword_terms`."""
        length, *counts = array("I", self.frequencies)
        terms = self.terms.decode("utf-8", "surrogatepass").split(_BETWEEN) if counts else ()
        return dict(zip(terms, counts, strict=True)), float(length)


class Made(NamedTuple):
    """What a document became.

    Attributes:
        document_id: of its chunks; several documents that were read may be parts of one that is cited.
        ids: numbers of its chunks' ids, in order, each once, 8 bytes each.
        has_finds: whether the scan found something in one of them.
        data: the chunks, as `unpack` reads them.
    """

    document_id: str
    ids: bytes
    has_finds: bool
    data: bytes


def prepare(document: Document) -> Made:
    """Cut the document, take the terms of its chunks and scan them; of chunks with one id the last stays.

    Raises:
        SourceError: the document cannot be parsed.
    """
    chunks = list({chunk.id: chunk for chunk in chunk_document(document)}.values())
    made = list(map(prepared, chunks))
    return Made(
        chunks[0].document_id if chunks else document.id,
        array("Q", [int(chunk.id, 16) for chunk in chunks]).tobytes(),
        any(one.finds for one in made),
        _pack(made),
    )


def prepare_apart(document: Document) -> Made:
    """`prepare` in a process that can be ended: a file may make a parser hang, recurse or fill the memory.

    Raises:
        SourceError: the document cannot be parsed, or not within its bounds.
    """
    if document.kind in _WRITTEN_BY_US:
        return prepare(document)
    return reader()(plain(document), name=document.id, size=len(document.text))


def cores() -> int:
    """What this process may use of the machine, as far as the system tells."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def reader() -> Killable[Document, Made]:
    """What documents are prepared by, kept warm for the life of this process."""
    return Killable(prepare)


def unpack(data: bytes) -> Iterator[Prepared]:
    """The prepared chunks of a document, in order."""
    place = 0
    while place < len(data):
        begin = place + _SIZES.size
        parts = []
        for size in _SIZES.unpack_from(data, place):
            parts.append(data[begin : begin + size])
            begin += size
        line, terms, frequencies, finds = parts
        found = tuple(Find(*fields) for fields in json.loads(finds)) if finds else ()
        yield Prepared(read_line(line), found, terms, frequencies, line)
        place = begin


def prepared(chunk: Chunk) -> Prepared:
    """The chunk with its search terms, what the poison scan finds in it, and its line."""
    frequencies, length = keyword_terms(chunk)
    terms = _BETWEEN.join(frequencies).encode("utf-8", "surrogatepass")
    counts = array("I", [round(length), *frequencies.values()]).tobytes()
    return Prepared(chunk, tuple(scan_chunk(chunk)), terms, counts, chunk_line(chunk))


def _pack(made: Iterable[Prepared]) -> bytes:
    parts = []
    for one in made:
        finds = [[find.rule, find.document_id, find.place, find.excerpt] for find in one.finds]
        body = (one.line, one.terms, one.frequencies, canonical_json(finds) if finds else b"")
        parts += [_SIZES.pack(*map(len, body)), *body]
    return b"".join(parts)
