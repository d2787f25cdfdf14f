"""How well answers without a model are chosen, shown and refused: `make bench BENCH=bench_answers`.

For each collection of the store: key facts of its golden questions that the answer and its first quote hold, right
places cited, everyday and near-topic questions refused, and a checker over answers to golden and self-made questions
(see `tests/support/answer_checks.py`). `--store DIR`, `--golden DIR`, `--collection NAME`, `--checked N`, `--json`.

Key facts are the golden rows' `must_include`. Everyday questions are `everyday_questions.txt`, which nothing was fitted
on; near ones are `near_topic_questions.json` and the golden questions of kind `off_topic`; its `product` ones name the
product itself.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np

from build_index.evaluation.golden import GoldenQuestion, matches, read_golden
from build_index.wiring import open_question_embedder, open_store
from quire.answering.answerer import answer
from quire.answering.findings import AskedCollection
from quire.answering.request import Answer, Inquiry
from quire.documents import Chunk, Citation
from quire.index.opened import OpenedIndex
from quire.search.retrieval import Query, retrieve
from tests.support.answer_checks import problems
from tests.support.shared import shared_root

HERE = Path(__file__).parent
SEED = 5
CHECKED = 1_000
"""Answers that the checker reads, over all collections."""
PRODUCTS = {"react_native": "React Native", "celery": "Celery", "roblox": "Roblox"}
"""What collections of the store are about, where that has a name."""


def everyday() -> list[str]:
    """Questions of everyday life."""
    return (HERE / "everyday_questions.txt").read_text(encoding="utf-8").splitlines()


def near_topic(name: str) -> list[str]:
    """Questions of the collection's field that it does not answer."""
    known: dict[str, list[str]] = json.loads((HERE / "near_topic_questions.json").read_text(encoding="utf-8"))
    return known.get(name, [])


def about_product(name: str) -> list[str]:
    """Questions about a product by its name that its documentation has no reason to answer."""
    product = PRODUCTS.get(name)
    return [question.format(product) for question in near_topic("product")] if product else []


def made_questions(index: OpenedIndex, count: int) -> Iterator[tuple[str, Chunk]]:
    """Questions that the collection asks itself: a heading for its section, a docstring's first line for its symbol."""
    ordinals = random.Random(SEED).sample(range(index.chunk_count), min(index.chunk_count, 4 * count))
    for chunk in index.fetch(ordinals):
        question = made_question(chunk)
        if question and count:
            count -= 1
            yield question, chunk


def made_question(chunk: Chunk) -> str:
    """The chunk's heading or its docstring's first line as a question; "" where it says too little."""
    gist = chunk.headline.partition(": ")[2] or chunk.breadcrumb.rpartition(" › ")[2]
    words = re.findall(r"[\w'.-]+", gist)
    return f"What about {' '.join(words)}?" if 2 <= len(words) <= 16 else ""


def rows(file: Path) -> Mapping[str, list[str]]:
    """Query -> key facts."""
    known = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return {row["query"]: row.get("must_include") or [] for row in known}


def plain(text: str) -> str:
    """Text as key facts are compared: no case, no marks of Markdown, one blank between words."""
    return " ".join(re.sub(r"[`*\\]", "", text).casefold().split())


def share(facts: Sequence[str], text: str) -> float:
    """How many of the facts the text holds."""
    said = plain(text)
    return sum(plain(fact) in said for fact in facts) / len(facts)


def first_place(citations: Sequence[Citation]) -> str:
    """What the quotes say with which an answer opens, up to the first one of another place."""
    own = takewhile(lambda one: _finder(one) == _finder(citations[0]), citations)
    return "\n".join(one.quote for one in own)


def _finder(citation: Citation) -> tuple[str, int]:
    """The same for a quote and for what goes on before and behind it: the document, and the hit that found it."""
    return citation.hit.chunk.document_id, citation.hit.rank


def calibration_error(sure: Sequence[float], covered: Sequence[bool]) -> float:
    """Expected calibration error in ten bins: how far the confidences lie from how often the collection answers.

    >>> calibration_error([0.9, 0.9, 0.1, 0.1], [True, True, False, False])
    0.1
    """
    bins = np.minimum((np.asarray(sure) * 10).astype(int), 9)
    gaps = np.bincount(bins, np.asarray(sure) - np.asarray(covered, float), 10)
    return round(float(np.abs(gaps).sum()) / max(len(sure), 1), 4)


