"""No shape of text takes a reader time that grows faster than the text; `make fuzz` tries them all, and longer ones."""

from __future__ import annotations

import random

import pytest

from quire.killable import Killable
from tests.support.reading_cost import (
    CASES,
    KNOWN,
    MOST_S_A_100_KB,
    SHAPES,
    Reading,
    cost_s,
    slow_shapes,
    too_slow,
)


@pytest.fixture(scope="module")
def reading() -> Reading:
    return Killable(cost_s)


@pytest.mark.parametrize("case", CASES)
def test_no_shape_of_text_takes_a_reader_longer_than_it_grows(case: str, reading: Reading) -> None:
    atoms = [*KNOWN, *random.Random(case).sample(SHAPES, 3)]
    assert slow_shapes(reading, case, atoms, 1_500, most_s=3 * MOST_S_A_100_KB) == []


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        (lambda size: size * 0.9e-5, ""),
        (lambda size: size * 9e-4, "3.60 s for 4,000 characters"),
        (lambda size: (size / 1_000) ** 2 * 0.01, "0.010, 0.040, 0.160 s"),
    ],
)
def test_what_is_slow_and_what_grows_is_found(cost: object, said: str) -> None:
    assert too_slow(cost, 1_000, 5.0 if "0.160" in said else 1.0).startswith(said)  # type: ignore[arg-type]
