"""`context-and-chat-memory-service.md`, sentence by sentence, in its order: one test a requirement.

Names of the parts that it would use (PostgreSQL, pgvector, alembic) stand for what Quire has in their place.
"""

from __future__ import annotations

import threading
import time
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from functions.app.wiring import purge_of
from functions.web.access import OneKey
from functions.web.retention import Retention
from quire.adapters.sqlite import SqliteMemory
from quire.documents import Turn
from quire.sessions import RETENTION, session_key
from tests.support.client import TestClient
from tests.support.lively import Lively

RETURNS = "# Returns\n\nA parcel may come back within fourteen days. The label is in the box.\n"
SHIPPING = "Parcels leave the warehouse on weekdays before noon, by courier."


@pytest.fixture
def lively(tmp_path: Path) -> Lively:
    return Lively(tmp_path)


@pytest.fixture
def service(lively: Lively) -> TestClient:
    return lively.client()


def add(service: TestClient, content: str = RETURNS, source: str = "returns.md", **more: Any) -> Any:
    body = {"site_id": "acme", "source": source, "content": content} | more
    return service.post("/sites/documents", json=body)


def say(service: TestClient, message: str, role: str = "user", site: str = "acme") -> Any:
    body = {"user_id": "u1", "site_id": site, "role": role, "message": message}
    return service.post("/sites/chat-messages", json=body)


def retrieve(service: TestClient, query: str, site: str = "acme", **more: Any) -> dict[str, Any]:
    body = {"user_id": "u1", "site_id": site, "query": query} | more
    response = service.post("/sites/retrieve-context", json=body)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


# 3.1 Documents


def test_3_1_documents_are_added_updated_and_deleted(service: TestClient) -> None:
    one = add(service).json()["id"]
    place = f"/sites/documents/{one}?site_id=acme"
    assert service.put(place, json={"content": "Thirty days."}).status_code == 200
    assert "Thirty days" in retrieve(service, "how many days")["context"]
    assert service.delete(place).status_code == 204
    assert retrieve(service, "how many days")["sources"] == []


def test_3_1_an_update_may_name_the_source_alone(service: TestClient) -> None:
    first = add(service, upsert=True)
    again = add(service, content="# Returns\n\nThirty days.", upsert=True)
    other = add(service, content=SHIPPING, source="shipping.txt", upsert=True)
    assert (first.status_code, again.status_code, other.status_code) == (201, 200, 201)
    assert first.json()["id"] == again.json()["id"] != other.json()["id"]
    listed = service.get("/sites/documents?site_id=acme").json()
    assert (listed["total"], sorted(one["source"] for one in listed["documents"])) == (
        2,
        ["returns.md", "shipping.txt"],
    )
    assert "fourteen" not in retrieve(service, "how many days to return")["context"]


def test_3_1_an_update_of_a_source_stays_within_its_site(service: TestClient) -> None:
    mine = add(service, upsert=True).json()["id"]
    theirs = add(service, upsert=True, site_id="other")
    assert (theirs.status_code, theirs.json()["id"] == mine) == (201, False)


