"""What stops a bad build of a real collection: `make bench BENCH=bench_gate`.

Each round spoils the served version in one way, seeded, writes it as a segment, and asks the shrink guard and the
publish gate. A defect must be refused for its own reason; edits of one file in a hundred must pass. `--store DIR` names
a store with the collection, `--collection` which, `--golden FILE` its questions, `--seeds` and `--edits` how often.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from build_index.evaluation.golden import GoldenQuestion, read_golden
from build_index.gate import gate
from build_index.gate.guards import find_shrinks, take_stock
from build_index.model.export import ensure_model
from build_index.wiring import open_model, open_store, settings
from quire.documents import Chunk
from quire.embedding.onnx import open_embedder
from quire.embedding.quantization import quantize
from quire.embedding.wordpiece import open_tokenizer
from quire.index.opened import OpenedIndex
from quire.index.reader import open_segment
from quire.index.writer import IndexRow, SegmentFacts, write_segment
from quire.ingestion.rows import index_rows
from quire.ports import Embedder, Vectors
from quire.profiles import profile_named
from tests.support.segment_rows import segment_rows
from tests.support.shared import shared_root

EDITED = 0.01
VOCABULARY = 30_522
CUT = (20, 120)
"""Characters that a truncated chunk keeps, a number between for each."""


class Kept:
    """Embeds each question and each passage once: the rounds ask the same, and change little."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._rows: dict[str, Vectors] = {}
        self._passages: dict[tuple[str, str], Vectors] = {}
        self.dimensions, self.digest = embedder.dimensions, embedder.digest

    def embed(self, texts: Sequence[str]) -> Vectors:
        for text in texts:
            if text not in self._rows:
                self._rows[text] = self._embedder.embed([text])
        return np.concatenate([self._rows[text] for text in texts])

    def embed_passages(self, passages: Sequence[tuple[str, str]]) -> Iterator[Vectors]:
        wanted = [one for one in dict.fromkeys(passages) if one not in self._passages]
        self._passages.update(zip(wanted, self._embedder.embed_passages(wanted), strict=True))
        return map(self._passages.__getitem__, passages)


class OtherVocabulary:
    """The model's tokenizer with another vocabulary: each piece has another's number, the same one each time."""

    def __init__(self, model: Path, seed: int) -> None:
        self._real = open_tokenizer(model)
        self.first, self.last = self._real.first, self._real.last
        self._order = np.random.default_rng(seed).permutation(np.arange(1_000, VOCABULARY)).tolist()

    def ids(self, text: str) -> list[int]:
        """The text's pieces under their other numbers; below 1,000 stand special tokens and single characters."""
        return [self._order[one - 1_000] if one >= 1_000 else one for one in self._real.ids(text)]


@dataclass(frozen=True)
class Bench:
    """The served version, its rows, and what it answers."""

    served: OpenedIndex
    rows: tuple[IndexRow, ...]
    embedder: Embedder
    questions: Sequence[GoldenQuestion]
    answers: gate.Answers
    model: Path
    work: Path

    def write(self, rows: Iterable[IndexRow]) -> OpenedIndex:
        """A segment of the rows as if it had been built."""
        manifest = self.served.manifests[0]
        facts = SegmentFacts(
            manifest.profile, manifest.face, manifest.filters, manifest.dimensions, manifest.model
        )
        folder = Path(tempfile.mkdtemp(dir=self.work)) / "segment"
        write_segment(folder, rows, facts._replace(calibration=manifest.calibration, extra=manifest.extra))
        return OpenedIndex([(open_segment(folder), 1)])

    def embed(self, chunks: Iterable[Chunk]) -> Iterator[IndexRow]:
        """Rows of chunks as a build makes them."""
        profile = profile_named(self.served.manifests[0].profile)
        embed = self.embedder.embed_passages
        return index_rows(chunks, profile, lambda passages: map(quantize, embed(list(passages))))


Spoil = Callable[[Bench, np.random.Generator], tuple[OpenedIndex, Embedder]]


