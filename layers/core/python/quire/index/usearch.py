"""Approximate nearest chunks for large segments: usearch proposes rows, exact cosines rank them.

A graph (HNSW) holds int8 codes as they are; the cosine of two rows does not depend on their scales. What a row costs
to add grows with its graph, so a segment of more than `GRAPH_ROWS` has several, each over a run of its rows.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# onnxruntime first: some versions of usearch crash when they are imported before it.
from quire.embedding import onnx as onnx_embedder  # noqa: F401  # isort: skip

# Not `usearch.index`: it wraps this class alone, and with its progress bars takes twice as long to import.
from usearch.compiled import Index, MetricKind, MetricSignature, ScalarKind

from quire.embedding.quantization import quantize
from quire.index.vectors import VectorArrays, score_rows
from quire.ordinals import contains
from quire.ports import Ordinals, VectorIndex, Vectors
from quire.ranking import EMPTY, Ranking

GRAPH_ROWS = 1 << 17
ROWS_A_HIT, RESCORED_A_HIT = 1.25, 3
TOGETHER, TOGETHER_A_HIT = 800, 6
"""Rows that several graphs propose in all; the nearest of them are scored exactly."""
ADDED = 8192
"""Rows added between two looks at whether the build goes on."""


class Shape(NamedTuple):
    """How graphs are built, as usearch's parameters, and how many rows each proposes at least."""

    connectivity: int
    expansion_add: int
    candidates: int


ONE = Shape(24, 256, 160)
SEVERAL = Shape(16, 64, 80)
"""For up to `GRAPH_ROWS` rows and for more. Over 25,912 real vectors, 222 questions and 120 hits, recall@10, CPU per
vector to build, and time of a search beside the scan, which has .996: 24/256 .997, 0.69 ms, 1.19; 16/128 .994, 0.25 ms,
1.26; 16/64 in one graph .991 from 320 rows, 0.13 ms, in two, four and eight graphs that propose 800 rows together
.996, .995 and .994."""


def graph_count(rows: int) -> int:
    """Graphs over so many rows.

    >>> graph_count(1), graph_count(GRAPH_ROWS), graph_count(1_000_000)
    (1, 1, 8)
    """
    return max(-(-rows // GRAPH_ROWS), 1)


def shape_of(rows: int) -> Shape:
    """How the graphs over so many rows are built and asked."""
    return ONE if rows <= GRAPH_ROWS else SEVERAL


def _bounds(rows: int, graphs: int) -> list[int]:
    """Where the rows of each graph begin, and where the last one's end."""
    return [rows * number // graphs for number in range(graphs + 1)]


def _index(dimensions: int, shape: Shape) -> Index:
    return Index(
        ndim=dimensions,
        dtype=ScalarKind.I8,
        metric_kind=MetricKind.Cos,
        metric_signature=MetricSignature.ArrayArraySize,
        connectivity=shape.connectivity,
        expansion_add=shape.expansion_add,
        enable_key_lookups=False,
    )


def write_graphs(codes: NDArray[np.int8], paths: Sequence[Path]) -> None:
    """Build a graph over each run of the rows and save it.

    One thread adds the rows of a graph, so that the same rows give the same bytes; there is one for each processor.
    """
    shape, ended = shape_of(len(codes)), threading.Event()

    def write(first: int, last: int, path: Path) -> None:
        index = _index(codes.shape[1], shape)
        for start in range(first, last, ADDED):
            if ended.is_set():
                return
            block = np.ascontiguousarray(codes[start : min(start + ADDED, last)])
            keys = np.arange(start - first, start - first + len(block), dtype=np.uint64)
            index.add_many(keys, block, threads=1, dtype=ScalarKind.I8)
        index.save_index_to_path(str(path))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        spans = zip(pairwise(_bounds(len(codes), len(paths))), paths, strict=True)
        written = [pool.submit(write, *span, path) for span, path in spans]
        try:
            for one in written:
                one.result()
        finally:  # an interrupt need not wait until the graphs are whole
            ended.set()


class GraphVectors:
    """`VectorIndex` over mapped graphs, which are opened when they are first asked.

    Args:
        arrays: the rows that the graphs were built over.
        paths: the graphs' files, in the order of their rows.
        hidden: chunks that are never found.
        exact: answers filtered questions, and those for which the graphs propose too few chunks.
    """

    def __init__(
        self, arrays: VectorArrays, paths: Sequence[Path], hidden: Ordinals, exact: VectorIndex
    ) -> None:
        self._arrays = arrays
        self._exact = exact
        self._hidden = hidden
        self._paths = paths
        self._shape = shape_of(len(arrays))
        self._rows_a_chunk = len(arrays) / (int(arrays.owners[-1]) + 1) if len(arrays) else 0.0

    @cached_property
    def _graphs(self) -> list[tuple[int, Index]]:
        """Each with the number of its first row. A file says itself how its graph was built."""
        graphs = []
        for first, path in zip(_bounds(len(self._arrays), len(self._paths)), self._paths, strict=False):
            graph = _index(self._arrays.codes.shape[1], self._shape)
            graph.view_index_from_path(str(path))
            graphs.append((first, graph))
        return graphs

    def nearest(self, vector: Vectors, limit: int, allowed: Ordinals | None = None) -> Ranking:
        """See `quire.ports.VectorIndex`."""
        if limit <= 0 or not len(self._arrays):
            return EMPTY
        if allowed is not None:
            return self._exact.nearest(vector, limit, allowed)
        rows = self._proposed(vector, limit)
        if len(self._hidden):
            rows = rows[~contains(self._hidden, self._arrays.owners[rows])]
        found = score_rows(self._arrays, vector, rows, limit)
        return found if len(found) == limit else self._exact.nearest(vector, limit)

    def _proposed(self, vector: Vectors, limit: int) -> NDArray[np.intp]:
        """Rows that the graphs propose, ascending; of what several propose the nearest by whole codes."""
        code = quantize(vector[None]).codes
        wanted = self._wanted(limit)
        rows, distances = [], []
        for first, graph in self._graphs:
            keys, apart, counts, *_ = graph.search_many(code, wanted, threads=1, dtype=ScalarKind.I8)
            rows.append(keys[0, : counts[0]].astype(np.intp) + first)
            distances.append(apart[0, : counts[0]])
        if len(rows) == 1:
            return np.sort(rows[0])
        every, most = np.concatenate(rows), max(2 * wanted, int(RESCORED_A_HIT * self._rows_a_chunk * limit))
        if len(every) > most:
            every = every[np.argpartition(np.concatenate(distances), most)[:most]]
        return np.sort(every)

    def _wanted(self, limit: int) -> int:
        """Rows that each graph proposes for so many chunks: one has all of the nearest, several share them."""
        rows, graphs = self._rows_a_chunk * limit, len(self._paths)
        shared = ROWS_A_HIT * rows if graphs == 1 else max(TOGETHER, TOGETHER_A_HIT * rows) / graphs
        return max(self._shape.candidates, int(shared))

    def cosines(self, vector: Vectors, ordinals: Ordinals) -> NDArray[np.float32]:
        """See `quire.ports.VectorIndex`."""
        return self._exact.cosines(vector, ordinals)
