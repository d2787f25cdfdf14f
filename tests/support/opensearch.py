"""An OpenSearch server for tests: `noida-db`, which speaks Elasticsearch, and before it what OpenSearch adds to that.

The server behind is a binary that a package ships. It speaks bulk, queries with BM25, aggregations, aliases, mappings
and refreshes. What stands before it keeps the vectors of bulk requests, answers
`knn` queries and `knn_score` scripts by scoring every row that the server says passes the filter, in the space
`innerproduct`, reads bitmaps of `terms` queries, and fails as it is told to. In an index of many documents it counts
those that hold a term: the server behind would read every one again for each term. Source: OpenSearch documentation,
"Approximate k-NN search", "Exact k-NN with scoring script", "Spaces", "Terms query", "Collapse search results".
"""

from __future__ import annotations

import base64
import http.client
import json
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from pathlib import Path
from typing import Any

import noida_db
import numpy as np
from numpy.typing import NDArray

WINDOW = 10_000
MANY = 300
"""Documents of an index; of fewer the server behind counts those that hold a term."""
Tree = dict[str, Any]


class Refusal(Exception):
    """A request that OpenSearch refuses, with its reason."""


class Fault:
    """What happens to the next requests whose method and path match, instead of or after their answer.

    `status` is answered in place of theirs; `hang_s` passes before; `break_off` closes the connection. `busy` is how
    many items of a bulk request get the status 429 while the others are indexed. `spoils` is the field that the first
    of them loses on the way for a word, which its mapping refuses. `then` runs once the request was carried out.
    """

    def __init__(
        self,
        pattern: str,
        times: int = 1,
        *,
        status: int = 0,
        hang_s: float = 0.0,
        break_off: bool = False,
        busy: int = 0,
        spoils: str = "",
        then: Callable[[], object] | None = None,
    ) -> None:
        self.pattern = re.compile(pattern)
        self.times = times
        self.status = status
        self.hang_s = hang_s
        self.break_off = break_off
        self.busy = busy
        self.spoils = spoils
        self.then = then


