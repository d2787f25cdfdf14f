"""What the protocol's two ways of asking share: a conversation as a question, and an answer's text as it is sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from functions.faces.openai.contract import Message
from functions.web.wire import citation_wire, place_of
from quire.answering.extractive.rendering import quoted_part
from quire.answering.generative.context import estimate_tokens
from quire.answering.request import Answer, Inquiry
from quire.documents import Turn
from quire.errors import InputError

GUIDING = ("system", "developer")
TOOLS_SAID = "A tool that the asker called said:"
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
        self.has_ended = False
        self.reason = STOP
        self.text = ""

    def feed(self, piece: str) -> str:
        """What of the text may leave now."""
        if self.has_ended:
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
        self.has_ended = True
        return rest

    @property
    def tokens(self) -> int:
        """About how many tokens have left."""
        return estimate_tokens(self.text)

    def _leave(self, length: int) -> str:
        piece, self._pending = self._pending[: max(length, 0)], self._pending[max(length, 0) :]
        if self._room is not None and len(self.text) + len(piece) > self._room:
            piece = piece[: self._room - len(self.text)]
            self.reason, self.has_ended, self._pending = LENGTH, True, ""
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


def inquiry_of(messages: Sequence[Message], most_tokens: int | None, field: str) -> Inquiry:
    """The last user message as a question, what came before as its history, what the system said as guidance.

    What tools said after it is no question and no source: a model that writes may know of it, nothing is cited for it.

    Raises:
        InputError: no user message with text stands at the end of the `field`, or one with something that is no text.
    """
    said = [(one.role, one.words().strip()) for one in messages]
    asked = max((number for number, (role, text) in enumerate(said) if role == "user" and text), default=-1)
    _refuse_unread(messages[max(asked, 0) :], field)
    if asked < 0 or said[-1][0] == "assistant":
        raise InputError(f"{field}: wanted a user message with text at the end", field=field)
    turns = [Turn(role, text) for role, text in said[:asked] if role in ("user", "assistant") and text]
    guidance = [text for role, text in said if role in GUIDING and text]
    tools = [text for role, text in said[asked:] if role in ("tool", "function") and text]
    if tools:
        guidance += [TOOLS_SAID, *tools]
    return Inquiry(
        said[asked][1],
        history=tuple(turns),
        max_tokens=most_tokens or Inquiry("").max_tokens,
        guidance="\n".join(guidance),
    )


def _refuse_unread(messages: Sequence[Message], field: str) -> None:
    """An answer to the text beside a picture would be taken for one to the picture."""
    if unread := next(filter(None, (one.unread() for one in messages if one.role == "user")), ""):
        raise InputError(
            f"{field}: found a part {unread!r}, wanted text alone, which is all that is read", field=field
        )


def ending_of(given: Answer) -> str:
    """What ends an answer: its notices, which a chat client shows nowhere else, and the list of its sources."""
    lines = []
    for citation in given.citations:
        part = quoted_part(citation)
        known = citation_wire(part, given.version)
        place = place_of(part) or part.breadcrumb
        link = f" {known['url']}" if (known["url"] or "").startswith("http") else ""
        lines.append(f"[{citation.n}] {place}{link}")
    parts = [*given.notices_beside, "Sources:\n" + "\n".join(lines) if lines else ""]
    return "".join(f"\n\n{part}" for part in parts if part)


def extras_of(given: Answer) -> dict[str, Any]:
    """The answer's citations and what Quire knows of it, which clients of the protocol ignore."""
    cited = [
        {
            **citation_wire(quoted_part(one), given.version),
            "n": one.n,
            "quote": one.quote,
            "sha256": one.sha256,
        }
        for one in given.citations
    ]
    facts = {"version": given.version, "answerable": given.answerable, "model_used": given.model_used}
    return {"citations": cited, "quire": {**facts, "notices": given.notices, "degraded": given.degraded}}


def tokens_of(messages: Sequence[Message], given: Answer, bound: Bound) -> tuple[int, int]:
    """Tokens that came and left, as the provider counted; where it did not, about four characters each."""
    asked = given.usage.prompt_tokens or sum(estimate_tokens(one.words()) for one in messages)
    return asked, given.usage.answer_tokens or bound.tokens
