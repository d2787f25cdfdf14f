"""Real event shapes through the adapter, over a small ASGI app that echoes what it got."""

from __future__ import annotations

import asyncio
import json
import warnings
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from functions.aws.lambda_adapter import LambdaHandler, without_stage
from tests.support.events import LambdaContext, event_v1, event_v2


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    request = Request(scope, receive)
    if request.url.path == "/bytes":
        response: Response = Response(b"\x00\xff", media_type="application/octet-stream")
    elif request.url.path == "/problem":
        response = Response(b'{"detail":"\xc3\xbc"}', 404, media_type="application/problem+json")
    else:
        body = (await request.body()).decode()
        seen = {
            "path": scope["path"],
            "method": scope["method"],
            "body": body,
            "query": dict(request.query_params),
        }
        response = JSONResponse(seen | {"host": request.headers["host"], "client": request.client.host})  # type: ignore[union-attr]
    await response(scope, receive, send)


@pytest.fixture
def handler() -> Iterator[LambdaHandler]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        handler = LambdaHandler(echo)
    yield handler
    handler.close()


EVENTS = [event_v1, event_v2]


def seen(handler: LambdaHandler, event: dict[str, Any]) -> dict[str, Any]:
    answer = handler(event, LambdaContext())
    assert answer["statusCode"] == 200
    assert answer["isBase64Encoded"] is False
    body: dict[str, Any] = json.loads(answer["body"])
    return body


@pytest.mark.parametrize("make", EVENTS)
@pytest.mark.parametrize("encoded", [False, True])
def test_the_body_arrives_whether_or_not_the_gateway_encoded_it(
    handler: LambdaHandler, make: Any, encoded: bool
) -> None:
    event = make("POST", "/query?a=1&b=%20x", '{"q":"für"}', encoded=encoded)
    got = seen(handler, event)
    assert got["body"] == '{"q":"für"}'
    assert got["path"] == "/query"
    assert got["method"] == "POST"
    assert got["query"]["a"] == "1"
    assert got["client"] == "203.0.113.7"


@pytest.mark.parametrize("stage", ["$default", "prod"])
def test_a_v2_event_loses_its_stage(handler: LambdaHandler, stage: str) -> None:
    assert seen(handler, event_v2("GET", "/roblox/health", stage=stage))["path"] == "/roblox/health"


def test_a_v2_path_that_only_begins_like_the_stage_keeps_it() -> None:
    event = event_v2("GET", "/production", stage="$default")
    event["requestContext"]["stage"] = "prod"
    assert without_stage(event)["requestContext"]["http"]["path"] == "/production"


def test_the_root_of_a_stage_is_the_root() -> None:
    event = event_v2("GET", "/", stage="prod")
    event["requestContext"]["http"]["path"] = "/prod"
    assert without_stage(event)["requestContext"]["http"]["path"] == "/"


@pytest.mark.parametrize("make", EVENTS)
def test_a_custom_domains_base_path_is_taken_off(make: Any) -> None:
    handler = LambdaHandler(echo, base_path="/kb/")
    assert seen(handler, make("GET", "/kb/query"))["path"] == "/query"
    assert seen(handler, make("GET", "/kbx/query"))["path"] == "/kbx/query"
    handler.close()


@pytest.mark.parametrize("make", EVENTS)
def test_an_error_body_is_text_and_not_base64(handler: LambdaHandler, make: Any) -> None:
    answer = handler(make("GET", "/problem"), LambdaContext())
    assert answer["statusCode"] == 404
    assert answer["isBase64Encoded"] is False
    assert json.loads(answer["body"]) == {"detail": "ü"}


@pytest.mark.parametrize("make", EVENTS)
def test_bytes_are_encoded(handler: LambdaHandler, make: Any) -> None:
    answer = handler(make("GET", "/bytes"), LambdaContext())
    assert (answer["isBase64Encoded"], answer["body"]) == (True, "AP8=")


def test_an_event_loop_that_another_run_took_away_is_set_again(handler: LambdaHandler) -> None:
    asyncio.run(asyncio.sleep(0))
    assert seen(handler, event_v1("GET", "/health"))["path"] == "/health"


@pytest.mark.parametrize("make", EVENTS)
def test_a_response_in_pieces_comes_whole(make: Any) -> None:
    async def pieces(scope: Scope, receive: Receive, send: Send) -> None:
        async def said() -> AsyncIterator[str]:
            for word in ("one ", "two ", "three"):
                await asyncio.sleep(0)
                yield word

        response = StreamingResponse(said(), media_type="text/plain")
        await response(scope, receive, send)
        assert (await receive())["type"] == "http.disconnect"

    handler = LambdaHandler(pieces)
    assert handler(make("GET", "/"), LambdaContext())["body"] == "one two three"
    handler.close()
