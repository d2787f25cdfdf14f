"""From evidence to a probability that a hit is right, which means the same across questions.

A logistic model over a few facts that do not depend on what else was found. Source: Platt, "Probabilistic outputs for
support vector machines", 1999. How far its log odds are lowered is measured when a collection is built, and lies in
its manifest.

`quire.answering.abstention` is a second model, of another event: that the collection answers the question at all. Its
evidence is of all hits, their passages and the topic, and its answer is one a question; this one is asked for each
hit, many times in a search that reads no passage. That model takes this one's score as one of its facts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEATURES = ("cosine", "coverage", "named", "known", "familiar", "clear")
"""Facts of a hit, see `quire.search.candidates.gather_evidence`."""
UNLIKELY, UNRELATED = 0.4, 95
"""Of 100 questions that are asked of every collection, `UNRELATED` find nothing that is likelier than `UNLIKELY` to be
right. Chosen with the scale of the weights on all of 20 collections but one, and reported on that one: expected
calibration error over 609 questions with an answer .074, beside everyday and near ones .023 (.214 and .040 with slope
and offset fitted to headings, which find their own sections too easily)."""


class Calibration(NamedTuple):
    """Coefficients of the logistic model, in the order of `FEATURES`, and its intercept."""

    weights: tuple[float, ...] = (3.6, 3.24, 2.25, 4.14, 2.25, 5.4)
    intercept: float = -9.18

    def logits(self, evidence: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log odds of shape (n,) for evidence of shape (n, len(FEATURES))."""
        result: NDArray[np.float64] = evidence @ np.asarray(self.weights) + self.intercept
        return result

    def lowered(self, unrelated: NDArray[np.float64]) -> Calibration:
        """The model by which the best hits of unrelated questions, whose log odds these are, are unlikely to be right.

        The order of chunks stays. A model that says so already, and one of which nothing is asked, stays as it is.
        """
        if not len(unrelated):
            return self
        excess = float(np.percentile(unrelated, UNRELATED)) - float(np.log(UNLIKELY / (1 - UNLIKELY)))
        return self._replace(intercept=round(self.intercept - max(excess, 0.0), 6))

    def probabilities(self, evidence: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities of shape (n,) for evidence of shape (n, len(FEATURES))."""
        logits = self.logits(evidence)
        return 1.0 / (1.0 + np.exp(-np.clip(logits, -30.0, 30.0)))

    def as_json(self) -> dict[str, object]:
        """What the manifest holds."""
        return {"features": list(FEATURES), "weights": list(self.weights), "intercept": self.intercept}


DEFAULT = Calibration()


def read_calibration(value: Mapping[str, object] | None) -> Calibration:
    """The calibration of a manifest; the default where it has none or one of other features or weights.

    Builds once stretched the weights: a score of theirs means something else than what answering weighs.
    """
    if not value or (value.get("features"), value.get("weights")) != (list(FEATURES), list(DEFAULT.weights)):
        return DEFAULT
    intercept = value["intercept"]
    assert isinstance(intercept, float | int)
    return DEFAULT._replace(intercept=float(intercept))
