"""The publish gate: golden questions asked of the served and of the built version, paired, and one decision.

The test is one of non-inferiority: the built version must show that it does not answer worse than the served one by
more than a margin. Differences of reciprocal ranks are paired by question; the bound is the 5th percentile of their
mean over seeded resamples (bootstrap, Efron and Tibshirani 1993, chapter 13). Each side of the search is asked alone
too, with a wider margin: good keywords may not hide broken vectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from build_index.evaluation.evaluate import AskedQuestion, ask_golden
from build_index.evaluation.golden import GoldenQuestion
from quire.documents import Chunk
from quire.index.opened import OpenedIndex
from quire.ports import Embedder
from quire.search.retrieval import Query, Retrieved, retrieve

MARGIN = 0.05
"""Loss of mean reciprocal rank that is still called equal: one answer in twenty from first to lost."""

MARGINS = {"hybrid": 1.0, "vector": 2.0, "keyword": 2.0}
"""How many margins each way of searching may lose."""

ENOUGH = 60
"""From so many questions one lost answer alone cannot refuse a version: 3 / 60 is the margin."""

RESAMPLES = 10_000
SEED = 20_261_121
SHOWN = 5


@dataclass(frozen=True, slots=True)
class Side:
    """A version to be asked; without an embedder it is asked by keywords alone."""

    index: OpenedIndex
    embedder: Embedder | None


@dataclass(frozen=True, slots=True)
class GateComparison:
    """Mean reciprocal ranks of one way of searching, and what their paired differences prove."""

    served: float
    built: float
    lower: float
    margin: float
    questions: int

    @property
    def difference(self) -> float:
        """Built minus served."""
        return self.built - self.served

    @property
    def is_inferior(self) -> bool:
        """Not shown to be within the margin; of a small set only a mean beyond the margin is held against it."""
        if self.questions < ENOUGH:
            return self.difference <= -self.margin
        return self.lower <= -self.margin


@dataclass(frozen=True, slots=True)
class Change:
    """A question whose first right hit moved, with both rankings; a rank is None beyond the tenth."""

    question: str
    query: str
    served_rank: int | None
    built_rank: int | None
    served: tuple[str, ...]
    built: tuple[str, ...]

    @property
    def gain(self) -> float:
        """Gained reciprocal rank; negative where it got worse."""
        return _reciprocal(self.built_rank) - _reciprocal(self.served_rank)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the gate found. `changes` are of the first of `comparisons`, worst first."""

    comparisons: Mapping[str, GateComparison]
    changes: tuple[Change, ...]
    questions: int
    remarks: tuple[str, ...] = ()

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the built version is inferior; empty where it is not."""
        return tuple(_reason(mode, one) for mode, one in self.comparisons.items() if one.is_inferior)


@dataclass(frozen=True, slots=True)
class Answers:
    """What a version answered to each answerable question, by the way of searching."""

    side: Side
    by_mode: Mapping[str, Sequence[AskedQuestion]]


def ask(side: Side, questions: Sequence[GoldenQuestion]) -> Answers:
    """Ask a version every answerable question in every way that it can be asked."""
    answerable = [question for question in questions if question.answerable]
    modes = MARGINS if side.embedder else ("keyword",)
    return Answers(side, {mode: _ask(side, answerable, mode) for mode in modes} if answerable else {})


def _ask(side: Side, questions: Sequence[GoldenQuestion], mode: str) -> list[AskedQuestion]:
    def search(query: Query) -> Retrieved:
        return retrieve(side.index, side.embedder, query._replace(mode=mode))

    return ask_golden(search, questions)


def judge(served: Answers, built: Answers, *, margin: float = MARGIN) -> Judgement:
    """Compare what two versions answered to the same questions, question by question.

    Where the served version's model is gone, only its keyword search can be compared.
    """
    modes = [mode for mode in built.by_mode if mode in served.by_mode]
    if not modes:
        return Judgement({}, (), 0, ("no golden questions: nothing was compared",))
    comparisons = {
        mode: _compare(served.by_mode[mode], built.by_mode[mode], margin * MARGINS[mode]) for mode in modes
    }
    questions = len(built.by_mode[modes[0]])
    remarks = _remarks(questions, served)
    if not any(one.served for one in comparisons.values()):
        remarks += ("no question finds its place in the served version: are they of another collection?",)
    return Judgement(comparisons, _changes(served, built, modes[0]), questions, remarks)


def _compare(
    before: Sequence[AskedQuestion], after: Sequence[AskedQuestion], margin: float
) -> GateComparison:
    old = np.array([_reciprocal(_rank(one)) for one in before])
    new = np.array([_reciprocal(_rank(one)) for one in after])
    lower = lower_bound(new - old)
    return GateComparison(float(old.mean()), float(new.mean()), lower, margin, len(old))


def lower_bound(differences: Sequence[float] | np.ndarray) -> float:
    """One-sided 95 % bootstrap bound of the mean; seeded, so that it decides alike every time.

    >>> lower_bound([0.0] * 10)
    0.0
    """
    # Reciprocal ranks differ by few values: drawing how often each comes is drawing the questions.
    values, counts = np.unique(np.asarray(differences, np.float64), return_counts=True)
    total = int(counts.sum())
    drawn = np.random.default_rng(SEED).multinomial(total, counts / total, RESAMPLES)
    return float(np.percentile(drawn @ values / total, 5.0))


def unseen_loss(questions: int) -> float:
    """Share of all questions that may have lost their answer though none of so many did (95 %, exact binomial).

    >>> round(unseen_loss(20), 2), round(unseen_loss(200), 3)
    (0.14, 0.015)
    """
    return float(1.0 - 0.05 ** (1.0 / questions))


def _remarks(questions: int, served: Answers) -> tuple[str, ...]:
    remarks = [
        f"{questions} questions: up to {unseen_loss(questions):.1%} of what users ask may lose its answer unseen"
    ]
    if questions < ENOUGH:
        remarks.append(
            f"fewer than {ENOUGH} questions prove little: only a mean beyond the margin was held against it"
        )
    if served.side.embedder is None:
        remarks.append("the served version's model could not be opened: keyword search alone was compared")
    return tuple(remarks)


def _changes(served: Answers, built: Answers, mode: str) -> tuple[Change, ...]:
    moved = [
        Change(
            old.question.id,
            old.question.text,
            _rank(old),
            _rank(new),
            _labels(served.side.index, old.found),
            _labels(built.side.index, new.found),
        )
        for old, new in zip(served.by_mode[mode], built.by_mode[mode], strict=True)
        if _rank(old) != _rank(new)
    ]
    return tuple(sorted(moved, key=lambda one: (one.gain, one.question)))


def _labels(index: OpenedIndex, ids: Sequence[str]) -> tuple[str, ...]:
    ordinals = [index.find(one) for one in ids[:SHOWN]]
    return tuple(_label(chunk) for chunk in index.fetch([one for one in ordinals if one is not None]))


def _label(chunk: Chunk) -> str:
    place = str(chunk.metadata.get("path") or chunk.document_id)
    return f"{place}: {chunk.breadcrumb}" if chunk.breadcrumb else place


def _rank(one: AskedQuestion) -> int | None:
    return one.outcome.first if one.outcome else None


def _reciprocal(rank: int | None) -> float:
    return 1.0 / rank if rank else 0.0


def _reason(mode: str, one: GateComparison) -> str:
    what = "answers" if mode == "hybrid" else f"{mode} search alone"
    bound = f"lower bound {one.lower:+.3f}, " if one.questions >= ENOUGH else ""
    figures = f"mrr@10 {one.served:.3f} -> {one.built:.3f} ({one.difference:+.3f}; {bound}allowed {-one.margin:+.3f})"
    return f"{what}: {figures}"
