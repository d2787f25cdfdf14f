"""Paraphrase questions with and without a line of terms: `python -m tests.bench.bench_terms --store DIR`.

The lines of `paraphrase_terms.jsonl` were written from each question and its collection's name alone, before any
source or right place was looked at, as an agent would write them. They took no part in choosing anything.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from build_index.evaluation.evaluate import Ask, ask_golden
from build_index.evaluation.golden import GoldenQuestion, read_golden
from build_index.evaluation.metrics import MEASURES, QuestionOutcome, bootstrap_interval, summarize
from build_index.wiring import open_question_embedder, open_store
from quire.search.retrieval import Query, Retrieved, retrieve
from tests.support.shared import shared_root
from tests.support.tree import ROOT

LINES = ROOT / "tests/bench/paraphrase_terms.jsonl"


def read_lines(path: Path = LINES) -> dict[str, dict[str, str]]:
    """Collection to question's id to its line."""
    lines: dict[str, dict[str, str]] = {}
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        lines.setdefault(row["collection"], {})[row["id"]] = row["terms"]
    return lines


def with_terms(ask: Ask, terms_of: Mapping[str, str]) -> Ask:
    """The same with the line of each question's text, where it has one."""

    def asked(query: Query) -> Retrieved:
        return ask(query._replace(terms=terms_of.get(query.text, "")))

    return asked


def main() -> None:
    """Print a row a collection, and one over all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store")
    parser.add_argument("--golden", type=Path, default=shared_root() / "golden")
    args = parser.parse_args()
    store, embedder = open_store(args.store), open_question_embedder()
    before, after = [], []
    heads = (f"{name}{mark:<1}" for mark in ("", "+") for name in MEASURES)
    print(f"{'collection':<14}{'n':>4}  " + "".join(f"{head:>11}" for head in heads))
    for name, lines in read_lines().items():
        if name not in store.collections():
            continue
        questions = [one for one in read_golden([args.golden / f"{name}.public.jsonl"]) if one.id in lines]
        ask = partial(retrieve, store.open(name), embedder)
        terms_of = {one.text: lines[one.id] for one in questions}
        plain, took = outcomes(ask, questions)
        helped, took_with = outcomes(with_terms(ask, terms_of), questions)
        print(f"{row(name, plain, helped)}   CPU {took:.1f} and {took_with:.1f} ms a question")
        before += plain
        after += helped
    print(row("all", before, after))
    gains = [float(one.hit(5)) - float(other.hit(5)) for one, other in zip(after, before, strict=True)]
    low, high = bootstrap_interval(gains)
    print(f"gain in hit@5: {sum(gains) / len(gains):+.3f} (95 % interval {low:+.3f} to {high:+.3f})")


def outcomes(ask: Ask, questions: Sequence[GoldenQuestion]) -> tuple[list[QuestionOutcome], float]:
    """What each question found, and the milliseconds of CPU that one took."""
    began = time.process_time()
    found = [one.outcome for one in ask_golden(ask, questions) if one.outcome is not None]
    return found, (time.process_time() - began) * 1000 / max(len(questions), 1)


def row(name: str, plain: Sequence[QuestionOutcome], helped: Sequence[QuestionOutcome]) -> str:
    """Figures without terms, then with them."""
    figures = [summarize(list(some)) for some in (plain, helped)]
    cells = "".join(f"{one[measure]:>11.3f}" for one in figures for measure in MEASURES)
    return f"{name:<14}{len(plain):>4}  {cells}"


if __name__ == "__main__":
    main()
