"""The model of API Gateway that rehearsals ask, over the real template; and a rehearsal in short."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.account import Account
from tests.support.api_gateway import ApiGateway
from tests.support.deployment import Deployment, flat
from tests.support.rehearsal import NO_LONGER_S, Rehearsal, report
from tests.support.rig import Root
from tests.support.runtime_api import Reply
from tests.support.s3_faults import FaultyS3


class Functions(dict[str, Any]):
    """Every function there may be: says which one it is, and the path that it was given."""

    def __missing__(self, name: str) -> Any:
        def invoke(event: dict[str, Any]) -> Reply:
            head = {"statusCode": 200, "headers": {"X-Function": name, "X-Path": event["path"]}}
            if name == "answer":
                return Reply(True, pieces=[(0.1, json.dumps(head).encode() + b"\0" * 8), (0.2, b"{}")])
            body = json.dumps({**head, "body": "{}", "isBase64Encoded": False}).encode()
            return Reply(pieces=[(0.1, body)])

        return invoke


@pytest.fixture
def gateway(deployment: Deployment) -> ApiGateway:
    return ApiGateway(deployment.template, flat, Functions())


@pytest.fixture
def key(deployment: Deployment) -> str:
    return flat(next(iter(deployment.of_type("ApiGateway::ApiKey").values()))["Value"])


@pytest.mark.parametrize(
    ("method", "path", "function"),
    [
        ("POST", "/query", "query"),
        ("POST", "/roblox/query", "query"),
        ("POST", "/answer", "answer"),
        ("GET", "/assets/1a2b/app.js", "query"),
        ("POST", "/react_native/ingest", "memory"),
    ],
)
def test_a_path_reaches_its_function_without_its_stage(
    gateway: ApiGateway, key: str, method: str, path: str, function: str
) -> None:
    answered = gateway.request(method, f"/prod{path}", {}, key=key)
    assert (answered.status, answered.by, answered.headers["x-path"]) == (200, function, path)
    assert answered.pieces == (2 if function == "answer" else 1)
    assert gateway.request(method, path, {}, key=key).status == 403


def test_without_a_key_or_a_path_the_gateway_answers_itself(gateway: ApiGateway, key: str) -> None:
    refused = gateway.request("POST", "/prod/query", {})
    assert (refused.status, refused.by, refused.json()["type"]) == (
        401,
        "",
        "urn:quire:problem:access-denied",
    )
    assert gateway.request("GET", "/prod/nowhere/at/all", key=key).status == 404


def test_a_burst_is_let_through_and_what_follows_waits(gateway: ApiGateway, key: str) -> None:
    def statuses(count: int) -> list[int]:
        return [gateway.request("POST", "/prod/query", {}, key=key).status for _ in range(count)]

    assert statuses(21) == [200] * 20 + [429]
    gateway.now_s += 0.5
    assert statuses(6) == [200] * 5 + [429]


@pytest.mark.soak  # CI runs it as `make rehearse`
def test_a_deployment_answers_streams_swaps_and_survives_its_store(
    deployment: Deployment, lambda_root: Root, moto_url: str, model_folder: Path, tmp_path: Path
) -> None:
    with FaultyS3(moto_url) as s3, FaultyS3(moto_url) as tables:
        rehearsal = Rehearsal(lambda_root, tmp_path, model_folder, Account(moto_url), s3=s3, tables=tables)
        steps = rehearsal.run(deployment.template)
    told = report(steps, rehearsal.slowest_s)
    assert all(one.is_right for one in steps), told
    assert rehearsal.slowest_s < NO_LONGER_S
