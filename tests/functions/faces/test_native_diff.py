"""`GET /collections/{name}/diff` over two versions of a small collection."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import TypeAdapter

from functions.faces.native.diff import DiffResponse
from tests.support.client import TestClient
from tests.support.corpus import api_documents
from tests.support.served import Shelf


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    shelf = Shelf(tmp_path)
    first, second, *others = api_documents()
    shelf.publish(documents=[first, second, *others[:-1]], engine="0.732.0.1")
    changed = second._replace(metadata={**second.metadata, "tags": ("Deprecated",), "deprecated": True})
    shelf.publish(documents=[changed, *others], engine="0.735.0.1")
    return shelf.client()


@pytest.mark.parametrize("to", ["", "&to=latest", "&to=0.735", "&to=0.735.0.1"])
def test_what_changed_is_told_by_member_and_document(client: TestClient, to: str) -> None:
    reply = client.get(f"/collections/roblox/diff?from=0.732{to}")
    assert reply.status_code == 200, reply.text
    body = reply.json()
    TypeAdapter(DiffResponse).validate_python(body, strict=True, extra="forbid")
    assert (body["from"]["label"], body["to"]["label"]) == ("0.732.0.1", "0.735.0.1")
    assert [one["name"] for one in body["members"]["removed"]] == ["Humanoid.MoveTo"]
    assert [one["name"] for one in body["members"]["deprecated"]] == ["Humanoid.Died"]
    [change] = body["members"]["changed"]
    assert change["fields"] == {"tags": {"from": ["Safe"], "to": ["Deprecated"]}}
    assert body["documents"] == {"added": ["creator_docs/guides/audio.md"], "changed": [], "removed": []}


def test_the_way_back_is_the_mirror_image(client: TestClient) -> None:
    body = client.get("/collections/roblox/diff?from=0.735&to=0.732").json()
    assert [one["name"] for one in body["members"]["added"]] == ["Humanoid.MoveTo"]
    assert body["members"]["deprecated"] == []
    assert body["documents"]["removed"] == ["creator_docs/guides/audio.md"]


def test_a_version_does_not_differ_from_itself(client: TestClient) -> None:
    body = client.get("/collections/roblox/diff?from=0.735").json()
    assert body["members"] == {"added": [], "changed": [], "deprecated": [], "removed": []}


@pytest.mark.parametrize(
    ("path", "status", "field"),
    [
        ("/collections/roblox/diff", 422, "from"),
        ("/collections/roblox/diff?from=", 422, "from"),
        ("/collections/roblox/diff?from=0.1", 404, "version"),
        ("/collections/roblox/diff?from=0.732&to=0.1", 404, "version"),
        ("/collections/nothing/diff?from=0.732", 404, "collection"),
    ],
)
def test_a_wrong_question_is_told_by_its_field(
    client: TestClient, path: str, status: int, field: str
) -> None:
    reply = client.get(path)
    assert (reply.status_code, reply.json()["field"]) == (status, field)
