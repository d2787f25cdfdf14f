"""The catalog over a real store in a folder: what it opens, when it looks again, and what it does when that fails."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from quire.adapters.folder import FolderStore
from quire.errors import ArtifactCorrupt, QuireError, StoreUnavailable, UnknownCollection, UnknownVersion
from quire.index.layout import Manifest, Pointer
from quire.index.opened import OpenedIndex
from quire.search.retrieval import Query, retrieve
from quire.store.catalog import OLD_VERSIONS_KEPT, Catalog, CatalogEntry, CollectionStore
from quire.store.pointers import matches_label
from quire.store.retired import delete_collection
from quire.store.store import SegmentStore
from tests.support.corpus import api_documents
from tests.support.served import EMBEDDER, Shelf


class Clock:
    """Seconds that pass only when told."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class WatchedStore:
    """The real store with a switch that makes it fail, and a list of what was asked of it."""

    def __init__(self, store: SegmentStore) -> None:
        self._store = store
        self.asked: list[str] = []
        self.failure: QuireError | None = None
        self.open_failure: QuireError | None = None
        self.nears = True
        self.gate = threading.Event()
        self.gate.set()

    def _ask(self, what: str) -> None:
        self.asked.append(what)
        if self.failure is not None:
            raise self.failure

    def collections(self) -> list[str]:
        self._ask("collections")
        return self._store.collections()

    def pointer(self, name: str, known: Pointer | None = None) -> Pointer:
        self._ask(f"pointer {name}")
        return self._store.pointer(name, known)

    def open(self, name: str, version: str | None = None) -> OpenedIndex:
        self._ask(f"open {name} {version}")
        self.gate.wait(10)
        if self.open_failure is not None:
            raise self.open_failure
        return self._store.open(name, version)

    def is_near(self, pointer: Pointer) -> bool:
        return self.nears

    def is_removed(self, name: str) -> bool:
        self._ask(f"removed {name}")
        return self._store.is_removed(name)

    def manifests(self, pointer: Pointer) -> tuple[Manifest, ...]:
        self._ask(f"manifests {pointer.collection}")
        return self._store.manifests(pointer)

    def versions(self, name: str) -> Sequence[Pointer]:
        self._ask(f"versions {name}")
        return self._store.versions(name)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def opened(shelf: Shelf, clock: Clock) -> tuple[Catalog, WatchedStore]:
    store = WatchedStore(shelf.store)
    checked: CollectionStore = store
    return Catalog(checked, refresh_s=10.0, clock=clock), store


def test_a_collection_is_served_with_the_facts_of_its_pointer(shelf: Shelf, clock: Clock) -> None:
    pointer = shelf.publish()
    served = opened(shelf, clock)[0].get("roblox")
    assert (served.name, served.version, served.label) == ("roblox", pointer.version, "0.735.0.7350832")
    assert (served.pointer.profile, served.pointer.face, served.model) == (
        "roblox",
        "roblox",
        EMBEDDER.digest,
    )
    assert served.degraded == ()
    assert served.index.chunk_count == 12


def test_an_unknown_collection_is_told_and_others_are_not(shelf: Shelf, clock: Clock) -> None:
    shelf.publish("one")
    shelf.publish("two")
    catalog, _ = opened(shelf, clock)
    with pytest.raises(UnknownCollection, match="'three': not in this store"):
        catalog.get("three")
    assert catalog.names() == ("one", "two")


def test_unknown_names_do_not_reach_the_store_again_and_again(shelf: Shelf, clock: Clock) -> None:
    shelf.publish("one")
    catalog, store = opened(shelf, clock)
    for number in range(20):
        with pytest.raises(UnknownCollection):
            catalog.get(f"guess-{number}")
    assert store.asked == ["collections"]


def test_a_collection_that_appears_later_is_found_after_the_interval(shelf: Shelf, clock: Clock) -> None:
    catalog, _ = opened(shelf, clock)
    assert catalog.names() == ()
    shelf.publish("late")
    with pytest.raises(UnknownCollection):
        catalog.get("late")
    clock.now += 10
    assert catalog.get("late").name == "late"
    assert catalog.names() == ("late",)


def test_the_pointer_is_looked_at_once_an_interval(shelf: Shelf, clock: Clock) -> None:
    shelf.publish()
    catalog, store = opened(shelf, clock)
    first = catalog.get("roblox")
    store.asked.clear()
    for _ in range(5):
        clock.now += 1.9
        assert catalog.get("roblox") is first
    assert store.asked == []
    clock.now += 1
    assert catalog.get("roblox") is first
    assert store.asked == ["pointer roblox"]


