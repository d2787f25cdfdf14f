"""Collections that a caller may not read: he learns no name of one, and what is public is not written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from functions.app.app import create_app
from functions.app.cloud import PublicReads
from functions.web.access import OneKey, ScopedKeys
from functions.web.calls import Once
from functions.web.live import open_live
from quire.collections import Collection
from quire.service.access_file import AccessFile
from quire.sessions import session_key
from tests.support.client import TestClient
from tests.support.lively import COLLECTIONS, Lively
from tests.support.served import Shelf

CLOSED = "merger-plans"
LISTED = {"open": Collection("open", "roblox", public=True), CLOSED: Collection(CLOSED, "roblox")}


@pytest.fixture(params=["public", "scoped"])
def outsider(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[TestClient]:
    """Who may read `open` alone: because it is public, or by the scope of a key."""
    shelf = Shelf(tmp_path)
    shelf.publish("open")
    shelf.publish(CLOSED)
    digest = "e3b98a4da31a127d4bde6e43033f66ba274cab0eb7eb1c70ec41402bf6273dd8"  # of "t"
    (tmp_path / "access.toml").write_text(
        f'[[keys]]\nname = "r"\nsha256 = "{digest}"\nactions = ["read"]\ncollections = ["open"]\n'
    )
    scoped = ScopedKeys(
        AccessFile(tmp_path / "access.toml"), OneKey("master"), lambda _: pytest.fail("no tokens here")
    )
    is_public = request.param == "public"
    access = PublicReads(OneKey("master"), frozenset({"open"})) if is_public else scoped
    app = create_app(shelf.service(collections=LISTED), access)
    headers = {} if is_public else {"x-api-key": "t"}
    with TestClient(app, raise_server_exceptions=False, headers=headers) as client:
        yield client


@pytest.mark.parametrize(
    "path",
    "/openapi.json /reference /collections /status /llms.txt /v1/models /collections/nowhere /nowhere/llms.txt".split(),
)
def test_no_page_names_a_collection_that_the_caller_may_not_read(outsider: TestClient, path: str) -> None:
    reply = outsider.get(path)
    assert CLOSED not in reply.text
    assert "nowhere" in path or "open" in reply.text


def test_the_key_to_everything_still_sees_everything(outsider: TestClient) -> None:
    for path in ("/openapi.json", "/collections"):
        assert CLOSED in outsider.get(path, headers={"x-api-key": "master"}).text
    missing = outsider.post(
        "/query", json={"collection": "nowhere", "q": "x"}, headers={"x-api-key": "master"}
    )
    assert (missing.status_code, CLOSED in missing.json()["detail"]) == (404, True)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/query", {"collection": "NAME", "q": "x"}),
        ("POST", "/answer", {"collection": "NAME", "q": "x"}),
        (
            "POST",
            "/verify",
            {"collection": "NAME", "citations": [{"id": "a", "version": "b", "sha256": "c"}]},
        ),
        ("POST", "/v1/responses", {"model": "NAME", "input": "x"}),
        ("POST", "/v1/chat/completions", {"model": "NAME", "messages": [{"role": "user", "content": "x"}]}),
        ("GET", "/collections/NAME", None),
        ("GET", "/collections/NAME/diff?from=a", None),
        ("GET", "/NAME/llms.txt", None),
        ("POST", "/NAME/query", {"text": "x"}),
        ("GET", "/NAME/status", None),
        ("GET", "/NAME/anything", None),
        ("DELETE", "/NAME/query", None),
    ],
)
def test_a_closed_collection_answers_as_one_that_is_not_there(
    outsider: TestClient, method: str, path: str, body: dict[str, object] | None
) -> None:
    replies = []
    for name in (CLOSED, "x" * len(CLOSED)):
        asked = json.loads(json.dumps(body).replace("NAME", name))
        reply = outsider.request(method, path.replace("NAME", name), json=asked)
        # The shape of an error is the face's, which its clients read; status and words are the same.
        said = reply.json()
        words = said.get("detail") or said.get("message") or said["error"]["message"]
        replies.append((reply.status_code, words.replace(name, "NAME")))
    assert replies[0] == replies[1]
    assert replies[0][0] in (401, 403, 404)


@pytest.fixture
def public(tmp_path: Path) -> Lively:
    lively = Lively(tmp_path)
    files = [{"path": "a.md", "content": "# Oak\n\nThe oak is old."}]
    assert lively.client().post("/book/ingest", json={"files": files}).status_code == 200
    lively.app = create_app(lively.app.state.service, PublicReads(OneKey("master"), frozenset(COLLECTIONS)))
    lively.app.state.live = Once(lambda: open_live(lively.base))
    return lively


def test_a_chat_without_a_key_is_answered_and_neither_remembered_nor_told_what_others_said(
    public: Lively,
) -> None:
    said = {"user_message": "How old is the oak?", "session": "s1"}
    session = session_key("book", "chat", "", "s1")
    assert public.client("master").post("/book/chat", json=said).status_code == 200
    held = public.memory.recent(session, 10)
    assert len(held) == 2
    asked = public.client().post("/book/chat", json=said)
    assert asked.status_code == 200
    assert asked.json()["response"]
    assert "with a key alone" in asked.text
    assert public.memory.recent(session, 10) == held


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/book/ingest", {"files": [{"path": "b.md", "content": "# B"}]}),
        ("POST", "/sites/documents", {"site_id": "acme", "content": "x"}),
        ("POST", "/sites/chat-messages", {"site_id": "acme", "user_id": "u", "role": "user", "message": "x"}),
        ("DELETE", "/sites/chat-messages?site_id=acme&user_id=u", {}),
        ("POST", "/sites/chat-messages/cleanup", {}),
    ],
)
def test_nothing_that_is_public_is_written_without_a_key(
    public: Lively, method: str, path: str, body: dict[str, object]
) -> None:
    assert public.client().request(method, path, json=body).status_code in (401, 405)
