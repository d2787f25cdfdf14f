"""How a document becomes chunks: plain functions, chosen by `Document.kind`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from quire.chunking.markdown import chunk_creator_docs, chunk_docs, chunk_textbook
from quire.chunking.parted import (
    chunk_api_member,
    chunk_cells,
    chunk_html,
    chunk_pages,
    chunk_prose,
    chunk_slides,
)
from quire.chunking.source_code import chunk_source_code
from quire.documents import Chunk, Document

CHUNKERS: Mapping[str, Callable[[Document], Iterator[Chunk]]] = {
    "api_member": chunk_api_member,
    "cells": chunk_cells,
    "creator_docs": chunk_creator_docs,
    "docs": chunk_docs,
    "html": chunk_html,
    "pages": chunk_pages,
    "prose": chunk_prose,
    "slides": chunk_slides,
    "source_code": chunk_source_code,
    "textbook": chunk_textbook,
}


def chunk_document(document: Document) -> Iterator[Chunk]:
    """Cut a document by the chunker of its kind.

    Raises:
        SourceError: the document cannot be parsed.
        KeyError: no chunker is of that kind; sources name only kinds of `CHUNKERS`.
    """
    return CHUNKERS[document.kind](document)


def cut(document: Document) -> list[Chunk]:
    """Its chunks in plain values, which another process can be handed.

    Raises:
        SourceError: the document cannot be parsed.
    """
    return [chunk._replace(metadata=dict(chunk.metadata)) for chunk in chunk_document(document)]
