from __future__ import annotations

from pathlib import Path

import pytest

from build_index.pipeline.pipeline import build
from build_index.pipeline.plan import BuildPlan, Tools
from quire.adapters.folder import FolderStore
from quire.index.layout import GRAPH
from quire.profiles import profile_named
from quire.store.store import SegmentStore
from tests.support.fakes import HashingEmbedder


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
