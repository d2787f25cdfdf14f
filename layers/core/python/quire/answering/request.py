"""What a caller asks of an answer, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from quire.answering.extractive.rendering import quoted_part
from quire.documents import Citation, Hit, Turn
from quire.filter_values import Filters
from quire.limits import (
    HISTORY_TURNS,
    QUESTION_CHARACTERS,
    SELECTION_CHARACTERS,
    TERMS_CHARACTERS,
    TURN_CHARACTERS,
)
from quire.search.retrieval import cut

EXTRACTIVE = "extractive"
"""What `model_used` says where no language model wrote the answer."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question with all that belongs to it.

    Attributes:
        question: as the user wrote it.
        selected_text: what the user had marked on the page; "" for nothing.
        history: earlier turns, oldest first, without this question.
        top_k: how many chunks are retrieved.
        max_tokens: bound of a model's answer.
        stops: texts before which the asker cuts it: a model is ended where it has written one.
        filters: as in `quire.search.retrieval.Query`.
        terms: names and words that the sources would use, as in `quire.search.retrieval.Query`.
        rewrite: whether the answer model writes terms where there are none: `off`, `gated` (where the first hit is
            unlikely to be right) or `always`.
        guidance: how a model should write, in the words of the program that asks, such as a system message; "" for
            nothing. Heeded where the rules allow. What is quoted without a model does not change.
        deadline_s: seconds for the whole call; what a model has not said by then, extraction says.
        strict: what a model says and its sources do not is left out; else it is flagged.
    """

    question: str
    selected_text: str = ""
    history: tuple[Turn, ...] = ()
    top_k: int = 8
    max_tokens: int = 700
    filters: Filters = field(default_factory=dict)
    deadline_s: float = 25.0
    guidance: str = ""
    terms: str = ""
    strict: bool = False
    rewrite: str = "off"
    stops: tuple[str, ...] = ()


def bounded(inquiry: Inquiry) -> tuple[Inquiry, tuple[str, ...]]:
    """The inquiry as far as it is read, with a sentence for what was cut of the question and the selection."""
    question, first = cut(inquiry.question, QUESTION_CHARACTERS, "question")
    selected, second = cut(inquiry.selected_text, SELECTION_CHARACTERS, "selected text")
    history = tuple(Turn(one.role, one.text[:TURN_CHARACTERS]) for one in inquiry.history[-HISTORY_TURNS:])
    guidance, third = cut(inquiry.guidance, SELECTION_CHARACTERS, "system message")
    terms, fourth = cut(" ".join(inquiry.terms.split()), TERMS_CHARACTERS, "terms")
    read = replace(
        inquiry, question=question, selected_text=selected, history=history, guidance=guidance, terms=terms
    )
    return read, first + second + third + fourth


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer cost.

    Attributes:
        prompt_tokens, answer_tokens: as the provider counted, over all attempts; estimated where it did not.
        attempts: calls of the model, 0 where none was asked.
        dropped_citations: numbers in the model's text that named no source.
        failures: calls that the model failed, or left incomplete.
    """

    prompt_tokens: int = 0
    answer_tokens: int = 0
    attempts: int = 0
    dropped_citations: int = 0
    failures: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """An answer, complete.

    Attributes:
        text: Markdown with citation marks such as `[1]`.
        answerable: False where the collection does not cover the question, or the question says too little.
        citations: one for each number in the text, ascending.
        hits: what was retrieved, best first, whether cited or not.
        notices: sentences for the user: what was cut, what could not be confirmed, what to do.
        model_used: the model's name, or `extractive`.
        degraded: what did not work as it should, in words; empty when all is well.
        usage: what it cost.
        version: the collection version that was read.
        confidence: probability that the collection answers, before anything was written; None where nothing was read.
        terms: what was searched for beside the question, so that the search can be made again; "" for nothing.
    """

    text: str
    answerable: bool
    citations: tuple[Citation, ...]
    hits: tuple[Hit, ...]
    notices: tuple[str, ...]
    model_used: str
    degraded: tuple[str, ...]
    usage: Usage
    version: str
    confidence: float | None = None
    terms: str = ""

    @property
    def notices_beside(self) -> tuple[str, ...]:
        """The notices that the text does not say itself, for whoever shows both."""
        return tuple(one for one in self.notices if one != self.text)

    def __str__(self) -> str:
        """The text, and a line for each source."""
        return "\n\n".join(filter(None, (self.text, "\n".join(self._sources()))))

    def __repr__(self) -> str:
        """A line, as an interpreter shows it; `print` shows the text."""
        kind = "Answer" if self.answerable else "Answer, which refuses,"
        return f"<{kind} of {len(self.text)} characters from {len(self.citations)} sources, version {self.version}>"

    def _repr_markdown_(self) -> str:
        """What a notebook shows: Markdown, in which each source has its line."""
        return "\n\n".join(filter(None, (self.text, "\n".join(f"- {one}" for one in self._sources()))))

    def _sources(self) -> list[str]:
        cited = [(one.n, quoted_part(one)) for one in self.citations]
        return [f"[{n}] {part.place} {part.url}".rstrip() for n, part in cited]
