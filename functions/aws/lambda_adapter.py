"""API Gateway events to ASGI and back, around Mangum."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from mangum import Mangum
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TEXT_TYPES = [
    "text/",
    "application/json",
    # Without this, Mangum sends error bodies in base64.
    "application/problem+json",
    "application/javascript",
    "image/svg+xml",
]


class LambdaHandler:
    """Callable as a Lambda handler: `handler(event, context)` with a v1 (REST) or v2 (HTTP API, URL) event."""

    def __init__(
        self, app: ASGIApp, *, base_path: str = "", tell_ages: Callable[[Sequence[str]], Any] | None = None
    ) -> None:
        # Mangum asks for the thread's event loop when it is built and at every call; where there is none, Python
        # 3.12 and later warn or raise.
        self._loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self._loop)
        self._app = app
        self._tell_ages = tell_ages
        self._base_path = base_path.rstrip("/")
        # With its lifespan on, Mangum would start and stop the app at every event.
        self._mangum = Mangum(
            app,  # type: ignore[arg-type]
            lifespan="off",
            text_mime_types=TEXT_TYPES,
        )

    def __call__(self, event: dict[str, Any], context: Any) -> dict[str, Any]:
        """Answer one event; one of the schedule asks how old the collections are that it names."""
        if self._tell_ages and "quire_ages" in event:
            return {"ages": self._tell_ages(event["quire_ages"])}
        gateway = self._mangum.infer(without_stage(event, self._base_path), context)
        cycle = _Cycle(gateway.body)
        self.run(gateway.scope, cycle.receive, cycle.send)
        answered: dict[str, Any] = gateway(cycle.response())
        return answered

    def request_of(self, event: dict[str, Any], context: Any) -> tuple[Scope, bytes]:
        """The ASGI scope and the body of an event, for who sends the response piece by piece."""
        request = self._mangum.infer(without_stage(event, self._base_path), context)
        return dict(request.scope), request.body

    def run(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the app over one request."""
        self._loop.run_until_complete(self._app(scope, receive, send))

    def close(self) -> None:
        """Close the event loop; Lambda never does, tests do."""
        asyncio.set_event_loop(None)
        self._loop.close()


class _Cycle:
    """One request, and its response in memory. A second wait for Mangum's own messages would never end."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body
        self._start: Message = {}
        self._pieces: list[bytes] = []
        self._is_over = asyncio.Event()

    async def receive(self) -> Message:
        """The request's body, once; whoever asks goes when the response is over."""
        if self._body is None:
            await self._is_over.wait()
            return {"type": "http.disconnect"}
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(self, message: Message) -> None:
        """Keep what the app says."""
        if message["type"] == "http.response.start":
            self._start = message
        else:
            self._pieces.append(message.get("body", b""))
            if not message.get("more_body"):
                self._is_over.set()

    def response(self) -> Any:
        """What Mangum makes an answer of."""
        status, headers = self._start["status"], self._start.get("headers", [])
        return {"status": status, "headers": headers, "body": b"".join(self._pieces)}


def without_stage(event: dict[str, Any], base_path: str = "") -> dict[str, Any]:
    """The event with the path that the routes know.

    A v2 event's path begins with the stage, unless that is `$default`; a v1 event's begins with the base path of a
    custom domain. Source: AWS, "Working with AWS Lambda proxy integrations for HTTP APIs".

    >>> context = {"stage": "prod", "http": {"path": "/prod/query"}}
    >>> without_stage({"version": "2.0", "requestContext": context})["requestContext"]["http"]["path"]
    '/query'
    """
    context = event.get("requestContext", {})
    if event.get("version") == "2.0":
        stage = context.get("stage", "$default")
        prefixes = [base_path] if stage == "$default" else [f"{base_path}/{stage}", f"/{stage}", base_path]
        http = context["http"]
        path = _cut(http["path"], prefixes)
        return event | {"rawPath": path, "requestContext": context | {"http": http | {"path": path}}}
    if "path" in event and base_path:
        return event | {"path": _cut(event["path"], [base_path])}
    return event


def _cut(path: str, prefixes: list[str]) -> str:
    for prefix in prefixes:
        if prefix and (path == prefix or path.startswith(prefix + "/")):
            return path[len(prefix) :] or "/"
    return path
