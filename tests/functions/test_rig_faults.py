"""Faults of S3, through the archives that are deployed: the last good version serves and says so, or 503 does."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from functions.faces.textbook.routes import UNAVAILABLE
from quire.adapters.circuit_breaker import SERVING
from quire.index.layout import KEYWORDS, VECTORS
from quire.store.keys import pointer_key, segment_key
from tests.support.deployed import Bucket, damage
from tests.support.events import event_v1
from tests.support.pace import is_within, seconds
from tests.support.rig import Function, Root
from tests.support.runtime_api import Reply
from tests.support.s3_faults import DENIED, GONE, SLOW, THROTTLED, WELL, FaultyS3

QUESTION = {"collection": "roblox", "q": "Humanoid.Died"}
each_outage = pytest.mark.parametrize("fault", [GONE, SLOW, THROTTLED, DENIED])


@pytest.fixture(scope="module")
def bucket(seaweed_url: str, tmp_path_factory: pytest.TempPathFactory, model_folder: Path) -> Bucket:
    bucket = Bucket(seaweed_url, tmp_path_factory.mktemp("bucket"), model_folder)
    bucket.publish("0.735.0.1")
    bucket.publish_others()
    return bucket


@pytest.fixture(scope="module")
def s3(bucket: Bucket) -> Iterator[FaultyS3]:
    with FaultyS3(bucket.url) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def function(
    lambda_root: Root, bucket: Bucket, s3: FaultyS3, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Function]:
    """A query function that holds the good version and looks at its pointer at every request."""
    known = bucket.environment(lambda_root, tmp_path_factory.mktemp("tmp"), url=s3.url, QUIRE_REFRESH_S="0")
    with Function(lambda_root, "functions.query.handler", known) as function:
        function.wait_ready()
        yield function


@pytest.fixture(autouse=True)
def _well_again(s3: FaultyS3) -> Iterator[None]:
    s3.state = WELL
    yield
    s3.state = WELL


def ask(function: Function, path: str = "/query", body: Any = None) -> tuple[Reply, float]:
    """The reply and the seconds that it took."""
    began = time.perf_counter()
    reply = function.invoke(event_v1("POST", path, body or QUESTION))
    return reply, time.perf_counter() - began


def healed(function: Function, version: str = "") -> dict[str, Any]:
    """The first answer, of that version, that lacks nothing; it must come soon after the fault is over."""
    until = time.monotonic() + SERVING.rest_s + seconds(5)
    while True:
        body: dict[str, Any] = ask(function)[0].json()
        if (
            not body["degraded"] and body["version"] in (version or body["version"])
        ) or time.monotonic() > until:
            return body
        time.sleep(0.2)


def _call_s() -> float:
    """The most that a call takes which waits out a deadline once."""
    return SERVING.deadline_s + seconds(1)


def headers_of(reply: Reply) -> dict[str, str]:
    return {name.lower(): value for name, value in reply.proxy()["headers"].items()}


@each_outage
def test_the_last_good_version_serves_while_s3_fails_and_says_so(
    function: Function, s3: FaultyS3, fault: str
) -> None:
    good = healed(function)
    s3.state = fault
    reply, took_s = ask(function)
    assert (reply.status(), reply.json()["version"]) == (200, good["version"])
    assert reply.json()["degraded"] == [f"store unreachable: serving version {good['version']}"]
    assert [hit["id"] for hit in reply.json()["hits"]] == [hit["id"] for hit in good["hits"]]
    assert took_s < _call_s()
    face, took_s = ask(function, "/roblox/query", {"text": "Humanoid.Died"})
    assert headers_of(face)["x-quire-degraded"].startswith("store unreachable")
    assert is_within(took_s, 1), "the store is left alone for a while, not asked by every request"
    s3.state = WELL
    assert healed(function)["degraded"] == []


def test_a_version_with_one_changed_byte_is_not_served(function: Function, bucket: Bucket) -> None:
    good = healed(function)
    newer = bucket.publish("0.736.0.1", members=9)
    [segment] = bucket.store.pointer("roblox").segments
    key = segment_key("roblox", segment.digest) + VECTORS
    whole = damage(bucket.objects, key)
    reply, took_s = ask(function)
    until = time.monotonic() + 20
    while (
        not reply.json()["degraded"] and time.monotonic() < until
    ):  # it is fetched beside the one that serves
        time.sleep(0.1)
        reply, took_s = ask(function)
    assert (reply.status(), reply.json()["version"]) == (200, good["version"])
    assert reply.json()["degraded"] == [
        f"newer version unusable (ArtifactCorrupt): serving version {good['version']}"
    ]
    assert took_s < _call_s()
    bucket.objects.write(key, whole)
    assert healed(function, newer)["version"] == newer


def test_a_pointer_that_is_gone_leaves_the_last_good_version(function: Function, bucket: Bucket) -> None:
    good = healed(function)
    key = pointer_key("roblox")
    stored = bucket.objects.read(key)
    assert stored is not None
    bucket.objects.delete(key)
    reply, took_s = ask(function)
    assert (reply.status(), reply.json()["version"]) == (200, good["version"])
    assert reply.json()["degraded"] == [f"pointer missing: serving version {good['version']}"]
    assert took_s < _call_s()
    bucket.objects.write(key, stored.data)
    assert healed(function)["version"] == good["version"]


# ---- with no version open -------------------------------------------------------------------------------------


@each_outage
def test_with_nothing_open_an_outage_is_503_with_the_books_sentence(
    lambda_root: Root, bucket: Bucket, s3: FaultyS3, tmp_path: Path, fault: str
) -> None:
    s3.state = fault
    known = bucket.environment(lambda_root, tmp_path, url=s3.url, QUIRE_MEMORY=str(tmp_path / "turns"))
    with Function(lambda_root, "functions.answer.handler", known) as function:
        function.wait_ready()
        assert time.perf_counter() - function.began < 2 * (_call_s())
        reply, took_s = ask(function, "/textbook/api/query", {"query": "What shelters boats?"})
        assert (reply.status(), reply.json()["detail"]) == (503, UNAVAILABLE)
        assert int(headers_of(reply)["retry-after"]) > 0
        assert took_s < 2 * (_call_s())
        if fault != GONE:  # all three end alike
            return
        s3.state = WELL
        until = time.monotonic() + SERVING.rest_s + seconds(15)
        while reply.status() != 200 and time.monotonic() < until:
            reply, _ = ask(function, "/textbook/api/query", {"query": "What shelters boats?"})
        assert reply.json()["sources"][0]["filename"] == "00.mdx"


@pytest.mark.parametrize("file", [VECTORS, KEYWORDS])
def test_with_nothing_open_a_changed_byte_is_503(
    lambda_root: Root, bucket: Bucket, tmp_path: Path, file: str
) -> None:
    [segment] = bucket.store.pointer("textbook").segments
    key = segment_key("textbook", segment.digest) + file
    whole = damage(bucket.objects, key)
    known = bucket.environment(lambda_root, tmp_path, QUIRE_MEMORY=str(tmp_path / "turns"))
    try:
        with Function(lambda_root, "functions.answer.handler", known) as function:
            function.wait_ready()
            reply, took_s = ask(function, "/textbook/api/query", {"query": "What shelters boats?"})
    finally:
        bucket.objects.write(key, whole)
    assert (reply.status(), reply.json()["detail"]) == (503, UNAVAILABLE)
    assert "retry-after" in headers_of(reply)
    assert took_s < 2 * (_call_s())
