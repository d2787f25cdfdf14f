"""The processes that cut documents, and the prepared chunks that they hand over as bytes.

What they run is `build_index.pipeline.preparing`: this side imports no chunker, and they import no numpy.
"""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Iterator, Mapping
from functools import cache
from struct import Struct
from typing import NamedTuple

from build_index.scan.poison import Find
from quire.documents import Chunk, Document
from quire.index.lines import read_line
from quire.killable import Killable
from quire.limits import READING_PROCESSES

SIZES = Struct("=4I")
MANY = 50
"""Documents that are worth a process a core: one takes .2 s of CPU to start."""
BETWEEN = "\0"  # no term holds it


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
        """See `quire.analysis.keywords.keyword_terms`."""
        length, *counts = array("I", self.frequencies)
        terms = self.terms.decode("utf-8", "surrogatepass").split(BETWEEN) if counts else ()
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


def cores() -> int:
    """What this process may use of the machine, as far as the system tells."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def start_readers(documents: int = 1) -> None:
    """Start what prepares so many documents: it imports what it needs while the caller does something else."""
    reader().start(1 if documents < MANY else min(cores(), READING_PROCESSES))


@cache
def reader() -> Killable[Document, Made]:
    """What documents are prepared by, kept warm for the life of this process."""
    return Killable("build_index.pipeline.preparing:prepare")


def unpack(data: bytes) -> Iterator[Prepared]:
    """The prepared chunks of a document, in order."""
    place = 0
    while place < len(data):
        begin = place + SIZES.size
        parts = []
        for size in SIZES.unpack_from(data, place):
            parts.append(data[begin : begin + size])
            begin += size
        line, terms, frequencies, finds = parts
        found = tuple(Find(*fields) for fields in json.loads(finds)) if finds else ()
        yield Prepared(read_line(line), found, terms, frequencies, line)
        place = begin
