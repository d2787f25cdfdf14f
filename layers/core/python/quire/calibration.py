"""From evidence to a probability of relevance that means the same across questions.

A logistic model over a few facts that do not depend on what else was found. Source: Platt, "Probabilistic outputs for
support vector machines", 1999; the coefficients are fitted when a collection is built and lie in its manifest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FEATURES = ("cosine", "coverage", "named", "known", "familiar")
RIDGE = 1e-4
ROUNDS = 50


@dataclass(frozen=True, slots=True)
class Calibration:
    """Coefficients of the logistic model, in the order of `FEATURES`, and its intercept."""

    weights: tuple[float, ...] = (6.6, 4.4, 2.9, 3.8, 3.2)
    intercept: float = -10.4

    def probabilities(self, evidence: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities of shape (n,) for evidence of shape (n, len(FEATURES))."""
        logits = evidence @ np.asarray(self.weights) + self.intercept
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


def fit(evidence: Sequence[Sequence[float]], relevant: Sequence[bool]) -> Calibration:
    """Fit by Newton's method with a small ridge; classes are weighed to count alike.

    Weights are kept from below 0, since more evidence never makes a chunk less relevant.

    Raises:
        ValueError: not both outcomes are there.
    """
    x = np.column_stack([np.asarray(evidence, np.float64), np.ones(len(evidence))])
    y = np.asarray(relevant, np.float64)
    if not 0 < y.sum() < len(y):
        raise ValueError("calibration: wanted relevant and irrelevant examples, found one kind")
    balance = np.where(y > 0, 0.5 / y.mean(), 0.5 / (1 - y.mean()))
    active = list(range(x.shape[1]))
    while True:
        beta = _newton(x[:, active], y, balance)
        negative = [column for column, value in zip(active[:-1], beta[:-1], strict=True) if value < 0]
        if not negative:
            break
        active = [column for column in active if column not in negative]
    full = np.zeros(x.shape[1])
    full[active] = beta
    return Calibration(tuple(round(float(value), 6) for value in full[:-1]), round(float(full[-1]), 6))


def _newton(
    x: NDArray[np.float64], y: NDArray[np.float64], balance: NDArray[np.float64]
) -> NDArray[np.float64]:
    beta = np.zeros(x.shape[1])
    ridge = np.full(x.shape[1], RIDGE * len(y))
    ridge[-1] = 1e-9
    for _ in range(ROUNDS):
        p = 1.0 / (1.0 + np.exp(-np.clip(x @ beta, -30.0, 30.0)))
        gradient = x.T @ (balance * (p - y)) + ridge * beta
        curvature = (x * (balance * p * (1 - p) + 1e-9)[:, None]).T @ x + np.diag(ridge)
        step = np.linalg.solve(curvature, gradient)
        beta -= step
        if np.abs(step).max() < 1e-8:
            break
    return beta
