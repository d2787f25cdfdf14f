"""The degradation ladder: each fault forced, over every route that asks, to its status, its label and its time.

Nothing is patched: files are damaged, servers are not there or give no answer.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from functions.app.wiring import local_app
from functions.faces.chatbot.chatting import NO_MEMORY as NO_CHAT
from quire.adapters.circuit_breaker import SERVING
from quire.adapters.folder import FolderStore
from quire.index.layout import KEYWORDS
from quire.service.chat import NO_MEMORY as NO_MESSAGES
from quire.settings import Settings
from quire.store.store import SegmentStore
from tests.support.aws import use_endpoint
from tests.support.client import TestClient
from tests.support.corpus import api_documents
from tests.support.deployed import Bucket, book_documents, code_documents, publish
from tests.support.pace import is_within, seconds
from tests.support.s3_faults import DENIED, GONE, SLOW, THROTTLED, FaultyS3

COLLECTIONS = """
[roblox]
profile = "roblox"
[textbook]
profile = "textbook"
[react_native]
profile = "docs"
[quire]
profile = "code"
[sites]
profile = "sites"
"""
NOWHERE = "http://127.0.0.1:9"
GATEWAY_S = 29.0
LOCAL = "http://localhost"
DOCUMENT = {"site_id": "acme", "source": "gulls.txt", "content": "Gulls follow the fishing boats home."}
CHAT = {"user_message": "What follows the boats home?", "session": "s1"}


@dataclass(frozen=True)
class Route:
    """A route that asks; `answers` where a model may write, `remembers` where messages are read."""

    path: str
    body: Any
    answers: bool = False
    remembers: bool = False


MEMBER = "Which event fires when a character has lost its health?"
BOAT = "What shelters boats from waves?"
ROUTES = (
    Route("/query", {"collection": "roblox", "q": MEMBER}),
    Route("/roblox/query", {"text": MEMBER}),
    Route("/react_native/query", {"query_text": BOAT}),
    Route("/quire/query", {"q": "which function shelters a boat"}),
    Route("/answer", {"collection": "textbook", "q": BOAT}, answers=True),
    Route("/answer", {"collection": "textbook", "q": BOAT, "stream": True}, answers=True),
    Route(
        "/v1/chat/completions", {"model": "textbook", "messages": [{"role": "user", "content": BOAT}]}, True
    ),
    Route("/textbook/api/query", {"query": BOAT}, answers=True),
    Route("/quire/answer", {"q": "which function shelters a boat"}, answers=True),
    Route("/react_native/chat", CHAT, answers=True, remembers=True),
    Route("/react_native/chat", {**CHAT, "stream": True}, answers=True, remembers=True),
    Route("/sites/retrieve-context", {"site_id": "acme", "user_id": "u1", "query": "gulls"}, remembers=True),
)
each_route = pytest.mark.parametrize(
    "route", ROUTES, ids=lambda one: one.path + ("+stream" if one.body.get("stream") else "")
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, model_folder: Path) -> Path:
    """A store with a collection of each face, in a folder; `collections.toml` lies beside it."""
    root = tmp_path_factory.mktemp("whole")
    store = SegmentStore(FolderStore(root / "store"), root / "cache")
    store.put_model(model_folder)
    publish(store, "roblox", api_documents(), model_folder)
    publish(store, "textbook", book_documents(), model_folder, profile="textbook", engine="")
    publish(store, "react_native", book_documents(), model_folder, profile="docs", engine="")
    publish(store, "quire", code_documents(), model_folder, profile="code", engine="")
    (root / "collections.toml").write_text(COLLECTIONS, encoding="utf-8")
    with TestClient(local_app(settings_of(root)), base_url=LOCAL) as client:
        assert client.post("/sites/documents", json=DOCUMENT).status_code == 201
    return root


def settings_of(root: Path) -> Settings:
    return Settings(
        store=str(root / "store"),
        cache=root / "cache",
        collections_file=root / "collections.toml",
        memory=str(root / "turns.sqlite"),
        refresh_s=0.0,
    )


@pytest.fixture(scope="module")
def copies(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A copy of the store under that name, the same one for all routes of a fault."""
    made: dict[str, Path] = {}

    def copy(name: str) -> Path:
        if name not in made:
            made[name] = tmp_path_factory.mktemp(name) / "copy"
            shutil.copytree(whole, made[name])
        return made[name]

    return copy


