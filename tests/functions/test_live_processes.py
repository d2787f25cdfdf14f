"""Live writes among real processes: what one acknowledged every other serves, whatever is killed; folder and S3."""

from __future__ import annotations

import json
import os
import random
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from quire.index.reader import verify_segment
from quire.service.access import ANYONE
from quire.store.merging import SegmentMerger
from tests.support.aws import CREDENTIALS, bucket_of, free_port, wait_until_served
from tests.support.forked import Program, program
from tests.support.lively import Lively
from tests.support.site_writer import SITE

soak = pytest.mark.soak
PAUSE_S = 0.02
"""Between two looks of a reader: one that never rests leaves no CPU to those it watches."""


@pytest.fixture(scope="module")
def lively_server() -> Iterator[Program]:
    """What serving processes begin from."""
    with program("tests.support.lively_server") as parent:
        yield parent


@pytest.fixture(scope="module", params=["folder", "one folder", "s3"])
def servers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, lively_server: Program
) -> Iterator[list[httpx.Client]]:
    """Two serving processes over one store; each has a folder of its own, as on another machine, or both have one."""
    root = tmp_path_factory.mktemp("live")
    environment = {"HOME": tempfile.gettempdir(), **CREDENTIALS}
    store = str(root / "store")
    if request.param == "s3":
        url = request.getfixturevalue("moto_url")
        store = f"s3://{bucket_of(url)}/{root.name}"
        environment["AWS_ENDPOINT_URL"] = url
    with ExitStack() as stack:

        def started() -> httpx.Client:
            port = free_port()
            folder = root / ("both" if request.param == "one folder" else str(port))
            folder.mkdir(exist_ok=True)
            place = (str(port), str(folder), store)
            server = lively_server.start(*place, environment=environment, stdout=unread.fileno())
            stack.callback(server.wait)
            stack.callback(server.kill)
            base = f"http://127.0.0.1:{port}"
            wait_until_served(server.poll, f"{base}/health")
            limits = httpx.Limits(max_connections=100, max_keepalive_connections=100)
            return stack.enter_context(httpx.Client(base_url=base, timeout=120, limits=limits))

        unread = stack.enter_context(Path(os.devnull).open("wb"))
        yield [started(), started()]


def add(client: httpx.Client, site: str, content: str) -> str:
    response = client.post("/sites/documents", json={"site_id": site, "source": "a.txt", "content": content})
    assert response.status_code == 201, response.text
    return str(response.json()["id"])


def found(client: httpx.Client, site: str, query: str) -> str:
    body = {"site_id": site, "user_id": "u", "query": query}
    response = client.post("/sites/retrieve-context", json=body)
    assert response.status_code == 200, response.text
    return str(response.json()["context"])


@pytest.mark.parametrize("times", [8, pytest.param(1_000, marks=soak)], ids="{} times".format)
def test_another_process_finds_what_was_written_and_nothing_that_was_deleted(
    servers: list[httpx.Client], times: int
) -> None:
    writer, reader = servers
    add(writer, "acme", "A document that stays, so that the site is never empty.")
    for number in range(times):
        mark = f"zq{number:05d}x"
        one = add(writer, "acme", f"The word {mark} stands in this document alone.")
        assert mark in found(reader, "acme", f"where is {mark}"), number
        assert writer.delete(f"/sites/documents/{one}?site_id=acme").status_code == 204
        assert mark not in found(reader, "acme", f"where is {mark}").partition("Conversation")[0], number


@pytest.mark.parametrize(
    ("writers", "sites", "each"),
    [(8, 4, 2), pytest.param(200, 20, 5, marks=soak)],
    ids=["8 writers", "200 writers"],
)
def test_writers_and_readers_at_once_lose_double_and_tear_nothing(
    servers: list[httpx.Client], writers: int, sites: int, each: int
) -> None:
    shared = [add(servers[0], f"s{site}", _edition(0)) for site in range(sites)]
    over = threading.Event()

    def write(number: int) -> list[tuple[str, str, str]]:
        client, site = servers[number % 2], f"s{number % sites}"
        done = []
        for turn in range(each):
            text = f"Document {number}-{turn} of its own, by writer {number}."
            done.append((site, add(client, site, text), text))
            if turn == 0:
                url = f"/sites/documents/{shared[number % sites]}?site_id={site}"
                assert client.put(url, json={"content": _edition(number + 1)}).status_code == 200
        return done

    def read(number: int) -> int:
        client, looks = servers[number % 2], 0
        while not over.wait(PAUSE_S):
            site = number % sites
            filters = {"site_id": f"s{site}", "document_id": shared[site]}
            body = {"collection": "sites", "q": "edition", "top_k": 50, "filters": filters, "mode": "keyword"}
            hits = client.post("/query", json=body).json()["hits"]
            editions = {hit["text"].split()[1] for hit in hits}
            assert len(editions) == 1, f"torn: {editions}"
            looks += 1
        return looks

    with ThreadPoolExecutor(writers + 4) as pool:
        reading = [pool.submit(read, number) for number in range(4)]
        try:
            written = [one for done in pool.map(write, range(writers)) for one in done]
        finally:
            over.set()
        assert all(job.result() > 0 for job in reading)
    for site in range(sites):
        expected = {one: text for name, one, text in written if name == f"s{site}"}
        assert _everything(servers[site % 2], f"s{site}").keys() == expected.keys() | {shared[site]}
        for one, text in list(expected.items())[:5]:
            assert servers[1].get(f"/sites/documents/{one}?site_id=s{site}").json()["content"] == text


