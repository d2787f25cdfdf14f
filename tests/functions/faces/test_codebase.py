"""Face `codebase` against its specification, with the real model over a small application."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from functions.faces.codebase.contract import AnswerResponse, IndexResponse, JobResponse, QueryResponse, Stats
from quire import __version__
from tests.support.client import TestClient
from tests.support.indexed import CodeServer, allowed, open_server
from tests.support.shop_app import FILES

# Section 25 of the specification, and its two examples; the place is a line of the definition that answers.
QUESTIONS = [
    ("Where is the memcached session handler configured?", "config/php/session.php", 7),
    ("Show how the Google Sheets API client is initialized.", "src/google/sheets_client.php", 11),
    ("What sanitization does doVars() apply to $_FILES?", "src/helpers/vars.php", 13),
    ("Outline the cURL helper functions and their logging.", "src/helpers/curl.php", 32),
    ("Where is doCurlGet implemented and what are its side effects?", "src/helpers/curl.php", 7),
    ("How do sessions work in our Docker PHP image?", "config/php/session.php", 7),
]
EXCLUDED = {"binary": 1, "empty": 1, "gitignore": 1, "lock": 1, "type": 1}
OUTSIDE = [
    "..",
    "../",
    "shop/../..",
    "/",
    "/etc",
    "link",
    "shop/docs/deploy.md",
    "missing",
    "shop\0",
    "circle",
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, model_folder: Path) -> CodeServer:
    """A server whose collection `code` is the shop."""
    server = open_server(tmp_path_factory.mktemp("code"), model_folder)
    (server.root / "link").symlink_to(server.root.parent)
    (server.root / "circle").symlink_to("circle")
    with allowed(server.root):
        answer = server.client().post("/code/index/build", json={"root": "shop"})
    assert answer.status_code == 200, answer.text
    assert checked(answer.json(), IndexResponse)["files_indexed"] == 9
    return server


@pytest.fixture(autouse=True)
def _allowed(server: CodeServer) -> Iterator[None]:
    with allowed(server.root):
        yield


@pytest.fixture
def client(server: CodeServer) -> TestClient:
    return server.client()


def checked(body: Any, contract: Any) -> Any:
    return TypeAdapter(contract).validate_python(body, strict=True, extra="forbid")


def ask(client: TestClient, q: str, **fields: Any) -> list[dict[str, Any]]:
    answer = client.post("/code/query", json={"q": q} | fields)
    assert answer.status_code == 200, answer.text
    checked(answer.json(), QueryResponse)
    matches: list[dict[str, Any]] = answer.json()["matches"]
    return matches


def lines(path: str, start: int, end: int) -> str:
    return "\n".join(FILES[path].split("\n")[start - 1 : end])


def test_health_and_statistics_have_the_specified_shapes(client: TestClient) -> None:
    assert client.get("/code/health").json() == {"status": "ok", "version": __version__}
    stats = checked(client.get("/code/index/stats").json(), Stats)
    assert stats["files"] == 9
    assert stats["chunks"] > 9
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", stats["updated_at"])


def test_statistics_of_what_was_never_indexed_are_zero(tmp_path: Path, model_folder: Path) -> None:
    empty = open_server(tmp_path, model_folder).client()
    assert empty.get("/code/index/stats").json() == {"files": 0, "chunks": 0, "updated_at": None}
    assert empty.post("/code/query", json={"q": "x"}).status_code == 503


def test_the_configuration_shows_what_holds_and_no_secret(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAG_API_KEY", "sesame-open")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-sesame")
    monkeypatch.setenv("OLLAMA_ENDPOINT", "http://me:sesame@localhost:11434")
    monkeypatch.setenv("QUIRE_PROVIDER", "ollama")
    monkeypatch.setenv("QUIRE_MODEL", "llama3.1")
    monkeypatch.setenv("RAG_TOP_K", "3")
    monkeypatch.setenv("RAG_CHUNK_SIZE", "500")
    monkeypatch.setenv("RAG_ALLOWED_FILETYPES", ".py, .php")
    shown = client.get("/code/config")
    assert "sesame" not in shown.text
    config = shown.json()
    assert config["RAG_API_KEY"] == config["OPENAI_API_KEY"] == "********"
    assert config["OLLAMA_ENDPOINT"] == "http://localhost:11434"
    assert (config["RAG_LLM_PROVIDER"], config["LLM_MODEL"]) == ("ollama", "llama3.1")
    assert config["RAG_TOP_K"] == 3
    assert config["RAG_ALLOWED_FILETYPES"] == [".py", ".php"]
    assert config["not_heeded"] == ["RAG_CHUNK_SIZE"]
    assert len(ask(client, "session")) == 3


@pytest.mark.parametrize(("question", "path", "line"), QUESTIONS)
def test_a_question_of_the_specification_finds_its_lines_in_the_first_three(
    client: TestClient, question: str, path: str, line: int
) -> None:
    found = [(one["path"], one["start_line"], one["end_line"]) for one in ask(client, question)[:3]]
    assert any(one == path and start <= line <= end for one, start, end in found), found


def test_a_match_is_the_lines_of_its_file_with_language_symbol_and_digest(client: TestClient) -> None:
    [match] = ask(client, "doCurlGet", top_k=1)
    assert match["path"] == "src/helpers/curl.php"
    assert match["snippet"] == lines(match["path"], match["start_line"], match["end_line"])
    assert 0 <= match["score"] <= 1
    assert match["metadata"]["lang"] == "php"
    assert match["metadata"]["symbol"] == "doCurlGet"
    assert re.fullmatch(r"[0-9a-f]{64}", match["metadata"]["sha256"])


def test_the_definition_comes_before_the_tests_that_use_it(client: TestClient) -> None:
    paths = [match["path"] for match in ask(client, "Where is doCurlGet implemented?", top_k=20)]
    assert paths.index("src/helpers/curl.php") < paths.index("tests/CurlTest.php")


def test_what_is_ignored_or_locked_is_not_indexed(client: TestClient) -> None:
    paths = {match["path"] for match in ask(client, "vendored lock composer", top_k=50)}
    assert not paths & {"vendor/lib.php", "composer.lock", ".gitignore"}


@pytest.mark.parametrize("scope", ["lines", "symbol", "file"])
def test_a_wider_snippet_is_the_files_lines_too(client: TestClient, scope: str) -> None:
    [narrow] = ask(client, "checkout", top_k=1)
    [wide] = ask(client, "checkout", top_k=1, expand=scope)
    assert wide["path"] == narrow["path"]
    assert wide["start_line"] <= narrow["start_line"] <= narrow["end_line"] <= wide["end_line"]
    assert wide["metadata"]["match_start_line"] == narrow["start_line"]
    assert wide["snippet"] == lines(wide["path"], wide["start_line"], wide["end_line"])
    if scope == "file":
        assert wide["snippet"] == FILES[wide["path"]].rstrip("\n")


def test_asking_for_a_second_pass_is_accepted_and_changes_nothing(client: TestClient) -> None:
    plain = ask(client, "what is written to the request log", top_k=20)
    assert ask(client, "what is written to the request log", top_k=20, rerank=True) == plain


def test_filters_are_exact_and_an_unknown_one_is_refused(client: TestClient) -> None:
    assert {one["metadata"]["lang"] for one in ask(client, "send", filters={"lang": "javascript"})} == {
        "javascript"
    }
    refused = client.post("/code/query", json={"q": "x", "filters": {"nonsense": "1"}})
    assert refused.status_code == 422
    assert refused.json()["detail"][0]["loc"] == ["body", "filters", "nonsense"]


def test_a_filter_takes_the_value_that_the_metadata_show(client: TestClient) -> None:
    shown = {one["metadata"]["is_test"] for one in ask(client, "doCurlGet", top_k=20)}
    assert shown == {True, False}
    for value in shown:
        found = ask(client, "doCurlGet", top_k=20, filters={"is_test": value})
        assert {one["metadata"]["is_test"] for one in found} == {value}
    wrong = client.post("/code/query", json={"q": "x", "filters": {"is_test": 1}}).json()["detail"]
    assert {tuple(one["loc"]) for one in wrong} == {("body", "filters", "is_test")}


def test_an_answer_ends_with_its_sources_and_has_two_citations(client: TestClient) -> None:
    answer = client.post("/code/answer", json={"q": QUESTIONS[5][0], "max_tokens": 500})
    body = answer.json()
    checked(body, AnswerResponse)
    assert len(body["citations"]) >= 2
    tail = body["final"].rpartition("Sources:\n")[2].split("\n")
    cited = enumerate(body["citations"], 1)
    assert tail == [f"{n} {one['path']}:{one['start_line']}-{one['end_line']}" for n, one in cited]
    marks = re.findall(r"(?<!\\)\[(\d+)\]", re.sub(r"```.*?```|`[^`]*`", "", body["final"], flags=re.S))
    assert {int(mark) for mark in marks} <= set(range(1, len(tail) + 1))
    assert "memcached" in body["final"]
    assert body["matches"]
    for one in body["citations"]:
        assert one["end_line"] <= FILES[one["path"]].count("\n")


def test_what_the_code_does_not_hold_is_not_answered(client: TestClient) -> None:
    body = client.post("/code/answer", json={"q": "How do I bake sourdough bread with rye flour?"}).json()
    assert body["citations"] == []
    assert "not covered" in body["final"]
    assert "Sources:" not in body["final"]


@pytest.mark.parametrize(
    "body", [{}, {"q": ""}, {"q": "x", "top_k": 0}, {"q": "x", "top_k": 51}, {"q": "x", "expand": "all"}]
)
def test_a_bad_question_is_422_with_the_field(client: TestClient, body: Any) -> None:
    answer = client.post("/code/query", json=body)
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"][0] == "body"


@pytest.mark.parametrize("root", OUTSIDE)
@pytest.mark.parametrize("route", ["build", "incremental?wait=false"])
def test_a_root_outside_of_the_allowed_folder_is_refused(client: TestClient, root: str, route: str) -> None:
    answer = client.post(f"/code/index/{route}", json={"root": root})
    assert answer.status_code == 422, answer.text
    assert answer.json()["detail"][0]["loc"] == ["body", "root"]


def test_with_a_key_only_health_and_configuration_are_open(tmp_path: Path, model_folder: Path) -> None:
    client = open_server(tmp_path, model_folder, api_key="dev-secret").client()
    assert client.get("/code/health").status_code == 200
    assert client.get("/code/config").status_code == 200
    for key in ({}, {"x-api-key": "dev-secre"}, {"x-api-key": "dev-secret2"}):
        for route in ("/index/stats", "/index/jobs/x"):
            refused = client.get(f"/code{route}", headers=key)
            assert (refused.status_code, set(refused.json())) == (401, {"detail"})
        for route in ("/query", "/answer", "/index/build", "/index/incremental"):
            assert client.post(f"/code{route}", json={"q": "x"}, headers=key).status_code == 401
    assert client.get("/code/index/stats", headers={"x-api-key": "dev-secret"}).status_code == 200


def test_without_an_indexer_as_in_lambda_indexing_is_501_and_says_what_to_do(
    tmp_path: Path, model_folder: Path
) -> None:
    server = open_server(tmp_path, model_folder)
    server.app.state.indexer = None
    refused = server.client().post("/code/index/build", json={"root": "shop"})
    assert refused.status_code == 501
    assert "python -m build_index" in refused.json()["detail"]


@pytest.fixture(scope="module")
def messy(tmp_path_factory: pytest.TempPathFactory, model_folder: Path) -> tuple[CodeServer, dict[str, Any]]:
    """A server whose shop has a file that is no text and one that is blank too, and the job that indexed it."""
    server = open_server(tmp_path_factory.mktemp("messy"), model_folder)
    (server.shop / "noise.py").write_bytes(bytes(range(256)))
    (server.shop / "blank.py").write_text(" \n")
    client = server.client()
    with allowed(server.root):
        first = client.post("/code/index/build?wait=false", json={"root": "shop"})
        assert first.json()["vectors"] is None  # nothing is served yet
        return server, finished(client, first)


def test_a_build_of_what_is_served_already_is_answered_as_the_first_one(
    messy: tuple[CodeServer, dict[str, Any]],
) -> None:
    server, first = messy
    client = server.client()
    with allowed(server.root):
        again = client.post("/code/index/build", json={"root": "shop"})
        assert again.status_code == 200, again.text
        job = finished(client, client.post("/code/index/incremental?wait=false", json={"root": "shop"}))
    assert {**again.json(), "duration_s": 0} == {**first["result"], "duration_s": 0}
    assert job["excluded"] == first["excluded"] == EXCLUDED


def test_an_incremental_index_has_the_bytes_of_a_full_one(messy: tuple[CodeServer, dict[str, Any]]) -> None:
    server, _ = messy
    client = server.client()
    with allowed(server.root):
        still = client.post("/code/index/incremental", json={"root": "shop"})
        assert still.headers["x-quire-files-changed"] == "0"
        (server.shop / "src/helpers/vars.php").write_text("<?php\nfunction doVars() { return []; }\n")
        (server.shop / "docs/deploy.md").unlink()
        changed = client.post("/code/index/incremental", json={"root": "shop"})
        assert changed.headers["x-quire-files-changed"] == "2"
        assert changed.json()["files_indexed"] == 8
        incremental = server.store.pointer("code").segments
        assert "return []" in ask(client, "doVars", top_k=1)[0]["snippet"]
        clean = client.post("/code/index/build?wait=false", json={"root": "shop", "clean": True})
        job = finished(client, clean)
    assert (job["result"]["chunks"], job["vectors"]) == (changed.json()["chunks"], 1.0)
    assert job["excluded"] == EXCLUDED
    assert [ref.digest for ref in server.store.pointer("code").segments] == [
        ref.digest for ref in incremental
    ]


def finished(client: TestClient, started: Any) -> dict[str, Any]:
    """The job once it has ended; while it runs a second one is refused."""
    assert started.status_code == 202, started.text
    busy = client.post("/code/index/build?wait=false", json={"root": "shop"})
    assert busy.status_code == 409
    where = f"/code/index/{started.headers['location']}"
    for _ in range(600):
        job = client.get(where).json()
        checked(job, JobResponse)
        if job["status"] != "running":
            break
        time.sleep(0.05)
    assert job["status"] == "done", job
    assert client.get("/code/index/jobs/unknown").status_code == 404
    return dict(job)


def test_a_build_killed_at_any_stage_leaves_the_old_index_and_the_next_run_completes(
    tmp_path: Path, model_folder: Path
) -> None:
    server = open_server(tmp_path, model_folder)
    client = server.client()
    with allowed(tmp_path):
        assert client.post("/code/index/build", json={"root": "shop"}).status_code == 200
        before = server.store.pointer("code")
        collection = Path(server.settings.store) / "collections" / "code"
        held = len(list((collection / "segments").iterdir()))
        stages = (
            lambda: '"expires_at":0.0' not in (collection / "lock.json").read_text(),
            lambda: (server.settings.cache / "built" / "code" / "keywords.safetensors").exists(),
            lambda: len(list((collection / "segments").iterdir())) > held,
        )
        for number, reached in enumerate(stages):
            (server.shop / "new.php").write_text(f"<?php\nfunction added{number}() {{ return {number}; }}\n")
            remove_built(server)
            kill_when(server, reached)
            assert server.store.pointer("code") == before
            assert ask(client, "doCurlGet", top_k=1)[0]["metadata"]["version"] == before.version
        done = client.post("/code/index/incremental", json={"root": "shop"})
        assert done.status_code == 200, done.text
        assert done.json()["files_indexed"] == 10
        assert ask(client, "added2", top_k=1)[0]["path"] == "new.php"
    assert server.store.verify("code")


def remove_built(server: CodeServer) -> None:
    for file in (server.settings.cache / "built" / "code").rglob("*.safetensors"):
        file.unlink()


def kill_when(server: CodeServer, reached: Any) -> None:
    process = server.start_build(incremental=True)
    while not reached():
        assert process.poll() is None, "the build ended before it could be killed"
        time.sleep(0.003)
    process.kill()
    process.communicate()
    assert process.returncode == -9
