"""Example bodies for the API reference, from the specification."""

from __future__ import annotations

from typing import Any

from functions.faces.codebase.contract import (
    AnswerResponse,
    IndexResponse,
    JobResponse,
    Match,
    QueryResponse,
    Refusal,
    Stats,
)
from functions.web.documented import response

MATCH: Match = {
    "score": 0.78,
    "path": "src/helpers/curl.php",
    "start_line": 12,
    "end_line": 68,
    "snippet": "function doCurlGet($url) { ... }",
    "metadata": {
        "lang": "php",
        "symbol": "doCurlGet",
        "kind": "function",
        "sha256": "b1946ac92492d2347c6235b4d2611184a1f0e3c6f0d0e6b7c0a1c1c1d6a0c0de",
    },
}
QUERY: QueryResponse = {"matches": [MATCH]}
ANSWER: AnswerResponse = {
    "final": (
        "Sessions are kept in memcached: `session.save_handler=memcached` [1].\n\n"
        "Sources:\n1 config/php/session.php:10-42\n2 Dockerfile:55-88"
    ),
    "citations": [
        {"n": 1, "path": "config/php/session.php", "start_line": 10, "end_line": 42},
        {"n": 2, "path": "Dockerfile", "start_line": 55, "end_line": 88},
    ],
    "matches": [MATCH],
}
INDEX: IndexResponse = {"ok": True, "files_indexed": 152, "chunks": 1043, "duration_s": 12.3}
STATS: Stats = {"files": 152, "chunks": 1043, "updated_at": "2025-10-29T02:10:01Z"}
JOB: JobResponse = {
    "id": "5e0c6f0c1d3b",
    "status": "done",
    "started_at": "2025-10-29T02:09:49Z",
    "result": INDEX,
    "files_changed": 152,
    "failed": [],
    "excluded": {"gitignore": 4, "type": 31},
    "error": None,
    "vectors": 1.0,
}
HEALTH = {"status": "ok", "version": "0.1.0"}
CONFIG: dict[str, Any] = {
    "RAG_DATA_DIR": ".",
    "RAG_TOP_K": 8,
    "RAG_API_KEY": "********",
    "RAG_LLM_PROVIDER": "none",
}
EVENTS = (
    'event: delta\ndata: {"text": "Sessions are kept in memcached [1]."}\n\n'
    'event: done\ndata: {"final": "Sessions are kept in memcached [1].\\n\\nSources:\\n'
    '1 config/php/session.php:10-42", '
    '"citations": [{"n": 1, "path": "config/php/session.php", "start_line": 10, "end_line": 42}], "matches": []}\n\n'
)
"""The answer with `stream`; the last event has all that the JSON has."""


_EXAMPLES = {
    401: ("A key is needed", "this service needs a key: send it as x-api-key or as a bearer token"),
    404: ("No such collection", "collection 'code': not in this store"),
    503: ("No index to search", "this cannot be served now; try again in a few seconds"),
}


def refused(what: str, detail: str) -> dict[str, Any]:
    """One refusal with its example."""
    return response(what, {"detail": detail}, Refusal)


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """FastAPI's `responses=` for the statuses."""
    return {status: refused(*_EXAMPLES[status]) for status in statuses}


_INVALID = {"detail": [{"type": "missing", "loc": ["body", "q"], "msg": "Field required"}]}
INVALID: dict[int | str, dict[str, Any]] = {
    413: refused("Body over 1 MB", "body: wanted at most 1,000,000 bytes"),
    422: response("Invalid request", _INVALID),
}
