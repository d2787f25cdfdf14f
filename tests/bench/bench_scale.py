"""How cost grows with a collection: `python -m tests.bench.bench_scale [COUNT ...] [--keep FOLDER] [--like STORE]`.

Synthetic chunks of 80 words (Zipf-Mandelbrot over 200,000 words, no stop words) with a vector of 384 dimensions
each: a row of the given store's plus half the difference of two others, so that it lies as embeddings lie; without a
store around one of 4,000 centres. Every count is written and searched in a process of its own; making the rows is not
counted. A question holds 5 to 8 words of one chunk, one of the 50 commonest words, and a vector near the chunk's own;
it is asked as a face asks it, without a forward pass. Run it with OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quire.collections import VECTOR_INDEXES
from quire.documents import Chunk
from quire.embedding import open_embedder
from quire.embedding.quantization import Quantized, cosines, quantize, restore
from quire.index.opened import OpenedIndex
from quire.index.reader import Segment, open_segment
from quire.index.writer import IndexRow, write_segment
from quire.ports import Ordinals, Vectors
from quire.ranking import Ranking
from quire.search.retrieval import Query, retrieve
from tests.support.rows import FACTS

WIDTH, WORDS, VOCABULARY, BLOCK = 384, 80, 200_000, 4096
QUESTIONS, COMMON, TRUE = 200, 50, 100
SYLLABLES = [consonant + vowel for consonant in "bcdfghjklmnp" for vowel in "aeiou"]


def known_words() -> list[str]:
    """The vocabulary, commonest first: of syllables, so that the analyzer leaves them as they are."""
    return [_word(number) for number in range(VOCABULARY)]


def _word(number: int) -> str:
    rest, last = divmod(number, len(SYLLABLES))
    return (_word(rest)[:-1] if rest else "") + SYLLABLES[last] + "k"


def real_rows(store: Path) -> NDArray[np.float32]:
    """The vectors that the collections of a store serve now."""
    found = []
    for pointer in sorted(store.glob("collections/*/current.json")):
        for one in json.loads(pointer.read_bytes())["segments"]:
            arrays = open_segment(pointer.parent / "segments" / one["digest"]).vectors
            found.append(restore(Quantized(arrays.codes, arrays.scales)))
    return np.concatenate(found)


class Centres:
    """Rows around 4,000 random centres, or around real ones.

    A real row gets half the difference of two others: noise of the same few directions as embeddings have.
    """

    def __init__(self, rng: np.random.Generator, store: Path | None) -> None:
        self._real = real_rows(store) if store else None
        self._centres = (
            rng.standard_normal((4000, WIDTH), dtype=np.float32) if self._real is None else self._real
        )

    def around(self, rng: np.random.Generator, size: int) -> Quantized:
        """So many rows."""
        rows = self._centres[rng.integers(0, len(self._centres), size)]
        if self._real is None:
            rows += np.float32(0.6) * rng.standard_normal((size, WIDTH), dtype=np.float32)
        else:
            plus, minus = (self._real[rng.integers(0, len(self._real), size)] for _ in range(2))
            rows += np.float32(0.5) * (plus - minus)
        return quantize(rows / np.linalg.norm(rows, axis=1, keepdims=True))


class Rows:
    """`count` rows, made a block at a time. Attributes: `spent_s`, `clock_s`, the CPU time and the time that making
    them took."""

    def __init__(self, count: int, store: Path | None) -> None:
        self.count = count
        self.store = store
        self.spent_s = 0.0
        self.clock_s = 0.0

    def __iter__(self) -> Iterator[IndexRow]:
        begun, clock = time.process_time(), time.perf_counter()
        for row in self._rows():
            self.spent_s += time.process_time() - begun
            self.clock_s += time.perf_counter() - clock
            yield row
            begun, clock = time.process_time(), time.perf_counter()

    def _rows(self) -> Iterator[IndexRow]:
        rng = np.random.default_rng(1)
        known = known_words()
        shares = np.cumsum(1 / np.arange(30, VOCABULARY + 30))
        centres = Centres(rng, self.store)
        for first in range(0, self.count, BLOCK):
            size = min(BLOCK, self.count - first)
            words = np.searchsorted(shares, rng.random((size, WORDS)) * shares[-1])
            vectors = centres.around(rng, size)
            ids = rng.integers(0, 1 << 63, size)
            for place in range(size):
                number = first + place
                text = [known[word] for word in words[place].tolist()]
                chunk = Chunk(
                    id=f"{int(ids[place]):016x}",
                    document_id=f"part{number // 5000}/{number // 5:07d}.md",
                    text=" ".join(text),
                    breadcrumb=f"Guide › Part {number % 997}",
                    metadata={"kind": ("guide", "reference")[number % 2], "level": number % 100},
                    symbols=(f"Class{number // 20}.member{number % 20}",),
                )
                terms = {term: float(amount) for term, amount in Counter(text).items()}
                row = Quantized(vectors.codes[place : place + 1], vectors.scales[place : place + 1])
                yield IndexRow(chunk, terms, float(WORDS), row, source="docs")


def peak_mb() -> float:
    """The most memory that this process had, mapped files included."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def resident_mb() -> tuple[float, float]:
    """Memory now: this process's own, and of mapped files."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(fields["RssAnon"].split()[0]) / 1024, int(fields["RssFile"].split()[0]) / 1024


class MostMemory:
    """The most memory of this process while a `with` block runs, looked at twice a second. Attributes: `own_mb`, what
    belongs to no file, `mapped_mb`, its share of mapped files; each at its own worst moment."""

    def __init__(self) -> None:
        self.own_mb = self.mapped_mb = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> MostMemory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(0.5):
            told = Path("/proc/self/smaps_rollup").read_text().splitlines()[1:]
            kb = {name: int(value.split()[0]) for name, value in (line.split(":", 1) for line in told)}
            self.own_mb = max(self.own_mb, (kb["Pss_Anon"] + kb["Pss_Shmem"]) / 1024)
            self.mapped_mb = max(self.mapped_mb, kb["Pss_File"] / 1024)


def write(folder: Path, options: argparse.Namespace) -> dict[str, float]:
    """Write a segment of so many chunks."""
    rows = Rows(options.counts[0], options.like)
    clock, begun = time.perf_counter(), time.process_time()
    facts = FACTS._replace(dimensions=WIDTH, filters=("kind", "level"))
    with MostMemory() as most:
        manifest = write_segment(folder, rows, facts, vector_index=options.vector_index)
    spent = time.process_time() - begun - rows.spent_s
    clock = time.perf_counter() - clock - rows.clock_s
    size = sum(facts.size for facts in manifest.files.values())
    print(manifest.digest, file=sys.stderr)
    return {
        "chunks": rows.count,
        "write_cpu_s": spent,
        "write_s": clock,
        "write_peak_mb": peak_mb(),
        "write_own_mb": most.own_mb,
        "write_mapped_mb": most.mapped_mb,
        "disk_mb": size / 1e6,
    }


class TimedIndex(OpenedIndex):
    """One that remembers the CPU seconds of its parts."""

    def __init__(self, segment: Segment) -> None:
        super().__init__([(segment, 1)])
        self.spent: dict[str, list[float]] = {"vectors": [], "keywords": []}

    def nearest(self, vector: Vectors, limit: int, allowed: Ordinals | None = None) -> Ranking:
        begun = time.process_time()
        found = super().nearest(vector, limit, allowed)
        self.spent["vectors"].append(time.process_time() - begun)
        return found

    def search(self, terms: Mapping[str, float], limit: int, allowed: Ordinals | None = None) -> Ranking:
        begun = time.process_time()
        found = super().search(terms, limit, allowed)
        self.spent["keywords"].append(time.process_time() - begun)
        return found


class GivenVector:
    """An `Embedder` that costs nothing: questions have the vector that was set."""

    digest, dimensions = FACTS.model, WIDTH
    row: NDArray[np.float32]

    def embed(self, texts: Sequence[object]) -> NDArray[np.float32]:
        """The vector, whatever is asked."""
        return self.row[None].repeat(len(texts), axis=0)

    def embed_passages(self, passages: Sequence[tuple[str, str]]) -> Iterator[NDArray[np.float32]]:
        """The vector, whatever the passages say."""
        return iter([self.embed(passages)])


def questions(segment: Segment) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Words of one chunk and a vector near its own; nothing of it is held."""
    rng, common, arrays = np.random.default_rng(7), known_words()[:COMMON], segment.vectors
    for chosen in np.sort(rng.integers(0, len(arrays), QUESTIONS)).tolist():
        text = segment.payloads.fetch([int(arrays.owners[chosen])])[0].text.split()
        words = rng.choice(text, rng.integers(5, 9), replace=False).tolist()
        row = restore(Quantized(arrays.codes[chosen : chosen + 1], arrays.scales[chosen : chosen + 1]))[0]
        row += 0.03 * rng.standard_normal(WIDTH).astype(np.float32)
        yield " ".join([*words, str(rng.choice(common))]), row / np.linalg.norm(row)