def half(bench: Bench, rng: np.random.Generator) -> tuple[OpenedIndex, Embedder]:
    """Half of the documents are gone."""
    ids = sorted({row.chunk.document_id for row in bench.rows})
    kept = set(rng.permutation(ids)[: len(ids) // 2].tolist())
    return bench.write(row for row in bench.rows if row.chunk.document_id in kept), bench.embedder


def shuffled_vectors(bench: Bench, rng: np.random.Generator) -> tuple[OpenedIndex, Embedder]:
    """Each chunk has another's vectors."""
    order = rng.permutation(len(bench.rows))
    pairs = zip(bench.rows, order, strict=True)
    return bench.write(replace(row, vectors=bench.rows[at].vectors) for row, at in pairs), bench.embedder


def wrong_tokenizer(bench: Bench, rng: np.random.Generator) -> tuple[OpenedIndex, Embedder]:
    """Questions are cut into other tokens than the passages were, under one model's name."""
    other = OtherVocabulary(bench.model, int(rng.integers(2**31)))
    return bench.served, open_embedder(bench.model, other)


def truncated(bench: Bench, rng: np.random.Generator) -> tuple[OpenedIndex, Embedder]:
    """Each chunk holds its first words alone."""
    chunks = [row.chunk._replace(text=row.chunk.text[: int(rng.integers(*CUT))]) for row in bench.rows]
    return bench.write(bench.embed(chunks)), bench.embedder


def edited(bench: Bench, rng: np.random.Generator) -> tuple[OpenedIndex, Embedder]:
    """One document in a hundred says a little more, a little less, or the same in another order."""
    ids = sorted({row.chunk.document_id for row in bench.rows})
    chosen = set(rng.permutation(ids)[: max(1, round(EDITED * len(ids)))].tolist())
    changed = [row.chunk for row in bench.rows if row.chunk.document_id in chosen]
    fresh = {row.chunk.id: row for row in bench.embed([_edit(one, rng) for one in changed])}
    return bench.write(fresh.get(row.chunk.id, row) for row in bench.rows), bench.embedder


def _edit(chunk: Chunk, rng: np.random.Generator) -> Chunk:
    sentences = chunk.text.split(". ")
    kind = int(rng.integers(3))
    if kind == 0 and len(sentences) > 1:
        del sentences[int(rng.integers(len(sentences)))]
    elif kind == 1:
        sentences.append("This page was revised; see the notes of the latest release for what is new")
    else:
        rng.shuffle(sentences)
    return chunk._replace(text=". ".join(sentences))


DEFECTS: dict[str, tuple[Spoil, str, str]] = {
    "half of the documents removed": (half, "documents", "answers"),
    "shuffled vectors": (shuffled_vectors, "", "vector search alone"),
    "wrong tokenizer": (wrong_tokenizer, "", "vector search alone"),
    "truncated chunks": (truncated, "characters", "answers"),
}


def judge(bench: Bench, spoiled: tuple[OpenedIndex, Embedder]) -> tuple[set[str], tuple[str, ...]]:
    """What the shrink guard measured as gone, and the gate's reasons."""
    index, embedder = spoiled
    shrinks = find_shrinks(take_stock(bench.served), take_stock(index))
    built = gate.ask(gate.Side(index, embedder), bench.questions)
    return {one.measure for one in shrinks}, gate.judge(bench.answers, built).reasons


def bench_defects(bench: Bench, seeds: int) -> None:
    """How often each defect is refused, and for which reasons."""
    for name, (spoil, shrunk, reason) in DEFECTS.items():
        began, right, seen = time.perf_counter(), 0, defaultdict[str, int](int)
        for seed in range(seeds):
            with_shrinks, reasons = judge(bench, spoil(bench, np.random.default_rng(seed)))
            guarded = shrunk in with_shrinks if shrunk else not with_shrinks
            right += guarded and any(one.startswith(reason) for one in reasons)
            for one in [f"shrink guard: {one}" for one in with_shrinks] + [
                one.partition(":")[0] for one in reasons
            ]:
                seen[one] += 1
        told = ", ".join(f"{one} {count}" for one, count in sorted(seen.items()))
        seconds = (time.perf_counter() - began) / seeds
        print(
            f"{name}: refused for the right reason {right} of {seeds} (bar: all); {told}; {seconds:.1f} s each"
        )


def bench_edits(bench: Bench, rounds: int) -> None:
    """How many benign edits pass."""
    passed = 0
    for seed in range(rounds):
        shrinks, reasons = judge(bench, edited(bench, np.random.default_rng(1_000 + seed)))
        passed += not shrinks and not reasons
        for one in [*shrinks, *reasons]:
            print(f"  refused edit {seed}: {one}")
    print(f"edits of 1 % of the files: accepted {passed} of {rounds} (bar: 95 of 100)")


def open_bench(name: str, store: str | None, golden: Path, work: Path) -> Bench:
    """The served version of the collection, asked once."""
    served = open_store(store).open(name)
    model = ensure_model(settings().cache)
    embedder = Kept(open_model(model))
    questions = read_golden([golden])
    answers = gate.ask(gate.Side(served, embedder), questions)
    rows = tuple(segment_rows(served.segments[0]))
    return Bench(served, rows, embedder, questions, answers, model, work)


def main() -> None:
    """Run all rounds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store")
    parser.add_argument("--collection", default="react_native")
    parser.add_argument("--golden", type=Path)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--edits", type=int, default=100)
    args = parser.parse_args()
    golden = args.golden or shared_root() / "golden" / f"{args.collection}.public.jsonl"
    if args.collection not in open_store(args.store).collections() or not golden.exists():
        print(f"not measured: wanted collection {args.collection} in the store, and {golden.name}")
        return
    with tempfile.TemporaryDirectory() as work:
        bench = open_bench(args.collection, args.store, golden, Path(work))
        asked = sum(one.answerable for one in bench.questions)
        print(f"{args.collection}: {bench.served.chunk_count:,} chunks, {asked} questions")
        bench_defects(bench, args.seeds)
        bench_edits(bench, args.edits)


if __name__ == "__main__":
    main()
