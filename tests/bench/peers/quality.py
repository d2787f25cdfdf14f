"""One engine over one corpus: `quality.py ENGINE CORPUS.json MODEL_FOLDER`, run by `compare_peers`.

The corpus says `root`, `files` (paths below it) and `questions`. What is printed is one object: seconds from the start
of the process to the index (`index_s`: imports, reading, indexing) and to the first hits (`first_s`), CPU seconds of
the same, the median milliseconds of a warm question, the most megabytes resident, and for each question ten hits as
`[path, from, to]`, best first. Every engine embeds with the model that Quire exports. Cutting is the engine's own
default; those that have none get windows of 200 words, which is what Haystack's documentation takes.
"""

import json
import os
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

STARTED = time.perf_counter()
DEPTH = 10
WORDS = 200


class Model:
    """The exported MiniLM; rows are normalized, one a text."""

    def __init__(self, folder):
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 2
        # Threads that wait in a loop cost a third of the CPU where something else runs beside.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.session = onnxruntime.InferenceSession(
            f"{folder}/model.onnx", options, providers=["CPUExecutionProvider"]
        )
        self.inputs = {
            one.name: "int32" if "int32" in one.type else "int64" for one in self.session.get_inputs()
        }
        self.tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(256)
        self.dim = 384

    def row(self, text):
        import numpy as np

        ids = np.array([self.tokenizer.encode(text or " ").ids])
        known = {"attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        fed = {name: known.get(name, ids).astype(kind) for name, kind in self.inputs.items()}
        row = self.session.run(None, fed)[0].reshape(-1)
        return (row / np.linalg.norm(row)).astype("float32")

    def encode(self, texts, **_):
        import numpy as np

        return np.stack([self.row(text) for text in texts])


def documents(corpus):
    for name in corpus["files"]:
        yield name, (Path(corpus["root"]) / name).read_text(encoding="utf-8", errors="replace")


def windows(corpus):
    """Windows of `WORDS` words: text, path, first and last line."""
    for name, text in documents(corpus):
        words, line, first = [], 1, 1
        for number, content in enumerate(text.split("\n"), 1):
            line = number
            if not words:
                first = number
            words += [content]
            if sum(len(one.split()) for one in words) >= WORDS:
                yield "\n".join(words), name, first, line
                words = []
        if any(one.strip() for one in words):
            yield "\n".join(words), name, first, line


def quire(corpus, folder):
    from build_index.pipeline.pipeline import build
    from build_index.pipeline.plan import BuildPlan
    from build_index.wiring import open_question_embedder, open_tools
    from quire.adapters.folder import FolderStore
    from quire.profiles import profile_named
    from quire.search.retrieval import Query, retrieve
    from quire.store.store import SegmentStore

    place = Path(tempfile.mkdtemp())
    (place / "cache").mkdir()
    (place / "cache" / "models").symlink_to(Path(folder).parent.absolute())
    store = SegmentStore(FolderStore(place / "store"), place / "opened")
    source = (("repository" if corpus["kind"] == "code" else "docs", corpus["root"]),)
    build(BuildPlan("peer", profile_named(corpus["kind"]), source), open_tools(cache=place / "cache"), store)
    index, embedder = store.open("peer"), open_question_embedder()

    def ask(question):
        hits = retrieve(index, embedder, Query(question, DEPTH)).hits
        return [[one.chunk.metadata["path"], *_lines(one)] for one in hits]

    return ask


def _lines(hit):
    return [int(hit.chunk.metadata.get("start_line") or 1), int(hit.chunk.metadata.get("end_line") or 10**9)]


def llamaindex(corpus, folder):
    from llama_index.core import Document, VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding

    model = Model(folder)

    class Minilm(BaseEmbedding):
        def _get_query_embedding(self, query):
            return model.row(query).tolist()

        def _get_text_embedding(self, text):
            return model.row(text).tolist()

        async def _aget_query_embedding(self, query):
            return self._get_query_embedding(query)

    texts = dict(documents(corpus))
    index = VectorStoreIndex.from_documents(
        [Document(text=text, metadata={"path": name}) for name, text in texts.items()], embed_model=Minilm()
    )
    retriever = index.as_retriever(similarity_top_k=DEPTH)

    def ask(question):
        found = []
        for one in retriever.retrieve(question):
            text, node = texts[one.node.metadata["path"]], one.node
            start, end = node.start_char_idx or 0, node.end_char_idx or len(text)
            found.append(
                [node.metadata["path"], text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 1]
            )
        return found

    return ask


def haystack(corpus, folder):
    from haystack import Document
    from haystack.components.joiners import DocumentJoiner
    from haystack.components.preprocessors import DocumentSplitter
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    model, texts = Model(folder), dict(documents(corpus))
    splitter = DocumentSplitter(split_by="word", split_length=WORDS)
    splitter.warm_up()
    whole = [Document(content=text, meta={"path": name}) for name, text in texts.items() if text.strip()]
    parts = splitter.run(documents=whole)["documents"]
    for one in parts:
        one.embedding = model.row(one.content).tolist()
    store = InMemoryDocumentStore(embedding_similarity_function="cosine")
    store.write_documents(parts)
    words, near = InMemoryBM25Retriever(store, top_k=DEPTH), InMemoryEmbeddingRetriever(store, top_k=DEPTH)
    joiner = DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=DEPTH)

    def ask(question):
        found = joiner.run(
            documents=[
                words.run(query=question)["documents"],
                near.run(query_embedding=model.row(question).tolist())["documents"],
            ]
        )["documents"]
        rows = []
        for one in found[:DEPTH]:
            text, start = texts[one.meta["path"]], one.meta["split_idx_start"]
            first = text.count("\n", 0, start) + 1
            rows.append([one.meta["path"], first, first + one.content.count("\n")])
        return rows

    return ask


