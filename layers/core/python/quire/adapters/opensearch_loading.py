"""Loads a build into an index of an OpenSearch server, so that it may be interrupted anywhere and gone on with.

A document's id is its chunk's and the number of its row, so what is sent twice is there once. How far a load came the
server itself tells: it counts the documents of each block of ordinals, and blocks that are whole are not sent again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.adapters.connections import pause
from quire.adapters.opensearch_wire import SHOWN, OpenSearchWire
from quire.errors import StoreError, StoreUnavailable

if TYPE_CHECKING:
    from quire.ports import BuildToLoad, LoadedChunk

BLOCK = 10_000
BULK_BYTES = 5_000_000
"""Of one request. Source: OpenSearch documentation, "Bulk": 5 to 15 MB."""
ATTEMPTS = 6
SHARD_ROWS = 2_500_000
"""10 to 50 GB a shard are advised; a row of 384 dimensions with its chunk is about 8 KB."""
UNIT = "one"
_BUSY = frozenset({429, 503})


def load_build(wire: OpenSearchWire, index: str, build: BuildToLoad) -> None:
    """See `quire.ports.SearchServer.load`."""
    expected = _expected(build)
    _create(wire, index, build, int(expected.sum()))
    held = _held(wire, index, len(expected))
    for block in np.flatnonzero(held != expected).tolist():
        for body in _bodies(build.read(block * BLOCK, min((block + 1) * BLOCK, build.chunks))):
            _send(wire, index, body)
    held = _held(wire, index, len(expected))
    if (held != expected).any():
        raise StoreError(
            f"opensearch {wire.host}: {index}: loaded {int(expected.sum())} documents, it holds {int(held.sum())}"
        )
    facts = {"loaded": True, "chunks": build.chunks, "score_factor": _score_factor(wire, index)}
    wire.ask("PUT", f"/{index}/_mapping", {"_meta": facts})


def _score_factor(wire: OpenSearchWire, index: str) -> float:
    """What the server's scores are multiplied by to be those of BM25 as the segments have it.

    Lucene left out the factor k1 + 1 at some time, and servers followed or not. The one document whose `unit` has one
    term scores ln(1 + .5 / 1.5), or that without the factor.
    """
    found = wire.search(index, {"size": 1, "_source": False, "query": {"term": {"unit": UNIT}}})["hits"][
        "hits"
    ]
    if len(found) != 1:
        raise StoreError(
            f"opensearch {wire.host}: {index}: the chunk that scores are measured by is not found"
        )
    return math.log1p(0.5 / 1.5) / float(found[0]["_score"])


def _create(wire: OpenSearchWire, index: str, build: BuildToLoad, rows: int) -> None:
    if wire.ask("GET", f"/{index}").status in range(200, 300):
        return
    encoder = {"name": "sq", "parameters": {"type": "fp16"}}
    graph = {"m": 16, "ef_construction": 128, "encoder": encoder}
    method = {"name": "hnsw", "engine": "faiss", "space_type": "innerproduct", "parameters": graph}
    settings: dict[str, Any] = {
        "knn": True,
        "number_of_shards": max(1, -(-rows // SHARD_ROWS)),
        "auto_expand_replicas": "0-1",
        "refresh_interval": "-1",  # nothing changes once it is loaded
    }
    analysis = {"analyzer": {"terms": {"type": "custom", "tokenizer": "whitespace"}}}
    terms = {"type": "text", "analyzer": "terms", "index_options": "freqs"}
    properties: dict[str, Any] = {
        "ordinal": {"type": "integer"},
        "row": {"type": "integer"},
        "terms": terms,
        "unit": terms,
        "line": {"type": "keyword", "index": False, "doc_values": False},
        "vector": {"type": "knn_vector", "dimension": build.dimensions, "method": method},
    }
    # Vectors and terms are searched, and the segments have them: the stored document is the line alone.
    mappings = {"dynamic": "strict", "_source": {"includes": ["line"]}, "properties": properties}
    wire.ask(
        "PUT", f"/{index}", {"settings": {"index": settings, "analysis": analysis}, "mappings": mappings}
    )


def _expected(build: BuildToLoad) -> np.ndarray[Any, np.dtype[np.int64]]:
    """How many documents each block of ordinals has."""
    documents = np.maximum(build.row_counts(), 1)
    starts = np.arange(0, build.chunks, BLOCK)
    return np.add.reduceat(documents, starts) if len(starts) else np.zeros(0, np.int64)


def _held(wire: OpenSearchWire, index: str, blocks: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """How many of them are there."""
    wire.ask("POST", f"/{index}/_refresh")
    counted = {"blocks": {"histogram": {"field": "ordinal", "interval": BLOCK}}}
    tree = wire.search(index, {"size": 0, "aggs": counted})
    held = np.zeros(blocks, np.int64)
    for bucket in tree["aggregations"]["blocks"]["buckets"]:
        held[int(bucket["key"]) // BLOCK] = bucket["doc_count"]
    return held


def _bodies(chunks: Iterable[LoadedChunk]) -> Iterator[list[bytes]]:
    """Documents for one request each."""
    body: list[bytes] = []
    size = 0
    for chunk in chunks:
        for lines in _documents(chunk):
            body.append(lines)
            size += len(lines)
        if size >= BULK_BYTES:
            yield body
            body, size = [], 0
    if body:
        yield body


def _documents(chunk: LoadedChunk) -> Iterator[bytes]:
    rows = np.round(chunk.vectors, 6).tolist()
    for row in range(max(len(rows), 1)):
        document: dict[str, Any] = {"ordinal": chunk.ordinal, "row": row}
        if row == 0:
            document["terms"] = " ".join(" ".join([term] * count) for term, count in chunk.terms)
            document["line"] = chunk.line.decode()
            if chunk.ordinal == 0:
                document["unit"] = UNIT
        if rows:
            document["vector"] = rows[row]
        yield _lines({"index": {"_id": f"{chunk.id}.{row}"}}, document)


def _lines(action: dict[str, Any], document: dict[str, Any]) -> bytes:
    told = (json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in (action, document))
    return ("\n".join(told) + "\n").encode()


def _send(wire: OpenSearchWire, index: str, documents: list[bytes]) -> None:
    """Have the server index all of them; those for which it was too busy are sent again.

    Raises:
        StoreError: it refused one, naming it.
        StoreUnavailable: it stays too busy.
    """
    for attempt in range(1, ATTEMPTS + 1):
        body = b"".join(documents)
        shown = "errors,items.*._id,items.*.status,items.*.error"
        answer = wire.ask("POST", f"/{index}/_bulk", body, {"filter_path": shown})
        if not answer.tree.get("errors"):
            return
        items = [one["index"] for one in answer.tree["items"]]
        refused = [one for one in items if one["status"] >= 300 and one["status"] not in _BUSY]
        if refused:
            first = refused[0]
            raise StoreError(
                f"opensearch {wire.host}: {index}: refused {len(refused)} of {len(items)} documents, first"
                f" {first['_id']}: {json.dumps(first.get('error'))[:SHOWN]}"
            )
        pairs = zip(documents, items, strict=True)
        documents = [lines for lines, item in pairs if item["status"] in _BUSY]
        if attempt < ATTEMPTS:
            pause(attempt)
    raise StoreUnavailable(f"opensearch {wire.host}: {index}: too busy for {len(documents)} documents")
