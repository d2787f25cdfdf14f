"""Writes segments: `write_segment` is the way in, each other module writes one part."""

from quire.index.writer.kept_rows import KeptRows
from quire.index.writer.rows import IndexRow
from quire.index.writer.segment import MOST_CHUNKS, SegmentFacts, amend_manifest, write_build, write_segment
from quire.index.writer.staged import StagedVectors

__all__ = [
    "MOST_CHUNKS",
    "IndexRow",
    "KeptRows",
    "SegmentFacts",
    "StagedVectors",
    "amend_manifest",
    "write_build",
    "write_segment",
]
