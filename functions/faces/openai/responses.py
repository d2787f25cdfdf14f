"""An answer as the Responses API sends it, whole or as the events of a stream.

Source: OpenAI API reference, "Responses" and "Streaming events".
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

from functions.faces.openai.asking import LENGTH, Bound, bounded_text, ending_of, extras_of, tokens_of
from functions.faces.openai.contract import Message, Response, ResponsesRequest
from functions.web.answers import sse, told
from functions.web.problems import Problem
from functions.web.wire import citation_wire
from quire.answering.events import Delta, Done, Event
from quire.answering.extractive.rendering import quoted_part
from quire.answering.request import Answer

_PLACE = {"output_index": 0}


class ResponseWire:
    """One response on its way to a client.

    Args:
        messages: what was asked, by which tokens are counted where no language model counts them.
    """

    def __init__(self, body: ResponsesRequest, messages: Sequence[Message]) -> None:
        self._body, self._messages = body, messages
        self._message_id = f"msg_{uuid.uuid4().hex[:24]}"
        self._head: dict[str, Any] = {
            "id": f"resp_{uuid.uuid4().hex[:24]}",
            "object": "response",
            "created_at": int(time.time()),
            "model": body.model,
            "instructions": body.instructions,
            "max_output_tokens": body.max_output_tokens,
            "metadata": body.metadata,
            "parallel_tool_calls": False,
            "previous_response_id": None,
            "store": False,
            "text": {"format": {"type": "text"}},
            "tool_choice": "none",
            "tools": [],
            "truncation": "disabled",
        }
        self._sent = 0

    def whole(self, given: Answer) -> Response:
        """The response with its text and what it cost."""
        return self._ended(
            given, bounded_text(given.text + ending_of(given), self._body.max_output_tokens, ())
        )

    def events(self, events: Iterator[Event]) -> Iterator[bytes]:
        """The answer as server-sent events; a failure under way is the last of them, since the status has gone out."""
        bound = Bound(self._body.max_output_tokens)
        part = _PLACE | {"item_id": self._message_id, "content_index": 0}
        begun = self._wire("in_progress", [], None)
        yield self._event("created", response=begun)
        yield self._event("in_progress", response=begun)
        yield self._event("output_item.added", **_PLACE, item=self._message("in_progress", []))
        yield self._event("content_part.added", **part, part=_text("", []))
        for event in told(events):
            if isinstance(event, Delta):
                yield from self._piece(part, bound.feed(event.text))
            elif isinstance(event, Done):
                yield from self._piece(part, bound.feed(ending_of(event.answer)) + bound.end())
                yield from self._end(part, self._ended(event.answer, bound))
            elif isinstance(event, Problem):
                error = {"code": "server_error", "message": event.detail}
                yield self._event("failed", response=self._wire("failed", [], None) | {"error": error})

    def _end(self, part: dict[str, Any], ended: Response) -> Iterator[bytes]:
        message = ended["output"][0]
        content = message["content"][0]
        yield self._event("output_text.done", **part, text=content["text"], logprobs=[])
        yield self._event("content_part.done", **part, part=content)
        yield self._event("output_item.done", **_PLACE, item=message)
        yield self._event(ended["status"], response=ended)

    def _piece(self, part: dict[str, Any], text: str) -> Iterator[bytes]:
        if text:
            yield self._event("output_text.delta", **part, delta=text, logprobs=[])

    def _event(self, name: str, **facts: Any) -> bytes:
        self._sent += 1
        kind = f"response.{name}"
        return sse(kind, {"type": kind, "sequence_number": self._sent - 1, **facts})

    def _ended(self, given: Answer, bound: Bound) -> Response:
        status = "incomplete" if bound.reason == LENGTH else "completed"
        asked, written = tokens_of(self._messages, given, bound)
        usage = {
            "input_tokens": asked,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": written,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": asked + written,
        }
        message = self._message(status, [_text(bound.text, _annotations(given, bound.text))])
        ended: Response = {**self._wire(status, [message], usage), **extras_of(given)}  # type: ignore[typeddict-item]
        return ended

    def _wire(
        self, status: str, output: list[dict[str, Any]], usage: dict[str, Any] | None
    ) -> dict[str, Any]:
        cut = {"reason": "max_output_tokens"} if status == "incomplete" else None
        facts = {"status": status, "error": None, "incomplete_details": cut, "output": output, "usage": usage}
        return self._head | facts

    def _message(self, status: str, content: list[dict[str, Any]]) -> dict[str, Any]:
        named = {"type": "message", "id": self._message_id, "role": "assistant"}
        return named | {"status": status, "content": content}


def _text(text: str, annotations: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": annotations, "logprobs": []}


def _annotations(given: Answer, text: str) -> list[dict[str, Any]]:
    """Each citation where its mark first stands in the text: by its address, or by its file where it has none."""
    found = []
    for citation in given.citations:
        place = text.find(mark := f"[{citation.n}]")
        if place < 0:
            continue
        known = citation_wire(quoted_part(citation), given.version)
        url = known["url"] or ""
        if url.startswith("http"):
            named = {"type": "url_citation", "url": url, "title": known["heading"] or known["path"]}
            found.append(named | {"start_index": place, "end_index": place + len(mark)})
        else:
            named = {"type": "file_citation", "file_id": known["id"], "filename": known["path"]}
            found.append(named | {"index": place})
    return found
