"""A bound that was reached, as a Lambda function tells it: the status and the headers that say when to come again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NoReturn

import pytest
from starlette.requests import Request

from functions.aws.lambda_adapter import LambdaHandler
from quire.errors import Overloaded, QuotaExceeded
from tests.support.events import LambdaContext, event_v1, event_v2
from tests.support.served import Shelf


@pytest.mark.parametrize("make", [event_v1, event_v2])
@pytest.mark.parametrize(
    ("error", "status", "rate"),
    [
        (QuotaExceeded("used up", retry_after_s=17.2), 429, '"quota-exceeded";r=0;t=17'),
        (Overloaded("full"), 503, '"overloaded";r=0;t=5'),
    ],
    ids=["quota", "overload"],
)
def test_a_bound_that_is_reached_leaves_a_function_with_its_headers(
    tmp_path: Path, make: object, error: Exception, status: int, rate: str
) -> None:
    async def refuse(_: Request) -> NoReturn:
        raise error

    app = Shelf(tmp_path).app()
    app.add_route("/refused", refuse, methods=["POST"])
    handler = LambdaHandler(app)
    try:
        reply = handler(make("POST", "/refused", {"q": "kettle"}), LambdaContext())  # type: ignore[operator]
    finally:
        handler.close()
    headers = {
        **{name: values[0] for name, values in reply.get("multiValueHeaders", {}).items()},
        **reply.get("headers", {}),
    }
    assert (reply["statusCode"], headers["ratelimit"]) == (status, rate)
    assert headers["retry-after"] == rate.rpartition("=")[2]
    assert headers["content-type"] == "application/problem+json"
    assert json.loads(reply["body"])["status"] == status
