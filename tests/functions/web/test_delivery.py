"""Replies are small on the wire, and what has not changed is not sent again."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from functions.aws.lambda_adapter import LambdaHandler
from tests.support.client import TestClient
from tests.support.served import Shelf

QUESTION = {"collection": "roblox", "q": "gravity in studs", "top_k": 10}
PLAIN, PACKED = {"accept-encoding": "identity"}, {"accept-encoding": "gzip, deflate, br"}


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    shelf = Shelf(tmp_path)
    shelf.publish()
    return shelf


@pytest.fixture
def client(shelf: Shelf) -> Iterator[TestClient]:
    with shelf.client() as client:
        yield client


def raw(client: TestClient, path: str, **given: object) -> tuple[bytes, dict[str, str]]:
    """The body as it travelled, and the headers."""
    method = "POST" if "json" in given else "GET"
    with client.stream(method, path, **given) as answer:  # type: ignore[arg-type]
        return b"".join(answer.iter_raw()), dict(answer.headers)


def test_json_is_compressed_where_the_client_takes_it_and_says_the_same(client: TestClient) -> None:
    whole, plain = raw(client, "/query", json=QUESTION, headers=PLAIN)
    packed, told = raw(client, "/query", json=QUESTION, headers=PACKED)
    assert told["content-encoding"] == "gzip"
    assert int(told["content-length"]) == len(packed) < len(whole) / 2
    assert "accept-encoding" in told["vary"]
    assert "content-encoding" not in plain
    assert json.loads(gzip.decompress(packed))["hits"] == json.loads(whole)["hits"]


def test_what_refuses_gzip_or_is_small_travels_as_it_is(client: TestClient) -> None:
    for accepted in ("gzip;q=0", "gzip; q=0.0, br", "*;q=0", ""):
        _, told = raw(client, "/query", json=QUESTION, headers={"accept-encoding": accepted})
        assert "content-encoding" not in told
    assert "content-encoding" not in raw(client, "/health", headers=PACKED)[1]


def test_events_of_an_answer_are_not_held_back_to_be_compressed(client: TestClient) -> None:
    asked = {"collection": "roblox", "q": "At how many studs does gravity pull?", "stream": True}
    body, told = raw(client, "/answer", json=asked, headers=PACKED)
    assert told["content-type"].startswith("text/event-stream")
    assert "content-encoding" not in told
    assert b"event: done" in body


@pytest.mark.parametrize(
    "path", ["/collections", "/collections/roblox", "/status", "/openapi.json", "/roblox/status"]
)
def test_what_was_read_once_is_not_sent_again(client: TestClient, path: str) -> None:
    first = client.get(path)
    again = client.get(path, headers={"if-none-match": first.headers["etag"]})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert client.get(path, headers={"if-none-match": '"other"'}).status_code == 200


@pytest.mark.parametrize(
    "path", ["/health", "/collections", "/v1/models", "/roblox/health", "/", "/widget.js"]
)
def test_head_is_answered_as_get_without_the_body_also_a_second_time(client: TestClient, path: str) -> None:
    whole, head = client.get(path), client.head(path)
    assert (head.status_code, head.content) == (200, b"")
    told = ("content-length", "content-type", "cache-control", "etag")
    assert [head.headers.get(name) for name in told] == [whole.headers.get(name) for name in told]
    again = client.head(path, headers={"if-none-match": whole.headers["etag"]})
    assert again.status_code == 304
    assert client.head("/query").headers["allow"] == "POST"


def test_a_new_version_has_a_new_tag(shelf: Shelf, client: TestClient) -> None:
    before = client.get("/collections/roblox").headers["etag"]
    shelf.publish(engine="0.736.0.7360000")
    answer = client.get("/collections/roblox", headers={"if-none-match": before})
    assert answer.status_code == 200
    assert answer.headers["etag"] != before


def test_neither_a_question_nor_a_refusal_has_a_tag(client: TestClient) -> None:
    assert "etag" not in client.post("/query", json=QUESTION).headers
    assert "etag" not in client.get("/collections/rolbox").headers


def test_a_function_sends_compressed_bytes_in_base64(shelf: Shelf) -> None:
    handler = LambdaHandler(shelf.app())
    event = {
        "version": "1.0",
        "resource": "/{proxy+}",
        "path": "/query",
        "httpMethod": "POST",
        "headers": {"content-type": "application/json", "accept-encoding": "gzip"},
        "multiValueHeaders": {"content-type": ["application/json"], "accept-encoding": ["gzip"]},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "requestContext": {"path": "/query", "identity": {"sourceIp": "127.0.0.1"}},
        "body": json.dumps(QUESTION),
        "isBase64Encoded": False,
    }
    answered = handler(event, None)
    handler.close()
    assert answered["isBase64Encoded"] is True
    assert json.loads(gzip.decompress(base64.b64decode(answered["body"])))["collection"] == "roblox"
