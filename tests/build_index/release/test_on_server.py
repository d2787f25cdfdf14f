"""Builds that an OpenSearch server searches, from the first build to the server's end and return.

The server is `tests.support.opensearch`: what it is made of, and which of it is OpenSearch's word alone, is told there.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from build_index.cache.store import ContentStore
from build_index.cache.vectors import CachedVectors
from build_index.distributed.sharded import ingest_in_shards
from build_index.distributed.shards import Sharding
from build_index.evaluation.evaluate import ask_golden, report
from build_index.evaluation.golden import read_golden
from build_index.gate.review import Review
from build_index.pipeline.ingest import ingest
from build_index.pipeline.pipeline import build
from build_index.pipeline.plan import BuildPlan
from build_index.release.loading import SegmentsToLoad, load_version
from build_index.release.pruning import prune
from build_index.release.publishing import ReleaseTarget, publish_built, roll_back
from build_index.sources import Failure
from build_index.sources.files.textbook import read_book
from functions.app.app import create_app
from functions.web.access import OneKey
from quire import entry
from quire.adapters import opensearch_loading
from quire.adapters.circuit_breaker import Timeouts
from quire.adapters.folder import FolderStore
from quire.adapters.opensearch import OpenSearchServer, open_opensearch
from quire.adapters.opensearch_wire import OpenSearchWire, read_address
from quire.embedding.onnx import OnnxEmbedder
from quire.errors import ArtifactCorrupt, ConfigError, PublishRefused, StoreError, StoreUnavailable
from quire.index.layout import COLUMNS, KEYWORDS, MANIFEST, SPELLING, VECTORS, Pointer, read_pointer
from quire.profiles import profile_named
from quire.search.retrieval import Query, retrieve
from quire.service.knowledge import Knowledge
from quire.store.catalog import Catalog
from quire.store.keys import server_alias
from quire.store.pointers import with_deletion
from quire.store.store import SegmentStore, follow_pointer
from tests.build_index.distributed.test_several_segments import write_facts
from tests.build_index.distributed.test_shards import Desk, InTurn, book
from tests.support.client import TestClient
from tests.support.corpus import write_corpus
from tests.support.fakes import HashingEmbedder
from tests.support.model import kept_pages
from tests.support.opensearch import Fault, OpenSearchStandIn, opensearch
from tests.support.shared import shared_path
from tests.support.stores import MemoryStore

__all__ = ["book"]

pytestmark = pytest.mark.usefixtures("few_questions")

ALIAS = server_alias("book")
QUICK = Timeouts(connect_s=1.0, silence_s=2.0, attempts=2, file_s=3.0, rest_s=0.0)
PATIENT = Timeouts(connect_s=5.0, silence_s=30.0, attempts=3, file_s=60.0)
WAITS_S = 9.0
"""Two attempts of 3 s and the pause between, for one request."""
QUESTIONS = [f"where does bend {n} of river {number} turn" for number in range(0, 24, 3) for n in range(3)]


@pytest.fixture(scope="module")
def server() -> Iterator[OpenSearchStandIn]:
    with opensearch() as stand_in:
        yield stand_in


class ServedDesk(Desk):
    """A store like a bucket, a cache, pages that may be edited, and a server of its own name."""

    def __init__(self, root: Path, book: Path, url: str) -> None:
        pages = root / "pages"
        shutil.copytree(book, pages)
        (pages / "broken.md").unlink()
        super().__init__(root, pages, MemoryStore(), engine="opensearch")
        self.pages, self.root, self.most_chunks = pages, root, 1_000_000
        write_facts(root, self.embedder)
        self.connection = open_opensearch(url, PATIENT)
        self.now = time.time()
        self.store = SegmentStore(self.objects, root / "fetched", server=self.connection, clock=self.tick)
        self.place = ReleaseTarget(self.objects, self.store)

    def tick(self) -> float:
        """A second later than before: versions are told apart by when they were published."""
        self.now += 1.0
        return self.now

    def publish(self, **more: object) -> Pointer:
        write = partial(
            ingest_in_shards,
            sharding=Sharding(self.objects, InTurn(), self.open_worker, 4, most_chunks=self.most_chunks),
        )
        report = build(self.plan, self.tools, self.store, write=write, **more)  # type: ignore[arg-type]
        assert report.published is not None
        return report.published

    def client(self, server: OpenSearchServer | None = None) -> TestClient:
        """An app with a cache and connections of its own."""
        store = SegmentStore(self.objects, self.root / "serving", server=server or self.connection)
        service = Knowledge(Catalog(store, refresh_s=0.0), lambda _: HashingEmbedder())
        return TestClient(create_app(service, OneKey(None)), raise_server_exceptions=False)

    def indexes(self) -> list[str]:
        return self.connection.indexes(ALIAS)


@pytest.fixture
def desk(tmp_path: Path, book: Path, server: OpenSearchStandIn) -> Iterator[ServedDesk]:
    server.faults.clear()
    server.seen.clear()
    desk = ServedDesk(tmp_path, book, server.url)
    yield desk
    server.faults.clear()
    desk.connection.point(ALIAS, None)
    for index in desk.indexes():
        desk.connection.delete(index)


def ask(client: TestClient, question: str, **more: object) -> dict[str, object]:
    reply = client.post("/query", json={"collection": "book", "q": question, **more})
    assert reply.status_code == 200, reply.text
    tree: dict[str, object] = reply.json()
    return tree


def test_a_build_is_loaded_gated_served_swapped_rolled_back_and_swept(desk: ServedDesk) -> None:
    review = Review(desk.store, lambda _: desk.embedder, desk.root / "reports", engine="opensearch")
    first = desk.publish(review=review)
    assert first.engine == "opensearch"
    assert read_pointer(first.to_json()) == first
    one = desk.connection.pointed(ALIAS)
    assert desk.indexes() == [one]
    client = desk.client()
    reply = client.post("/query", json={"collection": "book", "q": "where does bend 2 of river 7 turn"})
    assert reply.headers["x-quire-engine"] == "opensearch"
    assert reply.json()["hits"][0]["metadata"]["path"] == "page07.md"
    [told] = client.get("/status").json()["collections"]
    assert (told["engine"], told["status"]) == ("opensearch", "ok")

    (desk.pages / "page07.md").write_text("# River 7\n\n## Bend 2\n\nIt was made a canal.\n")
    second = desk.publish(review=review)
    two = desk.connection.pointed(ALIAS)
    assert two != one
    assert desk.indexes() == sorted(filter(None, [one, two]))
    assert "canal" in str(ask(client, "canal")["hits"])
    old = ask(client, "where does bend 2 of river 7 turn", version=first.version)
    assert "Bend 2 of 7 turns" in str(old["hits"])
    assert client.get("/collections/book/diff", params={"from": first.version}).status_code == 200

    back = roll_back(desk.place, "book")
    assert (back.version, desk.connection.pointed(ALIAS)) == (first.version, one)
    assert "canal" not in str(ask(client, "canal")["hits"])
    roll_back(desk.place, "book", second.version)
    assert desk.store.verify("book")

    now = time.time()
    prune(desk.place, "book", keep=1, now=now)
    gone = prune(desk.place, "book", keep=1, now=now + 7200)
    assert f"server:{one}" in gone.removed
    assert desk.indexes() == [two]
    assert "canal" in str(ask(client, "canal")["hits"])


def test_it_answers_as_the_segments_do(desk: ServedDesk) -> None:
    """Filters, names, documents and quotes; scores of keywords may differ where the server rounds lengths."""
    desk.most_chunks = 10
    pointer = desk.publish()
    assert len(pointer.segments) > 2
    served = desk.store.open("book")
    own = SegmentStore(desk.objects, desk.root / "own").open_state(pointer._replace(engine=""))
    assert (served.engine, own.engine) == ("opensearch", "quire")
    embedder = HashingEmbedder()
    for question in QUESTIONS:
        theirs = retrieve(served, embedder, Query(question)).hits
        ours = retrieve(own, embedder, Query(question)).hits
        assert [one.chunk for one in theirs[:3]] == [one.chunk for one in ours[:3]]
        assert [one.score for one in theirs] == pytest.approx([one.score for one in ours], abs=0.05)
    path = {"path": ["page03.md", "page04.md"]}
    found = retrieve(served, embedder, Query("bend of a river", top_k=50, filters=path)).hits
    assert {hit.chunk.metadata["path"] for hit in found} == {"page03.md", "page04.md"}
    wanted = retrieve(own, embedder, Query("bend of a river", top_k=50, filters=path)).hits
    assert len(found) == len(wanted) == 2
    every = np.arange(served.chunk_count, dtype=np.uint32)
    assert served.fetch(every) == own.fetch(every)


def test_a_version_is_fetched_without_what_the_server_holds(desk: ServedDesk) -> None:
    pointer = desk.publish()
    ask(desk.client(), "river 3")
    [folder] = (desk.root / "serving" / "segments").iterdir()
    files = {path.name for path in folder.rglob("*") if path.is_file()}
    assert files == {MANIFEST, COLUMNS, SPELLING}
    own = SegmentStore(desk.objects, desk.root / "serving").open_state(pointer._replace(engine=""))
    assert own.fetch([0])[0].text
    assert {VECTORS, KEYWORDS} <= {path.name for path in (desk.root / "serving").rglob("*")}


def test_what_is_deleted_is_found_no_more(desk: ServedDesk) -> None:
    pointer = desk.publish()
    gone = desk.store.open_state(with_deletion(pointer, ["page03.md"]))
    assert gone.engine == "opensearch"
    for mode in ("hybrid", "vector", "keyword"):
        found = retrieve(gone, HashingEmbedder(), Query("bend of river 3", top_k=80, mode=mode)).hits
        assert found
        assert not [hit for hit in found if hit.chunk.document_id == "page03.md"]


def test_large_filters_are_sent_as_bitmaps(desk: ServedDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    from quire.adapters import opensearch as adapter

    desk.publish()
    query = Query("bend of a river", top_k=80, filters={"path": [f"page{n:02d}.md" for n in range(20)]})
    listed = retrieve(desk.store.open("book"), HashingEmbedder(), query).hits
    monkeypatch.setattr(adapter, "LISTED", 4)
    assert retrieve(desk.store.open("book"), HashingEmbedder(), query).hits == listed


def test_a_load_that_was_interrupted_goes_on_where_it_ended(
    desk: ServedDesk, server: OpenSearchStandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opensearch_loading, "BLOCK", 4)
    passed = [0]

    def count() -> None:
        passed[0] += 1
        if passed[0] == 4:
            server.faults[:] = [Fault("POST .*/_bulk", times=99, break_off=True)]

    server.faults[:] = [Fault("POST .*/_bulk", times=99, then=count)]
    with pytest.raises(StoreUnavailable):
        desk.publish()
    assert "book" not in desk.store.collections()
    assert desk.connection.pointed(ALIAS) is None
    [index] = desk.indexes()
    assert not desk.connection.is_loaded(index)
    server.faults.clear()
    server.seen.clear()
    pointer = desk.publish()
    sent = sum("_bulk" in path for _, path in server.seen)
    blocks = -(-desk.store.open("book").chunk_count // 4)
    assert sent == blocks - 4
    assert desk.indexes() == [desk.connection.pointed(ALIAS)]
    server.seen.clear()
    load_version(desk.connection, desk.store, pointer)
    assert not [path for _, path in server.seen if "_bulk" in path]


def test_a_busy_server_is_asked_again_and_nothing_is_lost(
    desk: ServedDesk, server: OpenSearchStandIn
) -> None:
    server.faults.append(Fault("BULK ITEMS", busy=5))
    server.faults.append(Fault("POST .*/_bulk", status=429))
    server.faults.append(Fault("PUT /quire", status=503))
    desk.publish()
    assert desk.store.verify("book")


def test_a_document_that_the_server_refuses_ends_the_publish(
    desk: ServedDesk, server: OpenSearchStandIn
) -> None:
    first = desk.publish()
    (desk.pages / "page07.md").write_text("# River 7\n\nIt was made a canal.\n")
    server.faults.append(Fault("BULK ITEMS", spoils="row"))
    with pytest.raises(StoreError, match=r"refused 1 of .* first [0-9a-f]{16}\.0: .*row"):
        desk.publish()
    assert desk.store.pointer("book") == first
    assert "Bend 2 of 7" in str(ask(desk.client(), "bend 2 of river 7")["hits"])


def test_a_version_that_answers_worse_there_is_refused_and_not_pointed_at(desk: ServedDesk) -> None:
    review = Review(desk.store, lambda _: desk.embedder, desk.root / "reports", engine="opensearch")
    first = desk.publish(review=review)
    one = desk.connection.pointed(ALIAS)
    for number in range(8):
        (desk.pages / f"page{number:02d}.md").unlink()
    with pytest.raises(PublishRefused, match=r"page00\.md"):
        desk.publish(review=review)
    assert (desk.store.pointer("book"), desk.connection.pointed(ALIAS)) == (first, one)


def test_a_server_that_is_killed_frozen_or_empty_is_told_in_time_and_comes_back(
    desk: ServedDesk, server: OpenSearchStandIn
) -> None:
    pointer = desk.publish()
    client = desk.client(open_opensearch(server.url, QUICK))
    question = {"collection": "book", "q": "where does bend 2 of river 7 turn"}
    before = client.post("/query", json=question).json()["hits"]

    def told() -> tuple[int, str]:
        began = time.monotonic()
        reply = client.post("/query", json=question)
        assert time.monotonic() - began < WAITS_S
        return reply.status_code, reply.text

    server.stop()
    status, text = told()
    assert status == 503
    assert server.url not in text
    server.start()
    assert client.post("/query", json=question).json()["hits"] == before
    server.freeze()
    assert told()[0] == 503
    server.thaw()
    time.sleep(0.2)
    assert client.post("/query", json=question).json()["hits"] == before
    server.lose()
    assert told()[0] == 503
    load_version(desk.connection, desk.store, pointer)
    follow_pointer(desk.connection, pointer)
    assert client.post("/query", json=question).json()["hits"] == before
    assert desk.store.verify("book")


def test_an_answer_of_only_some_shards_is_none(desk: ServedDesk, server: OpenSearchStandIn) -> None:
    desk.publish()
    wire = OpenSearchWire(read_address(server.url), QUICK)
    ask_server = wire.ask

    def lame(*args, **more):  # type: ignore[no-untyped-def]
        answer = ask_server(*args, **more)
        return answer._replace(tree={**answer.tree, "_shards": {"total": 5, "failed": 1}})

    wire.ask = lame  # type: ignore[method-assign]
    with pytest.raises(StoreUnavailable, match="1 of 5 shards failed"):
        wire.search(desk.indexes()[0], {"query": {"match_all": {}}})


def test_verify_finds_a_line_that_was_changed_and_an_alias_that_points_elsewhere(
    desk: ServedDesk, server: OpenSearchStandIn
) -> None:
    pointer = desk.publish()
    [index] = desk.indexes()
    tree = {"query": {"terms": {"ordinal": [4]}}, "size": 1}
    [hit] = desk.connection._wire.search(index, tree)["hits"]["hits"]
    desk.connection.point(ALIAS, None)
    with pytest.raises(ArtifactCorrupt, match="alias quire-book points at None, expected"):
        desk.store.verify("book")
    follow_pointer(desk.connection, pointer)
    assert desk.store.verify("book")
    document = {"ordinal": 4, "row": 0, "line": hit["_source"]["line"].replace("turns", "falls")}
    server.forward("PUT", f"/{index}/_doc/{hit['_id']}?refresh=true", document)
    with pytest.raises(ArtifactCorrupt, match="chunk 4 differs"):
        desk.store.verify("book")


def test_a_killed_publish_is_mended_by_the_next_build(desk: ServedDesk, server: OpenSearchStandIn) -> None:
    """The pointer has moved and the alias has not: where nothing changed since, a build moves it too."""
    server.faults.append(Fault("POST /_aliases", times=99, break_off=True))
    with pytest.raises(StoreUnavailable):
        desk.publish()
    assert desk.store.pointer("book").engine == "opensearch"
    assert desk.connection.pointed(ALIAS) is None
    server.faults.clear()
    desk.publish()
    assert [desk.connection.pointed(ALIAS)] == desk.indexes()


def test_a_collection_goes_to_a_server_and_comes_back(desk: ServedDesk) -> None:
    desk.plan = BuildPlan("book", profile_named("docs"), (("docs", str(desk.pages)),))
    own = desk.publish()
    client = desk.client()
    assert (
        client.post("/query", json={"collection": "book", "q": "river 3"}).headers["x-quire-engine"]
        == "quire"
    )
    desk.plan = BuildPlan(
        "book", profile_named("docs"), (("docs", str(desk.pages)),), options={"engine": "opensearch"}
    )
    there = desk.publish()
    assert there.version != own.version
    reply = client.post("/query", json={"collection": "book", "q": "river 3"})
    assert reply.headers["x-quire-engine"] == "opensearch"
    roll_back(desk.place, "book", own.version)
    assert desk.connection.pointed(ALIAS) is None
    reply = client.post("/query", json={"collection": "book", "q": "river 3"})
    assert reply.headers["x-quire-engine"] == "quire"


def test_what_was_built_before_is_published_to_the_server_later(desk: ServedDesk) -> None:
    build(desk.plan, desk.tools, desk.store, publish=False, write=ingest)
    assert desk.indexes() == []
    desk.store.put_model(desk.tools.model_folder)
    pointer = publish_built(desk.place, "book", desk.tools.cache, engine="opensearch")
    assert pointer.engine == "opensearch"
    assert [desk.connection.pointed(ALIAS)] == desk.indexes()


def test_without_its_server_a_collection_is_not_built_and_says_so_when_asked(
    desk: ServedDesk, tmp_path: Path
) -> None:
    pointer = desk.publish()
    alone = SegmentStore(desk.objects, tmp_path / "alone")
    with pytest.raises(StoreUnavailable, match="searched by opensearch, which no setting names"):
        alone.open_state(pointer)
    with pytest.raises(ConfigError, match="QUIRE_OPENSEARCH_URL"):
        build(desk.plan, desk.tools, alone, write=ingest)


@pytest.mark.parametrize("version", ["2.19.0", "3.2.0"])
def test_scores_are_those_of_the_formula_whatever_version_answers(
    tmp_path: Path, book: Path, version: str
) -> None:
    with opensearch(version) as stand_in:
        desk = ServedDesk(tmp_path, book, stand_in.url)
        pointer = desk.publish()
        served = desk.store.open("book")
        own = SegmentStore(desk.objects, tmp_path / "own").open_state(pointer._replace(engine=""))
        terms = {"bend": 1.0, "turn": 1.0, "river": 0.5}
        theirs, ours = served.search(terms, 5), own.search(terms, 5)
        assert theirs.scores == pytest.approx(ours.scores, rel=0.1)
        assert served.keywords.ideal(terms) == pytest.approx(own.keywords.ideal(terms))


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("search.example", "wanted https://"),
        ("https://search.example/below", "wanted https://"),
        ("https://x.us-east-1.aoss.amazonaws.com", "Serverless"),
    ],
)
def test_an_address_that_cannot_be_is_a_setting_that_is_wrong(url: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        open_opensearch(url)


def test_rows_are_read_from_the_segments_as_they_were_written(desk: ServedDesk) -> None:
    desk.most_chunks = 10
    pointer = desk.publish()
    segments = [desk.store.segment("book", ref) for ref in pointer.segments]
    loaded = SegmentsToLoad(segments)
    counts = loaded.row_counts()
    every = list(loaded.read(0, loaded.chunks))
    assert [one.ordinal for one in every] == list(range(loaded.chunks))
    assert [len(one.vectors) for one in every] == counts.tolist()
    assert [one.line for one in loaded.read(7, 23)] == [one.line for one in every[7:23]]
    for one in every:
        assert all(term and not any(letter.isspace() for letter in term) for term, _ in one.terms)


def test_the_textbooks_questions_are_answered_as_well_as_by_the_segments(
    tmp_path: Path, server: OpenSearchStandIn, model_folder: Path, embedder: OnnxEmbedder
) -> None:
    pages = shared_path("data/textbook/split-layout/frontend/docs")
    questions = read_golden([shared_path("golden/textbook.public.jsonl")])
    documents = [one for one in read_book(pages) if not isinstance(one, Failure)]
    kept = kept_pages(model_folder)
    kept.mkdir(exist_ok=True)
    cache = tmp_path / "cache"
    # A build would learn when to answer, too, which nobody asks here: that is the half of its work.
    with closing(ContentStore(kept)) as store:
        vectors = CachedVectors(embedder, store)
        write_corpus(cache / "built/textbook", embedder, documents, profile="textbook", vectors=vectors)
    connection = open_opensearch(server.url)
    objects = FolderStore(tmp_path / "store")
    segments = SegmentStore(objects, cache, server=connection)
    segments.put_model(model_folder)
    pointer = publish_built(ReleaseTarget(objects, segments), "textbook", cache, engine="opensearch")
    own = SegmentStore(objects, cache).open_state(pointer._replace(engine=""))
    theirs, ours = (
        report(ask_golden(partial(retrieve, index, embedder), questions))["all"]
        for index in (segments.open("textbook"), own)
    )
    for measure in ("hit@5", "mrr@10"):
        assert theirs[measure] > ours[measure] - 0.02
    connection.point(server_alias("textbook"), None)
    assert connection.indexes(server_alias("textbook"))


def test_a_library_finds_in_it_what_a_server_does(
    desk: ServedDesk, server: OpenSearchStandIn, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    desk.objects = FolderStore(tmp_path / "store")
    desk.store = SegmentStore(desk.objects, tmp_path / "fetched", server=desk.connection)
    desk.publish()
    monkeypatch.setenv("QUIRE_OPENSEARCH_URL", server.url)
    with pytest.warns(RuntimeWarning, match="embedding model unavailable"):
        found = entry.open(tmp_path / "store", "book").search("river 7")
    assert found[0].chunk.metadata["path"] == "page07.md"
