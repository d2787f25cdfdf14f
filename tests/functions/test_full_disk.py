"""A disk without room under a serving process: what is open serves and says so, the rest is 503, nothing is 500."""

from __future__ import annotations

import gc
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi import FastAPI

from functions.app.wiring import lambda_app, local_app
from quire.adapters.s3 import S3Store
from quire.settings import Settings
from tests.functions.test_ladder import COLLECTIONS, DOCUMENT, MEMBER
from tests.support.aws import use_endpoint
from tests.support.client import TestClient
from tests.support.deployed import Bucket
from tests.support.small_disk import fill, small_disk

pytestmark = pytest.mark.usefixtures("settled_heap")

QUESTION = {"collection": "roblox", "q": MEMBER}


@pytest.fixture
def bucket(moto_url: str, tmp_path: Path, model_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Bucket:
    use_endpoint(monkeypatch, moto_url)
    return Bucket(moto_url, tmp_path, model_folder)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", 48 << 10) as folder:
        yield folder


@pytest.fixture
def settings(bucket: Bucket, disk: Path, tmp_path: Path) -> Iterator[Settings]:
    (tmp_path / "collections.toml").write_text(COLLECTIONS, encoding="utf-8")
    yield Settings(
        store=bucket.environment(tmp_path, disk)["QUIRE_STORE"],
        cache=disk / "quire",
        cache_mb=48,
        collections_file=tmp_path / "collections.toml",
        memory=str(tmp_path / "turns.sqlite"),
        refresh_s=0.0,
    )
    for one in gc.get_objects():
        if issubclass(type(one), S3Store):
            one.reconnect()  # closes the connections that an app keeps
    with warnings.catch_warnings(action="ignore", category=ResourceWarning):
        gc.collect()  # those of boto's clients that made the bucket


def client_of(app: FastAPI) -> TestClient:
    return TestClient(app, base_url="http://localhost", raise_server_exceptions=False)


def test_after_a_publish_the_last_good_version_serves_and_every_route_says_why(
    bucket: Bucket, settings: Settings, disk: Path
) -> None:
    old = bucket.publish("0.735.0.1")
    client = client_of(local_app(settings))
    assert client.post("/query", json=QUESTION).json()["degraded"] == []
    fill(disk)
    bucket.publish("0.736.0.1", members=9)
    said = f"no room for a newer version: serving version {old}"
    reply = client.post("/query", json=QUESTION)
    until = time.monotonic() + 20
    while (
        not reply.json()["degraded"] and time.monotonic() < until
    ):  # it is fetched beside the one that serves
        reply = client.post("/query", json=QUESTION)
    assert (reply.status_code, reply.json()["version"], reply.json()["degraded"]) == (200, old, [said])
    face = client.post("/roblox/query", json={"text": "Humanoid.Died"})
    assert (face.status_code, face.headers["x-quire-degraded"]) == (200, said)
    assert client.get("/roblox/status").status_code == 200
    status = client.get("/status")
    assert status.status_code == 200
    assert said in status.text


def test_what_is_not_open_is_503_and_comes_back_with_the_room(
    bucket: Bucket, settings: Settings, disk: Path
) -> None:
    bucket.publish()
    client = client_of(local_app(settings))
    fill(disk)
    reply = client.post("/query", json=QUESTION)
    assert (reply.status_code, reply.headers["retry-after"]) == (503, "5")
    assert reply.json()["type"] == "urn:quire:problem:disk-full"
    assert client.get("/status").status_code == 200
    written = client.post("/sites/documents", json=DOCUMENT)
    assert (written.status_code, written.json()["detail"]) != (500, "")
    assert written.status_code == 503
    (disk / "filler").unlink()
    assert client.post("/query", json=QUESTION).status_code == 200


def test_a_function_starts_on_a_full_disk(bucket: Bucket, settings: Settings, disk: Path) -> None:
    bucket.publish()
    fill(disk)
    client = client_of(lambda_app(settings, ["query"]))
    assert client.get("/health").status_code == 200
    assert client.post("/query", json=QUESTION).status_code == 503


def test_a_model_that_finds_no_room_leaves_keywords(bucket: Bucket, settings: Settings, disk: Path) -> None:
    bucket.publish()
    fill(disk, left_bytes=4 << 20)
    body = client_of(local_app(replace(settings, cache_mb=0.0))).post("/query", json=QUESTION).json()
    assert body["degraded"] == ["embedding model unavailable: ranked by keywords alone"]
    assert body["hits"]
