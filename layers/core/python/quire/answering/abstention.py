"""Whether the collection covers a question: evidence, a probability, and a threshold measured per collection."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.analysis.terms import analyze
from quire.answering.extractive.scoring import Scored
from quire.answering.extractive.weighing import Lexicon, Weighed
from quire.documents import Hit

READ_HITS = 3


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for and against an answer in the collection.

    Attributes:
        cosine: of the best hit; None where vectors took no part.
        passage_cosine: of the best passage; None likewise.
        coverage: share of the question's term weight that one of the first hits holds.
        unknown: share of the weight that is on terms which no chunk of the collection holds.
        name_unknown: a name in the question that no chunk holds.
        name_missing: a name in the question that none of the first hits holds.
        strange: a word that neither the collection holds nor the language at large, see `strange_words`.
    """

    cosine: float | None
    passage_cosine: float | None
    coverage: float
    unknown: float
    name_unknown: bool
    name_missing: bool
    strange: bool = False


@dataclass(frozen=True, slots=True)
class Abstention:
    """Answers are given from `threshold` on, unless the search itself scores its first hit below `floor`.

    Attributes:
        threshold: of the probability that `confidence` gives.
        false_answers: share of unanswerable golden questions that were answered; None where there were none.
        false_refusals: share of answerable golden questions that were refused; None likewise.
        examples: questions that this was measured on.
        floor: of the first hit's score, which the search calibrates; 0 asks nothing of it.
    """

    threshold: float
    false_answers: float | None = None
    false_refusals: float | None = None
    examples: int = 0
    floor: float = 0.0

    def covers(self, confidence: float, score: float) -> bool:
        """Whether to answer at this confidence, the first hit having that score."""
        return confidence >= self.threshold and score >= self.floor

    def is_unsure(self, confidence: float) -> bool:
        """Whether an answer at this confidence had better be short, and called the closest there is."""
        return confidence < self.threshold + UNSURE * (1.0 - self.threshold)

    def as_json(self) -> dict[str, Any]:
        """What the manifest holds."""
        return {
            "evidence": EVIDENCE,
            "threshold": self.threshold,
            "floor": self.floor,
            "false_answers": self.false_answers,
            "false_refusals": self.false_refusals,
            "examples": self.examples,
        }


EVIDENCE = 2
"""Number of the weights below; a threshold that was measured with others says nothing of these."""
UNSURE = 0.2
DEFAULT = Abstention(0.4)
BOUNDS = (0.31, 0.55)
"""What a collection's own questions may move the threshold to: sets are small and must not argue it away."""
REFUSAL_COST = 3.0
"""A false refusal weighs as much as three false answers: a quote with its source can be judged by its reader, what was
withheld cannot."""
INERTIA = 6.0
"""Pull of the default, in examples for each unit of log odds: five questions more or less must not move much."""
ABOVE_EVERYDAY = 0.4
"""The threshold stands so many log odds above what 95 of 100 questions of everyday life reach in a collection."""
MOST = 0.47
OWN_SHARE = 0.02
"""The floor stays below this share of the score that 95 of 100 of a collection's own questions reach."""

# Fitted by logistic regression on golden questions of three collections, questions that five collections ask
# themselves, questions of everyday life, and questions of each collection asked to the others; `bench_answers` judges
# collections and questions that took no part. Words alone know less: their intercept is raised by .3, as a quote with
# its source can be judged by its reader.
_WITH_VECTORS = (-2.14, 1.71, 1.92, 2.37, -1.49, -0.42, -0.52, -0.9)
_WORDS_ALONE = (-0.53, 0.0, 0.0, 3.08, -2.06, -0.64, -0.68, 0.0)


