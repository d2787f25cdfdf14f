"""What every chat memory agrees on: how long turns live, how they are named and ordered, how a session is spelled."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

RETENTION = timedelta(days=30)
RETENTION_MS = int(RETENTION.total_seconds() * 1000)
SKEW_MS = 5 * 60 * 1000
"""A turn is never stamped before the one it follows, as long as no clock is further ahead than this."""

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RANDOM_BITS = 80
_STEP_BITS = 56


def session_key(*parts: str) -> str:
    """One string for a site and a user (or a collection and a session); different parts never give the same.

    >>> session_key("acme", "eve#1"), session_key("acme#eve", "1")
    ('acme#eve%231', 'acme%23eve#1')
    """
    return "#".join(quote(part, safe="") for part in parts)


def turn_id(at_ms: int, random: int) -> str:
    """26 characters that sort by time, then by `random`. Source: the ULID specification, canonical string form.

    >>> turn_id(1_700_000_000_000, 5)
    '01HF7YAT000000000000000005'
    """
    number = at_ms << _RANDOM_BITS | random
    return "".join(_DIGITS[number >> shift & 31] for shift in range(125, -1, -5))


def read_turn_id(text: str) -> tuple[int, int]:
    """Milliseconds and random part of a turn's id.

    Raises:
        ValueError: it is none.
    """
    if len(text) != 26 or text[0] > "7" or not set(text) <= set(_DIGITS):
        raise ValueError(f"turn id: wanted 26 characters of base 32, found {text[:40]!r}")
    number = 0
    for character in text:
        number = number << 5 | _DIGITS.index(character)
    return number >> _RANDOM_BITS, number & (1 << _RANDOM_BITS) - 1


def next_ids(count: int, now_ms: int, last: str | None) -> list[str]:
    """Ids for turns that follow `last`, ascending, also where this machine's clock is behind the one that wrote it."""
    at_ms, random = now_ms, secrets.randbits(_RANDOM_BITS - 1)
    if last is not None:
        last_ms, last_random = read_turn_id(last)
        if now_ms <= last_ms <= now_ms + SKEW_MS:
            # Not by one: another process may follow the same turn in the same millisecond.
            at_ms, random = last_ms, last_random + 1 + secrets.randbits(_STEP_BITS)
    return [turn_id(at_ms, random + number) for number in range(count)]


def moment(at_ms: int) -> datetime:
    """UTC.

    >>> moment(1_700_000_000_123).isoformat()
    '2023-11-14T22:13:20.123000+00:00'
    """
    return datetime.fromtimestamp(at_ms / 1000, UTC)


def oldest_ms(now_ms: int) -> int:
    """Turns stamped before this are never returned."""
    return now_ms - RETENTION_MS


def time_key(at_ms: int) -> str:
    """A moment as text that sorts.

    >>> time_key(1_700_000_000_000)
    '001700000000000'
    """
    return f"{max(at_ms, 0):015d}"


def sort_key(one: str) -> str:
    """Time and id of a turn as text that sorts by time: `001700000000000#01HF7YAT00...`."""
    return f"{time_key(read_turn_id(one)[0])}#{one}"
