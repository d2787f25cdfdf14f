"""Face `roblox` against its specification, section 5."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from functions.faces.roblox.contract import QueryResponse, Status
from tests.support.client import TestClient
from tests.support.corpus import api_documents
from tests.support.served import Shelf

INVALID: list[dict[str, Any]] = [
    {},
    {"text": None},
    {"text": 7},
    {"text": ""},
    {"text": "x", "top_k": 0},
    {"text": "x", "top_k": 21},
    {"text": "x", "top_k": "many"},
    {"text": "x", "filters": "Event"},
    {"text": "x", "filters": {"source": 3}},
]


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path)
    shelf.publish()
    return shelf


@pytest.fixture
def client(shelf: Shelf) -> TestClient:
    return shelf.client()


def ask(client: TestClient, **fields: Any) -> list[dict[str, Any]]:
    answer = client.post("/roblox/query", json={"text": "the character walks"} | fields)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    TypeAdapter(QueryResponse).validate_python(body, strict=True, extra="forbid")
    results: list[dict[str, Any]] = body["results"]
    return results


def test_five_results_come_by_default_and_twenty_at_most(client: TestClient) -> None:
    assert len(ask(client)) == 5
    assert len(ask(client, top_k=1)) == 1
    assert len(ask(client, top_k=20)) == 12


def test_a_payload_is_the_metadata_and_the_text(client: TestClient) -> None:
    [result] = ask(client, text="Humanoid.Died", top_k=1)
    payload = result["payload"]
    assert 0 <= result["score"] <= 1
    assert payload["source"] == "api_dump"
    assert payload["class_name"] == "Humanoid"
    assert payload["member_name"] == "Died"
    assert payload["member_type"] == "Event"
    assert payload["tags"] == ["Safe"]
    assert payload["text"].startswith("Humanoid.Died fires")
    [guide] = ask(client, text="gravity", top_k=1)
    assert guide["payload"]["file_path"] == "content/en-us/guides/physics.md"
    assert guide["payload"]["title"] == "Physics units"


def test_each_filter_of_the_contract_filters(client: TestClient) -> None:
    for name, value, count in [
        ("source", "creator_docs", 4),
        ("class_name", "Humanoid", 3),
        ("member_type", "Event", 3),
    ]:
        results = ask(client, top_k=20, filters={name: value})
        assert [one["payload"][name] for one in results] == [value] * count
    narrow = {"source": "api_dump", "class_name": "Humanoid", "member_type": "Event"}
    assert len(ask(client, filters=narrow)) == 1


@pytest.mark.parametrize("filters", [None, {}, {"source": None}, {"source": None, "member_type": "Event"}])
def test_filters_left_out_do_not_filter(client: TestClient, filters: Any) -> None:
    assert len(ask(client, top_k=20, filters=filters)) == (
        3 if filters and filters.get("member_type") else 12
    )


def test_fields_beside_the_question_that_the_contract_does_not_know_are_ignored(client: TestClient) -> None:
    assert len(ask(client, rerank=True)) == 5


def test_an_unknown_filter_is_refused_with_the_ones_that_are_known(client: TestClient) -> None:
    answer = client.post("/roblox/query", json={"text": "x", "filters": {"tags": "x", "source": "api_dump"}})
    assert answer.status_code == 422
    [error] = answer.json()["detail"]
    assert error["loc"] == ["body", "filters", "tags"]
    assert error["msg"] == "unknown field, wanted one of source, class_name, member_type"


@pytest.mark.parametrize("body", INVALID)
def test_a_bad_request_is_422_in_fastapis_own_shape(client: TestClient, body: Any) -> None:
    answer = client.post("/roblox/query", json=body)
    assert answer.status_code == 422, answer.text
    assert set(answer.json()) == {"detail"}
    for error in answer.json()["detail"]:
        assert {"type", "loc", "msg"} <= set(error)
        assert error["loc"][0] == "body"


@pytest.mark.parametrize("content", [b"", b"{", b'{"text":"x","top_k":NaN}', b"\xff"])
def test_a_body_that_cannot_be_read_is_422(client: TestClient, content: bytes) -> None:
    headers = {"content-type": "application/json"}
    answer = client.post("/roblox/query", content=content, headers=headers)
    assert answer.status_code == 422
    assert answer.json()["detail"]


@pytest.mark.parametrize(
    "content", [b'{"text":"\xff"}', b'{"text":' + b"[" * 100_000 + b"]" * 100_000 + b"}"]
)
def test_a_body_that_is_no_json_in_utf_8_is_named_once_as_the_place(
    client: TestClient, content: bytes
) -> None:
    headers = {"content-type": "application/json"}
    [error] = client.post("/roblox/query", content=content, headers=headers).json()["detail"]
    assert error == {"type": "value_error", "loc": ["body"], "msg": "wanted JSON in UTF-8"}


def test_an_empty_text_names_the_field_as_the_contract_calls_it(client: TestClient) -> None:
    [error] = client.post("/roblox/query", json={"text": " "}).json()["detail"]
    assert error["loc"] == ["body", "text"]
    assert error["msg"] == "the question is empty"


def test_health_is_ok(client: TestClient) -> None:
    answer = client.get("/roblox/health")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_status_names_the_engine_version_the_date_and_the_size(client: TestClient) -> None:
    body = client.get("/roblox/status").json()
    TypeAdapter(Status).validate_python(body, strict=True, extra="forbid")
    assert body["roblox_version"] == "0.735.0.7350832"
    assert body["total_documents"] == 12
    assert datetime.fromisoformat(body["last_updated"]).tzinfo is not None


def test_other_errors_have_a_detail_too(client: TestClient) -> None:
    assert client.get("/roblox/query").json() == {"detail": "this route answers POST"}
    assert client.get("/roblox/nowhere").status_code == 404
    assert set(client.get("/roblox/nowhere").json()) == {"detail"}
    too_long = client.post("/roblox/query", json={"text": "x" * 1_000_001})
    assert (too_long.status_code, set(too_long.json())) == (413, {"detail"})


def test_the_face_and_the_native_api_rank_alike(client: TestClient) -> None:
    text = "how fast does somebody walk"
    native = client.post("/query", json={"collection": "roblox", "q": text, "top_k": 12}).json()["hits"]
    face = ask(client, text=text, top_k=12)
    assert [hit["id"] for hit in native] == [result["payload"]["id"] for result in face]
    assert [hit["score"] for hit in native] == [result["score"] for result in face]


def test_every_collection_of_the_profile_has_the_face_and_one_that_appears_later_too(shelf: Shelf) -> None:
    client = shelf.client()
    assert client.get("/later/status").status_code == 404
    shelf.publish("later", documents=api_documents()[:2])
    assert client.get("/later/status").json()["total_documents"] == 2
    assert client.get("/roblox/status").json()["total_documents"] == 12


def test_with_a_key_set_only_health_is_open_and_the_refusal_has_a_detail(shelf: Shelf) -> None:
    client = shelf.client("secret")
    assert client.get("/roblox/health").status_code == 200
    for answer in (client.get("/roblox/status"), client.post("/roblox/query", json={"text": "x"})):
        assert answer.status_code == 401
        assert set(answer.json()) == {"detail"}
        assert answer.headers["www-authenticate"]
    assert client.get("/roblox/status", headers={"authorization": "Bearer secret"}).status_code == 200
    assert client.get("/unknown/health").status_code == 401
