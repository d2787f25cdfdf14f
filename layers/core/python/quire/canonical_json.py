"""The one spelling of a JSON value, so that equal values have equal bytes and digests."""

from __future__ import annotations

import hashlib
import json

_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical_json(value: object) -> bytes:
    """The value as JSON: sorted keys, no spaces, UTF-8, no NaN.

    >>> canonical_json({"b": 1, "a": "é"}).decode()
    '{"a":"é","b":1}'
    """
    return _ENCODER.encode(value).encode()


def json_sha256(value: object) -> str:
    """Hexadecimal sha256 of the value's canonical JSON."""
    return hashlib.sha256(canonical_json(value)).hexdigest()
