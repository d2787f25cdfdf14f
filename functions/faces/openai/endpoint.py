"""`/v1`: models, chat completions, responses and embeddings."""

from __future__ import annotations

import base64
import time
import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

import numpy as np
from fastapi import APIRouter, Request
from starlette.responses import Response

from functions.faces.openai import contract as c
from functions.faces.openai.asking import Bound, bounded_text, ending_of, extras_of, inquiry_of, tokens_of
from functions.faces.openai.errors import refusals
from functions.faces.openai.responses import ResponseWire
from functions.web.answers import answered, streamed_answer, told
from functions.web.calls import caller_of, run, service_of
from functions.web.documented import answer as example
from functions.web.problems import Problem
from functions.web.replies import json_bytes, reply
from quire.answering.events import Delta, Done, Event
from quire.answering.generative.context import estimate_tokens
from quire.answering.request import Answer
from quire.errors import AskerGone, InputError, QuireError, StoreUnavailable, TooLarge
from quire.limits import EMBEDDED_CHARACTERS
from quire.ports import Embedder
from quire.service.access import Caller
from quire.service.knowledge import Knowledge, survey
from quire.store.catalog import Served, Unopened

AT_ONCE = 32
"""Texts that are embedded in one go; as many questions may wait for them."""
router = APIRouter(tags=["native"])


@router.get(
    "/v1/models",
    summary="List the collections as models",
    response_model=c.ModelList,
    responses=example(c.MODELS) | refusals(),
)
async def list_models(request: Request) -> Response:
    """Every collection that you may read, under its name."""
    states = await run(request.scope, survey, service_of(request), caller_of(request))
    wire: c.ModelList = {
        "object": "list",
        "data": [_model(state) for _, state in states if not isinstance(state, QuireError)],
    }
    return reply(wire)


@router.get(
    "/v1/models/{model}",
    summary="Show a collection as a model",
    response_model=c.Model,
    responses=example(c.MODEL) | refusals(404),
)
async def get_model(request: Request) -> Response:
    """The collection of that name."""
    name = request.path_params["model"]
    request.scope["state"]["collection"] = name
    served = await run(request.scope, service_of(request).serve, caller_of(request), name)
    return reply(_model(served))


@router.post(
    "/v1/embeddings",
    summary="Embed texts with a collection's model",
    response_model=c.Embeddings,
    responses=example(c.EMBEDDINGS) | refusals(400, 404, 413),
)
async def create_embeddings(body: c.EmbeddingsRequest, request: Request) -> Response:
    """The vectors that the texts have as questions to the collection; each is cut at the model's window."""
    request.scope["state"]["collection"] = body.model
    embedder = await run(request.scope, _embedder, service_of(request), caller_of(request), body)
    rows: list[Any] = []
    for start in range(0, len(body.input), AT_ONCE):  # a few at a time, so that questions pass between
        if await request.is_disconnected():
            raise AskerGone("the client left before all was embedded")
        rows.extend(await run(request.scope, embedder.embed, body.input[start : start + AT_ONCE]))
    data: list[c.Vector] = [
        {"object": "embedding", "index": number, "embedding": _written(row, body.encoding_format)}
        for number, row in enumerate(rows)
    ]
    spent = sum(estimate_tokens(text) for text in body.input)
    usage = {"prompt_tokens": spent, "total_tokens": spent}
    wire: c.Embeddings = {"object": "list", "data": data, "model": body.model, "usage": usage}
    return reply(wire)


@router.post(
    "/v1/chat/completions",
    summary="Ask a collection as a chat model",
    response_model=c.Completion,
    responses=example(c.EXAMPLE, events=c.EVENTS) | refusals(400, 404, 413),
)
async def create_chat_completion(body: c.ChatRequest, request: Request) -> Response:
    """The cited answer to the last user message, in the OpenAI protocol; its sources stand at its end."""
    request.scope["state"]["collection"] = body.model
    inquiry = inquiry_of(body.messages, body.most_tokens(), "messages")
    inquiry = replace(inquiry, stops=tuple(filter(None, body.stop)))
    head = {"id": f"chatcmpl-{uuid.uuid4().hex[:24]}", "created": int(time.time()), "model": body.model}
    if body.stream:
        return await streamed_answer(request, body.model, inquiry, partial(_chunks, body, head))
    _, given = await answered(request, body.model, inquiry)
    bound = bounded_text(given.text + ending_of(given), body.most_tokens(), body.stop)
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": bound.text, "refusal": None},
        "logprobs": None,
        "finish_reason": bound.reason,
    }
    wire = head | {"object": "chat.completion", "usage": _usage(body, given, bound), **extras_of(given)}
    return reply(wire | {"choices": [choice]})


