"""Every answer says how old its knowledge is; status and headers say the same, and old knowledge says so in words."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.app.app import create_app
from functions.web.access import OneKey
from quire.adapters.folder import FolderStore
from quire.index.layout import Pointer, read_pointer
from quire.service.freshness import tell_freshness
from quire.service.knowledge import Knowledge
from quire.settings import read_settings
from quire.store.catalog import Catalog
from quire.store.store import SegmentStore
from tests.support.client import TestClient
from tests.support.corpus import api_documents
from tests.support.served import EMBEDDER, Shelf

QUESTION = {"collection": "roblox", "q": "walk to a point"}
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Aged(Shelf):
    """A shelf whose versions were published some days ago."""

    def __init__(self, root: Path, days: float) -> None:
        super().__init__(root)
        objects = FolderStore(self.folder)
        self.store = SegmentStore(objects, self.cache, clock=lambda: time.time() - days * 86_400)


def client(shelf: Shelf, stale_after_days: float = 30.0) -> TestClient:
    service = Knowledge(
        Catalog(shelf.store, refresh_s=0.0), lambda digest: EMBEDDER, stale_after_days=stale_after_days
    )
    return TestClient(create_app(service, OneKey(None)))


def published(tmp_path: Path, days: float) -> Shelf:
    shelf = Aged(tmp_path, days)
    shelf.publish()
    return shelf


def test_an_answer_says_from_what_it_was_made_and_how_old_it_is(tmp_path: Path) -> None:
    shelf = published(tmp_path, 2)
    fresh = client(shelf).post("/query", json=QUESTION).json()["freshness"]
    assert fresh["label"] == "0.735.0.7350832"
    assert fresh["published_at"] == shelf.store.pointer("roblox").published_at
    assert abs(fresh["age_s"] - 2 * 86_400) < 120
    assert fresh["sources"] == [{"key": "api_dump", "revision": "", "version": "0.735.0.7350832"}]
    assert fresh["notice"] is None


@pytest.mark.parametrize(
    ("days", "allowed", "is_old"), [(29, 30, False), (31, 30, True), (31, 0, False), (2, 1, True)]
)
def test_beyond_the_set_age_every_answer_and_the_status_say_so(
    tmp_path: Path, days: float, allowed: float, is_old: bool
) -> None:
    asked = client(published(tmp_path, days), allowed)
    answers = [
        asked.post("/query", json=QUESTION),
        asked.post("/roblox/query", json={"text": "walk"}),
        asked.get("/roblox/status"),
        asked.get("/collections/roblox"),
    ]
    notices = {reply.headers.get("x-quire-notice") for reply in answers}
    notices |= {answers[0].json()["freshness"]["notice"], answers[3].json()["notice"]}
    notices |= {one["notice"] for one in asked.get("/status").json()["collections"]}
    assert notices == (
        {f"this version is {days} days old: what it says may have changed since"} if is_old else {None}
    )


def test_the_headers_of_a_face_agree_with_the_native_answer(tmp_path: Path) -> None:
    asked = client(published(tmp_path, 3))
    fresh = asked.post("/query", json=QUESTION).json()
    headers = asked.post("/roblox/query", json={"text": "walk"}).headers
    assert headers["x-quire-version"] == fresh["version"]
    assert headers["x-quire-label"] == fresh["freshness"]["label"]
    assert headers["x-quire-published-at"] == fresh["freshness"]["published_at"]
    assert abs(float(headers["x-quire-age-s"]) - fresh["freshness"]["age_s"]) < 5
    assert headers["x-quire-sources"] == "api_dump@0.735.0.7350832"


def test_an_answer_from_an_older_version_tells_of_that_one(tmp_path: Path) -> None:
    shelf = published(tmp_path, 40)
    old = shelf.store.pointer("roblox")
    shelf.store = Aged(tmp_path, 1).store
    shelf.publish(documents=api_documents()[:3], engine="0.736.0.1")
    reply = client(shelf).post("/query", json=QUESTION | {"version": "0.735"})
    assert reply.json()["freshness"]["published_at"] == old.published_at
    assert reply.headers["x-quire-version"] == reply.json()["version"] == old.version
    assert "41 days" in reply.headers["x-quire-notice"] or "40 days" in reply.headers["x-quire-notice"]


def test_what_concerns_no_collection_has_no_age(tmp_path: Path) -> None:
    asked = client(published(tmp_path, 40))
    for path in ("/health", "/status", "/collections"):
        assert not [name for name in asked.get(path).headers if name.startswith("x-quire")]
    wrong = asked.post("/query", json={**QUESTION, "top_k": 0})
    assert (wrong.status_code, "x-quire-version" in wrong.headers) == (422, False)


def test_a_label_that_no_header_can_hold_is_spelt_out(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.publish(engine="versión 7\n")
    headers = client(shelf).post("/roblox/query", json={"text": "walk"}).headers
    assert headers["x-quire-label"].startswith("versi?n 7")


@given(st.integers(0, 10_000), st.integers(0, 400))
def test_a_version_is_old_exactly_beyond_the_set_age(hours: int, days: int) -> None:
    moment = (NOW - timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ")
    fresh = tell_freshness(Pointer("docs", "docs", "chatbot", published_at=moment), (), NOW, days)
    assert fresh.age_s == hours * 3600
    assert bool(fresh.notice) == (days > 0 and hours > 24 * days)


def test_a_version_whose_sources_rest_is_as_old_as_the_last_look_at_them() -> None:
    published, checked = "2026-01-01T00:00:00Z", (NOW - timedelta(hours=5)).strftime("%Y-%m-%dT%H:%M:%SZ")
    pointer = Pointer("docs", "docs", "chatbot", published_at=published, checked_at=checked)
    fresh = tell_freshness(pointer, (), NOW)
    assert (fresh.published_at, fresh.age_s, fresh.notice) == (published, 5 * 3600, "")
    assert read_pointer(pointer.to_json()) == pointer
    assert pointer.version == pointer._replace(checked_at="").version


def test_a_server_that_serves_a_version_tells_that_it_was_found_unchanged(tmp_path: Path) -> None:
    shelf = published(tmp_path, 40)
    asked = client(shelf)
    old = asked.post("/query", json=QUESTION)
    assert "x-quire-notice" in old.headers
    digest = shelf.store.pointer("roblox").segments[0].digest
    now = SegmentStore(FolderStore(shelf.folder), tmp_path / "elsewhere")
    now.confirm("roblox", digest)
    now.confirm("roblox", "0" * 64)  # another segment's, which was rolled back meanwhile
    new = asked.post("/query", json=QUESTION)
    assert "x-quire-notice" not in new.headers
    assert new.headers["x-quire-published-at"] == old.headers["x-quire-published-at"]
    assert new.json()["version"] == old.json()["version"]


def test_a_version_that_was_never_published_has_no_age() -> None:
    fresh = tell_freshness(Pointer("docs", "docs", "chatbot"), (), NOW)
    assert (fresh.age_s, fresh.notice, fresh.provenance) == (None, "", "")


def test_the_set_age_is_a_setting() -> None:
    assert read_settings({}).stale_after_days == 30
    assert replace(read_settings({"QUIRE_STALE_AFTER_DAYS": "7"})).stale_after_days == 7
