from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.errors import ArtifactCorrupt
from quire.index.bm25 import STEPS
from quire.index.postings import Postings, StringTable, postings
from quire.index.tensors import Array, Streamed
from quire.index.writer.postings import PostingsBuilder
from quire.index.writer.spill import Slices, Spill

ROWS = st.lists(st.lists(st.text(max_size=4), unique=True, max_size=6), max_size=20)


def finished(builder: PostingsBuilder, ordinals: list[int], *, weighted: bool = False) -> Postings:
    tensors = builder.finish("p", np.array(ordinals, np.uint32), weighted=weighted)
    columns = {name: one for name, one in tensors.items() if isinstance(one, Streamed)}
    return postings(
        {name: np.concatenate([np.empty(0, one.dtype), *one.blocks]) for name, one in columns.items()}, "p"
    )


def weight(number: int, place: int) -> int:
    return (number * 7 + place) % 250 + 1


@given(ROWS, st.randoms(use_true_random=False), st.sampled_from([0, 300, 1 << 20]))
def test_every_string_leads_to_the_rows_that_hold_it(
    rows: list[list[str]], random: object, held_bytes: int
) -> None:
    order = list(range(len(rows)))
    random.shuffle(order)  # type: ignore[attr-defined]
    with Spill(Path(gettempdir()), held_bytes) as spill:
        builder = PostingsBuilder(spill)
        for number, row in enumerate(rows):
            builder.add_row(row, [weight(number, place) / STEPS for place in range(len(row))])
            if builder.is_full:
                builder.flush()
        table = finished(builder, [order.index(number) for number in range(len(rows))], weighted=True)

    strings = sorted({text for row in rows for text in row}, key=lambda text: text.encode())
    assert list(table.keys()) == strings
    assert [table.strings[place] for place in range(len(table.strings))] == strings
    for text in [*strings, "absent!"]:
        expected = sorted(
            (order.index(number), weight(number, row.index(text)))
            for number, row in enumerate(rows)
            if text in row
        )
        ordinals, found = table.entry(text)
        assert list(zip(ordinals.tolist(), found.tolist(), strict=True)) == expected
        assert table.ordinals(text).tolist() == [ordinal for ordinal, _ in expected]


def test_many_strings_and_postings_are_merged_window_by_window(tmp_path: Path) -> None:
    with Spill(tmp_path, 1 << 20) as spill:
        builder = PostingsBuilder(spill)
        for number in range(6000):
            builder.add_row([*(f"{place}" for place in range(number % 7, 70, 7)), "every", f"only {number}"])
            if number % 1500 == 0:
                builder.flush()
        table = finished(builder, list(range(6000))[::-1])
    assert len(table.strings) == 70 + 1 + 6000
    assert list(table.keys()) == sorted(table.keys())
    assert table.ordinals("every").tolist() == list(range(6000))
    assert table.ordinals("8").tolist() == [5999 - n for n in range(5999, -1, -1) if n % 7 == 1]
    assert table.ordinals("only 17").tolist() == [5982]


class _CountedSpill(Spill):
    """Counts how often what it keeps is read."""

    reads = 0

    def keep(self, array: Array) -> Slices:
        return _Counted(super().keep(array), self)


@dataclass(frozen=True)
class _Counted:
    slices: Slices
    spill: _CountedSpill

    def __len__(self) -> int:
        return len(self.slices)

    def __getitem__(self, span: slice) -> Array:
        self.spill.reads += 1
        return self.slices[span]


def test_the_work_of_merging_grows_with_the_runs_and_not_with_their_square(tmp_path: Path) -> None:
    def reads(runs: int) -> int:
        with _CountedSpill(tmp_path, 1 << 20) as spill:
            builder = PostingsBuilder(spill)
            for run in range(runs):
                for row in range(5):
                    builder.add_row([f"{hash((run, row, place)) % 100_003}" for place in range(100)])
                builder.flush()
            table = finished(builder, list(range(5 * runs)))
            assert len(table.all_ordinals) == 500 * runs
            return spill.reads

    assert reads(120) < 7 * reads(30)  # 4.9 times as many; of all runs at once 32 times


def test_a_string_of_more_postings_than_a_window_is_taken_whole(tmp_path: Path) -> None:
    count = 300
    with Spill(tmp_path, 1 << 14) as spill:  # a merge reads 16 strings and 128 postings at a time
        builder = PostingsBuilder(spill)
        for _ in range(count):
            builder.add_row(["a", "b"])
        table = finished(builder, list(range(count)))
    assert [len(table.ordinals(text)) for text in ("a", "b")] == [count, count]


def test_a_string_that_cannot_be_utf8_is_not_found(tmp_path: Path) -> None:
    with Spill(tmp_path, 0) as spill:
        builder = PostingsBuilder(spill)
        builder.add_row(["a"])
        assert len(finished(builder, [0]).ordinals("\ud800")) == 0


def test_a_string_that_is_no_utf8_any_more_is_told_as_damage() -> None:
    damaged = StringTable(np.frombuffer(b"ab\xffd", np.uint8), np.array([0, 2, 4], np.uint64))
    assert damaged[0] == "ab"
    for read in (lambda: damaged[1], lambda: list(damaged), lambda: list(damaged.with_prefix("a"))):
        with pytest.raises(ArtifactCorrupt, match="wanted UTF-8"):
            read()


def test_arrays_of_other_numbers_than_are_written_are_told_as_damage() -> None:
    whole: dict[str, Array] = {"p.bytes": np.zeros(2, np.uint8), "p.offsets": np.array([0, 2], np.uint64)}
    whole |= {"p.starts": np.array([0, 1], np.uint64), "p.ordinals": np.zeros(1, np.uint32)}
    assert len(postings(whole, "p").strings) == 1
    for name, array in whole.items():
        for wrong in (array.astype(np.float32), array.reshape(1, -1)):
            with pytest.raises(ArtifactCorrupt, match=f"{name}: wanted a row of"):
                postings({**whole, name: wrong}, "p")
