"""Collections that take live writes while builds come: the newer build is fetched beside the one that serves."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from quire.documents import Document
from quire.errors import DiskFull, QuireError
from quire.index.layout import Pointer
from quire.index.opened import OpenedIndex
from quire.profiles import profile_named
from quire.service.live_writes import LiveWrites
from quire.store.catalog import IDLE_S
from quire.store.live_catalog import RETRY_S, LiveCatalog
from quire.store.store import SegmentStore
from quire.store.write_targets import WriteTarget
from tests.support.deployed import publish
from tests.support.fakes import HashingEmbedder
from tests.support.stores import MemoryStore

EMBEDDER = HashingEmbedder()
DOCS = WriteTarget("docs", profile_named("docs"))


class Distant:
    """A store whose builds can be held back, or fail to open; `opened` counts the states that were opened."""

    def __init__(self, store: SegmentStore) -> None:
        self.store, self.pointer = store, store.pointer
        self.gate = threading.Event()
        self.gate.set()
        self.failure: QuireError | None = None
        self.opened = 0

    def open_state(self, pointer: Pointer) -> OpenedIndex:
        builds = pointer._replace(segments=tuple(one for one in pointer.segments if one.origin == "build"))
        if not self.is_near(builds):
            self.opened += 1
            self.gate.wait(10)
            if self.failure is not None:
                raise self.failure
        return self.store.open_state(pointer)

    def is_near(self, pointer: Pointer) -> bool:
        return self.store.is_near(pointer)


class Deployed:
    """A builder, a writer, and a process that serves from a fetched copy, each with its own view of one store."""

    now = 100.0

    def __init__(self, folder: Path) -> None:
        self.objects = MemoryStore()
        self.builder = SegmentStore(self.objects, folder / "builder")
        self.writes = LiveWrites(SegmentStore(self.objects, folder / "writer"), folder / "work")
        self.distant = Distant(SegmentStore(self.objects, folder / "serving"))
        self.catalog = LiveCatalog(self.distant, steady_s=1e9, clock=lambda: self.now)
        self.catalog.prepare = lambda index: self.prepared.append(index)
        self.prepared: list[OpenedIndex] = []

    def build(self, *names: str, name: str = "docs") -> str:
        documents = [_document(one) for one in names]
        return publish(self.builder, name, documents, EMBEDDER, profile="docs", engine="")

    def texts(self) -> set[str]:
        index = self.catalog.get("docs").index
        return {name for name in "abcdw" if len(index.documents.chunks(name))}

    def arrive(self) -> None:
        self.distant.gate.set()
        for thread in [one for one in threading.enumerate() if one.name.startswith("fetch ")]:
            thread.join(10)


def _document(name: str) -> Document:
    return Document(
        name, f"The word {name} stands here among others.", "prose", {"source": name, "path": name}
    )


@pytest.fixture
def deployed(tmp_path: Path) -> Deployed:
    deployed = Deployed(tmp_path)
    deployed.build("a", "b")
    assert deployed.texts() == {"a", "b"}
    return deployed


def test_while_a_newer_build_is_fetched_the_one_before_serves_with_what_is_written_and_deleted(
    deployed: Deployed,
) -> None:
    old = deployed.catalog.get("docs").version
    new = deployed.build("a", "b", "c")
    deployed.distant.gate.clear()
    assert deployed.catalog.get("docs").version == old
    for name in ("w", "d"):
        deployed.writes.put(DOCS, [_document(name)], EMBEDDER)
    deployed.writes.delete(DOCS, "d")
    assert deployed.texts() == {"a", "b", "w"}
    deployed.arrive()
    served = deployed.catalog.get("docs")
    assert (deployed.texts(), served.degraded, served.version != new) == ({"a", "b", "c", "w"}, (), True)
    assert len(deployed.prepared) == 1


def test_a_build_that_finds_no_room_leaves_the_one_before_labelled_and_is_tried_again_later(
    deployed: Deployed,
) -> None:
    deployed.build("a", "b", "c")
    deployed.distant.failure = DiskFull("full")
    deployed.catalog.get("docs")
    deployed.arrive()
    for _ in range(3):
        served = deployed.catalog.get("docs")
        assert served.degraded == (f"no room for a newer version: serving version {served.version}",)
        assert served.index.chunk_count == 2
    trouble = deployed.catalog.trouble("docs")
    assert trouble is not None
    assert trouble.kind == "DiskFull"
    assert deployed.distant.opened == 2  # the first of all, and one attempt
    deployed.distant.failure = None
    deployed.now += RETRY_S
    deployed.catalog.get("docs")
    deployed.arrive()
    assert deployed.texts() == {"a", "b", "c"}
    assert deployed.catalog.get("docs").degraded == ()


def test_a_build_with_a_changed_byte_leaves_the_one_before_labelled(deployed: Deployed) -> None:
    deployed.build("a", "b", "c")
    [build] = deployed.builder.pointer("docs").segments
    key = f"collections/docs/segments/{build.digest}/vectors.safetensors"
    deployed.objects.objects[key] = deployed.objects.objects[key][:-1] + b"?"
    deployed.catalog.get("docs")
    deployed.arrive()
    served = deployed.catalog.get("docs")
    assert served.degraded == (f"newer version unusable (ArtifactCorrupt): serving version {served.version}",)
    assert served.index.chunk_count == 2


def test_a_collection_that_nobody_asks_is_closed_where_another_finds_no_room(deployed: Deployed) -> None:
    deployed.build("a", name="other")
    closed: list[str] = []
    deployed.distant.failure = DiskFull("full")

    def has_room(name: str, idle_s: float) -> bool:
        closed.append(name)
        deployed.distant.failure = None
        return True

    deployed.catalog.entries.make_room = has_room
    assert not deployed.catalog.entries.close_idlest("other", IDLE_S)
    assert deployed.catalog.get("other").index.chunk_count == 1
    assert deployed.catalog.peek("docs") is None  # it went first: nothing of the other is open yet
    assert closed == ["other"]
