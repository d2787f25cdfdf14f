"""Quality in one go, what `make eval` prints: golden questions of every collection of the store, and BEIR folders.

`python -m tests.bench.quality [--store DIR] [--collection NAME] [--golden DIR] [--beir DIR] [--json]`

Golden files are `NAME.jsonl` or `NAME.public.jsonl` in the golden folder, NAME being a collection. Both folders default
to those of the real data beside the checkout.
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path
from typing import Any

from build_index.evaluation.beir import build_beir_index, read_beir, score_beir
from build_index.evaluation.evaluate import ask_golden, report, table
from build_index.evaluation.golden import read_golden
from build_index.wiring import open_question_embedder, open_store, open_tools
from quire.ports import Embedder
from quire.search.retrieval import MODES, retrieve
from quire.store.store import SegmentStore
from tests.support.shared import shared_root

BEIR_SETS = ("scifact", "xquad-en")


def golden_figures(store: SegmentStore, golden: Path, embedder: Embedder, only: str = "") -> dict[str, Any]:
    """The report of each collection that has a golden file, or of one."""
    found = {}
    for name in [only] if only else store.collections():
        files = [golden / f"{name}{ending}" for ending in (".jsonl", ".public.jsonl")]
        files = [file for file in files if file.exists()]
        if files:
            ask = partial(retrieve, store.open(name), embedder)
            found[name] = report(ask_golden(ask, read_golden(files)))
    return found


def beir_figures(root: Path) -> dict[str, dict[str, dict[str, float]]]:
    """nDCG@10, recall@100 and MRR@10 of each set, hybrid and by either side alone."""
    tools = open_tools()
    found: dict[str, dict[str, dict[str, float]]] = {}
    for folder in (root / name for name in BEIR_SETS if (root / name).is_dir()):
        questions = read_beir(folder)
        ask = partial(retrieve, build_beir_index(folder, tools), tools.embedder)
        found[folder.name] = {mode: score_beir(ask, questions, mode) for mode in MODES}
    return found


def main() -> None:
    """Print tables, or one JSON object."""
    shared = shared_root() if shared_root().is_dir() else None
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store")
    parser.add_argument("--collection", default="", help="ask this one alone, and no BEIR set")
    parser.add_argument("--golden", type=Path, default=shared / "golden" if shared else None)
    parser.add_argument("--beir", type=Path, default=shared / "data" / "beir" if shared else None)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    golden = {}
    if args.golden:
        golden = golden_figures(
            open_store(args.store), args.golden, open_question_embedder(), args.collection
        )
    beir = beir_figures(args.beir) if args.beir and not args.collection else {}
    if args.json:
        print(json.dumps({"golden": golden, "beir": beir}))
        return
    for name, figures in golden.items():
        print(f"== {name}\n{table(figures)}\n")
    for name, modes in beir.items():
        for mode, scores in modes.items():
            print(f"{name} {mode:<8}" + "".join(f"  {key} {value:.4f}" for key, value in scores.items()))
    if not golden and not beir:
        print("nothing to ask: give --golden DIR with NAME.jsonl files, or --beir DIR")


if __name__ == "__main__":
    main()
