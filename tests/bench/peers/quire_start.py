"""Quire's core from process start to the first hybrid result: `quire_start.py STORE COLLECTION MODEL QUESTION`."""

import json
import sys
import time

started = time.perf_counter()
from pathlib import Path  # noqa: E402

from quire.adapters.folder import FolderStore  # noqa: E402
from quire.embedding import onnx as onnx_embedder  # noqa: E402, F401
from quire.embedding import open_embedder  # noqa: E402
from quire.search.retrieval import Query, retrieve  # noqa: E402
from quire.store.store import SegmentStore  # noqa: E402

imported = time.perf_counter()
store, collection, model, question = sys.argv[1:]
index = SegmentStore(FolderStore(Path(store)), Path(store)).open(collection)
embedder = open_embedder(Path(model))
opened = time.perf_counter()
embedder.embed([question])
embedded = time.perf_counter()
hits = retrieve(index, embedder, Query(question, top_k=10)).hits
done = time.perf_counter()
assert len(hits) == 10
parts = {
    "import": imported - started,
    "open": opened - imported,
    "embed": embedded - opened,
    "search": done - embedded,
}
milliseconds = {name: seconds * 1000 for name, seconds in parts.items()}
print(json.dumps({**milliseconds, "cpu": time.process_time() * 1000}), flush=True)
