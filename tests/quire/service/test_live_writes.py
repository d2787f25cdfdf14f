"""Live writes and merging, against a dictionary: every process serves what was acknowledged, and nothing else."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.adapters.folder import FolderStore
from quire.documents import Document
from quire.errors import ArtifactMismatch, SourceError, StoreUnavailable, UnknownCollection, UnknownDocument
from quire.ports import ObjectStore
from quire.profiles import profile_named
from quire.search.retrieval import Query, retrieve
from quire.service.access import ANYONE
from quire.service.live_writes import LiveWrites
from quire.service.sites import Submission
from quire.store.catalog import Served
from quire.store.live_catalog import LiveCatalog
from quire.store.merging import SegmentMerger
from quire.store.retired import GRACE_S
from quire.store.store import SegmentStore
from quire.store.write_targets import WriteTarget
from tests.support.corpus import write_corpus
from tests.support.fakes import HashingEmbedder
from tests.support.lively import Lively
from tests.support.site_writer import SITE as ACME
from tests.support.stores import MemoryStore

EMBEDDER = HashingEmbedder()
SITE = WriteTarget("sites/acme", profile_named("sites"), is_built=False)
DOCS = WriteTarget("docs", profile_named("docs"))
WORDS = "anchor basin copper delta ember fjord glacier harbor island jungle kernel lagoon meadow nectar orchid".split()


def document(name: str, version: int = 0, words: int = 12) -> Document:
    """A text of its own for each name and version."""
    draw = random.Random(f"{name}/{version}")
    text = f"{name} edition{version} " + " ".join(draw.choices(WORDS, k=words))
    return Document(name, text, "prose", {"source": name, "created_at": str(version)})


class Desk:
    """A store with writes, merging, and the view of another process."""

    def __init__(self, objects: ObjectStore, folder: Path) -> None:
        self.objects = objects
        self.folder = folder
        self.now = 1_000_000.0
        self.store = SegmentStore(objects, folder / "cache")
        self.writes = LiveWrites(self.store, folder / "work")
        self.merger = SegmentMerger(self.store, objects, folder / "work", clock=lambda: self.now)
        self.other = LiveCatalog(SegmentStore(objects, folder / "other"))

    def put(self, place: WriteTarget, *documents: Document) -> None:
        self.writes.put(place, documents, EMBEDDER)

    def served(self, place: WriteTarget) -> Served:
        return self.other.get(place.name)

    def texts(self, place: WriteTarget, *names: str) -> dict[str, str]:
        """Text of each document that the other process finds, chunks joined."""
        index = self.served(place).index
        found = {name: index.fetch(index.documents.chunks(name)) for name in names}
        return {name: "\n".join(chunk.text for chunk in chunks) for name, chunks in found.items() if chunks}


@pytest.fixture(params=["folder", "memory"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    objects: ObjectStore = FolderStore(tmp_path / "store") if request.param == "folder" else MemoryStore()
    return Desk(objects, tmp_path)


@pytest.fixture
def folders() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def test_a_collection_begins_with_its_first_document(desk: Desk) -> None:
    with pytest.raises(UnknownCollection):
        desk.served(SITE)
    written = desk.writes.put(SITE, [document("a"), document("b")], EMBEDDER)
    assert written.changed == {"a", "b"}
    assert desk.texts(SITE, "a", "b", "c") == {"a": document("a").text, "b": document("b").text}
    assert desk.served(SITE).pointer.profile == "sites"


def test_replacing_is_one_step(desk: Desk) -> None:
    desk.put(SITE, document("a", 0), document("b", 0))
    desk.put(SITE, document("a", 1))
    assert desk.texts(SITE, "a", "b") == {"a": document("a", 1).text, "b": document("b").text}
    assert desk.served(SITE).index.chunk_count == 2


def test_deleting_holds_at_once_and_only_once(desk: Desk) -> None:
    desk.put(SITE, document("a"))
    desk.writes.delete(SITE, "a")
    assert desk.texts(SITE, "a") == {}
    with pytest.raises(UnknownDocument):
        desk.writes.delete(SITE, "a")
    with pytest.raises(UnknownDocument):
        desk.writes.put(SITE, [document("a", 1)], EMBEDDER, must_exist=True)
    desk.put(SITE, document("a"))
    assert desk.texts(SITE, "a") == {"a": document("a").text}


def test_writing_the_same_again_changes_nothing(desk: Desk) -> None:
    first = desk.writes.put(SITE, [document("a"), document("b")], EMBEDDER)
    again = desk.writes.put(SITE, [document("a"), document("b")], EMBEDDER)
    assert again.changed == frozenset()
    assert again.pointer == first.pointer
    assert again.chunks == first.chunks
    part = desk.writes.put(SITE, [document("a"), document("b", 1)], EMBEDDER)
    assert part.changed == {"b"}
    assert desk.texts(SITE, "a", "b") == {"a": document("a").text, "b": document("b", 1).text}


def test_a_document_that_cannot_be_parsed_writes_nothing(desk: Desk) -> None:
    broken = Document("b.mdx", "import {", "textbook", {"path": "b.mdx"})
    with pytest.raises(SourceError):
        desk.writes.put(DOCS, [document("a"), broken], EMBEDDER)
    with pytest.raises(UnknownCollection):
        desk.served(DOCS)


def test_vectors_of_another_model_are_refused(desk: Desk) -> None:
    desk.put(SITE, document("a"))
    with pytest.raises(ArtifactMismatch, match="model"):
        desk.writes.put(SITE, [document("b")], HashingEmbedder(32))
    assert desk.texts(SITE, "a", "b") == {"a": document("a").text}


def test_a_build_and_live_writes_at_once_lose_nothing(desk: Desk) -> None:
    desk.put(DOCS, document("live", 0))
    with desk.store.lock("docs"):
        segment = desk.folder / "built"
        manifest = write_corpus(
            segment, EMBEDDER, [document("built"), document("edited", 0), document("gone", 0)], profile="docs"
        )
        desk.put(DOCS, document("edited", 1), document("gone", 1), document("new"))
        desk.writes.delete(DOCS, "gone")
        desk.store.publish("docs", segment, manifest)
    expected = {"live": 0, "built": 0, "edited": 1, "new": 0}
    assert desk.texts(DOCS, *expected, "gone") == {
        name: document(name, version).text for name, version in expected.items()
    }
    assert desk.merger.merge(DOCS, everything=True) is not None
    assert desk.texts(DOCS, *expected, "gone") == {
        name: document(name, version).text for name, version in expected.items()
    }


operation = st.tuples(
    st.sampled_from(["put", "put", "put two", "delete", "merge", "merge all", "sweep"]),
    st.integers(0, 5),
    st.integers(0, 3),
)


@settings(max_examples=20, deadline=None)
@given(operations=st.lists(operation, min_size=3, max_size=25))
def test_random_writes_and_folds_serve_what_a_dictionary_holds(
    operations: list[tuple[str, int, int]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        desk, model = Desk(MemoryStore(), Path(folder)), dict[str, str]()
        names = [f"d{number}" for number in range(6)]
        for kind, number, version in operations:
            chosen = [names[number], names[(number + 1) % 6]][: 2 if kind == "put two" else 1]
            if kind.startswith("put"):
                desk.put(SITE, *(document(name, version) for name in chosen))
                model |= {name: document(name, version).text for name in chosen}
            elif kind == "delete" and chosen[0] in model:
                desk.writes.delete(SITE, chosen[0])
                del model[chosen[0]]
            elif kind == "sweep":
                desk.now += GRACE_S + 1
                desk.merger.sweep(SITE.name)
            else:
                desk.merger.merge(SITE, everything=kind == "merge all")
            if desk.other.find(SITE.name) is None:
                assert model == {}
            else:
                assert desk.texts(SITE, *names) == model
                assert desk.served(SITE).index.chunk_count == len(model)
        if model and desk.merger.merge(SITE, everything=True):
            served = desk.served(SITE)
            assert len(served.pointer.segments) == 1
            assert served.pointer.tombstones == {}


def test_merging_changes_no_ranking_and_is_due_when_segments_are_many(desk: Desk) -> None:
    for number in range(40):
        desk.put(SITE, document(f"d{number}", words=20 + number))
    for number in range(0, 40, 7):
        desk.put(SITE, document(f"d{number}", 1))
    questions = [" ".join(random.Random(seed).choices(WORDS, k=3)) for seed in range(20)]

    def ranked() -> list[list[tuple[str, float]]]:
        index = desk.served(SITE).index
        found = [retrieve(index, EMBEDDER, Query(question, 10)).hits for question in questions]
        return [[(hit.chunk.document_id, hit.score) for hit in hits] for hits in found]

    before = ranked()
    assert desk.merger.merge(SITE) is not None
    assert len(desk.served(SITE).pointer.segments) < 10
    assert ranked() == before
    desk.put(SITE, document("late", words=30))
    before = ranked()
    assert desk.merger.merge(SITE, everything=True) is not None
    assert len(desk.served(SITE).pointer.segments) == 1
    assert ranked() == before
    assert desk.merger.merge(SITE, everything=True) is None


def test_what_was_folded_is_swept_after_a_while(desk: Desk) -> None:
    for number in range(4):
        desk.put(SITE, document(f"d{number}"))
    segments = "collections/sites/acme/segments/"
    desk.merger.merge(SITE, everything=True)
    assert len(desk.objects.list(segments)) == 5
    assert desk.merger.sweep(SITE.name) == 0
    desk.now += GRACE_S + 1
    assert desk.merger.sweep(SITE.name) == 4
    assert len(desk.objects.list(segments)) == 1
    assert len(desk.texts(SITE, *(f"d{number}" for number in range(4)))) == 4


def test_merging_and_writing_at_once_loses_nothing(desk: Desk) -> None:
    names = [f"d{number}" for number in range(24)]
    with ThreadPoolExecutor(5) as pool:
        jobs = [pool.submit(desk.put, SITE, document(name)) for name in names]
        merges = [pool.submit(desk.merger.merge, SITE, everything=True) for _ in range(6)]
        for job in jobs:
            job.result()
        assert any(job.result() is not None for job in merges)
    assert desk.texts(SITE, *names) == {name: document(name).text for name in names}
    desk.merger.merge(SITE, everything=True)
    assert desk.texts(SITE, *names) == {name: document(name).text for name in names}


def test_while_the_store_is_down_the_last_state_serves_and_says_so(tmp_path: Path) -> None:
    objects = MemoryStore()
    desk = Desk(objects, tmp_path)
    desk.put(SITE, document("a"))
    assert desk.served(SITE).degraded == ()
    objects.is_down = True
    assert "store unreachable" in desk.served(SITE).degraded[0]
    assert desk.texts(SITE, "a") == {"a": document("a").text}
    with pytest.raises(StoreUnavailable):
        LiveCatalog(desk.store).get(SITE.name)
    objects.is_down = False
    assert desk.served(SITE).degraded == ()


def test_requests_at_once_share_a_look_that_began_after_them(tmp_path: Path) -> None:
    objects = MemoryStore()
    desk = Desk(objects, tmp_path)
    desk.put(SITE, document("a"))
    desk.served(SITE)
    objects.calls.clear()
    with ThreadPoolExecutor(8) as pool:
        served = list(pool.map(lambda _: desk.served(SITE), range(100)))
    assert len({id(one) for one in served}) == 1
    assert 1 <= objects.calls["read_if_changed"] <= 100
    desk.put(SITE, document("b"))
    assert set(desk.texts(SITE, "a", "b")) == {"a", "b"}


def test_only_so_many_collections_stay_open(tmp_path: Path) -> None:
    desk = Desk(MemoryStore(), tmp_path)
    places = [WriteTarget(f"sites/s{number}", profile_named("sites"), is_built=False) for number in range(6)]
    for place in places:
        desk.put(place, document("a"))
    catalog = LiveCatalog(desk.store, most_open=2)
    first = catalog.get(places[0].name)
    assert catalog.get(places[0].name) is first
    for place in places[1:]:
        catalog.get(place.name)
    assert catalog.get(places[0].name) is not first


def test_a_write_to_a_bucket_sends_its_files_and_fetches_nothing_back(tmp_path: Path) -> None:
    objects = MemoryStore()
    lively = Lively(tmp_path, objects=objects)
    documents = lively.live.documents
    for number in range(3):
        objects.calls.clear()
        added = documents.add(ANYONE, ACME, Submission(f"The word zq{number} stands here alone.", "a.txt"))
        files = len(
            lively.store.segment(ACME.name, lively.store.pointer(ACME.name).segments[-1]).manifest.files
        )
        assert objects.calls["put_file"] == files + 1
        assert "fetch_file" not in objects.calls
        assert objects.calls["write"] == 2  # its text and the pointer
    objects.calls.clear()
    documents.delete(ANYONE, ACME, added.id)
    assert "fetch_file" not in objects.calls


def test_a_document_that_another_process_wrote_since_can_be_deleted_and_replaced(tmp_path: Path) -> None:
    """A swap builds on what this process saw last; where that is old, it looks again before it says no."""
    objects = MemoryStore()
    one, other = (Lively(tmp_path / name, objects=objects).live.documents for name in ("one", "other"))
    one.add(ANYONE, ACME, Submission("Something that both know.", "a.txt"))
    other.page(ANYONE, ACME, limit=1)
    added = one.add(ANYONE, ACME, Submission("Something that one process wrote.", "b.txt"))
    other.delete(ANYONE, ACME, added.id)
    with pytest.raises(UnknownDocument):
        one.delete(ANYONE, ACME, added.id)
    again = other.add(ANYONE, ACME, Submission("Something that the other wrote.", "c.txt"))
    assert one.replace(ANYONE, ACME, again.id, Submission("Replaced.")).source == "c.txt"
    assert other.get(ANYONE, ACME, again.id).content == "Replaced."
