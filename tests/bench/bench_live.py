"""What live writes and contexts cost: `make bench BENCH=bench_live`.

A 50 KB document from POST to 201, beside the time that embedding it takes; the context of a question to a site of
5,000 chunks in 200 segments, before and after they are merged.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from build_index.model.export import ensure_model
from quire.chunking import chunk_document
from quire.documents import Chunk, Document
from quire.embedding import open_embedder
from quire.embedding.quantization import quantize
from quire.ingestion.rows import index_rows
from quire.ports import Embedder, Vectors
from quire.profiles import profile_named
from quire.search.retrieval import Query, retrieve
from quire.service.access import ANYONE
from quire.service.live_writes import LiveWrites
from quire.service.site_documents import SiteDocuments
from quire.service.sites import Submission
from quire.store.merging import SegmentMerger
from quire.store.write_targets import Site
from tests.support.fakes import HashingEmbedder
from tests.support.lively import Lively
from tests.support.tree import ROOT

SITE = Site("sites", "acme")
DOCUMENT_CHARACTERS = 50_000
POSTS = 20
SEGMENTS, CHUNKS_EACH, CHARACTERS_EACH = 200, 25, 640
QUESTIONS = 200


class MixedEmbedder:
    """The real model for questions, hashed terms for passages: 5,000 chunks in seconds, with the model's widths."""

    def __init__(self, real: Embedder) -> None:
        self._real = real
        self._hashed = HashingEmbedder(real.dimensions)
        self.dimensions = real.dimensions
        self.digest = real.digest

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._real.embed(texts)

    def embed_passages(self, passages: Sequence[tuple[str, str]]) -> Iterator[Vectors]:
        return self._hashed.embed_passages(passages)


def words() -> list[str]:
    pages = "\n".join(path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("*.md")))
    return [word for word in pages.split() if word.isalpha()]


def prose(draw: random.Random, known: list[str], characters: int) -> str:
    paragraphs: list[str] = []
    while sum(map(len, paragraphs)) < characters:
        sentences = (
            " ".join(draw.choices(known, k=draw.randrange(8, 22))).capitalize() + "." for _ in range(6)
        )
        paragraphs.append(" ".join(sentences))
    return "\n\n".join(paragraphs)[:characters]


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def embedding_s(embedder: Embedder, chunks: Sequence[Chunk]) -> float:
    """CPU seconds of making rows of the chunks."""
    began = time.process_time()
    profile = profile_named("sites")
    list(index_rows(chunks, profile, lambda passages: map(quantize, embedder.embed_passages(list(passages)))))
    return time.process_time() - began


def bench_post(embedder: Embedder, folder: Path) -> None:
    draw, known = random.Random(1), words()
    client = Lively(folder, embedder=embedder).client()
    posted: list[float] = []
    embedded: list[float] = []
    for number in range(POSTS):
        text = prose(draw, known, DOCUMENT_CHARACTERS)
        chunks = list(chunk_document(Document(f"d{number}", text, "prose")))
        # The machine's speed wanders within seconds: embedding is timed on both sides of the POST.
        before = embedding_s(embedder, chunks)
        began = time.process_time()
        body = {"site_id": "acme", "source": "a.txt", "content": text}
        assert client.post("/sites/documents", json=body).status_code == 201
        posted.append(time.process_time() - began)
        embedded.append((before + embedding_s(embedder, chunks)) / 2)
    ratios = [post / embed for post, embed in zip(posted, embedded, strict=True)]
    print(
        f"POST of 50 KB, CPU s: median {statistics.median(posted):.2f}, embedding it {statistics.median(embedded):.2f}"
    )
    median, p95 = statistics.median(ratios), percentile(ratios, 0.95)
    print(f"  POST -> 201 over its embedding: median {median:.2f}, p95 {p95:.2f} (bar: p95 at most 1.3)")


def bench_context(embedder: Embedder, folder: Path) -> None:
    draw, known = random.Random(2), words()
    lively = Lively(folder, embedder=MixedEmbedder(embedder))
    base = lively.base
    unfolded = LiveWrites(base.store, folder / "work")
    documents = SiteDocuments(base.live, unfolded, base.store, base.objects, embedder_for=base.embedder_for)
    for number in range(SEGMENTS):
        text = prose(draw, known, CHUNKS_EACH * CHARACTERS_EACH)
        documents.add(ANYONE, SITE, Submission(text, f"{number}.txt"))
    print(f"site: {_shape(lively)}")
    questions = [" ".join(draw.choices(known, k=7)) for _ in range(QUESTIONS)]
    _time_contexts(lively, questions, "as written")
    before = _rankings(lively, embedder, questions)
    SegmentMerger(base.store, base.objects, folder / "merge").merge(SITE.place, everything=True)
    print(f"merged: {_shape(lively)}")
    _time_contexts(lively, questions, "merged")
    after = _rankings(lively, embedder, questions)
    pairs = list(zip(before, after, strict=True))
    same = sum(one == other for one, other in pairs)
    print(f"rankings of 10 that are the same, scores to six digits: {same} of {len(questions)} (bar: all)")
    chunks = sum([name for name, _ in one] == [name for name, _ in other] for one, other in pairs)
    print(f"  the same chunks in the same order: {chunks} of {len(questions)}")


def _shape(lively: Lively) -> str:
    served = lively.base.live.get(SITE.name)
    return f"{served.index.chunk_count:,} chunks in {len(served.pointer.segments)} segments"


def _time_contexts(lively: Lively, questions: list[str], label: str) -> None:
    client = lively.client()
    for number in range(10):
        body = {"site_id": "acme", "user_id": "u", "role": "user", "message": f"message {number}"}
        client.post("/sites/chat-messages", json=body)
    took: list[float] = []
    spent: list[float] = []
    for question in [*questions[:20], *questions]:
        began, cpu = time.perf_counter(), time.process_time()
        body = {"site_id": "acme", "user_id": "u", "query": question}
        assert client.post("/sites/retrieve-context", json=body).status_code == 200
        took.append((time.perf_counter() - began) * 1000)
        spent.append((time.process_time() - cpu) * 1000)
    print(
        f"context, {label}, ms: wall p50 {percentile(took[20:], 0.5):.1f} p95 {percentile(took[20:], 0.95):.1f}, "
        f"CPU p50 {percentile(spent[20:], 0.5):.1f} p95 {percentile(spent[20:], 0.95):.1f} (bar: p95 at most 30)"
    )


def _rankings(lively: Lively, embedder: Embedder, questions: list[str]) -> list[list[tuple[str, float]]]:
    index = lively.base.live.get(SITE.name).index
    found = [retrieve(index, embedder, Query(question, 10)).hits for question in questions]
    return [[(hit.chunk.id, round(hit.score, 6)) for hit in hits] for hits in found]


def main() -> None:
    """Run both with the real model on one thread."""
    embedder = open_embedder(ensure_model(ROOT / ".quire" / "cache"), threads=1)
    with tempfile.TemporaryDirectory() as folder:
        if "--context" not in sys.argv:
            bench_post(embedder, Path(folder) / "post")
        bench_context(embedder, Path(folder) / "context")


if __name__ == "__main__":
    main()
