"""A scripted agent asks 20 golden questions of each collection: `python -m tests.bench.bench_agent --store DIR`.

It has nothing but the MCP tools, over the standard input and output of `quire mcp`, and no language model: it looks
names up, asks for an answer, searches where that quotes little, and reads on where it is refused. Where
`paraphrase_terms.jsonl` has a line for the question it sends those terms. It reads replies as each kind of client hands
them to its model. Prints how many questions it found a right place for among the first five passages that it would
cite, and the tokens that it read, the tools' own descriptions included. Exit code 1 where a collection costs more than
its budget.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from pathlib import Path

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from build_index.evaluation.golden import GoldenQuestion
from build_index.wiring import open_store
from quire.index.opened import OpenedIndex
from tests.bench.bench_terms import read_lines
from tests.support.mcp_agent import READERS, examine, twenty
from tests.support.shared import shared_root
from tests.support.tree import ROOT

BUDGET_TOKENS = 40_000


def main() -> int:
    """Ask every collection of the store that has golden questions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", required=True)
    parser.add_argument("--golden", type=Path, default=shared_root() / "golden")
    parser.add_argument("--questions", type=int, default=20)
    given = parser.parse_args()
    store, worst = open_store(given.store), 0
    for name in store.collections():
        files = [file for file in (given.golden / f"{name}.public.jsonl",) if file.exists()]
        if files:
            questions = twenty(files, given.questions)
            for kind in READERS:
                worst = max(worst, asyncio.run(ask(given.store, name, questions, store.open(name), kind)))
    return int(worst > BUDGET_TOKENS)


async def ask(store: str, name: str, questions: list[GoldenQuestion], index: OpenedIndex, kind: str) -> int:
    """Print one collection's line; the tokens that were spent."""

    def metadata(chunk_id: str) -> dict[str, object]:
        ordinal = index.find(chunk_id)
        return dict(index.fetch([ordinal])[0].metadata) if ordinal is not None else {}

    paths = os.pathsep.join((str(ROOT), str(ROOT / "layers/core/python")))
    known = os.environ | {"PYTHONPATH": paths}
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "functions.cli", "mcp", "--store", store],
        env=known,
        cwd=str(ROOT),
    )
    lines = read_lines().get(name, {})
    began = time.perf_counter()
    async with Client(server) as client:
        found, spent, most = await examine(client, name, questions, metadata, READERS[kind], lines)
    took = time.perf_counter() - began
    print(
        f"{name:<14} {kind:<17} {len(found):>2}/{len(questions)} found, {spent:,} tokens of {BUDGET_TOKENS:,}"
        f" (at most {most:,} a question), {took:.1f} s"
    )
    return spent


if __name__ == "__main__":
    sys.exit(main())
