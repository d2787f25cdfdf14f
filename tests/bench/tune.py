"""Chooses constants of ranking on some corpora and reports them on others: what `make tune` prints.

`python -m tests.bench.tune --repositories DIR [--store DIR] [--golden DIR] [--docstrings N] [--grids NAME ...]`

A corpus is an index with questions of one measure: a repository of `golden/code` (nDCG@10), a collection's golden
questions (MRR@10), or functions by their docstrings (MRR@10). Every setting of a grid of `GRIDS` is tried on every
question of the corpora that it concerns: `rules` on code, `fusion` on code, documentation and reference. Then

    all       the figure of the setting that is best on all corpora together, which took part in choosing it
    unseen    for each corpus the figure of the setting that is best on the *other* corpora

stand side by side, with 95 % intervals over questions. Each rule is also taken away alone: one that does not pay on
what took no part goes. Indexes are kept in the cache folder and made again by `--rebuild`.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from build_index.evaluation.golden import GoldenQuestion, matches, read_golden
from build_index.evaluation.metrics import bootstrap_interval
from build_index.pipeline.pipeline import build
from build_index.pipeline.plan import BuildPlan, Tools
from build_index.wiring import open_question_embedder, open_store, open_tools
from quire.adapters.folder import FolderStore
from quire.documents import Hit
from quire.index.opened import OpenedIndex
from quire.ports import Embedder, Vectors
from quire.profiles import profile_named
from quire.search.retrieval import Query, retrieve
from quire.store.store import SegmentStore
from tests.bench import bench_docstrings
from tests.support.shared import shared_root

DEPTH = 10
Grid = Mapping[str, Sequence[float]]
"""Fields of `Profile` with the values that are compared; the first takes the rule away."""
GRIDS: Mapping[str, Grid] = {
    "fusion": {
        "vector_weight": (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8),
        "identifier_vector_weight": (0.0, 0.2, 0.3, 0.4, 0.5),
    },
    "rules": {
        "coherence": (0.0, 0.1, 0.2, 0.3, 0.4),
        "file_name": (0.0, 0.25, 0.5, 0.75),
        "decay": (1.0, 0.9, 0.8, 0.7),
    },
}
OF_CODE_ALONE = "rules"
"""The grid whose fields other profiles do not have."""

Setting = tuple[float, ...]
Score = Callable[[Sequence[Hit]], float]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and what its hits are worth, 0 to 1."""

    query: Query
    score: Score
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Corpus:
    """An index with its questions; corpora of one `family` are weighed together as one."""

    name: str
    family: str
    index: OpenedIndex
    questions: Sequence[Asked]


class Remembering:
    """An embedder that embeds a question once, however often it is asked."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._rows: dict[str, Vectors] = {}
        self.has_word = inner.has_word  # type: ignore[attr-defined]
        self.dimensions, self.digest = inner.dimensions, inner.digest
        self.embed_passages = inner.embed_passages

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `quire.ports.Embedder`."""
        for text in texts:
            if text not in self._rows:
                self._rows[text] = self._inner.embed([text])
        return np.concatenate([self._rows[text] for text in texts])


# ---- corpora --------------------------------------------------------------------------------------------------------


def code_corpora(golden: Path, repositories: Path, tools: Tools, *, rebuild: bool) -> Iterator[Corpus]:
    """The repositories of `golden/code` that lie in the folder, each by the name of its file."""
    store = SegmentStore(FolderStore(tools.cache / "tune"), tools.cache / "store")
    known = set(store.collections())
    for file in sorted((golden / "code").glob("*.json")):
        data = json.loads(file.read_text(encoding="utf-8"))
        root = repositories / file.stem / (data["root"] or "")
        if not root.is_dir():
            print(f"{file.stem}: skipped: wanted {data['repository']} at {data['revision']} in {root}")
            continue
        name = file.stem.replace(".", "-")
        if rebuild or name not in known:
            build(BuildPlan(name, profile_named("code"), (("repository", str(root)),)), tools, store)
        prefix = f"{data['root']}/" if data["root"] else ""
        questions = [
            Asked(Query(row["query"], DEPTH), _by_files(row, prefix), row["category"])
            for row in data["queries"]
        ]
        yield Corpus(file.stem, "code", store.open(name), questions)


