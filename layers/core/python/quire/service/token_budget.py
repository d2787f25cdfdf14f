"""What callers without a key may spend of a model that somebody pays for: so many tokens of a collection a day."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from datetime import UTC, datetime

from quire.answering.generative.cancellation import hang_up
from quire.documents import Turn
from quire.errors import QuotaExceeded, StoreUnavailable
from quire.ports import AnswerModel, Spent, TokenBudget

CHARACTERS_A_TOKEN = 4
"""Of English prose, as providers say; where they count, their count takes the estimate's place."""
Complain = Callable[[str], None]


def day_of(clock_s: float) -> str:
    """The day that a budget belongs to, UTC.

    >>> day_of(1_800_000_000)
    '2027-01-15'
    """
    return datetime.fromtimestamp(clock_s, UTC).strftime("%Y-%m-%d")


class ProcessBudget:
    """`TokenBudget` of one process, for a server that shares none. Safe to share by threads."""

    def __init__(self, tokens_per_day: int, *, clock: Callable[[], float] = time.time) -> None:
        self._most = tokens_per_day
        self._clock = clock
        self._guard = threading.Lock()
        self._day = ""
        self._spent: dict[str, int] = {}

    def take(self, collection: str, tokens: int) -> str:
        """See `quire.ports.TokenBudget`."""
        with self._guard:
            if (today := day_of(self._clock())) != self._day:
                self._day, self._spent = today, {}
            spent = self._spent.get(collection, 0)
            if spent >= self._most:
                return ""
            self._spent[collection] = spent + tokens
            return today

    def settle(self, collection: str, day: str, difference: int) -> None:
        """See `quire.ports.TokenBudget`."""
        with self._guard:
            if day == self._day:  # a call that outlasted its day is no matter of the next one's
                self._spent[collection] = self._spent.get(collection, 0) + difference


class _BudgetedCall(Iterator[str | Spent]):
    """What is counted of a call, and the call itself, which can be hung up where the model's can."""

    def __init__(self, counted: Generator[str | Spent, None, None], call: Iterator[str | Spent]) -> None:
        self._counted = counted
        self._call = call

    def __next__(self) -> str | Spent:
        return next(self._counted)

    def close(self) -> None:
        """End it from the thread that reads it."""
        self._counted.close()

    def hang_up(self) -> None:
        """End it from any thread."""
        hang_up(self._call)


class BudgetedModel:
    """`AnswerModel` for callers without a key: takes each call's tokens from the collection's budget of the day.

    Whoever has a key is answered by the model itself, so an empty budget starves nobody else.

    Args:
        model: what answers.
        budget: shared by all processes that serve the collection.
        collection: whose it is.
        complain: told why the model was not asked.
    """

    def __init__(
        self, model: AnswerModel, budget: TokenBudget, collection: str, *, complain: Complain
    ) -> None:
        self._model = model
        self._budget = budget
        self._collection = collection
        self._complain = complain

    @property
    def name(self) -> str:
        """See `quire.ports.AnswerModel`."""
        return self._model.name

    @property
    def provider(self) -> str:
        """See `quire.ports.AnswerModel`."""
        return self._model.provider

    @property
    def wants_examples(self) -> bool:
        """See `quire.ports.AnswerModel`."""
        return self._model.wants_examples

    def stream(
        self, system: str, turns: Sequence[Turn], *, max_tokens: int, deadline: float
    ) -> Iterator[str | Spent]:
        """See `quire.ports.AnswerModel`.

        Raises:
            QuotaExceeded: today's tokens are used up, or nobody can say whether they are.
        """
        asked = sum(len(text) for text in (system, *(turn.text for turn in turns))) // CHARACTERS_A_TOKEN
        pieces = self._model.stream(system, turns, max_tokens=max_tokens, deadline=deadline)
        return _BudgetedCall(self._counted(pieces, asked, max_tokens), pieces)

    def _counted(
        self, pieces: Iterator[str | Spent], asked: int, max_tokens: int
    ) -> Generator[str | Spent, None, None]:
        estimate = asked + max_tokens
        day = self._take(estimate)
        spent, written = 0, 0
        try:
            for piece in pieces:
                if isinstance(piece, Spent):
                    spent = piece.prompt_tokens + piece.answer_tokens
                else:
                    written += len(piece)
                yield piece
        finally:
            self._settle(day, (spent or asked + written // CHARACTERS_A_TOKEN) - estimate)

    def _take(self, tokens: int) -> str:
        try:
            day = self._budget.take(self._collection, tokens)
        except StoreUnavailable as error:
            self._complain(str(error))
            raise QuotaExceeded("the budget of callers without a key cannot be read") from error
        if not day:
            self._complain("used up")
            raise QuotaExceeded("today's tokens for callers without a key are used up")
        return day

    def _settle(self, day: str, difference: int) -> None:
        try:
            self._budget.settle(self._collection, day, difference)
        except StoreUnavailable as error:  # the estimate stands, which is more than was spent
            self._complain(str(error))
