"""Answers that leave a Lambda function piece by piece: a small client of the Runtime API, in place of the managed one.

Lambda's own Python runtime sends a response once it is whole. A function that streams sets `AWS_LAMBDA_EXEC_WRAPPER` to
`functions/aws/stream-runtime`, which starts this module; `_HANDLER` names a `LambdaHandler` as ever. Each response is a
prelude of JSON (status, headers), eight NUL bytes, and the body. An error after that travels in trailers.
Source: AWS, "Building a custom runtime for AWS Lambda" and "Lambda response streaming with API Gateway".
"""

from __future__ import annotations

import asyncio
import base64
import http.client
import importlib
import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from starlette.types import Message

from functions.aws.lambda_adapter import LambdaHandler
from functions.web.problems import log_fault

VERSION = "/2018-06-01/runtime"
PRELUDE_END = b"\0" * 8
HEADERS = {
    "Lambda-Runtime-Function-Response-Mode": "streaming",
    "Content-Type": "application/vnd.awslambda.http-integration-response",
    "Transfer-Encoding": "chunked",
    "Trailer": "Lambda-Runtime-Function-Error-Type, Lambda-Runtime-Function-Error-Body",
}


@dataclass(frozen=True, slots=True)
class Invocation:
    """One event with what the runtime says about it; stands for the managed runtime's context."""

    aws_request_id: str
    invoked_function_arn: str
    deadline_ms: int
    event: dict[str, Any]

    def get_remaining_time_in_millis(self) -> int:
        """What is left of the function's timeout."""
        return max(self.deadline_ms - int(time.time() * 1000), 0)


class RuntimeApi:
    """One kept connection to the Runtime API at `host:port`."""

    def __init__(self, address: str) -> None:
        self._connection = http.client.HTTPConnection(address)

    def next(self) -> Invocation:
        """Wait for the next event."""
        headers, body = self._call("GET", f"{VERSION}/invocation/next")
        return Invocation(
            headers["Lambda-Runtime-Aws-Request-Id"],
            headers.get("Lambda-Runtime-Invoked-Function-Arn", ""),
            int(headers.get("Lambda-Runtime-Deadline-Ms", "0")),
            json.loads(body),
        )

    def wait_for_restore(self) -> None:
        """Return once a copy of this process runs out of its snapshot."""
        self._call("GET", f"{VERSION}/restore/next")

    def begin(self, request_id: str) -> None:
        """Begin a streamed response."""
        self._connection.putrequest("POST", f"{VERSION}/invocation/{request_id}/response")
        for name, value in HEADERS.items():
            self._connection.putheader(name, value)
        self._connection.endheaders()

    def send(self, piece: bytes) -> None:
        """Send a piece of it; an empty one would end it and is left out."""
        if piece:
            self._connection.send(b"%x\r\n%b\r\n" % (len(piece), piece))

    def end(self, error: BaseException | None) -> None:
        """End it, with the error in its trailers where there was one."""
        lines = [f"{name}: {value}\r\n" for name, value in (_trailers(error) if error else {}).items()]
        self._connection.send(b"0\r\n" + "".join(lines).encode() + b"\r\n")
        self._connection.getresponse().read()

    def reset(self) -> None:
        """Drop the connection after a broken response; the next call makes a new one."""
        self._connection.close()

    def _call(self, method: str, path: str) -> tuple[Mapping[str, str], bytes]:
        self._connection.request(method, path)
        answer = self._connection.getresponse()
        return dict(answer.headers), answer.read()


class StreamedReply:
    """The response to one event, sent as the app gives it. As a context it is the last resort for errors."""

    def __init__(self, api: RuntimeApi, invocation: Invocation) -> None:
        self._api = api
        self._invocation = invocation
        self._body: bytes | None = b""
        self._is_begun = self._is_gone = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is not None and not isinstance(error, Exception):
            return False
        if error is not None and not self._is_gone:
            log_fault(error, self._invocation.aws_request_id)
        if self._is_gone:
            self._api.reset()
            return True
        if not self._is_begun:
            self._start(500, [])
        self._api.end(error)
        return True

    def run(self, handler: LambdaHandler) -> None:
        """Answer the event through the handler's app."""
        scope, self._body = handler.request_of(self._invocation.event, self._invocation)
        handler.run(scope, self.receive, self.send)

    async def receive(self) -> Message:
        """The request's body, once; then nothing until the response is over."""
        if self._body is None:
            await asyncio.Event().wait()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: Message) -> None:
        """Pass a message of the app on at once.

        Raises:
            OSError: whoever asked has gone.
        """
        try:
            if message["type"] == "http.response.start":
                self._start(message["status"], message.get("headers", []))
            elif message["type"] == "http.response.body":
                self._api.send(message.get("body", b""))
        except OSError:
            self._is_gone = True
            raise

    def _start(self, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        self._api.begin(self._invocation.aws_request_id)
        self._is_begun = True
        self._api.send(json.dumps(prelude(status, headers)).encode() + PRELUDE_END)


def prelude(status: int, headers: Iterable[tuple[bytes, bytes]]) -> dict[str, Any]:
    """What API Gateway reads before the body.

    >>> prelude(200, [(b"a", b"1"), (b"set-cookie", b"x=y"), (b"set-cookie", b"z=0")])
    {'statusCode': 200, 'headers': {'a': '1'}, 'cookies': ['x=y', 'z=0']}
    """
    plain: dict[str, str] = {}
    cookies: list[str] = []
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        if name == "set-cookie":
            cookies.append(value)
        elif name != "content-length":  # the stream has its own framing
            plain[name] = f"{plain[name]}, {value}" if name in plain else value
    return {"statusCode": status, "headers": plain} | ({"cookies": cookies} if cookies else {})


def _trailers(error: BaseException) -> dict[str, str]:
    said = json.dumps({"errorMessage": str(error), "errorType": type(error).__name__}).encode()
    return {
        "Lambda-Runtime-Function-Error-Type": f"Runtime.{type(error).__name__}",
        "Lambda-Runtime-Function-Error-Body": base64.b64encode(said).decode(),
    }


def answer_next(handler: LambdaHandler, api: RuntimeApi) -> None:
    """Wait for one event and answer it."""
    with StreamedReply(api, api.next()) as reply:
        reply.run(handler)


def main() -> None:
    """Serve `_HANDLER` until Lambda ends the process."""
    module, _, name = os.environ["_HANDLER"].rpartition(".")
    handler: LambdaHandler = getattr(importlib.import_module(module), name)
    api = RuntimeApi(os.environ["AWS_LAMBDA_RUNTIME_API"])
    if os.environ.get("AWS_LAMBDA_INITIALIZATION_TYPE") == "snap-start":
        _pass_through_snapshot(api)
    while True:
        answer_next(handler, api)


def _pass_through_snapshot(api: RuntimeApi) -> None:
    """Run the hooks around the snapshot, as the managed runtime does."""
    from snapshot_restore_py import get_after_restore, get_before_snapshot

    for hook, args, kwargs in reversed(get_before_snapshot()):
        hook(*args, **kwargs)
    api.wait_for_restore()
    for hook, args, kwargs in get_after_restore():
        hook(*args, **kwargs)


if __name__ == "__main__":
    main()
