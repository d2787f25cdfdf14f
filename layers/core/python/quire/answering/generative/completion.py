"""One short call of an answer model, for what readers never see: terms of a question, questions about a chunk."""

from __future__ import annotations

from quire.answering.generative.context import estimate_tokens
from quire.answering.generative.deadline import within
from quire.documents import Turn
from quire.errors import AnswerCut
from quire.ports import AnswerModel, Spent


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
    return said, spent or Spent(estimate_tokens(system + asked), estimate_tokens(said))
