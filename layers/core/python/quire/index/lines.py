"""A chunk as a segment stores it: one line of canonical JSON.

What cuts documents in processes of their own imports this and no numpy, which costs a process .1 s.
"""

from __future__ import annotations

import json
from typing import Any

from quire.canonical_json import canonical_json
from quire.documents import Chunk
from quire.errors import REBUILT, ArtifactCorrupt, ArtifactError


def chunk_line(chunk: Chunk) -> bytes:
    """The chunk as its line: canonical JSON of all fields, empty ones left out, and a newline.

    Raises:
        ArtifactError: the text cannot be UTF-8 (a lone surrogate) or a number is not finite.
    """
    fields = chunk._asdict()
    fields["metadata"] = dict(chunk.metadata)
    try:
        return canonical_json({name: value for name, value in fields.items() if value}) + b"\n"
    except (ValueError, TypeError) as error:
        raise ArtifactError(
            f"chunk {chunk.id} of {chunk.document_id}: cannot be stored as JSON: {error}"
        ) from error


def read_line(line: bytes) -> Chunk:
    """The chunk of a stored line.

    Raises:
        ArtifactCorrupt: the line is no chunk.
    """
    try:
        fields: dict[str, Any] = json.loads(line.decode())  # bytes would be looked at for their encoding
        metadata = fields.get("metadata", {}).items()
        return Chunk(
            id=fields["id"],
            document_id=fields.get("document_id", ""),
            text=fields.get("text", ""),
            breadcrumb=fields.get("breadcrumb", ""),
            metadata={key: tuple(value) if isinstance(value, list) else value for key, value in metadata},
            symbols=tuple(fields.get("symbols", ())),
            aliases=fields.get("aliases", ""),
            summary=fields.get("summary", ""),
            headline=fields.get("headline", ""),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ArtifactCorrupt(
            f"payloads: wanted a chunk as JSON, found {line[:60]!r} ({error}); {REBUILT}"
        ) from error
