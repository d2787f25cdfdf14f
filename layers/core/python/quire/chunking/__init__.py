"""How a document becomes chunks: plain functions, chosen by `Document.kind`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from quire.chunking.api_member import chunk_api_member
from quire.documents import Chunk, Document

CHUNKERS: Mapping[str, Callable[[Document], Iterator[Chunk]]] = {
    "api_member": chunk_api_member,
}
