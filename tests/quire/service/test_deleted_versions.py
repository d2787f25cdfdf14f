"""What was deleted is deleted at once in another process too, whichever version is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from quire.adapters.folder import FolderStore
from quire.documents import Document
from quire.search.retrieval import Query
from quire.service.access import ANYONE
from quire.service.knowledge import Knowledge
from quire.service.uploads import File
from quire.store.catalog import Catalog
from quire.store.live_catalog import LiveCatalog
from quire.store.store import SegmentStore
from tests.support.corpus import write_corpus
from tests.support.lively import COLLECTIONS, EMBEDDER, Lively


@pytest.mark.parametrize("collections", [COLLECTIONS, {}], ids=["described", "found"])
def test_a_page_that_was_deleted_is_found_in_no_version(
    tmp_path: Path, collections: dict[str, object]
) -> None:
    one = Lively(tmp_path)
    one.live.library.ingest(ANYONE, "book", [File("a.md", "# Secret\n\nA zyzzyva is a weevil.")])
    documents = [Document("b.md", "# Oars\n\nAn oar moves a boat.", "docs", {"path": "b.md"})]
    built = write_corpus(tmp_path / "segment", EMBEDDER, documents, profile="docs")
    version = one.store.publish("book", tmp_path / "segment", built).version
    # Another process, which looks at pointers every ten minutes.
    store = SegmentStore(FolderStore(tmp_path / "store"), tmp_path / "elsewhere")
    catalog, live = Catalog(store, refresh_s=600.0), LiveCatalog(store)
    knowledge = Knowledge(catalog, lambda digest: EMBEDDER, collections, live=live)  # type: ignore[arg-type]

    def found(version: str | None) -> bool:
        hits = knowledge.search(ANYONE, "book", Query("zyzzyva weevil"), version).hits
        return any("weevil" in hit.chunk.text for hit in hits)

    assert [found("latest"), found(version), found(None)] == [True, True, True]
    one.live.library.delete(ANYONE, "book", "a.md")
    assert [found("latest"), found(version), found(None)] == [False, False, False]


def test_a_version_is_found_by_its_name_as_soon_as_a_write_has_made_it(tmp_path: Path) -> None:
    one = Lively(tmp_path)
    catalog, live = Catalog(one.store, refresh_s=600.0), LiveCatalog(one.store)
    knowledge = Knowledge(catalog, lambda digest: EMBEDDER, COLLECTIONS, live=live)
    for number in range(2):
        one.live.library.ingest(ANYONE, "book", [File(f"{number}.md", f"# Oars\n\nOars of kind {number}.")])
        version = one.store.pointer("book").version
        assert knowledge.serve(ANYONE, "book", version).version == version
