"""Faces are found by name, and a collection gets the routes of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.routing import compile_path

from functions.web.faces import ANSWER, MOUNT_PATH, QUERY, joined, load_face
from quire.collections import RESERVED, Collection
from quire.profiles import PROFILES
from quire.service.knowledge import face_of
from tests.support.served import Shelf


def test_a_face_that_has_no_folder_is_none() -> None:
    assert load_face("no_such_face") is None


def test_a_face_gives_the_routes_of_a_function_and_no_others() -> None:
    face = load_face("roblox")
    assert face is not None
    assert len(joined(face, [QUERY]).routes) == 3
    assert joined(face, [ANSWER]).routes == []


def test_every_profile_names_a_face_that_can_be_looked_up() -> None:
    for profile in PROFILES.values():
        face = load_face(profile.face)
        assert face is None or face.name == profile.face


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_a_reserved_name_is_never_taken_for_a_collection(name: str) -> None:
    pattern = compile_path(MOUNT_PATH + "/{path:path}")[0]
    assert not pattern.match(f"/{name}/query")
    assert not pattern.match(f"/{name}/")


@pytest.mark.parametrize("name", ["roblox", "query2", "statuses", "docs", "my-notes_2", "v1x", "a"])
def test_any_other_name_is(name: str) -> None:
    found = compile_path(MOUNT_PATH + "/{path:path}")[0].match(f"/{name}/api/query")
    assert found is not None
    assert found["collection"] == name


def test_the_maintainers_profile_outranks_the_stores(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.publish("mine")
    assert face_of(shelf.service(), "mine") == "roblox"
    listed = {"mine": Collection("mine", "docs")}
    assert face_of(shelf.service(collections=listed), "mine") == "chatbot"


def test_a_collection_whose_face_is_not_deployed_still_has_the_native_api(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    profile = next((one for one in PROFILES.values() if load_face(one.face) is None), None)
    if profile is None:
        pytest.skip("every profile's face is deployed")
    shelf.publish("other", profile=profile.name)
    client = shelf.client()
    assert client.post("/other/query", json={}).status_code == 404
    assert client.post("/query", json={"collection": "other", "q": "gravity"}).json()["hits"]
    assert client.get("/reference").status_code == 200


@pytest.mark.parametrize(
    ("path", "kind", "field"),
    [
        ("/query", "application/problem+json", "field"),
        ("/s/retrieve-context", "application/problem+json", "field"),
        ("/r/query", "application/json", "detail"),
        ("/t/api/query", "application/json", "detail"),
        ("/c/query", "application/json", "detail"),
        ("/d/chat", "application/json", "message"),
        ("/v1/chat/completions", "application/json", "error"),
        ("/mcp", "application/json", "error"),
    ],
)
def test_an_error_has_the_shape_that_the_readme_says_of_its_face(
    tmp_path: Path, path: str, kind: str, field: str
) -> None:
    shelf = Shelf(tmp_path)
    for profile in ("sites", "roblox", "textbook", "code", "docs"):
        shelf.publish(profile[0], profile=profile)
    reply = shelf.client().post(path, json={})
    assert (reply.status_code in (400, 422), reply.headers["content-type"]) == (True, kind)
    assert field in reply.json()
