"""The native API over a small real collection."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from functions.app.cloud import PublicReads
from functions.faces.native.contract import CollectionDetail, CollectionList, QueryResponse, Status
from functions.web.access import OneKey
from quire.collections import Collection
from quire.errors import ModelError
from quire.limits import QUESTION_CHARACTERS
from quire.ports import Embedder
from tests.support.client import TestClient
from tests.support.corpus import api_documents
from tests.support.served import EMBEDDER, Shelf

QUESTION = {"collection": "roblox", "q": "somebody joins the game"}


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path)
    shelf.publish()
    return shelf


@pytest.fixture
def client(shelf: Shelf) -> TestClient:
    return shelf.client()


def ask(client: TestClient, **fields: Any) -> dict[str, Any]:
    answer = client.post("/query", json=QUESTION | fields)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def refused(client: TestClient, status: int, **fields: Any) -> dict[str, Any]:
    answer = client.post("/query", json=QUESTION | fields)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = answer.json()
    assert body["status"] == status
    assert body["request_id"] == answer.headers["x-request-id"]
    return body


def test_a_question_gets_hits_in_the_promised_shape(client: TestClient, shelf: Shelf) -> None:
    body = ask(client)
    TypeAdapter(QueryResponse).validate_python(body, strict=True, extra="forbid")
    assert body["collection"] == "roblox"
    assert body["mode"] == "hybrid"
    assert body["degraded"] == []
    assert body["took_ms"] > 0
    first = body["hits"][0]
    assert first["metadata"]["member_name"] == "PlayerAdded"
    assert first["metadata"]["start_line"] is None
    assert [hit["rank"] for hit in body["hits"]] == list(range(1, 9))
    assert all(0 <= hit["score"] <= 1 for hit in body["hits"])


def test_a_citation_proves_the_text_and_names_the_version(client: TestClient, shelf: Shelf) -> None:
    body = ask(client, q="gravity in studs", top_k=1)
    [hit] = body["hits"]
    citation = hit["citation"]
    assert citation["sha256"] == hashlib.sha256(hit["text"].encode()).hexdigest()
    assert citation["version"] == body["version"] == shelf.store.pointer("roblox").version
    assert citation["id"] == hit["id"]
    assert citation["path"] == "content/en-us/guides/physics.md"
    assert (citation["start_line"], citation["end_line"], citation["heading"]) == (3, 3, "Physics units")
    assert citation["url"] == hit["metadata"]["url"]


def test_filters_are_exact_and_a_list_means_any_of(client: TestClient) -> None:
    events = ask(client, filters={"member_type": "Event"})["hits"]
    assert {hit["metadata"]["member_name"] for hit in events} == {"Died", "Touched", "PlayerAdded"}
    both = ask(client, filters={"member_type": ["Event", "Property"], "class_name": "Humanoid"})["hits"]
    assert {hit["metadata"]["member_name"] for hit in both} == {"Died", "WalkSpeed"}
    assert ask(client, filters={"class_name": "Nothing"})["hits"] == []


@pytest.mark.parametrize("mode", ["hybrid", "vector", "keyword"])
def test_each_mode_says_how_it_searched(client: TestClient, mode: str) -> None:
    body = ask(client, mode=mode)
    assert body["mode"] == mode
    assert body["hits"]


def test_a_minimum_score_leaves_out_what_is_below(client: TestClient) -> None:
    scores = [hit["score"] for hit in ask(client)["hits"]]
    floor = scores[2]
    assert [hit["score"] for hit in ask(client, min_score=floor)["hits"]] == [s for s in scores if s >= floor]
    assert ask(client, min_score=1)["hits"] == []


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"top_k": 0}, "top_k"),
        ({"top_k": 51}, "top_k"),
        ({"top_k": "8"}, "top_k"),
        ({"top_k": 2.5}, "top_k"),
        ({"top_k": True}, "top_k"),
        ({"q": ""}, "q"),
        ({"q": " \n\t"}, "q"),
        ({"q": None}, "q"),
        ({"q": 7}, "q"),
        ({"min_score": 1.1}, "min_score"),
        ({"min_score": -0.1}, "min_score"),
        ({"mode": "magic"}, "mode"),
        ({"filters": []}, "filters"),
        ({"filters": {"tags": 3}}, "filters.tags"),
        ({"filters": {"tags": {"is": "x"}}}, "filters.tags"),
        ({"collection": ""}, "collection"),
        ({"version": ""}, "version"),
        ({"topk": 3}, "topk"),
    ],
)
def test_a_wrong_field_is_422_and_named(client: TestClient, fields: dict[str, Any], field: str) -> None:
    body = refused(client, 422, **fields)
    assert body["field"] == field
    assert field in body["detail"]


def test_an_unknown_field_is_422_with_the_known_ones(client: TestClient) -> None:
    body = refused(client, 422, topk=3)
    assert body["field"] == "topk"
    assert body["detail"] == (
        "topk: unknown field, wanted one of q, top_k, offset, filters, min_score, terms, mode, excerpt, facets,"
        " collection, version"
    )


def test_an_unknown_filter_field_is_422_with_the_known_ones(client: TestClient) -> None:
    body = refused(client, 422, filters={"klass": "Humanoid"})
    assert body["field"] == "filters.klass"
    assert "class_name" in body["detail"]


@pytest.mark.parametrize("content", [b"", b'{"collection": "roblox", "q": "x"}'])
def test_a_body_that_is_not_sent_as_json_is_422_and_says_how_to_send_it(
    client: TestClient, content: bytes
) -> None:
    answer = client.post("/query", content=content, headers={"content-type": "text/plain"})
    assert (answer.status_code, answer.json()["field"]) == (422, "body")
    assert "application/json" in answer.json()["detail"]
    assert "QueryRequest" not in answer.text


@pytest.mark.parametrize("missing", ["collection", "q"])
def test_a_missing_field_is_422_and_named(client: TestClient, missing: str) -> None:
    body = {key: value for key, value in QUESTION.items() if key != missing}
    assert client.post("/query", json=body).json()["field"] == missing


def test_an_unknown_collection_is_404_with_those_there_are(client: TestClient) -> None:
    body = refused(client, 404, collection="robox")
    assert body["type"] == "urn:quire:problem:unknown-collection"
    assert body["field"] == "collection"
    assert "which holds roblox" in body["detail"]


@pytest.mark.parametrize("name", ["../../etc", "a/b", ".", "models", "ROBLOX", "roblox/", "\u0000", "ü"])
def test_a_strange_collection_name_is_404_and_no_path(client: TestClient, name: str) -> None:
    assert refused(client, 404, collection=name)["field"] == "collection"


def test_an_unknown_version_is_404(client: TestClient) -> None:
    assert refused(client, 404, version="0.1")["type"] == "urn:quire:problem:unknown-version"


def test_an_older_version_answers_by_engine_version(shelf: Shelf, client: TestClient) -> None:
    old = shelf.store.pointer("roblox").version
    shelf.publish(documents=api_documents()[:2], engine="0.736.0.1")
    assert ask(client)["version"] != old
    body = ask(client, version="0.735")
    assert body["version"] == old
    assert {hit["citation"]["version"] for hit in body["hits"]} == {old}


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[1]", b'"q"', b"\xff\xfe", b"{" * 100_000, b'{"q": NaN}', b'{"q":"\\ud800"}']
)
def test_a_body_that_is_no_question_is_422(client: TestClient, content: bytes) -> None:
    answer = client.post("/query", content=content, headers={"content-type": "application/json"})
    assert answer.status_code == 422, answer.text
    assert answer.json()["field"]


def test_a_body_over_the_bound_is_413(client: TestClient) -> None:
    assert refused(client, 413, q="x" * 1_000_001)["title"]


def test_a_long_question_is_cut_and_says_so(client: TestClient) -> None:
    body = ask(client, q="gravity " * QUESTION_CHARACTERS)
    assert body["hits"]
    assert "first 8,000 of 64,000 characters" in body["degraded"][0]


def test_other_methods_are_405_and_other_routes_404(client: TestClient) -> None:
    wrong = client.get("/query")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "POST")
    assert client.post("/health").json()["status"] == 405
    for path in ("/nowhere", "/query/", "/nowhere/query", "/roblox", "/docs", "/redoc"):
        answer = client.get(path)
        assert answer.status_code == 404, path
        assert answer.headers["content-type"] == "application/problem+json"


def test_without_a_model_the_answer_is_by_keywords_and_says_so(shelf: Shelf) -> None:
    def no_model(digest: str) -> Embedder:
        raise ModelError(f"model {digest}: not here")

    body = ask(shelf.client(embedder_of=no_model), q="gravity")
    assert body["mode"] == "keyword"
    assert body["degraded"] == ["embedding model unavailable: ranked by keywords alone"]
    assert body["hits"][0]["metadata"]["title"] == "Physics units"


def test_a_missing_model_shows_in_the_status(shelf: Shelf) -> None:
    def no_model(digest: str) -> Embedder:
        raise ModelError(f"model {digest}: not here")

    body = shelf.client(embedder_of=no_model).get("/status").json()
    assert body["status"] == body["collections"][0]["status"] == "degraded"
    assert body["collections"][0]["degraded"] == ["embedding model unavailable: ranked by keywords alone"]


def test_collections_are_listed_and_described(shelf: Shelf) -> None:
    shelf.publish("second", documents=api_documents()[:1])
    titled = {"roblox": Collection("roblox", "roblox", title="the engine")}
    client = shelf.client(collections=titled)
    body = client.get("/collections").json()
    TypeAdapter(CollectionList).validate_python(body, extra="forbid")
    assert [one["name"] for one in body["collections"]] == ["roblox", "second"]
    assert [one["title"] for one in body["collections"]] == ["the engine", "second"]
    assert [one["chunks"] for one in body["collections"]] == [12, 1]
    detail = client.get("/collections/roblox").json()
    TypeAdapter(CollectionDetail).validate_python(detail, extra="forbid")
    assert detail["label"] == "0.735.0.7350832"
    assert detail["model"] == EMBEDDER.digest
    assert detail["sources"][0]["key"] == "api_dump"
    assert "member_type" in detail["filters"]
    assert 0 <= detail["age_s"] < 600
    assert client.get("/collections/nothing").status_code == 404


def test_health_needs_no_store_and_status_shows_what_is_wrong(shelf: Shelf) -> None:
    client = shelf.client()
    body = client.get("/status").json()
    TypeAdapter(Status).validate_python(body, extra="forbid")
    assert body["status"] == "ok"
    (shelf.folder / "collections/roblox/current.json").unlink()
    degraded = client.get("/status").json()
    assert client.get("/health").json() == {"status": "ok"}
    assert degraded["collections"] == []
    shelf.publish("broken")
    (shelf.folder / "collections/broken/current.json").write_bytes(b"{}")
    degraded = client.get("/status").json()
    assert degraded["status"] == "degraded"
    assert degraded["collections"][0]["status"] == "unavailable"
    assert client.post("/query", json=QUESTION | {"collection": "broken"}).status_code == 503


def test_the_status_says_of_each_collection_what_went_wrong_last_and_what_it_takes_here(shelf: Shelf) -> None:
    public = {"roblox": Collection("roblox", "roblox", public=True), "own": Collection("own", "roblox")}
    shelf.publish("own", documents=api_documents()[:1])
    keys = PublicReads(OneKey("secret"), frozenset({"roblox"}))
    client = shelf.client(access=keys, collections=public)
    owner = {"x-api-key": "secret"}
    client.get("/collections/roblox", headers=owner)  # opens it
    own, roblox = client.get("/status", headers=owner).json()["collections"]
    assert (own["last_error"], roblox["last_error"]) == (None, None)
    assert own["disk_bytes"] == 0
    assert roblox["disk_bytes"] == sum(
        path.stat().st_size
        for path in (shelf.folder / "collections/roblox/segments").rglob("*")
        if path.is_file() and path.name != "manifest.json"
    )
    (shelf.folder / "collections/roblox/current.json").write_bytes(b"{}")
    told = client.get("/status", headers=owner).json()["collections"][1]
    assert told["degraded"] == [
        f"newer version unusable (ArtifactCorrupt): serving version {told['version']}"
    ]
    assert told["last_error"]["kind"] == "ArtifactCorrupt"
    assert told["last_error"]["message"]
    [seen] = client.get("/status").json()["collections"]  # the public's own, and no word of the owner's store
    assert seen["name"] == "roblox"
    assert (seen["last_error"]["kind"], seen["last_error"]["message"]) == ("ArtifactCorrupt", None)


def test_with_a_key_set_all_but_health_needs_it(shelf: Shelf) -> None:
    client = shelf.client("secret")
    for method, path in [
        ("POST", "/query"),
        ("GET", "/collections"),
        ("GET", "/collections/roblox"),
        ("GET", "/status"),
        ("GET", "/openapi.json"),
        ("GET", "/reference"),
        ("GET", "/nowhere"),
        ("POST", "/nowhere/query"),
    ]:
        answer = client.request(method, path, json=QUESTION)
        assert answer.status_code == 401, path
        assert answer.json()["type"] == "urn:quire:problem:access-denied"
    assert client.get("/health").status_code == 200
    assert client.get("/status", headers={"x-api-key": "secret"}).status_code == 200
