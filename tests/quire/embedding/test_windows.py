"""Windows over tokens: nothing lost, nothing too long, neighbours share."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.embedding.onnx import cut_windows


@given(
    prefix=st.integers(0, 40),
    body=st.integers(0, 900),
    window=st.integers(8, 128),
    overlap=st.integers(0, 40),
)
def test_windows_hold_every_token_and_fit(prefix: int, body: int, window: int, overlap: int) -> None:
    head, tokens = tuple(range(-prefix, 0)), tuple(range(body))
    windows = cut_windows(head, tokens, window=window, overlap=overlap)
    kept = head[: window // 3]
    assert all(len(one) <= window - 2 for one in windows)
    assert all(one[: len(kept)] == kept for one in windows)
    parts = [one[len(kept) :] for one in windows]
    assert {token for part in parts for token in part} == set(tokens)
    assert parts[0][:1] == tokens[:1]
    assert parts[-1][-1:] == tokens[-1:]
    room = window - 2 - len(kept)
    if len(parts) > 1:
        assert body > room
        shared = min(overlap, room // 2)
        for left, right in pairwise(parts):
            assert len(set(left) & set(right)) >= shared
            assert left[0] < right[0]
        assert max(map(len, parts)) - min(map(len, parts)) == 0
        assert len(parts) == -(-(body - shared) // (room - shared))


@given(body=st.integers(0, 126))
def test_what_fits_is_one_window(body: int) -> None:
    assert cut_windows((), range(body), window=128, overlap=32) == [tuple(range(body))]


def test_a_window_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="wanted room for one token"):
        cut_windows((1,), (2, 3), window=2, overlap=0)
