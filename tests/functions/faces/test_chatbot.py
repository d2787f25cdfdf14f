"""Face `chatbot`: its specification's paths, fields and statuses, and what else it promises."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import pytest

from build_index.sources.files.markdown_tree import read_markdown_tree
from functions.faces.chatbot.chatting import NOT_KEPT
from quire.answering.extractive.retelling import SHORTENED
from quire.documents import Document
from quire.errors import StoreUnavailable
from quire.parsing.site_pages import site_of
from quire.ports import ChatMemory, Embedder, Remembered
from quire.profiles import profile_named
from quire.service.jobs import LARGE_CHARACTERS
from quire.service.live_writes import LiveWrites
from quire.service.verification import read_claims
from quire.store.write_targets import WriteTarget
from tests.support.client import TestClient
from tests.support.lively import EMBEDDER, Lively
from tests.support.secret_texts import secrets


def padded(text: str, seed: int) -> str:
    """The text with sentences that say nothing, enough for a chunk of its own."""
    draw = random.Random(seed)
    nothing = ("Ostra {} velum {} norit sade {} brelo." for _ in range(14))
    return text + " " + " ".join(one.format(*(draw.choice(FILLER) for _ in range(3))) for one in nothing)


FILLER = "quam derit folsa menka torvi juspo lendra wixel corbu zanthe".split()
TOPICS = f"""# ROS 2 Architecture

{padded("How the parts of a robot talk to each other.", 1)}

## Topics

{
    padded(
        "Nodes publish messages on named topics, and any number of subscribers receive each message. "
        "A publisher never waits for its subscribers, so topics suit streams of sensor data.",
        2,
    )
}

## Actions

{
    padded(
        "An action is a task that takes time, such as walking to a place. The client can cancel the goal before "
        "the action has finished.",
        3,
    )
}
"""
SENSORS = f"""# Sensors

{padded("What a robot can know of its surroundings.", 4)}

## Lidar

