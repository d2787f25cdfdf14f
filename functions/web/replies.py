"""Responses built from plain values. The wire contracts are TypedDicts: nothing is validated a second time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

_COMPACT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_ASCII = json.JSONEncoder(separators=(",", ":"))


def json_bytes(body: Any) -> bytes:
    """Encode as compact JSON in UTF-8; lone surrogates, which UTF-8 cannot hold, stay escaped."""
    try:
        return _COMPACT.encode(body).encode()
    except UnicodeEncodeError:
        return _ASCII.encode(body).encode()


def reply(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON response of exactly `body`."""
    return Response(json_bytes(body), status, headers, "application/json")
