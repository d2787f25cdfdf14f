"""`chatbot-data-model-and-contracts.md`, sentence by sentence, in its order: one test a requirement.

Names of the parts that it would use (Qdrant, Cohere) stand for what Quire has in their place.
"""

from __future__ import annotations

import base64
import json
import math
import time
from pathlib import Path
from typing import Any

import pytest

from build_index.sources.files.markdown_tree import read_markdown_tree
from quire.documents import Document
from quire.parsing.site_pages import site_of
from quire.profiles import profile_named
from quire.service.live_writes import LiveWrites
from quire.store.write_targets import WriteTarget
from tests.support.client import TestClient
from tests.support.lively import EMBEDDER, Lively
from tests.support.pdfs import make_pdf

SITE = site_of({"site": "docusaurus", "base_url": "https://example.com/docs"})
FILLER = "Ostra quam velum derit norit folsa sade menka brelo torvi juspo lendra wixel corbu zanthe plint. "
ARCHITECTURE = f"""---
slug: ros2-architecture
---

# ROS 2 Architecture

{FILLER * 8}

## Topics

ROS 2 topics are a publish-subscribe mechanism. Nodes publish messages, others subscribe to them. {FILLER * 7}

## Actions

A humanoid uses an action for a task that takes time, such as walking to a place. {FILLER * 7}
"""
SENSORS = f"# Sensors\n\n## Lidar\n\nA lidar measures distance by the time of a laser pulse. {FILLER * 7}\n"
FILES = [
    {"path": "/path/to/chapter1.mdx", "content": ARCHITECTURE},
    {"path": "/path/to/chapter2.md", "content": SENSORS},
]
CHAT = {
    "user_message": "How do humanoids use actions?",
    "selected_text_context": "When a humanoid performs a walking action...",
    "chat_history": [
        {"role": "user", "content": "What is ROS?"},
        {"role": "assistant", "content": "ROS is a middleware..."},
    ],
}


@pytest.fixture
def empty(tmp_path: Path) -> TestClient:
    return Lively(tmp_path, site=SITE).client()


@pytest.fixture
def book(empty: TestClient) -> TestClient:
    assert empty.post("/book/ingest", json={"files": FILES}).status_code == 200
    return empty


def ask(book: TestClient, text: str, **more: Any) -> list[dict[str, Any]]:
    response = book.post("/book/query", json={"query_text": text, **more})
    assert response.status_code == 200, response.text
    found: list[dict[str, Any]] = response.json()["results"]
    return found


def is_error(response: Any) -> bool:
    """Whether it is what every endpoint has for an error, section 2: `Response Body (Error 400/500)`."""
    body = response.json()
    named = body.keys() == {"status", "message"} and body["status"] == "error" and bool(body["message"])
    return named and response.status_code >= 400


# 1. Vector schema


def test_1_collection_name_is_the_operators_choice(book: TestClient) -> None:
    assert [one["name"] for one in book.get("/collections").json()["collections"]].count("book") == 1


def test_1_vector_size_is_the_models(book: TestClient) -> None:
    row = book.post("/book/embed", json={"text": "lidar"}).json()["embedding"]
    assert len(row) == EMBEDDER.dimensions


def test_1_distance_is_cosine_similarity(book: TestClient) -> None:
    row = book.post("/book/embed", json={"text": "lidar"}).json()["embedding"]
    by_vector = book.post("/book/query", json={"query_embedding": [3 * one for one in row]}).json()["results"]
    assert by_vector
    assert all(-1.0 <= one["score"] <= 1.0 + 1e-6 for one in by_vector)


def test_1_id_is_unique_to_a_chunk(book: TestClient) -> None:
    ids = [one["id"] for one in ask(book, "topics actions lidar", limit=50)]
    assert len(ids) == len(set(ids)) > 2


def test_1_text_is_the_chunks_raw_text_of_about_500_tokens_at_most(book: TestClient) -> None:
    found = ask(book, "publish-subscribe mechanism", limit=50)
    assert any("publish-subscribe mechanism" in one["text"] for one in found)
    assert all(len(one["text"]) / 4 <= 500 for one in found)


def test_1_chapter_is_the_title_of_the_chapter(book: TestClient) -> None:
    assert ask(book, "publish-subscribe")[0]["metadata"]["chapter"] == "ROS 2 Architecture"


