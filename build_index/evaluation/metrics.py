"""Retrieval metrics over ranked lists, and bootstrap intervals around their means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000
SEED = 7


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """How one question fared: rank of the first relevant hit (None: not in the list) and the share of places found."""

    first: int | None
    recall: float

    def hit(self, depth: int) -> float:
        """1.0 when a relevant hit stands among the first `depth`."""
        return float(self.first is not None and self.first <= depth)

    @property
    def reciprocal_rank(self) -> float:
        """1 / rank of the first relevant hit, 0.0 without one."""
        return 1.0 / self.first if self.first else 0.0


MEASURES: dict[str, Callable[[QuestionOutcome], float]] = {
    "hit@1": lambda outcome: outcome.hit(1),
    "hit@5": lambda outcome: outcome.hit(5),
    "hit@10": lambda outcome: outcome.hit(10),
    "mrr@10": lambda outcome: outcome.reciprocal_rank,
    "recall@10": lambda outcome: outcome.recall,
}


def summarize(outcomes: Sequence[QuestionOutcome]) -> dict[str, float]:
    """Mean of each measure, with `n`."""
    figures: dict[str, float] = {"n": len(outcomes)}
    for name, measure in MEASURES.items():
        figures[name] = float(np.mean([measure(outcome) for outcome in outcomes])) if outcomes else 0.0
    return figures


def bootstrap_interval(values: Sequence[float]) -> tuple[float, float]:
    """95 % percentile interval of the mean over resampled questions; seeded, so that it prints alike."""
    if not values:
        return 0.0, 0.0
    sample: NDArray[np.float64] = np.asarray(values, np.float64)
    picks = np.random.default_rng(SEED).integers(0, len(sample), (RESAMPLES, len(sample)))
    low, high = np.percentile(sample[picks].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


def ndcg(ranked: Sequence[str], gains: Mapping[str, int], depth: int) -> float:
    """Normalized discounted cumulative gain with linear gains, as trec_eval counts it."""
    discounts = 1.0 / np.log2(np.arange(2, depth + 2))
    found = np.array([gains.get(name, 0) for name in ranked[:depth]], np.float64)
    ideal = np.array(sorted(gains.values(), reverse=True)[:depth], np.float64)
    best = float((ideal * discounts[: len(ideal)]).sum())
    return float((found * discounts[: len(found)]).sum()) / best if best else 0.0


def separation(positives: Sequence[float], negatives: Sequence[float]) -> float | None:
    """Area under the ROC curve: how often a positive scores above a negative; None without both."""
    if not positives or not negatives:
        return None
    above = np.subtract.outer(np.asarray(positives), np.asarray(negatives))
    return float((above > 0).mean() + 0.5 * (above == 0).mean())
