"""How follow-ups are answered and refused: `make bench BENCH=bench_follow_ups`.

Each opening question of `conversations.json` is asked of its collection, then every follow-up as the second turn behind
that answer. `--store DIR`, `--conversations FILE`, `--collection NAME`, `--json`, `--verbose`.

A follow-up with a `fact` is answered by the sources, and the fact is in the answer that is right. Others are not:
`near` ones belong to the topic, `far` ones do not. What an answerer does not know is better refused, or called the
closest there is, than answered with what was said before.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from build_index.wiring import open_question_embedder, open_store
from quire.answering.answerer import CLOSEST, answer
from quire.answering.findings import AskedCollection
from quire.answering.request import Answer, Inquiry
from quire.documents import Turn
from tests.bench.bench_answers import share

HERE = Path(__file__).parent
ANSWERED, UNSURE, REFUSED = "answered", "unsure", "refused"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a follow-up.

    Attributes:
        opening, question: what was asked, one after the other.
        kind: `answerable`, or why it is not: `near` or `far`.
        result: `answered`, `unsure` where it was called the closest there is, or `refused`.
        repeats: the first quote was quoted before.
        holds: the answer holds the fact.
        confidence: as it was given.
        text: the answer.
    """

    opening: str
    question: str
    kind: str
    result: str
    repeats: bool
    holds: bool
    confidence: float | None
    text: str


def outcomes(shelf: AskedCollection, conversations: Sequence[dict[str, Any]]) -> Iterator[Outcome]:
    """Every follow-up of the conversations, asked behind its opening question alone."""
    for conversation in conversations:
        opened = answer(shelf, Inquiry(conversation["ask"]))
        history = (Turn("user", conversation["ask"]), Turn("assistant", opened.text))
        for asked in conversation["then"]:
            given = answer(shelf, Inquiry(asked["ask"], history=history))
            quoted = {(one.hit.chunk.id, one.quote) for one in opened.citations}
            first = given.citations[0] if given.citations else None
            yield Outcome(
                conversation["ask"],
                asked["ask"],
                asked.get("kind", "answerable"),
                result_of(given),
                first is not None and (first.hit.chunk.id, first.quote) in quoted,
                given.answerable and "fact" in asked and share([asked["fact"]], given.text) == 1.0,
                given.confidence,
                given.text,
            )


def result_of(given: Answer) -> str:
    """Whether a reader was answered, given the closest passages, or refused."""
    if not given.answerable:
        return REFUSED
    return UNSURE if CLOSEST in given.notices else ANSWERED


def figures(found: Sequence[Outcome]) -> dict[str, Any]:
    """By kind: how many there are, and which shares of them are answered, unsure, refused, repeated and right."""
    kinds = defaultdict(list)
    for one in found:
        kinds[one.kind].append(one)
    return {
        kind: {
            "count": len(ones),
            **{
                result: round(sum(one.result == result for one in ones) / len(ones), 3)
                for result in (ANSWERED, UNSURE, REFUSED)
            },
            "repeats": round(sum(one.repeats for one in ones) / len(ones), 3),
            "holds": round(sum(one.holds for one in ones) / len(ones), 3),
        }
        for kind, ones in sorted(kinds.items())
    }


def main() -> None:
    """Print a block a collection, or one JSON object."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store")
    parser.add_argument("--collection", action="append", default=[])
    parser.add_argument("--conversations", type=Path, default=HERE / "conversations.json")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--verbose", action="store_true", help="print every follow-up with its answer")
    args = parser.parse_args()
    store, embedder = open_store(args.store), open_question_embedder()
    conversations = json.loads(args.conversations.read_text(encoding="utf-8"))
    report = {}
    for name in args.collection or [name for name in store.collections() if name in conversations]:
        found = list(outcomes(AskedCollection(store.open(name), embedder, name), conversations[name]))
        report[name] = figures(found)
        if args.json:
            continue
        print(
            f"== {name}",
            *(f"{kind:<12}{value}" for kind, value in report[name].items()),
            sep="\n",
            flush=True,
        )
        for one in found if args.verbose else ():
            said = " ".join(one.text.split())[:300]
            marks = " ".join(["repeats"] * one.repeats + ["holds"] * one.holds)
            print(f"-- {one.kind} {one.result} {one.confidence} {marks}: {one.opening} | {one.question}")
            print(f"   {said}")
    if args.json:
        print(json.dumps(report))


if __name__ == "__main__":
    main()
