"""The answer model whose settings lie in a secret: read at start, and again for a question where that failed."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from functions.web.logs import log
from quire.documents import Turn
from quire.errors import AnswerModelError, ConfigError, ModelMisconfigured, ModelUnavailable, StoreUnavailable
from quire.ports import AnswerModel, Spent

RETRY_S = 10.0


class LateModel:
    """Gives the answer model, None where quotations answer. Safe to share by threads.

    While the secret cannot be read it gives one that fails, so that quotations answer and say why.

    Args:
        open_model: reads the secret and opens what it names.
    """

    def __init__(
        self, open_model: Callable[[], AnswerModel | None], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._open_model = open_model
        self._clock = clock
        self._guard = threading.Lock()
        self._model: AnswerModel | None = None
        self._due = float("-inf")

    def __call__(self) -> AnswerModel | None:
        """The model as it is known now; looks again where it is not, every `RETRY_S` at most."""
        if self._clock() < self._due:
            return self._model
        with self._guard:
            if self._clock() >= self._due:
                self._look()
        return self._model

    def _look(self) -> None:
        try:
            self._model, self._due = self._open_model(), float("inf")
        except (StoreUnavailable, ConfigError) as error:
            log("answer model unknown", logging.ERROR, message=str(error))
            # It is read again here: no answer waits for that.
            unread = ModelUnavailable("the secret cannot be read", retry_after_s=math.inf)
            is_wrong = isinstance(error, ConfigError)
            self._model = _UnknownModel(ModelMisconfigured("the secret is wrong") if is_wrong else unread)
            self._due = self._clock() + RETRY_S


class _UnknownModel:
    """`AnswerModel` in place of one whose settings are not known."""

    name = "unknown"
    provider = "unknown"
    wants_examples = False

    def __init__(self, failure: AnswerModelError) -> None:
        self._failure = failure

    def stream(
        self, system: str, turns: Sequence[Turn], *, max_tokens: int, deadline: float
    ) -> Iterator[str | Spent]:
        """See `quire.ports.AnswerModel`; always fails."""
        del system, turns, max_tokens, deadline
        raise self._failure
        yield ""  # what follows `raise` makes this an iterator, as the port wants
