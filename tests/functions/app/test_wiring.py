"""The composition root over a real store with the real model."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from functions.app.wiring import lambda_app, local_app
from functions.aws.lambda_adapter import LambdaHandler
from functions.web.faces import QUERY
from quire.embedding.onnx import OnnxEmbedder
from quire.errors import ConfigError
from quire.settings import Settings
from tests.support.client import TestClient
from tests.support.events import LambdaContext, event_v1
from tests.support.model import embedder, model_folder
from tests.support.served import Shelf

LOCAL = "http://localhost"

__all__ = ["embedder", "model_folder"]
QUESTION = {"collection": "roblox", "q": "how do I know that a part bumped into another"}


@pytest.fixture
def settings(tmp_path: Path, embedder: OnnxEmbedder, model_folder: Path) -> Settings:
    """A store with the small corpus and its model."""
    shelf = Shelf(tmp_path)
    shelf.publish(embedder=embedder)
    shelf.store.put_model(model_folder)
    return Settings(
        store=str(shelf.folder), cache=shelf.cache, collections_file=tmp_path / "collections.toml"
    )


def test_the_local_app_searches_with_the_model_of_its_store(settings: Settings) -> None:
    body = TestClient(local_app(settings), base_url=LOCAL).post("/query", json=QUESTION).json()
    assert (body["mode"], body["degraded"]) == ("hybrid", [])
    assert body["hits"][0]["metadata"]["member_name"] == "Touched"


def test_the_handler_gives_the_same_answer_as_the_local_app(settings: Settings) -> None:
    local = (
        TestClient(local_app(settings), base_url=LOCAL)
        .post("/roblox/query", json={"text": QUESTION["q"]})
        .json()
    )
    handler = LambdaHandler(lambda_app(settings, [QUERY]))
    event = event_v1("POST", "/roblox/query", {"text": QUESTION["q"]})
    assert TestClient(local_app(settings), base_url=LOCAL).get("/roblox/health").status_code == 200
    assert json.loads(handler(event, LambdaContext())["body"]) == local
    handler.close()


def test_a_store_that_lost_its_model_ranks_by_keywords_and_says_so(settings: Settings) -> None:
    [facts] = Path(settings.store).glob("models/*/model.json")
    facts.unlink()
    body = TestClient(local_app(settings), base_url=LOCAL).post("/query", json=QUESTION).json()
    assert body["mode"] == "keyword"
    assert body["degraded"] == ["embedding model unavailable: ranked by keywords alone"]


def test_the_collections_file_titles_and_mounts(settings: Settings) -> None:
    settings.collections_file.write_text(
        '[roblox]\nprofile = "roblox"\ntitle = "Engine"\n[empty]\nprofile = "roblox"\n'
    )
    client = TestClient(local_app(settings), base_url=LOCAL)
    assert client.get("/collections").json()["collections"][0]["title"] == "Engine"
    assert "/empty/query" in client.get("/openapi.json").json()["paths"]
    assert client.get("/empty/health").status_code == 200
    assert client.get("/empty/status").status_code == 503


def test_a_key_and_a_bound_in_the_settings_hold(settings: Settings) -> None:
    client = TestClient(local_app(replace(settings, api_key="k", max_body_bytes=10)))
    assert client.get("/status").status_code == 401
    assert client.post("/query", json=QUESTION, headers={"x-api-key": "k"}).status_code == 413


def test_a_broken_collections_file_stops_the_start_and_is_named(settings: Settings) -> None:
    settings.collections_file.write_text("[roblox")
    with pytest.raises(ConfigError, match=r"collections\.toml"):
        local_app(settings)


def test_a_store_of_an_unknown_scheme_is_refused(settings: Settings) -> None:
    with pytest.raises(ConfigError, match="'gopher://host/x'"):
        local_app(replace(settings, store="gopher://host/x"))


def test_the_start_says_which_model_answers_and_what_chose_it(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    local_app(replace(settings, provider="gemini", provider_key="k-1", provider_chosen_by="GEMINI_API_KEY"))
    [told] = [
        line
        for line in map(json.loads, capsys.readouterr().out.splitlines())
        if line["event"] == "answer model"
    ]
    assert (told["provider"], told["chosen_by"]) == ("gemini", "GEMINI_API_KEY")
    assert "k-1" not in json.dumps(told)
