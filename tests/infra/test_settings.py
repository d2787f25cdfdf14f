from __future__ import annotations

import pytest

from infra.routes import Route, deployed_routes, functions_of, gateway_path, written_collections
from infra.settings import StackSettings, read_settings
from quire.collections import Collection

TABLE = {
    "native": {"query": ["GET /health", "POST /query"], "answer": ["POST /answer"]},
    "chatbot": {
        "query": ["GET /health", "HEAD /health"],
        "memory": ["POST /ingest", "DELETE /files/{name:path}"],
    },
    "codebase": {"query": ["POST /query"]},
}
COLLECTIONS = {
    "handbook": Collection("handbook", "docs", public=True),
    "engine": Collection("engine", "code"),
}


def test_context_changes_settings_by_their_types() -> None:
    said = {"memory_mb": "3008", "firewall": "true", "alarm_email": "a@example.com"}
    settings = read_settings(said.get)
    assert settings == StackSettings(memory_mb=3008, firewall=True, alarm_email="a@example.com")
    assert read_settings(dict[str, str]().get) == StackSettings()


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ({"memory_mb": "much"}, "memory_mb: wanted int, found 'much'"),
        ({"firewall": "perhaps"}, "firewall: wanted true or false"),
        ({"domain": "api.example.com"}, "certificate_arn"),
        ({"repository": "quire"}, "wanted owner/name"),
        ({"repository": "a/b/c"}, "wanted owner/name"),
    ],
)
def test_a_wrong_setting_is_named(said: dict[str, str], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        read_settings(said.get)


def test_each_collection_gets_the_routes_of_its_face() -> None:
    routes = deployed_routes(TABLE, COLLECTIONS)
    assert {(one.method, one.path, one.function) for one in routes} == {
        ("GET", "/health", "query"),
        ("POST", "/query", "query"),
        ("POST", "/answer", "answer"),
        ("GET", "/handbook/health", "query"),
        ("POST", "/handbook/ingest", "memory"),
        ("DELETE", "/handbook/files/{name+}", "memory"),
        ("POST", "/engine/query", "query"),
    }
    assert functions_of(TABLE, COLLECTIONS) == ["answer", "memory", "query"]
    assert written_collections(TABLE, COLLECTIONS) == ["handbook"]


@pytest.mark.parametrize(
    ("path", "collection", "is_open"),
    [
        ("/health", None, True),
        ("/query", None, False),
        ("/handbook/ingest", "handbook", True),
        ("/engine/query", "engine", False),
        ("/engine/health", "engine", True),
    ],
)
def test_a_route_is_open_for_health_and_for_public_collections(
    path: str, collection: str | None, is_open: bool
) -> None:
    assert Route("GET", path, "query", COLLECTIONS[collection] if collection else None).is_open is is_open


def test_a_path_is_written_as_api_gateway_wants_it() -> None:
    assert gateway_path("/collections/{name}") == "/collections/{name}"
    assert gateway_path("/a/{b:int}/{c:path}") == "/a/{b}/{c+}"
