import hashlib
import json
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from quire.collections import Collection
from quire.documents import Document
from tests.support.logged import logged
from tests.support.served import Shelf
from tests.support.shelves import Scripted

CHAPTER = "Chapter 1: Harbours"
SENTENCES = (
    "A harbour shelters boats from waves and wind.",
    "The harbour master counts every boat at noon.",
    "Gulls follow the fishing boats home in the evening.",
)


@pytest.fixture
def shelf(tmp_path: Any) -> Shelf:
    shelf = Shelf(tmp_path)
    documents = [
        Document(
            f"0{number}.mdx",
            sentence,
            "api_member",
            {
                "chapter": CHAPTER,
                "chapter_dir": "01-harbours",
                "section": f"0{number}",
                "filename": f"0{number}.mdx",
                "path": f"01-harbours/0{number}.mdx",
                "title": "Harbours",
                "heading": "Harbours",
                "breadcrumb": "Harbours",
            },
        )
        for number, sentence in enumerate(SENTENCES)
    ]
    shelf.publish("book", documents, profile="textbook", engine="")
    shelf.publish()
    return shelf


def test_an_answer_quotes_stored_text_with_its_digest(shelf: Shelf) -> None:
    reply = shelf.client().post(
        "/answer", json={"collection": "book", "q": "What does a harbour shelter boats from?"}
    )
    given = reply.json()
    assert reply.status_code == 200
    assert given["answerable"]
    assert given["model_used"] == "extractive"
    assert given["citations"]
    for citation in given["citations"]:
        stored = next(hit["text"] for hit in given["hits"] if hit["id"] == citation["id"])
        assert citation["quote"] == stored[citation["start"] : citation["end"]]
        assert citation["sha256"] == hashlib.sha256(citation["quote"].encode()).hexdigest()
        assert f"[{citation['n']}]" in given["answer"]


def test_a_streamed_answer_ends_with_the_same_content(shelf: Shelf) -> None:
    asked = {"collection": "book", "q": "What does a harbour shelter boats from?"}
    whole = shelf.client().post("/answer", json=asked).json()
    reply = shelf.client().post("/answer", json={**asked, "stream": True})
    events = [part.split("\n") for part in reply.text.strip().split("\n\n") if not part.startswith(":")]
    named = [
        (lines[0].removeprefix("event: "), json.loads(lines[1].removeprefix("data: "))) for lines in events
    ]
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert [name for name, _ in named if name != "delta"] == ["sources", "citations", "done"]
    assert "".join(value["text"] for name, value in named if name == "delta") == whole["answer"]
    assert named[-1][1]["citations"] == whole["citations"]


def test_an_uncovered_question_is_refused_and_a_vague_one_is_asked_back(shelf: Shelf) -> None:
    client = shelf.client()
    refused = client.post(
        "/answer", json={"collection": "book", "q": "How do I compile a quantum kernel?"}
    ).json()
    assert not refused["answerable"]
    assert "not covered" in refused["answer"]
    vague = client.post("/answer", json={"collection": "book", "q": "Tell me more"}).json()
    assert not vague["answerable"]
    assert "I need more context" in vague["answer"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"collection": "nowhere", "q": "x"}, 404),
        ({"collection": "book", "q": "  "}, 422),
        ({"collection": "book", "q": "x", "top_k": 0}, 422),
        ({"collection": "book", "q": "x", "filters": {"nonsense": "1"}}, 422),
        ({"collection": "book", "q": "x", "surprise": 1}, 422),
    ],
)
def test_bad_requests_are_problems(shelf: Shelf, body: dict[str, Any], status: int) -> None:
    reply = shelf.client().post("/answer", json=body)
    assert reply.status_code == status
    assert reply.headers["content-type"] == "application/problem+json"


def test_the_textbook_face_answers_in_its_specification(shelf: Shelf) -> None:
    reply = shelf.client().post("/book/api/query", json={"query": "What does a harbour shelter boats from?"})
    given = reply.json()
    assert set(given) == {"answer", "sources", "model_used", "latency_ms", "notices"}
    assert given["sources"][0]["chapter"] == CHAPTER
    assert set(given["sources"][0]) == {
        "n",
        "chapter",
        "section",
        "filename",
        "relevance_score",
        "heading",
        "url",
    }
    marks = {int(mark) for mark in re.findall(r"(?<!\\)\[(\d+)\]", given["answer"])}
    assert marks == {one["n"] for one in given["sources"]}


