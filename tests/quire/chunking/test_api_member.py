from __future__ import annotations

from quire.chunking import CHUNKERS
from quire.documents import Chunk, Document, Value, chunk_id


def chunk_of(document: Document) -> Chunk:
    [chunk] = CHUNKERS["api_member"](document)
    return chunk


def test_a_member_is_one_chunk_with_the_texts_that_its_source_wrote() -> None:
    metadata: dict[str, Value] = {
        "source": "api_dump",
        "breadcrumb": "Boat › SailTo",
        "symbols": ("Boat.SailTo", "SailTo"),
        "aliases": "voyage",
        "summary": "sails to another place",
    }
    chunk = chunk_of(Document("api_dump/Boat.SailTo", "Boat:SailTo() sails.", "api_member", metadata))
    assert chunk == Chunk(
        id=chunk_id("api_dump/Boat.SailTo", ""),
        document_id="api_dump/Boat.SailTo",
        text="Boat:SailTo() sails.",
        breadcrumb="Boat › SailTo",
        metadata={"source": "api_dump"},
        symbols=("Boat.SailTo", "SailTo"),
        aliases="voyage",
        summary="sails to another place",
    )


def test_parts_of_a_file_share_its_document_and_differ_in_their_ids() -> None:
    first = chunk_of(Document("Knot.yaml#new", "a", "api_member"))
    second = chunk_of(Document("Knot.yaml#zero", "a", "api_member"))
    assert first.document_id == second.document_id == "Knot.yaml"
    assert first.id != second.id


def test_a_document_without_metadata_is_still_a_chunk() -> None:
    chunk = chunk_of(Document("x", "text", "api_member"))
    assert (chunk.breadcrumb, chunk.symbols, chunk.aliases, chunk.summary, dict(chunk.metadata)) == (
        "",
        (),
        "",
        "",
        {},
    )
