"""Example bodies for the API reference."""

from __future__ import annotations

from typing import Any

from functions.faces.native.contract import CollectionDetail, CollectionSummary, QueryResponse, Status

VERSION = "9b1f7c02e4d1"

QUERY: QueryResponse = {
    "collection": "roblox",
    "version": VERSION,
    "mode": "hybrid",
    "degraded": [],
    "notices": [],
    "freshness": {
        "label": "0.735.0.7351131",
        "published_at": "2026-11-19T08:04:11Z",
        "age_s": 86400.0,
        "sources": [{"key": "api_dump", "revision": "", "version": "0.735.0.7351131"}],
        "notice": None,
    },
    "took_ms": 4.1,
    "hits": [
        {
            "id": "8f14e45fceea167a",
            "rank": 1,
            "score": 0.94,
            "text": "Humanoid:MoveTo(location: Vector3, part: Instance = nil) walks the humanoid to a point.",
            "metadata": {
                "start_line": None,
                "end_line": None,
                "source": "api_dump",
                "class_name": "Humanoid",
                "member_name": "MoveTo",
                "member_type": "Function",
            },
            "citation": {
                "id": "8f14e45fceea167a",
                "path": None,
                "start_line": None,
                "end_line": None,
                "heading": None,
                "url": "https://create.roblox.com/docs/reference/engine/classes/Humanoid#MoveTo",
                "sha256": "b1946ac92492d2347c6235b4d2611184a1f0e3c6f0d0e6b7c0a1c1c1d6a0c0de",
                "version": VERSION,
            },
        }
    ],
}

COLLECTION: CollectionSummary = {
    "name": "roblox",
    "title": "Roblox engine API",
    "profile": "roblox",
    "face": "roblox",
    "status": "ok",
    "version": VERSION,
    "label": "0.735.0.7350832",
    "published_at": "2026-11-19T08:04:11Z",
    "age_s": 86400.0,
    "notice": None,
    "chunks": 21874,
    "documents": 12310,
    "engine": "quire",
    "degraded": [],
}

DETAIL: CollectionDetail = {
    **COLLECTION,
    "filters": ["source", "class_name", "member_type"],
    "model": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "sources": [
        {"key": "api_dump", "location": "Full-API-Dump.json", "revision": "", "version": "0.735.0.7350832"}
    ],
}

LIST: dict[str, Any] = {"collections": [COLLECTION]}
HEALTH = {"status": "ok"}
STATUS: Status = {
    "status": "ok",
    "program": "0.1.0",
    "uptime_s": 3600.0,
    "collections": [{**COLLECTION, "disk_bytes": 63_196_843, "last_error": None}],
}
