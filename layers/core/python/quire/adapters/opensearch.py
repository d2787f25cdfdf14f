"""Searches the chunks of a build that an OpenSearch server holds: vectors, keywords and payloads.

An index has a document for each row of vectors, and one for a chunk without any. The first of a chunk holds besides its
search terms, each as often as it counts in whole numbers, and its stored line. So BM25 of the server scores what the
segments' own does, but for quarters that are rounded, and lengths, which Lucene keeps in a byte.

Without a filter the server's HNSW graph finds candidates (`knn`). Inside a filter every allowed row is scored
(`script_score` with `knn_score`), which is exact. Source: OpenSearch documentation, "Exact k-NN with scoring script".
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from quire.adapters.circuit_breaker import Timeouts
from quire.adapters.opensearch_wire import LOADING, NOT_FOUND, OpenSearchWire, read_address, roaring_bitmap
from quire.errors import ArtifactCorrupt
from quire.ranking import EMPTY, Ranking, rank

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quire.ports import BuildToLoad, Ordinals, Vectors

K1 = 1.2
"""The server's default, and the segments'."""
WINDOW = 10_000
"""Hits that one search may give, and rows that `k` may be. Source: `index.max_result_window`, k-NN plugin."""
LISTED = 1_024
"""Ordinals up to which a filter lists them; more are sent as a bitmap. Source: `terms` query, OpenSearch 2.17."""
MOST_TERMS = 1_000
"""Clauses of one query: `indices.query.bool.max_clause_count` is 1,024."""
REMEMBERED = 4_096
PAGE = 500
SPARE = 1.25
"""Rows asked of the graph for each that is wanted: some belong to a chunk that a nearer one belongs to."""
EF_SEARCH = 256
"""Candidates that the graph keeps while it searches, at least; `k` is never more than these."""
_OWN = re.compile(r"[0-9a-f]{12}")
_ANSWERED = {"_source": False, "docvalue_fields": ["ordinal"]}


class OpenSearchServer:
    """`quire.ports.SearchServer` over an OpenSearch server of version 2.17 or later. Safe to share by threads."""

    name = "opensearch"

    def __init__(self, wire: OpenSearchWire) -> None:
        self._wire = wire

    def open(self, index: str, *, chunks: int, vectors: int, hidden: Ordinals) -> OpenSearchChunks:
        """See `quire.ports.SearchServer`; nothing is asked for it."""
        return OpenSearchChunks(self._wire, index, chunks=chunks, vectors=vectors, hidden=hidden)

    def indexes(self, alias: str) -> list[str]:
        """See `quire.ports.SearchServer`."""
        tree = self._wire.ask("GET", "/_cat/indices", query={"format": "json", "h": "index"}).tree
        names = (str(one["index"]) for one in tree["list"])
        return sorted(one for one in names if _OWN.fullmatch(one.removeprefix(f"{alias}-")))

    def is_loaded(self, index: str) -> bool:
        """See `quire.ports.SearchServer`."""
        try:
            loaded_facts(self._wire, index)
        except ArtifactCorrupt:
            return False
        return True

    def load(self, index: str, build: BuildToLoad) -> None:
        """See `quire.ports.SearchServer`."""
        from quire.adapters.opensearch_loading import load_build  # what only builds need

        load_build(self._wire, index, build)

    def pointed(self, alias: str) -> str | None:
        """See `quire.ports.SearchServer`."""
        status, tree = self._wire.ask("GET", f"/_alias/{alias}")
        return None if status == NOT_FOUND else next(iter(sorted(tree)), None)

    def point(self, alias: str, index: str | None) -> None:
        """See `quire.ports.SearchServer`: one request with all actions, which the server carries out at once."""
        status, tree = self._wire.ask("GET", f"/_alias/{alias}")
        held = [] if status == NOT_FOUND else sorted(tree)
        if held == ([index] if index else []):
            return
        actions: list[dict[str, Any]] = [
            {"remove": {"index": one, "alias": alias}} for one in held if one != index
        ]
        if index and index not in held:
            actions.append({"add": {"index": index, "alias": alias}})
        if self._wire.ask("POST", "/_aliases", {"actions": actions}).status == NOT_FOUND:
            raise ArtifactCorrupt(f"opensearch {self._wire.host}: there is no index {index}")

    def delete(self, index: str) -> None:
        """See `quire.ports.SearchServer`."""
        self._wire.ask("DELETE", f"/{index}")

    def reconnect(self) -> None:
        """Make connections anew, as after a restored snapshot."""
        self._wire.reconnect()


def open_opensearch(url: str, timeouts: Timeouts = LOADING) -> OpenSearchServer:
    """The server at that address; it is not asked yet.

    Raises:
        ConfigError: that is no address.
    """
    return OpenSearchServer(OpenSearchWire(read_address(url), timeouts))


class OpenSearchChunks:
    """`quire.ports.ServedChunks` over one index. Safe to share by threads."""

    def __init__(
        self, wire: OpenSearchWire, index: str, *, chunks: int, vectors: int, hidden: Ordinals
    ) -> None:
        self._wire = wire
        self._index = index
        self._chunks = chunks
        self._rows_a_chunk = max(vectors / chunks, 1.0) if chunks else 1.0
        self._unless = {"must_not": [_among(hidden)]} if len(hidden) else {}
        self._frequencies: dict[str, int] = {}

    def nearest(self, vector: Vectors, limit: int, allowed: Ordinals | None = None) -> Ranking:
        """See `quire.ports.VectorIndex`; with `allowed` exact, without by the server's graph."""
        limit = min(limit, WINDOW)
        if limit <= 0 or (allowed is not None and not len(allowed)):
            return EMPTY
        if allowed is not None:
            return self._exact(vector, limit, {"filter": [_among(allowed)], **self._unless})
        k = min(math.ceil(SPARE * limit * self._rows_a_chunk), WINDOW)
        near: dict[str, Any] = {"vector": vector.tolist(), "k": k}
        near["method_parameters"] = {"ef_search": max(k, EF_SEARCH)}
        if self._unless:
            near["filter"] = {"bool": self._unless}
        return self._nearest({"knn": {"vector": near}}, limit)

    def cosines(self, vector: Vectors, ordinals: Ordinals) -> NDArray[np.float32]:
        """See `quire.ports.VectorIndex`."""
        # A search gives so many hits at most: of so many ordinals at a time each comes back.
        scores = np.zeros(len(ordinals), np.float32)
        for first in range(0, len(ordinals), WINDOW):
            part = ordinals[first : first + WINDOW]
            found = self._exact(vector, len(part), {"filter": [_among(part)]})
            scores[first + np.searchsorted(part, found.ordinals)] = found.scores
        return scores

    def search(self, terms: Mapping[str, float], limit: int, allowed: Ordinals | None = None) -> Ranking:
        """See `quire.ports.KeywordIndex`; statistics are those of the server's shards."""
        limit = min(limit, WINDOW)
        wanted = sorted((weight, term) for term, weight in terms.items() if weight > 0)[-MOST_TERMS:]
        if limit <= 0 or not wanted or (allowed is not None and not len(allowed)):
            return EMPTY
        clauses = [{"term": {"terms": {"value": term, "boost": weight}}} for weight, term in wanted]
        query: dict[str, Any] = {"should": clauses, "minimum_should_match": 1, **self._unless}
        if allowed is not None:
            query["filter"] = [_among(allowed)]
        order = [{"_score": "desc"}, {"ordinal": "asc"}]
        tree = self._wire.search(
            self._index, {**_ANSWERED, "query": {"bool": query}, "size": limit, "sort": order}
        )
        ordinals, scores = _hits(tree)
        return rank(ordinals, scores * self._score_factor, limit)

    def expect(self, terms: Iterable[str]) -> None:
        """See `quire.ports.ServedChunks`: one request for all that nobody asked for yet."""
        wanted = [term for term in dict.fromkeys(terms) if term not in self._frequencies]
        if len(self._frequencies) + len(wanted) > REMEMBERED:
            self._frequencies.clear()
        for first in range(0, len(wanted), MOST_TERMS):
            part = wanted[first : first + MOST_TERMS]
            filters = {str(place): {"term": {"terms": term}} for place, term in enumerate(part)}
            counted = {"held": {"filters": {"filters": filters}}}
            query = {"query": {"bool": self._unless}} if self._unless else {}
            tree = self._wire.search(self._index, {**query, "size": 0, "aggs": counted})
            buckets = tree["aggregations"]["held"]["buckets"]
            self._frequencies |= {
                term: int(buckets[str(place)]["doc_count"]) for place, term in enumerate(part)
            }

    def frequency(self, term: str) -> int:
        """See `quire.ports.KeywordIndex`."""
        known = self._frequencies.get(term)
        if known is None:
            self.expect([term])
            known = self._frequencies.get(term, 0)
        return known

    def ideal(self, terms: Mapping[str, float]) -> float:
        """See `quire.ports.KeywordIndex`."""
        self.expect(terms)
        gains = (weight * self._idf(term) for term, weight in terms.items())
        return (K1 + 1) * sum(gains)

    def lines(self, ordinals: Sequence[int] | Ordinals) -> list[bytes]:
        """See `quire.ports.ServedChunks`."""
        found: dict[int, bytes] = {}
        wanted = np.array(sorted(set(map(int, ordinals))), np.uint32)
        for first in range(0, len(wanted), PAGE):
            part = wanted[first : first + PAGE]
            query = {"bool": {"filter": [_among(part), {"term": {"row": 0}}]}}
            tree = self._wire.search(
                self._index, {**_ANSWERED, "_source": ["line"], "query": query, "size": len(part)}
            )
            for hit in tree["hits"]["hits"]:
                found[int(hit["fields"]["ordinal"][0])] = hit["_source"]["line"].encode()
        missing = [one for one in wanted.tolist() if one not in found]
        if missing:
            raise ArtifactCorrupt(f"opensearch {self._wire.host}: {self._index} lacks chunk {missing[0]}")
        return [found[int(one)] for one in ordinals]

    @cached_property
    def _score_factor(self) -> np.float32:
        """See `quire.adapters.opensearch_loading`.

        Raises:
            ArtifactCorrupt: the index is not there, or not whole.
        """
        return np.float32(loaded_facts(self._wire, self._index)["score_factor"])

    def _idf(self, term: str) -> float:
        held = self.frequency(term)
        return math.log1p((self._chunks - held + 0.5) / (held + 0.5)) if held <= self._chunks else 0.0

    def _exact(self, vector: Vectors, limit: int, scope: Mapping[str, Any]) -> Ranking:
        """The best of every row inside the scope."""
        params = {"field": "vector", "query_value": vector.tolist(), "space_type": "innerproduct"}
        within = {"bool": {**scope, "must": [{"exists": {"field": "vector"}}]}}
        script = {"lang": "knn", "source": "knn_score", "params": params}
        return self._nearest({"script_score": {"query": within, "script": script}}, limit)

    def _nearest(self, query: Mapping[str, Any], limit: int) -> Ranking:
        body = {**_ANSWERED, "query": query, "size": limit, "collapse": {"field": "ordinal"}}
        ordinals, scores = _hits(self._wire.search(self._index, body))
        # An inner product d scores d + 1 where it is not below 0, else 1 / (1 - d). Source: "Spaces".
        above = scores >= 1
        cosines = np.where(above, scores - 1, 1 - 1 / np.where(above, 1, np.maximum(scores, 1e-9)))
        return rank(ordinals, cosines.astype(np.float32), limit)


