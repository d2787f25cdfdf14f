"""Whether the collection covers a question: evidence, a probability, and what was measured of the collection.

A large collection holds every word of everyday life somewhere. So a build also measures which way its own questions lie
from those of everyday life as the embedding model places them, and how far along that way a question is counts as
evidence, as does the score that the search itself gives its first hit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire.analysis.language import small_terms
from quire.analysis.terms import analyze
from quire.answering.extractive.scoring import EMBEDDED_CHARACTERS, Scored
from quire.answering.extractive.weighing import FEW_CHUNKS, Lexicon, Weighed, weigh
from quire.documents import Hit
from quire.ports import Embedder, Vectors

READ_HITS = READ_PASSAGES = 3


class News(NamedTuple):
    """What speaks for an answer to what a follow-up asks anew.

    Attributes:
        cosine: of its own words with the nearest of the first passages.
        joined: the most that one of the first hits holds of the new terms and of what they follow: the product of both
            shares, 0 to 1.
    """

    cosine: float
    joined: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for and against an answer in the collection.

    Attributes:
        cosine: of the best hit; None where vectors took no part.
        passage_cosine: of the best passage; None likewise.
        coverage: share of the question's term weight that one of the first hits holds; in a small collection words
            that it does not have weigh less, see `FEW_CHUNKS`.
        unknown: share of the weight that is on terms which no chunk of the collection holds.
        name_unknown: a name in the question that no chunk holds.
        name_missing: a name in the question that none of the first hits holds.
        strange: a word that neither the collection holds nor the language at large, see `strange_words`.
        topic: how near the question is to what the collection is about, see `Topic`; None where that is not known.
        score: of the first hit that is evidence, as the search calibrates it.
        alone: how much of what the best of the first hits holds of the question lies in one term, 0 to 1; 0 for a
            question of one term. What shares a single word with a question shares it by chance: "bow", "button".
            Less where a small collection does not have the others, see `FEW_CHUNKS`. 1 for a question in another
            language of which none of the first hits holds a word.
        lent: how much nearer the best passage is to the question for its common words, as the product's name is one:
            "stock price of Pump" is near to all that is said of Pump. 0 where it has none, of a follow-up, and in a
            collection of fewer than `FEW_CHUNKS`, where any word may be common.
        news: of a follow-up, what speaks for its own words; None for a question that stands by itself.
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
    alone: float = 0.0
    lent: float = 0.0
    news: News | None = None


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

    def may_cover(self, confidence: float) -> bool:
        """Whether what is refused at this confidence may stand in the collection in other words."""
        return confidence >= CLOSE * self.threshold

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


EVIDENCE = 6
"""Number of the weights below; a threshold that was measured with others says nothing of these, but that of
`HIGHER`, under which strange words counted less: what it refused of everyday life is refused now."""
HIGHER, ALIKE = 5, 4
"""The numbers before it; under both the topic was measured as it is now."""
UNSURE = 0.35
CLOSE = 0.15
"""Of 41 questions that eleven collections answer and that were refused (seven of the collections, with 28 of the
questions, took no part in any constant) 36 lie above this share of the threshold, of 1,100 everyday ones 19."""
BOUNDS = (0.35, 0.75)
"""What a collection's own questions may move the threshold to: sets are small and must not argue it away."""
UNMEASURED = 0.45
"""The threshold of a collection whose topic is known and whose everyday questions were asked with other evidence."""
DEFAULT = Abstention(0.3)
"""Of a collection that no build has measured: its topic is not known, its scores are not lowered."""
REFUSAL_COST = 3.0
"""A false refusal weighs as much as three false answers: a quote with its source can be judged by its reader, what was
withheld cannot."""
INERTIA = 6.0
"""Pull of the default, in examples for each unit of log odds: five questions more or less must not move much."""
REFUSED_EVERYDAY = 98
"""Of 100 questions of everyday life that a build asks so many lie below the collection's threshold, within `BOUNDS`."""
EVERYDAY_LEVEL, EVERYDAY_SHARE = 0.705, 0.15
"""Log odds of the threshold where those of everyday questions are 0 on average, and how much it follows them. A large
collection finds something near for any question, be it by chance: its threshold is higher. Over 27 collections .919 of
answerable questions are answered, .798 of near and .9996 of everyday ones refused (.917, .799 and .998 by .45 for all);
over the largest .95, .82 and 1.0 (.96, .80 and .97). The level was .67 then; .035 are what strange words have taken
from everyday questions since they count for more, so thresholds are what they were."""
FEWEST_QUESTIONS, LEAST_SPREAD = 8, 1e-3
TOPIC_BOUNDS = (-2.0, 3.0)
TYPICAL_TOPIC = 2.0
"""What is taken for the topic where it is not known: a little less than most answerable questions have."""
LEAST_SCORE = 0.01
CLEAR = 0.6
"""A passage nearer to the question than this speaks for an answer by itself, where no name and no strange word speaks
against it and the question is no follow-up: "reset my password" is told under *Forgotten password*. Its weight was
chosen with this over fourteen collections (582 answerable questions: .957 to .960 answered; near ones .837 refused as
before, of everyday ones .9993 as before)."""

