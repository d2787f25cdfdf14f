"""Answers streamed and indexes fetched from S3, through the archives that are deployed."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest

from quire.adapters import open_embedder
from quire.adapters.s3_store import S3Store
from quire.artifact.store import SegmentStore
from tests.support.aws import BOTO, CREDENTIALS, bucket_of
from tests.support.corpus import write_corpus
from tests.support.events import event_v1
from tests.support.rig import Function, Root, run_python

MCP = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
QUESTION = {"collection": "roblox", "q": "Which event fires when a character has lost its health?"}


def publish(objects: S3Store, folder: Path, model_folder: Path, engine: str) -> str:
    collections = SegmentStore(objects, folder / "cache")
    segment = folder / f"segment-{engine}"
    manifest = write_corpus(segment, open_embedder(model_folder), engine=engine)
    collections.put_model(model_folder)
    return collections.publish("roblox", segment, manifest).version


@pytest.fixture
def bucket(moto_url: str) -> S3Store:
    return S3Store(boto3.client("s3", endpoint_url=moto_url, **BOTO), bucket_of(moto_url), "rig/")


def environment(url: str, cache: Path, **more: str) -> dict[str, str]:
    where = {"QUIRE_STORE": f"s3://{bucket_of(url)}/rig", "QUIRE_CACHE": str(cache), "AWS_ENDPOINT_URL": url}
    return {**CREDENTIALS, **where, **more}


@pytest.fixture
def answering(
    lambda_root: Root, bucket: S3Store, moto_url: str, tmp_path: Path, model_folder: Path
) -> Iterator[Function]:
    publish(bucket, tmp_path, model_folder, "0.735")
    known = environment(moto_url, tmp_path / "tmp", QUIRE_MEMORY=str(tmp_path / "turns.sqlite"))
    with Function(lambda_root, "functions.answer.handler", known, streaming=True) as function:
        function.wait_ready()
        yield function


def test_an_answer_leaves_the_function_event_by_event(answering: Function) -> None:
    reply = answering.invoke(event_v1("POST", "/answer", {**QUESTION, "stream": True}))
    head = json.loads(reply.data.partition(b"\0" * 8)[0])
    assert (head["statusCode"], head["headers"]["content-type"].split(";")[0]) == (200, "text/event-stream")
    events = [
        line.removeprefix("event: ")
        for line in reply.body().decode().splitlines()
        if line.startswith("event:")
    ]
    assert (events[0], events[-1]) == ("sources", "done")
    assert len(reply.pieces) > len(events)
    assert reply.error is None


def test_an_answer_in_one_piece_cites_what_it_says(answering: Function) -> None:
    body = answering.invoke(event_v1("POST", "/answer", QUESTION)).json()
    assert body["citations"]
    assert "Died" in json.dumps(body["citations"])


def mcp(function: Function, method: str, **params: Any) -> Any:
    asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    reply = function.invoke(event_v1("POST", "/mcp", asked, headers=MCP))
    assert reply.error is None
    said = json.loads(reply.body())
    assert "result" in said, said
    return said["result"]


def test_agents_list_and_call_tools_inside_the_function(answering: Function) -> None:
    asked = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    assert mcp(answering, "initialize", **asked)["serverInfo"]["name"] == "quire"
    tools = [tool["name"] for tool in mcp(answering, "tools/list")["tools"]]
    assert set(tools) == {"list_collections", "search", "answer", "read", "lookup", "changes"}
    wanted = {"collection": "roblox", "query": QUESTION["q"]}
    found = mcp(answering, "tools/call", name="search", arguments=wanted)
    assert not found.get("isError")
    assert "Died" in found["content"][0]["text"]
    assert found["structuredContent"]["citations"][0]["id"] in found["content"][0]["text"]


def test_a_function_that_only_searches_does_not_carry_the_sdk(lambda_root: Root) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        run_python(lambda_root, "-c", "import mcp")


def test_a_function_fetches_its_index_from_s3_and_follows_the_pointer(
    lambda_root: Root, bucket: S3Store, moto_url: str, tmp_path: Path, model_folder: Path
) -> None:
    old = publish(bucket, tmp_path, model_folder, "0.732")
    known = environment(moto_url, tmp_path / "tmp", QUIRE_REFRESH_S="0")
    with Function(lambda_root, "functions.query.handler", known) as function:
        function.wait_ready()
        first = function.invoke(event_v1("POST", "/query", {"collection": "roblox", "q": "Died"})).json()
        new = publish(bucket, tmp_path, model_folder, "0.735")
        second = function.invoke(event_v1("POST", "/query", {"collection": "roblox", "q": "Died"})).json()
    assert (first["version"], second["version"]) == (old, new)
    assert (first["degraded"], first["mode"]) == ([], "hybrid")


def test_without_s3_a_function_says_so_and_when_to_come_back(lambda_root: Root, tmp_path: Path) -> None:
    nowhere = {
        "QUIRE_STORE": "s3://nothing",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "AWS_MAX_ATTEMPTS": "1",
    }
    known = {**CREDENTIALS, **nowhere, "QUIRE_CACHE": str(tmp_path)}
    with Function(lambda_root, "functions.query.handler", known) as function:
        function.wait_ready()
        reply = function.invoke(event_v1("POST", "/query", {"collection": "roblox", "q": "Died"}))
        assert reply.status() == 503
        assert "Retry-After" in {name.title() for name in reply.proxy()["headers"]}
        assert function.invoke(event_v1("GET", "/health")).status() == 200


def test_the_memory_function_starts_from_the_archives_and_answers_in_a_faces_form(
    lambda_root: Root, bucket: S3Store, moto_url: str, tmp_path: Path, model_folder: Path
) -> None:
    publish(bucket, tmp_path, model_folder, "0.735")
    known = environment(moto_url, tmp_path / "tmp", QUIRE_MEMORY=str(tmp_path / "turns.sqlite"))
    with Function(lambda_root, "functions.memory.handler", known) as function:
        function.wait_ready()
        reply = function.invoke(event_v1("GET", "/roblox/nothing"))
    assert (reply.status(), list(reply.json())) == (404, ["detail"])
