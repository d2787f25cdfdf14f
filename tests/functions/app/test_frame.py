"""The frame: ids, bounds, keys, log lines and the last resort, around a small app."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Message, Scope

from functions.app.frame import Frame
from functions.web.access import OneKey
from quire.errors import StoreUnavailable
from tests.support.client import TestClient
from tests.support.logged import Logged, logged

SECRET = "a-question-that-nobody-may-log"


async def length(request: Request) -> Response:
    return JSONResponse(len(await request.body()))


async def breaks(request: Request) -> Response:
    raise ValueError(SECRET + (await request.body()).decode())


async def unreachable(request: Request) -> Response:
    raise StoreUnavailable("s3://bucket is away")


async def breaks_midway(request: Request) -> Response:
    def pieces() -> Iterator[str]:
        yield "first"
        raise ValueError(SECRET)

    return StreamingResponse(pieces())


ROUTES = [
    Route("/length", length, methods=["POST"]),
    Route("/breaks", breaks, methods=["POST"]),
    Route("/unreachable", unreachable),
    Route("/midway", breaks_midway),
    Route("/open", length, methods=["POST"]),
]


async def is_open(scope: Scope) -> bool:
    return bool(scope["path"] == "/open")


def client(key: str | None = None) -> TestClient:
    frame = Middleware(Frame, access=OneKey(key), is_open=is_open, max_body_bytes=1000)
    return TestClient(Starlette(routes=ROUTES, middleware=[frame]))


@pytest.fixture
def lines() -> Iterator[Logged]:
    """The log lines written so far."""
    with logged() as told:
        yield told


def test_a_body_of_the_bound_passes_and_one_byte_more_does_not() -> None:
    assert client().post("/length", content=b"x" * 1000).json() == 1000
    answer = client().post("/length", content=b"x" * 1001)
    assert answer.status_code == 413
    assert "1,000 bytes" in answer.text


def test_a_chunked_body_is_counted_while_it_comes() -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(11):
            yield b"x" * 100

    assert client().post("/length", content=pieces()).status_code == 413


def test_a_request_id_is_echoed_or_made() -> None:
    asked = client().post("/length", headers={"x-request-id": "trace-7"})
    assert asked.headers["x-request-id"] == "trace-7"
    made = client().post("/length").headers["x-request-id"]
    assert re.fullmatch("[0-9a-f]{32}", made)
    assert made != client().post("/length").headers["x-request-id"]


@pytest.mark.parametrize("sent", ["", "a b", "x" * 129, "é", 'x"y'])
def test_a_request_id_that_is_not_fit_for_a_log_is_replaced(sent: str) -> None:
    answer = client().post("/length", headers={b"x-request-id": sent.encode()})
    assert answer.headers["x-request-id"] != sent


def test_a_crash_shows_an_id_and_nothing_else_and_the_log_has_that_id(lines: Logged) -> None:
    answer = client().post("/breaks", content=SECRET)
    body = answer.json()
    assert answer.status_code == body["status"] == 500
    assert set(body) == {"type", "title", "status", "detail", "request_id"}
    assert "Traceback" not in answer.text
    assert "frame.py" not in answer.text
    fault, request = lines()
    assert fault["request_id"] == request["request_id"] == body["request_id"]
    assert fault["level"] == "ERROR"
    assert fault["error"] == "ValueError"
    assert any("breaks" in frame for frame in fault["frames"])
    assert SECRET not in json.dumps(lines())


def test_a_store_that_is_away_is_503_with_a_time_to_come_again(lines: Logged) -> None:
    answer = client().get("/unreachable")
    assert answer.status_code == 503
    assert answer.headers["retry-after"]
    assert "bucket" not in answer.text
    assert lines()[0]["message"] == "s3://bucket is away"


def test_a_response_that_breaks_midway_is_cut_and_logged(lines: Logged) -> None:
    with pytest.raises(ValueError, match=SECRET):
        client().get("/midway")
    assert [line["event"] for line in lines()] == ["fault", "request"]


def test_one_line_is_logged_a_request_and_no_content(lines: Logged) -> None:
    client().post("/length", content=SECRET, headers={"x-request-id": "r7"}, params={"q": SECRET})
    [line] = lines()
    assert line.pop("took_ms") >= 0
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line.pop("time"))
    assert line == {
        "level": "INFO",
        "event": "request",
        "request_id": "r7",
        "method": "POST",
        "route": "/length",
        "collection": None,
        "status": 200,
    }


def test_with_a_key_set_everything_but_open_paths_needs_it() -> None:
    guarded = client("secret")
    assert guarded.post("/open").status_code == 200
    for path in ("/length", "/nowhere", "/open/", "/OPEN"):
        answer = guarded.post(path)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == 'Bearer realm="quire"'
        assert answer.json()["type"] == "urn:quire:problem:access-denied"
    assert guarded.post("/length", headers={"x-api-key": "secret"}).status_code == 200
    assert guarded.post("/length", headers={"authorization": "Bearer secret"}).status_code == 200
    assert guarded.post("/nowhere", headers={"x-api-key": "secret"}).status_code == 404


def test_a_refused_request_is_logged_with_its_status(lines: Logged) -> None:
    client("secret").post("/length", headers={"x-api-key": "wrong-key"})
    [line] = lines()
    assert line["status"] == 401
    assert "wrong-key" not in json.dumps(line)


def test_a_client_that_leaves_in_the_middle_of_its_body_is_no_fault_of_ours() -> None:
    sent: list[Message] = []
    came: Iterator[Message] = iter(
        [{"type": "http.request", "body": b"half", "more_body": True}, {"type": "http.disconnect"}]
    )

    async def receive() -> Message:
        return next(came)

    async def send(message: Message) -> None:
        sent.append(message)

    with logged() as lines:
        frame = Frame(
            Starlette(routes=ROUTES).router, access=OneKey(None), is_open=is_open, max_body_bytes=100
        )
        scope = {"type": "http", "method": "POST", "path": "/length", "headers": [], "query_string": b""}
        asyncio.run(frame(scope, receive, send))
    [line] = lines()
    assert (line["level"], line["event"], line["status"]) == ("INFO", "request", 499)
    assert sent == []


class Hasty(Frame):
    body_s = 0.1


def test_a_body_that_does_not_come_in_time_is_408() -> None:
    sent: list[Message] = []

    async def receive() -> Message:
        if not sent:
            await asyncio.sleep(5)
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    app = Starlette(routes=ROUTES).router
    frame = Hasty(app, access=OneKey(None), is_open=is_open, max_body_bytes=100)
    scope = {"type": "http", "method": "POST", "path": "/length", "headers": [], "query_string": b""}
    asyncio.run(frame(scope, receive, send))
    assert sent[0]["status"] == 408
    assert b"within 0.1 s" in sent[1]["body"]
