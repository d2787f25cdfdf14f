"""Collections as the native API describes them."""

from __future__ import annotations

from functions.faces.native.contract import CollectionDetail, CollectionStatus, CollectionSummary, TroubleWire
from functions.web.freshness import freshness_of
from quire.errors import QuireError
from quire.service.access import ADMIN, Caller
from quire.service.knowledge import Knowledge, last_trouble
from quire.store.catalog import Served, Unopened


def summary_wire(service: Knowledge, name: str, state: Served | Unopened | QuireError) -> CollectionSummary:
    """One collection in a list; one that cannot be served says why by its error's name."""
    if isinstance(state, QuireError):
        return {
            "name": name,
            "title": service.title(name),
            "profile": "",
            "face": "",
            "status": "unavailable",
            "version": None,
            "label": None,
            "published_at": None,
            "age_s": None,
            "notice": None,
            "chunks": 0,
            "documents": 0,
            "engine": None,
            "degraded": [f"cannot be opened ({type(state).__name__})"],
        }
    fresh = freshness_of(service, state)
    return {
        "name": name,
        "title": service.title(name),
        "profile": state.pointer.profile,
        "face": state.pointer.face,
        "status": "degraded" if state.degraded else "ok",
        "version": state.version,
        "label": fresh.label or None,
        "published_at": fresh.published_at or None,
        "age_s": fresh.age_s,
        "notice": fresh.notice or None,
        "chunks": state.chunk_count,
        "documents": sum(manifest.counts.documents for manifest in state.manifests),
        "engine": state.engine,
        "degraded": list(state.degraded),
    }


def status_wire(
    service: Knowledge, caller: Caller, name: str, state: Served | Unopened | QuireError
) -> CollectionStatus:
    """One collection with how it fares here. What an error said may name buckets and folders: it is the owner's."""
    manifests = state.manifests if isinstance(state, Served) else ()
    error = last_trouble(service, name)
    told: TroubleWire | None = None
    if error is not None:
        message = error.message if caller.may(ADMIN, name) else None
        told = {"kind": error.kind, "at": error.at, "message": message}
    return {
        **summary_wire(service, name, state),
        "disk_bytes": sum(file.size for manifest in manifests for file in manifest.files.values()),
        "last_error": told,
    }


def detail_wire(service: Knowledge, name: str, served: Served) -> CollectionDetail:
    """One collection with how it was made."""
    manifests = served.manifests
    return {
        **summary_wire(service, name, served),
        "filters": sorted({field for manifest in manifests for field in manifest.filters}),
        "model": served.model or None,
        "sources": [
            {"key": one.key, "location": one.location, "revision": one.revision, "version": one.version}
            for one in freshness_of(service, served).sources
        ],
    }
