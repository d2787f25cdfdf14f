"""What every `AnswerModel` does, over each provider's protocol on a local server."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest

from quire.documents import Turn
from quire.errors import (
    AnswerCut,
    AnswerModelError,
    ModelMisconfigured,
    ModelRefused,
    ModelUnavailable,
    QuotaExceeded,
)
from quire.ports import AnswerModel, Spent
from quire.service.token_budget import BudgetedModel, ProcessBudget
from tests.support.model_server import Behaviour, ModelServer, Wire
from tests.support.model_wires import ANSWER_TOKENS, PROMPT_TOKENS, GeminiWire, OllamaWire, OpenAIWire
from tests.support.pace import is_within, seconds
from tests.support.silence import SilentServer

TEXT = "The stud is the unit of length [1]. Größe, 単位, 🙂 [2]."
TURNS = (Turn("user", "first"), Turn("assistant", "reply"), Turn("user", "What is a stud?"))


@dataclass(frozen=True)
class Provider:
    name: str
    wire: type[Wire]
    open: Callable[[str], AnswerModel]


def _gemini(url: str) -> AnswerModel:
    from quire.adapters.gemini import open_gemini

    return open_gemini("a-key", base_url=url)


def _openai(url: str) -> AnswerModel:
    from quire.adapters.openai import OpenAIModel

    return OpenAIModel("small", base_url=f"{url}/v1", api_key="a-key")


def _ollama(url: str) -> AnswerModel:
    from quire.adapters.ollama import OllamaModel

    return OllamaModel("small", endpoint=url)


def _budgeted(url: str) -> AnswerModel:
    return BudgetedModel(_openai(url), ProcessBudget(10_000), "book", complain=print)


GEMINI, OPENAI, OLLAMA, BUDGETED = (
    Provider("gemini", GeminiWire, _gemini),
    Provider("openai", OpenAIWire, _openai),
    Provider("ollama", OllamaWire, _ollama),
    Provider("budgeted", OpenAIWire, _budgeted),
)


@pytest.fixture(params=[GEMINI, OPENAI, OLLAMA], ids=lambda provider: str(provider.name))
def provider(request: pytest.FixtureRequest) -> Provider:
    found: Provider = request.param
    return found


@dataclass
class Call:
    """What came of one call: the text so far, the tokens, and the error that ended it."""

    text: str
    spent: Spent | None
    error: AnswerModelError | None
    took_s: float


def call(provider: Provider, behaviour: Behaviour, deadline_s: float = 5.0) -> tuple[Call, ModelServer]:
    with ModelServer(provider.wire(), [behaviour]) as server:
        model = provider.open(server.url)
        texts, spent, error = [], None, None
        began = time.monotonic()
        try:
            for piece in model.stream("Be brief.", TURNS, max_tokens=64, deadline=began + deadline_s):
                if isinstance(piece, Spent):
                    spent = piece
                else:
                    texts.append(piece)
        except AnswerModelError as raised:
            error = raised
        return Call("".join(texts), spent, error, time.monotonic() - began), server


def test_pieces_join_to_the_text_and_the_tokens_are_counted(provider: Provider) -> None:
    done, _ = call(provider, Behaviour(TEXT))
    assert (done.text, done.error) == (TEXT, None)
    assert done.spent == Spent(PROMPT_TOKENS, ANSWER_TOKENS)


def test_system_turns_and_bound_reach_the_provider(provider: Provider) -> None:
    _, server = call(provider, Behaviour(TEXT))
    sent = str(server.seen[0].body)
    assert sent.index("first") < sent.index("reply") < sent.index("What is a stud?")
    assert "Be brief." in sent
    assert "64" in sent


def test_the_first_piece_arrives_before_the_last_is_written(provider: Provider) -> None:
    with ModelServer(provider.wire(), [Behaviour("one two three", pause_s=0.1, piece=4)]) as server:
        began = time.monotonic()
        pieces = provider.open(server.url).stream("", TURNS, max_tokens=8, deadline=began + 5)
        first, first_s = next(pieces), time.monotonic() - began
        rest = [piece for piece in pieces if isinstance(piece, str)]
        whole_s = time.monotonic() - began
    assert "".join([str(first), *rest]) == "one two three"
    assert whole_s - first_s > 0.2


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key_is_a_misconfiguration(provider: Provider, status: int) -> None:
    done, server = call(provider, Behaviour(status=status))
    assert isinstance(done.error, ModelMisconfigured)
    assert str(status) in str(done.error)
    assert len(server.seen) == 1


def test_a_bad_key_that_gemini_calls_an_invalid_argument_is_a_misconfiguration() -> None:
    done, _ = call(GEMINI, Behaviour(status=400, reason="API_KEY_INVALID"))
    assert isinstance(done.error, ModelMisconfigured)


def test_an_unknown_model_is_a_misconfiguration(provider: Provider) -> None:
    done, _ = call(provider, Behaviour(status=404))
    assert isinstance(done.error, ModelMisconfigured)


@pytest.mark.parametrize("delay_s", [1.5, 34.0])
def test_a_quota_error_carries_the_delay_that_the_provider_named(provider: Provider, delay_s: float) -> None:
    done, server = call(provider, Behaviour(status=429, delay_s=delay_s))
    assert isinstance(done.error, QuotaExceeded)
    assert done.error.retry_after_s == delay_s
    assert len(server.seen) == 1


def test_a_quota_that_is_used_up_names_no_delay_at_openai() -> None:
    done, _ = call(OPENAI, Behaviour(status=429, reason="insufficient_quota", delay_s=1.0))
    assert isinstance(done.error, QuotaExceeded)
    assert done.error.retry_after_s is None


@pytest.mark.parametrize("status", [500, 503])
def test_an_overload_is_unavailability_and_is_not_retried_here(provider: Provider, status: int) -> None:
    done, server = call(provider, Behaviour(status=status))
    assert isinstance(done.error, ModelUnavailable)
    assert len(server.seen) == 1


@pytest.mark.parametrize("provider", [GEMINI, OPENAI], ids=lambda one: str(one.name))
def test_a_blocked_prompt_is_a_refusal(provider: Provider) -> None:
    done, _ = call(provider, Behaviour(blocked_prompt=True))
    assert isinstance(done.error, ModelRefused)
    assert done.text == ""


@pytest.mark.parametrize("provider", [GEMINI, OPENAI], ids=lambda one: str(one.name))
def test_an_answer_that_a_filter_ended_is_a_refusal_after_its_text(provider: Provider) -> None:
    done, _ = call(provider, Behaviour(TEXT, then="blocked"))
    assert isinstance(done.error, ModelRefused)
    assert done.text == TEXT


def test_an_answer_at_its_length_limit_is_cut_after_its_text(provider: Provider) -> None:
    done, _ = call(provider, Behaviour(TEXT, then="length"))
    assert isinstance(done.error, AnswerCut)
    assert done.text == TEXT


@pytest.mark.parametrize("then", ["cut", "reset", "error", "garbage"])
def test_a_stream_that_breaks_in_the_middle_is_unavailability_after_its_text(
    provider: Provider, then: str
) -> None:
    done, _ = call(provider, Behaviour(TEXT, then=then))
    assert isinstance(done.error, ModelUnavailable), done
    assert done.text == TEXT


@pytest.mark.parametrize(
    "event",
    [
        {"choices": {"a": 1}, "message": "text", "candidates": {"a": 1}},
        {"choices": [5], "message": [5], "candidates": [5]},
        {"choices": [{"delta": "x"}], "message": {"content": 5}, "candidates": [{"content": "x"}]},
        {
            "choices": [{"delta": {"content": {"a": 1}}}],
            "candidates": [{"content": {"parts": [{"text": 5}]}}],
        },
        {"usage": 5, "usageMetadata": 5},
        {"usage": {"prompt_tokens": "many"}, "usageMetadata": {"promptTokenCount": "many"}},
    ],
)
def test_an_event_of_another_shape_is_no_fault_of_ours(provider: Provider, event: dict[str, Any]) -> None:
    frame = b"%s\n" if provider is OLLAMA else b"data: %s\n\n"
    done, _ = call(provider, Behaviour(TEXT, then="garbage", garbage=frame % json.dumps(event).encode()))
    assert isinstance(done.error, ModelUnavailable), done
    assert done.text == TEXT


def test_a_text_in_parts_is_read_without_what_the_model_thought() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "Yes."},
    ]
    event = {"choices": [{"delta": {"content": parts}, "finish_reason": "stop"}]}
    done, _ = call(OPENAI, Behaviour(then="garbage", garbage=b"data: %s\n\n" % json.dumps(event).encode()))
    assert (done.text, done.error) == ("Yes.", None)


def test_a_server_that_is_not_there_is_unavailable(provider: Provider) -> None:
    with ModelServer(provider.wire(), [Behaviour()]) as server:
        url = server.url
    model = provider.open(url)
    with pytest.raises(ModelUnavailable):
        list(model.stream("", TURNS, max_tokens=8, deadline=time.monotonic() + 2))


def test_a_silent_server_is_left_at_the_deadline(provider: Provider) -> None:
    done, _ = call(provider, Behaviour("late", pause_s=60.0), deadline_s=0.4)
    assert isinstance(done.error, ModelUnavailable)
    assert is_within(done.took_s, 1.5)


def test_a_dripping_server_is_left_near_the_deadline(provider: Provider) -> None:
    deadline_s = seconds(0.4)
    done, _ = call(provider, Behaviour("x" * 9_000, pause_s=0.05, piece=1), deadline_s)
    assert isinstance(done.error, ModelUnavailable)
    assert 0 < len(done.text) <= done.took_s / 0.05 + 1
    assert done.took_s < deadline_s + seconds(1.1)


def test_closing_the_iterator_ends_the_call(provider: Provider) -> None:
    with ModelServer(provider.wire(), [Behaviour("word " * 50, pause_s=0.01)]) as server:
        pieces = provider.open(server.url).stream("", TURNS, max_tokens=8, deadline=time.monotonic() + 5)
        assert next(pieces)
        pieces.close()  # type: ignore[attr-defined]
        assert list(pieces) == []


@pytest.mark.parametrize("provider", [GEMINI, OPENAI, OLLAMA, BUDGETED], ids=lambda one: str(one.name))
@pytest.mark.parametrize("said", ["", "one two"])
def test_hanging_up_ends_a_call_that_waits_and_the_providers_connection_with_it(
    provider: Provider, said: str
) -> None:
    # Silent from the start, or after a piece.
    with (
        SilentServer() as silent,
        ModelServer(provider.wire(), [Behaviour(said * 9, pause_s=30.0)]) as server,
    ):
        url = server.url if said else silent.url
        pieces = provider.open(url).stream("", TURNS, max_tokens=8, deadline=time.monotonic() + 60)
        if said:
            assert next(pieces)
        with ThreadPoolExecutor(1) as reading:
            waiting = reading.submit(list, pieces)
            until = time.monotonic() + 30
            while not said and not silent.calls and time.monotonic() < until:
                time.sleep(0.02)
            time.sleep(0.1)
            pieces.hang_up()  # type: ignore[attr-defined]
            hung_up = time.monotonic()
            assert isinstance(waiting.exception(10), ModelUnavailable)
            assert is_within(time.monotonic() - hung_up, 1)  # the provider is silent for 20 s and more
        until = time.monotonic() + 10
        while not said and not silent.left and time.monotonic() < until:
            time.sleep(0.02)
        assert said or silent.left == 1


def test_openai_is_asked_with_its_own_bound_and_others_with_the_old_one() -> None:
    _, server = call(OPENAI, Behaviour(TEXT))
    assert server.seen[0].body["max_tokens"] == 64
    assert server.seen[0].body["temperature"] == 0
    assert server.seen[0].headers["authorization"] == "Bearer a-key"


def test_ollama_is_asked_for_a_context_that_holds_the_prompt() -> None:
    _, server = call(OLLAMA, Behaviour(TEXT))
    assert server.seen[0].body["options"] == {"num_ctx": 8192, "num_predict": 64, "temperature": 0}


def test_gemini_gets_the_rules_as_its_system_instruction_and_the_key_in_a_header() -> None:
    _, server = call(GEMINI, Behaviour(TEXT))
    seen = server.seen[0]
    assert seen.path == "/v1beta/models/gemini-3.5-flash-lite:streamGenerateContent?alt=sse"
    assert seen.headers["x-goog-api-key"] == "a-key"
    assert seen.body["systemInstruction"]["parts"] == [{"text": "Be brief."}]
    assert [content["role"] for content in seen.body["contents"]] == ["user", "model", "user"]
    assert seen.body["generationConfig"] == {"maxOutputTokens": 64}
