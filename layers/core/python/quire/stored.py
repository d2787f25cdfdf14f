"""What a store gives: an object's bytes with their etag."""

from __future__ import annotations

from typing import NamedTuple


class Stored(NamedTuple):
    """An object of a store: its bytes, and the etag that stands for exactly those bytes."""

    data: bytes
    etag: str
