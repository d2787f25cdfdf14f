"""Pages of other sites and a server without a key: by which names it may be called, and who may speak MCP to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from functions.app.wiring import local_app
from functions.web.hosts import Hosts, hosts_of
from quire.settings import Settings, read_settings
from tests.support.client import TestClient
from tests.support.served import Shelf

OWN = [
    "localhost",
    "localhost:8000",
    "LOCALHOST:8000",
    "app.localhost",
    "127.0.0.1:8000",
    "[::1]:8000",
    "192.168.1.7:8000",
]
FOREIGN = [
    "rebind.example",
    "rebind.example:8000",
    "localhost.example",
    "127.0.0.1.rebind.example",
    "notlocalhost",
    "",
    "a b",
    "localhost@rebind.example",
    "[::1",
    "localhost:8000:8000",
    "2130706433",
]
MCP = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ACCEPT = {"accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    shelf = Shelf(tmp_path_factory.mktemp("hosts"))
    shelf.publish()
    return shelf


def client(shelf: Shelf, **settings: Any) -> TestClient:
    nothing = Path("/dev/null")
    chosen = Settings(store=str(shelf.folder), cache=shelf.cache, collections_file=nothing, **settings)
    return TestClient(local_app(chosen), base_url="http://localhost:8000", raise_server_exceptions=False)


@pytest.mark.parametrize("host", OWN)
def test_a_server_without_a_key_answers_to_localhost_and_to_addresses(shelf: Shelf, host: str) -> None:
    assert client(shelf).get("/collections", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "path", ["/", "/health", "/collections", "/roblox/query", "/mcp", "/openapi.json", "/nowhere"]
)
def test_a_page_whose_name_was_pointed_here_reaches_nothing(shelf: Shelf, path: str) -> None:
    headers = {"host": "rebind.example:8000", "origin": "http://rebind.example:8000"} | ACCEPT
    for method in ("GET", "POST", "DELETE"):
        reply = client(shelf).request(method, path, headers=headers, json=MCP)
        assert reply.status_code == 421, (method, path)
        assert "QUIRE_HOSTS" in reply.json()["detail"]


@pytest.mark.parametrize("host", FOREIGN)
def test_names_that_only_look_like_this_machines_are_refused(shelf: Shelf, host: str) -> None:
    assert client(shelf).get("/collections", headers={"host": host}).status_code == 421


def test_two_names_at_once_are_refused(shelf: Shelf) -> None:
    headers = [("host", "localhost"), ("host", "rebind.example")]
    assert client(shelf).get("/collections", headers=headers).status_code == 421


def test_an_operators_own_names_count_and_a_star_takes_any(shelf: Shelf) -> None:
    listed = read_settings({"QUIRE_HOSTS": "quire.example , Docs.Example."}).hosts
    known = client(shelf, hosts=listed)
    assert known.get("/collections", headers={"host": "quire.example:8000"}).status_code == 200
    assert known.get("/collections", headers={"host": "docs.example"}).status_code == 200
    assert known.get("/collections", headers={"host": "other.example"}).status_code == 421
    anyone = client(shelf, hosts=("*",))
    assert anyone.get("/collections", headers={"host": "other.example"}).status_code == 200


def test_where_a_key_is_demanded_or_in_the_cloud_names_are_not_held_against_a_request(shelf: Shelf) -> None:
    keyed = client(shelf, api_key="k")
    assert keyed.get("/collections", headers={"host": "any.example", "x-api-key": "k"}).status_code == 200
    assert keyed.get("/collections", headers={"host": "any.example"}).status_code == 401
    assert hosts_of(Settings(), in_cloud=True) is None
    assert hosts_of(Settings(access="access.toml"), in_cloud=False) is None
    assert hosts_of(Settings(), in_cloud=False) == Hosts()


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, 200),
        ("http://localhost:8000", 200),
        ("http://localhost:6274", 200),
        ("http://127.0.0.1:8000", 200),
        ("https://quire.example", 200),
        ("https://elsewhere.example", 403),
        ("http://203.0.113.9", 403),
        ("http://localhost.elsewhere.example", 403),
        ("null", 403),
        ("", 403),
        ("http://[::1", 403),
        ("http://[", 403),
    ],
)
def test_mcp_answers_pages_of_this_machine_and_of_listed_names_alone(
    shelf: Shelf, origin: str | None, status: int
) -> None:
    headers = ACCEPT | ({} if origin is None else {"origin": origin})
    assert (
        client(shelf, hosts=("quire.example",)).post("/mcp", json=MCP, headers=headers).status_code == status
    )


@pytest.mark.parametrize("origin", ["http://[::1", "http://[", "null", "\xe9", "http://elsewhere.example"])
def test_a_broken_origin_is_never_a_fault_of_ours(shelf: Shelf, origin: str) -> None:
    keyed = client(shelf, api_key="k")
    headers = ACCEPT | {"origin": origin.encode("latin-1"), "x-api-key": "k"}
    for path in ("/mcp", "/query", "/roblox/query", "/health"):
        assert keyed.post(path, json=MCP, headers=headers).status_code in (403, 405, 422), path  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "path",
    [
        "/query",
        "/answer",
        "/roblox/query",
        "/talk/chat",
        "/talk/ingest",
        "/talk/query",
        "/v1/chat/completions",
        "/v1/responses",
    ],
)
def test_what_a_page_elsewhere_may_send_without_asking_reaches_no_route(shelf: Shelf, path: str) -> None:
    # A form or a fetch in mode no-cors sends these types; anything else is asked for first.
    shelf.publish("talk", profile="docs", engine="")
    body = b'{"user_message": "x", "text": "x", "q": "x", "collection": "roblox", "files": []}'
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b", None):
        headers = {"origin": "https://elsewhere.example"} | ({"content-type": kind} if kind else {})
        assert client(shelf).post(path, content=body, headers=headers).status_code in (400, 415, 422), kind
