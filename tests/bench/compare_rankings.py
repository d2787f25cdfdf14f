"""Rankings and answers of two states of the code, byte for byte: run it with each, `--against` what the first wrote.

    PYTHONPATH=layers/core/python python tests/bench/compare_rankings.py STORE --write before.jsonl
    PYTHONPATH=layers/core/python python tests/bench/compare_rankings.py STORE --against before.jsonl

It needs nothing of the tests, so that a copy of it runs with an earlier state of the code.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import warnings
from collections.abc import Iterator
from pathlib import Path

import quire
from quire.documents import Hit

FORMS = (
    "What calls {symbol}?",
    "usages of {symbol}",
    "Where is {symbol} defined?",
    "What are the side effects of {symbol}?",
    "class {symbol}",
    "Which function calls {symbol}?",
    "How do I use {symbol}?",
    "What replaces {symbol}?",
    "What is deprecated in {symbol}?",
    "What are the alternatives to {symbol}?",
    "What is {symbol} and how many of them are there?",
    "{symbol}",
    "{gist}",
    "How do I {gist}",
    "When was {gist}?",
    "Who {gist}?",
    "Why {gist}?",
    "Where {gist}?",
    "{typo}",
    "Show me an example of {typo}",
)
"""Questions of every intent, of a symbol or of what a chunk is about; `typo` lacks a letter."""


def questions(store: Path, name: str, count: int, golden: Path | None) -> Iterator[str]:
    """The golden questions, then so many made of the collection's own chunks; the same ones every time."""
    for file in sorted(golden.glob(f"{name}*.jsonl")) if golden else ():
        for line in file.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)["query"]
    pointer = json.loads((store / f"collections/{name}/current.json").read_text(encoding="utf-8"))
    folder = store / f"collections/{name}/segments/{pointer['segments'][0]['digest']}/payloads"
    lines = [line for shard in sorted(folder.iterdir()) for line in shard.read_text("utf-8").splitlines()]
    drawn = random.Random(name)
    for number in range(count):
        chunk = json.loads(drawn.choice(lines))
        symbol = (chunk.get("symbols") or [chunk["text"].split()[0]])[0]
        gist = " ".join((chunk.get("headline") or chunk.get("breadcrumb") or chunk["text"]).split()[:12])
        place = drawn.randrange(1, max(len(gist) - 1, 2))
        yield FORMS[number % len(FORMS)].format(
            symbol=symbol, gist=gist, typo=gist[:place] + gist[place + 1 :]
        )


def told(hits: tuple[Hit, ...]) -> list[object]:
    """All that a ranking says."""
    return [[hit.chunk.id, hit.rank, hit.score, hit.cosine] for hit in hits]


def judged(index: quire.Index, question: str, *, answers: bool) -> str:
    """Digest of the ranking, and of the answer with its citations where it is asked for."""
    said: list[object] = [told(index.search(question, top_k=10))]
    if answers:
        given = index.ask(question)
        said += [given.text, repr(given.citations), given.confidence, given.notices]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def main() -> int:
    """Write what each question gets, or print those that get something else than before."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("--collections", nargs="+", default=["celery", "react_native", "roblox", "textbook"])
    parser.add_argument("--golden", type=Path, help="a folder of NAME*.jsonl with `query`")
    parser.add_argument("--count", type=int, default=900, help="questions made of each collection")
    parser.add_argument(
        "--answer-every", type=int, default=10, help="of so many questions one is answered, too"
    )
    parser.add_argument("--write", type=Path)
    parser.add_argument("--against", type=Path)
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    found = {}
    for name in chosen.collections:
        index = quire.open(chosen.store, name)
        for number, question in enumerate(questions(chosen.store, name, chosen.count, chosen.golden)):
            is_answered = number % chosen.answer_every == 0
            found[f"{name} {number} {question}"] = judged(index, question, answers=is_answered)
    if chosen.write:
        chosen.write.write_text(json.dumps(found), encoding="utf-8")
        return 0
    before = json.loads(chosen.against.read_text(encoding="utf-8"))
    differ = [asked for asked in {**before, **found} if before.get(asked) != found.get(asked)]
    print("\n".join([f"{len(differ)} of {len(found)} questions differ", *differ[:40]]))
    return bool(differ)


if __name__ == "__main__":
    raise SystemExit(main())