def ask(settings: Settings, route: Route) -> tuple[int, str, float]:
    """Status, what body and headers say together, seconds."""
    return said(client_of(settings), route)


@cache
def client_of(settings: Settings) -> TestClient:
    """A client of an app, the same one for all routes of a fault."""
    return TestClient(local_app(settings), base_url=LOCAL, raise_server_exceptions=False)


def said(client: TestClient, route: Route) -> tuple[int, str, float]:
    began = time.perf_counter()
    reply = client.post(route.path, json=route.body)
    took_s = time.perf_counter() - began
    return reply.status_code, reply.headers.get("x-quire-degraded", "") + _labels(reply.text), took_s


def _labels(text: str) -> str:
    """Every `degraded` in a body or in its events."""
    bodies = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: {")] or [
        text
    ]
    return " ".join(part for body in bodies for part in _degraded(json.loads(body)))


def _degraded(value: Any) -> list[str]:
    if isinstance(value, list):
        return [found for one in value for found in _degraded(one)]
    if not isinstance(value, dict):
        return []
    here = value.get("degraded")
    return (list(here) if isinstance(here, list) else []) + [
        found for one in value.values() for found in _degraded(one)
    ]


@each_route
def test_where_all_is_well_nothing_is_labelled(whole: Path, route: Route) -> None:
    status, label, took_s = ask(settings_of(whole), route)
    assert (status, label) == (200, "")
    assert is_within(took_s, 5)


@each_route
def test_a_provider_that_is_down_leaves_quotations(copies: Any, route: Route) -> None:
    settings = replace(
        settings_of(copies("provider")),
        provider="openai",
        provider_key="k",
        provider_url=NOWHERE,
        model="none",
    )
    status, label, took_s = ask(settings, route)
    assert status == 200
    assert ("quoted from the sources instead" in label) is route.answers
    assert is_within(took_s, 8)


@each_route
def test_an_embedding_model_that_cannot_be_read_leaves_keywords(copies: Any, route: Route) -> None:
    root = copies("model")
    for file in (root / "store" / "models").glob("*/*.onnx"):
        file.write_bytes(b"not a model")
    status, label, took_s = ask(settings_of(root), route)
    assert status == 200
    assert "ranked by keywords alone" in label
    assert is_within(took_s, 5)


def test_without_an_embedding_model_nothing_can_be_embedded(copies: Any) -> None:
    root = copies("model")
    for file in (root / "store" / "models").glob("*/*.onnx"):
        file.write_bytes(b"not a model")
    client = client_of(settings_of(root))
    reply = client.post("/react_native/embed", json={"text": "boats"})
    assert (reply.status_code, reply.headers.get("retry-after")) == (503, "5")


@each_route
def test_a_keyword_index_that_cannot_be_read_leaves_vectors(copies: Any, route: Route) -> None:
    root = copies("keywords")
    for file in (root / "store").rglob(KEYWORDS):
        file.unlink()
    status, label, took_s = ask(settings_of(root), route)
    assert status == 200
    assert "ranked by vectors alone" in label
    assert is_within(took_s, 5)


def test_without_keywords_and_without_a_model_a_question_is_503(copies: Any) -> None:
    root = copies("both")
    for file in [*(root / "store").rglob(KEYWORDS), *(root / "store" / "models").glob("*/*.onnx")]:
        file.unlink()
    client = client_of(settings_of(root))
    reply = client.post("/query", json={"collection": "roblox", "q": MEMBER})
    assert (reply.status_code, reply.headers.get("retry-after")) == (503, "5")


@pytest.mark.parametrize("remedy", ["query", "answer"])
def test_vectors_alone_still_find_and_quote_what_was_meant(copies: Any, remedy: str) -> None:
    root = copies("keywords")
    for file in (root / "store").rglob(KEYWORDS):
        file.unlink(missing_ok=True)
    client = client_of(settings_of(root))
    body = client.post(f"/{remedy}", json={"collection": "roblox", "q": MEMBER}).json()
    assert body["hits"][0]["metadata"]["member_name"] == "Died"