def _by_files(row: Mapping[str, Any], prefix: str) -> Score:
    targets = [one if isinstance(one, dict) else {"path": one} for one in row["relevant"] + row["secondary"]]
    ideal = sum(1 / math.log2(place + 2) for place in range(min(DEPTH, len(targets))))

    def score(hits: Sequence[Hit]) -> float:
        places = {
            next((i for i, hit in enumerate(hits[:DEPTH]) if _covers(hit, one, prefix)), None)
            for one in targets
        }
        return sum(1 / math.log2(place + 2) for place in places if place is not None) / ideal

    return score


def _covers(hit: Hit, target: Mapping[str, Any], prefix: str) -> bool:
    facts = hit.chunk.metadata
    found, wanted = f"{prefix}{facts['path']}", target["path"]
    if not (found == wanted or found.endswith("/" + wanted) or wanted.endswith("/" + found)):
        return False
    first, last = facts.get("start_line") or 1, facts.get("end_line") or math.inf
    assert isinstance(first, int)
    assert isinstance(last, int | float)
    return "start_line" not in target or not (last < target["start_line"] or first > target["end_line"])


def golden_corpora(golden: Path, store: SegmentStore) -> Iterator[Corpus]:
    """The collections of the store that have a file of golden questions."""
    for name in store.collections():
        files = [
            file for file in (golden / f"{name}.jsonl", golden / f"{name}.public.jsonl") if file.exists()
        ]
        rows = [row for row in read_golden(files) if row.answerable]
        if rows:
            index = store.open(name)
            questions = [Asked(Query(row.text, DEPTH, row.filters), _first_of(row), row.kind) for row in rows]
            yield Corpus(name, "lines" if index.profile == "code" else index.profile, index, questions)


def _first_of(question: GoldenQuestion) -> Score:
    targets = [target for place in question.places for target in place]

    def score(hits: Sequence[Hit]) -> float:
        right = (hit.rank for hit in hits if any(matches(hit.chunk.metadata, one) for one in targets))
        return 1 / next(right, math.inf)

    return score


def docstring_corpus(count: int, tools: Tools) -> Corpus:
    """Functions of installed packages by what they say they do, as `bench_docstrings` asks them."""
    root = bench_docstrings.packages_root()
    pairs = bench_docstrings.sample(list(bench_docstrings.read_pairs(root)), count)
    index = bench_docstrings.index_files(root, pairs, tools.cache / "tune-docstrings", tools)

    def asked(pair: bench_docstrings.Pair) -> Asked:
        query = Query(pair.question, DEPTH)
        return Asked(query, lambda hits: bench_docstrings.reciprocal_rank(tuple(hits), pair))

    return Corpus("docstrings", "functions", index, [asked(pair) for pair in pairs])


# ---- choosing -------------------------------------------------------------------------------------------------------

Scores = Mapping[Setting, Mapping[str, NDArray[np.float64]]]
"""For each setting and corpus the scores of its questions."""


def try_settings(
    corpora: Sequence[Corpus], fields: Sequence[str], settings: Sequence[Setting], embedder: Embedder
) -> Scores:
    """Ask every question under every setting of these fields."""
    return {
        setting: {one.name: ask(one, dict(zip(fields, setting, strict=True)), embedder) for one in corpora}
        for setting in settings
    }


def ask(corpus: Corpus, changed: Mapping[str, Any], embedder: Embedder) -> NDArray[np.float64]:
    """The score of each question, in their order, where the profile has these values."""
    profile = profile_named(corpus.index.profile)._replace(**changed)
    found = (retrieve(corpus.index, embedder, one.query, profile=profile).hits for one in corpus.questions)
    return np.array([one.score(hits) for one, hits in zip(corpus.questions, found, strict=True)])


def choose(scores: Scores, families: Mapping[str, str], corpora: Sequence[str]) -> Setting:
    """The setting of the highest mean over these corpora, each family weighing the same; ties to the mildest."""
    return max(
        scores, key=lambda setting: (round(_mean(scores[setting], families, corpora), 4), -sum(setting))
    )


def _mean(
    found: Mapping[str, NDArray[np.float64]], families: Mapping[str, str], corpora: Sequence[str]
) -> float:
    names = sorted({families[name] for name in corpora})
    return float(
        np.mean([np.mean([found[c].mean() for c in corpora if families[c] == name]) for name in names])
    )


def unseen(scores: Scores, families: Mapping[str, str]) -> dict[str, NDArray[np.float64]]:
    """Each corpus's scores under the setting that is best on all the others."""
    names = list(families)
    chosen = {name: choose(scores, families, [other for other in names if other != name]) for name in names}
    return {name: scores[chosen[name]][name] for name in names}