def test_1_chapter_is_the_title_in_built_collections_too(tmp_path: Path) -> None:
    (tmp_path / "docs/01-ros").mkdir(parents=True)
    (tmp_path / "docs/01-ros/arch.md").write_text(ARCHITECTURE, encoding="utf-8")
    documents = [one for one in read_markdown_tree(tmp_path / "docs") if isinstance(one, Document)]
    lively = Lively(tmp_path)
    LiveWrites(lively.store, tmp_path / "w").put(
        WriteTarget("book", profile_named("docs")), documents, EMBEDDER
    )
    wanted = {"chapter": "ROS 2 Architecture", "section": "Topics"}
    [found] = ask(lively.client(), "What are ROS2 topics?", filters=wanted)
    assert found["metadata"]["chapter"] == "ROS 2 Architecture"


def test_1_section_is_the_title_of_the_section(book: TestClient) -> None:
    assert ask(book, "publish-subscribe")[0]["metadata"]["section"] == "Topics"


def test_1_url_is_the_full_url_of_the_docusaurus_page(book: TestClient) -> None:
    assert (
        ask(book, "publish-subscribe")[0]["metadata"]["url"]
        == "https://example.com/docs/path/to/ros2-architecture#topics"
    )


def test_1_is_highlight_chunk_flags_what_a_reader_marked(book: TestClient) -> None:
    marked = {"path": "highlight/1", "content": "Gyroscopes drift slowly.", "is_highlight_chunk": True}
    assert book.post("/book/ingest", json={"files": [marked]}).status_code == 200
    assert ask(book, "gyroscopes drift")[0]["metadata"]["is_highlight_chunk"] is True
    assert ask(book, "publish-subscribe")[0]["metadata"]["is_highlight_chunk"] is False


# 2.1 /ingest


def test_2_1_ingests_files_by_chunking_embedding_and_storing(empty: TestClient) -> None:
    response = empty.post("/book/ingest", json={"files": FILES})
    body = response.json()
    assert (response.status_code, body["status"]) == (200, "success")
    assert body["ingested_count"] == len(ask(empty, "topics actions lidar", limit=50))
    assert f"Successfully ingested {body['ingested_count']} chunks" in body["message"]


def test_2_1_is_a_one_time_or_on_update_process(book: TestClient) -> None:
    before = {one["id"]: one["text"] for one in ask(book, "topics actions lidar", limit=50)}
    assert book.post("/book/ingest", json={"files": FILES}).status_code == 200
    assert {one["id"]: one["text"] for one in ask(book, "topics actions lidar", limit=50)} == before
    changed = {"path": "/path/to/chapter2.md", "content": SENSORS.replace("laser", "radio")}
    assert book.post("/book/ingest", json={"files": [changed]}).status_code == 200
    texts = " ".join(one["text"] for one in ask(book, "pulse of a lidar", limit=50))
    assert "radio pulse" in texts
    assert "laser pulse" not in texts


def test_2_1_bulk_a_whole_book_is_answered_200_where_no_gateway_cuts(empty: TestClient) -> None:
    page = f"## Joint\n\nEach joint has links and a motor. {FILLER * 19}"
    files = [{"path": f"p{number}.md", "content": f"# Part {number}\n\n{page}"} for number in range(250)]
    assert sum(len(one["content"]) for one in files) > 474_000
    response = empty.post("/book/ingest", json={"files": files})
    assert (response.status_code, response.json()["status"]) == (200, "success")
    assert response.json()["ingested_count"] >= 250


def test_2_1_a_client_may_prefer_a_job_and_sees_its_progress(tmp_path: Path) -> None:
    client = Lively(tmp_path).client()
    page = f"Each joint has links and a motor. {FILLER * 40}"
    files = [{"path": f"p{number}.md", "content": f"# Part {number}\n\n{page}"} for number in range(120)]
    started = client.post("/book/ingest", json={"files": files}, headers={"prefer": "respond-async"})
    assert (started.status_code, started.json()["progress"]) == (202, {"embedded": 0, "of": 0})
    until = time.monotonic() + 120
    while (state := client.get(f"/book/{started.headers['location']}")).json()["status"] == "accepted":
        told = state.json()["progress"]
        assert 0 <= told["embedded"] <= told["of"] or told["of"] == 0
        assert time.monotonic() < until
        time.sleep(0.05)
    assert state.json()["ingested_count"] >= 120


def test_2_1_what_was_ingested_is_listed(book: TestClient) -> None:
    listed = book.get("/book/pages").json()
    assert [one["path"] for one in listed["pages"]] == ["path/to/chapter1.mdx", "path/to/chapter2.md"]
    first = listed["pages"][0]
    assert (first["chapter"], first["url"]) == (
        "ROS 2 Architecture",
        "https://example.com/docs/path/to/ros2-architecture",
    )
    assert (listed["after"], listed["total"], first["chunks"] > 1) == (None, 2, True)
    page = book.get("/book/pages", params={"limit": 1}).json()
    rest = book.get("/book/pages", params={"after": page["after"]}).json()
    assert [*page["pages"], *rest["pages"]] == listed["pages"]