class OpenSearchStandIn:
    """The server, listening on a port of its own that stays its own while it is down.

    Attributes:
        seen: method and path of each request, in order.
        faults: what fails next.
    """

    def __init__(self, folder: Path, version: str = "2.19.0") -> None:
        self.version = version
        self._folder = folder
        self._inner_port = free_port()
        self._process = self._run()
        self.vectors: dict[str, dict[str, NDArray[np.float32]]] = {}
        self.fields: dict[str, dict[str, Tree]] = {}
        self.terms: dict[str, dict[str, frozenset[str]]] = {}
        self.seen: list[tuple[str, str]] = []
        self.bodies: list[bytes] = []
        self.faults: list[Fault] = []
        self.is_down = False
        self._server = _listen(0, self)
        self.port = int(self._server.server_address[1])

    def _run(self) -> subprocess.Popen[bytes]:
        binary = Path(noida_db.__file__).with_name("noida-db")
        binary.chmod(0o755)
        places = ["--elasticsearch-port", str(self._inner_port), "--data-dir", str(self._folder)]
        process = subprocess.Popen(
            [binary, "start", "--only", "elasticsearch", *places],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until = time.monotonic() + 30
        while time.monotonic() < until:
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", self._inner_port), 1).close()
                return process
            time.sleep(0.02)
        process.kill()
        raise RuntimeError("noida-db does not listen")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        """Be gone: connections break and are refused."""
        self.is_down = True
        self._server.shutdown()
        self._server.server_close()

    def start(self) -> None:
        """Be back, with what was there."""
        self.is_down = False
        self._server = _listen(self.port, self)

    def lose(self) -> None:
        """Be killed, and back with nothing."""
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._folder)
        self._process = self._run()
        self.vectors.clear()
        self.fields.clear()
        self.terms.clear()

    def close(self) -> None:
        """End for good."""
        self.thaw()
        self.stop()
        self._process.kill()
        self._process.wait()

    def freeze(self) -> None:
        """Take connections and answer nothing."""
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Go on."""
        self._process.send_signal(signal.SIGCONT)

    def answer(self, method: str, path: str, body: bytes, kind: str) -> tuple[int, bytes]:
        """What OpenSearch answers."""
        target = path.partition("?")[0]
        index = target.strip("/").split("/")[0]
        if target == "/":  # what `curl` shows first
            version = {"distribution": "opensearch", "number": self.version}
            return 200, json.dumps({"version": version}).encode()
        try:
            if target.endswith("/_bulk") and index != "_bulk":
                return self._bulk(index, path, body)
            if target.endswith("/_search"):
                return self._search(index, path, json.loads(body))
        except Refusal as refusal:
            told = {"type": "illegal_argument_exception", "reason": str(refusal)}
            return 400, json.dumps({"error": told, "status": 400}).encode()
        if method == "PUT" and "/" not in target.strip("/"):
            body = self._create(index, json.loads(body))
        status, data = self.forward(method, path, body, kind)
        if method == "DELETE" and status == 200:
            self.vectors.pop(index, None)
            self.fields.pop(index, None)
            self.terms.pop(index, None)
        return status, data

    def forward(
        self, method: str, path: str, body: bytes | Tree, kind: str = "application/json"
    ) -> tuple[int, bytes]:
        """The stand-in's own answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self._inner_port, timeout=60)
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method, path, data or None, {"Content-Type": kind} if data else {})
        answer = connection.getresponse()
        try:
            return answer.status, answer.read()
        finally:
            connection.close()

    def _create(self, index: str, tree: Tree) -> bytes:
        properties = tree.get("mappings", {}).get("properties", {})
        fields = {name: one for name, one in properties.items() if one["type"] == "knn_vector"}
        inside = tree.setdefault("settings", {}).setdefault("index", {})
        if fields and not inside.get("knn"):
            raise Refusal("index.knn is not set")
        self.fields.setdefault(index, fields)
        self.vectors.setdefault(index, {})
        inside.pop("knn", None)
        inside["max_result_window"] = 10_000_000  # the bound is kept here: filters are read from behind
        for name in fields:  # of a row the server behind knows that it has a vector
            properties[name] = {"type": "boolean"}
        return json.dumps(tree).encode()

    def _bulk(self, index: str, path: str, body: bytes) -> tuple[int, bytes]:
        lines = body.decode().splitlines()
        pairs = [(json.loads(one), json.loads(two)) for one, two in zip(lines[::2], lines[1::2], strict=True)]
        fault = _next_fault(self, "BULK ITEMS")
        busy = min(fault.busy, len(pairs)) if fault else 0
        if fault and fault.spoils:
            pairs[0][1][fault.spoils] = "spoiled"
        rows: dict[str, NDArray[np.float32]] = {}
        terms = self.terms.setdefault(index, {})
        for action, document in pairs[busy:]:
            terms[next(iter(action.values()))["_id"]] = frozenset(str(document.get("terms", "")).split())
            for name, field in self.fields.get(index, {}).items():
                if name in document:
                    vector = np.array(document[name], np.float32)
                    if vector.shape != (field["dimension"],):
                        raise Refusal(f"Vector dimension mismatch. Expected: {field['dimension']}")
                    rows[next(iter(action.values()))["_id"]] = vector
                    document[name] = True
        sent = "".join(f"{json.dumps(one)}\n" for pair in pairs[busy:] for one in pair).encode()
        status, data = self.forward("POST", path, sent, "application/x-ndjson")
        self.vectors.setdefault(index, {}).update(rows)
        if busy:
            tree = json.loads(data)
            error = {"type": "rejected_execution_exception", "reason": "rejected execution"}
            late = [
                {"index": {"_id": action["index"]["_id"], "status": 429, "error": error}}
                for action, _ in pairs[:busy]
            ]
            plain = [{"index": {"_id": action["index"]["_id"], "status": 201}} for action, _ in pairs[busy:]]
            data = json.dumps({"errors": True, "items": [*late, *tree.get("items", plain)]}).encode()
        return status, data

    def _search(self, index: str, path: str, tree: Tree) -> tuple[int, bytes]:
        if tree.get("size", 10) > WINDOW:
            raise Refusal(
                f"Result window is too large, from + size must be less than or equal to: [{WINDOW}]"
            )
        tree = _without_bitmaps(tree)
        query = tree.get("query", {})
        if "knn" in query:
            [(field, asked)] = query["knn"].items()
            if not 0 < asked["k"] <= WINDOW:
                raise Refusal("[knn] requires 0 < k <= 10000")
            within = asked.get("filter", {"match_all": {}})
            return self._scored(index, tree, (field, asked["vector"], within), asked["k"])
        if "script_score" in query:
            script = query["script_score"]["script"]
            params = script["params"]
            if (script["lang"], script["source"]) != ("knn", "knn_score"):
                raise Refusal(f"script_lang not supported [{script['lang']}]")
            if params["space_type"] != "innerproduct":
                raise Refusal("the stand-in knows the space innerproduct alone")
            wanted = (params["field"], params["query_value"], query["script_score"]["query"])
            return self._scored(index, tree, wanted, None)
        wanted_terms = _counted_terms(tree)
        if wanted_terms and len(self.terms.get(index, {})) > MANY:
            return self._counted(index, query or {"match_all": {}}, wanted_terms)
        status, data = self.forward("POST", path, tree)
        return status, self._as_of_version(data) if status == 200 else data

    def _counted(self, index: str, within: Tree, terms: dict[str, str]) -> tuple[int, bytes]:
        """How many documents inside a filter hold each of the terms, by the names of their buckets."""
        held = self.terms[index]
        counts = Counter(chain.from_iterable(held.get(name, ()) for name in self._passing(index, within)))
        buckets = {name: {"doc_count": counts[term]} for name, term in terms.items()}
        return 200, json.dumps(
            {"hits": {"hits": []}, "aggregations": {"held": {"buckets": buckets}}}
        ).encode()

    def _as_of_version(self, data: bytes) -> bytes:
        """From 3.0 on scores of BM25 lack the factor k1 + 1. Source: OpenSearch, "Breaking changes"."""
        answer = json.loads(data)
        if int(self.version.partition(".")[0]) >= 3:
            for hit in answer["hits"]["hits"]:
                hit["_score"] = hit["_score"] and hit["_score"] / 2.2
        return json.dumps(answer).encode()

    def _scored(
        self, index: str, tree: Tree, wanted: tuple[str, list[float], Tree], most: int | None
    ) -> tuple[int, bytes]:
        """The rows inside a filter by their scores: `most` of them, collapsed and cut as the search asks."""
        field, vector, within = wanted
        known = self.fields.get(index)
        if known is not None and field not in known:
            raise Refusal(f"Field '{field}' is not knn_vector type")
        if known and len(vector) != known[field]["dimension"]:
            raise Refusal("Query vector has invalid dimension")
        held = self.vectors.get(index, {})
        names = [*held] if within == {"match_all": {}} else self._passing(index, within)
        names = [one for one in names if one in held]
        products = _products([held[one] for one in names], vector)
        scores = np.where(products >= 0, products + 1, 1 / (1 - np.minimum(products, 0)))
        order = np.argsort(-scores, kind="stable")[:most].tolist()
        size, taken = tree.get("size", 10), 64
        while True:  # rows of one chunk collapse, so more may be needed
            taken = min(4 * taken + 4 * size, len(order))
            best = [(names[place], float(scores[place])) for place in order[:taken]]
            hits = self._collapsed(index, tree, best)
            if len(hits) >= size or taken == len(order):
                break
        answer = {"took": 1, "timed_out": False, "_shards": {"total": 1, "failed": 0}}
        return 200, json.dumps({**answer, "hits": {"hits": hits[:size]}}).encode()

    def _passing(self, index: str, within: Tree) -> list[str]:
        """Ids of the documents inside a filter, as the server behind says."""
        every = {"query": within, "size": 5_000_000, "_source": False}
        status, data = self.forward("POST", f"/{index}/_search", every)
        if status != 200:
            raise Refusal(data.decode())
        return [hit["_id"] for hit in json.loads(data)["hits"]["hits"]]

    def _collapsed(self, index: str, tree: Tree, best: list[tuple[str, float]]) -> list[Tree]:
        """Hits of these documents with their scores, one for each value that the search collapses by."""
        asked = {"query": {"ids": {"values": [name for name, _ in best]}}, "size": len(best)}
        fields = {"_source": False, "docvalue_fields": [*_fields(tree)]}
        _, data = self.forward("POST", f"/{index}/_search", {**asked, **fields})
        found = {hit["_id"]: hit for hit in json.loads(data)["hits"]["hits"]}
        hits = [{**found[name], "_score": score} for name, score in best if name in found]
        if "collapse" not in tree:
            return hits
        first: Tree = {}
        for hit in hits:
            first.setdefault(str(hit["fields"][tree["collapse"]["field"]][0]), hit)
        return list(first.values())


