"""From evidence to a probability of relevance that means the same across questions.

A logistic model over a few facts that do not depend on what else was found. Source: Platt, "Probabilistic outputs for
support vector machines", 1999; the coefficients are fitted when a collection is built and lie in its manifest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEATURES = ("cosine", "coverage", "named", "known", "familiar", "clear")
RIDGE = 1e-4
ROUNDS = 50
SLOPES = (0.25, 4.0)


class Calibration(NamedTuple):
    """Coefficients of the logistic model, in the order of `FEATURES`, and its intercept."""

    weights: tuple[float, ...] = (4.0, 3.6, 2.5, 4.6, 2.5, 6.0)
    intercept: float = -10.2

    def logits(self, evidence: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log odds of shape (n,) for evidence of shape (n, len(FEATURES))."""
        result: NDArray[np.float64] = evidence @ np.asarray(self.weights) + self.intercept
        return result

    def rescaled(self, slope: float, offset: float) -> Calibration:
        """The model whose log odds are `slope` times these plus `offset`; the order of chunks stays."""
        weights = tuple(round(slope * weight, 6) for weight in self.weights)
        return Calibration(weights, round(slope * self.intercept + offset, 6))

    def probabilities(self, evidence: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities of shape (n,) for evidence of shape (n, len(FEATURES))."""
        logits = self.logits(evidence)
        return 1.0 / (1.0 + np.exp(-np.clip(logits, -30.0, 30.0)))

    def as_json(self) -> dict[str, object]:
        """What the manifest holds."""
        return {"features": list(FEATURES), "weights": list(self.weights), "intercept": self.intercept}


DEFAULT = Calibration()


def read_calibration(value: Mapping[str, object] | None) -> Calibration:
    """The calibration of a manifest; the default where it has none or one of other features."""
    if not value or value.get("features") != list(FEATURES):
        return DEFAULT
    weights, intercept = value["weights"], value["intercept"]
    assert isinstance(weights, list)
    assert isinstance(intercept, float | int)
    return Calibration(tuple(float(weight) for weight in weights), float(intercept))


def fit_scale(logits: NDArray[np.float64], relevant: NDArray[np.bool_]) -> tuple[float, float]:
    """Slope and offset that make `sigmoid(slope * logit + offset)` the likeliest, both outcomes weighed alike.

    The slope is kept within 0.25..4, so that few or easy examples cannot turn scores into yes and no.

    Raises:
        ValueError: not both outcomes are there.
    """
    share = float(relevant.mean()) if len(relevant) else 0.0
    if not 0 < share < 1:
        raise ValueError("calibration: wanted relevant and irrelevant examples, found one kind")
    balance = np.where(relevant, 0.5 / share, 0.5 / (1 - share))
    slope = offset = 0.0
    for _ in range(ROUNDS):
        slope, offset = _newton_step(logits, relevant, balance, (slope, offset))
    slope = float(np.clip(slope, *SLOPES))
    for _ in range(ROUNDS):
        _, offset = _newton_step(logits, relevant, balance, (slope, offset), fixed_slope=True)
    return slope, offset


def _newton_step(
    logits: NDArray[np.float64],
    relevant: NDArray[np.bool_],
    balance: NDArray[np.float64],
    at: tuple[float, float],
    *,
    fixed_slope: bool = False,
) -> tuple[float, float]:
    slope, offset = at
    p = 1.0 / (1.0 + np.exp(-np.clip(slope * logits + offset, -30.0, 30.0)))
    error, spread = balance * (p - relevant), balance * p * (1 - p) + 1e-9
    if fixed_slope:
        return slope, float(offset - error.sum() / spread.sum())
    x = np.column_stack([logits, np.ones(len(logits))])
    ridge = np.array([RIDGE * len(logits), 1e-9])
    gradient = x.T @ error + ridge * np.array([slope, offset])
    step = np.linalg.solve((x * spread[:, None]).T @ x + np.diag(ridge), gradient)
    return float(slope - np.clip(step[0], -1, 1)), float(offset - np.clip(step[1], -5, 5))
