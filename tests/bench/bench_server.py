"""What a search server finds of a collection, beside the segments: `make bench BENCH=bench_server`.

Each collection is loaded, and its golden questions are asked of both. `--url` names a real OpenSearch server; without
one that of the tests is started, whose BM25 is Elasticsearch's and whose nearest neighbours are exact. Its times say
what requests cost here, and nothing of OpenSearch's own.
"""

from __future__ import annotations

import argparse
import time
from contextlib import nullcontext
from functools import partial
from typing import Any

from build_index.evaluation.evaluate import ask_golden, report
from build_index.evaluation.golden import read_golden
from build_index.release.loading import SegmentsToLoad
from build_index.wiring import open_question_embedder, open_store
from quire.adapters.opensearch import open_opensearch
from quire.index.opened import OpenedIndex
from quire.index.served import BuildOnServer
from quire.ports import SearchServer
from quire.search.retrieval import retrieve
from quire.store.keys import server_index
from tests.support.opensearch import opensearch
from tests.support.shared import shared_root

COLLECTIONS = ("textbook", "react_native", "celery", "roblox")
MEASURES = ("hit@5", "mrr@10")


def compare(name: str, store: str | None, server: SearchServer) -> dict[str, Any]:
    """Figures of one collection on both sides."""
    own = open_store(store).open(name)
    index = server_index(f"bench-{name}", [one.digest for one in own.manifests])
    began = time.perf_counter()
    server.load(index, SegmentsToLoad(own.segments))
    loaded_s = time.perf_counter() - began
    pairs = [(one, 1) for one in own.segments]
    there = OpenedIndex(pairs, version="v", on_server=BuildOnServer(server, index, len(pairs)))
    embedder = open_question_embedder()
    questions = read_golden([shared_root() / "golden" / f"{name}.public.jsonl"])
    figures: dict[str, Any] = {}
    same = []
    for side, opened in (("segments", own), ("server", there)):
        asked = ask_golden(partial(retrieve, opened, embedder), questions)
        told = report(asked)
        figures[side] = {one: told["all"][one] for one in MEASURES} | {"ms_p50": told["ms_p50"]}
        same.append([one.found[:5] for one in asked])
    alike = sum(len({*one} & {*other}) for one, other in zip(*same, strict=True))
    figures["shared of first five"] = alike / max(sum(map(len, same[0])), 1)
    figures["chunks"], figures["chunks loaded a second"] = own.chunk_count, own.chunk_count / loaded_s
    server.delete(index)
    return figures


def main() -> None:
    """Print a line for each collection."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store")
    parser.add_argument("--url")
    parser.add_argument("collections", nargs="*", default=COLLECTIONS)
    args = parser.parse_args()
    with nullcontext() if args.url else opensearch() as stand_in:
        server = open_opensearch(stand_in.url if stand_in else args.url)
        for name in args.collections:
            print(name, compare(name, args.store, server), flush=True)


if __name__ == "__main__":
    main()
