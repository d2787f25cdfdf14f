"""The three providers' protocols as their servers speak them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.support.model_server import Behaviour

PROMPT_TOKENS, ANSWER_TOKENS = 42, 7


class OpenAIWire:
    """Chat completions as server-sent events."""

    def error(self, behaviour: Behaviour) -> tuple[dict[str, str], bytes]:
        codes = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}
        code = behaviour.reason or codes.get(behaviour.status)
        headers = {} if behaviour.delay_s is None else {"retry-after": f"{behaviour.delay_s:g}"}
        error = {"message": f"failed with {behaviour.status}", "type": "error", "param": None, "code": code}
        return headers, json.dumps({"error": error}).encode()

    def piece(self, text: str) -> bytes:
        return self._event({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]})

    def ending(self, then: str) -> bytes:
        if then == "error":
            return self._event({"error": {"message": "the server failed", "code": 500}})
        reason = {"length": "length", "blocked": "content_filter"}.get(then, "stop")
        usage = {"prompt_tokens": PROMPT_TOKENS, "completion_tokens": ANSWER_TOKENS}
        last = self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
        return last + self._event({"choices": [], "usage": usage}) + b"data: [DONE]\n\n"

    def refused_prompt(self) -> tuple[int, bytes]:
        return 400, json.dumps({"error": {"message": "filtered", "code": "content_filter"}}).encode()

    @staticmethod
    def _event(value: Mapping[str, Any]) -> bytes:
        return (
            b": keep-alive\n\ndata: "
            + json.dumps({"object": "chat.completion.chunk", **value}).encode()
            + b"\n\n"
        )


class OllamaWire:
    """`/api/chat` as lines of JSON."""

    def error(self, behaviour: Behaviour) -> tuple[dict[str, str], bytes]:
        headers = {} if behaviour.delay_s is None else {"retry-after": f"{behaviour.delay_s:g}"}
        return headers, json.dumps({"error": behaviour.reason or f"failed with {behaviour.status}"}).encode()

    def piece(self, text: str) -> bytes:
        return self._line({"message": {"role": "assistant", "content": text}, "done": False})

    def ending(self, then: str) -> bytes:
        if then == "error":
            return self._line({"error": "llama runner process has terminated"})
        reason = "length" if then == "length" else "stop"
        counts = {"prompt_eval_count": PROMPT_TOKENS, "eval_count": ANSWER_TOKENS}
        return self._line(
            {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": reason, **counts}
        )

    def refused_prompt(self) -> tuple[int, bytes]:
        return 400, b'{"error": "the prompt was refused"}'

    @staticmethod
    def _line(value: Mapping[str, Any]) -> bytes:
        return json.dumps({"model": "small", **value}).encode() + b"\n"


class GeminiWire:
    """`streamGenerateContent?alt=sse`."""

    def error(self, behaviour: Behaviour) -> tuple[dict[str, str], bytes]:
        names = {
            400: "INVALID_ARGUMENT",
            403: "PERMISSION_DENIED",
            429: "RESOURCE_EXHAUSTED",
            503: "UNAVAILABLE",
        }
        details: list[dict[str, Any]] = []
        if behaviour.reason:
            details.append({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": behaviour.reason})
        if behaviour.delay_s is not None:
            info = "type.googleapis.com/google.rpc.RetryInfo"
            details.append({"@type": info, "retryDelay": f"{behaviour.delay_s:g}s"})
        error = {"code": behaviour.status, "message": f"failed with {behaviour.status}", "details": details}
        error["status"] = names.get(behaviour.status, "INTERNAL")
        return {}, json.dumps({"error": error}).encode()

    def piece(self, text: str) -> bytes:
        return self._event(
            {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "index": 0}]}
        )

    def ending(self, then: str) -> bytes:
        if then == "error":
            return self._event({"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}})
        reason = {"length": "MAX_TOKENS", "blocked": "SAFETY"}.get(then, "STOP")
        candidate = {
            "content": {"role": "model", "parts": [{"text": ""}]},
            "finishReason": reason,
            "index": 0,
        }
        usage = {"promptTokenCount": PROMPT_TOKENS, "candidatesTokenCount": ANSWER_TOKENS}
        return self._event({"candidates": [candidate], "usageMetadata": usage})

    def refused_prompt(self) -> tuple[int, bytes]:
        return 200, self._event({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})

    @staticmethod
    def _event(value: Mapping[str, Any]) -> bytes:
        return b"data: " + json.dumps(value).encode() + b"\r\n\r\n"
