"""How cost grows with a collection: `python -m tests.bench.bench_scale [COUNT ...] [--keep FOLDER]`.

Synthetic chunks of 80 words (Zipf-Mandelbrot over 200,000 words, no stop words) with a clustered vector of
384 dimensions each. Every count is written and searched in a process of its own; making the rows is not counted. A
question holds 8 words of one chunk and a vector near its own. Run it with OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from quire.documents import Chunk
from quire.embedding.quantization import Quantized, cosines, quantize, restore
from quire.index.opened import OpenedIndex
from quire.index.reader import open_segment
from quire.index.writer import IndexRow, write_segment
from tests.support.rows import FACTS

WIDTH, WORDS, VOCABULARY, BLOCK = 384, 80, 200_000, 4096
QUESTIONS, DEPTH = 200, 200


class Rows:
    """`count` rows, made a block at a time. Attributes: `spent_s`, the CPU seconds that making them took."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.spent_s = 0.0

    def __iter__(self) -> Iterator[IndexRow]:
        begun = time.process_time()
        for row in self._rows():
            self.spent_s += time.process_time() - begun
            yield row
            begun = time.process_time()

    def _rows(self) -> Iterator[IndexRow]:
        rng = np.random.default_rng(1)
        known = [f"{'bcdfghjklmnp'[n % 12]}{'aeiou'[n % 5]}{n:x}" for n in range(VOCABULARY)]
        shares = np.cumsum(1 / np.arange(30, VOCABULARY + 30))
        centres = rng.standard_normal((4000, WIDTH), dtype=np.float32)
        for first in range(0, self.count, BLOCK):
            size = min(BLOCK, self.count - first)
            words = np.searchsorted(shares, rng.random((size, WORDS)) * shares[-1])
            noise = np.float32(0.6) * rng.standard_normal((size, WIDTH), dtype=np.float32)
            rows = centres[rng.integers(0, len(centres), size)] + noise
            vectors = quantize(rows / np.linalg.norm(rows, axis=1, keepdims=True))
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


def write(folder: Path, count: int) -> dict[str, float]:
    """Write a segment of so many chunks."""
    rows = Rows(count)
    begun = time.process_time()
    manifest = write_segment(folder, rows, FACTS._replace(dimensions=WIDTH, filters=("kind", "level")))
    spent = time.process_time() - begun - rows.spent_s
    size = sum(facts.size for facts in manifest.files.values())
    print(manifest.digest, file=sys.stderr)
    return {"chunks": count, "write_cpu_s": spent, "write_peak_mb": peak_mb(), "disk_mb": size / 1e6}


def search(folder: Path) -> dict[str, float]:
    """Open the segment and ask it questions."""
    begun = time.process_time()
    segment = open_segment(folder)
    index = OpenedIndex([(segment, 1)])
    arrays = segment.vectors
    rng = np.random.default_rng(7)
    chosen = np.sort(rng.integers(0, len(arrays), QUESTIONS))
    near = restore(Quantized(arrays.codes[chosen], arrays.scales[chosen]))
    near += 0.03 * rng.standard_normal(near.shape).astype(np.float32)
    asked = near / np.linalg.norm(near, axis=1, keepdims=True)
    setting = time.process_time() - begun
    times, parts = [], {"vectors": [], "keywords": []}  # type: ignore[var-annotated]
    found: list[set[int]] = []
    first = 0.0
    for number, question in enumerate(asked):
        text = segment.payloads.fetch([int(arrays.owners[chosen[number]])])[0].text.split()
        terms = dict.fromkeys(rng.choice(text, 8, replace=False).tolist(), 1.0)
        begun = time.process_time()
        nearest = index.nearest(question, DEPTH)
        middle = time.process_time()
        words = index.search(terms, DEPTH)
        parts["vectors"].append(middle - begun)
        parts["keywords"].append(time.process_time() - middle)
        index.fetch(np.concatenate([nearest.ordinals[:5], words.ordinals[:5]]))
        times.append(time.process_time() - begun)
        found.append({*nearest.ordinals[:10].tolist()})
        first = first or setting + times[0]
    own, mapped = resident_mb()
    figures = {
        "open_first_ms": 1e3 * first,
        "p50_ms": 1e3 * float(np.percentile(times[1:], 50)),
        "p95_ms": 1e3 * float(np.percentile(times[1:], 95)),
        **{f"{name}_p50_ms": 1e3 * float(np.median(spent)) for name, spent in parts.items()},
        "own_mb": own,
        "mapped_mb": mapped,
    }
    true = [np.argsort(-cosines(arrays.codes, arrays.scales, question))[:10] for question in asked[:50]]
    shared = [len({*one.tolist()} & arrays_found) for one, arrays_found in zip(true, found, strict=False)]
    return figures | {"recall_at_10": sum(shared) / (10 * len(true))}


def main() -> None:
    """Print a line of JSON a count."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("counts", type=int, nargs="*", default=[10_000, 30_000, 100_000])
    options.add_argument(
        "--keep", type=Path, help="where segments lie; one that is there is not written again"
    )
    options.add_argument("--step", choices=("write", "search"), help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.step:
        folder = chosen.keep / str(chosen.counts[0])
        print(json.dumps(write(folder, chosen.counts[0]) if chosen.step == "write" else search(folder)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = chosen.keep or Path(name)
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
                done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
                figures |= json.loads(done.stdout)
            print(json.dumps({name: round(value, 3) for name, value in figures.items()}), flush=True)


if __name__ == "__main__":
    main()
