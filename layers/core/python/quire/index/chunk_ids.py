"""Chunk ids as the numbers that columns hold."""

from __future__ import annotations

import re

_ID = re.compile(r"[0-9a-f]{16}")


def id_number(chunk_id: str) -> int | None:
    """The id as a number, or None where it is not 16 hexadecimal digits.

    >>> id_number("00000000000000ff"), id_number("FF")
    (255, None)
    """
    return int(chunk_id, 16) if _ID.fullmatch(chunk_id) else None
