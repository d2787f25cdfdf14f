"""Search by a vector that the caller brings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.documents import Hit
from quire.errors import InputError
from quire.index.opened import OpenedIndex

if TYPE_CHECKING:
    from quire.ports import Vectors


def search_vector(
    index: OpenedIndex, vector: Sequence[float], limit: int, filters: Mapping[str, Any]
) -> tuple[Hit, ...]:
    """The chunks nearest to a vector, which need not be of unit length; scores are cosines.

    Raises:
        InputError: the vector is not as wide as the index's, or has no direction, or a filter field is unknown.
    """
    if not index.chunk_count:
        return ()
    ranking = index.nearest(
        _unit(vector, index.manifests[0].dimensions), limit, index.filters.chunks(filters)
    )
    found = zip(index.fetch(ranking.ordinals), ranking.scores.tolist(), strict=True)
    return tuple(
        Hit(chunk, rank, min(max(score, 0.0), 1.0), score, index.version)
        for rank, (chunk, score) in enumerate(found, 1)
    )


def _unit(vector: Sequence[float], wanted: int) -> Vectors:
    row = np.asarray(vector, np.float32)
    if row.shape != (wanted,):
        message = f"query_embedding: wanted {wanted} numbers, found {len(row)}"
        raise InputError(message, field="query_embedding")
    length = np.float32(np.sqrt(row @ row))
    if not 0 < length < np.inf:
        raise InputError("query_embedding: wanted a direction, found none", field="query_embedding")
    unit: Vectors = row / length
    return unit
