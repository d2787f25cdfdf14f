"""Functions found by what they say they do: `python -m tests.bench.bench_docstrings [--pairs 500]`.

Pairs are functions of installed packages with their docstrings, sampled with a seed. The files that hold them are
copied with every docstring blanked, indexed as profile `code` indexes a repository, and asked the opening of each
docstring. Printed is the mean reciprocal rank of the first hit that overlaps the function's lines, hybrid beside each
leg alone.
"""

from __future__ import annotations

import argparse
import ast
import random
import sysconfig
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from build_index.pipeline.pipeline import build
from build_index.pipeline.plan import BuildPlan, Tools
from build_index.wiring import open_question_embedder, open_tools
from quire.adapters.folder import FolderStore
from quire.documents import Hit
from quire.index.opened import OpenedIndex
from quire.ports import Embedder
from quire.profiles import profile_named
from quire.search.retrieval import MODES, Query, retrieve
from quire.store.store import SegmentStore

SEED = 31
PACKAGES = (
    "starlette",
    "mangum",
    "httpx",
    "pydantic",
    "botocore",
    "fastapi",
    "hypothesis",
    "numpy",
    "uvicorn",
)
FEWEST_WORDS, FEWEST_LINES = 6, 4
PER_FILE = 4


@dataclass(frozen=True, slots=True)
class Pair:
    """A function and what its docstring says; lines count from 1."""

    path: str
    question: str
    first: int
    last: int


def packages_root() -> Path:
    """Where the environment's packages lie."""
    return Path(sysconfig.get_path("purelib"))


def read_pairs(root: Path) -> Iterator[Pair]:
    """Every documented function of the packages that says enough, of files that can be read."""
    for package in PACKAGES:
        for file in sorted((root / package).rglob("*.py")):
            if "test" in file.as_posix():
                continue
            try:
                tree = ast.parse(file.read_text(encoding="utf-8"))
            except (SyntaxError, UnicodeDecodeError):
                continue
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield from _pair(file.relative_to(root).as_posix(), node)


def _pair(path: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Pair]:
    said = (ast.get_docstring(node) or "").split("\n\n", 1)[0]
    question = " ".join(said.split())
    last = node.end_lineno or node.lineno
    if len(question.split()) >= FEWEST_WORDS and last - node.body[0].lineno >= FEWEST_LINES:
        yield Pair(path, question[:300], node.lineno, last)


def sample(pairs: list[Pair], count: int) -> list[Pair]:
    """Some of the pairs, few of one file, seeded."""
    random.Random(SEED).shuffle(pairs)
    taken: defaultdict[str, int] = defaultdict(int)
    chosen: list[Pair] = []
    for pair in pairs:
        if taken[pair.path] < PER_FILE and len(chosen) < count:
            taken[pair.path] += 1
            chosen.append(pair)
    return chosen


def blank_docstrings(text: str) -> str:
    """The file with the lines of every docstring empty, so that line numbers hold."""
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            said = node.body[0] if node.body else None
            if ast.get_docstring(node, clean=False) is not None and said is not None:
                lines[said.lineno - 1 : said.end_lineno] = [""] * ((said.end_lineno or 0) - said.lineno + 1)
    return "\n".join(lines) + "\n"


def index_files(root: Path, pairs: list[Pair], folder: Path, tools: Tools) -> OpenedIndex:
    """An index of the files that hold the pairs."""
    for path in sorted({pair.path for pair in pairs}):
        target = folder / "code" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(blank_docstrings((root / path).read_text(encoding="utf-8")), encoding="utf-8")
    store = SegmentStore(FolderStore(folder / "store"), tools.cache / "store")
    plan = BuildPlan("docstrings", profile_named("code"), (("repository", str(folder / "code")),))
    build(plan, tools, store)
    return store.open("docstrings")


def reciprocal_rank(hits: tuple[Hit, ...], pair: Pair) -> float:
    """Of the first hit that overlaps the function; 0 where none does."""
    for hit in hits:
        facts = hit.chunk.metadata
        if facts["path"] == pair.path and _overlaps(facts["start_line"], facts["end_line"], pair):
            return 1 / hit.rank
    return 0.0


def _overlaps(first: object, last: object, pair: Pair) -> bool:
    return isinstance(first, int) and isinstance(last, int) and first <= pair.last and last >= pair.first


def measure(index: OpenedIndex, embedder: Embedder, pairs: list[Pair]) -> dict[str, float]:
    """MRR@10 by mode."""
    return {
        mode: sum(
            reciprocal_rank(retrieve(index, embedder, Query(one.question, 10, mode=mode)).hits, one)
            for one in pairs
        )
        / len(pairs)
        for mode in MODES
    }


def main() -> None:
    """Print MRR@10 of each mode."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=500)
    root = packages_root()
    pairs = sample(list(read_pairs(root)), parser.parse_args().pairs)
    with tempfile.TemporaryDirectory() as folder:
        index = index_files(root, pairs, Path(folder), open_tools())
        figures = measure(index, open_question_embedder(), pairs)
    print(f"{len(pairs)} pairs in {index.chunk_count} chunks, MRR@10:")
    for mode, value in figures.items():
        print(f"  {mode:<8} {value:.3f}")


if __name__ == "__main__":
    main()
