"""Answers from a local Ollama by its native API; its OpenAI-like one ignores `num_ctx` and cuts prompts silently."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from quire.adapters.model_calls import Endpoint, ModelCall, chat_messages
from quire.adapters.provider_wire import failure, fields, lines, read_event, retry_after, text_of, tokens
from quire.documents import Turn
from quire.errors import AnswerCut, ModelMisconfigured, ModelUnavailable
from quire.ports import Spent

if TYPE_CHECKING:
    import urllib3

DEFAULT_ENDPOINT = "http://127.0.0.1:11434"
DEFAULT_MODEL = "qwen2.5:7b-instruct"
CONTEXT_TOKENS = 8192
"""One size for every call: another size makes Ollama load the model again."""


class OllamaModel:
    """`quire.ports.AnswerModel` over `POST {endpoint}/api/chat`, streamed as lines of JSON."""

    provider = "ollama"
    wants_examples = True

    def __init__(self, model: str, *, endpoint: str = DEFAULT_ENDPOINT) -> None:
        self.name = model or DEFAULT_MODEL
        url = f"{endpoint.rstrip('/')}/api/chat"
        self._endpoint = Endpoint("ollama", url, hint=f"; is it running at {url}?")

    def stream(self, system: str, turns: Sequence[Turn], *, max_tokens: int, deadline: float) -> ModelCall:
        """See `quire.ports.AnswerModel`."""
        return ModelCall(self._stream(system, turns, max_tokens, deadline))

    def _stream(
        self, system: str, turns: Sequence[Turn], max_tokens: int, deadline: float
    ) -> Generator[str | Spent, None, None]:
        options = {"num_ctx": CONTEXT_TOKENS, "num_predict": max_tokens, "temperature": 0}
        body = {"model": self.name, "messages": chat_messages(system, turns), "stream": True}
        response = self._post({**body, "options": options}, deadline)
        try:
            for line in lines(self._endpoint.pieces(response, deadline)):
                event = _parsed(line)
                if text := text_of(fields(event.get("message")).get("content")):
                    yield text
                if event.get("done"):
                    yield Spent(tokens(event.get("prompt_eval_count")), tokens(event.get("eval_count")))
                    if event.get("done_reason") == "length":
                        raise AnswerCut("ollama: the answer reached its length limit")
                    return
        finally:
            response.close()
        raise ModelUnavailable("ollama: the stream ended in the middle of the answer")

    def _post(self, body: Mapping[str, Any], deadline: float) -> urllib3.BaseHTTPResponse:
        response, text = self._endpoint.post(body, deadline)
        if response.status == 200:
            return response
        message = _message(text)
        if response.status == 404:
            raise ModelMisconfigured(f"ollama: {message}; `ollama pull {self.name}` fetches it")
        raise failure("ollama", response.status, message, retry_after(response.headers))


def _parsed(line: str) -> dict[str, Any]:
    if not line.strip():
        return {}
    event = read_event("ollama", line)
    if event.get("error"):
        raise ModelUnavailable(f"ollama: {_message(line)}")
    return event


def _message(text: str) -> str:
    try:
        return str(json.loads(text)["error"])[:300]
    except (ValueError, KeyError, TypeError):
        return text[:300]
