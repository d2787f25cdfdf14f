"""A model's answer: streamed sentence by sentence, each read against the sources, retried once at most."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from quire.answering.generative.cleaning import visible
from quire.answering.generative.completion import within
from quire.answering.generative.context import estimate_tokens
from quire.answering.generative.judging import Judge
from quire.answering.generative.prompt import NOT_COVERED, Prompt
from quire.answering.generative.sentence_stream import SentenceStream, StreamUnit, is_torn
from quire.answering.generative.thoughts import Thoughts, without_thoughts
from quire.answering.request import Usage
from quire.errors import (
    AnswerCut,
    AnswerModelError,
    ModelMisconfigured,
    ModelRefused,
    ModelTooSlow,
    ModelUnavailable,
    QuotaExceeded,
)
from quire.ports import AnswerModel, Spent

_LOG = logging.getLogger(__name__)
MOST_ATTEMPTS = 2
FIRST_WAIT_S = 0.2
MOST_WAIT_S = 5.0
"""Longer than this a reader would rather have quotes."""
LEAST_TIME_S = 0.5
"""A retry that has less time left is not worth its cost."""
INSTEAD, FOLLOWS = ": quoted from the sources instead", "; what follows is quoted from the sources"
CHARACTERS_A_TOKEN = 12
"""A model that sends more than so many for each token it was allowed does not heed its bound."""


@dataclass(slots=True)
class Draft:
    """What a model made of it, filled while `generate` runs.

    Attributes:
        text: what was passed on; "" where nothing usable came.
        used: numbers of the sources cited in the text.
        not_covered: the model said that the sources do not answer.
        notices: for the user: what was cut.
        degraded: why there is no text, or less than there should be.
    """

    text: str = ""
    used: tuple[int, ...] = ()
    not_covered: bool = False
    notices: list[str] = field(default_factory=list)
    degraded: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)


@dataclass(slots=True)
class _Attempt:
    """One call."""

    judge_of: Callable[[], Judge]
    most_characters: int
    stops: Sequence[str] = ()
    thoughts: Thoughts = field(default_factory=Thoughts)
    said: str = ""
    text: str = ""
    shown: bool = False
    spent: Spent | None = None
    error: AnswerModelError | None = None
    judge: Judge = field(init=False)
    sentences: SentenceStream = field(init=False)

    def __post_init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self.judge, self.sentences, self.text = self.judge_of(), SentenceStream(), ""

    @property
    def has_stopped(self) -> bool:
        """Whether what was shown holds a text before which the answer ends."""
        return self.shown and any(stop in self.text for stop in self.stops)

    @property
    def says_not_covered(self) -> bool:
        """Whether the model said that the sources do not answer, as it was told to or in other words."""
        said = without_thoughts(self.said).strip().strip("`'\"*.[]").upper()
        return said.startswith(NOT_COVERED) or self.judge.found_nothing

    def take(self, units: Iterable[StreamUnit]) -> str:
        """Add units and return what may be shown: nothing before a source was cited, then all."""
        added = "".join([self.judge.read(unit) for unit in units])
        self.text += added
        if self.shown:
            return added
        if not self.judge.used:
            return ""
        self.shown = True
        return self.text

    def feed(self, piece: str) -> str:
        """Take the next piece of the model's text.

        Raises:
            AnswerCut: the model sent far more than it was allowed.
        """
        room = self.most_characters - len(self.said)
        if len(piece) > room:
            raise AnswerCut(f"answer model: wanted at most {self.most_characters} characters, found more")
        self.said += piece
        answered = self.thoughts.feed(piece)
        if self.thoughts.closed_late:
            # What a stream has shown of it stays there; the answer begins behind it.
            self._begin()
        return self.take(self.sentences.feed(visible(answered)))

    def finish(self) -> str:
        """What may be shown of the rest, once the model has ended."""
        rest = [*self.sentences.feed(visible(self.thoughts.finish())), *self.sentences.finish()]
        # Of a text that broke off, half a sentence would be read as one.
        is_broken = self.error is not None and self.shown
        shown = self.take(unit for unit in rest if not (is_broken and is_torn(unit)))
        fence = self.sentences.open_fence if self.shown else ""
        closing = f"{'' if self.text.endswith(chr(10)) else chr(10)}{fence}" if fence else ""
        self.text += closing
        return shown + closing


def generate(
    model: AnswerModel,
    prompt: Prompt,
    draft: Draft,
    *,
    judge_of: Callable[[], Judge],
    max_tokens: int,
    deadline: float,
    stops: Sequence[str] = (),
) -> Iterator[str]:
    """Yield the answer's text piece by piece and fill `draft`; an empty text means that no answer can be used.

    A call is repeated once, if nothing was shown yet: after an answer of which the sources say nothing, and after an
    overload or a quota whose delay, as the provider named it, fits into the deadline. Each has a judge of its own.
    It is ended where the text holds one of `stops`: who asked cuts it there.
    """
    for number in range(1, MOST_ATTEMPTS + 1):
        attempt = _Attempt(judge_of, max_tokens * CHARACTERS_A_TOKEN, stops)
        yield from _call(model, prompt, attempt, max_tokens=max_tokens, deadline=deadline)
        _count(draft, prompt, attempt)
        if attempt.error is not None:
            _log_failure(model, attempt.error, number)
        if attempt.shown:
            draft.text, draft.used = attempt.text, tuple(attempt.judge.used)
            draft.notices += attempt.judge.notices()
            _note_ending(draft, attempt.error, model.provider)
            return
        if attempt.error is None and attempt.says_not_covered:
            draft.not_covered = True
            return
        wait_s = _wait(attempt.error, deadline)
        if number == MOST_ATTEMPTS or wait_s is None:
            reason = _reason(attempt.error, model.provider)
            draft.degraded.append(f"{reason}{INSTEAD}")
            draft.notices.append(f"{reason[0].upper()}{reason[1:]}{FOLLOWS}.")
            return
        time.sleep(wait_s)


def _call(
    model: AnswerModel, prompt: Prompt, attempt: _Attempt, *, max_tokens: int, deadline: float
) -> Iterator[str]:
    pieces = within(
        deadline, model.stream(prompt.system, prompt.turns, max_tokens=max_tokens, deadline=deadline)
    )
    try:
        for piece in pieces:
            if isinstance(piece, Spent):
                attempt.spent = piece
            elif shown := attempt.feed(piece):
                yield shown
                if attempt.has_stopped:
                    break
    except AnswerModelError as error:
        attempt.error = error
    finally:
        pieces.close()
    if shown := attempt.finish():
        yield shown


def _count(draft: Draft, prompt: Prompt, attempt: _Attempt) -> None:
    before = draft.usage
    spent = attempt.spent or Spent(estimate_tokens(prompt.text), estimate_tokens(attempt.said))
    draft.usage = Usage(
        before.prompt_tokens + spent.prompt_tokens,
        before.answer_tokens + spent.answer_tokens,
        before.attempts + 1,
        before.dropped_citations + attempt.judge.dropped,
        before.failures + (attempt.error is not None),
    )


def _wait(error: AnswerModelError | None, deadline: float) -> float | None:
    """Seconds until a retry makes sense; None where it does not. A quota without a delay is used up."""
    wait_s: float | None = 0.0
    if isinstance(error, QuotaExceeded):
        wait_s = error.retry_after_s
    elif isinstance(error, ModelUnavailable):
        wait_s = FIRST_WAIT_S if error.retry_after_s is None else error.retry_after_s
    elif error is not None:
        return None
    left_s = deadline - time.monotonic() - LEAST_TIME_S
    return wait_s if wait_s is not None and wait_s <= min(left_s, MOST_WAIT_S) else None


def without_quotes(told: Iterable[str]) -> tuple[str, ...]:
    """What was told of a model that gave no answer, where nothing can be quoted either."""
    return tuple(one.replace(INSTEAD, "").replace(FOLLOWS, "") for one in told)


def _log_failure(model: AnswerModel, error: AnswerModelError, attempt: int) -> None:
    """For the operator, with the provider's own words; adapters leave the key out of them."""
    fields = {
        "provider": model.provider,
        "model": model.name,
        "error": type(error).__name__,
        "provider_status": error.provider_status,
        "message": str(error),
        "attempt": attempt,
    }
    _LOG.warning("answer model failed", extra={"fields": fields})