def _counted_terms(tree: Tree) -> dict[str, str]:
    """The terms whose documents a search counts and nothing else, by the names of their buckets."""
    filters = tree.get("aggs", {}).get("held", {}).get("filters", {}).get("filters", {})
    terms = {name: one.get("term", {}).get("terms", "") for name, one in filters.items()}
    return terms if tree.get("size") == 0 and all(terms.values()) else {}


def _products(rows: list[NDArray[np.float32]], vector: list[float]) -> NDArray[np.float32]:
    products: NDArray[np.float32] = (
        np.stack(rows) @ np.array(vector, np.float32) if rows else np.empty(0, np.float32)
    )
    return products


def _fields(tree: Tree) -> dict[str, None]:
    fields = dict.fromkeys(tree.get("docvalue_fields", []))
    return fields | ({tree["collapse"]["field"]: None} if "collapse" in tree else {})


def _without_bitmaps(tree: Any) -> Any:
    """The request with every bitmap as the list that it stands for."""
    if isinstance(tree, list):
        return [_without_bitmaps(one) for one in tree]
    if not isinstance(tree, dict):
        return tree
    if tree.get("value_type") == "bitmap":
        return {name: read_bitmap(one[0]) for name, one in tree.items() if name != "value_type"}
    return {name: _without_bitmaps(one) for name, one in tree.items()}


