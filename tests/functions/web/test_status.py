"""`/status` of many collections: what it costs, what it opens, and how long it waits."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest

from functions.app.app import create_app
from functions.web.access import OneKey
from quire.errors import StoreUnavailable
from quire.index.layout import read_pointer
from quire.service.access import ANYONE
from quire.service.knowledge import Knowledge, peek, survey
from quire.store.catalog import Catalog, Unopened
from quire.store.live_catalog import LiveCatalog
from quire.store.store import SegmentStore
from quire.stored import Stored
from tests.support.client import TestClient
from tests.support.corpus import api_documents
from tests.support.deployed import publish
from tests.support.fakes import HashingEmbedder
from tests.support.pace import is_within
from tests.support.stores import MemoryStore

EMBEDDER = HashingEmbedder()
COUNT = 200


class Held(MemoryStore):
    """A store that is silent about the keys that hold `silent`."""

    def __init__(self) -> None:
        super().__init__()
        self.silent = "-"
        self.over = threading.Event()

    def read(self, key: str) -> Stored | None:
        if self.silent in key:
            self.over.wait(20)
        return super().read(key)


@pytest.fixture
def objects(tmp_path: Path) -> Held:
    """One small index under as many names."""
    objects = Held()
    publish(SegmentStore(objects, tmp_path / "builder"), "c0", api_documents()[:2], EMBEDDER)
    pointer = read_pointer(objects.objects["collections/c0/current.json"])
    files = {key: data for key, data in objects.objects.items() if key.startswith("collections/c0/segments/")}
    for number in range(1, COUNT):
        name = f"c{number}"
        objects.objects |= {key.replace("/c0/", f"/{name}/"): data for key, data in files.items()}
        objects.objects[f"collections/{name}/current.json"] = pointer._replace(collection=name).to_json()
    objects.calls.clear()
    return objects


def service_of(objects: MemoryStore, folder: Path) -> Knowledge:
    store = SegmentStore(objects, folder / "serving")
    return Knowledge(Catalog(store, refresh_s=60.0), lambda _: EMBEDDER, live=LiveCatalog(store))


def test_the_status_of_two_hundred_collections_opens_none_of_them(objects: Held, tmp_path: Path) -> None:
    service = service_of(objects, tmp_path)
    client = TestClient(create_app(service, OneKey(None)))
    service.catalog.get("c7")
    objects.calls.clear()
    began = time.process_time()
    reply = client.get("/status")
    took_s = time.process_time() - began
    told = {one["name"]: one for one in reply.json()["collections"]}
    assert (len(told), reply.json()["status"]) == (COUNT, "ok")
    assert {(one["chunks"], one["documents"], one["label"]) for one in told.values()} == {
        (2, 2, "0.735.0.7350832")
    }
    assert [name for name, one in told.items() if one["disk_bytes"]] == ["c7"]
    assert sum(peek(service, name) is not None for name in told) == 1
    assert "fetch_file" not in objects.calls
    assert objects.calls["read"] <= 2 * COUNT  # of each its pointer and its manifest
    assert len(reply.content) < 600 * COUNT
    assert is_within(took_s, 3)
    objects.calls.clear()
    assert client.get("/status").status_code == 200
    assert objects.calls == {}  # until the next interval


def test_a_status_waits_so_long_and_says_of_whom_nothing_was_heard(objects: Held, tmp_path: Path) -> None:
    service = service_of(objects, tmp_path)
    objects.silent = "collections/c77/"
    try:
        states = dict(survey(service, ANYONE, within_s=1.0))
    finally:
        objects.over.set()
    assert isinstance(states["c77"], StoreUnavailable)
    assert str(states["c77"]) == "collection 'c77': nothing was heard within 1 s"
    assert sum(isinstance(one, Unopened) for one in states.values()) == COUNT - 1


def test_a_collection_that_could_not_be_opened_says_so_while_it_is_closed(
    objects: Held, tmp_path: Path
) -> None:
    service = service_of(objects, tmp_path)
    client = TestClient(create_app(service, OneKey(None)))
    [key] = [one for one in objects.objects if one.startswith("collections/c5/") and "vectors" in one]
    objects.objects[key] = b"?" * len(objects.objects[key])
    assert client.post("/query", json={"collection": "c5", "q": "x"}).status_code == 503
    told = {one["name"]: one for one in client.get("/status").json()["collections"]}["c5"]
    assert told["degraded"] == ["could not be opened when last asked (ArtifactCorrupt)"]
    assert told["last_error"]["kind"] == "ArtifactCorrupt"
    assert json.loads(client.get("/collections").content)["collections"][0]["status"] == "ok"
