"""A document to prepared chunks: cut, with their search terms and what the poison scan found in them, as bytes."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import astuple

from build_index.pipeline.readers import BETWEEN, SIZES, Made, Prepared
from build_index.scan.poison import scan_chunk
from quire.analysis.keywords import keyword_terms
from quire.canonical_json import canonical_json
from quire.chunking import chunk_document
from quire.documents import Chunk, Document
from quire.index.lines import chunk_line


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


def prepared(chunk: Chunk) -> Prepared:
    """The chunk with its search terms, what the poison scan finds in it, and its line."""
    frequencies, length = keyword_terms(chunk)
    terms = BETWEEN.join(frequencies).encode("utf-8", "surrogatepass")
    counts = array("I", [round(length), *frequencies.values()]).tobytes()
    return Prepared(chunk, tuple(scan_chunk(chunk)), terms, counts, chunk_line(chunk))


def _pack(made: Iterable[Prepared]) -> bytes:
    parts = []
    for one in made:
        finds = [astuple(find) for find in one.finds]
        body = (one.line, one.terms, one.frequencies, canonical_json(finds) if finds else b"")
        parts += [SIZES.pack(*map(len, body)), *body]
    return b"".join(parts)
