"""Collections as the native API describes them."""

from __future__ import annotations

from datetime import datetime

from functions.faces.native.contract import CollectionDetail, CollectionSummary
from quire.catalog import Served
from quire.errors import QuireError


def summary_wire(name: str, title: str, state: Served | QuireError, now: datetime) -> CollectionSummary:
    """One collection in a list; one that cannot be served says why by its error's name."""
    if isinstance(state, QuireError):
        return {
            "name": name,
            "title": title,
            "profile": "",
            "face": "",
            "status": "unavailable",
            "version": None,
            "label": None,
            "published_at": None,
            "age_s": None,
            "chunks": 0,
            "documents": 0,
            "degraded": [f"cannot be opened ({type(state).__name__})"],
        }
    published = state.pointer.published_at
    return {
        "name": name,
        "title": title,
        "profile": state.profile,
        "face": state.face,
        "status": "degraded" if state.degraded else "ok",
        "version": state.version,
        "label": state.label or None,
        "published_at": published or None,
        "age_s": age_s(published, now) if published else None,
        "chunks": state.index.chunk_count,
        "documents": sum(manifest.counts.documents for manifest in state.index.manifests),
        "degraded": list(state.degraded),
    }


def detail_wire(name: str, title: str, served: Served, now: datetime) -> CollectionDetail:
    """One collection with how it was made."""
    manifests = served.index.manifests
    sources = dict.fromkeys(source for manifest in manifests for source in manifest.sources)
    return {
        **summary_wire(name, title, served, now),
        "filters": sorted({field for manifest in manifests for field in manifest.filters}),
        "model": served.model or None,
        "sources": [
            {"key": one.key, "location": one.location, "revision": one.revision, "version": one.version}
            for one in sources
        ],
    }


def age_s(published_at: str, now: datetime) -> float:
    """Seconds from an RFC 3339 moment to `now`.

    >>> age_s("2026-11-19T08:04:11Z", datetime.fromisoformat("2026-11-19T08:05Z"))
    49.0
    """
    return round((now - datetime.fromisoformat(published_at)).total_seconds(), 1)
