"""How well exact and misspelt symbols are found: `python -m tests.bench.bench_symbols COLLECTION --store DIR`.

Samples members, asks each as `Class.Member`, `Class:Member` and `member`, and counts whether the first hit defines an
equally named member; then makes one typo (swap, drop, double or change a letter) in names of five letters and more and
counts hits among the first five. Seeded, so that two runs ask the same.
"""

from __future__ import annotations

import argparse
import random
import string

from build_index.wiring import open_question_embedder, open_store
from quire.documents import Chunk
from quire.index.opened import OpenedIndex
from quire.ports import Embedder
from quire.search.retrieval import Query, retrieve

SEED = 20


def sample_members(index: OpenedIndex, count: int) -> list[Chunk]:
    """Chunks of members, seeded."""
    chunks = index.fetch(range(index.chunk_count))
    members = [c for c in chunks if c.metadata.get("member_name") and c.metadata.get("source") == "api_dump"]
    return random.Random(SEED).sample(members, min(count, len(members)))


def misspell(word: str, chance: random.Random) -> str:
    """One typo, not in the first letter."""
    at = chance.randrange(1, len(word) - 1)
    kind = chance.randrange(4)
    if kind == 0:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if kind == 1:
        return word[:at] + word[at + 1 :]
    if kind == 2:
        return word[:at] + word[at] + word[at:]
    return word[:at] + chance.choice(string.ascii_lowercase) + word[at + 1 :]


def measure_exact(index: OpenedIndex, embedder: Embedder, members: list[Chunk]) -> tuple[float, list[str]]:
    """Share of questions whose first hit is an equally named member, and those that failed."""
    failed, asked = [], 0
    for chunk in members:
        owner, member = chunk.metadata["class_name"], chunk.metadata["member_name"]
        for text in (f"{owner}.{member}", f"{owner}:{member}", f"{member}"):
            asked += 1
            hits = retrieve(index, embedder, Query(text, top_k=1)).hits
            found = hits[0].chunk.metadata if hits else {}
            equal = found.get("member_name") == member or found.get("class_name") == member
            if not equal or (text != member and found.get("class_name") != owner):
                failed.append(text)
    return 1 - len(failed) / asked, failed


def measure_typos(index: OpenedIndex, embedder: Embedder, members: list[Chunk]) -> tuple[float, list[str]]:
    """Share of misspelt members found among the first five, and those that were not."""
    chance = random.Random(SEED)
    failed, asked = [], 0
    for chunk in members:
        owner, member = str(chunk.metadata["class_name"]), str(chunk.metadata["member_name"])
        if len(member) < 5 or not member.isalnum():
            continue
        asked += 1
        wrong = misspell(member, chance)
        text = f"{owner}.{wrong}" if asked % 2 else wrong
        hits = retrieve(index, embedder, Query(text, top_k=5)).hits
        if not any(hit.chunk.metadata.get("member_name") == member for hit in hits):
            failed.append(f"{text} ({member})")
    return 1 - len(failed) / asked, failed


def main() -> None:
    """Print both figures and some failures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collection")
    parser.add_argument("--store")
    parser.add_argument("--members", type=int, default=1000)
    args = parser.parse_args()
    index, embedder = open_store(args.store).open(args.collection), open_question_embedder()
    members = sample_members(index, args.members)
    exact, failed = measure_exact(index, embedder, members)
    print(f"exact names, first hit: {exact:.4f} of {3 * len(members)}; failed: {failed[:12]}")
    typos, failed = measure_typos(index, embedder, members[: args.members // 2])
    print(f"one typo, hit@5: {typos:.4f}; failed: {failed[:25]}")


if __name__ == "__main__":
    main()