def test_2_1_what_was_ingested_can_be_deleted(book: TestClient) -> None:
    gone = book.delete("/book/pages", params={"path": "/path/to/chapter2.md"})
    assert (gone.status_code, gone.json()["status"]) == (200, "success")
    assert all(one["metadata"]["path"] != "path/to/chapter2.md" for one in ask(book, "lidar", limit=50))
    again = book.delete("/book/pages", params={"path": "/path/to/chapter2.md"})
    assert again.status_code == 404
    assert is_error(again)


def test_2_1_what_a_later_ingest_no_longer_holds_can_be_pruned(book: TestClient) -> None:
    done = book.post("/book/ingest", json={"files": FILES[:1], "prune": True})
    assert (done.status_code, done.json()["pruned_count"]) == (200, 1)
    assert [one["path"] for one in book.get("/book/pages").json()["pages"]] == ["path/to/chapter1.mdx"]
    assert all("lidar" not in one["text"] for one in ask(book, "lidar", limit=50))


def test_2_1_a_page_that_cannot_be_read_now_is_not_pruned(book: TestClient) -> None:
    broken = {"path": "path/to/chapter2.md", "content": "---\ntitle: [x\n---\n"}
    done = book.post("/book/ingest", json={"files": [FILES[0], broken], "prune": True}).json()
    assert (done["pruned_count"], [one["path"] for one in done["failures"]]) == (0, ["path/to/chapter2.md"])
    assert book.get("/book/pages").json()["total"] == 2


def test_2_1_errors_have_their_body(empty: TestClient) -> None:
    assert is_error(empty.post("/book/ingest", json={"files": "all"}))
    assert is_error(empty.post("/book/ingest", json={"files": [{"path": "a.md", "content": " "}]}))
    assert is_error(empty.post("/book/ingest", content=b"{"))


def test_2_1_pdf_html_notebooks_and_plain_text_are_read_by_their_names(empty: TestClient) -> None:
    cells = [{"cell_type": "markdown", "metadata": {}, "source": "# Tides\n\nThe moon moves the sea."}]
    notebook = json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells})
    pdf = base64.b64encode(make_pdf(["Mooring lines", "An anchor holds in sand."])).decode()
    files = [
        {"path": "harbour.pdf", "content": pdf, "encoding": "base64"},
        {"path": "tides.ipynb", "content": notebook},
        {"path": "knots.html", "content": "<nav>Menu</nav><h1>Knots</h1><p>A bowline makes a loop.</p>"},
        {"path": "log.txt", "content": "The ferry left at noon."},
    ]
    response = empty.post("/book/ingest", json={"files": files})
    assert (response.status_code, response.json()["failures"]) == (200, [])
    found = {one["metadata"]["path"]: one for one in ask(empty, "anchor moon bowline ferry", limit=50)}
    assert found.keys() == {one["path"] for one in files}
    assert (found["harbour.pdf"]["metadata"]["page"], found["harbour.pdf"]["metadata"]["end_page"]) == (1, 2)
    assert found["tides.ipynb"]["metadata"]["cell"] == 1
    assert "Menu" not in found["knots.html"]["text"]
    assert found["log.txt"]["metadata"]["start_line"] == 1


@pytest.mark.parametrize(
    ("path", "content", "what"),
    [
        ("a.pdf", "%PDF-1.4\n%\u00e2\u00e3", "looks like a PDF"),
        ("a.md", "%PDF-1.4\n%\u00e2\u00e3", "looks like a PDF"),
        ("a.pdf", "Only words.", "no PDF"),
        ("a.md", "PK\x03\x04rest", "an office document"),
        ("a.txt", "zero \x00 byte", "looks like binary"),
        ("a.png", base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(60)).decode(), "the base64 of a PNG image"),
        ("a.pdf", base64.b64encode(b"%PDF-1.7\n" + bytes(60)).decode(), '"encoding": "base64"'),
    ],
)
def test_2_1_a_binary_sent_as_text_is_refused_with_a_word_on_what_is_read(
    empty: TestClient, path: str, content: str, what: str
) -> None:
    response = empty.post("/book/ingest", json={"files": [{"path": path, "content": content}]})
    assert is_error(response)
    assert what in response.json()["message"]
    assert "read are Markdown (.md, .mdx), HTML (.html), plain text (.txt)" in response.json()["message"]


