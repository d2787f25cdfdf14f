"""Holds a text to what a client asked for: no more than so many tokens, and nothing from a stop sequence on."""

from __future__ import annotations

from collections.abc import Sequence

from quire.answering.generative.context import estimate_tokens

CHARACTERS_A_TOKEN = 4
STOP, LENGTH = "stop", "length"


class Bound:
    """Passes pieces of a text on until it has to end; what may be the beginning of a stop sequence is held back.

    Args:
        most_tokens: of the whole text, by the estimate that usage is counted with; None for no bound.
        stops: sequences that end the text; they are not part of it.
    """

    def __init__(self, most_tokens: int | None = None, stops: Sequence[str] = ()) -> None:
        self._room = None if most_tokens is None else most_tokens * CHARACTERS_A_TOKEN
        self._stops = tuple(stop for stop in stops if stop)
        self._held_back = max((len(stop) for stop in self._stops), default=1) - 1
        self._pending = ""
        self._has_ended = False
        self.reason = STOP
        self.text = ""

    def feed(self, piece: str) -> str:
        """What of the text may leave now."""
        if self._has_ended:
            return ""
        self._pending += piece
        places = [place for stop in self._stops if (place := self._pending.find(stop)) >= 0]
        if places:
            self._pending = self._pending[: min(places)]
            return self.end()
        return self._leave(len(self._pending) - self._held_back)

    def end(self) -> str:
        """The rest, as nothing comes after it."""
        rest = self._leave(len(self._pending))
        self._has_ended = True
        return rest

    @property
    def tokens(self) -> int:
        """About how many tokens have left."""
        return estimate_tokens(self.text)

    def _leave(self, length: int) -> str:
        piece, self._pending = self._pending[: max(length, 0)], self._pending[max(length, 0) :]
        if self._room is not None and len(self.text) + len(piece) > self._room:
            piece = piece[: self._room - len(self.text)]
            self.reason, self._has_ended, self._pending = LENGTH, True, ""
        self.text += piece
        return piece


def bounded_text(text: str, most_tokens: int | None, stops: Sequence[str]) -> Bound:
    """The whole text, bounded.

    >>> bound = bounded_text("One. Two. Three.", None, ["Three"])
    >>> bound.text, bound.reason
    ('One. Two. ', 'stop')
    """
    bound = Bound(most_tokens, stops)
    bound.feed(text)
    bound.end()
    return bound
