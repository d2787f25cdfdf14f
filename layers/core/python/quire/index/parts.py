"""How the segments of a version are laid out to be searched: large ones in place, runs of small ones stacked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeAlias

from quire.errors import ArtifactCorrupt
from quire.filter_values import filter_key
from quire.index.cells import CellVectors
from quire.index.exact import ExactVectors
from quire.index.keywords import KeywordPart, KeywordSearch
from quire.index.reader import Segment
from quire.index.stack import Stack
from quire.ranking import NONE, intersection, union

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from quire.ports import Ordinals, VectorIndex

STACKED_CHUNKS = 1024
MOST_STACKED = 256

Part: TypeAlias = Segment | Stack


def group(segments: Sequence[Segment]) -> list[list[Segment]]:
    """Each large segment alone, and runs of small ones in blocks; order is kept.

    A run is cut into the largest blocks of a power of two, `MOST_STACKED` at most, that begin at a multiple of their
    size. So 200 segments make three blocks (128, 64 and 8), and one more segment changes only the last ones.
    """
    groups: list[list[Segment]] = []
    for is_small, run in groupby(segments, key=lambda segment: segment.chunk_count <= STACKED_CHUNKS):
        members = list(run)
        begin = 0
        while begin < len(members):
            aligned = begin & -begin or MOST_STACKED
            size = min(aligned, MOST_STACKED, 1 << (len(members) - begin).bit_length() - 1) if is_small else 1
            groups.append(members[begin : begin + size])
            begin += size
    return groups


def hidden_ordinals(part: Part, sequences: NDArray[np.int64], tombstones: Mapping[str, int]) -> Ordinals:
    """Chunks of the part that a tombstone hides, ascending; `sequences` has its segment's number for each chunk."""
    found = [NONE]
    for document_id, sequence in tombstones.items():
        ordinals = part.documents.ordinals(document_id)
        if len(ordinals):
            found.append(ordinals[sequences[ordinals] < sequence])
    return union(found)


def filtered(part: Part, filters: Mapping[str, Any]) -> Ordinals:
    """Chunks of the part that fulfil every filter, ascending; a list means any of its values."""
    kept: Ordinals | None = None
    for name, wanted in filters.items():
        values = wanted if isinstance(wanted, list | tuple | set | frozenset) else (wanted,)
        lists = [part.filters.ordinals(filter_key(name, value)) for value in values]
        any_of = lists[0] if len(lists) == 1 else union(lists)
        kept = any_of if kept is None else intersection(kept, any_of)
    return NONE if kept is None else kept


def open_vectors(part: Part, hidden: Ordinals) -> VectorIndex:
    """The part's vector index: its cells or its graph where it has one, else exact."""
    arrays = part.vectors
    exact = ExactVectors(arrays, hidden)
    if arrays.cells is not None:
        return CellVectors(arrays, arrays.cells, hidden, exact)
    if part.graph is None:
        return exact
    # usearch costs 50 ms to import: only segments that have a graph pay for it.
    from quire.index.usearch import GraphVectors

    return GraphVectors(arrays, part.graph, hidden, exact)


def open_keywords(parts: Sequence[Part], hidden: Sequence[Ordinals]) -> KeywordSearch:
    """One keyword index over all parts; one over none where a part's cannot be read."""
    pairs = zip(parts, hidden, strict=True)
    try:
        return KeywordSearch([KeywordPart(part.terms, part.lengths, ordinals) for part, ordinals in pairs])
    except ArtifactCorrupt:
        return KeywordSearch([], is_readable=False)
