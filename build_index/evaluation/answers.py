"""Judges extracted answers on a folder in BEIR format whose questions carry answers, SQuAD 2.0's fashion.

A question's `metadata` has `doc` (the document that it was asked of), `answers` and `is_impossible`. Measured are the
token F1 of the best extracted sentence with the nearest answer, as SQuAD counts it (Rajpurkar et al., EMNLP 2016), and
how well confidence tells answerable from impossible questions (area under the ROC curve). Two baselines stand beside:
the first sentence of the best hit, with the hit's score; and the sentence of the hits that shares most terms with the
question, with the share of its terms.
"""

from __future__ import annotations

import json
import random
import re
import string
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from build_index.evaluation.beir import build_beir_index
from build_index.evaluation.metrics import bootstrap_interval, separation
from build_index.pipeline.plan import Tools
from build_index.progress import track
from quire.analysis.terms import analyze
from quire.answering.extractive.passages import sentences
from quire.answering.findings import READ_HITS, AskedCollection, Findings, find
from quire.answering.request import Inquiry
from quire.documents import Hit
from quire.errors import InputError

QUESTIONS = 1500
SEED = 11
METHODS = ("extracted", "first sentence", "term overlap")

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question with its answers as substrings of its document; none where it is impossible."""

    text: str
    answers: tuple[str, ...]

    @property
    def answerable(self) -> bool:
        """Whether the corpus holds an answer."""
        return bool(self.answers)


@dataclass(slots=True)
class AnswerTally:
    """One method's outcomes: F1 and whether the answer lies in the sentence, for answerable questions; confidences."""

    f1: list[float] = field(default_factory=list)
    held: list[float] = field(default_factory=list)
    sure: list[float] = field(default_factory=list)
    unsure: list[float] = field(default_factory=list)


def read_answered(folder: Path, limit: int = QUESTIONS) -> list[AnsweredQuestion]:
    """A seeded sample of the folder's questions, in its order; all of them where `limit` is 0.

    Raises:
        InputError: the questions are missing, or carry no answers.
    """
    path = folder / "queries.jsonl"
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; wanted a BEIR-format folder", field="dir") from None
    if not rows or "answers" not in rows[0].get("metadata", {}):
        raise InputError(f"{path}: wanted questions whose metadata has `answers`", field="dir")
    places = range(len(rows))
    if 0 < limit < len(rows):
        places = sorted(random.Random(SEED).sample(places, limit))  # type: ignore[assignment]  # noqa: S311
    return [_question(rows[place]) for place in places]


def _question(row: Mapping[str, Any]) -> AnsweredQuestion:
    facts = row["metadata"]
    return AnsweredQuestion(row["text"], () if facts.get("is_impossible") else tuple(facts["answers"]))


def judge_answers(folder: Path, tools: Tools, limit: int = QUESTIONS) -> dict[str, dict[str, float]]:
    """Figures by method: `f1`, `holds_answer`, `refusal_auc`, the interval of F1, and counts."""
    questions = read_answered(folder, limit)
    asked = AskedCollection(build_beir_index(folder, tools), tools.embedder, folder.name)
    tallies = {method: AnswerTally() for method in METHODS}
    for question in track(questions, f"{folder.name}: answering", total=len(questions)):
        findings = find(asked, Inquiry(question.text), question.text)
        for method, (sentence, confidence) in zip(METHODS, _picks(findings), strict=True):
            _count(tallies[method], question, sentence, confidence)
    return {method: _figures(tally) for method, tally in tallies.items()}


def _picks(findings: Findings) -> Iterator[tuple[str, float]]:
    """Each method's sentence and confidence, in the order of `METHODS`."""
    hits = findings.found.hits
    yield (findings.scored[0].text if findings.scored else ""), findings.confidence
    yield (_sentences(hits[0])[0] if hits else ""), (hits[0].score if hits else 0.0)
    terms = set(analyze(findings.weighed.text))
    everything = [sentence for hit in hits[:READ_HITS] for sentence in _sentences(hit)]
    best = max(everything, key=lambda sentence: len(terms & set(analyze(sentence))), default="")
    yield best, len(terms & set(analyze(best))) / max(len(terms), 1)


def _sentences(hit: Hit) -> list[str]:
    text = hit.chunk.text
    return [text[start:end] for start, end in sentences(text, 0, len(text))]


def _count(tally: AnswerTally, question: AnsweredQuestion, sentence: str, confidence: float) -> None:
    if not question.answerable:
        tally.unsure.append(confidence)
        return
    tally.sure.append(confidence)
    tally.f1.append(max(token_f1(sentence, answer) for answer in question.answers))
    tally.held.append(float(any(answer in sentence for answer in question.answers)))


def _figures(tally: AnswerTally) -> dict[str, float]:
    low, high = bootstrap_interval(tally.f1)
    return {
        "f1": _mean(tally.f1),
        "f1_low": low,
        "f1_high": high,
        "holds_answer": _mean(tally.held),
        "refusal_auc": separation(tally.sure, tally.unsure) or 0.0,
        "answerable": len(tally.sure),
        "impossible": len(tally.unsure),
    }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def token_f1(given: str, wanted: str) -> float:
    """F1 of the words two texts share, without articles, case and punctuation: SQuAD's own measure.

    >>> token_f1("In the north of France.", "France")
    0.4
    """
    left, right = _words(given), _words(wanted)
    shared = sum((Counter(left) & Counter(right)).values())
    return 2 * shared / (len(left) + len(right)) if shared else 0.0


def _words(text: str) -> list[str]:
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def table(figures: Mapping[str, Mapping[str, float]]) -> str:
    """The figures as aligned text, a row a method."""
    lines = [f"{'method':<16}{'F1':>7}{'95 % interval':>16}{'holds answer':>14}{'refusal AUC':>13}"]
    for method, row in figures.items():
        span = f"{row['f1_low']:.3f}-{row['f1_high']:.3f}"
        lines.append(
            f"{method:<16}{row['f1']:>7.3f}{span:>16}{row['holds_answer']:>14.3f}{row['refusal_auc']:>13.3f}"
        )
    first = next(iter(figures.values()))
    lines.append(f"{first['answerable']:.0f} answerable and {first['impossible']:.0f} impossible questions")
    return "\n".join(lines)


def run(folder: Path, tools: Tools, *, limit: int = QUESTIONS, as_json: bool = False) -> str:
    """What `python -m build_index answers DIR` prints."""
    figures = judge_answers(folder, tools, limit)
    return json.dumps(figures, indent=1) if as_json else table(figures)
