"""`/v1`: models, chat completions and embeddings."""

from __future__ import annotations

import base64
import time
import uuid
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from fastapi import APIRouter, Request
from starlette.responses import Response

from functions.faces.openai import contract as c
from functions.faces.openai.errors import refusals
from functions.web.access import Caller
from functions.web.answers import streamed, told
from functions.web.calls import caller_of, run, run_answer, service_of
from functions.web.documented import answer as example
from functions.web.problems import Problem
from functions.web.replies import json_bytes, reply
from functions.web.wire import citation_wire, place_of
from quire.answering.events import Delta, Done, Event
from quire.answering.extractive.rendering import quoted_part
from quire.answering.generative.context import estimate_tokens
from quire.answering.request import Answer, Inquiry
from quire.documents import Turn
from quire.errors import InputError, QuireError, StoreUnavailable
from quire.service.ask import ask, ask_stream
from quire.service.knowledge import Knowledge, survey
from quire.store.catalog import Served, Unopened

CHARACTERS_A_TOKEN = 4
STOP, LENGTH = "stop", "length"


class Bound:
    """Passes pieces of a text on until it has to end; what may be the beginning of a stop sequence is held back.

    Args:
        most_tokens: of the whole text, by the estimate that usage is counted with; None for no bound.
        stops: sequences that end the text; they are not part of it.
    """

    def __init__(self, most_tokens: int | None = None, stops: Sequence[str] = ()) -> None:
        self._room = None if most_tokens is None else most_tokens * CHARACTERS_A_TOKEN
        self._stops = tuple(stop for stop in stops if stop)
        self._held_back = max((len(stop) for stop in self._stops), default=1) - 1
        self._pending = ""
        self._has_ended = False
        self.reason = STOP
        self.text = ""

    def feed(self, piece: str) -> str:
        """What of the text may leave now."""
        if self._has_ended:
            return ""
        self._pending += piece
        places = [place for stop in self._stops if (place := self._pending.find(stop)) >= 0]
        if places:
            self._pending = self._pending[: min(places)]
            return self.end()
        return self._leave(len(self._pending) - self._held_back)

    def end(self) -> str:
        """The rest, as nothing comes after it."""
        rest = self._leave(len(self._pending))
        self._has_ended = True
        return rest

    @property
    def tokens(self) -> int:
        """About how many tokens have left."""
        return estimate_tokens(self.text)

    def _leave(self, length: int) -> str:
        piece, self._pending = self._pending[: max(length, 0)], self._pending[max(length, 0) :]
        if self._room is not None and len(self.text) + len(piece) > self._room:
            piece = piece[: self._room - len(self.text)]
            self.reason, self._has_ended, self._pending = LENGTH, True, ""
        self.text += piece
        return piece


def bounded_text(text: str, most_tokens: int | None, stops: Sequence[str]) -> Bound:
    """The whole text, bounded.

    >>> bound = bounded_text("One. Two. Three.", None, ["Three"])
    >>> bound.text, bound.reason
    ('One. Two. ', 'stop')
    """
    bound = Bound(most_tokens, stops)
    bound.feed(text)
    bound.end()
    return bound


KEPT_TURNS = 12
GUIDING = ("system", "developer")
TOOLS_SAID = "A tool that the asker called said:"

router = APIRouter(tags=["native"])


@router.get(
    "/v1/models",
    name="list_models",
    summary="List the collections as models",
    response_model=c.ModelList,
    responses=example(c.MODELS) | refusals(),
)
async def models(request: Request) -> Response:
    """Every collection that you may read, under its name."""
    states = await run(request.scope, survey, service_of(request), caller_of(request))
    wire: c.ModelList = {
        "object": "list",
        "data": [_model(state) for _, state in states if not isinstance(state, QuireError)],
    }
    return reply(wire)


@router.get(
    "/v1/models/{model}",
    name="get_model",
    summary="Show a collection as a model",
    response_model=c.Model,
    responses=example(c.MODEL) | refusals(404),
)
async def model(request: Request) -> Response:
    """The collection of that name."""
    name = request.path_params["model"]
    request.scope["state"]["collection"] = name
    served = await run(request.scope, service_of(request).serve, caller_of(request), name)
    return reply(_model(served))


@router.post(
    "/v1/embeddings",
    name="create_embeddings",
    summary="Embed texts with a collection's model",
    response_model=c.Embeddings,
    responses=example(c.EMBEDDINGS) | refusals(400, 404, 413),
)
async def embeddings(body: c.EmbeddingsRequest, request: Request) -> Response:
    """The vectors that the texts have as questions to the collection; each is cut at the model's window."""
    request.scope["state"]["collection"] = body.model
    rows = await run(request.scope, _embed, service_of(request), caller_of(request), body)
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
    name="create_chat_completion",
    summary="Ask a collection as a chat model",
    response_model=c.Completion,
    responses=example(c.EXAMPLE, events=c.EVENTS) | refusals(400, 404, 413),
)
async def chat(body: c.ChatRequest, request: Request) -> Response:
    """The cited answer to the last user message, in the OpenAI protocol; its sources stand at its end."""
    request.scope["state"]["collection"] = body.model
    service, caller, inquiry = service_of(request), caller_of(request), _inquiry(body)
    head = {"id": f"chatcmpl-{uuid.uuid4().hex[:24]}", "created": int(time.time()), "model": body.model}
    if body.stream:
        events = await run(request.scope, ask_stream, service, caller, body.model, inquiry)
        return streamed(
            request.scope, _chunks(body, head, events), events.leave, media_type="text/event-stream"
        )
    _, given = await run_answer(request.scope, ask, service, caller, body.model, inquiry)
    bound = bounded_text(given.text + _end(given), body.most_tokens(), body.stop)
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": bound.text, "refusal": None},
        "logprobs": None,
        "finish_reason": bound.reason,
    }
    wire = head | {"object": "chat.completion", "usage": _usage(body, given, bound), **_extras(given)}
    return reply(wire | {"choices": [choice]})