def _reason(error: AnswerModelError | None, provider: str) -> str:
    """What a user may know: the kind of failure with provider and status, not the provider's words."""
    if error is None:
        return "answer model said nothing that the sources say"
    reasons = {
        QuotaExceeded: "answer model's quota is used up",
        ModelTooSlow: "answer model took longer than its time",
        ModelUnavailable: "answer model unavailable",
        ModelRefused: "answer model's filter blocked the answer",
        ModelMisconfigured: "answer model is not set up right",
        AnswerCut: "answer model reached its length limit before it cited a source",
    }
    kind = next((text for kind, text in reasons.items() if isinstance(error, kind)), "answer model failed")
    return f"{kind} ({', '.join(map(str, filter(None, (provider, error.provider_status))))})"


def _note_ending(draft: Draft, error: AnswerModelError | None, provider: str) -> None:
    if error is None:
        return
    if isinstance(error, AnswerCut):
        draft.notices.append("The answer was cut at its length limit.")
        return
    if isinstance(error, ModelRefused):
        draft.notices.append("The answer model's filter ended this answer early.")
    elif isinstance(error, ModelTooSlow):
        draft.notices.append("The answer model took longer than its time; this answer is incomplete.")
    else:
        draft.notices.append("The connection to the answer model broke; this answer is incomplete.")
    draft.degraded.append(f"{_reason(error, provider)}: the answer is incomplete")
