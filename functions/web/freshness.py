"""Freshness on the wire: a part of the native answers, and headers on every answer of a collection."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import Field
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from typing_extensions import TypedDict

from functions.web.logs import embedded, log
from quire.errors import UnknownCollection
from quire.service.freshness import Freshness, age_hours, tell_freshness
from quire.service.knowledge import Knowledge, peek
from quire.service.metrics import noted, noted_served
from quire.store.catalog import Served, Unopened

RawHeader = tuple[bytes, bytes]


class SourceStateWire(TypedDict):
    """A source in the state that it was read in."""

    key: Annotated[str, Field(description="Name of the source.")]
    revision: Annotated[str, Field(description="Commit; empty where there is none.")]
    version: Annotated[str, Field(description="Engine version or release; empty where there is none.")]


class FreshnessWire(TypedDict):
    """How old the version is that answered."""

    label: Annotated[str | None, Field(description="Engine version or release that it was built from.")]
    published_at: Annotated[str | None, Field(description="When it was built and published, UTC.")]
    age_s: Annotated[
        float | None, Field(description="Seconds since then, or since a build found nothing to change.")
    ]
    sources: Annotated[list[SourceStateWire], Field(description="What it was built from.")]
    notice: Annotated[str | None, Field(description="Says so where it is older than the set age.")]


def freshness_of(service: Knowledge, served: Served | Unopened) -> Freshness:
    """The freshness of a version now."""
    now = datetime.now(UTC)
    return tell_freshness(served.pointer, served.manifests, now, service.stale_after_days)


def freshness_wire(fresh: Freshness) -> FreshnessWire:
    """Freshness as JSON sees it."""
    return {
        "label": fresh.label or None,
        "published_at": fresh.published_at or None,
        "age_s": fresh.age_s,
        "sources": [
            {"key": one.key, "revision": one.revision, "version": one.version} for one in fresh.sources
        ],
        "notice": fresh.notice or None,
    }


def tell_ages(service: Knowledge, names: Iterable[str]) -> dict[str, float | None]:
    """Log how old the collections are, with the metric that an alarm watches; nothing is opened for it."""
    ages: dict[str, float | None] = {}
    for name in names:
        try:
            ages[name] = age_hours(service.catalog.pointer(name).fresh_at)
        except UnknownCollection as error:
            log("index age unknown", logging.WARNING, collection=name, message=str(error))
            continue
        facts: dict[str, Any] = {"collection": name, "index_age_h": ages[name]}
        log("index age", **facts, **embedded(facts))
    return ages


class FreshnessHeaders:
    """ASGI middleware: whatever a collection answers with, its headers say how old it is and what is missing.

    Faces keep the bodies that their specifications give them, so headers are the one place that all of them share.
    A route that answered from an older version leaves it in the scope's state as `served`.
    """

    def __init__(self, app: ASGIApp, service: Knowledge) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the app and stamp its response."""

        async def stamped(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 300:
                message["headers"] = [*message["headers"], *self._told(scope, message["headers"])]
            await send(message)

        await self._app(scope, receive, stamped if scope["type"] == "http" else send)

    def _told(self, scope: Scope, headers: Iterable[RawHeader]) -> list[RawHeader]:
        """What is to be told and the response does not tell itself."""
        told = {"x-quire-degraded": "; ".join(noted().get("missing", ()))}
        state = scope.get("state", {})
        name = state.get("collection")
        served = state.get("served")
        if served is None and name:
            served = noted_served() or peek(self._service, name)
        if served is not None:
            told |= _facts(served, freshness_of(self._service, served))
        known = {key for key, _ in headers}
        raw = ((key.encode(), value) for key, value in told.items() if value)
        return [
            (key, b" ".join(value.encode("ascii", "replace").split()))
            for key, value in raw
            if key not in known
        ]


def _facts(served: Served, fresh: Freshness) -> dict[str, str]:
    return {
        "x-quire-version": served.version,
        "x-quire-engine": served.engine,
        "x-quire-label": fresh.label,
        "x-quire-published-at": fresh.published_at,
        "x-quire-age-s": "" if fresh.age_s is None else f"{fresh.age_s:.0f}",
        "x-quire-sources": fresh.provenance,
        "x-quire-notice": fresh.notice,
    }