def test_over_long_input_is_truncated_with_a_warning(shelf: Shelf) -> None:
    long = "What does a harbour shelter boats from? " + "please " * 1200
    given = (
        shelf.client().post("/book/api/query", json={"query": long, "selected_text": "boats " * 300}).json()
    )
    assert "Your query was truncated to 500 words. Please be more concise." in given["notices"]
    assert "The selected text was truncated to 200 words." in given["notices"]


def test_another_language_is_noticed_and_hits_still_come(shelf: Shelf) -> None:
    asked = "Warum zählt der Hafenmeister die Boote am Mittag und wann kommen die Möwen?"
    given = shelf.client().post("/answer", json={"collection": "book", "q": asked}).json()
    assert given["notices"] == ["Please ask your question in English."]
    assert "send `terms` too" in given["advice"][0]
    assert given["hits"]


def test_an_unreachable_store_is_the_specifications_sentence(shelf: Shelf) -> None:
    for path in (shelf.folder / "collections" / "book" / "segments").rglob("*"):
        if path.is_file():
            path.unlink()
    listed = {"book": Collection(name="book", profile="textbook")}
    client = shelf.client(collections=listed)
    reply = client.post("/book/api/query", json={"query": "What does a harbour shelter?"})
    assert reply.status_code == 503
    assert reply.json()["detail"] == (
        "The knowledge base is temporarily unavailable. Please try again in a moment."
    )


HARBOUR = "What does a harbour shelter boats from?"
STREAMS = {
    "native": ("/answer", {"collection": "book", "q": HARBOUR, "stream": True}),
    "chat": ("/talk/chat", {"user_message": HARBOUR, "stream": True}),
    "chat as JSON": ("/talk/chat", {"user_message": HARBOUR}),
    "openai": (
        "/v1/chat/completions",
        {"model": "book", "messages": [{"role": "user", "content": HARBOUR}], "stream": True},
    ),
}


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_that_breaks_by_a_fault_of_ours_ends_and_says_so_without_its_words(
    shelf: Shelf, name: str
) -> None:
    path, body = STREAMS[name]
    talk = [
        Document(
            "harbour.md",
            SENTENCES[0],
            "api_member",
            {"path": "harbour.md", "title": "Harbours", "heading": "Harbours", "breadcrumb": "Harbours"},
        )
    ]
    shelf.publish("talk", talk, profile="docs", engine="")
    client = shelf.client(answer_model=Scripted(["A harbour ", RuntimeError("secret words")]))
    with logged() as lines, ThreadPoolExecutor(1) as asking:
        reply = asking.submit(client.post, path, json=body).result(timeout=20)
    assert "the request failed; the log has its request id" in reply.text
    assert "secret words" not in reply.text
    [fault] = [one for one in lines() if one["event"] == "fault"]
    assert fault["error"] == "RuntimeError"
    assert fault["request_id"] == reply.headers["x-request-id"]


def test_an_answer_takes_terms_and_shows_them(shelf: Shelf) -> None:
    body = {"collection": "book", "q": "Where do vessels find calm when it storms?"}
    client = shelf.client()
    assert "terms" not in client.post("/answer", json=body).json()
    given = client.post("/answer", json=body | {"terms": "harbour boats"}).json()
    assert given["terms"] == "harbour boats"
    assert given["hits"][0]["text"] in SENTENCES[:2]
    streamed = client.post("/answer", json=body | {"terms": "harbour boats", "stream": True}).text
    done = json.loads(streamed.split("event: done\ndata: ")[1].split("\n\n")[0])
    assert done["terms"] == "harbour boats"


@pytest.mark.parametrize(("options", "terms"), [({}, "harbour boats"), ({"rewrite": "off"}, None)])
def test_a_model_writes_terms_as_the_settings_or_the_collection_say(
    shelf: Shelf, options: dict[str, str], terms: str | None
) -> None:
    book = Collection("book", "textbook", options=options)
    model = Scripted(["harbour boats"], ["NOT_COVERED"]) if terms else Scripted(["NOT_COVERED"])
    client = shelf.client(collections={"book": book}, answer_model=model, rewrite="always")
    body = {"collection": "book", "q": "Where do vessels find calm when it storms?"}
    given = client.post("/answer", json=body).json()
    assert given.get("terms") == terms
    if terms:
        assert "the textbook" in model.asked[0][0] or "the book" in model.asked[0][0]
