"""Runs BEIR-format folders (corpus.jsonl, queries.jsonl, qrels/*.tsv) through Quire's own indexes and fusion.

Source of the format and the measures: Thakur et al., "BEIR: A heterogeneous benchmark for zero-shot evaluation of
information retrieval models", NeurIPS 2021.
"""

from __future__ import annotations

import csv
import json
import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from build_index.cache.store import ContentStore
from build_index.cache.vectors import CachedVectors
from build_index.evaluation.evaluate import Ask
from build_index.evaluation.metrics import ndcg
from build_index.pipeline.plan import Tools
from build_index.progress import track
from quire.documents import Chunk, chunk_id
from quire.errors import InputError
from quire.index.opened import OpenedIndex
from quire.index.reader import open_segment
from quire.index.writer import SegmentFacts, write_segment
from quire.ingestion.rows import index_rows
from quire.profiles import profile_named
from quire.search.retrieval import Query

DEPTH = 100
"""Documents asked for: `recall@100` counts so many."""


@dataclass(frozen=True, slots=True)
class BeirSet:
    """Questions with their graded documents; the corpus is read lazily by `corpus_chunks`."""

    folder: Path
    queries: Mapping[str, str]
    qrels: Mapping[str, Mapping[str, int]]


def read_beir(folder: Path, split: str = "test") -> BeirSet:
    """Read questions and judgements; the split falls back to the only file there is.

    Raises:
        InputError: a file of the format is missing.
    """
    for name in ("corpus.jsonl", "queries.jsonl", "qrels"):
        if not (folder / name).exists():
            raise InputError(f"{folder}: no {name}; wanted a BEIR-format folder", field="dir")
    judged = folder / "qrels" / f"{split}.tsv"
    if not judged.exists():
        judged = next(iter(sorted((folder / "qrels").glob("*.tsv"))), judged)
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    with judged.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            if int(row["score"]) > 0:
                qrels[row["query-id"]][row["corpus-id"]] = int(row["score"])
    queries = {row["_id"]: row["text"] for row in _lines(folder / "queries.jsonl")}
    return BeirSet(folder, {name: queries[name] for name in qrels if name in queries}, dict(qrels))


def corpus_chunks(folder: Path) -> Iterator[Chunk]:
    """Every document of the corpus as one chunk, its title as breadcrumb."""
    for row in _lines(folder / "corpus.jsonl"):
        name = row["_id"]
        yield Chunk(
            id=chunk_id(name, "0"),
            document_id=name,
            text=row["text"] or row["title"],
            breadcrumb=row.get("title") or "",
        )


def build_beir_index(folder: Path, tools: Tools) -> OpenedIndex:
    """Index the corpus as one segment in the cache folder; every document is one chunk and there is no cap."""
    profile = profile_named("docs")
    chunks = list(corpus_chunks(folder))
    target = tools.cache / "beir" / folder.name
    shutil.rmtree(target, ignore_errors=True)
    facts = SegmentFacts(
        profile=profile.name,
        face=profile.face,
        filters=(),
        dimensions=tools.embedder.dimensions,
        model=tools.embedder.digest,
    )
    with closing(ContentStore(tools.cache)) as store:
        vectors = CachedVectors(tools.embedder, store)
        rows = track(index_rows(chunks, profile, vectors), f"{folder.name}: indexing", total=len(chunks))
        write_segment(target, rows, facts)
    return OpenedIndex([(open_segment(target), 0)], version=folder.name)


def score_beir(ask: Ask, questions: BeirSet, mode: str) -> dict[str, float]:
    """Ask every judged question for 100 documents: `ndcg@10`, `recall@100`, `mrr@10`, `queries`."""
    figures: dict[str, list[float]] = {"ndcg@10": [], "recall@100": [], "mrr@10": []}
    for name, text in questions.queries.items():
        ranked = [hit.chunk.document_id for hit in ask(Query(text, top_k=DEPTH, mode=mode)).hits]
        gains = questions.qrels[name]
        figures["ndcg@10"].append(ndcg(ranked, gains, 10))
        figures["recall@100"].append(len(set(ranked) & gains.keys()) / min(len(gains), DEPTH))
        figures["mrr@10"].append(_reciprocal_rank(ranked[:10], gains))
    return {name: float(np.mean(values)) for name, values in figures.items()} | {
        "queries": len(questions.queries)
    }


def _reciprocal_rank(ranked: Sequence[str], gains: Mapping[str, int]) -> float:
    return next((1.0 / rank for rank, name in enumerate(ranked, 1) if name in gains), 0.0)


def _lines(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)
