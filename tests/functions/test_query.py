"""The Lambda handler with real events, in the form that Lambda runs it: one request at a time, all opened before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from functions.app.app import create_app
from functions.app.wiring import lambda_app
from functions.aws.lambda_adapter import LambdaHandler
from functions.web.access import OneKey
from functions.web.faces import QUERY
from functions.web.logs import LOGGER
from quire.service.knowledge import Knowledge
from quire.settings import Settings
from tests.support.events import LambdaContext, event_v1, event_v2
from tests.support.served import Shelf
from tests.support.tree import ROOT

pytestmark = pytest.mark.usefixtures("settled_heap")

MAKERS = [
    event_v1,
    event_v2,
    lambda *asked, **more: event_v2(*asked, **more, stage="prod"),
    lambda *asked, **more: event_v1(*asked, **more, encoded=True),
    lambda *asked, **more: event_v2(*asked, **more, encoded=True),
]
FORMS = pytest.mark.parametrize("make", MAKERS, ids=["v1", "v2", "v2-stage", "v1-base64", "v2-base64"])


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path)
    shelf.publish()
    return shelf


@pytest.fixture
def service(shelf: Shelf) -> Knowledge:
    return shelf.service()


@pytest.fixture
def handler(service: Knowledge) -> Iterator[LambdaHandler]:
    app = create_app(service, OneKey(None), functions=[QUERY], concurrent=False)
    handler = LambdaHandler(app)
    yield handler
    handler.close()


def called(handler: LambdaHandler, event: dict[str, Any], status: int = 200) -> dict[str, Any]:
    answer = handler(event, LambdaContext())
    assert answer["statusCode"] == status, answer["body"]
    assert answer["isBase64Encoded"] is False
    body: dict[str, Any] = json.loads(answer["body"])
    return body


@FORMS
def test_the_roblox_face_answers_an_event(handler: LambdaHandler, make: Any) -> None:
    body = called(handler, make("POST", "/roblox/query", {"text": "Humanoid.Died", "top_k": 2}))
    assert body["results"][0]["payload"]["member_name"] == "Died"
    assert called(handler, make("GET", "/roblox/health")) == {"status": "ok"}
    assert called(handler, make("GET", "/roblox/status"))["total_documents"] == 12


@FORMS
def test_the_native_api_answers_an_event(handler: LambdaHandler, make: Any) -> None:
    body = called(handler, make("POST", "/query", {"collection": "roblox", "q": "für Schüler: gravity"}))
    assert body["hits"]
    error = called(handler, make("POST", "/query", {"collection": "nope", "q": "x"}), 404)
    assert error["type"] == "urn:quire:problem:unknown-collection"


@FORMS
def test_the_gateways_request_id_is_the_requests(handler: LambdaHandler, make: Any) -> None:
    answer = handler(make("GET", "/health"), LambdaContext())
    assert answer["headers"]["x-request-id"] == LambdaContext().aws_request_id
    named = handler(make("GET", "/health", headers={"X-Request-Id": "mine-1"}), LambdaContext())
    assert named["headers"]["x-request-id"] == "mine-1"


def test_a_broken_body_in_base64_is_an_error_of_the_caller(handler: LambdaHandler) -> None:
    event = event_v1("POST", "/query", '{"collection": ', encoded=True)
    assert called(handler, event, 422)["field"] == "body"


def test_a_hundred_events_leave_nothing_behind(
    handler: LambdaHandler, monkeypatch: pytest.MonkeyPatch
) -> None:
    import gc

    monkeypatch.setattr(LOGGER, "disabled", True)  # pytest keeps every record
    event = event_v2("POST", "/roblox/query", {"text": "gravity", "top_k": 1})
    for _ in range(20):
        called(handler, event)
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(100):
        called(handler, event)
    gc.collect()
    assert len(gc.get_objects()) - before < 100


def test_the_app_of_a_function_opens_its_collections_before_the_first_request(shelf: Shelf) -> None:
    settings = Settings(store=str(shelf.folder), cache=shelf.cache, collections_file=Path(os.devnull))
    app = lambda_app(settings, [QUERY])
    assert app.state.service.catalog.peek("roblox") is not None
    assert app.state.pool is None


def test_a_function_without_a_store_starts_and_says_so_when_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = lambda_app(Settings(store=str(tmp_path / "nothing"), cache=tmp_path), [QUERY])
    handler = LambdaHandler(app)
    assert called(handler, event_v2("GET", "/health")) == {"status": "ok"}
    question = event_v2("POST", "/query", {"collection": "x", "q": "x"})
    assert "holds nothing yet" in called(handler, question, 404)["detail"]
    handler.close()
    assert '"event":"request"' in capsys.readouterr().out


def test_a_start_leaves_the_models_of_openapi_out_and_their_page_is_whole(tmp_path: Path) -> None:
    unbuilt = "import sys; print('fastapi.openapi.models' in sys.modules)"
    asked = "from functions.app.openapi import describe_api; s = functions.query.handler._app.state.service"
    page = "print(len(describe_api(s, ['query'])['paths']) > 5)"
    script = f"import functions.query; {unbuilt}; {asked}; {page}"
    paths = os.pathsep.join((str(ROOT), str(ROOT / "layers/core/python")))
    command = (sys.executable, "-W", "error", "-c", script)
    run = subprocess.run(
        command, cwd=tmp_path, env={"PYTHONPATH": paths}, capture_output=True, text=True, check=False
    )
    assert (run.stdout.split(), run.stderr) == (["False", "True"], "")


def test_the_handlers_import_brings_no_library_that_a_query_does_not_need(tmp_path: Path) -> None:
    script = "import sys, functions.query; print(*{name.split('.')[0] for name in sys.modules}, sep='\\n')"
    paths = os.pathsep.join((str(ROOT), str(ROOT / "layers/core/python")))
    run = subprocess.run(
        (sys.executable, "-W", "error", "-c", script),
        cwd=tmp_path,
        env={"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    loaded = set(run.stdout.split())
    heavy = {
        "google",
        "boto3",
        "botocore",
        "build_index",
        "httpx",
        "tree_sitter",
        "yaml",
        "typer",
        "rich",
        "uvicorn",
    }
    assert {"fastapi", "mangum", "onnxruntime"} <= loaded
    assert not loaded & heavy