def test_a_new_version_is_served_after_the_interval_and_the_old_one_stays_usable(
    shelf: Shelf, clock: Clock
) -> None:
    shelf.publish()
    catalog, _ = opened(shelf, clock)
    old = catalog.get("roblox")
    shelf.publish(documents=api_documents()[:3], engine="0.736.0.1")
    assert catalog.get("roblox") is old
    clock.now += 10
    new = catalog.get("roblox")
    assert (new.label, new.index.chunk_count) == ("0.736.0.1", 3)
    found = retrieve(old.index, EMBEDDER, Query("sounds"))
    assert {hit.version for hit in found.hits} == {old.version}


def test_a_fresh_look_sees_at_once_what_was_written(shelf: Shelf, clock: Clock) -> None:
    shelf.publish()
    catalog, _ = opened(shelf, clock)
    catalog.get("roblox")
    shelf.publish(documents=api_documents()[:3])
    assert catalog.get("roblox").index.chunk_count == 12
    assert catalog.get("roblox", fresh=True).index.chunk_count == 3


def test_an_unreachable_store_leaves_the_last_good_version_and_a_label(shelf: Shelf, clock: Clock) -> None:
    shelf.publish()
    catalog, store = opened(shelf, clock)
    good = catalog.get("roblox")
    store.failure = StoreUnavailable("away")
    clock.now += 10
    served = catalog.get("roblox")
    assert served.index is good.index
    assert served.degraded == (f"store unreachable: serving version {good.version}",)
    store.failure = None
    clock.now += 10
    assert catalog.get("roblox").degraded == ()
    assert catalog.get("roblox").index is good.index


def test_a_broken_new_version_leaves_the_last_good_one_and_a_label(shelf: Shelf, clock: Clock) -> None:
    shelf.publish()
    catalog, store = opened(shelf, clock)
    good = catalog.get("roblox")
    shelf.publish(documents=api_documents()[:3])
    store.open_failure = ArtifactCorrupt("vectors: sha256 x expected y")
    clock.now += 10
    assert catalog.get("roblox").degraded == (
        f"newer version unusable (ArtifactCorrupt): serving version {good.version}",
    )
    store.open_failure = None
    clock.now += 10
    assert catalog.get("roblox").index.chunk_count == 3


def test_a_missing_pointer_leaves_the_last_good_version_and_a_label(shelf: Shelf, clock: Clock) -> None:
    shelf.publish()
    catalog, _ = opened(shelf, clock)
    good = catalog.get("roblox")
    (shelf.folder / "collections/roblox/current.json").unlink()
    clock.now += 10
    assert catalog.get("roblox").degraded == (f"pointer missing: serving version {good.version}",)
    assert catalog.get("roblox").index is good.index
    assert catalog.names() == ("roblox",)  # or nobody who watches the collections would see it


def test_what_was_removed_is_not_served_on(shelf: Shelf, clock: Clock) -> None:
    shelf.publish()
    shelf.publish("second")
    catalog, store = opened(shelf, clock)
    assert [catalog.get(name).name for name in catalog.names()] == ["roblox", "second"]
    delete_collection(FolderStore(shelf.folder), "roblox")
    clock.now += 10
    assert catalog.names() == ("second",)
    with pytest.raises(UnknownCollection):
        catalog.get("roblox")
    shelf.publish()
    clock.now += 10
    assert catalog.get("roblox").degraded == ()
    assert store.asked.count("removed second") == 0


def test_a_folder_that_was_unmounted_is_a_store_that_fails_until_it_is_back(
    shelf: Shelf, clock: Clock
) -> None:
    shelf.publish()
    shelf.publish("second")
    catalog, _ = opened(shelf, clock)
    good = catalog.get("roblox")
    away = shelf.folder.rename(shelf.folder.with_name("away"))
    shelf.folder.mkdir()  # what is left where a disk was mounted
    clock.now += 10
    assert catalog.names() == ("roblox", "second")
    assert catalog.get("roblox").degraded == (f"store unreachable: serving version {good.version}",)
    with pytest.raises(StoreUnavailable, match="is empty now: mount its disk, or move it back"):
        catalog.get("second")
    shelf.folder.rmdir()
    away.rename(shelf.folder)
    clock.now += 10
    assert catalog.get("second").degraded == catalog.get("roblox").degraded == ()


def test_a_store_that_fails_from_the_start_fails_the_request_and_is_asked_again_later(
    shelf: Shelf, clock: Clock
) -> None:
    shelf.publish()
    catalog, store = opened(shelf, clock)
    catalog.names()
    store.failure = StoreUnavailable("away")
    for _ in range(3):
        with pytest.raises(StoreUnavailable, match="away"):
            catalog.get("roblox")
    assert store.asked.count("pointer roblox") == 1
    store.failure = None
    clock.now += 10
    assert catalog.get("roblox").index.chunk_count == 12