def loaded_facts(wire: OpenSearchWire, index: str) -> dict[str, Any]:
    """What was noted of an index when all of it was there.

    Raises:
        ArtifactCorrupt: it never was, or is gone.
    """
    status, tree = wire.ask("GET", f"/{index}/_mapping")
    facts: dict[str, Any] = {} if status == NOT_FOUND else tree[index]["mappings"].get("_meta", {})
    if not facts.get("loaded"):
        found = "there is none" if status == NOT_FOUND else "it is not whole"
        raise ArtifactCorrupt(f"opensearch {wire.host}: index {index}: {found}")
    return facts


def _among(ordinals: Ordinals) -> dict[str, Any]:
    """A filter for those ordinals (ascending), however many they are."""
    if len(ordinals) <= LISTED:
        return {"terms": {"ordinal": ordinals.tolist()}}
    return {"terms": {"ordinal": [roaring_bitmap(ordinals)], "value_type": "bitmap"}}


def _hits(tree: Mapping[str, Any]) -> tuple[Ordinals, NDArray[np.float32]]:
    hits = tree["hits"]["hits"]
    ordinals = np.fromiter((hit["fields"]["ordinal"][0] for hit in hits), np.uint32, len(hits))
    return ordinals, np.fromiter((hit["_score"] for hit in hits), np.float32, len(hits))
