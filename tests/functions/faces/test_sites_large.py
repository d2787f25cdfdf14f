"""Face `sites`, documents that take longer to embed than the gateway waits: 202, a job, and the same document."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest

from quire.service.access import READ, WRITE, Caller
from quire.service.jobs import LARGE_CHARACTERS, LOST_AFTER_S
from tests.support.client import TestClient
from tests.support.lively import Lively

LINE = "Ostra {} velum folsa menka torvi juspo lendra.\n\n"
LARGE = "The harbour shelters boats from storms.\n\n" + "".join(map(LINE.format, range(9_000)))
WITHIN = LARGE[:LARGE_CHARACTERS]
URL = "https://api.test/prod/sites/documents"


@pytest.fixture
def lively(tmp_path: Path) -> Lively:
    return Lively(tmp_path)


def asking(lively: Lively, key: str | None = None) -> TestClient:
    """A client that would rather ask for a job than wait, as all do behind a gateway."""
    client = lively.client(key)
    client.headers["prefer"] = "respond-async"
    return client


@pytest.fixture
def client(lively: Lively) -> TestClient:
    return asking(lively)


def body(content: str = LARGE, site: str = "acme") -> dict[str, str]:
    return {"site_id": site, "source": "harbour.txt", "content": content}


def follow(response: Any, requested: str = URL) -> str:
    """The path of the job below the stage, by the link of the answer to what was requested."""
    assert response.status_code == 202, response.text
    link = urljoin(requested, response.headers["location"])
    assert link.startswith("https://api.test/prod/sites/documents/jobs/")
    return str(link.removeprefix("https://api.test/prod"))


def done(client: TestClient, link: str) -> Any:
    """The job once it has ended."""
    until = time.monotonic() + 60
    while (state := client.get(link)).json().get("status") == "accepted":
        assert time.monotonic() < until
        time.sleep(0.05)
    assert state.status_code == 200, state.text
    return state.json()


def test_a_large_document_is_accepted_embedded_and_found(client: TestClient) -> None:
    assert len(LARGE) > LARGE_CHARACTERS
    accepted = client.post("/sites/documents", json=body())
    said = accepted.json()
    assert (said["site_id"], said["status"], said["document"]) == ("acme", "accepted", None)
    ended = done(client, follow(accepted))
    assert (ended["id"], ended["job"], ended["status"]) == (said["id"], said["job"], "done")
    listed = client.get("/sites/documents?site_id=acme").json()["documents"]
    assert listed == [ended["document"]]
    assert listed[0]["id"] == said["id"]
    assert listed[0]["chunks"] > 100
    assert client.get(f"/sites/documents/{said['id']}?site_id=acme").json()["content"] == LARGE
    ask = {"site_id": "acme", "user_id": "u", "query": "what shelters boats from storms"}
    assert "harbour shelters boats" in client.post("/sites/retrieve-context", json=ask).json()["context"]


def test_a_document_is_replaced_by_a_large_one(client: TestClient) -> None:
    old = client.post("/sites/documents", json=body("Short.")).json()
    path = f"/sites/documents/{old['id']}?site_id=acme"
    accepted = client.put(path, json={"content": LARGE})
    assert accepted.json()["id"] == old["id"]
    ended = done(client, follow(accepted, f"https://api.test/prod{path}"))
    assert (ended["document"]["source"], ended["document"]["created_at"]) == (
        "harbour.txt",
        old["created_at"],
    )
    assert client.get(path).json()["content"] == LARGE
    assert client.get("/sites/documents?site_id=acme").json()["total"] == 1
    assert client.put("/sites/documents/none?site_id=acme", json={"content": LARGE}).status_code == 404
    assert client.put(path, json={"content": LARGE, "site_id": "other"}).status_code == 422


def test_a_document_within_the_bound_is_answered_when_it_is_there(client: TestClient) -> None:
    assert len(WITHIN) == LARGE_CHARACTERS
    added = client.post("/sites/documents", json=body(WITHIN))
    assert (added.status_code, added.headers["location"]) == (201, f"documents/{added.json()['id']}")


def test_the_same_key_gives_the_same_job_then_the_document(lively: Lively) -> None:
    started: list[tuple[str, str]] = []
    lively.base = replace(lively.base, invoke=lambda *job: started.append(job))
    client, headers = asking(lively), {"idempotency-key": "k1"}
    first, again = (client.post("/sites/documents", json=body(), headers=headers) for _ in range(2))
    assert first.json() == again.json()
    assert follow(first) == follow(again)
    assert len(started) == 1
    other = client.post("/sites/documents", json=body(site="other"), headers=headers)
    assert other.json()["id"] != first.json()["id"]
    lively.live.jobs.run(*started[0])
    third = client.post("/sites/documents", json=body(), headers=headers)
    assert (third.status_code, third.headers["location"]) == (201, f"documents/{first.json()['id']}")
    assert third.json() == client.get(follow(first)).json()["document"]
    assert client.get("/sites/documents?site_id=acme").json()["total"] == 1


def test_a_job_tells_what_it_failed_of_and_that_a_document_went(lively: Lively) -> None:
    started: list[tuple[str, str]] = []
    lively.base = replace(lively.base, invoke=lambda *job: started.append(job))
    client = asking(lively)
    old = client.post("/sites/documents", json=body("Short.")).json()["id"]
    path = f"/sites/documents/{old}?site_id=acme"
    link = follow(client.put(path, json={"content": LARGE}), f"https://api.test/prod{path}")
    assert client.get(link).json()["status"] == "accepted"
    client.delete(path)
    lively.live.jobs.run(*started[0])
    failed = client.get(link)
    assert (failed.status_code, failed.json()["type"]) == (400, "urn:quire:problem:source-error")
    assert failed.json()["detail"] == f"job {started[0][1]}: document '{old}': not here"
    accepted = client.post("/sites/documents", json=body())
    lively.live.jobs.run(*started[1])
    client.delete(f"/sites/documents/{accepted.json()['id']}?site_id=acme")
    gone = client.get(follow(accepted)).json()
    assert (gone["status"], gone["document"], gone["message"]) == (
        "done",
        None,
        "The document was deleted since.",
    )


def test_a_job_that_nobody_finishes_has_failed_after_an_hour_and_may_be_sent_again(lively: Lively) -> None:
    started: list[tuple[str, str]] = []
    lively.base = replace(lively.base, invoke=lambda *job: started.append(job))
    client, headers = asking(lively), {"idempotency-key": "k1"}
    accepted = client.post("/sites/documents", json=body(), headers=headers)
    key = f"collections/sites/jobs/{accepted.json()['job']}.json"
    staged = lively.base.objects.read(key)
    assert staged is not None
    tree = json.loads(staged.data)
    lively.base.objects.write(key, json.dumps(tree | {"at": tree["at"] - LOST_AFTER_S - 1}).encode())
    failed = client.get(follow(accepted))
    assert (failed.status_code, failed.json()["detail"].partition(": ")[2]) == (
        400,
        "nobody finished it within an hour; send it again",
    )
    assert lively.live.jobs.waiting("sites") == []
    assert lively.live.jobs.run(*started[0]).state == "failed"
    assert client.get("/sites/documents", params={"site_id": "acme"}).json()["documents"] == []
    again = client.post("/sites/documents", json=body(), headers=headers)
    assert (again.status_code, again.json()) == (202, accepted.json())
    assert client.get(follow(again)).json()["status"] == "accepted"
    lively.live.jobs.run(*started[1])
    assert client.get(follow(again)).json()["status"] == "done"


class Keys:
    """`owner` may do all at acme, `reader` may read there, `other` may do all elsewhere."""

    def may_wait(self, headers: Any) -> bool:
        return False

    def identify(self, headers: Any) -> Caller:
        key = headers["x-api-key"]
        actions = (READ,) if key == "reader" else (READ, WRITE)
        site = "other" if key == "other" else "acme"
        return Caller(key, frozenset((one, "sites") for one in actions), frozenset({site}))


def test_another_site_and_a_key_of_another_see_no_job(tmp_path: Path) -> None:
    lively = Lively(tmp_path, access=Keys())
    lively.base = replace(lively.base, invoke=lambda *_: None)
    owner, reader, other = (asking(lively, key) for key in ("owner", "reader", "other"))
    accepted = owner.post("/sites/documents", json=body())
    link, job = follow(accepted), accepted.json()["job"]
    assert owner.get(link).status_code == reader.get(link).status_code == 200
    assert other.get(link).status_code == 403
    assert other.get(f"/sites/documents/jobs/{job}?site_id=other").status_code == 404
    assert owner.get("/sites/documents/jobs/unknown?site_id=acme").status_code == 404
    assert owner.get(f"/sites/documents/jobs/{job}").status_code == 422
    assert reader.post("/sites/documents", json=body()).status_code == 403
    assert other.post("/sites/documents", json=body()).status_code == 403


@pytest.mark.parametrize("site", ["a/b", "Ünïcode 🐙", "a&site_id=b", "#", "%2e"])
def test_the_link_of_a_job_names_any_site(lively: Lively, site: str) -> None:
    lively.base = replace(lively.base, invoke=lambda *_: None)
    client = asking(lively)
    found = client.get(follow(client.post("/sites/documents", json=body(site=site))))
    assert (found.status_code, found.json()["site_id"]) == (200, site)
