"""A build of more chunks than a segment may have: several segments that answer as one, and facts in the pointer."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from build_index.distributed.sharded import ingest_in_shards
from build_index.distributed.shards import Sharding
from build_index.gate.review import Review
from build_index.pipeline.ingest import IngestReport
from build_index.pipeline.pipeline import build
from build_index.release.publishing import ReleaseTarget, list_versions, roll_back
from quire.embedding.model_folder import FACTS_FILE
from quire.errors import ArtifactCorrupt, ArtifactMismatch, PublishRefused
from quire.index.layout import BuildFacts, Pointer, SegmentRef, SourceFacts, read_pointer
from quire.index.opened import OpenedIndex, open_built
from quire.index.reader import verify_segment
from quire.search.retrieval import Query, retrieve
from quire.service.diff import compare_versions
from quire.service.freshness import tell_freshness
from quire.store.pointers import builds_of, with_deletion, with_write
from quire.store.store import SegmentStore
from tests.build_index.distributed.test_shards import Desk, InTurn, book, whole
from tests.support.fakes import HashingEmbedder

__all__ = ["book", "whole"]

pytestmark = pytest.mark.usefixtures("few_questions")

QUESTIONS = [f"where does bend {n} of river {number} turn" for number in range(0, 24, 3) for n in range(3)]


class SplitDesk(Desk):
    """One whose builds have segments of `most_chunks` at most, and whose model is a folder that can be stored."""

    most_chunks = 10

    def __init__(self, root: Path, book: Path) -> None:
        super().__init__(root, book)
        write_facts(root, self.embedder)

    def sharding(self, mean_chunks: float, engine: InTurn | None = None) -> Sharding:
        return Sharding(
            self.objects, engine or InTurn(), self.open_worker, mean_chunks, most_chunks=self.most_chunks
        )

    def publish(self, store: SegmentStore, review: Review | None = None) -> Pointer:
        write = partial(ingest_in_shards, sharding=self.sharding(4))
        report = build(self.plan, self.tools, store, review=review, write=write)
        assert report.published is not None
        return report.published


def write_facts(folder: Path, embedder: HashingEmbedder) -> None:
    """What a model's folder says of itself."""
    told = {"name": "hashing", "digest": embedder.digest, "dimensions": embedder.dimensions}
    more = {"window": 8, "overlap": 0, "query_prefix": "", "files": {}}
    (folder / FACTS_FILE).write_text(json.dumps(told | more))


def hits(index: OpenedIndex, question: str) -> list[tuple[str, float]]:
    found = retrieve(index, HashingEmbedder(), Query(question)).hits
    return [(hit.chunk.id, hit.score) for hit in found]


@pytest.fixture
def desk(tmp_path: Path, book: Path) -> SplitDesk:
    return SplitDesk(tmp_path, book)


@pytest.fixture
def store(desk: SplitDesk, tmp_path: Path) -> SegmentStore:
    return SegmentStore(desk.objects, tmp_path / "fetched")


@pytest.fixture
def copied(tmp_path: Path, book: Path) -> tuple[SplitDesk, SegmentStore, Path]:
    """A desk with a store, and pages of its own that may be edited."""
    pages = tmp_path / "copied"
    shutil.copytree(book, pages)
    desk = SplitDesk(tmp_path, pages)
    return desk, SegmentStore(desk.objects, tmp_path / "fetched"), pages


@settings(max_examples=5)
@given(most_chunks=st.integers(1, 30))
def test_several_segments_answer_as_the_one_with_the_same_calibration(
    tmp_path_factory: pytest.TempPathFactory, book: Path, whole: IngestReport, most_chunks: int
) -> None:
    desk = SplitDesk(tmp_path_factory.mktemp("split"), book)
    desk.most_chunks = most_chunks
    done = desk.sharded(3)
    several, one = open_built(done.folder), open_built(whole.folder)
    verify_segment(done.folder, done.manifest.digest)
    assert done.manifest.counts == whole.manifest.counts
    assert done.manifest.source_counts == whole.manifest.source_counts
    if not done.manifest.parts:
        assert done.manifest.digest == whole.manifest.digest
    assert several.calibration == one.calibration
    assert several.sources == one.sources
    for question in QUESTIONS:
        assert hits(several, question) == hits(one, question)


def test_the_pointer_says_what_holds_for_all_of_them(desk: SplitDesk, store: SegmentStore) -> None:
    pointer = desk.publish(store)
    assert pointer.build is not None
    assert len(pointer.segments) > 2
    assert store.verify("book") == list(builds_of(pointer))
    index = store.open("book")
    assert index.calibration == pointer.build.calibration
    assert "abstention" in index.calibration
    assert all(not one.calibration and not one.sources and not one.notes for one in index.manifests)
    assert [source.key for source in index.sources] == ["docs"]
    assert tell_freshness(pointer, index.manifests, datetime.now(UTC)).sources == index.sources
    assert json.loads(pointer.to_json())["format"] == 2
    assert read_pointer(pointer.to_json()) == pointer


def test_a_build_of_one_segment_is_served_as_programs_of_the_first_version_read_it(
    desk: SplitDesk, store: SegmentStore
) -> None:
    desk.most_chunks = 1_000
    pointer = desk.publish(store)
    assert pointer.build is None
    tree = json.loads(pointer.to_json())
    assert tree["format"] == 1
    assert "build" not in tree


