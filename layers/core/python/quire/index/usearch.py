"""Approximate nearest chunks for large segments: usearch proposes rows, exact cosines rank them.

The graph (HNSW) holds the segment's int8 codes as they are; the cosine of two rows does not depend on their scales.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from usearch.index import Index

from quire.embedding.quantization import quantize
from quire.index.vectors import VectorArrays, score_rows
from quire.ordinals import contains
from quire.ports import Ordinals, VectorIndex, Vectors
from quire.ranking import EMPTY, Ranking

CONNECTIVITY = 16
EXPANSION_ADD = 128
GRAPH_CANDIDATES = 200


def write_graph(codes: NDArray[np.int8], path: Path) -> None:
    """Build the graph over the rows and save it; one thread, so that the same rows give the same bytes."""
    index = Index(
        ndim=codes.shape[1], metric="cos", dtype="i8", connectivity=CONNECTIVITY, expansion_add=EXPANSION_ADD
    )
    for start in range(0, len(codes), 8192):
        block = np.ascontiguousarray(codes[start : start + 8192])
        index.add(np.arange(start, start + len(block)), block, threads=1)
    index.save(str(path))


class GraphVectors:
    """`VectorIndex` over a mapped graph.

    Args:
        arrays: the rows that the graph was built over.
        path: the graph's file.
        hidden: chunks that are never found.
        exact: answers filtered questions, and those for which the graph proposes too few chunks.
    """

    def __init__(self, arrays: VectorArrays, path: Path, hidden: Ordinals, exact: VectorIndex) -> None:
        self._arrays = arrays
        self._exact = exact
        self._hidden = hidden
        self._graph = Index(ndim=arrays.codes.shape[1], metric="cos", dtype="i8", connectivity=CONNECTIVITY)
        self._graph.view(str(path))

    def nearest(self, vector: Vectors, limit: int, allowed: Ordinals | None = None) -> Ranking:
        """See `quire.ports.VectorIndex`."""
        if limit <= 0 or not len(self._arrays):
            return EMPTY
        if allowed is not None:
            return self._exact.nearest(vector, limit, allowed)
        keys = self._graph.search(
            quantize(vector[None]).codes[0], max(GRAPH_CANDIDATES, 2 * limit), threads=1
        ).keys
        rows: NDArray[np.intp] = np.sort(keys.astype(np.intp))
        rows = rows[~contains(self._hidden, self._arrays.owners[rows])]
        found = score_rows(self._arrays, vector, rows, limit)
        return found if len(found) == limit else self._exact.nearest(vector, limit)

    def cosines(self, vector: Vectors, ordinals: Ordinals) -> NDArray[np.float32]:
        """See `quire.ports.VectorIndex`."""
        return self._exact.cosines(vector, ordinals)