def search(folder: Path, options: argparse.Namespace) -> dict[str, float]:
    """Open the segment and ask it questions, as a face asks them."""
    asked = list(questions(open_segment(folder)))
    begun = time.process_time()
    segment = open_segment(folder)
    index, embedder = TimedIndex(segment), GivenVector()
    times = []
    for text, embedder.row in asked:
        retrieve(index, embedder, Query(text))
        times.append(time.process_time() - begun)
        begun = time.process_time()
    own, mapped = resident_mb()
    figures = {
        "open_first_ms": 1e3 * times[0],
        "p50_ms": 1e3 * float(np.percentile(times[1:], 50)),
        "p95_ms": 1e3 * float(np.percentile(times[1:], 95)),
        **{f"{name}_p50_ms": 1e3 * float(np.median(spent)) for name, spent in index.spent.items()},
        "own_mb": own,
        "mapped_mb": mapped,
    }
    figures["recall_at_10"] = recall(index, [row for _, row in asked[:TRUE]])
    if options.ask:
        rows = embedded(options.like, options.ask)
        figures["recall_at_10_of_asked"] = recall(index, rows)
        spent = []
        for embedder.row, (text, _) in zip(rows, cycle(asked), strict=False):
            begun = time.process_time()
            retrieve(index, embedder, Query(text))
            spent.append(time.process_time() - begun)
        for share in (50, 95):
            figures[f"asked_p{share}_ms"] = 1e3 * float(np.percentile(spent, share))
    return figures


