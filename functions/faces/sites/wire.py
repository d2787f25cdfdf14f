"""Values to wire models."""

from __future__ import annotations

from datetime import datetime

from functions.faces.sites.contract import (
    ContextResponse,
    DocumentWire,
    JobWire,
    MessageWire,
    Role,
    SourceWire,
    WholeDocument,
)
from functions.web.wire import rounded
from quire.answering.generative.context import PromptSource
from quire.documents import Turn
from quire.ports import Remembered
from quire.service.chat import Context
from quire.service.jobs import DONE
from quire.service.site_documents import LargeDocument
from quire.service.sites import SiteDocument


def document_wire(one: SiteDocument) -> DocumentWire:
    """A document without its text."""
    return {
        "id": one.id,
        "site_id": one.site_id,
        "source": one.source,
        "created_at": one.created_at,
        "updated_at": one.updated_at,
        "chunks": one.chunks,
        "sha256": one.sha256,
    }


def whole_wire(one: SiteDocument) -> WholeDocument:
    """A document with its text."""
    return {**document_wire(one), "content": one.content or ""}


def job_wire(one: LargeDocument, site_id: str) -> JobWire:
    """A job that goes on or is done, with its document."""
    wire: JobWire = {
        "id": one.id,
        "site_id": site_id,
        "status": "accepted",
        "job": one.job.id,
        "message": "The document is being embedded; ask for the job.",
        "document": None,
    }
    if one.job.state != DONE:
        return wire
    message = "The document is found by every question." if one.written else "The document was deleted since."
    document = document_wire(one.written) if one.written else None
    return {**wire, "status": "done", "message": message, "document": document}


def turn_of(role: Role, message: str) -> Turn:
    """A message as chat memory knows it."""
    return Turn("assistant" if role == "ai" else "user", message)


def message_wire(one: Remembered) -> MessageWire:
    """A message as the specification calls its fields."""
    return {
        "id": one.id,
        "role": "ai" if one.turn.role == "assistant" else "user",
        "message": one.turn.text,
        "timestamp": moment_wire(one.at),
    }


def moment_wire(at: datetime) -> str:
    """RFC 3339, UTC, to the millisecond.

    >>> moment_wire(datetime.fromisoformat("2026-11-21T12:00:00.5+00:00"))
    '2026-11-21T12:00:00.500Z'
    """
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def context_wire(found: Context) -> ContextResponse:
    """A context with what it is made of."""
    return {
        "context": found.written.text,
        "sources": [_source(one) for one in found.written.sources],
        "turns": [message_wire(one) for one in found.turns],
        "degraded": list(found.degraded),
    }


def _source(one: PromptSource) -> SourceWire:
    best = min(one.hits, key=lambda hit: hit.rank)
    heading = best.chunk.metadata.get("heading")
    return {
        "n": one.n,
        "document_id": best.chunk.document_id,
        "source": str(best.chunk.metadata.get("source") or ""),
        "heading": str(heading) if heading else None,
        "chunk_ids": [hit.chunk.id for hit in one.hits],
        "score": rounded(best.score),
        "version": best.version,
    }
