"""The same questions through Quire and its peers, side by side in one run: what `make peers` prints.

`python -m tests.bench.compare_peers [--repositories DIR] [--engines NAME ...] [--golden-set NAME=DIR ...]`

Every engine indexes the same folder from nothing with the same encoder and its own documented defaults, in a process of
its own, and answers the same questions with ten hits (see `peers/quality.py`). Corpora are the repositories of
`golden/code` that lie in `--repositories`, and sets of questions over a folder: the textbook and React Native's
documentation, or others where `--golden-set` says where they lie, such as `celery=DIR`. nDCG@10 and MRR@10 count hits
as they come; a target is found where paths agree, and lines overlap where it names lines. Seconds are wall from the
start of the process, imports included; CPU and memory are those of all processes of the engine. The peers live in an
environment of their own under `.quire/bench/peers`, made at the first run; txtai alone brings some gigabytes, so that
it takes part only when it is named.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
SETS = {"textbook": "data/textbook/split-layout", "react_native": "data/react-native"}
"""Folders below `../shared` that golden sets of their names ask of."""
Place = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Corpus:
    """A folder with its questions; `targets` holds for each the places that are right, each with its alternatives."""

    name: str
    kind: str
    root: Path
    questions: Sequence[str]
    targets: Sequence[Sequence[Place]]


def repositories(golden: Path, folder: Path, only: Sequence[str]) -> Iterator[Corpus]:
    """The repositories of `golden/code` that lie in the folder; paths are counted from each one's indexed root."""
    for file in sorted((golden / "code").glob("*.json")):
        data = json.loads(file.read_text(encoding="utf-8"))
        root = folder / file.stem / (data["root"] or "")
        if not root.is_dir() or (only and file.stem not in only):
            continue
        rows = data["queries"]
        targets = [
            [[one if isinstance(one, dict) else {"path": one}] for one in row["relevant"] + row["secondary"]]
            for row in rows
        ]
        yield Corpus(file.stem, "code", root, [row["query"] for row in rows], targets)


def golden_set(golden: Path, name: str, root: Path) -> Corpus:
    """A folder with the public questions that have an answer in it."""
    rows, targets = [], []
    held = [f"/{root.name}/{path.relative_to(root)}" for path in root.rglob("*") if path.is_file()]
    for row in map(json.loads, (golden / f"{name}.public.jsonl").read_text(encoding="utf-8").splitlines()):
        known = [_target(one) for one in row["relevant"]]
        is_here = [any(one.endswith(f"/{target['path']}") for one in held) for target in known]
        groups = row.get("places") or [[number] for number in range(len(known))]
        inside = [[known[one] for one in group if is_here[one]] for group in groups]
        if any(inside) and not row.get("selected_text"):
            rows.append(row["query"])
            targets.append([place for place in inside if place])
    return Corpus(name, "code" if name == "celery" else "docs", root, rows, targets)


def _target(one: Mapping[str, Any]) -> dict[str, Any]:
    path = one.get("path") or "/".join(filter(None, (one.get("chapter_dir"), one["filename"])))
    return {"path": path, **({"start_line": one["line"], "end_line": one["line"]} if "line" in one else {})}