def test_names_stay_while_the_store_is_away(shelf: Shelf, clock: Clock) -> None:
    catalog, store = opened(shelf, clock)
    store.failure = StoreUnavailable("away")
    with pytest.raises(StoreUnavailable):
        catalog.names()
    store.failure = None
    shelf.publish()
    assert catalog.names() == ("roblox",)
    store.failure = StoreUnavailable("away")
    clock.now += 10
    assert catalog.names() == ("roblox",)


def test_requests_go_on_with_the_old_version_while_a_new_one_is_opened(shelf: Shelf, clock: Clock) -> None:
    shelf.publish()
    catalog, store = opened(shelf, clock)
    old = catalog.get("roblox")
    shelf.publish(documents=api_documents()[:3])
    clock.now += 10
    store.gate.clear()
    opener = threading.Thread(target=catalog.get, args=("roblox",))
    opener.start()
    while not any(asked.startswith("open") for asked in store.asked[2:]):
        threading.Event().wait(0.001)
    assert catalog.get("roblox") is old
    store.gate.set()
    opener.join()
    assert catalog.get("roblox").index.chunk_count == 3


def test_many_first_requests_open_a_collection_once(shelf: Shelf, clock: Clock) -> None:
    shelf.publish()
    catalog, store = opened(shelf, clock)
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(catalog.get("roblox").version)) for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
    assert len(found) == 16
    assert sum(asked.startswith("open") for asked in store.asked) == 1


def test_an_older_version_is_asked_by_id_and_by_engine_version(shelf: Shelf, clock: Clock) -> None:
    old = shelf.publish(documents=api_documents()[:4], engine="0.732.0.7320001")
    new = shelf.publish()
    catalog, store = opened(shelf, clock)
    assert catalog.get("roblox").version == new.version
    for wanted in (old.version, "0.732", "0.732.0.7320001"):
        assert catalog.get("roblox", wanted).index.chunk_count == 4
    assert catalog.get("roblox", "0.735").version == new.version
    assert catalog.get("roblox", new.version) is catalog.get("roblox")
    assert store.asked.count(f"open roblox {old.version}") == 1


def test_a_version_published_since_the_list_was_read_is_found_and_made_up_ones_are_looked_for_once_a_second(
    shelf: Shelf, clock: Clock
) -> None:
    old = shelf.publish(documents=api_documents()[:4])
    catalog, store = opened(shelf, clock)
    with pytest.raises(UnknownVersion):
        catalog.get("roblox", "f" * 12)
    between, new = shelf.publish(documents=api_documents()[:6]), shelf.publish()
    clock.now += 1.5
    assert catalog.get("roblox").version == old.version
    assert [catalog.get("roblox", one.version).version for one in (between, new)] == [
        between.version,
        new.version,
    ]
    read = store.asked.count("versions roblox")
    for _ in range(9):
        clock.now += 0.1
        with pytest.raises(UnknownVersion):
            catalog.get("roblox", "f" * 12)
    assert store.asked.count("versions roblox") == read


@pytest.mark.parametrize("wanted", ["0.73", "0.7320", "ffffffffffff", ".", "0.732.0.7320001.1"])
def test_a_version_that_the_store_does_not_hold_is_told_with_those_it_does(
    shelf: Shelf, clock: Clock, wanted: str
) -> None:
    shelf.publish(engine="0.732.0.7320001")
    with pytest.raises(UnknownVersion, match=r"0\.732\.0\.7320001") as caught:
        opened(shelf, clock)[0].get("roblox", wanted)
    assert caught.value.field == "version"


def test_only_a_few_older_versions_stay_open(shelf: Shelf, clock: Clock) -> None:
    count = OLD_VERSIONS_KEPT + 2
    for number in range(count):
        shelf.publish(documents=api_documents()[: number + 1], engine=f"0.{number}.1")
    catalog, store = opened(shelf, clock)
    for number in range(count - 1):
        assert catalog.get("roblox", f"0.{number}").index.chunk_count == number + 1
    before = len([asked for asked in store.asked if asked.startswith("open")])
    catalog.get("roblox", f"0.{count - 2}")
    assert len([asked for asked in store.asked if asked.startswith("open")]) == before
    catalog.get("roblox", "0.0")
    assert len([asked for asked in store.asked if asked.startswith("open")]) == before + 1


