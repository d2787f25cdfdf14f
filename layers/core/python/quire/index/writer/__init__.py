"""Writes segments: `write_segment` is the way in, each other module writes one part."""

from quire.index.writer.kept import KeptRows
from quire.index.writer.rows import IndexRow
from quire.index.writer.segment import GRAPH_FROM_VECTORS, SegmentFacts, amend_manifest, write_segment

__all__ = ["GRAPH_FROM_VECTORS", "IndexRow", "KeptRows", "SegmentFacts", "amend_manifest", "write_segment"]
