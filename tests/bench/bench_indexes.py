"""What the artifact costs: `python -m tests.bench.bench_indexes [--large] [--segment FOLDER]`.

Synthetic rows of 384 dimensions unless a real segment is given. Work is judged by the CPU time of its thread, which
neighbours on the machine disturb least; figures are medians. Run it with OPENBLAS_NUM_THREADS=1. `--large` adds a
million vectors and the graph.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from quire.embedding.quantization import Quantized, block_bits, cosines, mean_row, quantize, restore
from quire.index.exact import ExactVectors
from quire.index.opened import OpenedIndex
from quire.index.reader import Segment, open_segment, verify_segment
from quire.index.stack import Stack
from quire.index.vectors import VectorArrays
from quire.index.writer import write_segment
from quire.ports import VectorIndex
from quire.search.candidates import DEPTH, KEYWORD_DEPTH
from tests.support.rows import FACTS, clustered, isotropic, make_rows, normalized

WIDTH = 384
QUESTIONS = 200
TIMED = 40


def thread_ms(work: Callable[[int], object]) -> float:
    """CPU milliseconds of the calling thread: the median over `work(0)`, `work(1)`, ... of the best of five each."""
    best = []
    for question in range(TIMED):
        times = []
        for _ in range(5):
            begin = time.thread_time()
            work(question)
            times.append(time.thread_time() - begin)
        best.append(min(times))
    return median(best) * 1e3


def line(name: str, value: str, bar: str = "", holds: bool | None = None) -> None:
    """One figure, its bar, and whether it holds."""
    verdict = "" if holds is None else "ok" if holds else "MISSED"
    print(f"{name:<52} {value:>22}  {bar:<12} {verdict}", flush=True)


def vector_arrays(rows: NDArray[np.float32]) -> VectorArrays:
    """Rows as a segment would hold them, one a chunk."""
    quantized = quantize(rows)

    def blocks() -> Iterator[Quantized]:
        for start in range(0, len(rows), 8192):
            span = slice(start, start + 8192)
            yield Quantized(quantized.codes[span], quantized.scales[span])

    mean = mean_row(blocks(), rows.shape[1])
    owners = np.arange(len(rows), dtype=np.uint32)
    return VectorArrays(
        codes=quantized.codes,
        scales=quantized.scales,
        bits=block_bits(blocks(), mean),
        mean=mean,
        owners=owners,
    )


def questions_near(rows: NDArray[np.float32], seed: int = 5) -> NDArray[np.float32]:
    """Questions: some of the rows, moved a little."""
    rng = np.random.default_rng(seed)
    chosen = rows[rng.integers(0, len(rows), QUESTIONS)]
    return normalized(chosen + 0.03 * rng.standard_normal(chosen.shape).astype(np.float32))


def recall(index: VectorIndex, rows: NDArray[np.float32], asked: NDArray[np.float32], depth: int) -> float:
    """Share of the true nearest by float cosine that the index finds."""
    found = 0
    for question in asked:
        true = np.argpartition(-(rows @ question), depth)[:depth]
        found += len({*true.tolist()} & {*index.nearest(question, depth).ordinals.tolist()})
    return found / (depth * len(asked))


def bench_vectors(count: int, kind: str) -> None:
    """Recall and time of the exact index behind its prefilter."""
    rows = clustered(count, WIDTH) if kind == "clustered" else isotropic(count, WIDTH)
    index, asked = ExactVectors(vector_arrays(rows)), questions_near(rows)
    share = recall(index, rows, asked, 10)
    bar = kind == "clustered"
    line(
        f"recall@10, {count:,} {kind} vectors",
        f"{share:.4f}",
        ">= 0.98" if bar else "",
        share >= 0.98 if bar else None,
    )
    line("  nearest 10, one thread", f"{thread_ms(lambda n: index.nearest(asked[n], 10)):.2f} ms")
    tenth = np.arange(0, count, 10, dtype=np.uint32)
    line("  nearest 10 of a tenth", f"{thread_ms(lambda n: index.nearest(asked[n], 10, tenth)):.2f} ms")


def bench_segment(segment: Segment, asked: NDArray[np.float32], terms: list[dict[str, float]]) -> None:
    """Opening, searching and fetching."""
    opened = median(_wall_ms(lambda: OpenedIndex([(open_segment(segment.folder), 1)])) for _ in range(9))
    line(f"open {segment.chunk_count:,} chunks", f"{opened:.2f} ms wall", "< 50 ms", opened < 50)
    index = OpenedIndex([(segment, 1)])
    hits = index.nearest(asked[0], 8).ordinals

    def search(number: int) -> None:
        vectors = index.nearest(asked[number], DEPTH)
        keywords = index.search(terms[number], KEYWORD_DEPTH)
        index.fetch((keywords if len(keywords) > 8 else vectors).ordinals[:8])

    line(
        "  vectors, 200 best",
        f"{thread_ms(lambda n: index.nearest(asked[n], 200)):.2f} ms",
    )
    line(
        "  keywords, 200 best",
        f"{thread_ms(lambda n: index.search(terms[n], 200)):.2f} ms",
    )
    line("  8 payloads", f"{thread_ms(lambda _: index.fetch(hits)):.2f} ms")
    whole = thread_ms(search)
    has_bar = segment.chunk_count <= 30_000
    line(
        "  vectors + keywords + payloads",
        f"{whole:.2f} ms",
        "<= 2 ms" if has_bar else "",
        whole <= 2 if has_bar else None,
    )
    begin = time.process_time()
    verify_segment(segment.folder)
    line("  verify every byte", f"{(time.process_time() - begin) * 1e3:.0f} ms")


def _wall_ms(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return (time.perf_counter() - begin) * 1e3


def bench_writing(folder: Path, count: int) -> Segment:
    """Writing a segment; the rows are made first and not counted."""
    rows = list(make_rows(count, dimensions=WIDTH, words=90))
    size = sum(len(row.chunk.text) for row in rows)
    begin = time.process_time()
    write_segment(folder, rows, FACTS._replace(dimensions=WIDTH))
    spent = time.process_time() - begin
    has_bar = count <= 25_000
    line(
        f"write {count:,} chunks, {size / 1e6:.0f} MB of text",
        f"{spent:.2f} s CPU",
        "<= 5 s" if has_bar else "",
        spent <= 5 if has_bar else None,
    )
    segment = open_segment(folder)
    for name, facts in sorted(segment.manifest.files.items()):
        if not name.startswith("payloads/"):
            line(f"  {name}", f"{facts.size / 1e6:.1f} MB")
    return segment


def bench_small_segments(folder: Path) -> None:
    """A site of 5,000 chunks in 200 segments, as live writes leave it."""
    rows = list(make_rows(5_000, dimensions=WIDTH, words=90))
    facts = FACTS._replace(dimensions=WIDTH)
    for number in range(200):
        write_segment(folder / str(number), rows[25 * number : 25 * number + 25], facts)
    begin = time.process_time()
    segments = [open_segment(folder / str(number)) for number in range(200)]
    line("open 200 segments of 25 chunks", f"{(time.process_time() - begin) * 1e3:.0f} ms CPU")
    kept: dict[int, Stack] = {}

    def stacker(group: object) -> Stack:
        assert isinstance(group, list)
        return kept.setdefault(id(group[0]) + len(group), Stack(group))

    index = OpenedIndex([(one, n) for n, one in enumerate(segments)], stacker=stacker)
    asked, terms = restore(rows[7].vectors)[0], rows[7].terms
    line(
        "  first search",
        f"{_wall_ms(lambda: (index.nearest(asked, 200), index.search(terms, 200))):.0f} ms wall",
    )
    whole = thread_ms(lambda _: (index.nearest(asked, 200), index.search(terms, 200), index.fetch(range(8))))
    line("  vectors + keywords + payloads", f"{whole:.2f} ms", "<= 30 ms", whole <= 30)
    write_segment(folder / "new", make_rows(25, dimensions=WIDTH, prefix="new"), facts)

    def reopen() -> None:
        more = [*segments, open_segment(folder / "new")]
        again = OpenedIndex([(one, n) for n, one in enumerate(more)], stacker=stacker)
        again.nearest(asked, 200)
        again.search(terms, 200)

    line("  open after a write, and search", f"{_wall_ms(reopen):.0f} ms wall")


def bench_graph(folder: Path, count: int) -> None:
    """The graph beside the exact index, over the same rows."""
    from quire.index.usearch import GraphVectors, write_graph

    rows = clustered(count, WIDTH)
    arrays, asked = vector_arrays(rows), questions_near(rows)
    exact = ExactVectors(arrays)
    begin = time.process_time()
    write_graph(arrays.codes, folder / "graph")
    line(f"build a graph over {count:,}", f"{time.process_time() - begin:.0f} s CPU")
    graph = GraphVectors(arrays, folder / "graph", np.empty(0, np.uint32), exact)
    line("  recall@10", f"{recall(graph, rows, asked, 10):.4f}")
    line("  nearest 10 by graph", f"{thread_ms(lambda n: graph.nearest(asked[n], 10)):.2f} ms")
    line("  nearest 10 exact", f"{thread_ms(lambda n: exact.nearest(asked[n], 10)):.2f} ms")
    line("  graph file", f"{(folder / 'graph').stat().st_size / count:.0f} bytes a vector")


def real_questions(segment: Segment) -> tuple[NDArray[np.float32], list[dict[str, float]]]:
    """Questions for a segment whose own are not at hand: its vectors, moved, and terms of its middle frequencies."""
    arrays = segment.vectors
    rng = np.random.default_rng(1)
    chosen = rng.integers(0, len(arrays), QUESTIONS)
    asked = questions_near(restore(Quantized(arrays.codes[chosen], arrays.scales[chosen])))
    known = [term for term in segment.terms.keys() if len(segment.terms.ordinals(term)) >= 5]  # noqa: SIM118
    return asked, [dict.fromkeys(rng.choice(known, 12).tolist(), 1.0) for _ in range(QUESTIONS)]


def main() -> None:
    """Print every figure."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--large", action="store_true", help="also a million vectors, and the graph")
    options.add_argument("--segment", type=Path, help="folder of a real segment to search")
    chosen = options.parse_args()
    line("others at work on this machine (load, processors)", f"{os.getloadavg()[0]:.1f} on {os.cpu_count()}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if chosen.segment:
            segment = open_segment(chosen.segment)
            bench_segment(segment, *real_questions(segment))
            asked, arrays = real_questions(segment)[0], segment.vectors
            every = [np.argsort(-cosines(arrays.codes, arrays.scales, question))[:10] for question in asked]
            prefiltered = ExactVectors(
                VectorArrays(
                    codes=arrays.codes,
                    scales=arrays.scales,
                    bits=arrays.bits,
                    mean=arrays.mean,
                    owners=np.arange(len(arrays), dtype=np.uint32),
                )
            )
            found = [prefiltered.nearest(question, 10).ordinals for question in asked]
            pairs = zip(every, found, strict=True)
            share = sum(len({*a.tolist()} & {*b.tolist()}) for a, b in pairs) / (10 * len(asked))
            line("  recall@10 of comparing every row", f"{share:.4f}", ">= 0.99", share >= 0.99)
        for count in (25_000, 100_000):
            segment = bench_writing(folder / str(count), count)
            bench_segment(segment, *real_questions(segment))
        bench_small_segments(folder)
        for count in (15_000, 100_000, *([1_000_000] if chosen.large else [])):
            bench_vectors(count, "clustered")
        bench_vectors(15_000, "isotropic")
        if chosen.large:
            bench_graph(folder, 50_000)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    line("peak memory of all of this", f"{peak:.0f} MiB")


if __name__ == "__main__":
    main()
