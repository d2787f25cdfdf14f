"""Spelling: what a misspelt or unfinished word most likely meant."""

from __future__ import annotations

import pytest

from quire.search.query import unfinished_spelling

NAMES = ["settlement", "settlementwindowchanged", "settlewindow"]


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("settlementwindow", "settlementwindowchanged"),
        ("settlmentwindow", "settlementwindowchanged"),
        ("settlementwindwo", "settlementwindowchanged"),
        ("sttlmentwindow", None),
        ("settlewi", None),
        ("settlementwindowchangedtwice", None),
        ("unsettlement", None),
    ],
)
def test_a_long_name_is_known_by_its_begin_with_one_edit(word: str, meant: str | None) -> None:
    assert unfinished_spelling(word, NAMES) == meant
