"""A function that has just started over much text: what is not here yet is said to be away, and never unchecked."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

from functions.app.wiring import lambda_app
from quire.adapters.s3 import S3Store
from quire.adapters.s3_reader import S3Reader
from quire.index.layout import payload_shard
from quire.index.writer import write_segment
from quire.settings import Settings
from quire.store.keys import segment_key
from quire.store.store import SegmentStore
from tests.support.aws import BOTO, CREDENTIALS, bucket_of, use_endpoint
from tests.support.client import TestClient
from tests.support.deployed import damage
from tests.support.rows import FACTS, plain_row
from tests.support.s3_faults import GONE, WELL, FaultyS3

pytestmark = pytest.mark.usefixtures("settled_heap")

WORDS = ("anchor", "beacon", "cabin", "deck", "fish", "gull", "harbour", "island", "keel", "mast")
LINE = 1_000_100
"""Characters of a text that fills a shard."""


@pytest.fixture
def s3(moto_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyS3]:
    with FaultyS3(moto_url) as proxy:
        use_endpoint(monkeypatch, proxy.url)
        monkeypatch.setenv("AWS_REGION", CREDENTIALS["AWS_DEFAULT_REGION"])
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
            monkeypatch.delenv(name, raising=False)  # Lambda sets none
        yield proxy


@pytest.fixture
def objects(moto_url: str, tmp_path: Path) -> S3Store:
    """The store, as its publisher reaches it: ten chunks, each with a word and a shard of its own."""
    client = boto3.client("s3", endpoint_url=moto_url, **BOTO)
    objects = S3Store(client, bucket_of(moto_url), f"late/{tmp_path.name}/")
    rows = [plain_row(f"{word}.md", "0", f"{word} ".ljust(LINE, ".")) for word in WORDS]
    manifest = write_segment(tmp_path / "segment", rows, FACTS)
    SegmentStore(objects, tmp_path / "publisher").publish("docs", tmp_path / "segment", manifest)
    return objects


@pytest.fixture
def client(s3: FaultyS3, moto_url: str, objects: S3Store, tmp_path: Path) -> Iterator[TestClient]:
    """A function that has started and answered nothing."""
    settings = Settings(
        store=f"s3://{bucket_of(moto_url)}/late/{tmp_path.name}",
        cache=tmp_path / "tmp",
        cache_mb=512,
        collections_file=tmp_path / "none.toml",
        memory=str(tmp_path / "turns.sqlite"),
    )
    app = lambda_app(settings, ["query"])
    yield TestClient(app, base_url="http://localhost", raise_server_exceptions=False)
    with warnings.catch_warnings(action="ignore", category=ResourceWarning):
        del app
        for one in gc.get_objects():
            if issubclass(type(one), S3Store | S3Reader):  # no class is asked of a proxy whose object is gone
                one.reconnect()
        gc.collect()


def ask(client: TestClient, word: str) -> tuple[int, list[str]]:
    reply = client.post("/query", json={"collection": "docs", "q": word, "mode": "keyword", "top_k": 1})
    found = reply.json().get("hits", []) if reply.status_code == 200 else []
    return reply.status_code, [hit["text"].split()[0] for hit in found]


def test_a_question_for_text_that_is_not_here_is_503_while_the_store_is_away(
    client: TestClient, s3: FaultyS3
) -> None:
    assert ask(client, "anchor") == (200, ["anchor"])
    s3.state = GONE
    assert ask(client, "anchor") == (200, ["anchor"])
    assert ask(client, "mast") == (503, [])
    s3.state = WELL
    client.app.state.service.catalog.look_again()  # type: ignore[attr-defined]
    assert ask(client, "anchor") == (200, ["anchor"])


def test_a_changed_byte_of_text_is_503_and_never_shown(client: TestClient, objects: S3Store) -> None:
    [segment] = SegmentStore(objects, Path()).pointer("docs").segments
    damage(objects, segment_key("docs", segment.digest) + payload_shard(WORDS.index("fish")))
    assert ask(client, "fish") == (503, [])
    assert ask(client, "harbour") == (200, ["harbour"])
