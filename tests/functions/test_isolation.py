"""No site ever sees another's documents or messages: random operations, then every route that there is."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.service.access import ANYONE, READ, WRITE, Caller
from quire.service.sites import Submission
from quire.store.merging import SegmentMerger
from quire.store.write_targets import Site
from tests.support.client import TestClient
from tests.support.lively import Lively

SITES = ["acme", "Acme", "acme/1", "ACME GmbH", "sites"]
"""Names that careless keys, paths or file systems would mix up."""
MARK = re.compile(r"mark(\d)x\d+")


def mark(site: int, number: int) -> str:
    return f"mark{site}x{number}"


def owners(text: str) -> set[int]:
    """Sites whose marks stand in the text."""
    return {int(one) for one in MARK.findall(text)}


def own_text(site: int, number: int) -> str:
    return f"The treasure is {mark(site, number)}, hidden under the old oak by the river."


class OwnKeys:
    """A key for each site, its number, which opens that site alone; `*` opens all."""

    def may_wait(self, headers: Mapping[str, str]) -> bool:
        return False

    def identify(self, headers: Mapping[str, str]) -> Caller:
        key = headers["x-api-key"]
        grants = frozenset(product((READ, WRITE), ("sites", "book")))
        return Caller(key, grants, frozenset({"*"} if key == "*" else {SITES[int(key)]}))


operation = st.tuples(
    st.sampled_from(
        ["add", "add", "job", "say", "say", "replace", "delete", "forget", "look", "look", "merge"]
    ),
    st.integers(0, len(SITES) - 1),
    st.integers(0, len(SITES) - 1),
)


@settings(max_examples=12, deadline=None)
@given(operations=st.lists(operation, min_size=8, max_size=30))
def test_random_operations_on_five_sites_leak_nothing(operations: list[tuple[str, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        lively = Lively(Path(folder), access=OwnKeys())
        assert World(lively).run(operations) == len(operations)


class World:
    """Five sites, and what each of them must hold."""

    def __init__(self, lively: Lively) -> None:
        lively.base = replace(lively.base, invoke=lambda *_: None)  # jobs run when the test says so
        self.live = lively.live
        self.client = lively.client("*")
        self.merger = SegmentMerger(lively.store, lively.objects, lively.folder / "merge")
        self.documents: list[dict[str, int]] = [{} for _ in SITES]
        self.messages: list[list[int]] = [[] for _ in SITES]

    def run(self, operations: list[tuple[str, int, int]]) -> int:
        """Do each operation, which checks what it sees; how many were done."""
        done = 0
        for number, (kind, site, other) in enumerate(operations):
            getattr(self, kind)(site, other, number)
            done += 1
        for site in range(len(SITES)):
            self.look(site, (site + 1) % len(SITES), 0)
        return done

    def add(self, site: int, _: int, number: int) -> None:
        body = {"site_id": SITES[site], "source": "a.txt", "content": own_text(site, number)}
        self.documents[site][self.client.post("/sites/documents", json=body).json()["id"]] = number

    def job(self, site: int, other: int, number: int) -> None:
        """A job is known to the site alone whose document it writes."""
        place, text = Site("sites", SITES[site]), Submission(own_text(site, number), "a.txt")
        accepted = self.live.large.add(ANYONE, place, text)
        self.live.jobs.run("sites", accepted.job.id)
        self.documents[site][accepted.id] = number
        for name, status in ((other, 200 if other == site else 404), (site, 200)):
            params = {"site_id": SITES[name]}
            response = self.client.get(f"/sites/documents/jobs/{accepted.job.id}", params=params)
            assert response.status_code == status
            assert (accepted.id in response.text) == (name == site)

    def say(self, site: int, _: int, number: int) -> None:
        body = {"site_id": SITES[site], "user_id": "u", "role": "user", "message": own_text(site, number)}
        assert self.client.post("/sites/chat-messages", json=body).status_code == 201
        self.messages[site].append(number)

    def replace(self, site: int, other: int, number: int) -> None:
        """Each document of another site is tried too: only one's own may change."""
        for one in [*self.documents[other]][:1]:
            url = f"/sites/documents/{one}"
            body = {"content": own_text(site, number)}
            response = self.client.put(url, params={"site_id": SITES[site]}, json=body)
            assert response.status_code == (200 if one in self.documents[site] else 404)
            if one in self.documents[site]:
                self.documents[site][one] = number

    def delete(self, site: int, other: int, _: int) -> None:
        for one in [*self.documents[other]][:1]:
            response = self.client.delete(f"/sites/documents/{one}", params={"site_id": SITES[site]})
            assert response.status_code == (204 if one in self.documents[site] else 404)
            self.documents[site].pop(one, None)

    def forget(self, site: int, _: int, __: int) -> None:
        params = {"site_id": SITES[site], "user_id": "u"}
        deleted = self.client.delete("/sites/chat-messages", params=params).json()["deleted"]
        assert deleted == len(self.messages[site])
        self.messages[site] = []

    def merge(self, site: int, _: int, __: int) -> None:
        self.merger.merge(Site("sites", SITES[site]).place, everything=True)

    def look(self, site: int, other: int, _: int) -> None:
        """Whatever is asked of a site tells of that site alone, and of all that it must."""
        name = {"site_id": SITES[site]}
        listed = self.client.get("/sites/documents", params=name).json()
        assert {one["id"] for one in listed["documents"]} == set(self.documents[site])
        body = {**name, "user_id": "u", "query": "where is the treasure hidden", "budget_tokens": 16_000}
        context = self.client.post("/sites/retrieve-context", json=body)
        assert owners(context.text) <= {site}
        assert [one["message"] for one in context.json()["turns"]] == [
            own_text(site, number) for number in self.messages[site][-10:]
        ]
        history = self.client.get("/sites/chat-messages", params={**name, "user_id": "u"})
        assert owners(history.text) <= {site}
        for one, number in [*self.documents[site].items()][:2]:
            content = self.client.get(f"/sites/documents/{one}", params=name).json()["content"]
            assert content == own_text(site, number)
        for one in self.documents[other]:
            response = self.client.get(f"/sites/documents/{one}", params=name)
            assert response.status_code == (200 if other == site else 404)
        asked = {"collection": "sites", "q": "treasure", "top_k": 50, "filters": name}
        hits = self.client.post("/query", json=asked)
        assert owners(hits.text) <= {site}
        if hits.status_code == 200:
            assert {hit["metadata"]["document_id"] for hit in hits.json()["hits"]} <= set(
                self.documents[site]
            )


