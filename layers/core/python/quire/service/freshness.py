"""How old a served version is, from what it was made, and whether that is too old to say nothing about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from quire.index.layout import Manifest, Pointer, SourceFacts
from quire.index.opened import sources_of
from quire.settings import STALE_AFTER_DAYS

DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Freshness:
    """What an answer says of the version that it comes from.

    Attributes:
        label: the engine's or release's version; "" where there is none.
        published_at: when it was built and published, UTC; "" for one that never was.
        age_s: seconds since then, or since a build last found the sources as they were; None where that is unknown.
        sources: what it was made from, with commits and versions, each once.
        notice: a sentence where it is older than the set age; else "".
    """

    label: str
    published_at: str
    age_s: float | None
    sources: tuple[SourceFacts, ...]
    notice: str

    @property
    def provenance(self) -> str:
        """The sources in a line: `creator_docs@4f2a9c1, api_dump@0.735.0.7351131`."""
        told = ((one.key, one.revision[:12] or one.version) for one in self.sources)
        return ", ".join(f"{key}@{state}" if state else key for key, state in told)


def tell_freshness(
    pointer: Pointer, manifests: Iterable[Manifest], now: datetime, stale_after_days: float = STALE_AFTER_DAYS
) -> Freshness:
    """The freshness of a version at a moment; with `stale_after_days` 0 nothing is ever called old."""
    age = age_s(pointer.fresh_at, now) if pointer.fresh_at else None
    sources = sources_of(manifests, pointer.build)
    notice = ""
    if age is not None and stale_after_days and age > stale_after_days * DAY_S:
        notice = f"this version is {age / DAY_S:.0f} days old: what it says may have changed since"
    return Freshness(pointer.label, pointer.published_at, age, sources, notice)


def age_s(published_at: str, now: datetime) -> float:
    """Seconds from an RFC 3339 moment to `now`.

    >>> age_s("2026-11-19T08:04:11Z", datetime.fromisoformat("2026-11-19T08:05Z"))
    49.0
    """
    return round((now - datetime.fromisoformat(published_at)).total_seconds(), 1)


def age_hours(fresh_at: str, now: datetime | None = None) -> float | None:
    """Hours since a pointer's `fresh_at`; None where it says nothing.

    >>> age_hours("2026-11-19T08:00:00Z", datetime(2026, 11, 20, 9, 30, tzinfo=UTC))
    25.5
    """
    if not fresh_at:
        return None
    since = (now or datetime.now(UTC)) - datetime.fromisoformat(fresh_at)
    return round(since.total_seconds() / 3600, 2)
