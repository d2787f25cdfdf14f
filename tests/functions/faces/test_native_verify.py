"""`POST /verify` over a small real collection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from functions.faces.native.verify import MOST_CITATIONS, VerifyResponse
from tests.support.client import TestClient
from tests.support.corpus import api_documents
from tests.support.lively import Lively
from tests.support.served import Shelf


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path)
    shelf.publish()
    return shelf


def cited(client: TestClient) -> list[dict[str, Any]]:
    hits = client.post("/query", json={"collection": "roblox", "q": "walk to a point", "top_k": 5}).json()[
        "hits"
    ]
    return [{**hit["citation"], "quote": hit["text"]} for hit in hits]


def check(client: TestClient, citations: list[dict[str, Any]]) -> dict[str, Any]:
    reply = client.post("/verify", json={"collection": "roblox", "citations": citations})
    assert reply.status_code == 200, reply.text
    body: dict[str, Any] = reply.json()
    TypeAdapter(VerifyResponse).validate_python(body, strict=True, extra="forbid")
    return body


def test_what_a_query_cites_is_verified_also_after_a_new_version(shelf: Shelf) -> None:
    client = shelf.client()
    citations = cited(client)
    body = check(client, citations)
    assert (body["verified"], body["refused"]) == (5, 0)
    shelf.publish(documents=api_documents()[:3], engine="0.736.0.1")
    assert check(client, citations)["verified"] == 5


def test_a_reply_of_answer_is_verified_as_it_came(shelf: Shelf) -> None:
    client = shelf.client()
    told = client.post(
        "/answer", json={"collection": "roblox", "q": "How does a humanoid walk to a point?"}
    ).json()
    assert told["citations"]
    checked = client.post("/verify", json=told)
    assert (checked.status_code, checked.json()["refused"]) == (200, 0)


def test_each_refusal_has_its_word(shelf: Shelf) -> None:
    client = shelf.client()
    [first, second, third, *_] = cited(client)
    wrong = [
        {**first, "quote": first["quote"] + " "},
        {**second, "id": "0" * 16},
        {**third, "version": "0.735"},
    ]
    results = check(client, wrong)["results"]
    assert [one["status"] for one in results] == ["text changed", "not in this version", "unknown version"]
    assert all(one["detail"] for one in results)


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        (
            {"collection": "nothing", "citations": [{"id": "a", "version": "b", "sha256": "c"}]},
            404,
            "collection",
        ),
        ({"collection": "roblox", "citations": []}, 422, "citations"),
        ({"collection": "roblox", "citations": [{"id": "a", "version": "b"}]}, 422, "citations.0.sha256"),
        (
            {
                "collection": "roblox",
                "citations": [{"id": "", "version": "", "sha256": ""}] * (MOST_CITATIONS + 1),
            },
            422,
            "citations",
        ),
        (
            {"collection": "roblox", "citations": [{"id": "a", "version": "b", "sha256": "c", "start": -1}]},
            422,
            "citations.0.start",
        ),
    ],
)
def test_a_wrong_request_is_told_by_its_field(shelf: Shelf, body: Any, status: int, field: str) -> None:
    reply = shelf.client().post("/verify", json=body)
    assert (reply.status_code, reply.json()["field"]) == (status, field)


def test_a_key_is_needed_as_for_every_question(shelf: Shelf) -> None:
    body = {"collection": "roblox", "citations": [{"id": "a", "version": "b", "sha256": "c"}]}
    assert shelf.client(key="secret").post("/verify", json=body).status_code == 401


def test_what_a_site_cites_is_verified_for_that_site_alone(tmp_path: Path) -> None:
    client = Lively(tmp_path).client()
    for site in ("acme", "rival"):
        document = {"site_id": site, "source": "oak.md", "content": f"# Oak\n\nThe oak of {site} is old."}
        assert client.post("/sites/documents", json=document).status_code == 201
    asked = {"collection": "sites", "q": "How old is the oak?", "filters": {"site_id": "acme"}}
    citations = [
        {**hit["citation"], "quote": hit["text"]} for hit in client.post("/query", json=asked).json()["hits"]
    ]
    assert citations

    def verified(site: dict[str, str]) -> Any:
        return client.post("/verify", json={"collection": "sites", "citations": citations, "filters": site})

    assert verified({"site_id": "acme"}).json()["verified"] == len(citations)
    assert {one["status"] for one in verified({"site_id": "rival"}).json()["results"]} == {"unknown version"}
    assert verified({}).json()["field"] == "filters.site_id"
    assert verified({"site_id": "nobody"}).status_code == 404
