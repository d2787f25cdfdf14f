"""What API Gateway itself answers, in the words and with the statuses of the functions behind it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from aws_cdk import aws_apigateway as apigateway

ANYWHERE = {"Access-Control-Allow-Origin": "'*'"}
"""They hold nothing of any collection: a page of another site may read that it asked too often."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """One kind of answer: `code` as in `urn:quire:problem:code`."""

    kind: apigateway.ResponseType
    status: int
    code: str
    detail: str
    retry_after_s: int = 0


def refusals() -> list[Refusal]:
    """What callers may meet before any function runs."""
    kinds = apigateway.ResponseType
    return [
        # Without it 403, which says that a key is right and may not; the page asks for a key at 401.
        Refusal(kinds.INVALID_API_KEY, 401, "access-denied", "wanted a key in the header x-api-key"),
        # What it says of a path that is not there: "Missing Authentication Token".
        Refusal(
            kinds.MISSING_AUTHENTICATION_TOKEN, 404, "not-found", "there is no such path; see /reference"
        ),
        Refusal(kinds.THROTTLED, 429, "too-many-requests", "too many requests: ask again in 5 s", 5),
        Refusal(kinds.QUOTA_EXCEEDED, 429, "quota-exceeded", "the key's requests of today are used up"),
    ]


def add_refusals(api: apigateway.RestApi, *, is_shared: bool) -> None:
    """Give the API those answers; `is_shared` says that pages of other sites may ask it."""
    readable = ANYWHERE if is_shared else {}
    for one in refusals():
        body = {
            "type": f"urn:quire:problem:{one.code}",
            "title": one.code.replace("-", " ").capitalize(),
            "status": one.status,
            "detail": one.detail,
        }
        # The id is filled in by API Gateway.
        body_text = json.dumps(body)[:-1] + ', "request_id": "$context.requestId"}'
        later = {"Retry-After": f"'{one.retry_after_s}'"} if one.retry_after_s else {}
        api.add_gateway_response(
            one.code.title().replace("-", ""),
            type=one.kind,
            status_code=str(one.status),
            response_headers=later | readable,
            templates={"application/json": body_text},
        )
    if is_shared:
        for name, kind in (
            ("Refused", apigateway.ResponseType.DEFAULT_4_XX),
            ("Failed", apigateway.ResponseType.DEFAULT_5_XX),
        ):
            api.add_gateway_response(name, type=kind, response_headers=ANYWHERE)
