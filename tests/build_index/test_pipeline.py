from __future__ import annotations

import os
from collections.abc import Callable
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


@pytest.mark.parametrize("damage", [_flip, lambda file: os.truncate(file, 10), Path.unlink])
@pytest.mark.parametrize("name", ["columns.safetensors", "payloads/00000.jsonl", MANIFEST])
@pytest.mark.parametrize("is_changed", [False, True])
def test_building_again_mends_a_damaged_segment(
    tmp_path: Path, damage: Callable[[Path], None], name: str, is_changed: bool
) -> None:
    book = tmp_path / "book"
    book.mkdir()
    (book / "page.md").write_text("# Rivers\n\nA river ends in a lake or in the sea.\n")
    plan = BuildPlan("book", profile_named("docs"), (("docs", str(book)),))
    write_model(tmp_path / "model")
    tools = Tools(HashingEmbedder(), tmp_path / "model", tmp_path / "cache")

    def built() -> SegmentStore:
        store = SegmentStore(FolderStore(tmp_path / "store"), tmp_path / "cache" / "store")
        build(plan, tools, store, review=Review(store, lambda _: HashingEmbedder(), tmp_path / "reports"))
        return store

    [digest] = built().verify("book")
    damage(tmp_path / "store" / segment_key("book", digest) / name)
    with pytest.raises(ArtifactCorrupt) as told:
        SegmentStore(FolderStore(tmp_path / "store"), tmp_path / "cache" / "store").verify("book")
    assert segment_key("book", digest) in str(told.value)
    assert "Building book again replaces it" in str(told.value)
    if is_changed:
        (book / "more.md").write_text("# Lakes\n\nA lake lies still.\n")
    store = built()
    assert (store.verify("book") == [digest]) != is_changed
    assert store.open("book").chunk_count == 1 + is_changed
