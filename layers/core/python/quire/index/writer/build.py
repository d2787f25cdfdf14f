"""Writes a build of segments that are merged: one segment, or several where it has more chunks than one may hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from quire.index.layout import MANIFEST, BuildFacts, Manifest, joined_manifest, part_folder
from quire.index.writer.kept_rows import KeptRows
from quire.index.writer.segment import SegmentFacts, write_durably, write_segment

MOST_CHUNKS = 1_000_000
"""What a segment is merged of at most: a function holds it, and a step that merges it ends within minutes."""


def write_build(
    folder: Path,
    kept: Sequence[KeptRows],
    facts: SegmentFacts,
    *,
    vector_index: str = "auto",
    most_chunks: int = MOST_CHUNKS,
) -> Manifest:
    """Write what is kept of segments, in the order of their documents' ids, into `folder`, which must not exist.

    Up to `most_chunks` that is a segment. Beyond, segments of about so many lie in folders of it, with nothing in their
    manifests that holds for the build as a whole, beside a manifest of them all: see `quire.index.layout.BuildFacts`.

    Raises:
        ArtifactError, ArtifactMismatch: as of `write_segment`.
    """
    groups = list(_grouped(kept, most_chunks))
    if len(groups) < 2:
        return write_segment(folder, (), facts, kept=kept, vector_index=vector_index)
    folder.mkdir(parents=True)
    plain = facts._replace(**BuildFacts()._asdict())
    manifests = [
        write_segment(folder / part_folder(number), (), plain, kept=group, vector_index=vector_index)
        for number, group in enumerate(groups)
    ]
    whole = BuildFacts(facts.calibration, facts.sources, facts.extra, facts.notes)
    manifest = joined_manifest(manifests, whole)
    write_durably(folder / MANIFEST, manifest.to_json())
    return manifest


def _grouped(kept: Iterable[KeptRows], most_chunks: int) -> Iterator[list[KeptRows]]:
    """Neighbours together for as long as they are not more chunks than that."""
    group: list[KeptRows] = []
    held = 0
    for one in kept:
        if group and held + len(one.ordinals) > most_chunks:
            yield group
            group, held = [], 0
        group.append(one)
        held += len(one.ordinals)
    if group:
        yield group
