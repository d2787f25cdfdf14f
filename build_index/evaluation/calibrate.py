"""Fits a collection on itself: what its scores mean across questions, and from which evidence on it had better answer.

What a score means is measured by `background_questions.txt`, on everything under the sun: their best hits are hardly
right. Whether to answer is measured by those of everyday life, the headings and gists of the collection's own chunks,
and golden questions where it has them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar

import numpy as np

from build_index.evaluation.golden import GoldenQuestion
from quire.answering.abstention import (
    Abstention,
    Evidence,
    Topic,
    begin,
    confidence,
    fit_threshold,
    measure_topic,
)
from quire.answering.findings import AskedCollection, find
from quire.answering.request import Inquiry
from quire.documents import NOTHING, Chunk
from quire.errors import InputError
from quire.index.opened import OpenedIndex
from quire.ports import Embedder
from quire.search.calibration import DEFAULT, Calibration
from quire.search.candidates import Ranked
from quire.search.retrieval import Query, rank_question, weigh_top_hit

OWN_QUESTIONS = 100
SHORTEST_WORDS = 3
REFUSED = "off_topic"
EVERYDAY = 70
"""So many questions of the background are of everyday life; the others, about software, some collections do answer."""


@cache
def background_questions() -> tuple[str, ...]:
    """Questions that are asked of every collection, those of everyday life first."""
    path = Path(__file__).with_name("background_questions.txt")
    return tuple(filter(str.strip, path.read_text(encoding="utf-8").splitlines()))


A = TypeVar("A")
R = TypeVar("R")

Background: TypeAlias = Mapping[str, Ranked]
"""What each question of the background finds in a collection. Both calibrations below ask them: in a small collection
they are most of what a build does."""


class Spread(Protocol):
    """How questions are divided among processes."""

    def __call__(self, work: Callable[[Sequence[A]], list[R]], items: Sequence[A], /) -> list[R]:
        """What `work` gives for the items, in order."""


def in_one(work: Callable[[Sequence[A]], list[R]], items: Sequence[A]) -> list[R]:
    """All by this process."""
    return work(items)


def rank_background(index: OpenedIndex, embedder: Embedder, spread: Spread = in_one) -> Background:
    """Ask the collection every question of the background."""

    def rank(lines: Sequence[str]) -> list[Ranked]:
        return [rank_question(index, embedder, Query(line)) for line in lines]

    lines = background_questions()
    return dict(zip(lines, spread(rank, lines), strict=True))


def calibrate(background: Background) -> Calibration:
    """The default model, lowered where what the background finds would seem likely."""
    tops = [weigh_top_hit(ranked, DEFAULT) for ranked in background.values()]
    return DEFAULT.lowered(np.array([top for top in tops if top is not None], np.float64))


def own_questions(index: OpenedIndex, count: int) -> dict[str, str]:
    """Gists of a sample of chunks, as questions, to their documents: those of the lowest ids, as good as drawn.

    An edit changes few of them, so that scores do not move and a rebuild knows most of the questions' vectors.
    """
    ids = np.concatenate([segment.ids.by_ordinal() for segment in index.segments])
    sample = np.argsort(ids)[: 3 * count]
    gists = ((_gist(chunk), chunk.document_id) for chunk in index.fetch(sample.tolist()))
    return dict(islice(((gist, of) for gist, of in gists if len(gist.split()) >= SHORTEST_WORDS), count))


def _gist(chunk: Chunk) -> str:
    """What the chunk is about, without its own name where it has one, and without what a model asked about it."""
    headline = chunk.headline.partition("\n")[0]
    gist = headline.partition(": ")[2] or headline or chunk.breadcrumb
    return " ".join(gist.split()[:20])


def calibrate_answers(
    index: OpenedIndex,
    embedder: Embedder,
    background: Background,
    golden: Sequence[GoldenQuestion] = (),
    *,
    spread: Spread = in_one,
) -> Abstention:
    """The collection's topic and threshold with its false-answer and false-refusal rates.

    The topic parts the questions that the collection asks itself from those of everyday life, and the threshold begins
    above the latter; golden questions move it on. Without them the rate of false answers is that on everyday questions.
    Questions that are vague or in another language say nothing here: they are answered by rules of their own.
    """
    asked_collection = AskedCollection(index, embedder, title="")
    lines, own = background_questions()[:EVERYDAY], list(own_questions(index, OWN_QUESTIONS))
    topic = measure_topic(embedder.embed(own), embedder.embed(lines))
    unanswered = [GoldenQuestion(line, line, REFUSED, ()) for line in lines]
    judge = partial(_judged, asked_collection, topic)
    everyday = spread(partial(judge, ranked=background), unanswered)
    start = begin([confidence(evidence) for evidence, _ in everyday], topic)
    asked = [one for one in golden if one.answerable or one.kind == REFUSED]
    return fit_threshold(spread(judge, asked) or everyday, start)


def _judged(
    asked_collection: AskedCollection,
    topic: Topic | None,
    questions: Sequence[GoldenQuestion],
    ranked: Background = NOTHING,
) -> list[tuple[Evidence, bool]]:
    """Evidence for each question that finds something, and whether the collection answers it."""
    judged = []
    for question in questions:
        inquiry = Inquiry(question.query, selected_text=question.selected_text, filters=question.filters)
        try:
            findings = find(asked_collection, inquiry, question.query, ranked=ranked.get(question.query))
        except InputError:
            continue  # a question whose filter this collection does not know says nothing of its answers
        row = findings.found.row
        place = topic.place(row) if topic and row is not None else None
        if findings.found.hits:
            judged.append((replace(findings.evidence, topic=place), question.answerable))
    return judged
