"""Measures when a collection had better not answer: on everyday questions, on its own, and on its golden ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from build_index.evaluation.calibrate import BACKGROUND, own_questions
from build_index.evaluation.golden import GoldenQuestion
from quire.answering.abstention import Abstention, Evidence, begin, calibrate
from quire.answering.findings import AskedCollection, Findings, find
from quire.answering.request import Inquiry
from quire.errors import InputError
from quire.index.opened import OpenedIndex
from quire.ports import Embedder
from quire.search.retrieval import Query, retrieve

REFUSED = "off_topic"
OWN_QUESTIONS = 40
EVERYDAY = 70
"""So many questions of the background are of everyday life; the others, about software, some collections do answer."""


def calibrate_answers(
    index: OpenedIndex, embedder: Embedder, golden: Sequence[GoldenQuestion] = ()
) -> Abstention:
    """The collection's threshold and floor with its false-answer and false-refusal rates.

    Both begin where questions of everyday life part from those that the collection asks itself; golden questions move
    the threshold on. Without them the rate of false answers is that on everyday questions. Questions that are vague or
    in another language say nothing here: they are answered by rules of their own.
    """
    shelf = AskedCollection(index, embedder, title="")
    everyday = [find(shelf, Inquiry(line), line) for line in _background()]
    own = [
        retrieve(index, embedder, Query(text, top_k=1)).hits for text in own_questions(index, OWN_QUESTIONS)
    ]
    start = begin([(one.confidence, one.score) for one in everyday], [hits[0].score for hits in own if hits])
    asked = [one for one in golden if one.answerable or one.kind == REFUSED]
    examples = list(_golden(shelf, asked)) or [(one.evidence, False) for one in everyday if _found(one)]
    return calibrate(examples, start)


def _found(findings: Findings) -> bool:
    return bool(findings.found.hits)


def _golden(shelf: AskedCollection, questions: Sequence[GoldenQuestion]) -> Iterator[tuple[Evidence, bool]]:
    for question in questions:
        inquiry = Inquiry(question.query, selected_text=question.selected_text, filters=question.filters)
        try:
            yield find(shelf, inquiry, question.query).evidence, question.answerable
        except InputError:
            continue  # a question whose filter this collection does not know says nothing of its answers


def _background() -> Iterator[str]:
    return islice(filter(str.strip, BACKGROUND.read_text(encoding="utf-8").splitlines()), EVERYDAY)
