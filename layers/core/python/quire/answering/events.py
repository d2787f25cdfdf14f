"""The events of a streamed answer, in their order: Sources, Delta (any number), Citations, Done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from quire.answering.request import Answer
from quire.documents import Citation, Hit


@dataclass(frozen=True, slots=True)
class Sources:
    """What was found, before a word of the answer."""

    hits: tuple[Hit, ...]
    version: str


@dataclass(frozen=True, slots=True)
class Delta:
    """The next piece of the answer's text, its citation marks checked. The pieces joined are `Answer.text`."""

    text: str


@dataclass(frozen=True, slots=True)
class Citations:
    """The quotes behind the marks."""

    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """The whole answer once more; always the last event."""

    answer: Answer


Event: TypeAlias = Sources | Delta | Citations | Done
