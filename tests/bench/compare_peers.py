"""The same questions through Quire and its peers, side by side in one run: what `make peers` prints.

`python -m tests.bench.compare_peers [--repositories DIR] [--only NAME ...] [--engines NAME ...] [--docs DIR]`

Every engine indexes the same folder from nothing with the same encoder and its own documented defaults, in a process of
its own, and answers the same questions with ten hits (see `peers/quality.py`). Corpora are the repositories of
`golden/code` that lie in `--repositories`, and the textbook. nDCG@10 counts hits as they come; a target is found where
paths agree, and lines overlap where it names lines. Seconds are wall from the start of the process to the first hits,
imports and indexing included. The peers live in an environment of their own under `.quire/bench/peers`, made at the
first run; txtai alone brings some gigabytes, so that it takes part only when it is named.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import venv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from build_index.evaluation.metrics import bootstrap_interval
from build_index.model.export import ensure_model
from build_index.wiring import settings
from tests.support.shared import shared_root
from tests.support.tree import CORE, ROOT

PLACE = Path(".quire") / "bench" / "peers"
PACKAGES = {
    "semble": "semble==0.7.0",
    "llamaindex": "llama-index-core==0.14.25",
    "haystack": "haystack-ai==3.4.0",
    "lancedb": "lancedb==0.40.0",
    "chroma": "chromadb==1.5.9",
    "txtai": "txtai",
}
SHARED_PACKAGES = ("onnxruntime", "tokenizers", "numpy", "pyarrow")
TEXT = frozenset(
    ".md .mdx .rst .txt .py .js .mjs .ts .tsx .jsx .go .rs .java .kt .kts .c .h .cc .cpp .hpp .cs .rb .php .swift "
    ".scala .hs .lua .zig .ex .exs .sh .bash .bats .toml .yml .yaml".split()
)
"""What engines without a reader of their own are given."""
DEPTH = 10


@dataclass(frozen=True, slots=True)
class Corpus:
    """A folder with its questions; `targets` holds for each the places that are right."""

    name: str
    kind: str
    root: Path
    questions: Sequence[str]
    targets: Sequence[Sequence[Mapping[str, Any]]]


def repositories(golden: Path, folder: Path, only: Sequence[str]) -> Iterator[Corpus]:
    """The repositories of `golden/code` that lie in the folder; paths are counted from each one's indexed root."""
    for file in sorted((golden / "code").glob("*.json")):
        data = json.loads(file.read_text(encoding="utf-8"))
        root = folder / file.stem / (data["root"] or "")
        if not root.is_dir() or (only and file.stem not in only):
            continue
        rows = data["queries"]
        targets = [
            [one if isinstance(one, dict) else {"path": one} for one in row["relevant"] + row["secondary"]]
            for row in rows
        ]
        yield Corpus(file.stem, "code", root, [row["query"] for row in rows], targets)


def textbook(golden: Path, docs: Path) -> Corpus:
    """The textbook with its public questions that have an answer."""
    lines = (golden / "textbook.public.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["relevant"] and not row.get("selected_text")]
    targets = [
        [
            {"path": "/".join(filter(None, (one.get("chapter_dir"), one["filename"])))}
            for one in row["relevant"]
        ]
        for row in rows
    ]
    return Corpus("textbook", "docs", docs, [row["query"] for row in rows], targets)


def ndcg(hits: Sequence[Sequence[Any]], targets: Sequence[Mapping[str, Any]]) -> float:
    """Normalized discounted gain of ten hits, each target counted once, at the first hit that covers it."""
    ranks = set()
    for target in targets:
        found = (rank for rank, hit in enumerate(hits[:DEPTH]) if _covers(hit, target))
        rank = next(found, None)
        if rank is not None:
            ranks.add(rank)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(DEPTH, len(targets))))
    return sum(1 / math.log2(rank + 2) for rank in ranks) / ideal


def _covers(hit: Sequence[Any], target: Mapping[str, Any]) -> bool:
    path, start, end = str(hit[0]), int(hit[1]), int(hit[2])
    wanted = str(target["path"])
    is_same = path == wanted or path.endswith("/" + wanted) or wanted.endswith("/" + path)
    if not is_same or "start_line" not in target:
        return is_same
    return end >= int(target["start_line"]) and start <= int(target["end_line"])