def read_bitmap(text: str) -> list[int]:
    """The numbers of a portable Roaring bitmap without runs."""
    data = base64.b64decode(text)
    cookie, count = np.frombuffer(data, "<u4", 2).tolist()
    if cookie != 12346:
        raise Refusal("failed to deserialize bitmap")
    heads = np.frombuffer(data, "<u2", 2 * count, 8).reshape(-1, 2).tolist()
    begins = np.frombuffer(data, "<u4", count, 8 + 4 * count).tolist()
    numbers: list[int] = []
    for (key, less_one), begin in zip(heads, begins, strict=True):
        if less_one < 4096:
            lows = np.frombuffer(data, "<u2", less_one + 1, begin).tolist()
        else:
            bits = np.unpackbits(np.frombuffer(data, np.uint8, 8192, begin), bitorder="little")
            lows = np.flatnonzero(bits).tolist()
        numbers.extend((key << 16) + low for low in lows)
    return numbers


def _listen(port: int, stand_in: OpenSearchStandIn) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if stand_in.is_down:
                self.close_connection = True
                return
            stand_in.seen.append((self.command, self.path))
            stand_in.bodies.append(body)
            fault = _next_fault(stand_in, f"{self.command} {self.path}")
            if fault is not None:
                time.sleep(fault.hang_s)
                if fault.break_off:
                    self.close_connection = True
                    return
                if fault.status:
                    self._reply(fault.status, b'{"error":{"type":"rejected_execution_exception"}}')
                    return
            kind = self.headers.get("Content-Type", "application/json")
            status, data = stand_in.answer(self.command, self.path, body, kind)
            if fault is not None and fault.then is not None:
                fault.then()
            self._reply(status, data)

        do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _serve  # noqa: N815

        def _reply(self, status: int, data: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        allow_reuse_address = True
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """A client that hung up is none of the test's matter."""

    server = Server(("127.0.0.1", port), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    return server


def _next_fault(stand_in: OpenSearchStandIn, request: str) -> Fault | None:
    for fault in stand_in.faults:
        if fault.times and fault.pattern.search(request):
            fault.times -= 1
            return fault
    return None


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def opensearch(version: str = "2.19.0") -> Iterator[OpenSearchStandIn]:
    """A server while the block runs."""
    with tempfile.TemporaryDirectory() as folder:
        stand_in = OpenSearchStandIn(Path(folder), version)
        try:
            yield stand_in
        finally:
            stand_in.close()
