from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.errors import ArtifactMismatch, SwapConflict
from quire.index.layout import Pointer, SegmentRef
from quire.index.opened import OpenedIndex
from quire.index.reader import Segment, open_segment
from quire.index.writer import KeptRows, write_segment
from quire.ports import Ordinals
from quire.ranking import NONE, difference, union
from quire.store import pointers as states
from tests.support.rows import FACTS, build, make_rows, plain_row, tree_bytes

ROWS = list(make_rows(60))


def kept(segment: Segment, hidden: Ordinals = NONE) -> KeptRows:
    every = np.arange(segment.chunk_count, dtype=np.uint32)
    return KeptRows(segment, difference(every, hidden), lambda _: "docs")


def test_the_rows_of_a_segment_written_again_give_the_same_bytes(tmp_path: Path) -> None:
    segment = build(tmp_path / "a", [*ROWS, plain_row("zz/none.md", "0", "no vector here")])
    write_segment(tmp_path / "b", (), FACTS, kept=[kept(segment)])
    again = tree_bytes(tmp_path / "b")
    first = tree_bytes(tmp_path / "a")
    assert {name for name in first if first[name] != again[name]} == {
        "manifest.json"
    }  # two sources became one
    assert open_segment(tmp_path / "b").manifest.counts == segment.manifest.counts


@settings(max_examples=12)
@given(cuts=st.sets(st.integers(1, 11), max_size=5))
def test_merged_segments_are_the_segment_of_all_their_rows(
    tmp_path_factory: pytest.TempPathFactory, cuts: set[int]
) -> None:
    folder = tmp_path_factory.mktemp("merge")
    bounds = [0, *sorted(5 * cut for cut in cuts), len(ROWS)]
    pieces = [build(folder / str(begin), ROWS[begin:end]) for begin, end in pairwise(bounds)]
    write_segment(folder / "merged", (), FACTS, kept=list(map(kept, pieces)))
    write_segment(folder / "whole", ROWS, FACTS)
    assert tree_bytes(folder / "merged") == tree_bytes(folder / "whole")


def test_hidden_chunks_are_left_behind(tmp_path: Path) -> None:
    segment = build(tmp_path / "a", ROWS)
    hidden = segment.documents.ordinals("doc/00002.md")
    write_segment(tmp_path / "b", (), FACTS, kept=[kept(segment, hidden)])
    write_segment(tmp_path / "c", [row for row in ROWS if row.chunk.document_id != "doc/00002.md"], FACTS)
    assert tree_bytes(tmp_path / "b") == tree_bytes(tmp_path / "c")


@settings(max_examples=12)
@given(changed=st.sets(st.integers(0, 11)), gone=st.sets(st.integers(0, 11)))
def test_kept_rows_beside_new_ones_are_the_segment_of_all(
    tmp_path_factory: pytest.TempPathFactory, changed: set[int], gone: set[int]
) -> None:
    folder = tmp_path_factory.mktemp("kept")
    segment = build(folder / "before", ROWS)
    edited = [
        replace(
            row,
            chunk=row.chunk._replace(text="an unheard word", symbols=("New.name",)),
            terms={"unheard": 2.0},
        )
        for row in ROWS
    ]
    touched = [f"doc/{number:05d}.md" for number in sorted(changed | gone)]
    hidden = union([segment.documents.ordinals(name) for name in touched])
    new = [edited[5 * number + n] for number in sorted(changed - gone) for n in range(5)]
    old = [row for row in ROWS if row.chunk.document_id not in touched]
    write_segment(folder / "after", new, FACTS, kept=[kept(segment, hidden)])
    write_segment(folder / "whole", [*old, *new], FACTS)
    assert tree_bytes(folder / "after") == tree_bytes(folder / "whole")


def test_kept_vectors_of_another_width_are_refused(tmp_path: Path) -> None:
    segment = build(tmp_path / "a", ROWS)
    with pytest.raises(ArtifactMismatch, match="64 dimensions, wanted 32"):
        write_segment(tmp_path / "b", (), FACTS._replace(dimensions=32), kept=[kept(segment)])


def test_folding_live_segments_changes_no_ranking(tmp_path: Path) -> None:
    built = build(tmp_path / "built", ROWS[:30])
    live = [build(tmp_path / f"live{n}", ROWS[30 + 5 * n : 35 + 5 * n]) for n in range(6)]
    refs = [SegmentRef(one.manifest.digest, n) for n, one in enumerate([built, *live])]
    pointer = Pointer(
        "docs", "docs", "chatbot", tuple(refs), {"doc/00007.md": 5, "doc/00001.md": 3}, next_sequence=7
    )
    before = OpenedIndex(
        list(zip([built, *live], range(7), strict=True)), tombstones=dict(pointer.tombstones)
    )
    folded = [segment for segment in live if segment is not live[1]]
    write_segment(tmp_path / "merged", (), FACTS, kept=list(map(kept, folded)))
    merged = open_segment(tmp_path / "merged")
    after_pointer = states.with_merge(
        pointer, [one.manifest.digest for one in folded], merged.manifest.digest, as_of=6
    )
    assert [ref.digest for ref in after_pointer.segments] == [
        built.manifest.digest,
        merged.manifest.digest,
        live[1].manifest.digest,
    ]
    opened = {one.manifest.digest: one for one in (built, merged, live[1])}
    after = OpenedIndex(
        [(opened[ref.digest], ref.sequence) for ref in after_pointer.segments],
        tombstones=dict(after_pointer.tombstones),
    )
    for row in ROWS[::7]:
        vector = row.vectors.codes[0] * row.vectors.scales[0]
        for one, other in (
            (before.search(row.terms, 60), after.search(row.terms, 60)),
            (before.nearest(vector, 60), after.nearest(vector, 60)),
        ):
            names = [
                {
                    chunk.id: score
                    for chunk, score in zip(index.fetch(r.ordinals), r.scores.tolist(), strict=True)
                }
                for index, r in ((before, one), (after, other))
            ]
            assert names[0] == names[1]
            assert np.array_equal(one.scores, other.scores)


def test_a_merge_of_what_is_no_longer_served_is_refused() -> None:
    pointer = Pointer("docs", "docs", "chatbot", (SegmentRef("a" * 64, 1), SegmentRef("b" * 64, 2)))
    with pytest.raises(SwapConflict, match="c" * 64):
        states.with_merge(pointer, ["a" * 64, "c" * 64], "d" * 64, as_of=2)
