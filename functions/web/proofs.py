"""Use cases over the artifacts alone: checking citations, comparing versions."""

from __future__ import annotations

from collections.abc import Sequence

from functions.web.access import READ, Caller
from functions.web.service import Knowledge
from quire.verification import Claim, Verdict, verify_citation


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
