"""The handler of live documents: a request too large for the gateway, and the invocation that does its job."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from build_index.model.export import ensure_model
from functions.aws.lambda_adapter import LambdaHandler
from quire.adapters.folder import FolderStore
from quire.errors import QuireError, UnknownDocument
from quire.service.jobs import LARGE_CHARACTERS
from quire.store.store import SegmentStore
from tests.support.aws import CREDENTIALS
from tests.support.events import LambdaContext, event_v1, event_v2
from tests.support.tiny_model import write_tiny_model
from tests.support.tree import ROOT

NAME = "quire-memory"
ALIAS = "live"
KEY = {"x-api-key": "k"}
WORD = "oar" * 40
"""Longer than what the tiny model reads letter by letter: one token, so that 400,000 characters take no 20 s."""
LARGE = "".join(f"{WORD} {WORD} {number}\n\n" for number in range(LARGE_CHARACTERS // 240))
COLLECTIONS = '[sites]\nprofile = "sites"\n[book]\nprofile = "docs"\n'
Handler = Callable[[dict[str, Any], Any], dict[str, Any]]


@dataclass
class Lambda:
    """The part of Lambda's API that takes invocations: keeps the asynchronous ones for the test to deliver."""

    url: str = ""
    status: int = 202
    events: list[dict[str, Any]] = field(default_factory=list)


