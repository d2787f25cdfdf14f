"""Writes segments: `write_segment` is the way in, each other module writes one part."""

from quire.artifact.writer.facts import SegmentFacts
from quire.artifact.writer.kept import KeptRows
from quire.artifact.writer.rows import IndexRow
from quire.artifact.writer.segment import amend_manifest, write_segment

__all__ = ["IndexRow", "KeptRows", "SegmentFacts", "amend_manifest", "write_segment"]
