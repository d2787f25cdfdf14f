"""Answers from any server that speaks OpenAI's chat completions: OpenAI, vLLM, llama.cpp, LM Studio, OpenRouter, …"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any

from quire.adapters.model_calls import Endpoint, ModelCall, chat_messages
from quire.adapters.provider_wire import (
    each,
    event_data,
    failure,
    fields,
    read_event,
    retry_after,
    text_of,
    tokens,
    without_key,
)
from quire.documents import Turn
from quire.errors import AnswerCut, AnswerModelError, ModelRefused, ModelUnavailable
from quire.ports import Spent

OPENAI_URL = "https://api.openai.com/v1"
DEFAULT_MODEL = "gpt-5-mini"
_REASONING = re.compile(r"(?:.*/)?(?:gpt-[5-9]|o\d)")
"""Models that refuse a temperature other than their own."""


class OpenAIModel:
    """`quire.ports.AnswerModel` over `POST {base_url}/chat/completions`, streamed."""

    provider = "openai"
    wants_examples = True

    def __init__(self, model: str, *, base_url: str = OPENAI_URL, api_key: str = "") -> None:
        self.name = model or DEFAULT_MODEL
        self._key = api_key
        headers = {"accept": "text/event-stream"}
        if api_key:
            headers["authorization"] = f"Bearer {api_key}"
        self._endpoint = Endpoint("openai", f"{base_url.rstrip('/')}/chat/completions", headers)
        # OpenAI's newer models refuse `max_tokens`; many compatible servers know nothing else.
        self._bound = "max_completion_tokens" if base_url.startswith(OPENAI_URL) else "max_tokens"

    def stream(self, system: str, turns: Sequence[Turn], *, max_tokens: int, deadline: float) -> ModelCall:
        """See `quire.ports.AnswerModel`."""
        return ModelCall(self._stream(system, turns, max_tokens, deadline))

    def _stream(
        self, system: str, turns: Sequence[Turn], max_tokens: int, deadline: float
    ) -> Generator[str | Spent, None, None]:
        body = {"model": self.name, "messages": chat_messages(system, turns), self._bound: max_tokens}
        body |= {"stream": True, "stream_options": {"include_usage": True}}
        if not _REASONING.match(self.name):
            body["temperature"] = 0
        response, text = self._endpoint.post(body, deadline)
        if response.status != 200:
            raise _refusal(response.status, without_key(text, self._key), retry_after(response.headers))
        ended = False
        try:
            for data in event_data(self._endpoint.pieces(response, deadline)):
                if data == "[DONE]":
                    ended = True
                    break
                event = _parsed(data)
                yield from _read(event)
                ended = ended or any(one.get("finish_reason") for one in each(event.get("choices")))
        finally:
            response.close()
        if not ended:
            raise ModelUnavailable("openai: the stream ended in the middle of the answer")


def _parsed(data: str) -> dict[str, Any]:
    event = read_event("openai", data)
    if event.get("error"):
        raise _failed(event["error"], 500, None)
    return event


def _read(event: Mapping[str, Any]) -> Iterator[str | Spent]:
    choices = each(event.get("choices"))
    for delta in (fields(choice.get("delta")) for choice in choices):
        if delta.get("refusal"):
            raise ModelRefused("openai: the model refused to answer")
        if text := text_of(delta.get("content")):
            yield text
    if usage := fields(event.get("usage")):
        yield Spent(tokens(usage.get("prompt_tokens")), tokens(usage.get("completion_tokens")))
    for choice in choices:
        if choice.get("finish_reason") == "length":
            raise AnswerCut("openai: the answer reached its length limit")
        if choice.get("finish_reason") == "content_filter":
            raise ModelRefused("openai: the content filter ended the answer")


def _refusal(status: int, text: str, delay_s: float | None) -> AnswerModelError:
    try:
        error = json.loads(text)["error"]
    except (ValueError, KeyError, TypeError):
        return failure("openai", status, text, delay_s)
    return _failed(error, status, delay_s)


def _failed(error: Any, status: int, delay_s: float | None) -> AnswerModelError:
    """`insufficient_quota` is a 429 that no waiting mends; a filtered prompt is a 400 with its own code."""
    details = error if isinstance(error, dict) else {"message": str(error)}
    code = details.get("code")
    if isinstance(code, int) and 400 <= code < 600:
        status = code
    message = str(details.get("message") or "")
    if code == "content_filter":
        return ModelRefused(f"openai: the content filter blocked the prompt: {message[:300]}")
    return failure("openai", status, message, None if code == "insufficient_quota" else delay_s)
