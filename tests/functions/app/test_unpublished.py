"""A collection that is described and has no published index: 503 in its face's own words, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from functions.app.wiring import local_app
from quire.settings import Settings
from tests.support.client import TestClient

DESCRIBED = """
[engine]
profile = "roblox"
source = { api_dump = "dump" }
[book]
profile = "textbook"
source = { docs = "book" }
[shelf]
profile = "docs"
[program]
profile = "code"
source = { repository = "." }
"""


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    described = tmp_path / "collections.toml"
    described.write_text(DESCRIBED)
    settings = Settings(store=str(tmp_path / "store"), cache=tmp_path, collections_file=described)
    return TestClient(local_app(settings), base_url="http://127.0.0.1:8000", raise_server_exceptions=False)


@pytest.mark.parametrize(
    ("path", "body", "detail"),
    [
        ("/query", {"collection": "engine", "q": "x"}, "`python -m build_index build engine` publishes it"),
        ("/engine/query", {"text": "x"}, "collection 'engine': no index is published"),
        (
            "/book/api/query",
            {"query": "What shelters boats?"},
            "`python -m build_index build book` publishes it",
        ),
        ("/query", {"collection": "program", "q": "x"}, "`POST /program/index/build` makes it"),
        ("/program/query", {"q": "x"}, "`POST /program/index/build` makes it"),
        ("/program/answer", {"q": "x"}, "`POST /program/index/build` makes it"),
        ("/shelf/query", {"query_text": "x"}, "`POST /shelf/ingest` begins it"),
        ("/shelf/chat", {"user_message": "x"}, "`POST /shelf/ingest` begins it"),
    ],
)
def test_what_a_build_will_publish_is_503_until_then(
    client: TestClient, path: str, body: dict[str, str], detail: str
) -> None:
    reply = client.post(path, json=body)
    assert reply.status_code == 503
    assert detail in (reply.json().get("detail") or reply.json()["message"])
    assert int(reply.headers["retry-after"]) > 0


def test_what_nobody_described_is_404_and_what_is_empty_is_told_so(client: TestClient) -> None:
    assert client.post("/query", json={"collection": "nothing-of-that-name", "q": "x"}).status_code == 404
    assert client.get("/program/index/stats").json()["files"] == 0
    assert client.get("/shelf/pages").json()["total"] == 0
