"""Answers from Gemini through google-genai, which takes half a second to import: only the factory imports it."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

from quire.adapters.model_calls import ModelCall, tell
from quire.adapters.provider_wire import LONGEST_MESSAGE, failure, seconds, without_key
from quire.documents import Turn
from quire.errors import (
    AnswerCut,
    AnswerModelError,
    ModelMisconfigured,
    ModelRefused,
    ModelTooSlow,
    ModelUnavailable,
)
from quire.ports import Spent

DEFAULT_MODEL = "gemini-3.5-flash-lite"
API_VERSION = "v1beta"
"""`v1`, the package's default, refuses a system instruction on some models."""

_ENDED = frozenset(("STOP", "FINISH_REASON_UNSPECIFIED"))
_BLOCKED = frozenset(
    "SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII LANGUAGE IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT".split()
)

Generate: TypeAlias = Callable[[list[dict[str, Any]], dict[str, Any]], Iterator[Any]]


class GeminiModel:
    """`quire.ports.AnswerModel` over `generate_content_stream`; made by `open_gemini`."""

    provider = "gemini"
    wants_examples = False

    def __init__(self, model: str, generate: Generate, api_error: type[Exception], *, key: str = "") -> None:
        self.name = model
        self._generate = generate
        self._api_error = api_error
        self._key = key

    def stream(self, system: str, turns: Sequence[Turn], *, max_tokens: int, deadline: float) -> ModelCall:
        """See `quire.ports.AnswerModel`."""
        return ModelCall(self._stream(system, turns, max_tokens, deadline))

    def _stream(
        self, system: str, turns: Sequence[Turn], max_tokens: int, deadline: float
    ) -> Generator[str | Spent, None, None]:
        contents = [
            {"role": "model" if turn.role == "assistant" else "user", "parts": [{"text": turn.text}]}
            for turn in turns
        ]
        # The package's timeout is in milliseconds and for each read; 0 would mean none.
        timeout_ms = max(int((deadline - time.monotonic()) * 1000), 1)
        config = {
            "system_instruction": system,
            "max_output_tokens": max_tokens,
            "http_options": {"timeout": timeout_ms},
        }
        ended, spent = "", Spent(0, 0)
        for chunk in self._chunks(contents, config, deadline):
            _check_prompt(chunk)
            for candidate in (chunk.candidates or [])[:1]:
                yield from _texts(candidate)
                ended = _name(candidate.finish_reason) or ended
            spent = _spent(chunk) or spent
        yield spent
        _check_end(ended)

    def _chunks(
        self, contents: list[dict[str, Any]], config: dict[str, Any], deadline: float
    ) -> Iterator[Any]:
        try:
            for chunk in self._generate(contents, config):
                if time.monotonic() > deadline:
                    raise ModelTooSlow("gemini: the deadline passed in the middle of the answer")
                yield chunk
        except AnswerModelError:
            raise
        except self._api_error as error:
            self._translate(error)
        except Exception as error:
            # The transport's errors have no base that the package exports, and differ between its versions.
            raise ModelUnavailable(f"gemini: {type(error).__name__}") from error

    def _translate(self, error: Any) -> NoReturn:
        """A wrong key is a 400 with a reason of its own; a 429 may say how long to wait."""
        message = without_key(str(error.message or ""), self._key)[:LONGEST_MESSAGE]
        if any(detail.get("reason") == "API_KEY_INVALID" for detail in _details(error)):
            refused = ModelMisconfigured(f"gemini: {error.code} {message}")
            refused.provider_status = int(error.code or 400)
            raise refused from error
        delays = (seconds(str(detail.get("retryDelay", ""))) for detail in _details(error))
        delay = next((one for one in delays if one is not None), None)
        raise failure("gemini", int(error.code or 500), message, delay) from error


def open_gemini(api_key: str, model: str = "", *, base_url: str = "") -> GeminiModel:
    """A Gemini model; `base_url` replaces Google's address."""
    import httpx2
    from google import genai
    from google.genai import errors

    name = model or DEFAULT_MODEL
    # A connection says which socket it is when it is made, so none is kept; the package keeps them for 5 s.
    connections = httpx2.Client(
        follow_redirects=True,
        limits=httpx2.Limits(max_keepalive_connections=0),
        event_hooks={"request": [lambda request: request.extensions.update(trace=_note_socket)]},
    )
    options: dict[str, Any] = {"api_version": API_VERSION, "httpx_client": connections}
    options |= {"base_url": base_url} if base_url else {}
    client = genai.Client(api_key=api_key, http_options=options, vertexai=False)  # type: ignore[arg-type]

    def generate(contents: list[dict[str, Any]], config: dict[str, Any]) -> Iterator[Any]:
        return client.models.generate_content_stream(model=name, contents=contents, config=config)  # type: ignore[arg-type]

    return GeminiModel(name, generate, errors.APIError, key=api_key)


def _note_socket(event: str, told: Mapping[str, Any]) -> None:
    if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
        tell(told["return_value"].get_extra_info("socket"))


def _check_prompt(chunk: Any) -> None:
    feedback = chunk.prompt_feedback
    if feedback is not None and feedback.block_reason is not None:
        raise ModelRefused(f"gemini: the prompt was blocked ({_name(feedback.block_reason)})")


def _texts(candidate: Any) -> Iterator[str]:
    parts = (candidate.content.parts if candidate.content else None) or []
    yield from (part.text for part in parts if part.text and not part.thought)


def _spent(chunk: Any) -> Spent | None:
    usage = chunk.usage_metadata
    if usage is None:
        return None
    answer = (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
    return Spent(usage.prompt_token_count or 0, answer)


def _check_end(reason: str) -> None:
    if reason in _ENDED:
        return
    if reason == "MAX_TOKENS":
        raise AnswerCut("gemini: the answer reached its length limit")
    if reason in _BLOCKED:
        raise ModelRefused(f"gemini: the answer was blocked ({reason})")
    if reason:
        raise ModelUnavailable(f"gemini: the answer ended with {reason}")
    raise ModelUnavailable("gemini: the stream ended in the middle of the answer")


def _name(value: Any) -> str:
    """The name of an enum of the package, or the string that stands in its place for a value it does not know."""
    return str(getattr(value, "value", value) or "")


def _details(error: Any) -> list[dict[str, Any]]:
    try:
        listed = error.details["error"]["details"]
    except (KeyError, TypeError):
        return []
    return [detail for detail in listed if isinstance(detail, dict)]