# Fitted by logistic regression on golden questions of thirteen collections, questions that seventeen collections ask
# themselves, the first 70 background questions, and golden questions of each collection asked of the others;
# `bench_answers` judges collections and questions that took no part. Those of the topic, the score, a single term and
# the intercept were chosen together over thirteen collections, by background questions, near and answerable ones; with
# each left out in turn, .86 of its near questions are refused (.78 with the fitted ones and no look at single terms),
# .97 of answerable ones answered (.975). That of strange words was -.86 when everyday questions were most of what it
# was fitted on; it is the least by which four sites of documentation refuse most of their near questions (.59 before,
# .75), over three others (24 near questions) .71 before, .79, all with the same answerable ones answered. That of what
# common words lend is the most by which eight collections answer what they answered: 239 of 244 questions, with 90
# of 109 near ones refused (87 before) and 63 of 112 that name the product and ask for its stock price, a mobile app or
# a certificate (34). Words alone know less.
_WITH_VECTORS = (-5.74, 6.33, 3.61, 2.24, 0.0, -1.13, -1.07, -1.86, 1.1, 0.5, -2.0, 24.0, -6.0)
_WORDS_ALONE = (0.47, 0.0, 0.0, 3.08, -2.06, -0.64, -0.68, 0.0, 0.0, 0.3, 0.0, 0.0, 0.0)

# Of a follow-up: the intercept, and weights of the log odds above, of its own words' cosine and of what is joined.
# Fitted by logistic regression on 319 follow-ups to eleven collections, of which 92 have an answer, the intercept
# raised by 1.3. `bench_follow_ups` asks them, and those of collections that took no part.
_FOLLOWING = (-4.7, 0.6, 7.4, 3.0)


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
    read = [hit_terms(hit) for hit in hits[:READ_HITS]]
    cosines = [hit.cosine for hit in hits if hit.cosine is not None]
    passages = [one.cosine for one in scored if one.cosine is not None]
    apart = [one.apart for one in scored if one.apart is not None]
    unknown = {term for term in question.idf if not lexicon.document_frequency(term)}
    held = max((whole.coverage(terms) for terms in read), default=0.0)
    excused = (1.0 - min(1.0, lexicon.chunk_count / FEW_CHUNKS)) * whole.coverage(unknown)
    by_chance = 1.0 - min(1.0, excused / (1.0 - held)) if held < 1.0 else 1.0
    names = [terms for terms in map(analyze, question.names) if terms]
    return Evidence(
        cosine=max(cosines) if cosines else None,
        passage_cosine=max(passages) if passages else None,
        coverage=min(1.0, held / (1.0 - excused)) if excused < 1.0 else 0.0,
        alone=by_chance * _share_of_one(whole, max(read, key=whole.coverage, default=set()))
        # The model was not taught other languages: to it all that is written in one script is near.
        if held or not small_terms(question.text)
        else 1.0,
        unknown=question.coverage(unknown),
        name_unknown=not all(_is_told(name, lexicon.document_frequency) for name in names),
        name_missing=not all(any(_is_told(name, terms.__contains__) for terms in read) for name in names),
        strange=strange,
        topic=topic,
        score=hits[0].score if hits else 0.0,
        lent=max(max(passages) - max(apart), 0.0) if apart and lexicon.chunk_count >= FEW_CHUNKS else 0.0,
    )


def gather_news(
    question: str,
    earlier: str,
    told: Sequence[Hit],
    scored: Sequence[Scored],
    *,
    lexicon: Lexicon,
    embedder: Embedder,
) -> News:
    """How well the first hits and passages tell of the follow-up's own words, beside what it follows.

    It is searched for together with that. Judged by all of it it always seems covered, as the old topic is: so its own
    words are looked for apart, by meaning and as terms.
    """
    whole = weigh(f"{question}\n{earlier}", lexicon)
    old = set(analyze(earlier))
    new = {term: weight for term, weight in whole.idf.items() if term not in old}
    held = {term: weight for term, weight in whole.idf.items() if term in old}
    joined = max(
        (_told(new, terms) * _told(held, terms) for terms in map(hit_terms, told[:READ_HITS])), default=0.0
    )
    passages = [one.text[:EMBEDDED_CHARACTERS] for one in scored[:READ_PASSAGES]]
    asked, *rows = embedder.embed([question, *passages])
    return News(max((float(row @ asked) for row in rows), default=0.0), joined)


def _told(weights: dict[str, float], terms: set[str]) -> float:
    """Share of the weight that the terms hold; all of it where nothing is asked for."""
    total = sum(weights.values())
    return sum(weight for term, weight in weights.items() if term in terms) / total if total else 1.0


def hit_terms(hit: Hit) -> set[str]:
    """What a hit holds, shown or searched."""
    return set(analyze(f"{hit.chunk.text} {hit.chunk.breadcrumb} {hit.chunk.aliases}"))


def _share_of_one(question: Weighed, terms: Set[str]) -> float:
    """The heaviest of the question's terms that are held, as a share of them all; 0 where it has one term alone."""
    held = [weight for term, weight in question.idf.items() if term in terms]
    return max(held) / sum(held) if held and len(question.idf) > 1 else 0.0


