"""Whether the collection covers a question: evidence, a probability, and what was measured of the collection.

A large collection holds every word of everyday life somewhere. So a build also measures which way its own questions lie
from those of everyday life as the embedding model places them, and how far along that way a question is counts as
evidence, as does the score that the search itself gives its first hit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.analysis.terms import analyze
from quire.answering.extractive.scoring import Scored
from quire.answering.extractive.weighing import Lexicon, Weighed
from quire.documents import Hit
from quire.ports import Vectors

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
        topic: how near the question is to what the collection is about, see `Topic`; None where that is not known.
        score: of the first hit that is evidence, as the search calibrates it.
    """

    cosine: float | None
    passage_cosine: float | None
    coverage: float
    unknown: float
    name_unknown: bool
    name_missing: bool
    strange: bool = False
    topic: float | None = None
    score: float = 0.5


@dataclass(frozen=True, slots=True)
class Topic:
    """The direction from questions of everyday life to those that the collection asks itself.

    Attributes:
        weights: one a dimension of the embedding model.
        offset: where questions of everyday life lie on average.
    """

    weights: tuple[float, ...]
    offset: float

    def place(self, vector: Vectors) -> float:
        """How far the question of that unit vector lies from everyday life, in standard deviations of both kinds."""
        return float(np.asarray(self.weights, np.float32) @ vector) - self.offset

    def as_json(self) -> dict[str, Any]:
        """What the manifest holds."""
        return {"weights": list(self.weights), "offset": self.offset}


def measure_topic(own: Vectors, everyday: Vectors) -> Topic | None:
    """The topic that parts the rows of `own` from those of `everyday`; None where too few are there to tell."""
    if min(len(own), len(everyday)) < FEWEST_QUESTIONS:
        return None
    way = own.mean(axis=0) - everyday.mean(axis=0)
    near, far = own @ way, everyday @ way
    spread = math.sqrt((float(near.var()) + float(far.var())) / 2)
    if spread < LEAST_SPREAD:
        return None
    weights = tuple(round(float(one), 4) for one in way / spread)
    return Topic(weights, round(float(far.mean()) / spread, 4))


@dataclass(frozen=True, slots=True)
class Abstention:
    """Answers are given from `threshold` on.

    Attributes:
        threshold: of the probability that `confidence` gives.
        false_answers: share of unanswerable golden questions that were answered; None where there were none.
        false_refusals: share of answerable golden questions that were refused; None likewise.
        examples: questions that this was measured on.
        topic: what the collection is about; None where it was not measured.
    """

    threshold: float
    false_answers: float | None = None
    false_refusals: float | None = None
    examples: int = 0
    topic: Topic | None = None

    def covers(self, confidence: float) -> bool:
        """Whether to answer at this confidence."""
        return confidence >= self.threshold

    def is_unsure(self, confidence: float) -> bool:
        """Whether an answer at this confidence had better be short, and called the closest there is."""
        return confidence < self.threshold + UNSURE * (1.0 - self.threshold)

    def as_json(self) -> dict[str, Any]:
        """What the manifest holds."""
        return {
            "evidence": EVIDENCE,
            "threshold": self.threshold,
            "topic": self.topic.as_json() if self.topic else None,
            "false_answers": self.false_answers,
            "false_refusals": self.false_refusals,
            "examples": self.examples,
        }


EVIDENCE = 3
"""Number of the weights below; a threshold that was measured with others says nothing of these."""
UNSURE = 0.35
BOUNDS = (0.23, 0.62)
"""What a collection's own questions may move the threshold to: sets are small and must not argue it away."""
DEFAULT = Abstention(0.3)
REFUSAL_COST = 3.0
"""A false refusal weighs as much as three false answers: a quote with its source can be judged by its reader, what was
withheld cannot."""
INERTIA = 6.0
"""Pull of the default, in examples for each unit of log odds: five questions more or less must not move much."""
REFUSED_EVERYDAY = 98
"""Of 100 questions of everyday life that a build asks so many lie below the collection's threshold, within `BOUNDS`."""
FEWEST_QUESTIONS, LEAST_SPREAD = 8, 1e-3
TOPIC_BOUNDS = (-2.0, 3.0)
TYPICAL_TOPIC = 2.0
"""What is taken for the topic where it is not known: a little less than most answerable questions have."""
LEAST_SCORE = 1e-6

# Fitted by logistic regression on golden questions of thirteen collections, questions that seventeen collections ask
# themselves, the first 70 background questions, and golden questions of each collection asked of the others;
# `bench_answers` judges collections and questions that took no part. Words alone know less.
_WITH_VECTORS = (-6.04, 6.33, 3.61, 2.24, 0.0, -1.13, -1.07, -0.86, 0.8, 0.26)
_WORDS_ALONE = (0.47, 0.0, 0.0, 3.08, -2.06, -0.64, -0.68, 0.0, 0.0, 0.3)


def gather(
    question: Weighed,
    whole: Weighed,
    hits: Sequence[Hit],
    scored: Sequence[Scored],
    *,
    lexicon: Lexicon,
    strange: bool = False,
    topic: float | None = None,
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
        topic=topic,
        score=hits[0].score if hits else 0.0,
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
        float(np.clip(TYPICAL_TOPIC if evidence.topic is None else evidence.topic, *TOPIC_BOUNDS)),
        float(_log_odds(min(max(evidence.score, LEAST_SCORE), 1 - LEAST_SCORE))),
    )
    return 1.0 / (1.0 + math.exp(-sum(weight * value for weight, value in zip(weights, values, strict=True))))


def fit_threshold(examples: Sequence[tuple[Evidence, bool]], start: Abstention = DEFAULT) -> Abstention:
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
    return Abstention(threshold, _share(no >= threshold), _share(yes < threshold), len(examples), start.topic)


def begin(everyday: Sequence[float], topic: Topic | None) -> Abstention:
    """Threshold of a collection before any golden question is asked, above the confidences of everyday questions."""
    if not everyday:
        return replace(DEFAULT, topic=topic)
    reached = float(np.percentile(everyday, REFUSED_EVERYDAY))
    return Abstention(round(min(max(reached, BOUNDS[0]), BOUNDS[1]), 4), topic=topic)


def _log_odds(probability: float | NDArray[np.float64]) -> NDArray[np.float64]:
    return np.log(probability / (1.0 - np.asarray(probability)))


def read_abstention(value: Mapping[str, Any] | None) -> Abstention:
    """The calibration of a manifest; the default where it has none, or one of other evidence."""
    if not value or value.get("evidence") != EVIDENCE or not isinstance(value.get("threshold"), int | float):
        return DEFAULT
    topic = value.get("topic")
    return Abstention(
        float(value["threshold"]),
        value.get("false_answers"),
        value.get("false_refusals"),
        int(value.get("examples") or 0),
        Topic(tuple(topic["weights"]), topic["offset"]) if topic else None,
    )


def _share(errs: np.ndarray) -> float | None:
    return round(float(errs.mean()), 4) if len(errs) else None
