"""The OpenAI chat protocol through its own client, and the texts for language models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient

from tests.support.pages import running
from tests.support.served import Shelf

if TYPE_CHECKING:
    import openai

ASKED: Any = [{"role": "user", "content": "How far does gravity pull, in studs?"}]


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path)
    shelf.publish()
    return shelf


@pytest.fixture
def chat(shelf: Shelf) -> Iterator[openai.OpenAI]:
    import openai  # takes long, and this file alone needs it

    with (
        running(shelf.app()) as url,
        openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client,
    ):
        yield client


def test_collections_are_models(chat: openai.OpenAI) -> None:
    assert [model.id for model in chat.models.list()] == ["roblox"]


def test_a_stream_joins_to_the_whole_answer_and_counts_its_tokens(chat: openai.OpenAI) -> None:
    whole = chat.chat.completions.create(model="roblox", messages=ASKED)
    text = whole.choices[0].message.content
    assert text
    assert whole.choices[0].finish_reason == "stop"
    stream = chat.chat.completions.create(
        model="roblox",
        messages=ASKED,
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = list(stream)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == text
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage is not None
    assert len({chunk.id for chunk in chunks}) == 1


def test_an_answer_ends_with_the_sources_that_it_cites(chat: openai.OpenAI, shelf: Shelf) -> None:
    given = chat.chat.completions.create(model="roblox", messages=ASKED)
    extra = given.model_extra or {}
    assert extra["quire"]["version"] == shelf.store.pointer("roblox").version
    text = given.choices[0].message.content or ""
    assert ("Sources:" in text) == bool(extra["citations"])
    for cited in extra["citations"]:
        assert f"[{cited['n']}]" in text


def test_errors_are_those_of_the_protocol(chat: openai.OpenAI, shelf: Shelf) -> None:
    import openai

    with pytest.raises(openai.NotFoundError, match="not in this store") as missing:
        chat.chat.completions.create(model="robox", messages=ASKED)
    assert missing.value.code == "model_not_found"
    with pytest.raises(openai.NotFoundError):
        chat.chat.completions.create(model="robox", messages=ASKED, stream=True)
    with pytest.raises(openai.UnprocessableEntityError, match="user message"):
        chat.chat.completions.create(model="roblox", messages=[{"role": "assistant", "content": "Yes?"}])
    assert shelf.client("secret").post("/v1/chat/completions", json={}).status_code == 401


def test_a_body_that_is_not_understood_is_an_error_of_the_protocol_too(shelf: Shelf) -> None:
    refused = shelf.client().post("/v1/chat/completions", json={"messages": []})
    assert refused.status_code == 422
    error = refused.json()["error"]
    assert (error["type"], error["param"]) == ("invalid_request_error", "model")


def test_llms_txt_lists_collections_and_describes_each(shelf: Shelf) -> None:
    client: TestClient = shelf.client()
    listed = client.get("/llms.txt")
    assert listed.headers["content-type"].startswith("text/plain")
    assert "- [roblox](roblox/llms.txt): 12 passages" in listed.text
    described = client.get("/roblox/llms.txt").text
    assert shelf.store.pointer("roblox").version in described
    assert "`member_type`" in described
    assert client.get("/nothing/llms.txt").status_code == 404
    assert shelf.client("secret").get("/llms.txt").status_code == 401
