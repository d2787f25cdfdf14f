"""A model that fails: every face says which provider and what status, the log says why, and neither shows the key."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from quire.adapters.gemini import open_gemini
from quire.adapters.openai import OpenAIModel
from quire.documents import Document
from quire.ports import AnswerModel
from tests.support.logged import Logged, logged
from tests.support.model_server import Behaviour, ModelServer
from tests.support.model_wires import GeminiWire, OpenAIWire
from tests.support.pace import seconds
from tests.support.served import Shelf
from tests.support.shelves import Scripted

KEY = "sk-secret-of-the-operator"
TEXT = "A harbour shelters boats from waves and wind."
QUESTION = "What does a harbour shelter boats from?"
FACES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "native": ("textbook", "/answer", {"collection": "book", "q": QUESTION}),
    "native stream": ("textbook", "/answer", {"collection": "book", "q": QUESTION, "stream": True}),
    "textbook": ("textbook", "/book/api/query", {"query": QUESTION}),
    "chatbot": ("docs", "/book/chat", {"user_message": QUESTION}),
    "codebase": ("code", "/book/answer", {"q": QUESTION}),
    "openai": (
        "textbook",
        "/v1/chat/completions",
        {"model": "book", "messages": [{"role": "user", "content": QUESTION}]},
    ),
}


def shelf_of(folder: Any, profile: str) -> Shelf:
    shelf = Shelf(folder)
    facts = dict.fromkeys(
        ("path", "title", "heading", "breadcrumb", "section", "filename", "chapter"), "Harbours"
    )
    document = Document("a.md", TEXT, "api_member", facts)
    shelf.publish("book", [document], profile=profile, engine="")
    return shelf


@pytest.fixture
def lines() -> Iterator[Logged]:
    with logged() as told:
        yield told


@pytest.mark.parametrize("name", FACES)
def test_a_wrong_key_is_told_in_the_body_of_every_face(tmp_path: Any, lines: Logged, name: str) -> None:
    profile, path, body = FACES[name]
    with ModelServer(EchoingWire(), [Behaviour(status=401)]) as server:
        model = OpenAIModel("m", base_url=f"{server.url}/v1", api_key=KEY)
        reply = shelf_of(tmp_path, profile).client(answer_model=model).post(path, json=body)
    assert reply.status_code == 200
    assert "nswer model is not set up right (openai, 401)" in reply.text
    assert KEY not in reply.text
    told = lines()
    [failed] = [one for one in told if one["event"] == "answer model failed"]
    assert (failed["level"], failed["provider"], failed["provider_status"]) == ("WARNING", "openai", 401)
    assert "no such key: [key]" in failed["message"]
    assert KEY not in json.dumps(lines(), ensure_ascii=False)
    assert next(one["model_failures"] for one in told if one["event"] == "request") == 1


class EchoingWire(OpenAIWire):
    """A provider that repeats the key in its refusal."""

    def error(self, behaviour: Behaviour) -> tuple[dict[str, str], bytes]:
        return {}, json.dumps({"error": {"message": f"no such key: {KEY}"}}).encode()


class EchoingGemini(GeminiWire):
    """The same in Gemini's form."""

    def error(self, behaviour: Behaviour) -> tuple[dict[str, str], bytes]:
        error = {"code": behaviour.status, "message": f"no such key: {KEY}", "status": "INVALID_ARGUMENT"}
        return {}, json.dumps({"error": error}).encode()


@pytest.mark.parametrize("status", [400, 403, 500])
def test_geminis_words_reach_the_log_without_the_key(tmp_path: Any, lines: Logged, status: int) -> None:
    with ModelServer(EchoingGemini(), [Behaviour(status=status)]) as server:
        model = open_gemini(KEY, base_url=server.url)
        client = shelf_of(tmp_path, "textbook").client(answer_model=model)
        told = client.post("/answer", json={"collection": "book", "q": QUESTION}).json()
    assert any(f"(gemini, {status})" in one for one in told["degraded"])
    assert any(f"(gemini, {status})" in one for one in told["notices"])
    assert "no such key: [key]" in json.dumps(lines(), ensure_ascii=False)
    assert KEY not in json.dumps(lines(), ensure_ascii=False)


def slow(
    model: AnswerModel, folder: Any, answer_s: float, path: str, body: dict[str, Any]
) -> tuple[float, Any]:
    shelf = shelf_of(folder, "textbook")
    client = shelf.client(answer_model=model, answer_s=answer_s)
    began = time.monotonic()
    reply = client.post(path, json=body)
    return time.monotonic() - began, reply.json()


@pytest.mark.parametrize("name", ["native", "textbook"])
def test_the_time_of_an_answer_is_a_setting_and_running_out_of_it_is_not_the_connections_fault(
    tmp_path: Any, name: str
) -> None:
    _, path, body = FACES[name]
    late_s = seconds(1.2)

    def late() -> str:
        time.sleep(late_s)
        return " It shelters them from waves [1]."

    took_s, told = slow(Scripted(["Boats are safe [1].", late]), tmp_path, 0.6, path, body)
    assert took_s < late_s
    assert any("took longer than its time" in one for one in told["notices"])
    assert not any("connection" in one for one in told["notices"])
    took_s, told = slow(Scripted(["Boats are safe [1].", late]), tmp_path, 60.0, path, body)
    assert took_s > late_s
    assert "from waves" in told["answer"]