@pytest.mark.parametrize(
    ("label", "wanted", "expected"),
    [
        ("0.735.0.1", "0.735", True),
        ("0.735.0.1", "0.735.", True),
        ("0.735.0.1", "0.735.0.1", True),
        ("0.735.0.1", "0.73", False),
        ("0.735.0.1", "", False),
        ("", "", False),
        ("0.735", "0.735.0", False),
    ],
)
def test_a_label_matches_a_prefix_that_ends_at_a_dot(label: str, wanted: str, expected: bool) -> None:
    assert matches_label(label, wanted) is expected


# ---- newer versions that have to be fetched -------------------------------------------------------------------


def moving(shelf: Shelf, clock: Clock, steady_s: float = float("inf")) -> tuple[Catalog, WatchedStore, str]:
    """A catalog that has a version open, and whose store has just published another one, far away."""
    shelf.publish()
    store = WatchedStore(shelf.store)
    catalog = Catalog(store, refresh_s=10.0, steady_s=steady_s, clock=clock)
    old = catalog.get("roblox").version
    store.nears = False
    shelf.publish(documents=api_documents()[:3])
    clock.now += 10
    return catalog, store, old


def arrive(store: WatchedStore) -> None:
    """Let fetches go on, and wait until there is none."""
    store.gate.set()
    for thread in [one for one in threading.enumerate() if one.name.startswith("fetch ")]:
        thread.join(10)


def test_while_a_newer_version_is_fetched_the_one_before_serves(shelf: Shelf, clock: Clock) -> None:
    catalog, store, old = moving(shelf, clock)
    prepared: list[OpenedIndex] = []
    catalog.prepare = prepared.append
    store.gate.clear()
    assert [catalog.get("roblox").version for _ in range(3)] == [old] * 3
    arrive(store)
    served = catalog.get("roblox")  # at once, not after the next interval
    assert (served.version != old, served.degraded, served.index.chunk_count) == (True, (), 3)
    assert prepared == [served.index]
    assert [one for one in store.asked if one.startswith("open")][1:] == [f"open roblox {served.version}"]


def test_a_fetch_that_stands_still_is_waited_for_after_a_while(shelf: Shelf, clock: Clock) -> None:
    catalog, store, old = moving(shelf, clock)
    store.gate.clear()
    assert catalog.get("roblox").version == old
    clock.now += 21
    threading.Timer(0.05, store.gate.set).start()
    assert catalog.get("roblox").version != old


def test_a_fetch_without_an_end_holds_no_request_for_ever(shelf: Shelf) -> None:
    shelf.publish()
    index, gate, entry = shelf.store.open("roblox"), threading.Event(), CatalogEntry()

    def fetch() -> OpenedIndex:
        gate.wait(10)
        return index

    arrived = partial(entry.arrived, "newer", fetch, lambda _: None)
    assert arrived(100.0) is None
    with pytest.raises(StoreUnavailable, match=r"newer: still on its way after 0\.02 s"):
        arrived(111.0, wait_s=0.02)
    assert arrived(112.0) is None  # the next request does not wait once more
    with pytest.raises(StoreUnavailable):
        arrived(122.0, wait_s=0.02)
    gate.set()
    assert arrived(140.0) is index
    assert entry.arrival is None


def test_a_fetch_that_fails_leaves_the_version_before_labelled_and_is_tried_again(
    shelf: Shelf, clock: Clock
) -> None:
    catalog, store, old = moving(shelf, clock)
    store.open_failure = StoreUnavailable("down")
    catalog.get("roblox")
    arrive(store)
    served = catalog.get("roblox")
    assert (served.version, served.degraded) == (old, (f"store unreachable: serving version {old}",))
    trouble = catalog.trouble("roblox")
    assert trouble is not None
    assert (trouble.kind, trouble.message) == ("StoreUnavailable", "down")
    store.open_failure = None
    clock.now += 10
    catalog.get("roblox")
    arrive(store)
    assert catalog.get("roblox").version != old


def test_whoever_asks_for_the_newest_waits_for_it(shelf: Shelf, clock: Clock) -> None:
    catalog, _, old = moving(shelf, clock)
    assert catalog.get("roblox", fresh=True).version != old


def test_a_function_that_is_seldom_asked_fetches_within_the_request_whatever_stands_still(
    shelf: Shelf, clock: Clock
) -> None:
    catalog, store, old = moving(shelf, clock, steady_s=2.0)
    clock.now -= 10
    for _ in range(6):  # requests follow each other
        clock.now += 1.5
        catalog.get("roblox")
    store.gate.clear()
    clock.now += 1.5
    assert catalog.get("roblox").version == old  # it begins to be fetched, and then nobody asks
    clock.now += 60
    threading.Timer(0.05, store.gate.set).start()
    served = catalog.get("roblox")
    assert (served.version != old, served.degraded) == (True, ())
