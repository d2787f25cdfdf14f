"""One API member is one chunk: its source already wrote the text as it is to be read."""

from __future__ import annotations

from collections.abc import Iterator

from quire.documents import Chunk, Document, Value, chunk_id

CHUNK_FIELDS = ("breadcrumb", "symbols", "aliases", "summary", "headline")
"""Metadata entries that become the chunk's own fields instead of travelling on as metadata."""


def chunk_api_member(document: Document) -> Iterator[Chunk]:
    """Yield the document as its only chunk.

    A document id of the form `file#part` is a part of that file: the chunk belongs to the document `file` and is
    keyed by the part, so that a file's chunks share one document id.

    >>> [chunk] = chunk_api_member(Document("CFrame.yaml#new", "CFrame.new()", "api_member", {"title": "CFrame"}))
    >>> chunk.document_id, chunk.text, dict(chunk.metadata)
    ('CFrame.yaml', 'CFrame.new()', {'title': 'CFrame'})
    """
    file, _, part = document.id.partition("#")
    metadata = {key: value for key, value in document.metadata.items() if key not in CHUNK_FIELDS}
    yield Chunk(
        id=chunk_id(file, part),
        document_id=file,
        text=document.text,
        breadcrumb=_text(document, "breadcrumb"),
        metadata=metadata,
        symbols=_names(document.metadata.get("symbols")),
        aliases=_text(document, "aliases"),
        summary=_text(document, "summary"),
        headline=_text(document, "headline"),
    )


def _text(document: Document, key: str) -> str:
    return str(document.metadata.get(key) or "")


def _names(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()
