from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from quire.embedding import quantization
from quire.embedding.quantization import cosines, quantize, quantize_alone, restore, sign_bits
from tests.support.rows import clustered, isotropic

ROWS = arrays(
    np.float32, array_shapes(min_dims=2, max_dims=2, max_side=40), elements=st.floats(-8, 8, width=32)
)


@given(ROWS)
def test_a_row_comes_back_within_half_a_step(rows: np.ndarray) -> None:
    quantized = quantize(rows)
    assert np.all(np.abs(restore(quantized) - rows) <= quantized.scales[:, None] * 0.5001 + 1e-30)


@given(ROWS)
def test_a_row_is_quantized_alike_whatever_stands_beside_it(rows: np.ndarray) -> None:
    together = quantize(rows)
    for position in range(len(rows)):
        alone = quantize(rows[position : position + 1])
        assert np.array_equal(alone.codes[0], together.codes[position])
        assert alone.scales[0] == together.scales[position]
        assert np.array_equal(quantize_alone(rows[position]), together.codes[position])


def test_a_row_of_zeros_stays_zero() -> None:
    assert not restore(quantize(np.zeros((2, 3), np.float32))).any()


@pytest.mark.parametrize("dimensions", [3, 64, 384, 768, 1024, 1536])
def test_cosines_agree_with_float64_to_four_digits(dimensions: int) -> None:
    rows, question = isotropic(300, dimensions), isotropic(1, dimensions, seed=9)[0]
    found = cosines(*_parts(quantize(rows)), question)
    assert np.allclose(found, rows.astype(np.float64) @ question.astype(np.float64), atol=0.004)


@pytest.mark.parametrize("dimensions", [384, 1024, 1536])
def test_cosines_are_the_same_bits_in_any_order_of_addition(dimensions: int) -> None:
    quantized = quantize(clustered(700, dimensions))
    question = clustered(700, dimensions)[3]
    whole = np.rint(question / np.float32(quantization.question_step(dimensions))).astype(np.int64)
    sums = quantized.codes.astype(np.int64) @ whole
    step = np.float32(quantization.question_step(dimensions))
    expected = sums.astype(np.float32) * (quantized.scales * step)
    assert np.abs(sums).max() < 2**24
    assert np.array_equal(cosines(*_parts(quantized), question), expected)
    shuffled = np.random.default_rng(0).permutation(dimensions)
    again = cosines(np.ascontiguousarray(quantized.codes[:, shuffled]), quantized.scales, question[shuffled])
    assert np.array_equal(again, expected)


@given(st.integers(1, 200))
def test_sign_bits_are_one_bit_a_dimension(dimensions: int) -> None:
    rng = np.random.default_rng(dimensions)
    rows, mean = rng.standard_normal((5, dimensions)).astype(np.float32), np.zeros(dimensions, np.float32)
    bits = sign_bits(rows, mean)
    assert bits.shape == (quantization.words(dimensions), 5)
    for row in range(5):
        number = sum(int(word) << (64 * place) for place, word in enumerate(bits[:, row]))
        assert [bool(number >> j & 1) for j in range(dimensions)] == (rows[row] > 0).tolist()
        assert number >> dimensions == 0


def test_the_mean_is_that_of_the_restored_rows() -> None:
    quantized = quantize(clustered(1000, 16))
    blocks = [
        quantization.Quantized(quantized.codes[i : i + 300], quantized.scales[i : i + 300])
        for i in range(0, 1000, 300)
    ]
    assert np.allclose(quantization.mean_row(blocks, 16), restore(quantized).mean(axis=0), atol=1e-6)
    assert not quantization.mean_row([], 16).any()


def _parts(quantized: quantization.Quantized) -> tuple[np.ndarray, np.ndarray]:
    return quantized.codes, quantized.scales
