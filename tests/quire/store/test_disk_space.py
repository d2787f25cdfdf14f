"""A disk that is too small for everything: what is closed goes, what is open stays, and a refusal has its name."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from quire.errors import DiskFull, StoreUnavailable
from quire.folders import ARRIVING
from quire.index.layout import MANIFEST, Pointer
from quire.store.catalog import Catalog
from quire.store.segment_cache import SPARE_BYTES, DiskSpace, held_bytes
from quire.store.store import SegmentStore
from tests.support.corpus import api_documents
from tests.support.deployed import publish
from tests.support.fakes import HashingEmbedder
from tests.support.stores import MemoryStore

pytestmark = pytest.mark.usefixtures("settled_heap")

EMBEDDER = HashingEmbedder()


class Small:
    """Collections in a store that cannot be mapped, and a cache that holds about `segments` of them."""

    def __init__(self, root: Path, segments: float) -> None:
        self.objects, self.root = MemoryStore(), root
        self.publish("probe")
        (manifest,) = SegmentStore(self.objects, root / "probe").open("probe").manifests
        one = sum(file.size for file in manifest.files.values()) + len(manifest.to_json())
        self.cache = root / "cache"
        self.store = SegmentStore(self.objects, self.cache, most_bytes=int(one * segments) + SPARE_BYTES)

    def publish(self, name: str, members: int = 12) -> Pointer:
        publisher = SegmentStore(self.objects, self.root / "publisher")
        publish(publisher, name, api_documents()[:members], EMBEDDER, engine=f"0.{members}")
        return publisher.pointer(name)

    def held(self) -> set[str]:
        return {path.name for path in (self.cache / "segments").iterdir()}


def digest_of(pointer: Pointer) -> str:
    (segment,) = pointer.segments
    return segment.digest


def test_where_there_is_room_nobody_is_asked_what_is_open(tmp_path: Path) -> None:
    """Finding that out collects garbage, a tenth of what a function's start costs."""

    def open_now() -> set[str]:
        raise AssertionError("asked, though nothing has to go")

    space = DiskSpace(tmp_path, 1_000 + SPARE_BYTES)
    space.free(1_000, open_now)
    with pytest.raises(AssertionError, match="asked"):
        space.free(1_001, open_now)


def test_a_closed_segment_goes_before_another_is_fetched(tmp_path: Path) -> None:
    small = Small(tmp_path, segments=1.5)
    old, new = small.publish("a", 11), small.publish("b", 12)
    small.store.open("a")
    assert small.held() == {digest_of(old)}
    small.store.open("b")
    assert small.held() == {digest_of(new)}


def test_what_was_opened_longest_ago_goes_first(tmp_path: Path) -> None:
    small = Small(tmp_path, segments=2.5)
    kept, gone, new = (small.publish(name, members) for name, members in (("a", 10), ("b", 11), ("c", 12)))
    for name in ("a", "b", "a"):
        small.store.open(name)
        time.sleep(0.02)
    small.store.open("c")
    assert small.held() == {digest_of(kept), digest_of(new)}
    assert digest_of(gone) not in small.held()


def test_an_open_segment_stays_and_the_refusal_says_what_was_wanted(tmp_path: Path) -> None:
    small = Small(tmp_path, segments=1.5)
    opened, _ = small.publish("a", 11), small.publish("b", 12)
    held = small.store.open("a")
    with pytest.raises(DiskFull, match=r"to be fetched, .* beside 1 open ones; .* ephemeral_mb"):
        small.store.open("b")
    assert small.held() == {digest_of(opened)}
    assert len(held.fetch([0])) == 1


def test_what_a_killed_transfer_left_goes_first(tmp_path: Path) -> None:
    small = Small(tmp_path, segments=2.5)
    first, second = small.publish("a", 11), small.publish("b", 12)
    small.store.open("a")
    left = small.cache / "segments" / f"{ARRIVING}x"
    left.mkdir()
    (left / "vectors").write_bytes(bytes(held_bytes(small.cache)))
    small.store.open("b")
    assert small.held() == {digest_of(first), digest_of(second)}


def test_a_shared_cache_is_never_emptied(tmp_path: Path) -> None:
    small = Small(tmp_path, segments=1)
    shared = SegmentStore(small.objects, tmp_path / "shared")
    for name, members in (("a", 11), ("b", 12)):
        small.publish(name, members)
        shared.open(name)
    assert len(list((tmp_path / "shared/segments").glob(f"*/{MANIFEST}"))) == 2


def test_a_newer_version_without_room_leaves_the_last_good_one_and_says_so(tmp_path: Path) -> None:
    small = Small(tmp_path, segments=1.5)
    old = small.publish("a", 11)
    catalog = Catalog(small.store, refresh_s=0.0)
    assert catalog.get("a").version == old.version
    small.publish("a", 12)
    served = catalog.get("a")
    assert (served.version, served.degraded) == (
        old.version,
        (f"no room for a newer version: serving version {old.version}",),
    )
    assert len(served.index.fetch([0])) == 1


def test_a_collection_that_is_asked_for_takes_the_room_of_the_one_asked_longest_ago(tmp_path: Path) -> None:
    small = Small(tmp_path, segments=2.5)
    for name, members in (("a", 10), ("b", 11), ("c", 12)):
        small.publish(name, members)
    catalog = Catalog(small.store, refresh_s=3600.0)
    for name in ("a", "b", "a", "c"):
        catalog.get(name)
    assert [name for name in "abc" if catalog.peek(name)] == ["a", "c"]


def test_a_cache_that_cannot_be_written_is_a_store_that_is_not_available(tmp_path: Path) -> None:
    small = Small(tmp_path, segments=1)
    small.publish("a")
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailable, match=r"segment .* of a: .*Not a directory") as refused:
        SegmentStore(small.objects, tmp_path / "file/cache").open("a")
    assert not isinstance(refused.value, DiskFull)


def test_a_copy_of_what_was_written_here_is_not_kept_where_there_is_no_room(tmp_path: Path) -> None:
    small = Small(tmp_path, segments=1)
    (tmp_path / "cache").mkdir(exist_ok=True)
    os.close(os.open(tmp_path / "cache/segments", os.O_CREAT))  # a file where the folder would be
    small.publish("a")
    small.store._segments.keep("0" * 64, tmp_path / "publisher")
    assert (tmp_path / "cache/segments").is_file()
