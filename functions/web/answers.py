"""How a cited answer looks as JSON and as server-sent events; what every answering contract shares."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from contextvars import copy_context
from http import HTTPStatus
from typing import Annotated, Any, NotRequired

from pydantic import Field
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Scope
from typing_extensions import TypedDict

from functions.web.calls import caller_of, run_answer, service_of
from functions.web.leaving import Leaving
from functions.web.problems import Problem, log_fault, problem_of
from functions.web.replies import json_bytes
from functions.web.waiting import WaitingRoom
from functions.web.wire import (
    ADVICE,
    SEND_TERMS,
    CitationWire,
    HitWire,
    MetadataValue,
    citation_wire,
    hit_wire,
    metadata_wire,
    rounded,
)
from quire.analysis.language import advice
from quire.answering.events import Citations, Delta, Done, Event, Sources
from quire.answering.extractive.rendering import quoted_part
from quire.answering.request import Answer, Inquiry
from quire.documents import Citation
from quire.service.ask import ask, ask_stream
from quire.service.metrics import noted
from quire.store.catalog import Served

HEARTBEAT_S = 10.0
BEAT = b": still here\n\n"
"""A comment of server-sent events."""
SSE_HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}


async def answered(
    request: Request, collection: str, inquiry: Inquiry, *, version: str | None = None
) -> tuple[Served, Answer]:
    """A whole answer, and the state of the collection that gave it. Where the client leaves, its model is ended.

    Raises:
        AskerGone: the client has left.
        Overloaded: as many answers are being written as there is room for.
    """
    leaving = Leaving()
    asked = asyncio.ensure_future(
        run_answer(
            request.scope,
            ask,
            service_of(request),
            caller_of(request),
            collection,
            inquiry,
            version=version,
            ended_by=leaving.add,
        )
    )
    gone = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait((asked, gone), return_when=asyncio.FIRST_COMPLETED)
    finally:
        gone.cancel()
        leaving.leave()  # what has been answered heeds it no more
    return await asked


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


class QuoteWire(CitationWire):
    """A quoted passage; `sha256` is of the UTF-8 bytes of exactly `quote`."""

    n: Annotated[int, Field(description="The number that stands in the answer.")]
    quote: Annotated[str, Field(description="A substring of the stored text.")]
    start: Annotated[int, Field(description="Where it begins in the chunk's stored text, in characters.")]
    end: Annotated[int, Field(description="Where it ends.")]
    metadata: dict[str, MetadataValue]


class UsageWire(TypedDict):
    """What the answer cost; zeros without a language model."""

    prompt_tokens: int
    answer_tokens: int
    attempts: int
    dropped_citations: int


class AnswerWire(TypedDict):
    """A cited answer."""

    answer: Annotated[str, Field(description="Markdown with citation marks such as `[1]`.")]
    answerable: Annotated[bool, Field(description="False where the collection does not cover the question.")]
    confidence: Annotated[
        float | None,
        Field(description="Probability that the collection answers; null where nothing was read."),
    ]
    citations: list[QuoteWire]
    hits: list[HitWire]
    notices: Annotated[list[str], Field(description="Sentences for the reader.")]
    model_used: Annotated[str, Field(description="The model's name, or `extractive`.")]
    degraded: list[str]
    usage: UsageWire
    terms: NotRequired[Annotated[str, Field(description="What was searched for beside the question.")]]
    advice: NotRequired[Annotated[list[str], Field(description=ADVICE)]]


def answer_wire(given: Answer, degraded: tuple[str, ...] = ()) -> AnswerWire:
    """The whole answer; `degraded` is what the collection's state adds."""
    usage = given.usage
    used: AnswerWire = {
        "answer": given.text,
        "answerable": given.answerable,
        "confidence": None if given.confidence is None else rounded(given.confidence),
        "citations": [quote_wire(one, given.version) for one in given.citations],
        "hits": [hit_wire(hit) for hit in given.hits],
        "notices": list(given.notices),
        "model_used": given.model_used,
        "degraded": list(dict.fromkeys((*degraded, *given.degraded))),
        "usage": {
            "prompt_tokens": usage.prompt_tokens,
            "answer_tokens": usage.answer_tokens,
            "attempts": usage.attempts,
            "dropped_citations": usage.dropped_citations,
        },
    }
    if given.terms:
        used["terms"] = given.terms
    if told := advice(given.notices, SEND_TERMS):
        used["advice"] = list(told)
    return used