def lancedb(corpus, folder):
    import lancedb as lance
    from lancedb.rerankers import RRFReranker

    model, rows = Model(folder), list(windows(corpus))
    table = lance.connect(tempfile.mkdtemp()).create_table(
        "chunks",
        [
            {"id": number, "text": text, "vector": model.row(text).tolist()}
            for number, (text, *_) in enumerate(rows)
        ],
    )
    table.create_fts_index("text")
    reranker = RRFReranker()

    def ask(question):
        search = table.search(query_type="hybrid").vector(model.row(question)).text(question)
        return [list(rows[one["id"]][1:]) for one in search.rerank(reranker).limit(DEPTH).to_list()]

    return ask


def chroma(corpus, folder):
    import chromadb

    model, rows = Model(folder), list(windows(corpus))
    chunks = chromadb.EphemeralClient().create_collection("chunks", metadata={"hnsw:space": "cosine"})
    for start in range(0, len(rows), 2000):
        part = rows[start : start + 2000]
        chunks.add(
            ids=[str(start + number) for number in range(len(part))],
            embeddings=model.encode([text for text, *_ in part]).tolist(),
            documents=[text for text, *_ in part],
        )

    def ask(question):
        found = chunks.query(query_embeddings=[model.row(question).tolist()], n_results=min(DEPTH, len(rows)))
        return [list(rows[int(one)][1:]) for one in found["ids"][0]]

    return ask


def txtai(corpus, folder):
    from txtai import Embeddings

    model, rows = Model(folder), list(windows(corpus))
    index = Embeddings(method="external", transform=lambda texts: model.encode(texts), hybrid=True)
    index.index([(number, text, None) for number, (text, *_) in enumerate(rows)])
    return lambda question: [list(rows[int(one)][1:]) for one, _ in index.search(question, DEPTH)]


def semble(corpus, folder):
    import semble.index.index as own
    from semble.types import ContentType

    model = Model(folder)
    own.load_model = lambda path=None: (
        model,
        "minilm",
    )  # its own model comes from a hub; all take the same here
    own.get_validated_cache = lambda *_: None
    own.load_previous_for_incremental = lambda *_: None
    content = [ContentType.CODE] if corpus["kind"] == "code" else [ContentType.DOCS]
    index = own.SembleIndex.from_path(corpus["root"], content=content)

    def ask(question):
        return [
            [str(one.chunk.file_path), one.chunk.start_line, one.chunk.end_line]
            for one in index.search(question, top_k=DEPTH)
        ]

    return ask


ENGINES = {
    "quire": quire,
    "llamaindex": llamaindex,
    "haystack": haystack,
    "lancedb": lancedb,
    "chroma": chroma,
    "txtai": txtai,
    "semble": semble,
}


def spent():
    """CPU seconds and the most megabytes of this process and of those that it started and that live."""
    cpu, peak = 0.0, 0
    below = [
        int(one) for path in Path("/proc/self/task").glob("*/children") for one in path.read_text().split()
    ]
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    for number in (os.getpid(), *below):
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(") ")[2].split()
        cpu += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        peak += int(Path(f"/proc/{number}/status").read_text().partition("VmHWM:")[2].split()[0]) // 1024
    return cpu + ended.ru_utime + ended.ru_stime, peak


def main():
    name, corpus_file, folder = sys.argv[1:]
    corpus = json.loads(Path(corpus_file).read_text(encoding="utf-8"))
    ask = ENGINES[name](corpus, folder)
    indexed = time.perf_counter() - STARTED
    first = ask(corpus["questions"][0])
    done = time.perf_counter() - STARTED
    cpu, _ = spent()
    hits, times = [], []
    for question in corpus["questions"]:
        began = time.perf_counter()
        hits.append(ask(question))
        times.append((time.perf_counter() - began) * 1000)
    assert first is not None
    _, peak = spent()
    print(
        json.dumps(
            {
                "index_s": indexed,
                "first_s": done,
                "cpu_s": cpu,
                "p50_ms": statistics.median(times),
                "peak_mb": peak,
                "hits": hits,
            }
        )
    )


if __name__ == "__main__":
    main()
