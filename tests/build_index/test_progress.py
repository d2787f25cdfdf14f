"""Progress of long steps, as a terminal and as a log show it."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator

import pytest

from build_index.progress import track


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def _slow() -> Iterator[int]:
    for item in range(2):
        time.sleep(1.05)
        yield item


@pytest.mark.parametrize(("out", "lines", "redrawn"), [(Screen(), 1, 3), (io.StringIO(), 3, 0)])
def test_a_terminal_shows_one_line_drawn_again_and_a_log_a_line_each_time(
    out: io.StringIO, lines: int, redrawn: int
) -> None:
    assert list(track(_slow(), "reading", total=2, out=out)) == [0, 1]
    said = out.getvalue()
    assert (said.count("\n"), said.count("\r\x1b[K")) == (lines, redrawn)
    assert "reading: 1/2 (" in said
    assert said.endswith("/s)\n")
