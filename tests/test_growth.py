"""No shape of text takes a parser time that grows faster than the text."""

from __future__ import annotations

import pytest

from quire.errors import SourceError
from quire.killable import Killable
from tests.support.reading_cost import CASES, GROWTH, MOST_S_A_100_KB, SHAPES, cost_s


@pytest.fixture(scope="module")
def reading() -> Killable[tuple[str, str], float]:
    return Killable(cost_s)


@pytest.mark.parametrize("case", CASES)
def test_no_shape_of_text_takes_a_parser_longer_than_it_grows(
    case: str, reading: Killable[tuple[str, str], float]
) -> None:
    too_slow = []
    for atom in SHAPES:
        size = 6_000
        try:
            took = reading((case, atom * (size // len(atom)) + "x"), name=atom, size=size)
            if took <= MOST_S_A_100_KB * size / 1e5:
                continue
            twice = min(
                reading((case, atom * (2 * size // len(atom)) + "x"), name=atom, size=size) for _ in range(4)
            )
            # The machine's other work comes on top of a measurement, never off it: the least of five counts.
            again = [
                reading((case, atom * (size // len(atom)) + "x"), name=atom, size=size) for _ in range(4)
            ]
            took = min(took, *again)
        except SourceError as error:
            too_slow.append(f"{atom!r}: {error}")
            continue
        if took > MOST_S_A_100_KB * size / 1e5 or twice > GROWTH * max(took, 0.02):
            too_slow.append(
                f"{atom!r}: {took:.2f} s for {size:,} characters, {twice:.2f} s for twice as many"
            )
    assert too_slow == []
