from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from quire.adapters.folder import FolderStore
from quire.errors import (
    ArtifactCorrupt,
    ArtifactError,
    ArtifactMismatch,
    BuildInProgress,
    SwapConflict,
    UnknownCollection,
    UnknownVersion,
)
from quire.index.layout import Manifest, Pointer, SegmentRef, SourceFacts, read_pointer
from quire.index.writer import IndexRow, SegmentFacts, write_segment
from quire.ports import ObjectStore
from quire.store import pointers as states
from quire.store.keys import pointer_key, versions_key
from quire.store.lock import LEASE_S, read_build, read_builds
from quire.store.retired import GRACE_S, delete_collection, retire
from quire.store.store import SegmentStore
from tests.support.rows import FACTS, make_rows, plain_row, tree_bytes
from tests.support.stores import MemoryStore

Make = Callable[..., tuple[Path, Manifest]]


@pytest.fixture(params=["folder", "memory"])
def objects(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    return FolderStore(tmp_path / "store") if request.param == "folder" else MemoryStore()


@pytest.fixture
def store(objects: ObjectStore, tmp_path: Path) -> SegmentStore:
    return SegmentStore(objects, tmp_path / "cache")


@pytest.fixture
def make(tmp_path: Path) -> Make:
    numbers = iter(range(1000))

    def write(rows: list[IndexRow], facts: SegmentFacts = FACTS) -> tuple[Path, Manifest]:
        folder = tmp_path / "built" / str(next(numbers))
        return folder, write_segment(folder, rows, facts)

    return write


def texts(store: SegmentStore, term: str, version: str | None = None) -> list[str]:
    index = store.open("docs", version)
    return [chunk.text for chunk in index.fetch(index.search({term: 1.0}, 50).ordinals)]


def write(store: SegmentStore, folder: Path, manifest: Manifest, *replaced: str) -> None:
    store.put("docs", folder, manifest)
    store.pointers.advance(
        "docs", lambda pointer: states.with_write(there(pointer), manifest.digest, replaced)
    )


def delete(store: SegmentStore, document: str) -> None:
    store.pointers.advance("docs", lambda pointer: states.with_deletion(there(pointer), [document]))


def there(pointer: Pointer | None) -> Pointer:
    assert pointer is not None
    return pointer


def test_a_published_build_is_served(store: SegmentStore, make: Make) -> None:
    pointer = store.publish("docs", *make(list(make_rows(20))))
    index = store.open("docs")
    assert store.collections() == ["docs"]
    assert store.pointer("docs") == pointer
    assert index.version == pointer.version
    assert len(index.version) == 12
    assert pointer.label == "1.2.3"
    assert (pointer.profile, pointer.face) == ("docs", "chatbot")
    assert [chunk.id for chunk in index.fetch(range(20))] == [row.chunk.id for row in make_rows(20)]


def test_a_new_build_takes_the_place_of_the_old_which_stays_a_version(
    objects: ObjectStore, make: Make, tmp_path: Path
) -> None:
    times = iter([1_000.0, 2_000.0])
    store = SegmentStore(objects, tmp_path / "cache", clock=lambda: next(times))
    first = store.publish("docs", *make([plain_row("a", "0", "shared one")]), label="1.0")
    second = store.publish("docs", *make([plain_row("a", "0", "shared two")]), label="2.0")
    assert texts(store, "shared") == ["shared two"]
    assert texts(store, "shared", first.version) == ["shared one"]
    assert [one.label for one in store.versions("docs")] == ["2.0", "1.0"]
    assert store.versions("docs")[0] == second
    assert second.published_at == "1970-01-01T00:33:20Z"


def test_of_two_versions_of_one_second_the_served_one_is_the_newest(
    objects: ObjectStore, make: Make, tmp_path: Path
) -> None:
    store = SegmentStore(objects, tmp_path / "cache", clock=lambda: 1_000.0)
    published = [
        store.publish("docs", *make([plain_row("a", "0", text)])).version for text in ("one", "two", "three")
    ]
    assert store.versions("docs")[0].version == published[-1]


def test_publishing_the_same_again_stores_nothing_new(make: Make, tmp_path: Path) -> None:
    objects = MemoryStore()
    store = SegmentStore(objects, tmp_path / "cache")
    folder, manifest = make(list(make_rows(5)))
    first = store.publish("docs", folder, manifest)
    stored = objects.calls["put_file"]
    second = store.publish("docs", folder, manifest)
    assert objects.calls["put_file"] == stored == len(manifest.files) + 1
    assert first.version == second.version


def test_what_is_not_there_is_named(store: SegmentStore, make: Make) -> None:
    with pytest.raises(UnknownCollection, match="'docs'"):
        store.pointer("docs")
    with pytest.raises(UnknownCollection):
        store.open("docs")
    assert store.collections() == []
    store.publish("docs", *make([]))
    with pytest.raises(UnknownVersion, match="'ffff'"):
        store.open("docs", "ffff")


def test_a_pointer_that_did_not_move_is_given_back_itself(store: SegmentStore, make: Make) -> None:
    store.publish("docs", *make([]))
    known = store.pointer("docs")
    assert store.pointer("docs", known) is known
    moved = store.pointers.swap("docs", states.with_deletion(known, ["a"]), known)
    assert store.pointer("docs", known) == moved


def test_a_swap_from_an_old_state_is_refused(store: SegmentStore, make: Make) -> None:
    first = store.publish("docs", *make([]))
    second = states.with_deletion(first, ["a"])
    store.pointers.swap("docs", second, first)
    with pytest.raises(SwapConflict):
        store.pointers.swap("docs", states.with_deletion(first, ["b"]), first)
    with pytest.raises(SwapConflict):
        store.pointers.swap("docs", first, None)
    assert store.pointer("docs") == second


def test_live_writes_and_deletions_show_at_once_and_in_old_versions(store: SegmentStore, make: Make) -> None:
    built = store.publish("docs", *make([plain_row("a", "0", "word a1"), plain_row("b", "0", "word b1")]))
    write(store, *make([plain_row("a", "0", "word a2")]), "a")
    assert sorted(texts(store, "word")) == ["word a2", "word b1"]
    delete(store, "b")
    assert texts(store, "word") == ["word a2"]
    assert texts(store, "word", built.version) == []


def test_a_build_keeps_what_was_written_live_and_what_was_deleted_while_it_ran(
    store: SegmentStore, make: Make
) -> None:
    store.publish("docs", *make([plain_row("a", "0", "word a1"), plain_row("b", "0", "word b1")]))
    with store.lock("docs"):
        built = make([plain_row("a", "0", "word a2"), plain_row("b", "0", "word b2")])
        write(store, *make([plain_row("live", "0", "word live")]), "live")
        delete(store, "b")
        store.publish("docs", *built)
    assert sorted(texts(store, "word")) == ["word a2", "word live"]


def test_a_build_that_cannot_begin_leaves_no_lock_behind(store: SegmentStore, make: Make) -> None:
    store.publish("docs", *make([plain_row("a", "0", "word")]))
    whole = store._objects.read(pointer_key("docs"))
    assert whole is not None
    store._objects.write(pointer_key("docs"), b"{")
    with pytest.raises(ArtifactCorrupt), store.lock("docs"):
        pass
    store._objects.write(pointer_key("docs"), whole.data)
    with store.lock("docs"):
        store.publish("docs", *make([plain_row("a", "0", "word")]))


def test_a_document_deleted_before_a_build_began_comes_back_with_it(store: SegmentStore, make: Make) -> None:
    store.publish("docs", *make([plain_row("a", "0", "word")]))
    delete(store, "a")
    assert texts(store, "word") == []
    with store.lock("docs"):
        store.publish("docs", *make([plain_row("a", "0", "word again")]))
    assert texts(store, "word") == ["word again"]


def test_no_live_write_is_lost_among_many(store: SegmentStore, make: Make) -> None:
    store.publish("docs", *make([plain_row("base", "0", "word")]))
    made = [make([plain_row(f"d{n}", "0", f"word {n}")]) for n in range(12)]

    threads = [threading.Thread(target=write, args=(store, *one, f"d{n}")) for n, one in enumerate(made)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(texts(store, "word")) == 13
    assert store.pointer("docs").next_sequence == 13


def test_a_fetched_segment_is_checked_on_arrival(make: Make, tmp_path: Path) -> None:
    objects = MemoryStore()
    folder, manifest = make(list(make_rows(5)))
    SegmentStore(objects, tmp_path / "cache").publish("docs", folder, manifest)
    key = f"collections/docs/segments/{manifest.digest}/keywords.safetensors"
    good = objects.objects[key]
    objects.objects[key] = good[:-1] + bytes([good[-1] ^ 1])
    fresh = SegmentStore(objects, tmp_path / "other")
    with pytest.raises(ArtifactCorrupt, match=r"keywords\.safetensors: sha256 .* expected"):
        fresh.open("docs")
    assert tree_bytes(tmp_path / "other") == {}
    objects.objects[key] = good
    assert fresh.open("docs").chunk_count == 5
    assert tree_bytes(tmp_path / "other" / "segments" / manifest.digest) == tree_bytes(folder)


def test_a_fetched_segment_is_opened_without_the_store(make: Make, tmp_path: Path) -> None:
    objects = MemoryStore()
    store = SegmentStore(objects, tmp_path / "cache")
    store.publish("docs", *make(list(make_rows(5))))
    store.open("docs")
    fetched = objects.calls["fetch_file"]
    assert SegmentStore(objects, tmp_path / "cache").open("docs").chunk_count == 5
    assert objects.calls["fetch_file"] == fetched


def test_segments_and_stacks_are_opened_once(store: SegmentStore, make: Make) -> None:
    store.publish("docs", *make([plain_row("a", "0", "word")]))
    for n in range(3):
        write(store, *make([plain_row(f"d{n}", "0", "word")]))
    first, second = store.open("docs"), store.open("docs")
    assert first._live.parts == second._live.parts


def test_one_build_at_a_time(store: SegmentStore) -> None:
    with (
        store.lock("docs"),
        pytest.raises(BuildInProgress, match="Ingestion already in progress"),
        store.lock("docs"),
    ):
        raise AssertionError("both hold the lock")
    with store.lock("docs"):
        pass


def test_a_build_that_was_refused_takes_nothing_from_the_one_that_holds_the_lock(
    store: SegmentStore, make: Make
) -> None:
    with store.lock("docs"):
        with pytest.raises(BuildInProgress), store.lock("docs"):
            raise AssertionError("both hold the lock")
        assert store.publish("docs", *make([plain_row("a", "0", "word")])).version
    store.publish(
        "docs", *make([plain_row("b", "0", "word")])
    )  # the lease is given back, and not taken again
    assert read_build(store._objects, "docs", time.time()) is None


def test_a_lease_that_ran_out_can_be_taken_and_the_late_build_does_not_publish(
    objects: ObjectStore, make: Make, tmp_path: Path
) -> None:
    now = [1000.0]
    late = SegmentStore(objects, tmp_path / "cache", clock=lambda: now[0])
    prompt = SegmentStore(objects, tmp_path / "cache", clock=lambda: now[0])
    with late.lock("docs"):
        now[0] += LEASE_S + 1
        with prompt.lock("docs"):
            prompt.publish("docs", *make([plain_row("a", "0", "prompt")]))
            with pytest.raises(BuildInProgress, match="ran out"):
                late.publish("docs", *make([plain_row("a", "0", "late")]))
        assert texts(prompt, "prompt") == ["prompt"]


def test_a_renewed_lease_holds_on(objects: ObjectStore, tmp_path: Path) -> None:
    now = [1000.0]
    store = SegmentStore(objects, tmp_path / "cache", clock=lambda: now[0])
    other = SegmentStore(objects, tmp_path / "cache", clock=lambda: now[0])
    with store.lock("docs") as lock:
        now[0] += LEASE_S - 1
        lock.renew()
        now[0] += LEASE_S - 1
        with pytest.raises(BuildInProgress), other.lock("docs"):
            raise AssertionError("the lease was renewed")


def test_a_lock_is_free_after_a_failed_build(store: SegmentStore) -> None:
    with pytest.raises(ZeroDivisionError), store.lock("docs"):
        raise ZeroDivisionError
    with store.lock("docs"):
        pass


def test_a_pointer_comes_back_as_it_was_and_damage_is_found() -> None:
    pointer = Pointer(
        "docs",
        "docs",
        "chatbot",
        (SegmentRef("a" * 64, 3), SegmentRef("b" * 64, 4, "write")),
        {"é": 4},
        "1.2",
    )
    data = pointer.to_json()
    assert read_pointer(data) == pointer
    assert read_pointer(data, "etag").etag == "etag"
    with pytest.raises(ArtifactCorrupt, match="version"):
        read_pointer(data.replace(b'"sequence":3', b'"sequence":5'))
    with pytest.raises(ArtifactMismatch, match="format 7"):
        read_pointer(data.replace(b'"format":1', b'"format":7'))
    for broken in (b"", b"[]", b"null", data[:-9], data.replace(b"next_sequence", b"next_sequins")):
        with pytest.raises(ArtifactCorrupt, match="pointer"):
            read_pointer(broken)


@pytest.mark.parametrize(
    ("field", "damaged"),
    [
        ("published_at", "2026-13-45"),
        ("published_at", "yesterday"),
        ("published_at", "2026-11-21T22:58:41"),
        ("published_at", 5),
        ("label", None),
        ("profile", ["docs"]),
        ("next_sequence", "1"),
        ("tombstones", []),
        ("tombstones", {"a": "1"}),
        ("segments", [{"digest": 5, "sequence": 1, "origin": "build"}]),
        ("segments", [{"digest": "a", "sequence": None, "origin": "build"}]),
        ("segments", 5),
    ],
)
def test_a_pointer_with_a_value_of_another_kind_is_corrupt(field: str, damaged: object) -> None:
    tree = json.loads(Pointer("docs", "docs", "chatbot", published_at="2026-11-21T22:58:41Z").to_json())
    assert read_pointer(json.dumps(tree).encode()).face == "chatbot"
    with pytest.raises(ArtifactCorrupt, match="pointer"):
        read_pointer(json.dumps(tree | {field: damaged}).encode())


@pytest.mark.parametrize("damaged", [b"", b"{}", b"[1]", b"\xff", b'{"format": 1', None])
def test_verify_finds_a_damaged_record_of_a_version(
    store: SegmentStore, objects: ObjectStore, make: Make, damaged: bytes | None
) -> None:
    store.publish("docs", *make([plain_row("a.md", "0", "first")]))
    first = store.pointer("docs").version
    store.publish("docs", *make([plain_row("a.md", "0", "second")]))
    assert store.verify("docs")
    key = versions_key("docs", first)
    kept = objects.read(key)
    assert kept is not None
    other = objects.read(versions_key("docs", store.pointer("docs").version))
    assert other is not None
    objects.write(key, other.data if damaged is None else damaged, if_match=kept.etag)
    with pytest.raises(ArtifactError, match=first):
        store.verify("docs")


def test_verify_finds_a_pointer_whose_segments_cannot_be_opened_together(
    store: SegmentStore, objects: ObjectStore, make: Make
) -> None:
    pointer = store.publish("docs", *make([plain_row("a.md", "0", "first")]))
    [ref] = pointer.segments
    held = objects.read(pointer_key("docs"))
    assert held is not None
    gone = pointer._replace(segments=(ref, ref._replace(digest="0" * 64)))
    objects.write(pointer_key("docs"), gone.to_json(), if_match=held.etag)
    with pytest.raises(ArtifactError):
        store.verify("docs")


def test_the_version_stands_for_segments_and_tombstones_alone() -> None:
    pointer = Pointer("docs", "docs", "chatbot", (SegmentRef("a" * 64, 3),), {"x": 1})
    assert pointer._replace(label="other", published_at="now", next_sequence=9).version == pointer.version
    assert pointer._replace(tombstones={"x": 2}).version != pointer.version
    assert pointer._replace(segments=()).version != pointer.version


def test_the_label_is_the_first_version_that_a_source_has(store: SegmentStore, make: Make) -> None:
    sources = (SourceFacts("a"), SourceFacts("b", version="0.735"), SourceFacts("c", version="9"))
    assert store.publish("docs", *make([], FACTS._replace(sources=sources))).label == "0.735"


def test_a_state_that_lost_the_race_is_no_version(store: SegmentStore, make: Make) -> None:
    first = store.publish("docs", *make([plain_row("a", "0", "one")]))
    moved = store.pointers.swap("docs", states.with_deletion(first, ["x"]), first)
    with pytest.raises(SwapConflict):
        store.pointers.swap("docs", states.with_deletion(first, ["y"]), first, record=True)
    assert {one.version for one in store.versions("docs")} == {first.version, moved.version}


def test_what_was_served_before_a_build_stays_a_version(store: SegmentStore, make: Make) -> None:
    store.publish("docs", *make([plain_row("a", "0", "word one")]))
    write(store, *make([plain_row("live", "0", "word live")]))
    live = store.pointer("docs")
    store.publish("docs", *make([plain_row("a", "0", "word two")]))
    assert sorted(texts(store, "word", live.version)) == ["word live", "word one"]
    assert sorted(texts(store, "word")) == ["word live", "word two"]


def test_a_rollback_serves_the_older_build_and_keeps_live_writes(store: SegmentStore, make: Make) -> None:
    first = store.publish("docs", *make([plain_row("a", "0", "word one"), plain_row("b", "0", "word b")]))
    store.publish("docs", *make([plain_row("a", "0", "word two")]), label="bad")
    write(store, *make([plain_row("live", "0", "word live")]))
    delete(store, "b")
    store.pointers.advance("docs", lambda now: states.with_rollback(there(now), first))
    assert sorted(texts(store, "word")) == ["word live", "word one"]
    assert (store.pointer("docs").label, store.pointer("docs").published_at) == ("1.2.3", first.published_at)
    assert store.pointer("docs").next_sequence == 3


def test_a_build_that_runs_and_one_that_was_killed_are_told_apart(
    objects: ObjectStore, tmp_path: Path
) -> None:
    now = [1000.0]
    store = SegmentStore(objects, tmp_path / "cache", clock=lambda: now[0])
    with store.lock("docs") as lock:
        running = read_builds(objects, now[0])["docs"]
        assert (running.since, running.is_running, running.progress) == (1000.0, True, "")
        for progress, later in (("1 files read", 1.0), ("2 files read", 2.0), ("9 files read", 0.0)):
            lock.tell(progress)
            now[0] += later
        assert read_builds(objects, now[0])["docs"].progress == "9 files read"
        lock.tell("10 files read")  # too soon for the store to be written again
        assert read_builds(objects, now[0])["docs"].progress == "9 files read"
        now[0] += LEASE_S + 1  # not renewed: its machine is gone
        assert not read_builds(objects, now[0])["docs"].is_running
    assert read_builds(objects, now[0]) == {}


@pytest.mark.parametrize("is_changed", [True, False])
def test_what_builds_left_behind_goes_with_the_next_one_though_it_changes_nothing(
    objects: ObjectStore, make: Make, tmp_path: Path, *, is_changed: bool
) -> None:
    now = [1000.0]
    store = SegmentStore(objects, tmp_path / "cache", clock=lambda: now[0])
    folder, stage = make([plain_row("a", "0", "half")])
    store.put("docs", folder, stage)
    retire(objects, "docs", [stage.digest], now[0])
    served = store.publish("docs", *make([plain_row("a", "0", "whole")]))
    segments = "collections/docs/segments/"
    assert len(objects.list(segments)) == 2, "a request may still read it"
    now[0] += GRACE_S + 1
    if is_changed:
        store.publish("docs", *make([plain_row("a", "0", "new")]))
    else:
        store.confirm("docs", served.segments[0].digest)
    assert f"{stage.digest}/" not in objects.list(segments)
    assert texts(store, "new" if is_changed else "whole") == ["new" if is_changed else "whole"]


def test_a_removed_collection_leaves_nothing(store: SegmentStore, objects: ObjectStore, make: Make) -> None:
    for name in ("docs", "other"):
        store.publish(name, *make([plain_row("a", "0", name)]))
    with store.lock("docs"):
        delete_collection(objects, "docs")
    assert objects.list("collections/") == ["other/"]
    assert [chunk.text for chunk in store.open("other").fetch([0])] == ["other"]