{padded("A lidar measures distance by the time that a laser pulse needs to return from a surface.", 5)}
"""
QUESTION = "Which action is a task that takes time, such as walking to a place?"
FILES = [{"path": "/ros2/topics.mdx", "content": TOPICS}, {"path": "sensors.md", "content": SENSORS}]


@pytest.fixture
def lively(tmp_path: Path) -> Lively:
    return Lively(tmp_path)


@pytest.fixture
def client(lively: Lively) -> TestClient:
    return lively.client()


@pytest.fixture
def book(client: TestClient) -> TestClient:
    response = client.post("/book/ingest", json={"files": FILES})
    assert response.status_code == 200, response.text
    return client


def test_ingesting_says_what_it_served(client: TestClient) -> None:
    response = client.post("/book/ingest", json={"files": FILES})
    wire = response.json()
    assert response.status_code == 200
    assert wire["status"] == "success"
    assert wire["ingested_count"] >= 3
    assert wire["message"] == f"Successfully ingested {wire['ingested_count']} chunks into 'book'."
    assert wire["failures"] == []
    again = client.post("/book/ingest", json={"files": FILES}).json()
    assert again == wire
    count = client.get("/collections/book").json()["chunks"]
    assert count == wire["ingested_count"]


def test_bad_files_are_listed_and_good_ones_kept(client: TestClient) -> None:
    files = [
        *FILES,
        {"path": "broken.mdx", "content": "<Tabs>"},
        {"path": "empty.md", "content": ""},
    ]
    wire = client.post("/book/ingest", json={"files": files}).json()
    assert [one["path"] for one in wire["failures"]] == ["broken.mdx", "empty.md"]
    assert wire["status"] == "success"
    assert client.post("/book/query", json={"query_text": "lidar laser"}).json()["results"]
    only_bad = client.post("/book/ingest", json={"files": files[2:]})
    assert only_bad.status_code == 400
    assert only_bad.json()["status"] == "error"
    assert "broken.mdx" in only_bad.json()["message"]


def test_a_file_with_a_secret_is_refused_without_being_quoted(client: TestClient) -> None:
    token = secrets()["GitHub"]
    files = [
        {"path": "a.md", "content": f"# A\n\nUse {token} to enter.\n"},
        {"path": "conf/.env", "content": "# Name\n\nswordfish\n"},
        {"path": "good.md", "content": "# Doors\n\nThey open.\n"},
    ]
    response = client.post("/book/ingest", json={"files": files})
    reasons = {one["path"]: one["reason"] for one in response.json()["failures"]}
    assert reasons["a.md"] == "a.md: secret: it holds a GitHub token in line 3"
    assert reasons["conf/.env"] == "conf/.env: secret: files of this name hold keys or passwords"
    assert token not in response.text


def test_a_file_takes_the_place_of_its_path(book: TestClient) -> None:
    changed = TOPICS.replace("never waits", "seldom waits")
    book.post("/book/ingest", json={"files": [{"path": "ros2/topics.mdx", "content": changed}]})
    texts = [
        one["text"]
        for one in book.post("/book/query", json={"query_text": "publisher waits subscribers"}).json()[
            "results"
        ]
    ]
    assert any("seldom waits" in text for text in texts)
    assert not any("never waits" in text for text in texts)


def test_a_query_gives_the_specifications_fields(book: TestClient) -> None:
    body = {"query_text": "What are ROS2 topics?", "limit": 1}
    response = book.post("/book/query", json=body)
    assert response.status_code == 200
    [result] = response.json()["results"]
    assert "publish messages" in result["text"]
    assert -1 <= result["score"] <= 1
    assert result["metadata"]["chapter"] == "ROS 2 Architecture"
    assert result["metadata"]["section"] == "Topics"
    assert result["metadata"]["url"] == "ros2/topics.mdx#topics"
    assert result["metadata"]["is_highlight_chunk"] is False
    lines = TOPICS.splitlines()[result["metadata"]["start_line"] - 1 : result["metadata"]["end_line"]]
    assert any("publish messages" in line for line in lines)


def test_filters_by_chapter_and_by_section_hold(book: TestClient) -> None:
    def sections(**filters: str) -> set[tuple[str, str]]:
        body = {"query_text": "robot lidar action", "limit": 50, "filters": filters}
        found = book.post("/book/query", json=body).json()["results"]
        return {(one["metadata"]["chapter"], one["metadata"]["section"]) for one in found}

    assert {chapter for chapter, _ in sections(chapter="Sensors")} == {"Sensors"}
    assert sections(section="Topics") == {("ROS 2 Architecture", "Topics")}
    assert sections(chapter="Sensors", section="Topics") == set()


def test_min_score_is_of_the_similarity_that_is_shown(book: TestClient) -> None:
    body = {"query_text": "laser pulse distance", "limit": 10}
    every = book.post("/book/query", json=body).json()["results"]
    middle = sorted(one["score"] for one in every)[len(every) // 2]
    kept = book.post("/book/query", json={**body, "min_score": middle}).json()["results"]
    assert kept == [one for one in every if one["score"] >= middle]
    assert book.post("/book/query", json={**body, "min_score": 1.0}).json()["results"] == []


def test_an_embedding_finds_what_its_text_finds_by_meaning(book: TestClient) -> None:
    vector = book.post("/book/embed", json={"text": "laser pulse distance"}).json()["embedding"]
    assert len(vector) == EMBEDDER.dimensions
    assert sum(value * value for value in vector) == pytest.approx(1.0, abs=1e-4)
    results = book.post("/book/query", json={"query_embedding": [9 * value for value in vector]}).json()[
        "results"
    ]
    assert [one["score"] for one in results] == sorted((one["score"] for one in results), reverse=True)
    filtered = {"query_embedding": vector, "filters": {"section": "Topics"}}
    assert len(book.post("/book/query", json=filtered).json()["results"]) == 1


def test_a_highlight_is_kept_as_one(book: TestClient) -> None:
    file = {"path": "note.md", "content": "Humanoids balance on one ankle.", "is_highlight_chunk": True}
    book.post("/book/ingest", json={"files": [file]})
    results = book.post("/book/query", json={"query_text": "humanoids balance ankle"}).json()["results"]
    assert results[0]["metadata"]["is_highlight_chunk"] is True


def test_a_chat_answers_with_citations_and_similarities(book: TestClient) -> None:
    response = book.post("/book/chat", json={"user_message": QUESTION})
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    wire = response.json()
    assert "walking to a place" in wire["response"]
    assert wire["citations"][0]["section"] == "Actions"
    assert wire["citations"][0]["chapter"] == "ROS 2 Architecture"
    assert wire["citations"][0]["url"] == "ros2/topics.mdx#actions"
    assert {one["id"] for one in wire["citations"]} <= {one["id"] for one in wire["similarity_scores"]}
    found = book.post("/book/query", json={"query_text": QUESTION, "limit": 8}).json()
    hits = [{"id": one["id"], "score": one["score"]} for one in found["results"]]
    assert wire["similarity_scores"][: len(hits)] == hits


def test_a_chat_can_be_read_as_events(book: TestClient) -> None:
    body = {"user_message": QUESTION}
    whole = book.post("/book/chat", json=body).json()
    for sent in (
        book.post("/book/chat", json={**body, "stream": True}),
        book.post("/book/chat", json=body, headers={"accept": "text/event-stream"}),
    ):
        assert sent.headers["content-type"].startswith("text/event-stream")
        events = [block.split("\n") for block in sent.text.strip().split("\n\n")]
        kinds = [kind.removeprefix("event: ") for kind, _ in events]
        assert kinds[-1] == "done"
        assert set(kinds[:-1]) == {"delta"}
        pieces = [json.loads(data.removeprefix("data: "))["text"] for _, data in events[:-1]]
        assert "".join(pieces) == whole["response"]
        assert json.loads(events[-1][1].removeprefix("data: ")) == whole


def test_a_follow_up_is_understood_from_the_session_or_the_body(tmp_path: Path, embedder: Embedder) -> None:
    book = Lively(tmp_path, embedder=embedder).client()
    book.post("/book/ingest", json={"files": FILES})
    first = {"user_message": QUESTION, "session": "s1"}
    book.post("/book/chat", json=first)
    follow_up = {"user_message": "How can it be cancelled?"}
    remembered = book.post("/book/chat", json={**follow_up, "session": "s1"}).json()
    assert "cancel" in remembered["response"]
    shorter = book.post("/book/chat", json={"user_message": "Summarise that", "session": "s1"}).json()
    assert shorter["notices"] == [SHORTENED]
    assert shorter["citations"][0]["quote"] in "".join(one["quote"] for one in remembered["citations"])
    history = [
        {"role": "user", "content": "How does a lidar measure distance?"},
        {"role": "assistant", "content": "By the time that a laser pulse needs to return."},
    ]
    outranked = book.post(
        "/book/chat",
        json={"user_message": "What does it measure?", "session": "s1", "chat_history": history},
    ).json()
    assert outranked["citations"][0]["section"] == "Lidar"
    by_other_name = {"user_message": "What does it measure?", "history": history}
    assert book.post("/book/chat", json=by_other_name).json()["citations"] == outranked["citations"]


def test_of_a_long_conversation_the_first_question_is_known(book: TestClient) -> None:
    for number in range(8):
        book.post("/book/chat", json={"user_message": f"What is lidar number {number}?", "session": "s9"})
    told = book.post("/book/chat", json={"user_message": "What did I ask first?", "session": "s9"}).json()
    assert "> What is lidar number 0?" in told["response"]
    listed = book.post("/book/chat", json={"user_message": "List my questions", "session": "s9"}).json()
    assert "8. What is lidar number 7?" in listed["response"]


def test_a_session_is_remembered_once_and_by_its_collection_alone(lively: Lively, book: TestClient) -> None:
    body = {"user_message": QUESTION, "session": "s1"}
    for _ in range(2):
        book.post("/book/chat", json=body, headers={"idempotency-key": "once"})
    turns = lively.memory.recent("book#chat##s1", 10)
    assert [one.turn.role for one in turns] == ["user", "assistant"]
    assert turns[0].turn.text == body["user_message"]
    book.post("/book/chat", json={"user_message": QUESTION})
    assert len(lively.memory.recent("book#chat##s1", 10)) == 2


def test_a_key_that_came_with_another_question_is_refused_before_a_model_is_asked(
    lively: Lively, book: TestClient
) -> None:
    once = {"idempotency-key": "once"}
    body = {"user_message": QUESTION, "session": "s1"}
    assert [book.post("/book/chat", json=body, headers=once).status_code for _ in range(2)] == [200, 200]
    other = {"user_message": "What does a rover measure?", "session": "s1"}
    refused = book.post("/book/chat", json=other, headers=once)
    assert (refused.status_code, refused.json()["status"]) == (400, "error")
    assert "it came before with other content" in refused.json()["message"]
    assert book.post("/book/chat", json=other, headers={"idempotency-key": "twice"}).status_code == 200
    assert len(lively.memory.recent("book#chat##s1", 9)) == 4


class BrokenMemory:
    """Chat memory whose store is down."""

    def __getattr__(self, name: str) -> object:
        raise StoreUnavailable("the table is not there")


def test_without_its_memory_a_chat_still_answers_and_says_so(tmp_path: Path) -> None:
    broken: ChatMemory = BrokenMemory()  # type: ignore[assignment]
    client = Lively(tmp_path, memory=broken).client()
    client.post("/book/ingest", json={"files": FILES})
    wire = client.post("/book/chat", json={"user_message": QUESTION, "session": "s"}).json()
    assert "walking to a place" in wire["response"]
    assert "memory unavailable" in wire["degraded"][0]


class FullMemory:
    """Chat memory on a disk without room: what is there can be read, nothing can be added."""

    def recent(self, session: str, limit: int) -> list[Remembered]:
        return []

    def append(self, session: str, turns: object, *, token: str | None = None) -> list[Remembered]:
        raise StoreUnavailable("database or disk is full")


@pytest.mark.parametrize("stream", [False, True])
def test_a_chat_that_could_not_be_remembered_says_so(tmp_path: Path, stream: bool) -> None:
    full: ChatMemory = FullMemory()  # type: ignore[assignment]
    client = Lively(tmp_path, memory=full).client()
    client.post("/book/ingest", json={"files": FILES})
    body = {"user_message": QUESTION, "session": "s", "stream": stream}
    text = client.post("/book/chat", json=body).text
    wire = json.loads(text.rpartition("data: ")[2])
    assert "walking to a place" in wire["response"]
    assert wire["degraded"] == [NOT_KEPT]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("ingest", {"files": []}),
        ("ingest", {"files": [{"path": "a.md"}]}),
        ("ingest", {}),
        ("embed", {"text": " "}),
        ("embed", {}),
        ("query", {}),
        ("query", {"query_text": "a", "query_embedding": [1.0]}),
        ("query", {"query_text": "a", "limit": 0}),
        ("ingest", {"files": [{"path": "../../x.md", "content": "# X"}]}),
        ("ingest", {"files": [{"path": "a\\..\\..\\x.md", "content": "# X"}]}),
        ("ingest", {"files": [{"path": "a/\0.md", "content": "# X"}]}),
        ("query", {"query_text": "a", "filters": {"colour": "red"}}),
        ("query", {"query_embedding": [1.0, 2.0]}),
        ("query", {"query_embedding": [0.0] * EMBEDDER.dimensions}),
        ("chat", {"user_message": ""}),
        ("chat", {"user_message": "a", "chat_history": [{"role": "system", "content": "x"}]}),
    ],
)
def test_an_invalid_request_is_a_400_of_the_specifications_form(
    book: TestClient, path: str, body: dict[str, object]
) -> None:
    response = book.post(f"/book/{path}", json=body)
    assert response.status_code == 400
    assert set(response.json()) == {"status", "message"}
    assert response.json()["status"] == "error"


def test_a_path_may_hold_the_blanks_that_systems_and_languages_write(book: TestClient) -> None:
    for path in ("Shot 10.30\u202fAM.md", "Page\u00a0: 2.md", "\u3000.md", "می\u200cروم.md"):
        assert (
            book.post("/book/ingest", json={"files": [{"path": path, "content": "# X"}]}).status_code == 200
        )


def test_a_collection_without_documents_is_a_503_of_that_form(client: TestClient) -> None:
    for path, body in (
        ("query", {"query_text": "x"}),
        ("chat", {"user_message": "What is x?"}),
    ):
        response = client.post(f"/book/{path}", json=body)
        assert (response.status_code, response.json()["status"]) == (503, "error")
        assert "`POST /book/ingest` begins it" in response.json()["message"]


def test_a_large_ingest_is_a_job(client: TestClient) -> None:
    sentence = "Each robot has joints, links and a controller that moves them together. "
    text = "# Part\n\n" + "\n\n".join(f"{sentence * 8} {number}" for number in range(30))
    files = [
        {"path": f"part{number}.md", "content": f"{text} {number}"}
        for number in range(LARGE_CHARACTERS // len(text) + 1)
    ]
    started = client.post("/book/ingest", json={"files": files}, headers={"prefer": "respond-async"})
    assert started.status_code == 202
    assert started.json()["status"] == "accepted"
    url = f"/book/{started.headers['location']}"
    until = time.monotonic() + 60
    while (state := client.get(url)).json()["status"] == "accepted":
        assert time.monotonic() < until
        time.sleep(0.05)
    assert (state.status_code, state.json()["status"]) == (200, "success")
    assert state.json()["ingested_count"] > len(files)
    assert client.post("/book/query", json={"query_text": "robot joints"}).json()["results"]
    assert client.get("/book/ingest/unknown").status_code == 404


def test_a_job_that_a_dead_process_left_is_done_by_the_next(tmp_path: Path, lively: Lively) -> None:
    jobs = lively.live.jobs
    staged = tmp_path / "store/collections/book/jobs" / f"{'a' * 32}.json"
    staged.parent.mkdir(parents=True)
    files = [{"path": "a.md", "content": SENSORS, "is_highlight": False}]
    tree = {"state": "waiting", "chunks": 0, "failures": [], "message": "", "files": files}
    staged.write_text(json.dumps(tree))
    assert jobs.waiting("book") == ["a" * 32]
    assert jobs.run("book", "a" * 32).state == "done"
    assert jobs.waiting("book") == []
    assert lively.client().post("/book/query", json={"query_text": "lidar"}).json()["results"]


def test_bodies_of_ingest_may_be_six_times_as_large(tmp_path: Path) -> None:
    client = Lively(tmp_path).client()
    padding = "x" * 1_200_000
    assert client.post("/book/chat", json={"user_message": padding}).status_code == 413
    refused = client.post("/book/ingest", content=b'{"files": "' + b"x" * 6_000_000 + b'"}')
    assert refused.status_code == 413
    assert "6,000,000" in refused.json()["message"]
    invalid = client.post("/book/ingest", json={"files": padding})
    assert invalid.status_code == 400


def test_every_face_and_the_native_api_rank_alike(book: TestClient) -> None:
    question = "How do nodes exchange sensor data?"
    face = book.post("/book/query", json={"query_text": question, "limit": 10}).json()["results"]
    native = book.post("/query", json={"collection": "book", "q": question, "top_k": 10}).json()["hits"]
    assert [one["id"] for one in face] == [one["id"] for one in native]


SPECIFICATION = """# ROS 2 Architecture

