"""The textbook specification's retrieval check, on the real book."""

from contextlib import closing
from pathlib import Path

import pytest

from build_index.cache.store import ContentStore
from build_index.cache.vectors import CachedVectors
from build_index.sources import Failure
from build_index.sources.files.textbook import read_book
from quire.embedding.onnx import OnnxEmbedder
from quire.index.opened import OpenedIndex
from quire.index.reader import open_segment
from quire.search.retrieval import Query, retrieve
from tests.support.corpus import write_corpus
from tests.support.model import kept_pages
from tests.support.shared import shared_path

CHAPTER_1 = "01-chapter-1-embodied-ai"


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory, model_folder: Path, embedder: OnnxEmbedder) -> OpenedIndex:
    root = shared_path("data/textbook/split-layout/frontend/docs") / "01-part-1-foundations-lab" / CHAPTER_1
    documents = [one for one in read_book(root.parent) if not isinstance(one, Failure)]
    chapter = [one for one in documents if CHAPTER_1 in str(one.metadata["path"])]
    folder: Path = tmp_path_factory.mktemp("book") / "segment"
    kept = kept_pages(model_folder)
    kept.mkdir(exist_ok=True)
    with closing(ContentStore(kept)) as store:
        vectors = CachedVectors(embedder, store)
        write_corpus(folder, embedder, chapter, profile="textbook", vectors=vectors)
    return OpenedIndex([(open_segment(folder), 0)])


def test_what_is_embodied_intelligence_retrieves_chapter_1(book: OpenedIndex, embedder: OnnxEmbedder) -> None:
    hits = retrieve(book, embedder, Query("What is embodied intelligence?", top_k=5)).hits
    assert len(hits) == 5
    assert hits[0].score > 0.5
    assert all(hit.chunk.metadata["chapter_dir"] == CHAPTER_1 for hit in hits)
    assert any("embodied" in hit.chunk.text.lower() for hit in hits[:2])


def test_selected_text_is_searched_with_the_question(book: OpenedIndex, embedder: OnnxEmbedder) -> None:
    selected = "sensorimotor loop"
    hits = retrieve(book, embedder, Query(f"How does this work?\n{selected}", top_k=5)).hits
    assert any(selected in hit.chunk.text.lower() for hit in hits)
    assert isinstance(hits[0].chunk.document_id, str)
