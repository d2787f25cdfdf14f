"""Use cases over the artifacts alone: checking citations, comparing versions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from functions.web.access import READ, Caller
from functions.web.service import Knowledge
from quire.service.diff import compare_versions
from quire.service.verification import Claim, Verdict, verify_citation
from quire.store.catalog import Served


def verify_claims(
    service: Knowledge, caller: Caller, collection: str, claims: Sequence[Claim]
) -> list[Verdict]:
    """What the collection's artifacts say to each claim.

    Raises:
        ScopeMissing, UnknownCollection: as their names say.
        ArtifactCorrupt: a file of a version is not what its manifest promises.
    """
    caller.require(READ, collection)
    service.catalog.get(collection)
    return [
        verify_citation(claim, lambda version: service.catalog.get(collection, version).index)
        for claim in claims
    ]


def compare(service: Knowledge, caller: Caller, asked: tuple[str, str, str]) -> dict[str, Any]:
    """What changed in a collection from one version to another, as JSON; `asked` is its name and the two versions.

    Raises:
        ScopeMissing, UnknownCollection, UnknownVersion: as their names say.
    """
    collection, before, after = asked
    caller.require(READ, collection)
    old, new = (service.catalog.get(collection, version) for version in (before, after))
    diff = compare_versions(old.index, new.index).as_json()
    return {"collection": collection, "from": _version(old), "to": _version(new), **diff}


def _version(served: Served) -> dict[str, str | None]:
    published = served.pointer.published_at
    return {"version": served.version, "label": served.label or None, "published_at": published or None}
