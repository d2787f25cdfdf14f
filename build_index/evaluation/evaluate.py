"""Asks a collection its golden questions and reports how well they were answered, by kind, with intervals."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from build_index.evaluation.golden import GoldenQuestion, matches
from build_index.evaluation.metrics import (
    MEASURES,
    QuestionOutcome,
    bootstrap_interval,
    separation,
    summarize,
)
from quire.search.retrieval import Query, Retrieved

DEPTH = 10
Ask = Callable[[Query], Retrieved]


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """One golden question with what came back.

    `outcome` is None for a question that has no answer; `top_score` is 0.0 without hits.
    """

    question: GoldenQuestion
    outcome: QuestionOutcome | None
    top_score: float
    found: tuple[str, ...]
    took_ms: float


def ask_golden(ask: Ask, questions: Sequence[GoldenQuestion]) -> list[AskedQuestion]:
    """Ask every question for ten hits."""
    return [_ask_one(ask, question) for question in questions]


def _ask_one(ask: Ask, question: GoldenQuestion) -> AskedQuestion:
    started = time.perf_counter()
    hits = ask(Query(question.text, top_k=DEPTH, filters=question.filters)).hits
    took_ms = (time.perf_counter() - started) * 1000
    listed = [hit.chunk.metadata for hit in hits]
    return AskedQuestion(
        question,
        _outcome(question, listed) if question.answerable else None,
        hits[0].score if hits else 0.0,
        tuple(hit.chunk.id for hit in hits),
        took_ms,
    )


def _outcome(question: GoldenQuestion, listed: Sequence[Mapping[str, Any]]) -> QuestionOutcome:
    ranks = [
        next(
            (rank for rank, metadata in enumerate(listed, 1) if any(matches(metadata, one) for one in place)),
            None,
        )
        for place in question.places
    ]
    found = [rank for rank in ranks if rank]
    return QuestionOutcome(min(found, default=None), len(found) / min(len(question.places), DEPTH))


def report(asked: Sequence[AskedQuestion]) -> dict[str, Any]:
    """Figures over all answerable questions and by kind, as a JSON value.

    `off_topic_auc` is how often an answerable question's best score beats an off-topic one's.
    """
    answered = [(one, one.outcome) for one in asked if one.outcome is not None]
    kinds: dict[str, list[QuestionOutcome]] = {}
    for one, outcome in answered:
        kinds.setdefault(one.question.kind, []).append(outcome)
    outcomes = [outcome for _, outcome in answered]
    intervals = {
        name: bootstrap_interval([measure(outcome) for outcome in outcomes])
        for name, measure in MEASURES.items()
    }
    return {
        "all": summarize(outcomes),
        "intervals": intervals,
        "by_kind": {kind: summarize(listed) for kind, listed in sorted(kinds.items())},
        "off_topic_auc": separation(
            [one.top_score for one, _ in answered],
            [one.top_score for one in asked if one.question.kind == "off_topic"],
        ),
        "missed": [one.question.id for one, outcome in answered if not outcome.hit(5)],
        "ms_p50": sorted(one.took_ms for one in asked)[len(asked) // 2] if asked else 0.0,
    }


def table(figures: Mapping[str, Any]) -> str:
    """The report as aligned text, a row a kind."""
    names = list(MEASURES)
    rows = [("all", figures["all"]), *figures["by_kind"].items()]
    lines = [f"{'kind':<14}{'n':>5}" + "".join(f"{name:>11}" for name in names)]
    lines += [
        f"{kind:<14}{row['n']:>5}" + "".join(f"{row[name]:>11.3f}" for name in names) for kind, row in rows
    ]
    spans = figures["intervals"]
    lines.append(f"{'95 % interval':<19}" + "".join(f"{spans[n][0]:>6.2f}-{spans[n][1]:.2f}" for n in names))
    auc = figures["off_topic_auc"]
    lines.append(f"off-topic AUC: {'no off-topic questions' if auc is None else f'{auc:.4f}'}")
    lines.append(f"missed at 5 ({len(figures['missed'])}): {' '.join(figures['missed'])}")
    return "\n".join(lines)