def _is_told(name: Sequence[str], holds: Callable[[str], object]) -> bool:
    """Whether it holds the name's terms: the name as written, or all of its parts, as in `part.Touched:Once`, where a
    reader's own variable stands before what the collection names."""
    whole, *parts = name
    return bool(holds(whole)) or (bool(parts) and all(map(holds, parts)))


def confidence(evidence: Evidence) -> float:
    """Probability that the collection answers, 0 to 1; without vectors from the words alone."""
    weights = _WORDS_ALONE if evidence.cosine is None or evidence.passage_cosine is None else _WITH_VECTORS
    is_doubted = (
        evidence.strange or evidence.name_unknown or evidence.name_missing or evidence.news is not None
    )
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
        evidence.alone,
        0.0 if is_doubted else max((evidence.passage_cosine or 0.0) - CLEAR, 0.0),
        evidence.lent,
    )
    log_odds = sum(weight * value for weight, value in zip(weights, values, strict=True))
    if evidence.news is not None:
        intercept, before, cosine, joined = _FOLLOWING
        log_odds = (
            intercept + before * log_odds + cosine * evidence.news.cosine + joined * evidence.news.joined
        )
    return 1.0 / (1.0 + math.exp(-log_odds))


def fit_threshold(examples: Sequence[tuple[Evidence, bool]], start: Abstention = DEFAULT) -> Abstention:
    """The threshold that serves a collection's golden questions best, with how often it errs on them.

    `examples` are evidence and whether the collection answers; with one kind alone the threshold of `start` is
    measured. It is left only where each half of the questions, asked for a threshold, finds one that serves the other
    half better: what a few questions prefer by chance is no gain to those that nobody asked.
    """
    yes = np.array([confidence(evidence) for evidence, answers in examples if answers])
    no = np.array([confidence(evidence) for evidence, answers in examples if not answers])
    threshold = start.threshold
    if min(len(yes), len(no)) > 1:
        halves = (yes[::2], no[::2]), (yes[1::2], no[1::2])
        gain = sum(
            _worth(*other, _best_threshold(*half, start.threshold)) - _worth(*other, start.threshold)
            for half, other in (halves, halves[::-1])
        )
        threshold = _best_threshold(yes, no, start.threshold) if gain > 0 else threshold
    return Abstention(threshold, _share(no >= threshold), _share(yes < threshold), len(examples), start.topic)


def _best_threshold(yes: NDArray[np.float64], no: NDArray[np.float64], start: float) -> float:
    """The threshold of most worth, less its distance from `start`; of equally good ones the nearest."""
    tried = np.linspace(*BOUNDS, 63)
    pull = INERTIA / (len(yes) + len(no)) * np.abs(_log_odds(tried) - _log_odds(start))
    worth = np.array([_worth(yes, no, float(one)) for one in tried]) - pull
    best = tried[worth > worth.max() - 1e-9]
    return round(float(best[np.abs(best - start).argmin()]), 4)


def _worth(yes: NDArray[np.float64], no: NDArray[np.float64], threshold: float) -> float:
    """What a threshold answers and refuses rightly, of confidences of questions with and without an answer."""
    return float(REFUSAL_COST * (yes >= threshold).mean() + (no < threshold).mean())


def begin(everyday: Sequence[float], topic: Topic | None) -> Abstention:
    """Threshold of a collection before any golden question is asked, by the confidences of everyday questions."""
    if not everyday:
        return replace(DEFAULT, topic=topic)
    level = EVERYDAY_LEVEL + EVERYDAY_SHARE * float(_log_odds(np.clip(everyday, 1e-6, 1 - 1e-6)).mean())
    reached = max(1.0 / (1.0 + math.exp(-level)), float(np.percentile(everyday, REFUSED_EVERYDAY)))
    return Abstention(round(min(max(reached, BOUNDS[0]), BOUNDS[1]), 4), topic=topic)


def _log_odds(probability: float | NDArray[np.float64]) -> NDArray[np.float64]:
    return np.log(probability / (1.0 - np.asarray(probability)))


def read_abstention(value: Mapping[str, Any] | None) -> Abstention:
    """The calibration of a manifest; the default where it has none.

    A threshold of other evidence says nothing, but what the collection is about is what it was: then the threshold is
    the one that most collections have.
    """
    known = (value or {}).get("evidence")
    if (
        not value
        or known not in (ALIKE, HIGHER, EVIDENCE)
        or not isinstance(value.get("threshold"), int | float)
    ):
        return DEFAULT
    measured = value.get("topic")
    topic = Topic(tuple(measured["weights"]), measured["offset"]) if measured else None
    if known == ALIKE:
        return Abstention(UNMEASURED, topic=topic) if topic else DEFAULT
    return Abstention(
        float(value["threshold"]),
        value.get("false_answers"),
        value.get("false_refusals"),
        int(value.get("examples") or 0),
        topic,
    )


def _share(errs: np.ndarray) -> float | None:
    return round(float(errs.mean()), 4) if len(errs) else None
