"""Collections as the native API describes them."""

from __future__ import annotations

from functions.faces.native.contract import CollectionDetail, CollectionSummary
from functions.web.freshness import freshness_of
from quire.errors import QuireError
from quire.service.knowledge import Knowledge
from quire.store.catalog import Served


def summary_wire(service: Knowledge, name: str, state: Served | QuireError) -> CollectionSummary:
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
            "degraded": [f"cannot be opened ({type(state).__name__})"],
        }
    fresh = freshness_of(service, state)
    return {
        "name": name,
        "title": service.title(name),
        "profile": state.profile,
        "face": state.face,
        "status": "degraded" if state.degraded else "ok",
        "version": state.version,
        "label": fresh.label or None,
        "published_at": fresh.published_at or None,
        "age_s": fresh.age_s,
        "notice": fresh.notice or None,
        "chunks": state.index.chunk_count,
        "documents": sum(manifest.counts.documents for manifest in state.index.manifests),
        "degraded": list(state.degraded),
    }


def detail_wire(service: Knowledge, name: str, served: Served) -> CollectionDetail:
    """One collection with how it was made."""
    manifests = served.index.manifests
    return {
        **summary_wire(service, name, served),
        "filters": sorted({field for manifest in manifests for field in manifest.filters}),
        "model": served.model or None,
        "sources": [
            {"key": one.key, "location": one.location, "revision": one.revision, "version": one.version}
            for one in freshness_of(service, served).sources
        ],
    }