def test_2_1_what_is_no_base64_is_refused(empty: TestClient) -> None:
    file = {"path": "a.pdf", "content": "not base64!", "encoding": "base64"}
    assert is_error(empty.post("/book/ingest", json={"files": [file]}))


# 2.2 /embed


def test_2_2_embeds_an_arbitrary_text(book: TestClient) -> None:
    body = {"text": "The quick brown fox jumps over the lazy dog."}
    response = book.post("/book/embed", json=body)
    assert response.status_code == 200
    assert response.json().keys() == {"embedding"}
    assert math.isclose(sum(one * one for one in response.json()["embedding"]), 1.0, rel_tol=1e-4)


def test_2_2_embeds_before_anything_was_ingested(empty: TestClient) -> None:
    body = {"text": "The quick brown fox jumps over the lazy dog."}
    before = empty.post("/book/embed", json=body)
    assert before.status_code == 200
    assert empty.post("/book/ingest", json={"files": FILES}).status_code == 200
    assert empty.post("/book/embed", json=body).json() == before.json()


def test_2_2_errors_have_their_body(empty: TestClient) -> None:
    assert is_error(empty.post("/book/embed", json={}))


# 2.3 /query


def test_2_3_the_documents_own_request_finds_its_passage(book: TestClient) -> None:
    body = {
        "query_text": "What are ROS2 topics?",
        "limit": 5,
        "min_score": 0.0,
        "filters": {"chapter": "ROS 2 Architecture", "section": "Topics"},
    }
    response = book.post("/book/query", json=body)
    assert response.status_code == 200
    [found] = response.json()["results"]
    assert {"id", "text", "score", "metadata"} <= found.keys()
    assert {"chapter", "section", "url"} <= found["metadata"].keys()


def test_2_3_a_vector_stands_for_a_text(book: TestClient) -> None:
    row = book.post("/book/embed", json={"text": "lidar laser pulse"}).json()["embedding"]
    found = book.post("/book/query", json={"query_embedding": row, "limit": 1}).json()["results"]
    assert "lidar" in found[0]["text"]


def test_2_3_limit_bounds_the_results(book: TestClient) -> None:
    assert len(ask(book, "topics actions lidar", limit=2)) == 2


def test_2_3_min_score_leaves_out_what_is_less_similar(book: TestClient) -> None:
    scores = [one["score"] for one in ask(book, "lidar laser", limit=50)]
    least = max(scores)
    kept = ask(book, "lidar laser", limit=50, min_score=least)
    assert [one["score"] for one in kept] == [one for one in scores if one >= least]
    assert len(kept) < len(scores)


def test_2_3_filters_hold_by_chapter_and_section(book: TestClient) -> None:
    assert {
        one["metadata"]["chapter"] for one in ask(book, "lidar", limit=50, filters={"chapter": "Sensors"})
    } == {"Sensors"}
    assert ask(book, "lidar", filters={"chapter": "Sensors", "section": "Topics"}) == []


def test_2_3_errors_have_their_body(book: TestClient) -> None:
    assert is_error(book.post("/book/query", json={"query_text": ""}))
    assert is_error(book.post("/book/query", json={"query_text": "x", "limit": 0}))


# 2.4 /chat


def test_2_4_answers_with_citations_and_similarity_scores(book: TestClient) -> None:
    response = book.post("/book/chat", json=CHAT)
    assert response.status_code == 200
    body = response.json()
    assert {"response", "citations", "similarity_scores"} <= body.keys()
    assert "walking to a place" in body["response"]
    assert {"chapter", "section", "url"} <= body["citations"][0].keys()
    assert body["citations"][0]["url"] == "https://example.com/docs/path/to/ros2-architecture#actions"
    assert {"id", "score"} == body["similarity_scores"][0].keys()


def test_2_4_the_response_streams(book: TestClient) -> None:
    with book.stream("POST", "/book/chat", json=CHAT) as response:
        pieces = list(response.iter_raw())
    assert len(pieces) >= 1
    assert {"response", "citations", "similarity_scores"} <= json.loads(b"".join(pieces)).keys()


def test_2_4_highlight_and_history_may_be_left_out(book: TestClient) -> None:
    assert book.post("/book/chat", json={"user_message": CHAT["user_message"]}).status_code == 200


def test_2_4_errors_have_their_body(book: TestClient) -> None:
    assert is_error(book.post("/book/chat", json={"user_message": ""}))
    assert is_error(
        book.post("/book/chat", json={**CHAT, "chat_history": [{"role": "robot", "content": "x"}]})
    )
