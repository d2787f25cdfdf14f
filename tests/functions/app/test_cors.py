"""Which pages of other sites may ask, and which responses they may read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute

import functions
from functions.app.route_table import face_names, route_table
from functions.web.faces import load_face
from quire.collections import Collection
from tests.support.client import TestClient
from tests.support.served import Shelf

PAGE, STRANGER = "https://pages.example", "https://stranger.example"
KEY = {"x-api-key": "sesame"}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    """`roblox` may be asked by a page, `other` by none."""
    shelf = Shelf(tmp_path)
    shelf.publish()
    shelf.publish("other")
    collections = {
        "roblox": Collection("roblox", "roblox", options={"origins": f"{PAGE}/"}),
        "other": Collection("other", "roblox"),
    }
    with shelf.client("sesame", collections=collections) as client:
        yield client


def readable(
    client: TestClient, origin: str, path: str, body: Any, headers: dict[str, str]
) -> tuple[int, bool]:
    answer = client.post(path, json=body, headers={"origin": origin} | headers)
    allowed = answer.headers.get("access-control-allow-origin")
    assert allowed in (None, origin)
    return answer.status_code, allowed is not None


def test_a_preflight_passes_for_a_page_that_some_collection_lists_and_needs_no_key(
    client: TestClient,
) -> None:
    for path in ("/query", "/answer", "/roblox/query"):
        asked = {"origin": PAGE, "access-control-request-method": "POST"}
        answer = client.options(path, headers=asked)
        assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (204, PAGE)
        assert "x-api-key" in answer.headers["access-control-allow-headers"]
        stranger = client.options(path, headers=asked | {"origin": STRANGER})
        assert stranger.status_code >= 400
        assert "access-control-allow-origin" not in stranger.headers


@pytest.mark.parametrize(
    ("path", "body"),
    [("/query", {"collection": "roblox", "q": "walk"}), ("/roblox/query", {"text": "walk"})],
)
def test_an_answer_is_read_by_the_pages_of_its_collection(
    client: TestClient, path: str, body: dict[str, str]
) -> None:
    assert readable(client, PAGE, path, body, KEY) == (200, True)
    assert readable(client, STRANGER, path, body, KEY) == (200, False)


def test_what_another_collection_answers_is_not_read_by_them(client: TestClient) -> None:
    assert readable(client, PAGE, "/query", {"collection": "other", "q": "walk"}, KEY) == (200, False)
    assert readable(client, PAGE, "/other/query", {"text": ""}, KEY)[1] is False


@pytest.mark.parametrize(
    ("path", "body", "headers", "status"),
    [
        ("/query", {"collection": "roblox", "q": "walk"}, {}, 401),
        ("/roblox/query", {"text": "walk"}, {"x-api-key": "wrong"}, 401),
        ("/answer", {"collection": "roblox", "q": ""}, KEY, 422),
        ("/roblox/query", {"text": ""}, KEY, 422),
        ("/query", {"collection": "roblox", "q": "x" * 1_000_001}, KEY, 413),
        ("/query", {"collection": "rolbox", "q": "walk"}, KEY, 404),
    ],
)
def test_a_page_can_read_why_it_was_refused(
    client: TestClient, path: str, body: dict[str, str], headers: dict[str, str], status: int
) -> None:
    assert readable(client, PAGE, path, body, headers) == (status, True)
    assert readable(client, STRANGER, path, body, headers) == (status, False)


def test_a_page_may_use_every_verb_and_send_every_header_of_the_contracts(client: TestClient) -> None:
    asked = {"origin": PAGE, "access-control-request-method": "DELETE"}
    told = client.options("/roblox/query", headers=asked).headers
    verbs = {
        line.partition(" ")[0] for face in route_table().values() for lines in face.values() for line in lines
    }
    assert verbs <= set(told["access-control-allow-methods"].split(", "))
    wanted = {
        parameter.alias
        for face in filter(None, map(load_face, face_names()))
        for function in face.routers
        for route in face.router(function).routes
        if isinstance(route, APIRoute)
        for parameter in route.dependant.header_params
    }
    assert {"idempotency-key", "prefer"} <= wanted
    assert wanted <= set(told["access-control-allow-headers"].split(", "))


def test_the_headers_that_clients_of_openai_send_are_allowed_and_no_others(client: TestClient) -> None:
    sent = ["x-stainless-os", "x-stainless-retry-count", "openai-organization", "x-evil", "cookie"]
    asked = {"origin": PAGE, "access-control-request-headers": ",".join(sent)}
    told = client.options("/v1/chat/completions", headers=asked).headers["access-control-allow-headers"]
    assert [one in told.split(", ") for one in sent] == [True, True, True, False, False]


def test_a_page_may_read_every_header_that_we_name_ourselves(client: TestClient) -> None:
    named: set[str] = set()
    for file in Path(functions.__path__[0]).rglob("*.py"):
        named.update(re.findall(r'"(x-quire-[a-z-]+)"', file.read_text(encoding="utf-8")))
    answer = client.post("/roblox/query", json={"text": "walk"}, headers={"origin": PAGE} | KEY)
    assert len(named) >= 7
    assert named <= set(answer.headers["access-control-expose-headers"].split(", "))


def test_a_preflight_of_a_collections_path_passes_for_its_own_pages_alone(client: TestClient) -> None:
    asked = {"origin": PAGE, "access-control-request-method": "POST"}
    for path in ("/other/query", "/nowhere/query", "/", "/other"):
        refused = client.options(path, headers=asked)
        assert refused.status_code >= 400, path
        assert "access-control-allow-methods" not in refused.headers
