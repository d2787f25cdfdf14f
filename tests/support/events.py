"""API Gateway events as AWS documents them (payload formats 1.0 and 2.0), with every field that the gateway sends."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

DOMAIN = "a1b2c3d4e5.execute-api.us-west-2.amazonaws.com"
AGENT = "quire-test/1.0"


@dataclass(frozen=True)
class LambdaContext:
    """What the runtime hands over beside the event."""

    aws_request_id: str = "7b0f1f2e-5c43-4f0e-9d0e-0f8f6a0c1b2d"
    function_name: str = "quire-query"
    function_version: str = "$LATEST"
    invoked_function_arn: str = "arn:aws:lambda:us-west-2:123456789012:function:quire-query"
    memory_limit_in_mb: int = 1769
    log_group_name: str = "/aws/lambda/quire-query"
    log_stream_name: str = "2026/11/19/[$LATEST]0123456789abcdef"
    identity: None = None
    client_context: None = None

    def get_remaining_time_in_millis(self) -> int:
        return 29_000


def event_v1(
    method: str,
    url: str,
    body: Any = None,
    *,
    headers: dict[str, str] | None = None,
    stage: str = "prod",
    encoded: bool = False,
) -> dict[str, Any]:
    """A REST API proxy event: the path without its stage, headers with their case and in both maps."""
    parts = urlsplit(url)
    query = parse_qsl(parts.query)
    sent = {
        "Accept": "*/*",
        "CloudFront-Viewer-Country": "US",
        "Content-Type": "application/json",
        "Host": DOMAIN,
        "User-Agent": AGENT,
        "X-Amzn-Trace-Id": "Root=1-65f0c0de-0123456789abcdef01234567",
        "X-Forwarded-For": "203.0.113.7, 198.51.100.9",
        "X-Forwarded-Port": "443",
        "X-Forwarded-Proto": "https",
        **(headers or {}),
    }
    return {
        "resource": "/{proxy+}",
        "path": parts.path,
        "httpMethod": method,
        "headers": sent,
        "multiValueHeaders": {name: [value] for name, value in sent.items()},
        "queryStringParameters": dict(query) or None,
        "multiValueQueryStringParameters": {name: [value] for name, value in query} or None,
        "pathParameters": {"proxy": parts.path.lstrip("/")},
        "stageVariables": None,
        "requestContext": {
            "resourceId": "ab12cd",
            "resourcePath": "/{proxy+}",
            "httpMethod": method,
            "extendedRequestId": "Abc123Xyz0=",
            "requestTime": "19/Nov/2026:08:04:11 +0000",
            "path": f"/{stage}{parts.path}",
            "accountId": "123456789012",
            "protocol": "HTTP/1.1",
            "stage": stage,
            "domainPrefix": DOMAIN.partition(".")[0],
            "requestTimeEpoch": 1795075451000,
            "requestId": "0d6d1f3a-9b7c-4f57-8f39-5d2f2c6f7d10",
            "identity": {
                "cognitoIdentityPoolId": None,
                "accountId": None,
                "cognitoIdentityId": None,
                "caller": None,
                "sourceIp": "203.0.113.7",
                "principalOrgId": None,
                "accessKey": None,
                "cognitoAuthenticationType": None,
                "cognitoAuthenticationProvider": None,
                "userArn": None,
                "userAgent": AGENT,
                "user": None,
            },
            "domainName": DOMAIN,
            "deploymentId": "x1y2z3",
            "apiId": DOMAIN.partition(".")[0],
        },
        "body": _body(body, encoded),
        "isBase64Encoded": encoded,
    }


def event_v2(
    method: str,
    url: str,
    body: Any = None,
    *,
    headers: dict[str, str] | None = None,
    stage: str = "$default",
    encoded: bool = False,
) -> dict[str, Any]:
    """An HTTP API event: lower-case headers, and a named stage stands in the path."""
    parts = urlsplit(url)
    path = parts.path if stage == "$default" else f"/{stage}{parts.path}"
    event = {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": parts.query,
        "headers": {
            "accept": "*/*",
            "content-type": "application/json",
            "host": DOMAIN,
            "user-agent": AGENT,
            "x-amzn-trace-id": "Root=1-65f0c0de-0123456789abcdef01234567",
            "x-forwarded-for": "203.0.113.7",
            "x-forwarded-port": "443",
            "x-forwarded-proto": "https",
            **{name.lower(): value for name, value in (headers or {}).items()},
        },
        "requestContext": {
            "accountId": "123456789012",
            "apiId": DOMAIN.partition(".")[0],
            "domainName": DOMAIN,
            "domainPrefix": DOMAIN.partition(".")[0],
            "http": {
                "method": method,
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": "203.0.113.7",
                "userAgent": AGENT,
            },
            "requestId": "PkvTyh2JPHcEPlg=",
            "routeKey": "$default",
            "stage": stage,
            "time": "19/Nov/2026:08:04:11 +0000",
            "timeEpoch": 1795075451000,
        },
        "isBase64Encoded": encoded,
    }
    if body is not None:
        event["body"] = _body(body, encoded)
    return event


def _body(body: Any, encoded: bool) -> str | None:
    if body is None:
        return None
    text = body if isinstance(body, str) else json.dumps(body)
    return base64.b64encode(text.encode()).decode() if encoded else text