def sampled(corpus: Corpus, every: int) -> Corpus:
    """The corpus with the files that hold answers, and of the others each so-manieth."""
    held = sorted(path for path in corpus.root.rglob("*") if path.is_file() and path.suffix in TEXT)
    wanted = [str(one["path"]) for places in corpus.targets for place in places for one in place]
    is_wanted = {path: any(f"/{path}".endswith(f"/{one}") for one in wanted) for path in held}
    others = [path for path in held if not is_wanted[path]]
    folder = PLACE / "sampled" / corpus.root.name
    shutil.rmtree(folder, ignore_errors=True)
    for path in {*others[::every], *(path for path in held if is_wanted[path])}:
        copy = folder / path.relative_to(corpus.root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    return replace(corpus, root=folder.absolute())


def ranks(hits: Sequence[Sequence[Any]], targets: Sequence[Place]) -> list[int]:
    """Of the targets that are found, the rank (from 0) of the first of ten hits that covers one."""
    found = (
        next((rank for rank, hit in enumerate(hits[:DEPTH]) if any(_covers(hit, one) for one in place)), None)
        for place in targets
    )
    return [rank for rank in found if rank is not None]


def ndcg(hits: Sequence[Sequence[Any]], targets: Sequence[Place]) -> float:
    """Normalized discounted gain of ten hits, each hit counted once."""
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(DEPTH, len(targets))))
    return sum(1 / math.log2(rank + 2) for rank in set(ranks(hits, targets))) / ideal


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
    asked_of = list(zip(figures["hits"], corpus.targets, strict=True))
    figures["ndcg"] = [ndcg(hits, wanted) for hits, wanted in asked_of]
    first = [min(ranks(hits, wanted), default=None) for hits, wanted in asked_of]
    figures["mrr"] = [0.0 if rank is None else 1 / (rank + 1) for rank in first]
    figures["hit5"] = [float(rank is not None and rank < 5) for rank in first]
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
    parser.add_argument("--golden-set", nargs="*", default=[], metavar="NAME=DIR", help="celery=DIR")
    parser.add_argument(
        "--sample", type=int, default=1, metavar="N", help="each Nth file beside the answers'"
    )
    parser.add_argument("--resume", action="store_true", help="keep what an earlier run measured")
    args = parser.parse_args()
    corpora = list(repositories(args.golden, args.repositories, args.only)) if args.repositories else []
    named = dict(one.split("=", 1) for one in args.golden_set)
    sets = {name: Path(folder) for name, folder in named.items()} or {
        name: shared / folder for name, folder in SETS.items()
    }
    corpora += [
        golden_set(args.golden, name, folder)
        for name, folder in sets.items()
        if folder.is_dir() and args.golden.is_dir()
    ]
    if not corpora:
        raise SystemExit("peers: nothing to ask: give --repositories DIR, or --golden-set NAME=DIR")
    corpora = [sampled(one, args.sample) if args.sample > 1 else one for one in corpora]
    python, model = environment(args.engines), ensure_model(settings().cache)
    print(
        "| corpus | engine | questions | nDCG@10 (95 %) | MRR@10 | hit@5 "
        "| index s | CPU s | first hits s | p50 ms | MB |"
    )
    print(f"|{' --- |' * 11}", flush=True)
    found: dict[str, list[dict[str, Any]]] = {}
    for corpus in corpora:
        for engine in args.engines:  # engines take turns, so that a slow moment hits all alike
            kept = PLACE / f"{corpus.name}-{engine}.json"
            if not (args.resume and kept.exists()):
                kept.write_text(json.dumps(measure(engine, corpus, python, model)), encoding="utf-8")
            figures = json.loads(kept.read_text(encoding="utf-8"))
            found.setdefault(engine, []).append(figures)
            print(_row(corpus.name, engine, [figures]), flush=True)
    for engine, runs in sorted(found.items(), key=lambda item: -_mean(item[1], "ndcg")):
        print(_row(f"all {len(runs)}", engine, runs))


def _row(name: str, engine: str, runs: Sequence[Mapping[str, Any]]) -> str:
    """Means over questions; of several corpora the medians of seconds and megabytes."""
    scores = [one for run in runs for one in run["ndcg"]]
    low, high = bootstrap_interval(scores)
    index, cpu, first, warm, peak = (
        sorted(run[key] for run in runs)[len(runs) // 2]
        for key in ("index_s", "cpu_s", "first_s", "p50_ms", "peak_mb")
    )
    return (
        f"| {name} | {engine} | {len(scores)} | {_mean(runs, 'ndcg'):.3f} ({low:.2f} to {high:.2f}) "
        f"| {_mean(runs, 'mrr'):.3f} | {_mean(runs, 'hit5'):.3f} "
        f"| {index:.1f} | {cpu:.1f} | {first:.1f} | {warm:.1f} | {peak:.0f} |"
    )


def _mean(runs: Sequence[Mapping[str, Any]], figure: str) -> float:
    scores: list[float] = [one for run in runs for one in run[figure]]
    return sum(scores) / len(scores)


if __name__ == "__main__":
    main()