class Asked:
    """A collection that answers, with the CPU time that answers took, and what it was beyond their own search.

    `sure` are the answers' confidences.
    """

    def __init__(self, shelf: AskedCollection) -> None:
        self.shelf = shelf
        self.cpu_s: list[float] = []
        self.beyond_s: list[float] = []
        self.sure: list[float] = []

    def ask(self, question: str, selected: str = "", filters: Mapping[str, str] | None = None) -> Answer:
        """One question."""
        began = time.process_time()
        retrieve(self.shelf.index, self.shelf.embedder, Query(question, filters=filters or {}))
        searched = time.process_time()
        given = answer(self.shelf, Inquiry(question, selected_text=selected, filters=filters or {}))
        self.cpu_s.append(time.process_time() - searched)
        self.beyond_s.append(self.cpu_s[-1] - (searched - began))
        if given.confidence is not None:
            self.sure.append(given.confidence)
        return given


def judge(shelf: AskedCollection, name: str, file: Path | None, checked: int) -> dict[str, Any]:
    """All figures of one collection."""
    asked = Asked(shelf)
    found: Counter[str] = Counter()
    figures: dict[str, Any] = {}
    golden = read_golden([file]) if file else []
    if file:
        figures |= _golden(asked, golden, rows(file), found)
    sure = len(asked.sure)
    figures["everyday_refused"] = _mean([not asked.ask(one).answerable for one in everyday()])
    near = [one.query for one in golden if one.kind == "off_topic"] + near_topic(name)
    if near:
        figures["near_refused"] = _mean([not asked.ask(one).answerable for one in near])
    if golden:
        covered = [place < sure for place in range(len(asked.sure))]
        figures["confidence_error"] = calibration_error(asked.sure, covered)
    if named := about_product(name):
        figures["product_refused"] = _mean([not asked.ask(one).answerable for one in named])
    made = list(made_questions(shelf.index, checked))
    answers = [asked.ask(question) for question, _ in made]
    figures["made_answered"] = _mean([one.answerable for one in answers])
    figures["made_place"] = _mean(
        [
            any(cited.hit.chunk.document_id == chunk.document_id for cited in one.citations)
            for one, (_, chunk) in zip(answers, made, strict=True)
        ]
    )
    for one in answers:
        found.update(["answers", *sorted(set(problems(one)))] if one.answerable else [])
    figures["checked"] = dict(found)
    figures["cpu_ms_p50"] = float(np.median(asked.cpu_s)) * 1000
    figures["beyond_search_ms_p50"] = float(np.median(asked.beyond_s)) * 1000
    return figures


def _golden(
    asked: Asked, golden: Sequence[GoldenQuestion], facts: Mapping[str, list[str]], found: Counter[str]
) -> dict[str, Any]:
    answered, held, first, opening, cited, lengths = [], [], [], [], [], []
    kinds: dict[str, list[float]] = {}
    for question in (one for one in golden if one.answerable):
        given = asked.ask(question.query, question.selected_text, question.filters)
        answered.append(given.answerable)
        found.update(["answers", *sorted(set(problems(given)))] if given.answerable else [])
        lengths.append(len(given.text))
        cited.append(
            any(
                matches(one.hit.chunk.metadata, _without_root(target, one.hit.chunk))
                for one in given.citations
                for place in question.places
                for target in place
            )
        )
        if wanted := facts.get(question.query):
            text = given.text if given.answerable else ""
            held.append(share(wanted, text))
            kinds.setdefault(question.kind, []).append(held[-1])
            first.append(share(wanted, given.citations[0].quote) == 1.0 if given.citations else False)
            opening.append(share(wanted, first_place(given.citations)) == 1.0)
    return {
        "answered": _mean(answered),
        "right_place": _mean(cited),
        "key_facts": _mean(held),
        "all_facts": _mean([one == 1.0 for one in held]),
        "first_quote": _mean(first),
        "first_place": _mean(opening),
        "characters": float(np.median(lengths)),
        "kinds": {kind: round(_mean(values), 2) for kind, values in sorted(kinds.items())},
    }


def _without_root(target: Mapping[str, Any], chunk: Chunk) -> Mapping[str, Any]:
    """The target with its path as a collection spells it that was read from the folder, not from above it."""
    path, wanted = str(chunk.metadata.get("path")), str(target.get("path", ""))
    return {**target, "path": path} if wanted.endswith(f"/{path}") else target


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4) if values else float("nan")


def main() -> None:
    """Print a block a collection, or one JSON object."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store")
    parser.add_argument("--collection", action="append", default=[])
    parser.add_argument("--golden", type=Path, default=shared_root() / "golden")
    parser.add_argument("--checked", type=int, default=CHECKED)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    store, embedder = open_store(args.store), open_question_embedder()
    names = args.collection or store.collections()
    report = {}
    for name in names:
        file = args.golden / f"{name}.public.jsonl"
        shelf = AskedCollection(store.open(name), embedder, name)
        report[name] = judge(shelf, name, file if file.exists() else None, args.checked // len(names))
        if not args.json:
            print(
                f"== {name}",
                *(f"{key:<18}{value}" for key, value in report[name].items()),
                sep="\n",
                flush=True,
            )
    if args.json:
        print(json.dumps(report))


if __name__ == "__main__":
    main()
