"""The fallback for text without a structure that is read: overlapping windows of whole lines."""

from __future__ import annotations

from collections.abc import Iterator

from quire.chunking.lines import Lines

WINDOW = 800
OVERLAP = 120


def cut_windows(lines: Lines, *, window: int = WINDOW, overlap: int = OVERLAP) -> Iterator[tuple[int, int]]:
    r"""`(first line, last line)` of each window, from 1 and inclusive, in order; every line is in one at least.

    A window holds at most `window` characters, but for a line that is longer by itself, and repeats as many whole
    lines of the one before as fit into `overlap` characters.

    >>> from quire.chunking.lines import read_lines
    >>> list(cut_windows(read_lines("one\ntwo\nthree\nfour\n"), window=10, overlap=5))
    [(1, 2), (2, 3), (4, 4)]
    """
    last, start = len(lines.texts), 1
    while start <= last:
        end = lines.last_within(start, window)
        yield start, end
        if end == last:
            return
        following = end + 1
        repeated = following
        while repeated - 1 > start and lines.size(repeated - 1, end) <= overlap:
            repeated -= 1
        room = lines.size(repeated, following) <= window
        start = repeated if room else following
