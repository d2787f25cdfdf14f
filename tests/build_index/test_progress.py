"""Progress of long steps, as a terminal and as a log show it."""

from __future__ import annotations

import io

import pytest

from build_index.progress import track


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


class Clock:
    """One that goes on by so many seconds each time somebody looks at it."""

    def __init__(self, step_s: float) -> None:
        self.now, self.step_s = 0.0, step_s

    def __call__(self) -> float:
        self.now += self.step_s
        return self.now


@pytest.mark.parametrize(
    ("out", "step_s", "lines", "redrawn"),
    [(Screen(), 1.05, 1, 21), (io.StringIO(), 1.05, 3, 0), (io.StringIO(), 11.0, 21, 0)],
)
def test_a_terminal_shows_one_line_drawn_again_and_a_log_a_line_every_ten_seconds(
    out: io.StringIO, step_s: float, lines: int, redrawn: int
) -> None:
    assert list(track(range(20), "reading", total=20, out=out, clock=Clock(step_s))) == list(range(20))
    said = out.getvalue()
    assert (said.count("\n"), said.count("\r\x1b[K")) == (lines, redrawn)
    assert "reading: 10/20 (" in said
    assert said.endswith("/s)\n")


def test_the_time_left_counts_what_is_left_where_the_first_items_were_there_already() -> None:
    out, clock = io.StringIO(), Clock(0.0)
    for number in track(range(1000), "embedding", total=1000, out=out, clock=clock):
        clock.now += 0.001 if number < 800 else 1.0
    lines = [one for one in out.getvalue().splitlines() if "s left" in one]
    assert [int(one.split(", ")[1].split()[0]) for one in lines[:3]] == pytest.approx([190, 180, 170], abs=2)
