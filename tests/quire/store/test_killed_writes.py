"""Killed (-9) at any write, rename or fsync: what was acknowledged is served, and the same work again completes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.killed_writes import SCENARIOS, run

NEEDS_CC = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler for the library that kills")


def struck(name: str, folder: Path, most: int) -> dict[str, str]:
    """What was wrong after kills at `most` of the changes."""
    told = run(name, folder, most)
    changes, kills = int(told.pop("changes")), int(told.pop("kills"))
    assert changes > 50
    assert kills >= 0.9 * min(most, changes)
    return {at: wrong for at, wrong in told.items() if wrong}


@NEEDS_CC
def test_a_live_write_may_be_killed_at_any_of_its_writes(tmp_path: Path) -> None:
    assert struck("a live write", tmp_path, 6) == {}


@NEEDS_CC
@pytest.mark.soak
@pytest.mark.parametrize("name", SCENARIOS)
def test_whatever_writes_may_be_killed_at_each_of_its_writes(tmp_path: Path, name: str) -> None:
    assert struck(name, tmp_path, 1_000) == {}
