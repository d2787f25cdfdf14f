"""`/v1/models` and `/v1/chat/completions`."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from functions.faces.openai.contract import EXAMPLE, ChatRequest, Completion, ModelList
from functions.web.answers import told
from functions.web.calls import caller_of, run, run_answer, service_of
from functions.web.documented import answer as example
from functions.web.faces import Face
from functions.web.lean import Handler, LeanRoute
from functions.web.problems import Problem
from functions.web.replies import json_bytes, reply
from functions.web.wire import citation_wire
from quire.answering.events import Delta, Done, Event
from quire.answering.request import Answer, Inquiry
from quire.documents import Turn
from quire.errors import InputError
from quire.service.ask import ask, ask_stream
from quire.store.catalog import Served

KEPT_TURNS = 12
SSE = {"cache-control": "no-store", "x-accel-buffering": "no"}


def render_error(problem: Problem, request_id: str) -> Response:
    """An error as clients of the protocol read it."""
    kinds = {
        401: "authentication_error",
        403: "permission_error",
        404: "not_found_error",
        429: "rate_limit_error",
    }
    kind = kinds.get(problem.status, "invalid_request_error" if problem.status < 500 else "server_error")
    code = "model_not_found" if problem.code == "unknown-collection" else problem.code
    error = {"message": problem.detail, "type": kind, "param": problem.field or None, "code": code}
    return reply({"error": error | {"request_id": request_id}}, problem.status, problem.headers)


OPENAI = Face("openai", "OpenAI chat protocol", {}, render_error)


class ChatRoute(LeanRoute):
    """A route whose errors are the protocol's own, those of a body that is not understood included."""

    def get_route_handler(self) -> Handler:
        """The handler, which names the face before anything can go wrong."""
        inner = super().get_route_handler()

        async def handle(request: Request) -> Response:
            request.scope["state"]["face"] = OPENAI
            return await inner(request)

        return handle


router = APIRouter(tags=["native"], route_class=ChatRoute)


@router.get("/v1/models", summary="List the collections as models", response_model=ModelList)
async def models(request: Request) -> Response:
    """Every collection that you may read, under its name."""
    states = await run(request.scope, service_of(request).survey, caller_of(request))
    data = [
        {"id": name, "object": "model", "created": _published(state), "owned_by": "quire"}
        for name, state in states
        if isinstance(state, Served)
    ]
    wire: ModelList = {"object": "list", "data": data}
    return reply(wire)


@router.post(
    "/v1/chat/completions",
    summary="Ask a collection as a chat model",
    response_model=Completion,
    responses=example(EXAMPLE),
)
async def chat(body: ChatRequest, request: Request) -> Response:
    """The cited answer to the last user message, in the OpenAI protocol; its sources stand at its end."""
    request.scope["state"]["collection"] = body.model
    service, caller, inquiry = service_of(request), caller_of(request), _inquiry(body)
    head = {"id": f"chatcmpl-{uuid.uuid4().hex[:24]}", "created": int(time.time()), "model": body.model}
    if body.stream:
        events = await run(request.scope, ask_stream, service, caller, body.model, inquiry)
        wants_usage = body.stream_options is not None and body.stream_options.include_usage
        return StreamingResponse(
            _chunks(head, events, wants_usage), media_type="text/event-stream", headers=SSE
        )
    _, given = await run_answer(request.scope, ask, service, caller, body.model, inquiry)
    message = {"role": "assistant", "content": given.text + _sources(given)}
    wire = head | {"object": "chat.completion", "usage": _usage(given), **_extras(given)}
    return reply(wire | {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})


def _inquiry(body: ChatRequest) -> Inquiry:
    spoken = [one for one in body.messages if one.role in ("user", "assistant") and one.words().strip()]
    if not spoken or spoken[-1].role != "user":
        raise InputError("messages: wanted a user message with text at the end", field="messages")
    turns = tuple(Turn(one.role, one.words()) for one in spoken[:-1][-KEPT_TURNS:])
    most = body.max_completion_tokens or body.max_tokens or Inquiry("").max_tokens
    return Inquiry(spoken[-1].words(), history=turns, max_tokens=most)


def _chunks(head: dict[str, Any], events: Iterator[Event], wants_usage: bool) -> Iterator[bytes]:
    """The answer as server-sent events; a failure under way is an event too, since the status has gone out."""
    head = head | {"object": "chat.completion.chunk"}
    yield _event(head | {"choices": [_choice({"role": "assistant", "content": ""})]})
    for event in told(events):
        if isinstance(event, Delta):
            yield _event(head | {"choices": [_choice({"content": event.text})]})
        elif isinstance(event, Done):
            if sources := _sources(event.answer):
                yield _event(head | {"choices": [_choice({"content": sources})]})
            yield _event(head | {"choices": [_choice({}, "stop")], **_extras(event.answer)})
            if wants_usage:
                yield _event(head | {"choices": [], "usage": _usage(event.answer)})
        elif isinstance(event, Problem):
            yield _event({"error": {"message": event.detail, "type": "server_error"}})
    yield b"data: [DONE]\n\n"


def _event(value: dict[str, Any]) -> bytes:
    return b"data: " + json_bytes(value) + b"\n\n"


def _choice(delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish}


def _sources(given: Answer) -> str:
    """The list of sources that ends an answer; "" where nothing is cited."""
    lines = []
    for citation in given.citations:
        known = citation_wire(citation.hit.chunk, given.version)
        span = f":{known['start_line']}-{known['end_line']}" if known["start_line"] else ""
        place = f"{known['path']}{span}" if known["path"] else citation.hit.chunk.breadcrumb
        link = f" {known['url']}" if (known["url"] or "").startswith("http") else ""
        lines.append(f"[{citation.n}] {place}{link}")
    return "\n\nSources:\n" + "\n".join(lines) if lines else ""


def _extras(given: Answer) -> dict[str, Any]:
    cited = [
        {**citation_wire(one.hit.chunk, given.version), "n": one.n, "quote": one.quote, "sha256": one.sha256}
        for one in given.citations
    ]
    facts = {"version": given.version, "answerable": given.answerable, "model_used": given.model_used}
    return {"citations": cited, "quire": {**facts, "notices": given.notices, "degraded": given.degraded}}


def _usage(given: Answer) -> dict[str, int]:
    asked, written = given.usage.prompt_tokens, given.usage.answer_tokens
    return {"prompt_tokens": asked, "completion_tokens": written, "total_tokens": asked + written}


def _published(served: Served) -> int:
    moment = served.pointer.published_at
    return int(datetime.fromisoformat(moment).timestamp()) if moment else 0
