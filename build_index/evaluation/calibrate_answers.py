"""Measures when a collection had better not answer, on its golden questions or on questions about everything else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from build_index.evaluation.calibrate import BACKGROUND
from build_index.evaluation.golden import GoldenQuestion
from quire.answering.abstention import Abstention, Evidence, calibrate
from quire.answering.findings import Shelf, find
from quire.answering.request import Inquiry
from quire.errors import InputError
from quire.index.opened import OpenedIndex
from quire.ports import Embedder

REFUSED = "off_topic"


def calibrate_answers(
    index: OpenedIndex, embedder: Embedder, golden: Sequence[GoldenQuestion] = ()
) -> Abstention:
    """The collection's threshold with its false-answer and false-refusal rates.

    Without golden questions the default threshold stays, and the rate of false answers is that on questions of other
    fields. Questions that are vague or in another language say nothing here: they are answered by rules of their own.
    """
    shelf = Shelf(index, embedder, title="")
    asked = [one for one in golden if one.answerable or one.kind == REFUSED]
    examples = list(_golden(shelf, asked)) or list(_background(shelf, BACKGROUND))
    return calibrate(examples)


def _golden(shelf: Shelf, questions: Sequence[GoldenQuestion]) -> Iterator[tuple[Evidence, bool]]:
    for question in questions:
        inquiry = Inquiry(question.query, selected_text=question.selected_text, filters=question.filters)
        try:
            yield find(shelf, inquiry, question.query).evidence, question.answerable
        except InputError:
            continue  # a question whose filter this collection does not know says nothing of its answers


def _background(shelf: Shelf, path: Path) -> Iterator[tuple[Evidence, bool]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield find(shelf, Inquiry(line), line).evidence, False