@router.post(
    "/v1/responses",
    summary="Ask a collection as a model of the Responses API",
    response_model=c.Response,
    responses=example(c.RESPONSE, events=c.RESPONSE_EVENTS) | refusals(400, 404, 413),
)
async def create_response(body: c.ResponsesRequest, request: Request) -> Response:
    """The cited answer to the last user message; its sources stand at its end and in its annotations.

    Nothing is kept: earlier turns are sent in `input`.
    """
    request.scope["state"]["collection"] = body.model
    messages = body.messages()
    inquiry = inquiry_of(messages, body.max_output_tokens, "input")
    wire = ResponseWire(body, messages)
    if body.stream:
        return await streamed_answer(request, body.model, inquiry, wire.events)
    _, given = await answered(request, body.model, inquiry)
    return reply(wire.whole(given))


def _chunks(body: c.ChatRequest, head: dict[str, Any], events: Iterator[Event]) -> Iterator[bytes]:
    """The answer as server-sent events; a failure under way is an event too, since the status has gone out."""
    head = head | {"object": "chat.completion.chunk"}
    bound = Bound(body.most_tokens(), body.stop)
    yield _event(head | {"choices": [_choice({"role": "assistant", "content": ""})]})
    for event in told(events):
        if isinstance(event, Delta):
            yield from _piece(head, bound.feed(event.text))
        elif isinstance(event, Done):
            yield from _piece(head, bound.feed(ending_of(event.answer)) + bound.end())
            yield from _end(body, head, bound, event.answer)
        elif isinstance(event, Problem):
            yield _event({"error": {"message": event.detail, "type": "server_error"}})
    yield b"data: [DONE]\n\n"


def _piece(head: dict[str, Any], text: str) -> Iterator[bytes]:
    if text:
        yield _event(head | {"choices": [_choice({"content": text})]})


def _end(body: c.ChatRequest, head: dict[str, Any], bound: Bound, given: Answer) -> Iterator[bytes]:
    yield _event(head | {"choices": [_choice({}, bound.reason)], **extras_of(given)})
    if body.stream_options is not None and body.stream_options.include_usage:
        yield _event(head | {"choices": [], "usage": _usage(body, given, bound)})


def _event(value: dict[str, Any]) -> bytes:
    return b"data: " + json_bytes(value) + b"\n\n"


def _choice(delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish}


def _usage(body: c.ChatRequest, given: Answer, bound: Bound) -> dict[str, int]:
    asked, written = tokens_of(body.messages, given, bound)
    return {"prompt_tokens": asked, "completion_tokens": written, "total_tokens": asked + written}


def _embedder(service: Knowledge, caller: Caller, body: c.EmbeddingsRequest) -> Embedder:
    """The collection's own model, once the request fits it."""
    if (found := sum(map(len, body.input))) > EMBEDDED_CHARACTERS:
        raise TooLarge(
            f"input: wanted at most {EMBEDDED_CHARACTERS:,} characters in all, found {found:,}", field="input"
        )
    embedder = service.embedder(service.serve(caller, body.model))
    if embedder is None:
        raise StoreUnavailable(f"model of {body.model!r}: cannot be opened")
    if body.dimensions not in (None, embedder.dimensions):
        raise InputError(f"dimensions: this model has {embedder.dimensions}", field="dimensions")
    return embedder


def _written(row: Any, encoding: str) -> list[float] | str:
    if encoding == "base64":
        return base64.b64encode(np.asarray(row, "<f4").tobytes()).decode()
    values: list[float] = row.tolist()
    return values


def _model(served: Served | Unopened) -> c.Model:
    moment = served.pointer.published_at
    created = int(datetime.fromisoformat(moment).timestamp()) if moment else 0
    return {"id": served.name, "object": "model", "created": created, "owned_by": "quire"}
