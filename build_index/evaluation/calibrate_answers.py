"""Measures when a collection had better not answer: on everyday questions, on its own, and on its golden ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from build_index.evaluation.calibrate import BACKGROUND, own_questions
from build_index.evaluation.golden import GoldenQuestion
from quire.answering.abstention import (
    Abstention,
    Evidence,
    Topic,
    begin,
    calibrate,
    confidence,
    measure_topic,
)
from quire.answering.findings import AskedCollection, find
from quire.answering.request import Inquiry
from quire.errors import InputError
from quire.index.opened import OpenedIndex
from quire.ports import Embedder

REFUSED = "off_topic"
OWN_QUESTIONS = 100
EVERYDAY = 70
"""So many questions of the background are of everyday life; the others, about software, some collections do answer."""


def calibrate_answers(
    index: OpenedIndex, embedder: Embedder, golden: Sequence[GoldenQuestion] = ()
) -> Abstention:
    """The collection's topic and threshold with its false-answer and false-refusal rates.

    The topic parts the questions that the collection asks itself from those of everyday life, and the threshold begins
    above the latter; golden questions move it on. Without them the rate of false answers is that on everyday questions.
    Questions that are vague or in another language say nothing here: they are answered by rules of their own.
    """
    shelf = AskedCollection(index, embedder, title="")
    lines, own = list(_background()), list(own_questions(index, OWN_QUESTIONS))
    topic = measure_topic(embedder.embed(own), embedder.embed(lines))
    everyday = list(_evidence(shelf, topic, [GoldenQuestion(line, line, REFUSED, ()) for line in lines]))
    start = begin([confidence(evidence) for evidence, _ in everyday], topic)
    asked = [one for one in golden if one.answerable or one.kind == REFUSED]
    return calibrate(list(_evidence(shelf, topic, asked)) or everyday, start)


def _evidence(
    shelf: AskedCollection, topic: Topic | None, questions: Sequence[GoldenQuestion]
) -> Iterator[tuple[Evidence, bool]]:
    """Evidence for each question that finds something, and whether the collection answers it."""
    for question in questions:
        inquiry = Inquiry(question.query, selected_text=question.selected_text, filters=question.filters)
        try:
            findings = find(shelf, inquiry, question.query)
        except InputError:
            continue  # a question whose filter this collection does not know says nothing of its answers
        row = findings.found.row
        place = topic.place(row) if topic and row is not None else None
        if findings.found.hits:
            yield replace(findings.evidence, topic=place), question.answerable


def _background() -> Iterator[str]:
    return islice(filter(str.strip, BACKGROUND.read_text(encoding="utf-8").splitlines()), EVERYDAY)
