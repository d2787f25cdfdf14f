"""A field that is misspelt is told: it would change nothing, and nobody would know."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from functions.faces.chatbot.contract import ChatMessage, IngestRequest
from functions.faces.codebase.contract import IndexRequest
from functions.faces.openai.contract import ChatRequest
from functions.faces.sites.contract import ContextRequest, DocumentRequest
from functions.faces.textbook.contract import QueryRequest
from tests.support.lively import Lively
from tests.support.served import Shelf

MISSPELT: list[tuple[type[BaseModel], dict[str, Any], str, str]] = [
    (ChatMessage, {"user_message": "q", "sesion": "s"}, "sesion", "session"),
    (ChatMessage, {"user_message": "q", "chatHistory": []}, "chatHistory", "chat_history"),
    (
        IngestRequest,
        {"files": [{"path": "a", "content": "b", "format": "x", "encodng": "base64"}]},
        "encodng",
        "",
    ),
    (IndexRequest, {"root": ".", "exlude": ["a"]}, "exlude", "exclude"),
    (QueryRequest, {"query": "q", "selectedText": "s"}, "selectedText", "selected_text"),
    (DocumentRequest, {"site_id": "a", "content": "c", "sources": "a.md"}, "sources", "source"),
]


@pytest.mark.parametrize(("model", "body", "wrong", "wanted"), MISSPELT)
def test_a_misspelt_field_is_refused_by_its_name(
    model: type[BaseModel], body: dict[str, Any], wrong: str, wanted: str
) -> None:
    with pytest.raises(ValidationError, match=f"unknown field, wanted {wanted}") as refused:
        model.model_validate(body)
    assert [one["loc"][-1] for one in refused.value.errors()] == [wrong]


@pytest.mark.parametrize(
    ("model", "body"),
    [
        (ChatMessage, {"user_message": "q", "user": "u", "locale": "en", "temperature": 0}),
        (ChatMessage, {"user_message": "q", "session": "s", "sesion": "s"}),  # both: the right one counts
        (ContextRequest, {"site_id": "a", "query": "q", "user_id": "u", "page": "/returns", "trace_id": "t"}),
        (
            ChatRequest,
            {"model": "m", "messages": [{"role": "user", "content": "q"}], "streams": 1, "store": True},
        ),
    ],
)
def test_what_is_like_no_field_is_ignored_and_anything_at_the_openai_routes(
    model: type[BaseModel], body: dict[str, Any]
) -> None:
    assert model.model_validate(body)


def test_a_body_of_nothing_but_unknown_fields_is_read_in_no_time() -> None:
    body = {"user_message": "q", **{f"sent{number}": 1 for number in range(60_000)}}
    started = time.process_time()
    assert ChatMessage.model_validate(body).user_message == "q"
    assert time.process_time() - started < 0.3


def test_each_face_says_it_in_its_own_shape(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.publish()
    refused = shelf.client().post("/roblox/query", json={"text": "gravity", "topK": 3})
    assert (refused.status_code, refused.json()["detail"][0]["loc"]) == (422, ["body", "topK"])
    client = Lively(tmp_path / "live").client()
    told = client.post("/sites/documents", json={"site_id": "a", "content": "c", "sorce": "a.md"})
    assert (told.status_code, told.json()["field"]) == (422, "sorce")
    assert told.json()["detail"] == "sorce: unknown field, wanted source"
    told = client.post("/book/chat", json={"user_message": "q", "sesion": "s"})
    assert (told.status_code, "sesion: unknown field, wanted session" in told.json()["message"]) == (
        400,
        True,
    )