def in_halves(
    scores: Scores, families: Mapping[str, str], names: Sequence[str]
) -> dict[str, NDArray[np.float64]]:
    """Scores of every second corpus under the setting that is best on the others, and the other way round."""
    halves = (names[::2], names[1::2])
    return {
        name: scores[choose(scores, families, other)][name]
        for half, other in (halves, halves[::-1])
        for name in half
    }


# ---- telling --------------------------------------------------------------------------------------------------------


def row(label: str, *columns: NDArray[np.float64]) -> str:
    """A row of Markdown: means with intervals."""
    cells = []
    for values in columns:
        low, high = bootstrap_interval(values.tolist())
        cells.append(f"{values.mean():.3f} ({low:.2f} to {high:.2f})")
    return " | ".join([f"| {label}", *cells]) + " |"


def tell(corpora: Sequence[Corpus], grid: Grid, scores: Scores, shipped: Setting) -> None:
    """Print the tables of a grid."""
    families = {one.name: one.family for one in corpora}
    none = tuple(values[0] for values in grid.values())
    best, held_out = choose(scores, families, list(families)), unseen(scores, families)
    print(f"\nbest on all: {_named(grid, best)}; shipped: {_named(grid, shipped)}\n")
    print(
        "| corpus | questions | without | shipped | chosen on all | chosen on the others |\n|---|---|---|---|---|---|"
    )
    for one in corpora:
        columns = [
            scores[none][one.name],
            scores[shipped][one.name],
            scores[best][one.name],
            held_out[one.name],
        ]
        print(row(f"{one.name} | {len(one.questions)}", *columns))
    code = [one.name for one in corpora if one.family == "code"]
    if code:
        columns = [
            np.concatenate([found[name] for name in code])
            for found in (scores[none], scores[shipped], scores[best], held_out)
        ]
        print(row(f"**code, all** | {len(columns[0])}", *columns))
        halves = in_halves(scores, families, code)
        for number, half in enumerate((code[::2], code[1::2]), 1):
            print(
                row(
                    f"code, half {number}, chosen on the other",
                    np.concatenate([halves[name] for name in half]),
                )
            )
        kinds = [one.kind for corpus in corpora if corpus.family == "code" for one in corpus.questions]
        for kind in sorted(set(kinds)):
            print(row(f"code, {kind}", *(values[np.array(kinds) == kind] for values in columns)))
    print("\nwhat each rule adds to the shipped setting, with the 95 % interval of the difference:\n")
    for place, name in enumerate(grid):
        setting = tuple(none[i] if i == place else value for i, value in enumerate(shipped))
        for family in sorted(set(families.values())):
            members = [corpus for corpus in families if families[corpus] == family]
            gains = np.concatenate([scores[shipped][c] - scores[setting][c] for c in members])
            low, high = bootstrap_interval(gains.tolist())
            print(f"  {name:<12}{family:<12}{gains.mean():+.4f} ({low:+.4f} to {high:+.4f})")


def _named(grid: Grid, setting: Setting) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in zip(grid, setting, strict=True))


def main() -> None:
    """Print what was chosen and what it is worth."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--repositories", type=Path, required=True, help="folders named as the files of golden/code"
    )
    parser.add_argument("--store", help="whose collections' golden questions are asked as well")
    parser.add_argument("--golden", type=Path, default=shared_root() / "golden")
    parser.add_argument("--docstrings", type=int, default=500, help="0 leaves them out")
    parser.add_argument("--grids", nargs="+", default=list(GRIDS), choices=GRIDS)
    parser.add_argument("--rebuild", action="store_true")
    args = parser.parse_args()
    tools, embedder = open_tools(), Remembering(open_question_embedder())
    corpora = list(code_corpora(args.golden, args.repositories, tools, rebuild=args.rebuild))
    corpora += golden_corpora(args.golden, open_store(args.store))
    if args.docstrings:
        corpora.append(docstring_corpus(args.docstrings, tools))
    code = profile_named("code")
    for name in args.grids:
        grid = GRIDS[name]
        shipped = tuple(float(getattr(code, field)) for field in grid)
        settings = list(dict.fromkeys([*product(*grid.values()), shipped]))
        chosen = [one for one in corpora if name != OF_CODE_ALONE or one.index.profile == "code"]
        print(f"\n{name}")
        tell(chosen, grid, try_settings(chosen, tuple(grid), settings, embedder), shipped)


if __name__ == "__main__":
    main()
