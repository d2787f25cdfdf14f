"""One short call of an answer model, for what readers never see: terms of a question, questions about a chunk."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from quire.answering.generative.context import estimate_tokens
from quire.answering.generative.thoughts import without_thoughts
from quire.documents import Turn
from quire.errors import AnswerCut, ModelTooSlow
from quire.ports import AnswerModel, Spent

T = TypeVar("T")
_END = object()


def within(deadline: float, pieces: Iterator[T]) -> Generator[T, None, None]:
    """The pieces, read in a thread of their own, until `deadline` (in `time.monotonic()` seconds).

    A provider's own timeouts are for each read, and none covers the look-up of its name. At the deadline, or when the
    consumer closes this, the thread is left behind: it ends with its current read, then closes the pieces.

    Raises:
        ModelTooSlow: the deadline passed.
    """
    reader = ThreadPoolExecutor(1, "answer model")
    try:
        while True:
            step = reader.submit(next, pieces, _END)
            try:
                piece = step.result(max(deadline - time.monotonic(), 0.0))
            except TimeoutError:
                raise ModelTooSlow("answer model: the deadline passed") from None
            if piece is _END:
                return
            yield piece  # type: ignore[misc]
    finally:
        close = getattr(pieces, "close", None)
        if close is not None:
            reader.submit(close)
        reader.shutdown(wait=False)


def complete(
    model: AnswerModel, system: str, asked: str, *, max_tokens: int, deadline: float
) -> tuple[str, Spent]:
    """What the model says, and what that took; without its last word, which may be half a word, where it was cut.

    `deadline` is in `time.monotonic()` seconds. Tokens are estimated where the provider does not count them.

    Raises:
        AnswerModelError: it failed; nothing is tried again.
    """
    said, spent = "", None
    pieces = within(
        deadline, model.stream(system, (Turn("user", asked),), max_tokens=max_tokens, deadline=deadline)
    )
    try:
        for piece in pieces:
            if isinstance(piece, Spent):
                spent = piece
            else:
                said += piece
    except AnswerCut:
        said = said.rpartition(" ")[0] or said
    finally:
        pieces.close()
    return without_thoughts(said), spent or Spent(estimate_tokens(system + asked), estimate_tokens(said))
