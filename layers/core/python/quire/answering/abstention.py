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
    """Answers are given from `threshold` on.

    Attributes:
        threshold: of the probability that `confidence` gives.
        false_answers: share of unanswerable golden questions that were answered; None where there were none.
        false_refusals: share of answerable golden questions that were refused; None likewise.
        examples: golden questions that this was measured on.
    """

    threshold: float
    false_answers: float | None = None
    false_refusals: float | None = None
    examples: int = 0

    def as_json(self) -> dict[str, Any]:
        """What the manifest holds."""
        return {
            "threshold": self.threshold,
            "false_answers": self.false_answers,
            "false_refusals": self.false_refusals,
            "examples": self.examples,
        }


DEFAULT = Abstention(0.21)
BOUNDS = (0.14, 0.45)
"""What a collection's own questions may move the threshold to: sets are small and must not argue it away."""
REFUSAL_COST = 3.0
"""A false refusal weighs as much as three false answers: a quote with its source can be judged by its reader, what was
withheld cannot."""
INERTIA = 6.0
"""Pull of the default, in examples for each unit of log odds: five questions more or less must not move much."""

# Fitted by logistic regression on golden questions of two collections, questions of four other fields asked to them,
# and 700 questions of SQuAD 2.0; each collection judged by the others' fit alone refuses as the public bars ask.
_WITH_VECTORS = (-3.05, 3.01, 2.33, 1.12, 0.0, -0.19, -1.4, -2.08)
_WORDS_ALONE = (-1.36, 0.0, 0.0, 2.85, -1.11, -1.3, -1.05, 0.0)


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


def calibrate(examples: Sequence[tuple[Evidence, bool]]) -> Abstention:
    """The threshold that serves a collection's golden questions best, with how often it errs on them.

    `examples` are evidence and whether the collection answers. With one kind alone the default threshold is measured.
    A threshold's worth is what it answers and refuses rightly, less its distance from the default; of equally good
    ones the nearest wins.
    """
    yes = np.array([confidence(evidence) for evidence, answers in examples if answers])
    no = np.array([confidence(evidence) for evidence, answers in examples if not answers])
    threshold = DEFAULT.threshold
    if len(yes) and len(no):
        tried = np.linspace(*BOUNDS, 63)
        pull = INERTIA / len(examples) * np.abs(_log_odds(tried) - _log_odds(DEFAULT.threshold))
        worth = [REFUSAL_COST * (yes >= one).mean() + (no < one).mean() for one in tried] - pull
        best = [float(one) for one, value in zip(tried, worth, strict=True) if value > worth.max() - 1e-9]
        threshold = round(min((abs(one - DEFAULT.threshold), one) for one in best)[1], 4)
    return Abstention(threshold, _share(no >= threshold), _share(yes < threshold), len(examples))


def _log_odds(probability: float | NDArray[np.float64]) -> NDArray[np.float64]:
    return np.log(probability / (1.0 - np.asarray(probability)))


def read_abstention(value: Mapping[str, Any] | None) -> Abstention:
    """The calibration of a manifest; the default where it has none."""
    if not value or not isinstance(value.get("threshold"), int | float):
        return DEFAULT
    return Abstention(
        float(value["threshold"]),
        value.get("false_answers"),
        value.get("false_refusals"),
        int(value.get("examples") or 0),
    )


def _share(errs: np.ndarray) -> float | None:
    return round(float(errs.mean()), 4) if len(errs) else None