def test_nothing_is_built_where_nothing_changed(copied: tuple[SplitDesk, SegmentStore, Path]) -> None:
    desk, store, pages = copied
    (pages / "broken.md").unlink()  # what failed is tried again
    first, again = desk.publish(store), desk.publish(store)
    assert again.build is not None
    assert (again.version, again.build) == (first.version, first.build)
    assert again.checked_at


def test_segments_whose_documents_stayed_are_not_stored_again(
    copied: tuple[SplitDesk, SegmentStore, Path],
) -> None:
    desk, store, pages = copied
    before = desk.publish(store)
    (pages / "page23.md").write_text("# River 23\n\n## Bend 0\n\nIt dried up.\n")
    after = desk.publish(store)
    kept = {*builds_of(before)} & {*builds_of(after)}
    assert len(builds_of(after)) - len(kept) == 1
    assert before.version != after.version


def test_versions_of_one_and_of_several_are_compared_and_rolled_back_to(
    copied: tuple[SplitDesk, SegmentStore, Path],
) -> None:
    desk, store, pages = copied
    place = ReleaseTarget(desk.objects, store)
    first = desk.publish(store)
    (pages / "page11.md").write_text("# Lake\n\nStill water.\n")
    desk.most_chunks = 1_000
    second = desk.publish(store)
    diff = compare_versions(store.open("book", first.version), store.open("book", second.version))
    assert "page11.md" in str(diff)
    assert "page12.md" not in str(diff)
    assert [one.id for one in list_versions(place, "book")] == [second.version, first.version]
    back = roll_back(place, "book")
    assert (back.version, back.build) == (first.version, first.build)
    forth = roll_back(place, "book", second.version)
    assert (forth.version, forth.build) == (second.version, None)
    store.verify("book")


def test_live_writes_and_deletions_leave_the_builds_facts(desk: SplitDesk, store: SegmentStore) -> None:
    pointer = desk.publish(store)
    gone = with_deletion(pointer, ["page03.md"])
    assert gone.build == pointer.build
    assert gone.version != pointer.version
    index = store.open_state(gone)
    assert not len(index.documents.chunks("page03.md"))
    assert index.calibration == store.open("book").calibration
    assert with_write(pointer, "0" * 64, ()).build == pointer.build


def test_guard_and_gate_judge_all_of_them(copied: tuple[SplitDesk, SegmentStore, Path]) -> None:
    desk, store, pages = copied
    review = Review(store, lambda _: desk.embedder, pages.parent / "reports")
    pointer = desk.publish(store, review)
    assert pointer.build is not None
    assert pointer.build.notes["gate"] == {"remarks": ["first version: there was nothing to compare with"]}
    for number in range(8):
        (pages / f"page{number:02d}.md").unlink()
    with pytest.raises(PublishRefused, match=r"page00\.md"):
        desk.publish(store, review)
    assert store.pointer("book") == pointer


def test_what_was_built_before_can_be_published_later(desk: SplitDesk, store: SegmentStore) -> None:
    write = partial(ingest_in_shards, sharding=desk.sharding(4))
    report = build(desk.plan, desk.tools, store, publish=False, write=write)
    pointer = store.publish("book", report.ingested.folder, report.ingested.manifest)
    assert len(builds_of(pointer)) == len(report.ingested.manifest.parts) > 1


def test_what_classes_inherit_is_known_of_all_of_them(desk: SplitDesk, store: SegmentStore) -> None:
    pointer = desk.publish(store)
    assert pointer.build is not None
    assert not store.open_state(pointer).is_api
    classes = pointer.build._replace(extra={"hierarchy": {"Part": "Instance"}})
    index = store.open_state(pointer._replace(build=classes))
    assert index.is_api
    assert index.symbols.ancestry("Part") == ("Part", "Instance")


SEVERAL = Pointer(
    "book",
    "docs",
    "chatbot",
    (SegmentRef("a" * 64, 1), SegmentRef("b" * 64, 1)),
    build=BuildFacts({"bias": 1.0}, (SourceFacts("docs", "x"),), {}, {"inputs": "i"}),
)


def test_a_version_is_named_by_the_builds_facts_but_not_by_its_notes() -> None:
    assert SEVERAL.build is not None
    noted = SEVERAL._replace(build=SEVERAL.build._replace(notes={"inputs": "other"}))
    fitted = SEVERAL._replace(build=SEVERAL.build._replace(calibration={"bias": 2.0}))
    assert noted.version == SEVERAL.version != fitted.version


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda tree: tree["build"]["calibration"].update(bias=3.0), "version"),
        (lambda tree: tree["build"].update(calibration=[]), "build"),
        (lambda tree: tree["build"].update(notes="none"), "build.notes"),
        (lambda tree: tree["build"].update(sources=[{"key": 3}]), "build.sources.key"),
        (lambda tree: tree["build"].update(other=1), "unknown"),
        (lambda tree: tree.update(build=None), "missing or unknown"),
        (lambda tree: tree.pop("build"), "missing or unknown"),
        (lambda tree: tree.update(format=1), "before version 2"),
    ],
)
def test_a_damaged_pointer_is_refused(change: Callable[[dict[str, object]], object], error: str) -> None:
    tree = json.loads(SEVERAL.to_json())
    change(tree)
    with pytest.raises(ArtifactCorrupt, match=error):
        read_pointer(json.dumps(tree).encode())


def test_a_pointer_of_a_later_format_is_refused() -> None:
    tree = json.loads(SEVERAL.to_json()) | {"format": 3}
    with pytest.raises(ArtifactMismatch, match="format 3, this program reads 2; use the Quire that wrote it"):
        read_pointer(json.dumps(tree).encode())
