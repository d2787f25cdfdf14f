"""A model whose call ends when whoever asked has gone: an answer that nobody reads costs time and money."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

from quire.documents import Turn
from quire.errors import AnswerModelError, AskerGone
from quire.ports import AnswerModel, Spent


def hang_up(pieces: Iterator[str | Spent] | None) -> None:
    """End the call that they come from, where it can be ended from another thread."""
    end = getattr(pieces, "hang_up", None)
    if end is not None:
        end()


class CancellableModel:
    """`AnswerModel` for one answer, which `cancel` ends from any thread."""

    def __init__(self, model: AnswerModel) -> None:
        self._model = model
        self.name = model.name
        self.provider = model.provider
        self.wants_examples = model.wants_examples
        self._guard = threading.Lock()
        self._is_cancelled = False
        self._pieces: Iterator[str | Spent] | None = None

    def cancel(self) -> None:
        """Nobody reads the answer any more."""
        with self._guard:
            self._is_cancelled = True
            pieces = self._pieces
        hang_up(pieces)

    def stream(
        self, system: str, turns: Sequence[Turn], *, max_tokens: int, deadline: float
    ) -> Iterator[str | Spent]:
        """See `quire.ports.AnswerModel`.

        Raises:
            AskerGone: `cancel` was called.
        """
        pieces = self._model.stream(system, turns, max_tokens=max_tokens, deadline=deadline)
        with self._guard:
            self._pieces = pieces
        try:
            self._demand_asker()
            for piece in pieces:
                self._demand_asker()
                yield piece
        except AnswerModelError:
            self._demand_asker()
            raise
        finally:
            with self._guard:
                self._pieces = None
            close = getattr(pieces, "close", None)
            if close is not None:
                close()

    def _demand_asker(self) -> None:
        if self._is_cancelled:
            raise AskerGone("whoever asked has gone: the answer is left unfinished")
