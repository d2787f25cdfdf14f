"""Time travel over a real store: by id, engine version and date, with today's deletions, and without slowing today."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.adapters.folder import FolderStore
from quire.errors import StoreUnavailable, UnknownVersion
from quire.index.layout import Pointer
from quire.search.retrieval import Query, retrieve
from quire.store import pointers as states
from quire.store.catalog import Catalog
from quire.store.pointers import find_version
from quire.store.store import SegmentStore
from tests.support.corpus import api_documents, write_corpus
from tests.support.fakes import HashingEmbedder
from tests.support.stores import MemoryStore

EMBEDDER = HashingEmbedder()


class Years:
    """Three published versions, a day apart, with a clock that is moved by hand."""

    def __init__(self, root: Path, objects: FolderStore | MemoryStore) -> None:
        self.root = root
        self.now = time.mktime((2026, 11, 18, 12, 0, 0, 0, 0, 0)) - time.timezone
        self.ticks = 0.0
        self.store = SegmentStore(objects, root / "cache", clock=lambda: self.now)
        self.versions = [self.publish(size, f"0.{size}.1") for size in (4, 8, 12)]
        self.catalog = Catalog(self.store, refresh_s=10, clock=lambda: self.ticks)

    def publish(self, size: int, engine: str) -> Pointer:
        self.now += 86_400
        folder = self.root / f"segment-{engine}"
        manifest = write_corpus(folder, EMBEDDER, api_documents()[:size], engine=engine)
        return self.store.publish("roblox", folder, manifest)

    def delete(self, document: str) -> None:
        self.store.pointers.advance("roblox", lambda one: states.with_deletion(_there(one), [document]))


def _there(pointer: Pointer | None) -> Pointer:
    assert pointer is not None
    return pointer


@pytest.fixture
def years(tmp_path: Path) -> Years:
    return Years(tmp_path, FolderStore(tmp_path / "store"))


@pytest.mark.parametrize(
    ("wanted", "place"),
    [
        ("0.4", 0),
        ("0.8.1", 1),
        ("0.12", 2),
        ("2026-11-19", 0),
        ("2026-11-19T12:00:00Z", 0),
        ("2026-11-20T11:59:59Z", 0),
        ("2026-11-20", 1),
        ("2026-12-31", 2),
        ("latest", 2),
        ("previous", 1),
    ],
)
def test_a_version_goes_by_engine_version_date_or_moment(years: Years, wanted: str, place: int) -> None:
    assert years.catalog.get("roblox", wanted).version == years.versions[place].version


@pytest.mark.parametrize("wanted", ["2026-11-18", "2026-11-19T11:59:59Z", "0.1", "2026-13", "yesterday"])
def test_what_the_store_does_not_hold_is_told_with_what_it_does(years: Years, wanted: str) -> None:
    with pytest.raises(UnknownVersion, match=r"0\.12\.1 of 2026-11-21.*0\.4\.1 of 2026-11-19"):
        years.catalog.get("roblox", wanted)


def test_what_is_deleted_today_is_deleted_in_versions_that_are_open_already(years: Years) -> None:
    document = "api_dump/Humanoid.Died"
    assert len(years.catalog.get("roblox", "0.4").index.documents.chunks(document)) == 1
    years.delete(document)
    years.ticks += 10
    assert len(years.catalog.get("roblox", "0.4").index.documents.chunks(document)) == 0
    found = retrieve(
        years.catalog.get("roblox", "0.8").index, EMBEDDER, Query("Humanoid.Died lost all health")
    )
    assert document not in {hit.chunk.document_id for hit in found.hits}


def test_a_version_that_means_the_current_one_is_the_current_one(years: Years) -> None:
    current = years.catalog.get("roblox")
    assert years.catalog.get("roblox", "0.12") is current
    assert years.catalog.get("roblox", "2026-12-01") is current


def test_a_new_version_and_a_rollback_take_effect_within_the_refresh_interval(years: Years) -> None:
    first, *_, last = years.versions
    assert years.catalog.get("roblox").version == last.version
    years.store.pointers.advance("roblox", lambda one: states.with_rollback(_there(one), first), record=True)
    assert years.catalog.get("roblox").version == last.version
    years.ticks += 10
    assert years.catalog.get("roblox").version == first.version
    assert years.catalog.get("roblox", "0.12").version == last.version


def test_versions_are_listed_once_an_interval_and_served_while_the_store_is_away(tmp_path: Path) -> None:
    objects = MemoryStore()
    years = Years(tmp_path, objects)
    years.catalog.get("roblox", "0.4")
    calls = dict(objects.calls)
    for _ in range(50):
        years.catalog.get("roblox", "0.4")
        with pytest.raises(UnknownVersion):
            years.catalog.get("roblox", "0.99")
    assert objects.calls == calls
    objects.is_down = True
    years.ticks += 10
    old = years.catalog.get("roblox", "0.4")
    assert (old.version, old.index.chunk_count) == (years.versions[0].version, 4)
    assert "store unreachable" in old.degraded[0]
    with pytest.raises(StoreUnavailable):
        years.catalog.get("roblox", "0.8")


def test_asking_old_versions_reopens_nothing_of_the_current_one(years: Years) -> None:
    current = years.catalog.get("roblox")
    for _ in range(3):
        for wanted in ("0.4", "0.8"):
            years.catalog.get("roblox", wanted)
    assert years.catalog.get("roblox") is current


def test_the_current_version_being_damaged_does_not_close_the_old_ones(years: Years) -> None:
    digest = years.versions[2].segments[0].digest
    (years.root / "store/collections/roblox/segments" / digest / "columns.safetensors").unlink()
    old = years.catalog.get("roblox", "0.4")
    assert old.index.chunk_count == 4
    assert old.degraded == ("current version unusable (ArtifactCorrupt)",)


MOMENTS = st.datetimes(min_value=datetime(2000, 1, 1)).map(lambda one: one.strftime("%Y-%m-%dT%H:%M:%SZ"))


@given(st.lists(MOMENTS, min_size=1, max_size=8), MOMENTS)
def test_a_moment_means_the_last_version_published_by_then(published: list[str], moment: str) -> None:
    held = sorted(
        (
            Pointer("docs", "docs", "chatbot", published_at=one, label=str(n))
            for n, one in enumerate(published)
        ),
        key=lambda one: one.published_at,
        reverse=True,
    )
    expected = max((one for one in published if one <= moment), default=None)
    if expected is None:
        with pytest.raises(UnknownVersion):
            find_version(held, "docs", moment)
    else:
        assert find_version(held, "docs", moment).published_at == expected
