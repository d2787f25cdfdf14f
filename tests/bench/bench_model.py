"""What the exported model costs: `python -m tests.bench.bench_model`.

Medians of wall and CPU time. Work of one thread is judged by its CPU time, which neighbours on the machine disturb
least; on a quiet machine both are the same.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from build_index.model.check import judged_texts
from quire.embedding import open_embedder
from quire.embedding.onnx import OnnxEmbedder
from tests.support.model import exported_model
from tests.support.tree import ROOT

OPENINGS, QUERIES, ROUNDS = 7, 60, 5
QUERY = "how do I make an NPC walk to a point"  # 12 tokens with the special ones
TEXTS = [("", " ".join((judged_texts()[1] * 2)[number : number + 9])) for number in range(40)]

OPENING = """
import json, sys, time
from pathlib import Path
def clock(): return time.perf_counter() * 1e3, time.process_time() * 1e3
marks = [clock()]
import numpy
marks.append(clock())
from quire.embedding import onnx as onnx_embedder, wordpiece
marks.append(clock())
tokenizer = wordpiece.open_tokenizer(Path(sys.argv[1]))
marks.append(clock())
embedder = onnx_embedder.open_embedder(Path(sys.argv[1]), tokenizer, threads=1)
marks.append(clock())
embedder.embed(["first"])
marks.append(clock())
peak = [row for row in Path("/proc/self/status").read_text().splitlines() if row.startswith("VmHWM")]
print(json.dumps({"marks": marks, "mib": int(peak[0].split()[1]) / 1024}))
"""
PARTS = ("import numpy", "import onnxruntime, tokenizers", "open tokenizer", "open model", "first query")


class Cost(NamedTuple):
    """Milliseconds."""

    wall: float
    cpu: float


def timed(work: Callable[[], object]) -> Cost:
    """One call's cost; CPU time is the whole process's."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Cost((time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3)


def middle(costs: list[Cost]) -> Cost:
    """Medians of both clocks, each on its own."""
    return Cost(median(cost.wall for cost in costs), median(cost.cpu for cost in costs))


def opening(folder: str) -> tuple[dict[str, Cost], float]:
    """Parts of opening in fresh processes, and the peak of resident memory in MiB (Linux)."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'layers/core/python'}"}
    command = (sys.executable, "-c", OPENING, folder)
    runs = [
        json.loads(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
        for _ in range(OPENINGS)
    ]
    spans = [[Cost(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(run["marks"])] for run in runs]
    return (
        {part: middle([span[at] for span in spans]) for at, part in enumerate(PARTS)},
        median(run["mib"] for run in runs),
    )


def query(embedder: OnnxEmbedder) -> Cost:
    """One query of 12 tokens."""
    embedder.embed([QUERY])
    return middle([timed(lambda: embedder.embed([QUERY])) for _ in range(QUERIES)])


def rates(embedders: dict[str, OnnxEmbedder]) -> dict[str, tuple[float, float]]:
    """Tokens a second of wall and of CPU time, measured in turns so that a neighbour disturbs all alike."""
    costs: dict[str, list[Cost]] = {name: [] for name in embedders}
    tokens = 0
    for _ in range(ROUNDS):
        for name, embedder in embedders.items():
            before = embedder.tokens
            costs[name].append(timed(lambda one=embedder: list(one.embed_passages(TEXTS))))  # type: ignore[misc]
            tokens = embedder.tokens - before
    return {
        name: (tokens / middle(spent).wall * 1e3, tokens / middle(spent).cpu * 1e3)
        for name, spent in costs.items()
    }


def line(name: str, found: str, bar: str, met: bool | None = None) -> None:
    """One row of the table."""
    print(f"{name:<34} {found:<34} {bar:<12} {'' if met is None else 'met' if met else 'NOT MET'}".rstrip())


def main() -> None:
    """Measure and print, one figure a line."""
    folder = exported_model()
    size = sum(path.stat().st_size for path in folder.iterdir())
    line("size of the folder", f"{size / 1e6:.2f} MB", "<= 24 MB", size <= 24e6)
    parts, mib = opening(str(folder))
    for part, cost in parts.items():
        is_bar = part == "open model"
        line(
            f"fresh process: {part}"[:34],
            f"{cost.wall:.1f} ms wall, {cost.cpu:.1f} ms CPU",
            "<= 40 ms" if is_bar else "",
            cost.cpu <= 40 if is_bar else None,
        )
    line("fresh process: resident memory", f"{mib:.0f} MiB", "")
    embedders = {
        "int8, 1 thread": open_embedder(folder, 1),
        "float32, 1 thread": open_embedder(exported_model("float32"), 1),
        "int8, 2 threads": open_embedder(folder, 2),
    }
    ours, theirs = (query(embedders[name]) for name in ("int8, 1 thread", "float32, 1 thread"))
    line("12-token query, int8", f"{ours.wall:.2f} ms wall, {ours.cpu:.2f} ms CPU", "<= 3 ms", ours.cpu <= 3)
    line("12-token query, float32", f"{theirs.wall:.2f} ms wall, {theirs.cpu:.2f} ms CPU", "")
    found = rates(embedders)
    for name, (wall, cpu) in found.items():
        line(f"passages, {name}", f"{wall:,.0f} tokens/s, {cpu:,.0f} a CPU s", "")
    gain = found["int8, 1 thread"][1] / found["float32, 1 thread"][1]
    line("int8 over float32, CPU time", f"{gain:.2f}x", ">= 2x", gain >= 2)


if __name__ == "__main__":
    main()
