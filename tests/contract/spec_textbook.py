"""`textbook-chatbot-backend.md`, what is executable of it so far, in its order: one test a requirement."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from build_index.sources.files.markdown_tree import read_markdown_tree
from quire.documents import Document
from tests.support.served import Shelf

PAGE = "# Harbours\n\nA harbour shelters boats from waves and wind.\n\n```python\nboat.moor()\n"


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    (tmp_path / "docs/01-chapter-1-boats").mkdir(parents=True)
    (tmp_path / "docs/01-chapter-1-boats/01-harbours.mdx").write_text(PAGE, encoding="utf-8")
    documents = [one for one in read_markdown_tree(tmp_path / "docs") if isinstance(one, Document)]
    shelf = Shelf(tmp_path)
    shelf.publish("book", documents, profile="textbook", engine="")
    return shelf.client()


def test_edge_a_topic_that_is_not_covered_is_said_not_to_be(client: TestClient) -> None:
    told = client.post("/book/api/query", json={"query": "How do I build a quantum computer?"}).json()
    assert "This topic is not covered in" in told["answer"]
    assert told["sources"] == []


def test_edge_a_long_query_is_truncated_to_500_words_with_a_warning(client: TestClient) -> None:
    told = client.post("/book/api/query", json={"query": "What does a harbour shelter? " + "please " * 1001})
    assert told.json()["notices"][0] == "Your query was truncated to 500 words. Please be more concise."


def test_edge_a_follow_up_without_context_is_asked_back(client: TestClient) -> None:
    told = client.post("/book/api/query", json={"query": "Tell me more"}).json()
    assert told["answer"] == "I need more context. Please ask a specific question about the textbook content."


def test_fr_003_a_code_block_that_is_never_closed_ends_with_its_page(client: TestClient) -> None:
    told = client.post("/query", json={"collection": "book", "q": "harbour boats"}).json()
    assert "boat.moor()" in "".join(one["text"] for one in told["hits"])


@pytest.mark.parametrize("query", ["", "  \n"])
def test_fr_015_a_blank_query_is_refused_in_a_sentence(client: TestClient, query: str) -> None:
    refused = client.post("/book/api/query", json={"query": query})
    assert (refused.status_code, refused.json()["detail"]) == (422, "Please write a question about the book.")
