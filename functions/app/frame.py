"""The frame around every request: its id, its bound, its caller, its log line, and the last resort."""

from __future__ import annotations

import asyncio
import re
import time
import uuid
from collections.abc import Awaitable, Callable, Collection, Mapping
from types import MappingProxyType, TracebackType
from typing import Self

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from functions.web.access import Access
from functions.web.faces import Face
from functions.web.hosts import Hosts
from functions.web.logs import embedded, log
from functions.web.problems import CLIENT_GONE, Problem, log_fault, problem_of, render_problem
from functions.web.waiting import WaitingRoom
from quire.collections import NAME
from quire.errors import AccessDenied
from quire.limits import BODY_VALUES, LARGE_BODY_TIMES
from quire.service.access import NOBODY, Caller
from quire.service.metrics import note, noted, noting

REQUEST_ID = re.compile(r"[A-Za-z0-9._:/+=@-]{1,128}")

BODY_S = 60.0
"""For all of a body: 6 MB over a slow line of 1 Mbit/s take 48 s."""
_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
NO_FACES: Mapping[str, Face] = MappingProxyType({})


class Frame:
    """ASGI middleware that every request passes, once.

    `is_open` says which requests need no key; every other does, those to routes that do not exist included. `checks` is
    where callers are looked up that may have to be waited for; None looks them up in place. Bodies of requests whose
    path ends in one of `large_paths` may be `LARGE_BODY_TIMES` times as large. `faces` are those at the root, by how
    their paths begin: what is refused before it reaches a route is told as they tell it. `hosts` are the names by which
    the server may be called; None where any will do. A body has `body_s` seconds to arrive.
    """

    body_s = BODY_S

    def __init__(
        self,
        app: ASGIApp,
        *,
        access: Access,
        checks: WaitingRoom | None = None,
        is_open: Callable[[Scope], Awaitable[bool]],
        max_body_bytes: int,
        large_paths: Collection[str] = (),
        faces: Mapping[str, Face] = NO_FACES,
        hosts: Hosts | None = None,
    ) -> None:
        self._app = app
        self._access = access
        self._checks = checks
        self._is_open = is_open
        self._max_body_bytes = max_body_bytes
        self._large_paths = large_paths
        self._faces = faces
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the app inside an exchange; what is not HTTP passes untouched."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["method"] == "HEAD":  # monitors and load balancers ask so; the server needs its own scope
            scope, send = {**scope, "method": "GET"}, _without_body(send)
        if _is_sent_by_curl(Headers(scope=scope)):
            MutableHeaders(scope=scope)["content-type"] = "application/json"
        is_large = scope["path"].rpartition("/")[2] in self._large_paths
        most = self._max_body_bytes * (LARGE_BODY_TIMES if is_large else 1)
        with noting():
            async with _Exchange(scope, receive, send, most, body_s=self.body_s) as exchange:
                scope["state"].update(self._known_face(scope["path"]))
                await self._admit(scope, exchange.headers)
                await self._app(scope, exchange.receive, exchange.send)

    def _known_face(self, path: str) -> dict[str, Face]:
        face = next((face for prefix, face in self._faces.items() if path.startswith(prefix)), None)
        return {"face": face} if face else {}

    async def _admit(self, scope: Scope, headers: Headers) -> None:
        if self._hosts is not None:
            self._hosts.demand(headers)
        try:
            scope["state"]["caller"] = await self._identify(headers)
        except AccessDenied:
            if not await self._is_open(scope):
                raise

    async def _identify(self, headers: Headers) -> Caller:
        """Ask who it is: elsewhere than on the event loop, where that may take a call of another service."""
        if self._checks is not None and self._access.may_wait(headers):
            return await self._checks.run(self._access.identify, headers)
        return self._access.identify(headers)


def _without_body(send: Send) -> Send:
    """What answers HEAD: the response to GET, with all of its headers."""

    async def send_head(message: Message) -> None:
        await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

    return send_head