ROS 2 is a middleware for robots.

## Topics

Nodes publish messages on a topic, and others subscribe to it.

## Actions

An action is a task that takes time, such as walking to a place.
"""


@pytest.fixture
def short_book(client: TestClient) -> TestClient:
    """A page so short that its sections are one passage."""
    files = [{"path": "ros2.mdx", "content": SPECIFICATION}]
    assert client.post("/book/ingest", json={"files": files}).json()["ingested_count"] == 1
    return client


@pytest.mark.parametrize("section", ["Topics", "Actions", "ROS 2 Architecture"])
def test_a_section_that_was_merged_with_others_is_found_by_its_heading(
    short_book: TestClient, section: str
) -> None:
    body = {"query_text": QUESTION, "filters": {"chapter": "ROS 2 Architecture", "section": section}}
    [found] = short_book.post("/book/query", json=body).json()["results"]
    assert found["metadata"]["section"] == section
    anchor = "" if section.startswith("ROS") else f"#{section.lower()}"
    assert found["metadata"]["url"] == f"ros2.mdx{anchor}"
    body["filters"] = {"section": "Services"}
    assert short_book.post("/book/query", json=body).json() == {"results": []}


def test_a_citation_names_the_section_that_its_quote_stands_in(short_book: TestClient) -> None:
    answer = short_book.post("/book/chat", json={"user_message": QUESTION}).json()
    [cited] = [one for one in answer["citations"] if "walking" in one["quote"]]
    assert (cited["chapter"], cited["section"]) == ("ROS 2 Architecture", "Actions")
    assert cited["url"] == "ros2.mdx#actions"


def test_what_a_chat_cites_and_a_query_finds_can_be_verified(
    book: TestClient, short_book: TestClient
) -> None:
    assert book is short_book
    answer = book.post("/book/chat", json={"user_message": QUESTION}).json()
    found = book.post("/book/query", json={"query_text": QUESTION, "filters": {"section": "Actions"}}).json()
    claims = read_claims([answer, found])
    assert len(claims) == len(answer["citations"]) + len(found["results"]) >= 2
    body = {"collection": "book", "citations": answer["citations"]}
    assert book.post("/verify", json=body).json()["refused"] == 0
    for one in found["results"]:
        claim = {"id": one["id"], "quote": one["text"], **one["metadata"]}
        verdict = book.post("/verify", json={"collection": "book", "citations": [claim]}).json()
        assert verdict["verified"] == 1, verdict
        claim["url"] = "elsewhere.mdx#actions"
        assert book.post("/verify", json={"collection": "book", "citations": [claim]}).json()["refused"] == 1


@pytest.mark.parametrize(
    ("options", "page", "anchor"),
    [
        (
            {"site": "docusaurus", "base_url": "https://book.example/docs"},
            "/docs/ros/architecture",
            "#actions",
        ),
        ({"site": "mkdocs", "base_url": "https://book.example/"}, "/02-ros/01-arch/", "#actions"),
        ({"site": "plain", "base_url": "https://book.example"}, "/02-ros/01-arch.md", "#actions"),
        (
            {
                "site": {"generator": "docusaurus", "folder": "02-ros", "route_base_path": "guide"},
                "base_url": "https://book.example",
            },
            "/guide/architecture",
            "#actions",
        ),
    ],
)
def test_ingested_pages_have_the_address_that_their_site_gives_them(
    tmp_path: Path, options: dict[str, object], page: str, anchor: str
) -> None:
    book = Lively(tmp_path, site=site_of(options)).client()
    files = [{"path": "/02-ros/01-arch.md", "content": f"---\nid: architecture\n---\n\n{SPECIFICATION}"}]
    assert book.post("/book/ingest", json={"files": files}).status_code == 200
    body = {"query_text": QUESTION, "filters": {"section": "Actions"}}
    [found] = book.post("/book/query", json=body).json()["results"]
    assert found["metadata"]["url"] == f"https://book.example{page}{anchor}"


def test_a_page_is_found_by_its_title_and_by_the_title_of_its_folder(tmp_path: Path) -> None:
    pages = {
        "01-ros/_category_.json": '{"label": "ROS 2 Architecture"}',
        "01-ros/talk.md": SPECIFICATION[26:],
    }
    pages["01-ros/talk.md"] = "# Talking\n" + pages["01-ros/talk.md"]
    for name, text in pages.items():
        (tmp_path / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    [document] = read_markdown_tree(tmp_path / "docs")
    assert isinstance(document, Document)
    lively = Lively(tmp_path)
    LiveWrites(lively.store, tmp_path / "work").put(
        WriteTarget("book", profile_named("docs")), [document], EMBEDDER
    )
    book = lively.client()
    for chapter, count in (("Talking", 1), ("ROS 2 Architecture", 1), ("01-ros", 0)):
        body = {"query_text": QUESTION, "filters": {"chapter": chapter, "section": "Topics"}}
        found = book.post("/book/query", json=body).json()["results"]
        assert [one["metadata"]["chapter"] for one in found] == ["Talking"] * count


def test_a_collection_whose_last_page_was_deleted_answers_that_it_covers_nothing(tmp_path: Path) -> None:
    client = Lively(tmp_path).client()
    assert (
        client.post("/book/ingest", json={"files": [{"path": "a.md", "content": TOPICS}]}).status_code == 200
    )
    assert client.delete("/book/pages", params={"path": "a.md"}).status_code == 200
    assert client.post("/book/query", json={"query_text": "topics"}).json() == {"results": []}
    asked = {"query_text": "topics", "filters": {"section": "Topics"}}
    assert client.post("/book/query", json=asked).json() == {"results": []}
    assert client.post("/query", json={"collection": "book", "q": "topics"}).json()["hits"] == []
    assert "not covered" in client.post("/book/chat", json={"user_message": "topics"}).text
    assert (
        client.post("/book/ingest", json={"files": [{"path": "b.md", "content": TOPICS}]}).status_code == 200
    )
    assert client.post("/book/query", json={"query_text": "topics"}).json()["results"]
