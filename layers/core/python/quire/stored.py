"""What a store gives: an object's bytes with their etag."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stored:
    """An object of a store: its bytes, and the etag that stands for exactly those bytes."""

    data: bytes
    etag: str
