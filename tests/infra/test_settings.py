from __future__ import annotations

import pytest

from functions.app.route_table import face_names
from functions.app.site import is_open_path
from functions.web.faces import load_face
from infra.routes import OPEN, deployed_routes, functions_of, gateway_path, written_collections
from infra.settings import StackSettings, read_settings
from quire.collections import Collection

TABLE = {
    "native": {"query": ["GET /health", "POST /query"], "answer": ["POST /answer"]},
    "chatbot": {
        "query": ["GET /health", "HEAD /health", "POST /query"],
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
    settings = read_settings(said)
    assert settings == StackSettings(memory_mb=3008, firewall=True, alarm_email="a@example.com")
    assert read_settings({}) == StackSettings()


def test_what_costs_money_unasked_is_off_until_somebody_chooses_it() -> None:
    assert (StackSettings().snap_start, StackSettings().firewall) == (False, False)


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ({"memory_mb": "much"}, "memory_mb: wanted int, found 'much'"),
        ({"firewall": "perhaps"}, "firewall: wanted true or false"),
        ({"domain": "api.example.com"}, "certificate_arn"),
        ({"alarm_mail": "a@example.com"}, "alarm_mail: no such setting, wanted one of name, stage,"),
        ({"repository": "quire"}, "wanted owner/name"),
        ({"repository": "a/b/c"}, "wanted owner/name"),
        ({"ephemeral_mb": "256"}, "ephemeral_mb: wanted 512 to 10240, found 256"),
        ({"ephemeral_mb": "1024", "snap_start": "true"}, "wanted 512 with snap_start, found 1024"),
    ],
)
def test_a_wrong_setting_is_named(said: dict[str, str], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        read_settings(said)


def test_the_cdks_own_context_is_let_pass() -> None:
    own = {
        "@aws-cdk/aws-iam:minimizePolicies": True,
        "aws:cdk:bundling-stacks": ["**"],
        "archives": "build/layers",
    }
    assert read_settings(own | {"cli-telemetry": False}) == StackSettings()


def test_each_collection_gets_the_routes_of_its_face() -> None:
    routes = deployed_routes(TABLE, COLLECTIONS)
    assert {(one.method, one.path, one.function) for one in routes} == {
        ("GET", "/health", "query"),
        ("POST", "/query", "query"),
        ("POST", "/answer", "answer"),
        ("GET", "/handbook/health", "query"),
        ("POST", "/handbook/query", "query"),
        ("POST", "/handbook/ingest", "memory"),
        ("DELETE", "/handbook/files/{name+}", "memory"),
        ("POST", "/engine/query", "query"),
    }
    assert functions_of(TABLE, COLLECTIONS) == ["answer", "memory", "query"]
    assert written_collections(TABLE, COLLECTIONS) == ["handbook"]


def test_a_route_is_open_for_health_and_for_public_collections() -> None:
    found = {one.path: one.is_open for one in deployed_routes(TABLE, COLLECTIONS)}
    assert found["/health"] is True
    assert found["/query"] is False
    assert found["/handbook/query"] is True
    assert found["/handbook/ingest"] is False
    assert found["/engine/query"] is False


def test_a_native_route_about_one_collection_stands_below_each() -> None:
    table = {"native": {"query": ["GET /{collection}/llms.txt"]}}
    routes = deployed_routes(table, COLLECTIONS)
    assert [(one.path, one.is_open) for one in routes] == [
        ("/handbook/llms.txt", True),
        ("/engine/llms.txt", False),
    ]


@pytest.mark.parametrize("face", face_names())
def test_the_gateway_lets_the_paths_pass_that_the_app_opens_to_anyone(face: str) -> None:
    loaded = load_face(face)
    assert loaded is not None
    allowed = set(OPEN.get(face, {"/health"}))
    static = {path for path in allowed if face == "native" and is_open_path(path)}
    assert allowed - static == loaded.open_paths


def test_a_path_is_written_as_api_gateway_wants_it() -> None:
    assert gateway_path("/collections/{name}") == "/collections/{name}"
    assert gateway_path("/a/{b:int}/{c:path}") == "/a/{b}/{c+}"
