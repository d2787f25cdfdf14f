"""A segment may be written before its vectors: they join it in slices, and in the end it is what one go would give."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from quire.index.layout import EMBEDDED
from quire.index.opened import vector_share
from quire.index.reader import open_segment, verify_segment
from quire.index.writer import StagedVectors, write_segment
from tests.support.rows import DIMENSIONS, FACTS, make_rows, no_vectors, open_index, tree_bytes

COUNT = 60


@pytest.mark.parametrize("vector_index", ["usearch", "cells", "auto"])
def test_vectors_that_join_in_slices_give_the_bytes_of_one_go(tmp_path: Path, vector_index: str) -> None:
    rows = list(make_rows(COUNT))
    write_segment(tmp_path / "whole", rows, FACTS, vector_index=vector_index)
    bare = [replace(row, vectors=no_vectors(DIMENSIONS)) for row in rows]
    tree = tmp_path / "stages"
    first = write_segment(tree / "first", bare, FACTS._replace(extra={**FACTS.extra, EMBEDDED: 0}))
    assert (first.embedded, first.is_whole, first.counts.vectors) == (0, False, 0)
    with StagedVectors(open_segment(tree / "first"), vector_index=vector_index) as staged:
        for row in rows[:25]:
            staged.add(row.chunk.id, row.source, row.vectors)
        part = staged.write(tree / "slice")
        for row in rows[25:]:
            staged.add(row.chunk.id, row.source, row.vectors)
        staged.write(tree / "last")
    verify_segment(tree / "slice", part.digest)
    assert part.embedded == 25
    index = open_index(open_segment(tree / "slice"))
    assert vector_share(index.manifests) == pytest.approx(25 / COUNT)
    assert set(index.nearest(np.ones(DIMENSIONS, np.float32), COUNT).ordinals.tolist()) == set(range(25))
    assert tree_bytes(tree / "last") == tree_bytes(tmp_path / "whole")
    assert {path.name for path in tree.iterdir()} == {"first", "slice", "last"}


def test_chunks_of_a_segment_without_vectors_have_a_cosine_of_nothing(tmp_path: Path) -> None:
    write_segment(
        tmp_path / "bare", [replace(row, vectors=no_vectors(DIMENSIONS)) for row in make_rows(3)], FACTS
    )
    index = open_index(open_segment(tmp_path / "bare"))
    assert index.cosines(np.ones(DIMENSIONS, np.float32), np.arange(3, dtype=np.uint32)).tolist() == [0, 0, 0]
