"""What a segment is made for and from: what its writer is told and its manifest repeats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from quire.documents import NOTHING
from quire.index.layout import SourceFacts


class SegmentFacts(NamedTuple):
    """What the caller of the writer knows and the manifest repeats.

    Attributes:
        profile, face: as in `quire.profiles`.
        filters: metadata fields that get postings.
        dimensions: width of a vector.
        model: digest of the embedding model.
        sources: where the rows came from.
        calibration: how scores become probabilities; any JSON object.
        extra: any other JSON object that serving needs, such as a class hierarchy; part of the segment's name.
        notes: tools, CPU flags, evaluation figures; not part of the segment's name.
    """

    profile: str
    face: str
    filters: tuple[str, ...]
    dimensions: int
    model: str = ""
    sources: tuple[SourceFacts, ...] = ()
    calibration: Mapping[str, Any] = NOTHING
    extra: Mapping[str, Any] = NOTHING
    notes: Mapping[str, Any] = NOTHING