def test_3_1_two_updates_of_a_new_source_at_once_make_one_document(service: TestClient) -> None:
    codes: list[int] = []
    threads = [
        threading.Thread(target=lambda: codes.append(add(service, upsert=True).status_code)) for _ in range(2)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert set(codes) <= {200, 201}
    assert service.get("/sites/documents?site_id=acme").json()["total"] == 1


def test_3_1_an_update_by_source_needs_one(service: TestClient) -> None:
    refused = add(service, source=" ", upsert=True)
    assert refused.status_code == 422
    assert "source" in refused.text


def test_3_1_a_document_is_split_embedded_and_stored(service: TestClient) -> None:
    long = "\n\n".join(f"## Part {number}\n\n" + "Parcels go by courier. " * 40 for number in range(6))
    assert add(service, content=long).json()["chunks"] >= 6


def test_3_1_a_binary_sent_as_text_is_refused(service: TestClient) -> None:
    refused = add(service, content="%PDF-1.4\n\u00e2", source="a.pdf")
    assert refused.status_code == 400
    assert "looks like a PDF" in refused.text


def test_3_1_sites_and_documents_are_listed(service: TestClient) -> None:
    for site in ("acme", "Acme GmbH/1", "zebra"):
        add(service, site_id=site)
    add(service, content=SHIPPING, source="shipping.txt")
    listed = service.get("/sites/sites").json()
    assert sorted((one["site_id"], one["documents"]) for one in listed["sites"]) == [
        ("Acme GmbH/1", 1),
        ("acme", 2),
        ("zebra", 1),
    ]
    first = service.get("/sites/sites?limit=2").json()
    rest = service.get("/sites/sites", params={"after": first["after"]}).json()
    assert (first["sites"] + rest["sites"], rest["after"]) == (listed["sites"], None)


def test_3_1_a_whole_site_is_deleted(lively: Lively, service: TestClient) -> None:
    add(service)
    add(service, content=SHIPPING, source="shipping.txt")
    add(service, site_id="acme-2")
    say(service, "hello")
    say(service, "hello", site="acme-2")
    gone = service.delete("/sites/sites?site_id=acme").json()
    assert gone == {"site_id": "acme", "deleted_documents": 2, "deleted_messages": 1}
    for client in (service, Lively(lively.folder).client()):
        found = retrieve(client, "parcel")
        assert (found["sources"], found["turns"]) == ([], [])
        assert client.get("/sites/documents?site_id=acme").json()["total"] == 0
        assert [one["site_id"] for one in client.get("/sites/sites").json()["sites"]] == ["acme-2"]
        assert len(retrieve(client, "parcel", site="acme-2")["turns"]) == 1
    left = [
        path
        for path in (lively.folder / "store").rglob("*")
        if path.is_file() and b"fourteen" in path.read_bytes()
    ]
    assert all("acme-2" in str(path) for path in left)
    assert add(service).status_code == 201
    assert retrieve(service, "parcel")["sources"]


# 3.2 Chat history


def test_3_2_messages_are_saved(service: TestClient) -> None:
    assert say(service, "Can I send it back?").status_code == 201


def test_3_2_older_messages_go_by_a_scheduled_task_without_any_request(tmp_path: Path) -> None:
    file = tmp_path / "memory.sqlite"
    past = datetime.now(UTC) - RETENTION - timedelta(hours=1)
    for when in (past, datetime.now(UTC)):
        memory = SqliteMemory(file, clock=when.timestamp)
        memory.append(session_key("sites", "acme", "u1"), [Turn("user", f"said at {when}")])
        memory.close()
    purge = purge_of(str(file))
    assert purge is not None
    times = list[datetime]()

    def purge_and_note(before: datetime) -> int:
        times.append(before)
        return purge(before)

    retention = Retention(purge_and_note, every_s=0.02)
    retention.start()
    until = time.monotonic() + 20
    while len(times) < 3 and time.monotonic() < until:
        time.sleep(0.01)
    retention.stop()
    assert len(times) >= 3
    # A reader whose clock is behind sees all that is still there.
    reader = SqliteMemory(file, clock=past.timestamp)
    kept = reader.recent(session_key("sites", "acme", "u1"), 10)
    reader.close()
    assert [one.turn.text.startswith(f"said at {past.date()}") for one in kept] == [False]


def test_3_2_nothing_is_made_where_nothing_was_said(tmp_path: Path) -> None:
    purge = purge_of(str(tmp_path / "memory.sqlite"))
    assert purge is not None
    assert (purge(datetime.now(UTC)), list(tmp_path.iterdir())) == (0, [])
    assert purge_of("dynamodb://table") is None


# 3.3 Context retrieval


def test_3_3_the_most_relevant_knowledge_of_the_site_is_in_the_context(service: TestClient) -> None:
    add(service)
    add(service, content="Bananas are yellow.", source="fruit.txt", site_id="other")
    found = retrieve(service, "how many days for a parcel to come back")
    assert "| A parcel may come back within fourteen days." in found["context"]
    assert "Bananas" not in found["context"]


def test_3_3_a_source_is_named_as_it_was_given(service: TestClient) -> None:
    add(service)
    add(
        service,
        content="# Labels\n\nThe label of a parcel is in the box.",
        source="https://acme.example/l?x=1",
    )
    found = retrieve(service, "parcel label box")
    assert "| source: returns.md" in found["context"].splitlines()
    assert "| source: https://acme.example/l?x=1" in found["context"].splitlines()


def test_3_3_the_last_ten_messages_are_in_the_context(service: TestClient) -> None:
    for number in range(14):
        say(service, f"message {number}", "ai" if number % 2 else "user")
    context = retrieve(service, "anything")["context"]
    assert [f"| message {number}" in context.splitlines() for number in range(14)] == [False] * 4 + [
        True
    ] * 10


def test_3_3_ten_long_messages_are_all_in_the_context_cut(service: TestClient) -> None:
    add(service)
    for number in range(12):
        say(service, f"message {number} " + "on parcels and their labels " * 100)
    found = retrieve(service, "parcel")
    assert [one["message"].split()[1] for one in found["turns"]] == [str(number) for number in range(2, 12)]
    assert all(f"| message {number} on parcels" in found["context"] for number in range(2, 12))
    assert found["sources"]
    assert len(found["context"]) <= 8_000


def test_3_3_messages_of_another_site_are_not(service: TestClient) -> None:
    say(service, "secret", site="other")
    assert "secret" not in retrieve(service, "anything")["context"]


def test_3_3_one_formatted_string_is_returned(service: TestClient) -> None:
    add(service)
    say(service, "Can I send it back?")
    context = retrieve(service, "parcel")["context"]
    assert isinstance(context, str)
    assert context.index("fourteen days") < context.index("Can I send it back?")


# 4. Endpoints


def test_4_post_documents_answers_201_with_the_id(service: TestClient) -> None:
    response = add(service)
    assert response.status_code == 201
    assert uuid.UUID(response.json()["id"])


def test_4_post_documents_answers_201_whatever_the_size_where_no_gateway_cuts(service: TestClient) -> None:
    response = add(service, content="Parcels leave at noon.\n\n" * 20_000, source="large.txt")
    assert (response.status_code, response.json()["source"]) == (201, "large.txt")


def test_4_post_chat_messages_answers_201(service: TestClient) -> None:
    for role in ("user", "ai"):
        assert say(service, "hello", role).status_code == 201
    assert say(service, "hello", "robot").status_code == 422


def test_4_post_retrieve_context_answers_200_with_the_context(service: TestClient) -> None:
    assert isinstance(retrieve(service, "parcel")["context"], str)


def test_4_cleanup_is_protected_by_the_key(tmp_path: Path) -> None:
    lively = Lively(tmp_path, access=OneKey("sesame"))
    assert lively.client().delete("/sites/chat-messages/cleanup").status_code == 401
    assert lively.client("sesame").delete("/sites/chat-messages/cleanup").status_code == 200


def test_4_cleanup_without_a_key_set_is_refused_unless_the_server_listens_on_loopback_alone(
    lively: Lively, service: TestClient
) -> None:
    assert service.delete("/sites/chat-messages/cleanup").status_code == 200
    far = TestClient(lively.app, "http://192.0.2.7", client=("192.0.2.9", 50_000))
    refused = far.delete("/sites/chat-messages/cleanup")
    assert refused.status_code == 401
    assert "QUIRE_API_KEY" in refused.text
    lively.app.state.listens_beyond = True
    assert service.delete("/sites/chat-messages/cleanup").status_code == 401


def test_4_cleanup_answers_200_with_a_summary(service: TestClient) -> None:
    summary = service.delete("/sites/chat-messages/cleanup").json()
    assert (summary["deleted"], summary["retention_days"]) == (0, 30)


# 5. Schema


def test_5_a_document_has_the_columns_of_knowledge_documents(service: TestClient) -> None:
    whole = service.get(f"/sites/documents/{add(service).json()['id']}?site_id=acme").json()
    assert {"id", "site_id", "source", "content", "created_at"} <= whole.keys()
    assert datetime.fromisoformat(whole["created_at"]).tzinfo is not None


def test_5_a_message_has_the_columns_of_chat_messages(service: TestClient) -> None:
    say(service, "hello", "ai")
    [found] = service.get("/sites/chat-messages?site_id=acme&user_id=u1").json()["messages"]
    assert (found["role"], found["message"]) == ("ai", "hello")
    assert datetime.fromisoformat(found["timestamp"]).tzinfo is not None
