"""What a request did, noted where it happens, for its log line and for CloudWatch.

    with noting():                   the frame, around a request
        note(degraded=True)          whoever did something worth counting
        log("request", **noted())

In Lambda the log line carries the metrics in CloudWatch's embedded format, with the collection as their one dimension:
no call to any service, and no cost a request but the log's. Source: AWS, "Specification: Embedded metric format".
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

NAMESPACE = "Quire"
UNITS = {
    "took_ms": ("TookMs", "Milliseconds"),
    "open_ms": ("OpenMs", "Milliseconds"),
    "search_ms": ("SearchMs", "Milliseconds"),
    "answer_ms": ("AnswerMs", "Milliseconds"),
    "degraded": ("Degraded", "Count"),
    "abstained": ("Abstained", "Count"),
    "prompt_tokens": ("PromptTokens", "Count"),
    "answer_tokens": ("AnswerTokens", "Count"),
    "index_age_h": ("IndexAgeHours", "None"),
}
"""Fact -> name and unit of its metric."""
SERVED = "served"
DISK_SHARE = "DiskShare"
TOLD_DISK_SHARE = 0.5
"""Of a function's own disk; below it nothing is told, since a metric that nobody sends costs nothing."""

_facts: ContextVar[dict[str, Any] | None] = ContextVar("facts", default=None)


@contextmanager
def noting() -> Iterator[None]:
    """Collect what is noted inside the block, by this task and what it hands its context to."""
    token = _facts.set({})
    try:
        yield
    finally:
        _facts.reset(token)


def note(**facts: object) -> None:
    """Add facts to the request's log line; times and tokens of the same name add up. Nothing outside a request."""
    held = _facts.get()
    if held is None:
        return
    for name, value in facts.items():
        held[name] = held.get(name, 0) + value if name.endswith(("_ms", "_tokens")) else value


def note_degraded(reasons: Iterable[str]) -> None:
    """Add to what the answer lacks, in words: the frame's log line and the header `x-quire-degraded` say it."""
    held = _facts.get()
    if held is None:
        return
    known = held.get("missing", ())
    if added := [one for one in reasons if one not in known]:
        held.update(degraded=True, missing=[*known, *added])


def note_served(served: object) -> None:
    """Remember the state of the collection that this request is answered from: its headers tell of no other."""
    held = _facts.get()
    if held is not None:
        held[SERVED] = served


def noted_served() -> Any:
    """The state that was remembered last; None where none was."""
    return (_facts.get() or {}).get(SERVED)


def noted() -> dict[str, Any]:
    """What was noted of this request so far."""
    return {name: value for name, value in (_facts.get() or {}).items() if name != SERVED}


@contextmanager
def timed(name: str) -> Iterator[None]:
    """Note how long the block took, in milliseconds, under that name."""
    began = time.perf_counter()
    try:
        yield
    finally:
        note(**{name: round((time.perf_counter() - began) * 1000, 2)})


def age_hours(fresh_at: str, now: datetime | None = None) -> float | None:
    """Hours since a pointer's `fresh_at`; None where it says nothing.

    >>> age_hours("2026-11-19T08:00:00Z", datetime(2026, 11, 20, 9, 30, tzinfo=UTC))
    25.5
    """
    if not fresh_at:
        return None
    since = (now or datetime.now(UTC)) - datetime.fromisoformat(fresh_at)
    return round(since.total_seconds() / 3600, 2)


def embedded(facts: Mapping[str, Any], environ: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What makes a log line carry metrics; nothing outside Lambda, and nothing for a request to no collection.

    Whether an answer was degraded or refused becomes 0 or 1, so that averages are rates.
    """
    known = os.environ if environ is None else environ
    if "AWS_LAMBDA_FUNCTION_NAME" not in known or not facts.get("collection"):
        return {}
    values = {
        UNITS[name][0]: float(value) for name, value in facts.items() if name in UNITS and value is not None
    }
    directives = [_directive(["collection"], values)]
    share = disk_share(Path(known["QUIRE_CACHE"])) if "QUIRE_CACHE" in known else 0.0
    if share >= TOLD_DISK_SHARE:
        disk = {DISK_SHARE: round(share, 4)}
        directives.append(_directive([], disk))
        values |= disk
    return {"_aws": {"Timestamp": int(time.time() * 1000), "CloudWatchMetrics": directives}, **values}


def _directive(dimensions: list[str], values: Iterable[str]) -> dict[str, Any]:
    units = dict([*UNITS.values(), (DISK_SHARE, "None")])
    metrics = [{"Name": name, "Unit": units[name]} for name in values]
    return {"Namespace": NAMESPACE, "Dimensions": [dimensions], "Metrics": metrics}


def disk_share(folder: Path) -> float:
    """How much of the folder's disk is used, 0 to 1; 0 where the folder is not there yet."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return 0.0
    return 1 - disk.f_bavail / disk.f_blocks if disk.f_blocks else 0.0