def gather(
    question: Weighed,
    whole: Weighed,
    hits: Sequence[Hit],
    scored: Sequence[Scored],
    *,
    lexicon: Lexicon,
    strange: bool = False,
) -> Evidence:
    """Evidence from the hits and their scored passages.

    `question` is what the user wrote, `whole` what was searched for, selected text included: words that a reader
    marked on a page of the collection are no sign of a strange topic.
    """
    read = [
        set(analyze(f"{hit.chunk.text} {hit.chunk.breadcrumb} {hit.chunk.aliases}"))
        for hit in hits[:READ_HITS]
    ]
    cosines = [hit.cosine for hit in hits if hit.cosine is not None]
    passages = [one.cosine for one in scored if one.cosine is not None]
    unknown = {term for term in question.idf if not lexicon.document_frequency(term)}
    names = [terms[0] for terms in map(analyze, question.names) if terms]
    return Evidence(
        cosine=max(cosines) if cosines else None,
        passage_cosine=max(passages) if passages else None,
        coverage=max((whole.coverage(terms) for terms in read), default=0.0),
        unknown=question.coverage(unknown),
        name_unknown=any(not lexicon.document_frequency(name) for name in names),
        name_missing=any(all(name not in terms for terms in read) for name in names),
        strange=strange,
    )


def confidence(evidence: Evidence) -> float:
    """Probability that the collection answers, 0 to 1; without vectors from the words alone."""
    weights = _WORDS_ALONE if evidence.cosine is None or evidence.passage_cosine is None else _WITH_VECTORS
    values = (
        1.0,
        evidence.cosine or 0.0,
        evidence.passage_cosine or 0.0,
        evidence.coverage,
        evidence.unknown,
        float(evidence.name_unknown),
        float(evidence.name_missing),
        float(evidence.strange),
    )
    return 1.0 / (1.0 + math.exp(-sum(weight * value for weight, value in zip(weights, values, strict=True))))


def calibrate(examples: Sequence[tuple[Evidence, bool]], start: Abstention = DEFAULT) -> Abstention:
    """The threshold that serves a collection's golden questions best, with how often it errs on them.

    `examples` are evidence and whether the collection answers; with one kind alone the threshold of `start` is
    measured. A threshold's worth is what it answers and refuses rightly, less its distance from that of `start`; of
    equally good ones the nearest wins.
    """
    yes = np.array([confidence(evidence) for evidence, answers in examples if answers])
    no = np.array([confidence(evidence) for evidence, answers in examples if not answers])
    threshold = start.threshold
    if len(yes) and len(no):
        tried = np.linspace(*BOUNDS, 63)
        pull = INERTIA / len(examples) * np.abs(_log_odds(tried) - _log_odds(start.threshold))
        worth = [REFUSAL_COST * (yes >= one).mean() + (no < one).mean() for one in tried] - pull
        best = [float(one) for one, value in zip(tried, worth, strict=True) if value > worth.max() - 1e-9]
        threshold = round(min((abs(one - start.threshold), one) for one in best)[1], 4)
    return Abstention(threshold, _share(no >= threshold), _share(yes < threshold), len(examples), start.floor)


def begin(everyday: Sequence[tuple[float, float]], own_scores: Sequence[float]) -> Abstention:
    """Threshold and floor of a collection before any golden question is asked.

    `everyday` are confidence and first score of questions of everyday life, `own_scores` first scores of questions
    that the collection asks itself: the floor refuses what scores like nine of ten of the former, unless it would come
    near the latter.
    """
    if not everyday or not own_scores:
        return DEFAULT
    reached = float(np.percentile([sure for sure, _ in everyday], 95))
    odds = float(_log_odds(min(max(reached, 1e-6), 1 - 1e-6))) + ABOVE_EVERYDAY
    threshold = min(max(1.0 / (1.0 + math.exp(-odds)), BOUNDS[0]), MOST)
    floor = min(
        float(np.percentile([score for _, score in everyday], 90)),
        OWN_SHARE * float(np.percentile(own_scores, 5)),
    )
    return Abstention(round(threshold, 4), floor=round(floor, 6))


def _log_odds(probability: float | NDArray[np.float64]) -> NDArray[np.float64]:
    return np.log(probability / (1.0 - np.asarray(probability)))


def read_abstention(value: Mapping[str, Any] | None) -> Abstention:
    """The calibration of a manifest; the default where it has none, or one of other evidence."""
    if not value or value.get("evidence") != EVIDENCE or not isinstance(value.get("threshold"), int | float):
        return DEFAULT
    return Abstention(
        float(value["threshold"]),
        value.get("false_answers"),
        value.get("false_refusals"),
        int(value.get("examples") or 0),
        float(value.get("floor") or 0.0),
    )


def _share(errs: np.ndarray) -> float | None:
    return round(float(errs.mean()), 4) if len(errs) else None
