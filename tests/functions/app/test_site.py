"""The page behind a stage of API Gateway."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi import FastAPI

from functions.app.site import site_router
from functions.aws.lambda_adapter import LambdaHandler
from tests.support.events import LambdaContext, event_v1, event_v2


@pytest.fixture
def handler() -> Iterator[LambdaHandler]:
    app = FastAPI()
    app.include_router(site_router())
    handler = LambdaHandler(app)
    yield handler
    handler.close()


@pytest.mark.parametrize(
    ("asked", "query", "location"),
    [("/prod", "", "prod/"), ("/prod", "?q=walk", "prod/?q=walk"), ("/v1/kb", "", "kb/")],
)
def test_the_page_moves_to_a_folder_so_that_its_paths_lead_below_it(
    handler: LambdaHandler, asked: str, query: str, location: str
) -> None:
    event = event_v1("GET", f"/{query}")
    event["requestContext"]["path"] = asked
    answer = handler(event, LambdaContext())
    assert answer["statusCode"] == 308
    assert answer["headers"]["location"] == location


@pytest.mark.parametrize("asked", ["/prod/", "/"])
def test_the_page_is_sent_where_it_is_asked_for_as_a_folder(handler: LambdaHandler, asked: str) -> None:
    event = event_v1("GET", "/")
    event["requestContext"]["path"] = asked
    assert handler(event, LambdaContext())["statusCode"] == 200
    assert handler(event_v2("GET", "/"), LambdaContext())["statusCode"] == 200
