from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from quire.chunking.source_code import OVERLAP, WINDOW, cut_windows
from quire.chunking.spans import read_lines

TEXTS = st.text(st.sampled_from("ab \t\r\n\né\x0c\u2028"), min_size=1, max_size=400)


@given(TEXTS)
def test_lines_joined_are_the_text(text: str) -> None:
    lines = read_lines(text)
    assert "".join(lines.texts) == text
    assert all(line.endswith("\n") for line in lines.texts[:-1])
    assert lines.size(1, len(lines.texts)) == len(text)


@given(TEXTS, st.integers(5, 60), st.integers(0, 30))
def test_windows_hold_every_line_and_stay_within_their_size(text: str, window: int, overlap: int) -> None:
    lines = read_lines(text)
    cuts = list(cut_windows(lines, window=window, overlap=overlap))
    assert cuts[0][0] == 1
    assert cuts[-1][1] == len(lines.texts)
    for start, end in cuts:
        assert start == end or lines.size(start, end) <= window
    for (_, above), (start, end) in pairwise(cuts):
        assert start <= above + 1
        assert end > above
        assert start > above or lines.size(start, above) <= overlap


def test_windows_are_of_about_800_characters_and_share_about_120() -> None:
    lines = read_lines("a line of forty characters, break incl.\n" * 100)
    cuts = list(cut_windows(lines))
    assert (WINDOW, OVERLAP) == (800, 120)
    assert cuts[:2] == [(1, 20), (18, 37)]