def quote_wire(citation: Citation, version: str) -> QuoteWire:
    """One citation, with the place of what it quotes."""
    part = quoted_part(citation)
    return {
        **citation_wire(part, version),
        "sha256": citation.sha256,
        "n": citation.n,
        "quote": citation.quote,
        "start": citation.start,
        "end": citation.end,
        "metadata": metadata_wire(part),
    }


def stream_wire(events: Iterator[Event], done: dict[str, Any]) -> Iterator[bytes]:
    """The events `sources`, `delta`..., `citations`, `done` (or `error`).

    `done` is merged into the last event, which is the whole answer once more.
    """
    for event in told(events):
        if isinstance(event, Problem):
            yield sse("error", {"title": event.title, "status": event.status, "detail": event.detail})
        elif isinstance(event, Sources):
            yield sse("sources", {"version": event.version, "hits": [hit_wire(hit) for hit in event.hits]})
        elif isinstance(event, Delta):
            yield sse("delta", {"text": event.text})
        elif isinstance(event, Citations):
            version = event.citations[0].hit.version if event.citations else ""
            yield sse("citations", {"citations": [quote_wire(one, version) for one in event.citations]})
        elif isinstance(event, Done):
            yield sse("done", {**answer_wire(event.answer), **done, "version": event.answer.version})


def streamed(
    scope: Scope, pieces: Iterator[bytes], leave: Callable[[], None], *, media_type: str, beat: bytes = BEAT
) -> StreamingResponse:
    """A response that grows with its pieces, which are made in a thread among those that wait on models.

    `beat` is sent after each `HEARTBEAT_S` without a piece. When the client has gone, `leave` is called at once.

    Raises:
        Overloaded: as many answers are being written as there is room for.
    """
    loop = asyncio.get_running_loop()
    passed: asyncio.Queue[bytes | BaseException | None] = asyncio.Queue()

    def tell(piece: bytes | BaseException | None) -> None:
        with suppress(RuntimeError):  # the loop has ended, and with it whoever would read
            loop.call_soon_threadsafe(passed.put_nowait, piece)

    def make() -> None:
        ended: BaseException | None = None
        try:
            for piece in pieces:
                tell(piece)
        except BaseException as error:  # noqa: BLE001  raised again where the response is sent
            ended = error
        tell(ended)

    room: WaitingRoom | None = scope["app"].state.answers
    if room is None:
        threading.Thread(target=copy_context().run, args=(make,), name="answer", daemon=True).start()
    else:
        room.start(make)
    return StreamingResponse(_passed_on(passed, leave, beat), media_type=media_type, headers=SSE_HEADERS)


async def _passed_on(
    passed: asyncio.Queue[bytes | BaseException | None], leave: Callable[[], None], beat: bytes
) -> AsyncIterator[bytes]:
    try:
        while True:
            try:
                async with asyncio.timeout(HEARTBEAT_S):
                    piece = await passed.get()
            except TimeoutError:
                piece = beat
            if piece is None:
                return
            if isinstance(piece, BaseException):
                raise piece
            if piece:
                yield piece
    finally:
        leave()


async def streamed_answer(
    request: Request,
    collection: str,
    inquiry: Inquiry,
    encode: Callable[[Iterator[Event]], Iterator[bytes]],
    *,
    version: str | None = None,
) -> StreamingResponse:
    """An answer as server-sent events, as `encode` writes them. Where the client leaves, its model is ended.

    Raises:
        Overloaded: as many answers are being written as there is room for.
    """
    service, caller = service_of(request), caller_of(request)
    events = await run_answer(
        request.scope, ask_stream, service, caller, collection, inquiry, version=version
    )
    return streamed(request.scope, encode(events), events.leave, media_type="text/event-stream")


def told(events: Iterator[Event]) -> Iterator[Event | Problem]:
    """The events, and any error as the last of them: the status has gone out, so the body has to say it.

    A fault of ours is logged here, as the frame would have done, had it come before the response began.
    """
    try:
        yield from events
    except Exception as error:  # noqa: BLE001  the outermost handler of a response under way
        problem = problem_of(error)
        if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            log_fault(error, str(noted().get("request_id", "")))
        yield problem


def sse(name: str, value: Any) -> bytes:
    """One server-sent event."""
    return f"event: {name}\n".encode() + b"data: " + json_bytes(value) + b"\n\n"
