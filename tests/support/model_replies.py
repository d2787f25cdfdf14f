"""Forty replies of a model over four small handbooks in our own words, each sentence judged by hand.

A file opens with the handbook's title. `@ path | breadcrumb | symbol` begins a source, `? ` a question with its reply,
whose sentences follow: `+` the sources say it, `-` they do not, `=` it claims nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from quire.answering.generative.context import PromptSource
from quire.documents import Chunk
from tests.support.shelves import chunk, hit_of

FOLDER = Path(__file__).parent / "model_replies"
CHOSEN_ON = ("glasshouse",)
REPORTED_ON = ("parcelqueue", "tidepool", "orrery")


@dataclass(frozen=True)
class Reply:
    """A question with the sentences of its reply: what the sources say of each, and the sentence."""

    question: str
    sentences: list[tuple[str, str]] = field(default_factory=list)

    @property
    def text(self) -> str:
        """As the model sends it; entries of a list on lines of their own."""
        text = ""
        for _, sentence in self.sentences:
            text += ("\n" if sentence.startswith("- ") else " " if text else "") + sentence
        return text


@dataclass(frozen=True)
class Handbook:
    """Sources, and the replies over them."""

    title: str
    chunks: list[Chunk]
    replies: list[Reply]

    @property
    def sources(self) -> list[PromptSource]:
        """The chunks as a model is given them."""
        return [PromptSource(n, (hit_of(one),), one.text) for n, one in enumerate(self.chunks, 1)]


def handbook(name: str) -> Handbook:
    """One of the handbooks."""
    title, *blocks = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").removeprefix("# ").split("\n@ ")
    *bodies, last = blocks
    last, *asked = last.split("\n? ")
    chunks = []
    for number, block in enumerate([*bodies, last]):
        head, text = block.split("\n", 1)
        path, breadcrumb, *symbols = (part.strip() for part in head.split("|"))
        made = chunk(path, text, number * 10, breadcrumb=breadcrumb)
        chunks.append(made._replace(symbols=tuple(symbols)))
    replies = []
    for one in asked:
        question, *lines = one.strip().splitlines()
        replies.append(Reply(question, [(line[0], line[2:]) for line in lines]))
    return Handbook(title.strip(), chunks, replies)
