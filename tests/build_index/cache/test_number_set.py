from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from build_index.cache.number_set import SeenNumbers

NUMBERS = st.integers(0, 20) | st.integers(2**64 - 5, 2**64 - 1)


@given(st.lists(st.lists(NUMBERS, unique=True), max_size=12), st.integers(1, 30))
def test_a_number_is_new_once(batches: list[list[int]], recent: int) -> None:
    numbers, known = SeenNumbers(recent), set[int]()
    for batch in batches:
        assert list(numbers.add_new(batch)) == [one for one in batch if one not in known]
        known.update(batch)
