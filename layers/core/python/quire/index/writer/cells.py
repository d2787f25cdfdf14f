"""Divides the rows of a large segment into cells: k-means by cosine, in whole numbers, so alike everywhere."""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from quire.embedding.quantization import EXACT_FLOAT32, LEVELS, Quantized, restore, sign_bits, words
from quire.index.tensors import Array, give_back
from quire.index.writer.rows import gather

CELLS_A_ROOT = 2
SAMPLED_A_CELL, ROUNDS = 32, 4
BLOCK, SUMMED = 2048, 32
STEPS = 4096
"""To so many parts of 1 residuals are rounded: sums of their magnitudes are exact in float32 up to 2,048 dimensions,
of their squares in float64."""


def cell_arrays(rows: Quantized) -> dict[str, Array]:
    """The arrays of `quire.index.vectors.CellArrays`, by name.

    There are twice as many cells as the root of the number of rows: so both the centres that a question is compared
    with and the rows of the cells that it looks into grow with the root.

    Args:
        rows: at least one.
    """
    count = min(CELLS_A_ROOT * math.isqrt(len(rows)), len(rows))
    sample = np.concatenate(list(_sampled(rows.codes, SAMPLED_A_CELL * count)))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            centres = _centres(sample, count, pool)
            del sample
            return {"codes": centres} | _divided(rows, centres, pool)
        finally:  # an interrupt need not wait until all is done
            pool.shutdown(wait=True, cancel_futures=True)


def _divided(rows: Quantized, centres: NDArray[np.int8], pool: ThreadPoolExecutor) -> dict[str, Array]:
    """All arrays but `codes`, for those centres."""
    cells = _assigned(rows.codes, centres, pool)
    sizes = np.bincount(cells, minlength=len(centres))
    starts = np.zeros(len(centres) + 1, np.uint32)
    np.cumsum(sizes, out=starts[1:])
    inverse = _inverse(centres)
    along = _along(rows, centres, cells, pool) * inverse[cells]
    # Added one by one in their order, in float64: the same anywhere.
    shares = np.bincount(cells, along, minlength=len(centres)) / np.maximum(sizes, 1)
    lengths = shares.astype(np.float32)
    bits, factors = _residuals(rows, centres * (inverse * lengths)[:, None], cells, pool)
    order = np.argsort(cells, kind="stable").astype(np.uint32)
    ordered = np.empty_like(bits)
    for word, column in zip(bits, ordered, strict=True):
        np.take(word, order, out=column)
    return {
        "scales": inverse,
        "lengths": lengths,
        "starts": starts,
        "rows": order,
        "factors": factors[order],
        "bits": ordered,
    }


def _sampled(codes: NDArray[np.int8], count: int) -> Iterator[NDArray[np.int8]]:
    for part in gather(codes, _spread(len(codes), count)):
        yield part
        give_back(codes)


def _spread(size: int, count: int) -> NDArray[np.intp]:
    """So many numbers below `size`, or all, at even distances.

    >>> _spread(10, 4).tolist(), _spread(2, 4).tolist()
    ([0, 2, 5, 7], [0, 1])
    """
    count = min(count, size)
    return np.arange(count) * size // max(count, 1)


def _centres(sample: NDArray[np.int8], count: int, pool: ThreadPoolExecutor) -> NDArray[np.int8]:
    """Centres of the sample's cells; one whose cell is empty stays where it was."""
    centres = _rounded(sample[_spread(len(sample), count)].astype(np.int64))
    for _ in range(ROUNDS):
        cells = _assigned(sample, centres, pool)
        sizes = np.bincount(cells, minlength=count)
        begins = np.minimum(np.cumsum(sizes) - sizes, len(sample) - 1)
        ordered = sample[np.argsort(cells, kind="stable")]
        # A few columns at a time: numpy widens all that it adds up, which is 200 MB for a million rows.
        spans = (ordered[:, start : start + SUMMED] for start in range(0, sample.shape[1], SUMMED))
        sums = np.hstack([np.add.reduceat(span, begins, axis=0, dtype=np.int64) for span in spans])
        moved = (sizes > 0) & sums.any(axis=1)
        centres[moved] = _rounded(sums[moved])
    return centres


def _rounded(sums: NDArray[np.int64]) -> NDArray[np.int8]:
    """Rows in the same directions, as fine as sums of their products with codes stay exact in float32."""
    levels = min(LEVELS, EXACT_FLOAT32 // (LEVELS * sums.shape[1]))
    peaks = np.maximum(np.abs(sums).max(axis=1, keepdims=True), 1)
    rows: NDArray[np.int8] = np.rint(sums * (levels / peaks)).astype(np.int8)
    return rows


def _inverse(centres: NDArray[np.int8]) -> NDArray[np.float32]:
    """1 over the length of each, 0 for one without length."""
    squares = (centres.astype(np.int64) ** 2).sum(axis=1)
    return np.where(squares > 0, 1 / np.sqrt(np.maximum(squares, 1)), 0).astype(np.float32)


def _assigned(
    codes: NDArray[np.int8], centres: NDArray[np.int8], pool: ThreadPoolExecutor
) -> NDArray[np.uint32]:
    """The cell of each row: the centre of the best cosine, the first of several."""
    columns = np.ascontiguousarray(centres.T, np.float32)
    scales = _inverse(centres)

    def assign(start: int) -> NDArray[np.uint32]:
        products = codes[start : start + BLOCK].astype(np.float32) @ columns
        give_back(codes)
        products *= scales
        cells: NDArray[np.uint32] = products.argmax(axis=1).astype(np.uint32)
        return cells

    found: Iterator[NDArray[np.uint32]] = pool.map(assign, range(0, len(codes), BLOCK))
    return np.concatenate(list(found))


def _along(
    rows: Quantized, centres: NDArray[np.int8], cells: NDArray[np.uint32], pool: ThreadPoolExecutor
) -> NDArray[np.float32]:
    """Product of each row with its cell's centre, whose length is not divided out; partial sums are whole."""

    def multiply(start: int) -> NDArray[np.float32]:
        some, theirs = rows[start : start + BLOCK], centres[cells[start : start + BLOCK]]
        products: NDArray[np.float32] = np.einsum(
            "ij,ij->i", some.codes.astype(np.float32), theirs.astype(np.float32)
        )
        give_back(rows.codes)
        return products * some.scales

    return np.concatenate(list(pool.map(multiply, range(0, len(rows), BLOCK))))


def _residuals(
    rows: Quantized, means: NDArray[np.float32], cells: NDArray[np.uint32], pool: ThreadPoolExecutor
) -> tuple[NDArray[np.uint64], NDArray[np.float32]]:
    """Sign bits of what each row has beyond its cell's mean, and the factor that makes an estimate of them.

    Residuals become whole numbers before they are added up, so that the sums do not depend on their order.
    """
    dimensions = rows.codes.shape[1]
    bits = np.empty((words(dimensions), len(rows)), np.uint64)
    factors = np.empty(len(rows), np.float32)
    nothing = np.zeros(dimensions, np.float32)

    def divide(start: int) -> None:
        span = slice(start, start + BLOCK)
        whole = np.rint((restore(rows[span]) - means[cells[span]]) * np.float32(STEPS))
        give_back(rows.codes)
        bits[:, span] = sign_bits(whole, nothing)
        squares = (whole.astype(np.float64) ** 2).sum(axis=1)
        factors[span] = squares / (np.maximum(np.abs(whole).sum(axis=1), 1) * STEPS)

    deque(pool.map(divide, range(0, len(rows), BLOCK)), 0)
    return bits, factors
