"""Cells of large segments: how they are made, what they find, and what a damaged file does."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from quire.embedding.quantization import (
    Quantized,
    mean_row,
    quantize,
    restore,
    sign_bits,
    whole_question,
    words,
)
from quire.errors import ArtifactCorrupt
from quire.index.cells import (
    FIRST,
    FLOOR,
    MOST,
    SIGNS_ERR,
    CellVectors,
    Sieve,
    reach,
    summed,
    weigh,
)
from quire.index.exact import ExactVectors
from quire.index.layout import CELLS
from quire.index.reader import open_segment, verify_segment
from quire.index.tensors import READ_FROM_BYTES, FileRows, read_tensors, write_tensors
from quire.index.vectors import CellArrays, VectorArrays
from quire.index.writer import amend_manifest, write_segment
from quire.index.writer.cells import cell_arrays
from quire.index.writer.segment import approximation_of
from quire.ranking import NONE, Ranking
from tests.support.plain_indexes import BruteForceVectors
from tests.support.rows import DIMENSIONS, FACTS, clustered, isotropic, make_rows, normalized, open_index

COUNT = 90_000


def vectors_of(quantized: Quantized) -> VectorArrays:
    mean = mean_row([quantized], quantized.codes.shape[1])
    bits = sign_bits(restore(quantized), mean)
    owners = np.arange(len(quantized), dtype=np.uint32)
    return VectorArrays(codes=quantized.codes, scales=quantized.scales, bits=bits, mean=mean, owners=owners)


def cells_of(arrays: VectorArrays) -> CellArrays:
    made = cell_arrays(Quantized(arrays.codes, arrays.scales))
    return CellArrays(*(made[name] for name in CellArrays._fields))


@pytest.fixture(scope="module")
def arrays() -> VectorArrays:
    return vectors_of(quantize(clustered(COUNT, DIMENSIONS)))


@pytest.fixture(scope="module")
def cells(arrays: VectorArrays) -> CellArrays:
    return cells_of(arrays)


def test_every_row_is_in_one_cell_with_the_signs_of_what_it_has_beyond_the_cells_mean(
    arrays: VectorArrays, cells: CellArrays
) -> None:
    assert np.array_equal(np.sort(cells.rows), np.arange(COUNT))
    cell_of = np.repeat(np.arange(len(cells.codes)), cells.starts[1:] - cells.starts[:-1])
    rows = restore(Quantized(arrays.codes, arrays.scales))[cells.rows].astype(np.float64)
    along = normalized(cells.codes.astype(np.float64))
    shares = np.bincount(cell_of, (rows * along[cell_of]).sum(axis=1)) / np.bincount(cell_of)
    assert np.allclose(cells.lengths, shares, atol=1e-5)
    beyond = rows - (along * shares[:, None])[cell_of]
    factors = (beyond**2).sum(axis=1) / np.abs(beyond).sum(axis=1)
    assert np.allclose(cells.factors, factors, rtol=5e-3)
    bits = np.unpackbits(cells.bits.T.copy().view(np.uint8), axis=1, bitorder="little")
    is_clear = np.abs(beyond) > 5e-4
    assert np.array_equal(bits[is_clear] == 1, beyond[is_clear] > 0)
    for begin, end in zip(cells.starts[:-1].tolist(), cells.starts[1:].tolist(), strict=True):
        assert (np.diff(cells.rows[begin:end].astype(np.int64)) > 0).all()


def test_a_row_is_in_the_cell_of_the_nearest_centre(arrays: VectorArrays, cells: CellArrays) -> None:
    centres = normalized(cells.codes.astype(np.float32))
    cell_of = np.empty(COUNT, np.int64)
    cell_of[cells.rows] = np.repeat(np.arange(len(centres)), cells.starts[1:] - cells.starts[:-1])
    rows = restore(Quantized(arrays.codes[::97], arrays.scales[::97])) @ centres.T
    own = rows[np.arange(len(rows)), cell_of[::97]]
    assert (own >= rows.max(axis=1) - 1e-5).all()


def test_nearly_all_of_the_nearest_are_found_in_a_part_of_the_cells(
    arrays: VectorArrays, cells: CellArrays
) -> None:
    assert len(cells.codes) > FIRST
    index = CellVectors(arrays, cells, NONE, ExactVectors(arrays))
    questions = normalized(
        restore(Quantized(arrays.codes, arrays.scales))[::1800] + 0.02 * isotropic(50, DIMENSIONS)
    )
    exact = BruteForceVectors(restore(Quantized(arrays.codes, arrays.scales)), list(range(COUNT)))
    shared = [
        len({*exact.nearest(one, 10).ordinals.tolist()} & {*index.nearest(one, 10).ordinals.tolist()})
        for one in questions
    ]
    assert sum(shared) >= 0.99 * 10 * len(questions)


def test_what_is_hidden_does_not_stand_in_the_way_of_what_is_found(
    arrays: VectorArrays, cells: CellArrays
) -> None:
    rows = restore(Quantized(arrays.codes, arrays.scales))
    for question in normalized(rows[:3] + 0.02 * isotropic(3, DIMENSIONS)):
        hidden = np.sort(np.argsort(-(rows @ question))[:60]).astype(np.uint32)
        exact = ExactVectors(arrays, hidden, exact_rows=COUNT)
        found = CellVectors(arrays, cells, hidden, exact).nearest(question, 10)
        wanted = exact.nearest(question, 10)
        assert len({*found.ordinals.tolist()} & {*wanted.ordinals.tolist()}) >= 9
        assert not {*found.ordinals.tolist()} & {*hidden.tolist()}


@pytest.mark.parametrize("hidden", [np.empty(0, np.intp), np.arange(0, COUNT, 2)])
def test_columns_are_kept_that_may_reach_the_estimate_of_the_last_that_is_wanted(
    arrays: VectorArrays, cells: CellArrays, hidden: NDArray[np.intp]
) -> None:
    rows = restore(Quantized(arrays.codes, arrays.scales))
    question = normalized(rows[:1] + 0.1 * isotropic(1, DIMENSIONS))[0]
    near = (cells.codes * (cells.scales * cells.lengths)[:, None]) @ question
    is_set = np.unpackbits(np.ascontiguousarray(cells.bits.T).view(np.uint8), axis=1, bitorder="little")
    signs = 2.0 * is_set[:, :DIMENSIONS] - 1
    alone = signs @ np.where(question > 0, 1, -1) * np.abs(question).mean() * cells.factors
    estimates = np.repeat(near, cells.starts[1:] - cells.starts[:-1]) + alone
    uppers = estimates + SIGNS_ERR * cells.factors
    shown = np.delete(np.arange(COUNT), hidden)
    level = np.sort(estimates[shown])[-50]
    sieve = Sieve(cells, near.astype(np.float32), question, hidden, wanted=50, kept=COUNT)
    halves = np.array_split(np.arange(len(cells.codes)), 2)
    kept = np.concatenate([sieve.columns(half) for half in halves])
    assert {*shown[uppers[shown] >= level + 1e-3].tolist()} <= {*kept.tolist()} <= {*shown.tolist()}
    assert len({*kept.tolist()}) == len(kept)
    last = sieve.columns(np.arange(len(cells.codes)))
    assert {*last.tolist()} <= {*shown[uppers[shown] >= level - 1e-3].tolist()}
    few = Sieve(cells, near.astype(np.float32), question, hidden, wanted=50, kept=60)
    assert 60 <= len(few.columns(np.arange(len(cells.codes)))) < 70


@given(st.integers(1, 60), st.integers(1, 90), st.integers(0, 9))
def test_small_sets_of_any_shape_find_all_that_is_nearest(count: int, dimensions: int, seed: int) -> None:
    rows = isotropic(count, dimensions, seed)
    rows[:: seed + 2] = 0  # rows without length, and the same ones often
    arrays = vectors_of(quantize(rows))
    index = CellVectors(arrays, cells_of(arrays), NONE, ExactVectors(arrays))
    found, wanted = index.nearest(rows[-1], count), ExactVectors(arrays).nearest(rows[-1], count)
    assert found.ordinals.tolist() == wanted.ordinals.tolist()
    assert found.scores.tolist() == wanted.scores.tolist()


@given(st.integers(0, 40), st.integers(1, 400), st.integers(0, 9))
def test_rows_are_weighed_by_the_questions_numbers_where_their_bits_are_set(
    count: int, dimensions: int, seed: int
) -> None:
    is_set = isotropic(count, dimensions, seed) > 0
    packed = np.zeros((count, 8 * words(dimensions)), np.uint8)
    packed[:, : -(-dimensions // 8)] = np.packbits(is_set, axis=1, bitorder="little")
    bits = np.ascontiguousarray(packed.view(np.uint64).T)
    question = isotropic(1, dimensions, seed + 10)[0]
    wanted = [float(whole_question(question).astype(np.int64)[row].sum()) for row in is_set]
    assert summed(bits, whole_question(question)).tolist() == wanted


def test_estimates_lie_around_the_cosines(arrays: VectorArrays, cells: CellArrays) -> None:
    rows = restore(Quantized(arrays.codes, arrays.scales))
    question = normalized(rows[:1] + 0.1 * isotropic(1, DIMENSIONS))[0]
    near = (cells.codes * (cells.scales * cells.lengths)[:, None]) @ question
    places = np.arange(0, COUNT, 7)
    cosines = rows[cells.rows[places]] @ question
    errors = weigh(cells, near, places, question) - cosines
    assert abs(errors.mean()) < 0.01
    # Of what is beyond the mean an unbiased estimate by signs leaves sqrt(pi / 2 - 1) = .76, where it is normal.
    alone = near[np.repeat(np.arange(len(near)), cells.starts[1:] - cells.starts[:-1])[places]] - cosines
    assert errors.std() < 0.8 * alone.std()


def test_a_question_looks_into_more_cells_where_these_may_hold_better_rows() -> None:
    of_centres = np.linspace(0.9, 0.1, 5000, dtype=np.float32)
    told = [reach(of_centres, np.full(40, score, np.float32)) for score in (1.3, 1.2, 1.15, 0.3)]
    assert told[0] == FIRST < told[1] < told[2] < told[3] == MOST
    assert reach(of_centres, np.ones(FLOOR - 1, np.float32)) == MOST


@pytest.mark.parametrize("dimensions", [64, 384, 1536])
def test_cells_do_not_depend_on_how_a_processor_adds(dimensions: int) -> None:
    arrays = vectors_of(quantize(clustered(900, dimensions)))
    made = cell_arrays(Quantized(arrays.codes, arrays.scales))
    again = cell_arrays(Quantized(np.ascontiguousarray(arrays.codes[:, ::-1]), arrays.scales))
    assert np.array_equal(made["rows"], again["rows"])
    assert np.array_equal(made["codes"], again["codes"][:, ::-1])
    for name in ("scales", "lengths", "factors"):
        assert np.array_equal(made[name], again[name]), name


def test_a_segment_with_cells_is_whole_and_reads_its_rows_from_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    manifest = write_segment(folder, make_rows(400), FACTS, vector_index="cells")
    assert CELLS in manifest.files
    verify_segment(folder, manifest.digest)
    plain = write_segment(tmp_path / "plain", make_rows(400), FACTS, vector_index="exact")
    assert {name: facts for name, facts in manifest.files.items() if name != CELLS} == dict(plain.files)
    celled, exact = open_index(open_segment(folder)), open_index(open_segment(tmp_path / "plain"))
    for row in restore(quantize(isotropic(5, DIMENSIONS))):
        assert celled.nearest(row, 30).ordinals.tolist() == exact.nearest(row, 30).ordinals.tolist()
        assert celled.nearest(row, 30).scores.tolist() == exact.nearest(row, 30).scores.tolist()


def test_a_segment_with_cells_of_before_is_scanned(tmp_path: Path) -> None:
    plain = write_segment(tmp_path / "s", make_rows(40), FACTS, vector_index="exact")
    before = {
        "cells.safetensors": write_tensors(
            tmp_path / "s/cells.safetensors", {"rows": np.arange(40, dtype=np.uint32)}
        )
    }
    manifest = amend_manifest(tmp_path / "s", files={**plain.files, **before})
    verify_segment(tmp_path / "s", manifest.digest)
    segment = open_segment(tmp_path / "s", manifest.digest)
    assert segment.vectors.cells is None
    assert len(open_index(segment).nearest(isotropic(1, DIMENSIONS)[0], 5)) == 5


def open_below(folder: Path) -> list[str]:
    """The files of a folder that this process has open; what others left open elsewhere may be closed at any time."""
    opened = (one.readlink().as_posix() for one in Path("/proc/self/fd").glob("*") if one.is_symlink())
    return [one for one in opened if one.startswith(folder.as_posix())]


def test_rows_are_read_from_a_large_file_as_from_memory_and_the_file_is_closed(tmp_path: Path) -> None:
    codes = np.resize(np.arange(251, dtype=np.uint8), (READ_FROM_BYTES // 64 + 9, 64)).view(np.int8)
    wanted = np.array([5, 0, len(codes) - 1, 5], np.intp)
    for count in (len(codes), 9):
        path = tmp_path / str(count)
        write_tensors(path, {"codes": codes[:count], "a": np.arange(7, dtype=np.uint64)})
        mapped = read_tensors(path)["codes"]
        rows = FileRows(path, mapped)
        assert np.array_equal(rows.take(wanted % count), codes[wanted % count])
        assert rows.take(np.empty(0, np.intp)).shape == (0, 64)
        del mapped, rows
    gc.collect()
    assert not open_below(tmp_path)


def nearest_of(arrays: VectorArrays, cells: CellArrays) -> Ranking:
    return CellVectors(arrays, cells, NONE, ExactVectors(arrays)).nearest(isotropic(1, DIMENSIONS)[0], 10)


def test_cells_that_do_not_belong_to_the_rows_are_named_as_damage(
    arrays: VectorArrays, cells: CellArrays
) -> None:
    beyond, backward = cells.rows.copy(), cells.starts.copy()
    beyond[:] = COUNT
    backward[1] = COUNT + 5
    for broken in (
        cells._replace(rows=beyond),
        cells._replace(rows=cells.rows[:-1]),
        cells._replace(rows=cells.rows.astype(np.uint64)),
        cells._replace(starts=backward),
        cells._replace(starts=cells.starts[:-1]),
        cells._replace(starts=cells.starts[:0]),
        cells._replace(codes=cells.codes[:, :-1]),
        cells._replace(scales=cells.scales[:0]),
        cells._replace(lengths=cells.lengths[:-1]),
        cells._replace(factors=cells.factors.astype(np.float64)),
        cells._replace(bits=cells.bits[:, :-1]),
        cells._replace(bits=cells.bits[0]),
    ):
        with pytest.raises(ArtifactCorrupt, match="cells"):
            nearest_of(arrays, broken)
    numberless = cells._replace(scales=np.full_like(cells.scales, np.nan))
    assert len(nearest_of(arrays, numberless)) == 10


@pytest.mark.parametrize(
    ("asked", "count", "written"),
    [
        ("auto", 0, "exact"),
        ("auto", 19_999, "exact"),
        ("auto", 20_000, "usearch"),
        ("auto", 1 << 17, "usearch"),
        ("auto", (1 << 17) + 1, "cells"),
        ("usearch", 1_000_000, "usearch"),
        ("cells", 1, "cells"),
        ("cells", 0, "exact"),
        ("exact", 1_000_000, "exact"),
    ],
)
def test_what_makes_search_approximate_depends_on_the_number_of_vectors(
    asked: str, count: int, written: str
) -> None:
    assert approximation_of(asked, count) == written
