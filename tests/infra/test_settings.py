from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from functions.app.route_table import face_names
from functions.app.site import is_open_path
from functions.web.faces import load_face
from infra.rotate import main
from infra.routes import (
    OPEN,
    Table,
    deployed_routes,
    functions_of,
    gateway_path,
    read_table,
    written_collections,
)
from infra.settings import GITHUB, StackSettings, github_conditions, read_settings
from quire.collections import Collection
from quire.profiles import PROFILES
from tests.support.tree import ROOT

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
        ({"key_oldest": "2"}, "key_oldest: wanted 1 to key_generation, found 2 of 1"),
        ({"build_size": "HUGE"}, "build_size: wanted one of SMALL, MEDIUM, LARGE, X_LARGE, found 'HUGE'"),
        ({"build_retries": "11"}, "build_retries: wanted 0 to 10, found 11"),
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


def found(table: Table, collections: Mapping[str, Collection]) -> set[tuple[str, str, str]]:
    return {(one.method, one.path, one.function) for one in deployed_routes(table, collections)}


def test_one_path_stands_for_all_collections_that_may_be_asked_alike() -> None:
    closed = {"handbook": Collection("handbook", "docs"), "engine": Collection("engine", "code")}
    assert found(TABLE, closed) == {
        ("GET", "/health", "query"),
        ("POST", "/query", "query"),
        ("POST", "/answer", "answer"),
        ("GET", "/{collection}/health", "query"),
        ("POST", "/{collection}/query", "query"),
        ("POST", "/{collection}/ingest", "memory"),
        ("DELETE", "/{collection}/files/{name+}", "memory"),
    }
    (query,) = (one for one in deployed_routes(TABLE, closed) if one.path == "/{collection}/query")
    assert [one.name for one in query.collections] == ["handbook", "engine"]


def test_a_collection_whose_access_differs_has_paths_of_its_own() -> None:
    more = COLLECTIONS | {"second": Collection("second", "code")}  # most are not public
    assert found(TABLE, more) == {
        ("GET", "/health", "query"),
        ("POST", "/query", "query"),
        ("POST", "/answer", "answer"),
        ("POST", "/{collection}/query", "query"),
        ("GET", "/handbook/health", "query"),
        ("POST", "/handbook/query", "query"),
        ("POST", "/handbook/ingest", "memory"),
        ("DELETE", "/handbook/files/{name+}", "memory"),
    }
    assert functions_of(TABLE, more) == ["answer", "memory", "query"]
    assert written_collections(TABLE, more) == ["handbook"]


def test_what_another_function_answers_has_paths_of_its_own() -> None:
    table = {"native": {}, "chatbot": {"query": ["GET /health"]}, "codebase": {"memory": ["GET /health"]}}
    asked = {"a": Collection("a", "docs"), "b": Collection("b", "docs"), "c": Collection("c", "code")}
    assert found(table, asked) == {("GET", "/{collection}/health", "query"), ("GET", "/c/health", "memory")}


def test_a_route_is_open_for_health_and_for_public_collections() -> None:
    open_ = {one.path: one.is_open for one in deployed_routes(TABLE, COLLECTIONS)}
    assert open_["/health"] is True
    assert open_["/query"] is False
    assert open_["/handbook/query"] is True
    assert open_["/handbook/ingest"] is False
    assert open_["/{collection}/query"] is False


def test_a_native_route_about_one_collection_stands_below_each() -> None:
    table = {"native": {"query": ["GET /{collection}/llms.txt"]}}
    assert [(one.path, one.is_open) for one in deployed_routes(table, COLLECTIONS)] == [
        ("/{collection}/llms.txt", False),
        ("/handbook/llms.txt", True),
    ]


def test_every_face_of_the_real_table_shares_its_paths() -> None:
    table = read_table(ROOT / "functions/routes.json")
    every = {name: Collection(name, name) for name in PROFILES}
    assert {one.path.split("/")[1] for one in deployed_routes(table, every) if one.collections} == {
        "{collection}"
    }


@pytest.mark.parametrize(
    ("owner", "repository", "subject"),
    [
        ("", "", "repo:acme@*/quire@*:ref:refs/heads/main"),
        ("7", "9", "repo:acme@7/quire@9:environment:production"),
    ],
)
def test_github_may_sign_in_with_either_form_of_subject(owner: str, repository: str, subject: str) -> None:
    settings = StackSettings(repository="acme/quire", owner_id=owner, repository_id=repository)
    asked = github_conditions(settings)
    assert subject in asked["StringLike"][f"{GITHUB}:sub"]
    assert "repo:acme/quire:ref:refs/heads/main" in asked["StringLike"][f"{GITHUB}:sub"]
    assert asked["StringEquals"][f"{GITHUB}:ref"] == "refs/heads/main"
    # A wildcard stands for any id in the subject, never for another repository.
    assert asked["StringEquals"][f"{GITHUB}:repository"] == "acme/quire"
    assert asked["StringEquals"].get(f"{GITHUB}:repository_id", "") == repository


def test_a_key_is_rotated_and_retired_in_the_choices_that_are_committed(tmp_path: Path) -> None:
    choices = tmp_path / "cdk.json"
    shutil.copy(ROOT / "cdk.json", choices)

    def generations() -> tuple[int, int]:
        settings = read_settings(json.loads(choices.read_text())["context"])
        return settings.key_oldest, settings.key_generation

    seen = [generations()]
    for act in ("rotate", "retire", "rotate"):
        assert main([act], choices) == 0
        seen.append(generations())
    assert seen == [(1, 1), (1, 2), (2, 2), (2, 3)]
    assert main(["turn"], choices) == 2


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