@pytest.fixture
def filled(tmp_path: Path) -> tuple[Lively, list[str]]:
    """Five sites with documents and messages, and what a thief may know: names, ids of documents and of passages."""
    lively = Lively(tmp_path, access=OwnKeys())
    client = lively.client("*")
    known: list[str] = []
    for site, name in enumerate(SITES):
        for number in range(3):
            body = {"site_id": name, "source": "a.txt", "content": own_text(site, number)}
            known.append(client.post("/sites/documents", json=body).json()["id"])
        message = {"site_id": name, "user_id": "u", "role": "user", "message": own_text(site, 9)}
        client.post("/sites/chat-messages", json=message)
        asked = {"collection": "sites", "q": "treasure", "filters": {"site_id": name}}
        known += [hit["id"] for hit in client.post("/query", json=asked).json()["hits"]]
        known.append(Site("sites", name).name)
    return lively, known


def test_every_route_tells_the_bearer_of_a_key_of_his_own_site_alone(
    filled: tuple[Lively, list[str]],
) -> None:
    lively, known = filled
    thief = lively.client("0")
    document = thief.get("/openapi.json").json()
    answered = 0
    for path, item in document["paths"].items():
        for verb, operation in item.items():
            if "cleanup" in path or verb == "delete":
                continue
            for request in _requests(document, path, operation, known):
                response = thief.request(
                    verb, request["path"], params=request["params"], json=request["json"]
                )
                assert owners(response.text) <= {0}, (verb, request)
                answered += response.status_code == 200
    assert answered > 50
    asked = {"collection": "sites", "q": "treasure", "filters": {"site_id": SITES[0]}}
    assert owners(thief.post("/query", json=asked).text) == {0}


def test_a_tool_of_mcp_tells_of_no_site_unless_it_is_named_and_open(filled: tuple[Lively, list[str]]) -> None:
    lively, known = filled
    thief = lively.client("0")
    names = ("sites", *known[::4], Site("sites", SITES[1]).name)
    calls: list[tuple[str, dict[str, Any]]] = [("list_collections", {})]
    for name, site in product(names, (None, *SITES)):
        filters = {"filters": {"site_id": site}} if site else {}
        calls += [
            ("search", {"collection": name, "query": "treasure", **filters}),
            ("answer", {"collection": name, "question": "Where is the treasure hidden?", **filters}),
        ]
    for name, one in product(names, known[::4]):
        calls += [("read", {"collection": name, "id": one}), ("lookup", {"collection": name, "symbol": one})]
    headers = {"accept": "application/json, text/event-stream"}
    told: set[int] = set()
    for number, (tool, arguments) in enumerate(calls):
        params = {"name": tool, "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        told |= owners(thief.post("/mcp", json=body, headers=headers).text)
    assert told == {0}


def _requests(
    document: Mapping[str, Any], path: str, operation: Mapping[str, Any], known: list[str]
) -> Iterator[dict[str, Any]]:
    """Requests with every field filled: names, ids and questions that a thief would try."""
    names = [one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"]
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema = content.get("schema", {})
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    for value, site, name in product(known[:: len(known) // 3], SITES[:3], ("sites", known[-1])):
        filled = {one: _value(one, site, name, value) for one in schema.get("properties", ())}
        body = {one: value for one, value in filled.items() if value is not None}
        target = re.sub(r"\{[^}]*\}", lambda found, value=value: value, path)  # type: ignore[misc]
        params = {one: _value(one, site, name, value) for one in names}
        yield {
            "path": target,
            "params": {one: value for one, value in params.items() if isinstance(value, str)},
            "json": body if schema else None,
        }


def _value(field: str, site: str, name: str, known: str) -> Any:
    values: dict[str, Any] = {
        "site_id": site,
        "user_id": "u",
        "collection": name,
        "model": name,
        "filters": {"site_id": site},
        "source": "x",
        "content": "x",
        "role": "user",
        "message": "x",
        "id": known,
        "messages": [{"role": "user", "content": "Where is the treasure hidden?"}],
        "files": [{"path": "a.md", "content": "x"}],
        "claims": [{"id": known, "collection": name, "sha256": "0" * 64, "version": "x"}],
    }
    if field in {"q", "query", "question", "text", "query_text", "user_message"}:
        return "Where is the treasure hidden?"
    return values.get(field)


def test_the_native_api_knows_no_site_by_its_inner_name(filled: tuple[Lively, list[str]]) -> None:
    lively, _ = filled
    client: TestClient = lively.client("*")
    for site in SITES:
        name = Site("sites", site).name
        assert client.post("/query", json={"collection": name, "q": "treasure"}).status_code in {403, 404}
        assert client.get(f"/collections/{name}").status_code == 404
        assert client.post(f"/{name}/query", json={"text": "treasure"}).status_code == 404