class _Exchange:
    """One request and its response: counts the body, stamps the id, remembers the status.

    As a context it is the outermost handler: an error that reached it is answered, logged and goes no further.
    """

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, max_body_bytes: int, *, body_s: float
    ) -> None:
        self.headers = Headers(scope=scope)
        self._scope = scope
        self._receive = receive
        self._send = send
        self._left = self._max_body_bytes = max_body_bytes
        self._body_s = body_s
        self._is_whole = False
        self._parts: list[bytes] = []
        self._status = 0
        self._began = time.perf_counter()
        self._request_id = _request_id(scope, self.headers)
        state = scope.setdefault("state", {})
        state["request_id"], state["caller"] = self._request_id, NOBODY
        note(request_id=self._request_id)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        answered = isinstance(error, Exception) and await self._fail(error)
        _log_request(self._scope, self._status or 500, self._request_id, self._began)
        return answered

    async def receive(self) -> Message:
        """Pass the body on up to the bound: what it says of its length is checked, and so is what comes."""
        length = self.headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._max_body_bytes:
            raise self._too_large()
        message = await self._next()
        if message["type"] == "http.request":
            self._is_whole = not message.get("more_body", False)
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                raise self._too_large()
            self._parts.append(message.get("body", b""))
            if self._is_whole and self._holds_too_many():
                raise HTTPException(413, f"body: wanted at most {BODY_VALUES:,} values")
        return message

    def _holds_too_many(self) -> bool:
        """Whether the body has more values than are taken, by the commas outside its strings."""
        body = b"".join(self._parts)
        self._parts = []
        return body.count(b",") > BODY_VALUES and _STRINGS.sub(b"", body).count(b",") > BODY_VALUES

    async def _next(self) -> Message:
        """The next part of the request, in time; once it is whole there is nothing to hurry for."""
        if self._is_whole:
            return await self._receive()
        try:
            async with asyncio.timeout(self._body_s - (time.perf_counter() - self._began)):
                return await self._receive()
        except TimeoutError:
            raise HTTPException(408, f"body: wanted all of it within {self._body_s:g} s") from None

    async def send(self, message: Message) -> None:
        """Pass the response on, stamped with the request id."""
        if message["type"] == "http.response.start":
            self._status = message["status"]
            MutableHeaders(scope=message)["x-request-id"] = self._request_id
        await self._send(message)

    async def _fail(self, error: Exception) -> bool:
        """Answer what nothing further in has answered; a response under way can only be cut."""
        problem = problem_of(error, self._scope.get("route"))
        if problem.status == CLIENT_GONE:
            self._status = self._status or CLIENT_GONE
            return True
        if problem.status >= 500:
            log_fault(error, self._request_id)
        if self._status:
            return False
        await render(self._scope, problem)(self._scope, self._receive, self.send)
        return True

    def _too_large(self) -> HTTPException:
        return HTTPException(413, f"body: wanted at most {self._max_body_bytes:,} bytes")


def render(scope: Scope, problem: Problem) -> Response:
    """The problem in the shape that the request's face promises; the native one where no face is known."""
    state = scope["state"]
    face = state.get("face")
    response: Response = (face.render if face else render_problem)(problem, state["request_id"])
    return response


def _is_sent_by_curl(headers: Headers) -> bool:
    """Whether it has the type that `curl -d` gives any body, and comes from no page.

    A page elsewhere can send that type too, without asking first; browsers then say so, by either of these headers.
    """
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    from_page = "origin" in headers or "sec-fetch-site" in headers
    return kind == "application/x-www-form-urlencoded" and not from_page


def _request_id(scope: Scope, headers: Headers) -> str:
    """The client's id where it is fit for a header and a log, else Lambda's, else a new one."""
    sent = headers.get("x-request-id", "")
    if REQUEST_ID.fullmatch(sent):
        return sent
    given = getattr(scope.get("aws.context"), "aws_request_id", None)
    return str(given) if given else uuid.uuid4().hex


def _log_request(scope: Scope, status: int, request_id: str, began: float) -> None:
    state, route = scope["state"], scope.get("route")
    collection = str(state.get("collection", ""))
    fields = {
        "request_id": request_id,
        "method": scope["method"],
        "route": state.get("mount", "") + getattr(route, "path", "(none)"),
        "collection": collection if NAME.fullmatch(collection) else None,
        "status": status,
        "took_ms": round((time.perf_counter() - began) * 1000, 2),
        **noted(),
    }
    # A refused request says nothing of how we do, and its collection may be any name: each is a metric that costs.
    is_refused = 400 <= status < 500
    log("request", **fields, **({} if is_refused else embedded(fields)))