def _inquiry(body: c.ChatRequest) -> Inquiry:
    """The last user message as a question, what came before as its history, what the system said as guidance.

    What tools said after it is no question and no source: a model that writes may know of it, nothing is cited for it.
    """
    said = [(one.role, one.words().strip()) for one in body.messages]
    asked = max((number for number, (role, text) in enumerate(said) if role == "user" and text), default=-1)
    if asked < 0 or said[-1][0] == "assistant":
        raise InputError("messages: wanted a user message with text at the end", field="messages")
    turns = [Turn(role, text) for role, text in said[:asked] if role in ("user", "assistant") and text]
    guidance = [text for role, text in said if role in GUIDING and text]
    tools = [text for role, text in said[asked:] if role in ("tool", "function") and text]
    if tools:
        guidance += [TOOLS_SAID, *tools]
    return Inquiry(
        said[asked][1],
        history=tuple(turns[-KEPT_TURNS:]),
        max_tokens=body.most_tokens() or Inquiry("").max_tokens,
        guidance="\n".join(guidance),
    )


def _chunks(body: c.ChatRequest, head: dict[str, Any], events: Iterator[Event]) -> Iterator[bytes]:
    """The answer as server-sent events; a failure under way is an event too, since the status has gone out."""
    head = head | {"object": "chat.completion.chunk"}
    bound = Bound(body.most_tokens(), body.stop)
    yield _event(head | {"choices": [_choice({"role": "assistant", "content": ""})]})
    for event in told(events):
        if isinstance(event, Delta):
            yield from _piece(head, bound.feed(event.text))
        elif isinstance(event, Done):
            yield from _piece(head, bound.feed(_end(event.answer)) + bound.end())
            yield _event(head | {"choices": [_choice({}, bound.reason)], **_extras(event.answer)})
            if body.stream_options is not None and body.stream_options.include_usage:
                yield _event(head | {"choices": [], "usage": _usage(body, event.answer, bound)})
        elif isinstance(event, Problem):
            yield _event({"error": {"message": event.detail, "type": "server_error"}})
    yield b"data: [DONE]\n\n"


def _piece(head: dict[str, Any], text: str) -> Iterator[bytes]:
    if text:
        yield _event(head | {"choices": [_choice({"content": text})]})


def _event(value: dict[str, Any]) -> bytes:
    return b"data: " + json_bytes(value) + b"\n\n"


def _choice(delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish}


def _end(given: Answer) -> str:
    """What ends an answer: its notices, which a chat client shows nowhere else, and the list of its sources."""
    lines = []
    for citation in given.citations:
        part = quoted_part(citation)
        known = citation_wire(part, given.version)
        place = place_of(part) or part.breadcrumb
        link = f" {known['url']}" if (known["url"] or "").startswith("http") else ""
        lines.append(f"[{citation.n}] {place}{link}")
    parts = [*given.notices_beside, "Sources:\n" + "\n".join(lines) if lines else ""]
    return "".join(f"\n\n{part}" for part in parts if part)


def _extras(given: Answer) -> dict[str, Any]:
    cited = [
        {
            **citation_wire(quoted_part(one), given.version),
            "n": one.n,
            "quote": one.quote,
            "sha256": one.sha256,
        }
        for one in given.citations
    ]
    facts = {"version": given.version, "answerable": given.answerable, "model_used": given.model_used}
    return {"citations": cited, "quire": {**facts, "notices": given.notices, "degraded": given.degraded}}


def _usage(body: c.ChatRequest, given: Answer, bound: Bound) -> dict[str, int]:
    """As the provider counted; where no model was asked, about four characters a token of what came and what left."""
    asked = given.usage.prompt_tokens or sum(estimate_tokens(one.words()) for one in body.messages)
    written = given.usage.answer_tokens or bound.tokens
    return {"prompt_tokens": asked, "completion_tokens": written, "total_tokens": asked + written}


def _embed(service: Knowledge, caller: Caller, body: c.EmbeddingsRequest) -> Any:
    """The texts' rows, shape (texts, dimensions), float32."""
    embedder = service.embedder(service.serve(caller, body.model))
    if embedder is None:
        raise StoreUnavailable(f"model of {body.model!r}: cannot be opened")
    if body.dimensions not in (None, embedder.dimensions):
        raise InputError(f"dimensions: this model has {embedder.dimensions}", field="dimensions")
    return embedder.embed(body.input)


def _written(row: Any, encoding: str) -> list[float] | str:
    if encoding == "base64":
        return base64.b64encode(np.asarray(row, "<f4").tobytes()).decode()
    values: list[float] = row.tolist()
    return values


def _model(served: Served | Unopened) -> c.Model:
    moment = served.pointer.published_at
    created = int(datetime.fromisoformat(moment).timestamp()) if moment else 0
    return {"id": served.name, "object": "model", "created": created, "owned_by": "quire"}
