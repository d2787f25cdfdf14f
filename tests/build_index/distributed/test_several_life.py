"""A build of several segments lives: documents are written and deleted beside it, builds follow, processes die."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import boto3
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from build_index.distributed.shards import Sharding
from build_index.gate.review import Review
from build_index.release.pruning import prune
from build_index.release.publishing import ReleaseTarget, roll_back
from functions.app.wiring import lambda_app, local_app
from quire.adapters.folder import FolderStore
from quire.adapters.s3 import S3Store
from quire.documents import Document
from quire.errors import UnknownVersion
from quire.index.opened import OpenedIndex
from quire.profiles import profile_named
from quire.search.retrieval import Query, retrieve
from quire.service.diff import compare_versions
from quire.service.live_writes import LiveWrites
from quire.settings import Settings
from quire.store import late_shards
from quire.store.merging import SegmentMerger
from quire.store.pointers import BUILD, WRITE, builds_of
from quire.store.store import SegmentStore
from quire.store.write_targets import WriteTarget
from tests.build_index.distributed.test_several_segments import QUESTIONS, SplitDesk, hits
from tests.build_index.distributed.test_shards import InTurn, book
from tests.support.aws import BOTO, CREDENTIALS, bucket_of, use_endpoint
from tests.support.client import TestClient
from tests.support.fakes import HashingEmbedder
from tests.support.killed_publish import Publisher, publisher
from tests.support.pace import seconds
from tests.support.pages import running
from tests.support.s3_faults import GONE, WELL, FaultyS3
from tests.support.swarm import Swarm

__all__ = ["book"]

pytestmark = pytest.mark.usefixtures("few_questions")

BOOK = WriteTarget("book", profile_named("docs"))
EMBEDDER = HashingEmbedder()
WORDS = ("anchor", "beacon", "cabin", "deck", "fish", "gull", "harbour", "island", "keel", "mast")
ASKED = [*QUESTIONS, "where is the harbour of note 3", "river 7", "bend 1", "canal"]
Step = tuple[str, int]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["write", "unwrite", "replace", "delete", "edit", "build", "back", "merge", "prune"]),
        st.integers(0, 7),
    ),
    max_size=8,
)


class LivingBook:
    """A book that is built, written to, rolled back, merged and pruned; `most_chunks` is what a segment may have."""

    def __init__(self, root: Path, pages: Path, most_chunks: int) -> None:
        root.mkdir()
        shutil.copytree(pages, root / "pages")
        self.pages = root / "pages"
        self.desk = SplitDesk(root, self.pages)
        self.desk.most_chunks = most_chunks
        self.now = 1_000_000_000.0
        self.store = SegmentStore(self.desk.objects, root / "fetched", clock=self.tick)
        self.place = ReleaseTarget(self.desk.objects, self.store)
        self.writes = LiveWrites(self.store, root / "work")
        self.merger = SegmentMerger(self.store, self.desk.objects, root / "work")
        self.desk.publish(self.store)

    def tick(self) -> float:
        """A second later than before: versions are told apart by when they were published."""
        self.now += 1.0
        return self.now

    def take(self, step: Step) -> None:
        """One of `STEPS`."""
        what, number = step
        getattr(self, f"_{what}")(number)

    def _write(self, number: int) -> None:
        text = f"Note {number}: the harbour of note {number} lies where bend {number} of river {number} ends."
        self.writes.put(BOOK, [Document(f"note{number}.md", text, "prose")], EMBEDDER)

    def _unwrite(self, number: int) -> None:
        if len(self.index.documents.chunks(f"note{number}.md")):
            self.writes.delete(BOOK, f"note{number}.md")

    def _replace(self, number: int) -> None:
        text = f"Page {3 * number} is another: its river was led into a canal."
        self.writes.put(BOOK, [Document(f"page{3 * number:02d}.md", text, "prose")], EMBEDDER)

    def _delete(self, number: int) -> None:
        """A page of the build can be deleted once it was written to."""
        self._replace(number)
        self.writes.delete(BOOK, f"page{3 * number:02d}.md")

    def _edit(self, number: int) -> None:
        (self.pages / f"page{2 * number:02d}.md").write_text(
            f"# Lake {number}\n\nA canal leads to river {number}.\n"
        )

    def _build(self, _: int) -> None:
        self.desk.publish(self.store)

    def _back(self, _: int) -> None:
        with suppress(UnknownVersion):  # it is the oldest
            roll_back(self.place, "book")

    def _merge(self, _: int) -> None:
        self.merger.merge(BOOK, everything=True)

    def _prune(self, _: int) -> None:
        self.now += 7200
        prune(self.place, "book", keep=3, now=self.now)

    @property
    def index(self) -> OpenedIndex:
        """As it is served now."""
        return self.store.open("book")


@settings(max_examples=6)
@given(steps=STEPS, most_chunks=st.integers(2, 12))
def test_several_segments_answer_as_one_whatever_is_written_built_and_taken_back(
    tmp_path_factory: pytest.TempPathFactory, book: Path, steps: list[Step], most_chunks: int
) -> None:
    root = tmp_path_factory.mktemp("living")
    several, one = LivingBook(root / "several", book, most_chunks), LivingBook(root / "one", book, 1_000)
    assert len(builds_of(several.store.pointer("book"))) > len(builds_of(one.store.pointer("book"))) == 1
    for step in steps:
        several.take(step)
        one.take(step)
        theirs, ours = several.index, one.index
        assert theirs.chunk_count == ours.chunk_count, steps
        for question in ASKED[::5] + ASKED[-4:]:
            assert hits(theirs, question) == hits(ours, question), (question, steps)
    several.store.verify("book")
    for place in (several, one):
        served = [ref.origin for ref in place.store.pointer("book").segments]
        assert served == sorted(served, key=[BUILD, WRITE].index)


def test_a_version_before_and_what_changed_are_known_of_all_of_them(tmp_path: Path, book: Path) -> None:
    living = LivingBook(tmp_path / "living", book, 5)
    first = living.store.pointer("book")
    for step in [("write", 1), ("delete", 2), ("edit", 5), ("build", 0)]:
        living.take(step)
    second = living.store.pointer("book")
    told = str(
        compare_versions(living.store.open("book", first.version), living.store.open("book", second.version))
    )
    assert "page10.md" in told
    assert "page11.md" not in told
    older = living.store.open("book", first.version)
    assert retrieve(older, EMBEDDER, Query("bend 0 of river 10")).hits[0].chunk.document_id == "page10.md"


def test_guard_and_gate_see_a_loss_beside_what_was_written_live(tmp_path: Path, book: Path) -> None:
    living = LivingBook(tmp_path / "living", book, 5)
    living.take(("write", 1))
    review = Review(living.store, lambda _: EMBEDDER, tmp_path / "reports")
    folder = living.desk.tools.cache / "built" / "book"
    shrinks, judgement = review.compare("book", folder)
    assert (shrinks, judgement.reasons) == ([], ())


@pytest.fixture
def by() -> Iterator[Publisher]:
    with publisher() as process:
        yield process


@pytest.mark.parametrize("rounds", [5, pytest.param(40, marks=pytest.mark.soak)], ids="{} rounds".format)
def test_a_publish_of_several_that_is_killed_leaves_the_version_before_or_the_new_one(
    tmp_path: Path, book: Path, by: Publisher, rounds: int
) -> None:
    shutil.copytree(book, tmp_path / "pages")
    pages = tmp_path / "pages"
    (pages / "broken.md").unlink()
    assert by.publish(tmp_path / "first", pages).returncode == 0
    for number in range(0, 24, 5):
        (pages / f"page{number:02d}.md").write_text(f"# Canal {number}\n\nIt was dug beside bend {number}.\n")
    shutil.copytree(tmp_path / "first", tmp_path / "whole")
    before = SegmentStore(FolderStore(tmp_path / "first/store"), tmp_path / "none").pointer("book")
    done = by.publish(tmp_path / "whole", pages, 1_000_000)
    assert done.returncode == 0
    wanted, calls = done.stdout.split()
    draw = random.Random(rounds)
    moments = sorted({int(calls), *(draw.randint(1, int(calls)) for _ in range(rounds - 1))})
    for call in moments:
        root = tmp_path / str(call)
        shutil.copytree(tmp_path / "first", root)
        killed = by.publish(root, pages, call)
        assert killed.returncode == -signal.SIGKILL, call
        objects = FolderStore(root / "store")
        store = SegmentStore(objects, root / "other")
        assert store.pointer("book").version in (before.version, wanted), call
        store.verify("book")
        assert hits(store.open("book"), "bend 1 of river 3")
        again = by.publish(root, pages, 1_000_000)
        assert again.returncode == 0, call
        assert store.pointer("book").version == wanted, call
        store.verify("book")
        now = time.time()
        for later in (0, 7200):
            prune(ReleaseTarget(objects, store), "book", keep=1, now=now + later)
        held = {path.name for path in (root / "store/collections/book/segments").iterdir()}
        assert held == set(builds_of(store.pointer("book"))), call


@pytest.fixture
def s3(moto_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyS3]:
    with FaultyS3(moto_url) as proxy:
        use_endpoint(monkeypatch, proxy.url)
        monkeypatch.setenv("AWS_REGION", CREDENTIALS["AWS_DEFAULT_REGION"])
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
            monkeypatch.delenv(name, raising=False)
        yield proxy


class BucketDesk(SplitDesk):
    """A desk whose store is a bucket, and whose shards are `finer` so many times; each is carried there and back."""

    finer = 1

    def __init__(self, root: Path, pages: Path, moto_url: str) -> None:
        super().__init__(root, pages)
        self.pages = pages
        client = boto3.client("s3", endpoint_url=moto_url, **BOTO)
        self.objects = S3Store(client, bucket_of(moto_url), f"several/{root.name}/")
        self.most_chunks = 5
        self.location = f"s3://{bucket_of(moto_url)}/several/{root.name}"
        self.now = time.time()
        self.store = SegmentStore(self.objects, root / "publisher", clock=self.tick)

    def tick(self) -> float:
        """A second later than before: versions are told apart by when they were published."""
        self.now += 1.0
        return self.now

    def sharding(self, mean_chunks: float, engine: InTurn | None = None) -> Sharding:
        return super().sharding(mean_chunks / self.finer, engine)

    def settings(self, root: Path, **more: object) -> Settings:
        return Settings(
            store=self.location,
            cache=root / "tmp",
            collections_file=Path(os.devnull),
            memory=str(root / "turns.sqlite"),
            **more,  # type: ignore[arg-type]
        )


@pytest.fixture
def bucket(tmp_path: Path, book: Path, moto_url: str) -> BucketDesk:
    pages = tmp_path / "copied"
    shutil.copytree(book, pages)
    return BucketDesk(tmp_path, pages, moto_url)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_text_of_several_segments_follows_from_the_bucket_each_when_it_is_asked_for(
    bucket: BucketDesk, tmp_path: Path, s3: FaultyS3, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(late_shards, "LEAST_BYTES", 0)
    monkeypatch.setattr(late_shards, "EVERY_S", 1e6)
    for path in bucket.pages.iterdir():
        path.unlink()
    for word in WORDS:
        (bucket.pages / f"{word}.md").write_text(f"# {word}\n\nThe {word} stands here.\n")
    bucket.most_chunks, bucket.finer = 1, 4
    first = bucket.publish(bucket.store)
    assert len(builds_of(first)) > 3
    app = lambda_app(bucket.settings(tmp_path / "function", cache_mb=512), ["query"])
    client = TestClient(app, base_url="http://localhost", raise_server_exceptions=False)

    def ask(word: str) -> tuple[int, list[str]]:
        body = {"collection": "book", "q": word, "mode": "keyword", "top_k": 1}
        reply = client.post("/query", json=body)
        found = reply.json().get("hits", []) if reply.status_code == 200 else []
        return reply.status_code, [hit["metadata"]["path"] for hit in found]

    def wait_for(word: str, path: str) -> None:
        """A newer version is fetched beside the questions, and a bucket that was away is left alone for a while."""
        until = time.monotonic() + seconds(15.0)
        while ask(word) != (200, [path]):
            assert time.monotonic() < until, ask(word)
            time.sleep(0.1)

    assert ask("anchor") == (200, ["anchor.md"])
    s3.state = GONE
    assert ask("anchor") == (200, ["anchor.md"])
    assert ask("mast") == (503, [])
    s3.state = WELL
    wait_for("mast", "mast.md")
    (bucket.pages / "mast.md").write_text("# rigging\n\nThe rigging came in its place.\n")
    second = bucket.publish(bucket.store)
    wait_for("rigging", "mast.md")
    roll_back(ReleaseTarget(bucket.objects, bucket.store), "book")
    wait_for("mast", "mast.md")
    assert second.version != first.version


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_swaps_rollbacks_and_writes_under_clients_fail_no_question(
    bucket: BucketDesk, tmp_path: Path, moto_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_endpoint(monkeypatch, moto_url)
    place = ReleaseTarget(bucket.objects, bucket.store)
    first = bucket.publish(bucket.store)
    assert len(builds_of(first)) > 3
    writes = LiveWrites(bucket.store, tmp_path / "work")
    asked = [
        ("/query", {"collection": "book", "q": f"river {number}", "mode": "keyword"}) for number in range(8)
    ]
    settings_ = bucket.settings(tmp_path / "server", refresh_s=0.1)
    with running(local_app(settings_)) as url, Swarm(url, asked, 0.02) as swarm:
        swarm.wait_for(16)
        (tmp_path / "copied/page11.md").write_text("# Lake\n\nStill water.\n")
        second = bucket.publish(bucket.store)
        swarm.wait_for(40)
        written = writes.put(BOOK, [Document("note.md", "A note of river 4.", "prose")], EMBEDDER)
        swarm.wait_for(40)
        gone = writes.delete(BOOK, "note.md")
        swarm.wait_for(40)
        back = roll_back(place, "book", first.version)
        swarm.wait_for_version(back.version)
        swarm.wait_for(20)
    assert swarm.errors() == []
    assert swarm.mixed() == []
    seen = frozenset().union(*(one.versions for one in swarm.seen))
    assert {first.version, second.version, back.version} <= seen
    assert seen <= {first.version, second.version, written.pointer.version, gone.version, back.version}