@pytest.mark.parametrize(
    "fault", [GONE, DENIED, *(pytest.param(one, marks=pytest.mark.soak) for one in (THROTTLED, SLOW))]
)
def test_a_store_that_is_away_leaves_the_last_good_version(
    moto_url: str, tmp_path: Path, model_folder: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    bucket = Bucket(moto_url, tmp_path, model_folder)
    bucket.publish()
    bucket.publish_others()
    (tmp_path / "collections.toml").write_text(COLLECTIONS, encoding="utf-8")
    with FaultyS3(moto_url) as s3:
        use_endpoint(monkeypatch, s3.url)
        location = bucket.environment(tmp_path, tmp_path)["QUIRE_STORE"]
        client = TestClient(local_app(replace(settings_of(tmp_path), store=location)), base_url=LOCAL)
        assert client.post("/sites/documents", json=DOCUMENT).status_code == 201
        for route in ROUTES:
            assert said(client, route)[:2] == (200, "")
        s3.state = fault
        took_s = []
        for route in ROUTES:
            status, label, spent_s = said(client, route)
            assert status == 200, route
            assert "store unreachable: serving version" in label, route
            took_s.append(spent_s)
        # A request waits out a deadline at most twice: for the pointer, and for the model's last word.
        assert max(took_s) < SERVING.deadline_s + seconds(2)
        assert is_within(sorted(took_s)[len(took_s) // 2], 1)


def test_a_first_question_waits_for_a_slow_store_so_seldom_that_the_gateway_still_waits(
    moto_url: str, tmp_path: Path, model_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = Bucket(moto_url, tmp_path, model_folder)
    bucket.publish()
    with FaultyS3(moto_url, delay_s=0.1) as s3:
        s3.state = SLOW
        use_endpoint(monkeypatch, s3.url)
        known = replace(settings_of(tmp_path), store=bucket.environment(tmp_path, tmp_path)["QUIRE_STORE"])
        client = TestClient(local_app(known), base_url=LOCAL)
        assert client.post("/query", json={"collection": "roblox", "q": MEMBER}).status_code == 200
        # A store that takes all of the time that it is given, in every wave of requests side by side.
        assert s3.waves * SERVING.silence_s < GATEWAY_S


@each_route
def test_a_memory_that_is_down_leaves_answers_without_history(
    copies: Any, route: Route, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_endpoint(monkeypatch, NOWHERE)
    settings = replace(settings_of(copies("memory")), memory="dynamodb://turns")
    status, label, took_s = ask(settings, route)
    assert status == 200
    assert (NO_CHAT in label or NO_MESSAGES in label) is route.remembers
    assert is_within(took_s, 10)


def test_messages_themselves_are_503_while_their_memory_is_down(
    copies: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_endpoint(monkeypatch, NOWHERE)
    settings = replace(settings_of(copies("memory")), memory="dynamodb://turns")
    client = client_of(settings)
    reply = client.get("/sites/chat-messages", params={"site_id": "acme", "user_id": "u1"})
    assert (reply.status_code, reply.headers.get("retry-after")) == (503, "5")


@pytest.mark.parametrize("fault", [DENIED, THROTTLED, pytest.param(SLOW, marks=pytest.mark.soak)])
def test_a_table_that_refuses_or_is_silent_leaves_answers_without_history_in_time(
    copies: Any, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    with FaultyS3(NOWHERE) as table:
        table.state = fault
        use_endpoint(monkeypatch, table.url)
        settings = replace(settings_of(copies(f"table-{fault}")), memory="dynamodb://turns")
        client = TestClient(local_app(settings), base_url=LOCAL, raise_server_exceptions=False)
        began = time.perf_counter()
        for route in (one for one in ROUTES if one.remembers):
            status, label, _ = said(client, route)
            assert status == 200, route
            assert NO_CHAT in label or NO_MESSAGES in label, route
        reply = client.get("/sites/chat-messages", params={"site_id": "acme", "user_id": "u1"})
        assert (reply.status_code, reply.headers.get("retry-after")) == (503, "5")
        assert time.perf_counter() - began < GATEWAY_S, "silence is waited out once, not by each call"
