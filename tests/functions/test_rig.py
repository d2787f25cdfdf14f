"""The query function end to end, from the archives that are deployed, through AWS's runtime client."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from quire.adapters.folder import FolderStore
from quire.embedding import open_embedder
from quire.store.keys import model_key
from quire.store.store import SegmentStore
from tests.support.corpus import write_corpus
from tests.support.deployed import Bucket
from tests.support.events import event_v1, event_v2
from tests.support.rig import Function, Root, run_python

HANDLER = "functions.query.handler"
EventMaker = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory, model_folder: Path) -> Path:
    """A small index with its model, as a build leaves them."""
    folder = tmp_path_factory.mktemp("store")
    publish(folder, model_folder, "0.735.0.7350832")
    return folder


def publish(folder: Path, model_folder: Path, engine: str) -> str:
    collections = SegmentStore(FolderStore(folder), folder / "cache")
    segment = folder / f"segment-{engine}"
    manifest = write_corpus(segment, open_embedder(model_folder), engine=engine)
    collections.put_model(model_folder)
    return collections.publish("roblox", segment, manifest).version


@pytest.fixture(scope="module")
def function(lambda_root: Root, store: Path) -> Iterator[Function]:
    with Function(lambda_root, HANDLER, environment(store)) as function:
        function.wait_ready()
        yield function


def environment(store: Path, **more: str) -> dict[str, str]:
    return {
        "QUIRE_STORE": str(store),
        "QUIRE_CACHE": str(store / "cache"),
        "QUIRE_API_KEY": "the-key-of-these-tests",
        **more,
    }


@pytest.mark.parametrize("make", [event_v1, event_v2], ids=["v1", "v2"])
def test_the_roblox_face_answers_from_the_archives(function: Function, make: EventMaker) -> None:
    reply = function.invoke(make("POST", "/roblox/query", {"text": "Humanoid.Died", "top_k": 2}))
    assert reply.status() == 200
    assert reply.json()["results"][0]["payload"]["member_name"] == "Died"


@pytest.mark.parametrize("make", [event_v1, event_v2], ids=["v1", "v2"])
def test_the_native_api_answers_from_the_archives(function: Function, make: EventMaker) -> None:
    question = {"collection": "roblox", "q": "how fast does a character walk", "mode": "hybrid"}
    body = function.invoke(make("POST", "/query", question)).json()
    assert (body["mode"], body["degraded"]) == ("hybrid", [])
    assert body["hits"][0]["metadata"]["member_name"] == "WalkSpeed"


def test_errors_come_back_as_problems(function: Function) -> None:
    reply = function.invoke(event_v1("POST", "/query", {"collection": "nope", "q": "x"}))
    assert (reply.status(), reply.json()["type"]) == (404, "urn:quire:problem:unknown-collection")
    assert function.invoke(event_v1("GET", "/nowhere/at/all")).status() == 404
    assert function.invoke(event_v1("POST", "/query", "{broken", encoded=True)).status() == 422


def test_the_archives_hold_all_that_a_query_reads_and_are_never_written(
    function: Function, lambda_root: Root
) -> None:
    assert function.invoke(event_v1("GET", "/openapi.json")).status() == 200
    assert function.invoke(event_v1("GET", "/reference")).status() == 200
    writable = [path for path in lambda_root.rglob("*") if path.stat().st_mode & 0o222]
    assert writable == []


def test_the_log_is_json_lines_without_the_question(function: Function) -> None:
    function.invoke(event_v1("POST", "/roblox/query", {"text": "a very secret question"}))
    lines = [json.loads(line) for line in function.output().splitlines()]
    assert {"time", "level", "event", "request_id", "route", "status", "took_ms"} <= set(lines[-1])
    assert "secret" not in function.output()


def test_a_function_whose_store_holds_nothing_starts_and_says_so(lambda_root: Root, tmp_path: Path) -> None:
    with Function(lambda_root, HANDLER, environment(tmp_path)) as function:
        function.wait_ready()
        assert function.invoke(event_v2("GET", "/health")).status() == 200
        assert function.invoke(event_v2("POST", "/query", {"collection": "x", "q": "x"})).status() == 404


def test_a_function_starts_and_answers_without_boto3_and_with_the_layers_model(
    lambda_root: Root, moto_url: str, tmp_path: Path, model_folder: Path
) -> None:
    bucket = Bucket(moto_url, tmp_path, model_folder)
    bucket.publish()
    for name in ("model.onnx", "model.onnx.data"):
        bucket.objects.delete(model_key(model_folder.name) + name)
    known = bucket.environment(
        lambda_root, tmp_path / "tmp", QUIRE_MODEL_FOLDERS=str(lambda_root / "opt/models")
    )
    with Function(lambda_root, HANDLER, known) as function:
        function.wait_ready()
        reply = function.invoke(event_v1("POST", "/query", {"collection": "roblox", "q": "Died"}))
    assert (reply.status(), reply.json()["degraded"]) == (200, [])
    started = "import functions.query, sys; assert not {'boto3', 'botocore'} & set(sys.modules)"
    run_python(lambda_root, "-c", started, environment=known)


def test_a_handler_that_cannot_be_imported_is_an_error_of_the_start(
    lambda_root: Root, tmp_path: Path
) -> None:
    wrong = environment(tmp_path, QUIRE_REFRESH_S="soon")
    with (
        Function(lambda_root, HANDLER, wrong) as function,
        pytest.raises(AssertionError, match="QUIRE_REFRESH_S"),
    ):
        function.wait_ready()


def test_a_function_restored_from_its_snapshot_serves_what_was_published_meanwhile(
    lambda_root: Root, tmp_path: Path, model_folder: Path
) -> None:
    old = publish(tmp_path, model_folder, "0.732")
    kept = environment(tmp_path, QUIRE_REFRESH_S="3600")
    with Function(lambda_root, HANDLER, kept, snapshot=True) as function:
        function.wait_snapshotted()
        new = publish(tmp_path, model_folder, "0.735")
        function.restore()
        reply = function.invoke(event_v1("POST", "/query", {"collection": "roblox", "q": "Died"}))
    assert old != new == reply.json()["version"]


def test_the_streaming_client_answers_piece_by_piece_with_the_same_bytes(
    lambda_root: Root, store: Path, function: Function
) -> None:
    question = event_v1("POST", "/roblox/query", {"text": "Humanoid.Died", "top_k": 2})
    with Function(lambda_root, HANDLER, environment(store), streaming=True) as streaming:
        streaming.wait_ready()
        reply = streaming.invoke(question)
        assert reply.is_streamed
        assert reply.content_type == "application/vnd.awslambda.http-integration-response"
        assert reply.status() == 200
        assert reply.json()["results"] == function.invoke(question).json()["results"]
        assert streaming.invoke(event_v1("POST", "/query", {"q": "x"})).status() == 422