def environment(engines: Sequence[str]) -> Path:
    """The peers' Python, with what the engines need installed."""
    python = PLACE / "venv" / "bin" / "python"
    if not python.exists():
        venv.create(PLACE / "venv", with_pip=True)
    wanted = [PACKAGES[name] for name in engines if name in PACKAGES]
    subprocess.run([python, "-m", "pip", "install", "--quiet", *SHARED_PACKAGES, *wanted], check=True)
    return python


def measure(engine: str, corpus: Corpus, python: Path, model: Path) -> dict[str, Any]:
    """One engine over one corpus, in a fresh process: see `peers/quality.py`."""
    files = sorted(
        str(path.relative_to(corpus.root))
        for path in corpus.root.rglob("*")
        if path.is_file() and path.suffix in TEXT and ".git" not in path.relative_to(corpus.root).parts
    )
    asked = PLACE / f"{corpus.name}.json"
    asked.parent.mkdir(parents=True, exist_ok=True)
    asked.write_text(
        json.dumps(
            {
                "root": str(corpus.root),
                "kind": corpus.kind,
                "files": files,
                "questions": list(corpus.questions),
            }
        )
    )
    own = engine == "quire"
    script = Path(__file__).parent / "peers" / "quality.py"
    command = [sys.executable if own else str(python), str(script), engine, str(asked), str(model)]
    known = {**os.environ, "OMP_NUM_THREADS": "2"}
    if own:
        known["PYTHONPATH"] = f"{ROOT}:{ROOT / CORE}"
    run = subprocess.run(command, capture_output=True, text=True, env=known)
    if run.returncode:
        raise SystemExit(f"{engine} over {corpus.name}: {run.stderr[-2000:]}")
    figures: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    figures["ndcg"] = [
        ndcg(hits, wanted) for hits, wanted in zip(figures["hits"], corpus.targets, strict=True)
    ]
    return figures


def main() -> None:
    """Print a row an engine for each family of corpora."""
    shared = shared_root()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--repositories", type=Path, help="folder of checkouts, named as the files of golden/code"
    )
    parser.add_argument("--only", nargs="*", default=[], help="these repositories alone")
    parser.add_argument(
        "--engines", nargs="*", default=["quire", *[one for one in PACKAGES if one != "txtai"]]
    )
    parser.add_argument("--golden", type=Path, default=shared / "golden")
    parser.add_argument("--docs", type=Path, default=shared / "data" / "textbook" / "split-layout")
    args = parser.parse_args()
    corpora = list(repositories(args.golden, args.repositories, args.only)) if args.repositories else []
    if args.docs.is_dir() and args.golden.is_dir():
        corpora.append(textbook(args.golden, args.docs))
    if not corpora:
        raise SystemExit("peers: nothing to ask: give --repositories DIR, or --golden DIR with --docs DIR")
    python, model = environment(args.engines), ensure_model(settings().cache)
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for corpus in corpora:
        for engine in args.engines:  # engines take turns, so that a slow moment hits all alike
            figures = measure(engine, corpus, python, model)
            found.setdefault((corpus.kind, engine), []).append(figures)
            print(
                f"{corpus.name} {engine}: {sum(figures['ndcg']) / len(figures['ndcg']):.3f}", file=sys.stderr
            )
    print("| corpora | engine | questions | nDCG@10 (95 %) | first hits s | CPU s | warm p50 ms | peak MB |")
    print(f"|{' --- |' * 8}")
    for (kind, engine), runs in sorted(found.items(), key=lambda item: (item[0][0], -_mean(item[1]))):
        scores = [one for run in runs for one in run["ndcg"]]
        low, high = bootstrap_interval(scores)
        first, cpu, warm, peak = (
            sorted(run[key] for run in runs)[len(runs) // 2]
            for key in ("first_s", "cpu_s", "p50_ms", "peak_mb")
        )
        print(
            f"| {len(runs)} {kind} | {engine} | {len(scores)} | {_mean(runs):.3f} ({low:.2f} to {high:.2f}) "
            f"| {first:.1f} | {cpu:.1f} | {warm:.1f} | {peak:.0f} |"
        )


def _mean(runs: Sequence[Mapping[str, Any]]) -> float:
    scores: list[float] = [one for run in runs for one in run["ndcg"]]
    return sum(scores) / len(scores)


if __name__ == "__main__":
    main()
