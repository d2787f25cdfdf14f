"""What a function opens before its first question: what its maintainer listed first, as long as there is room."""

from __future__ import annotations

from pathlib import Path

import pytest

from quire.collections import Collection
from quire.service.knowledge import Knowledge
from quire.store.catalog import Catalog
from quire.store.store import SegmentStore
from tests.support.corpus import api_documents
from tests.support.deployed import publish
from tests.support.fakes import HashingEmbedder
from tests.support.stores import MemoryStore

EMBEDDER = HashingEmbedder()
LISTED = ("gulls", "boats")
STORED = ("boats", "docks", "gulls")


@pytest.fixture
def knowledge(tmp_path: Path) -> Knowledge:
    """Three collections, two of them listed, none open."""
    store = SegmentStore(MemoryStore(), tmp_path / "cache")
    for name in STORED:
        publish(store, name, api_documents()[:3], EMBEDDER)
    listed = {name: Collection(name, "roblox") for name in LISTED}
    return Knowledge(Catalog(store, refresh_s=60.0), lambda _: EMBEDDER, listed)


def opened(knowledge: Knowledge) -> list[str]:
    return [name for name in STORED if knowledge.catalog.peek(name)]


def test_everything_that_fits_is_open_before_the_first_question(knowledge: Knowledge) -> None:
    assert knowledge.warm() == {}
    assert opened(knowledge) == list(STORED)


def test_what_is_listed_first_is_opened_first_and_the_rest_when_it_is_asked(knowledge: Knowledge) -> None:
    left = iter([True, False, False])
    failed = knowledge.warm(lambda: next(left))
    assert opened(knowledge) == ["gulls"]
    assert list(failed) == ["boats", "docks"]
    assert all("left to its first question" in why for why in failed.values())
    assert knowledge.catalog.get("docks").chunk_count > 0
