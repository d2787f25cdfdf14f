"""Spelling: what a misspelt or unfinished word most likely meant."""

from __future__ import annotations

import pytest

from quire.search.query import unfinished_spelling
from quire.search.retrieval import Query, retrieve
from tests.support.shelves import chunk, pages, shelf_of

WORDS = ["uninstall", "unsettle", "instal", "isntall"]
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


def test_a_word_is_not_read_as_its_opposite() -> None:
    shelf = shelf_of([chunk("sails.md", "# Sails\n\nInstall the sail, and settle it."), *pages(9)])
    found = {word: retrieve(shelf.index, None, Query(f"How do I {word} it?")).mended for word in WORDS}
    assert found == {"uninstall": {}, "unsettle": {}, "instal": {}, "isntall": {"isntall": "install"}}
