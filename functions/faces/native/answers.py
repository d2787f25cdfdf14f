"""Native `POST /answer`: a cited answer, whole or as server-sent events."""

from __future__ import annotations

import time
from functools import partial
from typing import Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from functions.faces.native.contract import TERMS
from functions.faces.native.examples import QUERY, VERSION
from functions.web.answers import AnswerWire, answer_wire, answered, stream_wire, streamed_answer
from functions.web.calls import service_of
from functions.web.documented import answer as example
from functions.web.documented import problems
from functions.web.freshness import FreshnessWire, freshness_of, freshness_wire
from functions.web.replies import reply
from functions.web.wire import Filters
from quire.answering.request import Inquiry
from quire.documents import Turn

router = APIRouter(tags=["native"])

EXAMPLE = {
    "collection": "roblox",
    "version": VERSION,
    "answer": "BasePart.Touched fires when another part comes in contact. [1]",
    "answerable": True,
    "confidence": 0.87,
    "citations": [
        {
            "n": 1,
            "id": "421fd60c3891c504",
            "quote": "BasePart.Touched fires when another part comes in contact.",
            "start": 0,
            "end": 58,
            "path": "content/en-us/reference/engine/classes/BasePart.yaml",
            "start_line": 1200,
            "end_line": 1229,
            "heading": "BasePart.Touched",
            "url": "https://create.roblox.com/docs/reference/engine/classes/BasePart#Touched",
            "sha256": "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
            "version": VERSION,
            "metadata": {
                "source": "api_dump",
                "class_name": "BasePart",
                "start_line": 1200,
                "end_line": 1229,
            },
        }
    ],
    "hits": [],
    "notices": [],
    "model_used": "extractive",
    "degraded": [],
    "usage": {"prompt_tokens": 0, "answer_tokens": 0, "attempts": 0, "dropped_citations": 0},
    "freshness": QUERY["freshness"],
    "took_ms": 41.7,
}


class TurnModel(BaseModel):
    """An earlier message."""

    model_config = ConfigDict(extra="forbid")

    role: Literal["user", "assistant"]
    content: str


class AnswerRequest(BaseModel):
    """A question to be answered from one collection."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"collection": "roblox", "q": "When does Touched fire?", "stream": False}]
        },
    )

    collection: str = Field(
        min_length=1, description="Name of the collection, as `GET collections` lists it."
    )
    q: str = Field(min_length=1, pattern=r"\S", description="The question.")
    selected_text: str | None = Field(None, description="What the reader had marked on the page.")
    history: list[TurnModel] = Field(default_factory=list, description="Earlier messages, oldest first.")
    top_k: int = Field(8, ge=1, le=50, strict=True, description="How many passages are retrieved.")
    max_tokens: int = Field(700, ge=16, le=8192, strict=True, description="Bound of a model's answer.")
    filters: Filters = Field(default_factory=dict, description="As for `POST query`.")
    version: str | None = Field(None, min_length=1, description="Ask an older version.")
    terms: str = Field("", description=TERMS)
    stream: bool = Field(False, description="Answer as server-sent events.")


class AnswerResponse(AnswerWire):
    """A cited answer with where it comes from."""

    collection: str
    version: str
    freshness: FreshnessWire
    took_ms: float


EVENTS = (
    'event: sources\ndata: {"version": "9b1f7c02e4d1", "hits": []}\n\n'
    'event: delta\ndata: {"text": "A stud is the engine\'s unit of length. [1]"}\n\n'
    'event: citations\ndata: {"citations": []}\n\n'
    'event: done\ndata: {"answer": "A stud is the engine\'s unit of length. [1]", "answerable": true}\n\n'
)
"""The same with `stream`; the last event has all that the JSON has."""


@router.post(
    "/answer",
    summary="Answer a question with citations",
    response_model=AnswerResponse,
    responses=example(EXAMPLE, events=EVENTS) | problems(404, 413, 422, 503),
)
async def answer(body: AnswerRequest, request: Request) -> Response:
    """A cited answer from the collection, or that it does not cover the question.

    With `stream` the reply is `text/event-stream`: `sources`, `delta` (any number), `citations`, `done`, or `error`.
    """
    began = time.perf_counter()
    request.scope["state"]["collection"] = body.collection
    if body.stream:
        encode = partial(stream_wire, done={"collection": body.collection})
        return await streamed_answer(request, body.collection, _inquiry(body), encode, version=body.version)
    served, given = await answered(request, body.collection, _inquiry(body), version=body.version)
    request.scope["state"]["served"] = served
    wire: AnswerResponse = {
        "collection": body.collection,
        "version": given.version,
        **answer_wire(given, served.degraded),
        "freshness": freshness_wire(freshness_of(service_of(request), served)),
        "took_ms": round((time.perf_counter() - began) * 1000, 3),
    }
    return reply(wire)


def _inquiry(body: AnswerRequest) -> Inquiry:
    return Inquiry(
        body.q,
        body.selected_text or "",
        tuple(Turn(turn.role, turn.content) for turn in body.history),
        body.top_k,
        body.max_tokens,
        body.filters,
        terms=body.terms,
    )