def embedded(store: Path, files: Sequence[Path]) -> NDArray[np.float32]:
    """The questions of the files, `query` on each line, by the store's model."""
    embedder = open_embedder(next((store / "models").iterdir()))
    asked = [json.loads(line)["query"] for file in files for line in file.read_text("utf-8").splitlines()]
    return np.concatenate([embedder.embed([one]) for one in asked])


def recall(index: OpenedIndex, rows: Sequence[NDArray[np.float32]] | NDArray[np.float32]) -> float:
    """Share of the ten nearest chunks that are found."""
    arrays, shared = index.segments[0].vectors, 0
    for row in rows:
        true = np.argsort(-cosines(arrays.codes, arrays.scales, row))[:10]
        shared += len({*index.nearest(row, 120).ordinals[:10].tolist()} & {*arrays.owners[true].tolist()})
    return shared / (10 * len(rows))


def law(every: Sequence[Mapping[str, float]], name: str) -> float:
    """The exponent with which a figure grows from the first count to the last."""
    first, last = ([one[name], one["chunks"]] for one in (every[0], every[-1]))
    return math.log(last[0] / first[0]) / math.log(last[1] / first[1])


def show(every: Sequence[Mapping[str, float]]) -> None:
    """Print the figures as a table, each with a bar in proportion to its logarithm, and the laws of growth."""
    for name in ("write_cpu_s", "p50_ms", "p95_ms", "own_mb", "mapped_mb"):
        if len(every) < 2 or any(name not in one for one in every):
            continue
        print(f"\n{name}: n^{law(every, name):.2f}")
        least = min(one[name] for one in every)
        for one in every:
            bar = "#" * (1 + round(8 * math.log2(one[name] / least)))
            print(f"{int(one['chunks']):>9,} {one[name]:>9.1f} {bar}")


def main() -> None:
    """Print a line of JSON a count."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("counts", type=int, nargs="*", default=[10_000, 30_000, 100_000])
    options.add_argument(
        "--keep", type=Path, help="where segments lie; one that is there is not written again"
    )
    options.add_argument("--like", type=Path, help="a store whose vectors the rows are like")
    options.add_argument(
        "--ask", type=Path, nargs="+", help="questions whose recall and time are measured, with --like"
    )
    options.add_argument("--vector-index", default="auto", choices=VECTOR_INDEXES)
    options.add_argument("--step", choices=("write", "search"), help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.step:
        folder = chosen.keep / str(chosen.counts[0])
        run = write if chosen.step == "write" else search
        print(json.dumps(run(folder, chosen)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = chosen.keep or Path(name)
        every = []
        for count in chosen.counts:
            figures: dict[str, float] = {"chunks": count}
            for step in ("write", "search"):
                if step == "write" and (folder / str(count)).exists():
                    continue
                command = [
                    sys.executable,
                    "-m",
                    __spec__.name,
                    str(count),
                    "--keep",
                    str(folder),
                    "--step",
                    step,
                ]
                command += ["--vector-index", chosen.vector_index]
                command += ["--like", f"{chosen.like}"] if chosen.like else []
                command += ["--ask", *(f"{one}" for one in chosen.ask)] if chosen.ask else []
                done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
                figures |= json.loads(done.stdout)
            every.append(figures)
            print(json.dumps({name: round(value, 3) for name, value in figures.items()}), flush=True)
        show(every)


if __name__ == "__main__":
    main()
