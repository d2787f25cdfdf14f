from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from build_index.gate.review import Review
from build_index.pipeline.pipeline import build
from build_index.pipeline.plan import BuildPlan, Tools
from quire.adapters.folder import FolderStore
from quire.errors import ArtifactCorrupt
from quire.index.layout import GRAPH, MANIFEST
from quire.profiles import profile_named
from quire.store.keys import segment_key
from quire.store.store import SegmentStore
from tests.support.fakes import HashingEmbedder
from tests.support.killed_writes import write_model

pytestmark = pytest.mark.usefixtures("few_questions")


@pytest.mark.parametrize(("option", "has_graph"), [("auto", False), ("usearch", True), ("exact", False)])
def test_a_collection_says_whether_its_vectors_get_a_graph(
    tmp_path: Path, option: str, has_graph: bool
) -> None:
    book = tmp_path / "book"
    book.mkdir()
    (book / "page.md").write_text("# Rivers\n\nA river ends in a lake or in the sea.\n")
    plan = BuildPlan("book", profile_named("docs"), (("docs", str(book)),), options={"vector_index": option})
    store = SegmentStore(FolderStore(tmp_path / "store"), tmp_path / "cache" / "store")
    report = build(plan, Tools(HashingEmbedder(), tmp_path, tmp_path / "cache"), store, publish=False)
    assert (GRAPH in report.ingested.manifest.files) == has_graph


def test_building_again_mends_a_damaged_model(tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "page.md").write_text("# Rivers\n\nA river ends in a lake or in the sea.\n")
    write_model(tmp_path / "model")
    plan = BuildPlan("book", profile_named("docs"), (("docs", str(tmp_path / "book")),))
    store = SegmentStore(FolderStore(tmp_path / "store"), tmp_path / "cache" / "store")
    tools = Tools(HashingEmbedder(), tmp_path / "model", tmp_path / "cache")
    build(plan, tools, store)
    files = [one for one in (tmp_path / "store" / "models").rglob("*") if one.is_file()]
    whole = {one: one.read_bytes() for one in files}
    for damaged in files:
        for damage in (partial(os.truncate, damaged, 1), damaged.unlink):
            damage()
            build(plan, tools, store)
            assert {one: one.read_bytes() for one in files} == whole


def _flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0xFF
    file.write_bytes(data)


@dataclass(frozen=True, slots=True)
class Built:
    """A book that was built and published once; `again` builds it there once more."""

    folder: Path

    @property
    def book(self) -> Path:
        return self.folder / "book"

    @property
    def store(self) -> SegmentStore:
        return SegmentStore(FolderStore(self.folder / "store"), self.folder / "cache" / "store")

    def again(self) -> SegmentStore:
        plan = BuildPlan("book", profile_named("docs"), (("docs", str(self.book)),))
        tools = Tools(HashingEmbedder(), self.folder / "model", self.folder / "cache")
        store = self.store
        build(plan, tools, store, review=Review(store, lambda _: HashingEmbedder(), self.folder / "reports"))
        return store


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Built, Path]:
    """The folder of a first build, and a copy of it as that build left it."""
    built = Built(tmp_path_factory.mktemp("first") / "built")
    built.book.mkdir(parents=True)
    (built.book / "page.md").write_text("# Rivers\n\nA river ends in a lake or in the sea.\n")
    write_model(built.folder / "model")
    built.again()
    copied = built.folder.with_name("copied")
    shutil.copytree(built.folder, copied, symlinks=True)
    return built, copied


@pytest.fixture
def built(first: tuple[Built, Path]) -> Built:
    """What the first build left, whatever a test before did to it."""
    built, copied = first
    shutil.rmtree(built.folder)
    shutil.copytree(copied, built.folder, symlinks=True)
    return built


@pytest.mark.parametrize("damage", [_flip, lambda file: os.truncate(file, 10), Path.unlink])
@pytest.mark.parametrize("name", ["columns.safetensors", "payloads/00000.jsonl", MANIFEST])
@pytest.mark.parametrize("is_changed", [False, True])
def test_building_again_mends_a_damaged_segment(
    built: Built, damage: Callable[[Path], None], name: str, is_changed: bool
) -> None:
    [digest] = built.store.verify("book")
    damage(built.folder / "store" / segment_key("book", digest) / name)
    with pytest.raises(ArtifactCorrupt) as told:
        built.store.verify("book")
    assert segment_key("book", digest) in str(told.value)
    assert "Building book again replaces it" in str(told.value)
    if is_changed:
        (built.book / "more.md").write_text("# Lakes\n\nA lake lies still.\n")
    store = built.again()
    assert (store.verify("book") == [digest]) != is_changed
    assert store.open("book").chunk_count == 1 + is_changed