def _edition(number: int) -> str:
    """A text of several chunks, each of which begins with its edition."""
    filler = "Nothing here is said twice but this. " * 24
    return "\n\n".join(f"Edition e{number} part {part} edition. {filler}" for part in range(4))


def _everything(client: httpx.Client, site: str) -> dict[str, int]:
    documents: dict[str, int] = {}
    after = ""
    while True:
        page = client.get(f"/sites/documents?site_id={site}&limit=200&after={after}").json()
        for one in page["documents"]:
            assert one["id"] not in documents, "doubled"
            documents[one["id"]] = one["chunks"]
        if page["after"] is None:
            assert page["total"] == len(documents)
            return documents
        after = page["after"]


@pytest.fixture
def site_writer() -> Iterator[Program]:
    """What writers begin from."""
    with program("tests.support.site_writer") as parent:
        yield parent


@pytest.mark.parametrize("rounds", [5, pytest.param(50, marks=soak)], ids="{} rounds".format)
def test_a_killed_process_loses_nothing_that_it_acknowledged(
    tmp_path: Path, rounds: int, site_writer: Program
) -> None:
    acknowledged: dict[str, str] = {}
    unsure: dict[str, set[str | None]] = {}
    draw = random.Random(7)
    for number in range(rounds):
        read, write = os.pipe()
        try:
            writer = site_writer.start(str(tmp_path), str(number), environment={}, stdout=write)
        finally:
            os.close(write)
        with os.fdopen(read, "rb") as stdout:
            said = b""
            while b'["done"' not in said:  # the moment is drawn from when it has acknowledged something
                line = stdout.readline()
                assert line, "the writer ended"
                said += line
            threading.Timer(draw.random(), writer.kill).start()
            said += stdout.read()
            assert writer.wait() == -signal.SIGKILL
        _note(said, acknowledged, unsure)
        SegmentMerger(Lively(tmp_path).store, Lively(tmp_path).objects, tmp_path / "w").merge(
            SITE.place, everything=bool(number % 2)
        )
        _check(tmp_path, acknowledged, unsure)
    assert len(acknowledged) >= rounds


def _note(said: bytes, acknowledged: dict[str, str], unsure: dict[str, set[str | None]]) -> None:
    """What was acknowledged; of what was tried and not acknowledged, each outcome that is right."""
    tried: dict[tuple[str, str, str], str | None] = {}
    for line in said.splitlines():
        if not line.endswith(b"]"):
            continue  # the kill cut it
        stage, kind, name, text, *more = json.loads(line)
        if stage == "try":
            tried[kind, name, text] = None
            continue
        tried.pop((kind, name, text), None)
        if kind == "add":
            acknowledged[more[0]] = text
        elif kind == "replace":
            acknowledged[name] = text
        else:
            acknowledged.pop(name, None)
            unsure.pop(name, None)
    for kind, name, text in tried:
        if kind != "add":
            unsure.setdefault(name, {acknowledged.get(name)}).add(text if kind == "replace" else None)


def _check(folder: Path, acknowledged: dict[str, str], unsure: dict[str, set[str | None]]) -> None:
    lively = Lively(folder)
    documents = lively.live.documents
    page = documents.page(ANYONE, SITE, limit=100_000)
    served_ids = {one.id for one in page.documents}
    assert {one for one in acknowledged if one not in unsure} <= served_ids
    for one in served_ids:
        content = documents.get(ANYONE, SITE, one).content
        if one in unsure:
            assert content in unsure[one]
        elif one in acknowledged:
            assert content == acknowledged[one]
    for one, outcomes in unsure.items():
        assert one in served_ids or None in outcomes
    pointer = lively.store.pointer(SITE.name)
    for ref in pointer.segments:
        verify_segment(lively.store.segment(SITE.name, ref).folder, ref.digest)


def test_a_reader_goes_on_while_a_store_is_folded_and_swept(tmp_path: Path) -> None:
    """Another process merges, and sweeps at once, without the grace that readers are due: they look again."""
    lively, other = Lively(tmp_path), Lively(tmp_path)
    merger = SegmentMerger(other.store, other.objects, tmp_path / "w", clock=lambda: time.time() + 10_000_000)
    over = threading.Event()
    ids = [lively.live.documents.add(ANYONE, SITE, _said(number)).id for number in range(10)]

    def read() -> int:
        looks = 0
        while not over.wait(PAUSE_S):
            page = lively.live.documents.page(ANYONE, SITE, limit=100)
            assert {one.id for one in page.documents} >= set(ids)
            looks += 1
        return looks

    with ThreadPoolExecutor(2) as pool:
        reading = [pool.submit(read) for _ in range(2)]
        try:
            for number in range(12):
                other.live.documents.add(ANYONE, SITE, _said(100 + number))
                merger.merge(SITE.place, everything=True)
                merger.sweep(SITE.name)
        finally:
            over.set()
        assert all(job.result() > 0 for job in reading)


def _said(number: int):  # type: ignore[no-untyped-def]
    from quire.service.sites import Submission

    return Submission(f"Document number {number} says {number}.")