@pytest.fixture
def invocations() -> Iterator[Lambda]:
    api = Lambda()

    class Requests(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["content-length"]))
            assert self.path == f"/2015-03-31/functions/{NAME}/invocations?Qualifier={ALIAS}"
            assert self.headers["x-amz-invocation-type"] == "Event"
            if api.status == 202:
                api.events.append(json.loads(data))
            self.send_response(api.status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Requests) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        api.url = f"http://127.0.0.1:{server.server_port}"
        yield api
        server.shutdown()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of two small layers."""
    folder = tmp_path_factory.mktemp("model")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUIRE_MODEL_SOURCE", str(folder / "published"))
        return ensure_model(folder, write_tiny_model(folder / "published"), precision="float32")


@pytest.fixture
def start(
    model: Path, invocations: Lambda, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Handler]]:
    """Starts the function as Lambda does: in its environment, by its file; each has a cache of its own."""
    SegmentStore(FolderStore(tmp_path / "store"), tmp_path / "cache").put_model(model)
    (tmp_path / "collections.toml").write_text(COLLECTIONS)
    known = {
        **CREDENTIALS,
        "AWS_LAMBDA_FUNCTION_NAME": "quire-memory",
        "QUIRE_JOB_FUNCTION": NAME,
        "QUIRE_JOB_ALIAS": ALIAS,
        "AWS_ENDPOINT_URL_LAMBDA": invocations.url,
        "QUIRE_STORE": str(tmp_path / "store"),
        "QUIRE_MEMORY": str(tmp_path / "memory.sqlite"),
        "QUIRE_COLLECTIONS": str(tmp_path / "collections.toml"),
        "QUIRE_API_KEY": KEY["x-api-key"],
    }
    for name, value in known.items():
        monkeypatch.setenv(name, value)
    modules: list[ModuleType] = []

    def started(name: str = "memory") -> Handler:
        monkeypatch.setenv("QUIRE_CACHE", str(tmp_path / f"cache{len(modules)}"))
        spec = spec_from_file_location(f"started_{name}", ROOT / f"functions/{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        modules.append(module)
        handler: Handler = module.handler
        return handler

    yield started
    for module in modules:
        if isinstance(module.handler, LambdaHandler):
            module.handler.close()


def ask(handler: Handler, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
    reply = handler(event_v1(method, path, body, headers=KEY | headers), LambdaContext())
    return reply["statusCode"], json.loads(reply["body"])


def test_a_large_document_is_embedded_in_an_invocation_of_its_own(
    start: Callable[..., Handler], invocations: Lambda
) -> None:
    handler, body = start(), {"site_id": "acme", "source": "fox.txt", "content": LARGE}
    status, said = ask(handler, "POST", "/sites/documents", body)
    assert (status, said["status"]) == (202, "accepted")
    link = f"/sites/documents/jobs/{said['job']}?site_id=acme"
    assert ask(handler, "GET", link) == (200, said)
    [event] = invocations.events
    assert event == {"quire_job": {"collection": "sites", "id": said["job"]}}
    jobs = start("jobs")
    assert jobs(event, LambdaContext()) == {"job": said["job"], "state": "done"}
    status, ended = ask(handler, "GET", link)
    assert (status, ended["status"], ended["document"]["id"]) == (200, "done", said["id"])
    assert jobs(event, LambdaContext())["state"] == "done"  # Lambda delivers at least once
    _, listed = ask(handler, "GET", "/sites/documents?site_id=acme")
    assert listed["documents"] == [ended["document"]]
    assert ask(handler, "GET", link.replace("acme", "other"))[0] == 404


def test_a_large_replacement_and_large_files_are_jobs_too(
    start: Callable[..., Handler], invocations: Lambda
) -> None:
    handler = start()
    _, old = ask(handler, "POST", "/sites/documents", {"site_id": "acme", "content": "A short text."})
    path = f"/sites/documents/{old['id']}?site_id=acme"
    assert ask(handler, "PUT", path, {"content": LARGE})[0] == 202
    assert ask(handler, "POST", "/book/ingest", {"files": [{"path": "fox.md", "content": LARGE}]})[0] == 202
    assert [one["quire_job"]["collection"] for one in invocations.events] == ["sites", "book"]
    jobs = start("jobs")
    assert [jobs(event, LambdaContext())["state"] for event in invocations.events] == ["done", "done"]
    assert ask(handler, "GET", path)[1]["content"] == LARGE
    job = invocations.events[1]["quire_job"]["id"]
    assert ask(handler, "GET", f"/book/ingest/{job}")[1]["status"] == "success"


def test_a_job_that_fails_ends_its_invocation_well_and_tells_who_asks(
    start: Callable[..., Handler], invocations: Lambda
) -> None:
    handler = start()
    _, old = ask(handler, "POST", "/sites/documents", {"site_id": "acme", "content": "A short text."})
    path = f"/sites/documents/{old['id']}?site_id=acme"
    _, said = ask(handler, "PUT", path, {"content": LARGE})
    assert handler(event_v2("DELETE", path, headers=KEY), LambdaContext())["statusCode"] == 204
    assert start("jobs")(invocations.events[0], LambdaContext())["state"] == "failed"
    status, problem = ask(handler, "GET", f"/sites/documents/jobs/{said['job']}?site_id=acme")
    assert (status, problem["detail"]) == (400, f"job {said['job']}: document '{old['id']}': not here")


def test_what_cannot_be_started_is_not_accepted_and_may_be_sent_again(
    start: Callable[..., Handler], invocations: Lambda
) -> None:
    handler, body = start(), {"site_id": "acme", "content": LARGE}
    invocations.status = 404
    assert ask(handler, "POST", "/sites/documents", body, **{"idempotency-key": "k"})[0] == 503
    invocations.status = 202
    status, said = ask(handler, "POST", "/sites/documents", body, **{"idempotency-key": "k"})
    assert (status, len(invocations.events)) == (202, 1)
    assert start("jobs")(invocations.events[0], LambdaContext()) == {"job": said["job"], "state": "done"}


def test_an_event_of_a_job_that_is_not_there_fails(start: Callable[..., Handler]) -> None:
    with pytest.raises(UnknownDocument, match="not here"):
        start("jobs")({"quire_job": {"collection": "sites", "id": "0" * 32}}, LambdaContext())


def test_a_job_that_the_store_keeps_from_being_done_fails_its_invocation_and_waits_for_the_next(
    start: Callable[..., Handler], invocations: Lambda, tmp_path: Path
) -> None:
    handler, body = start(), {"site_id": "acme", "content": LARGE}
    _, said = ask(handler, "POST", "/sites/documents", body)
    models, away = tmp_path / "store/models", tmp_path / "away"
    models.rename(away)
    with pytest.raises(
        QuireError, match="model"
    ):  # Lambda repeats it twice, and tells the queue of failed jobs
        start("jobs")(invocations.events[0], LambdaContext())
    link = f"/sites/documents/jobs/{said['job']}?site_id=acme"
    assert ask(handler, "GET", link)[1]["status"] == "accepted"
    away.rename(models)
    assert start("jobs")(invocations.events[0], LambdaContext())["state"] == "done"
