"""What int8 costs in quality: a BEIR folder by vectors alone, int8 model against float32: `bench_float.py FOLDER`."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from build_index.evaluation.beir import build_beir_index, read_beir, score_beir
from build_index.model.export import ensure_model
from build_index.pipeline.plan import Tools
from build_index.wiring import settings
from quire.embedding import open_embedder
from quire.search.retrieval import retrieve


def main() -> None:
    """Print nDCG@10 of both and the difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    found = {}
    for precision in ("float32", "int8"):
        folder = ensure_model(settings().cache, precision=precision)
        tools = Tools(open_embedder(folder, threads=args.threads), folder, settings().cache)
        questions = read_beir(args.folder)
        index = build_beir_index(args.folder, tools)
        ask = partial(retrieve, index, tools.embedder)
        found[precision] = score_beir(ask, questions, "vector")["ndcg@10"]
        print(f"{precision}: nDCG@10 {found[precision]:.4f}")
    print(f"int8 - float32: {found['int8'] - found['float32']:+.4f}")


if __name__ == "__main__":
    main()
