"""The n8n workflow of `context-and-chat-memory-service.md`: `python n8n_workflow.py http://host:8000/sites`."""

from __future__ import annotations

import json
import sys
import urllib.request
from typing import Any

BASE = sys.argv[1].rstrip("/")
PRICES = (
    "Prices of the harbour office. A berth costs 40 euros a night from May on. Electricity is 5 euros a day."
)
OPENING = "Opening hours of the museum. The museum opens at ten in the morning and closes at six."


def call(method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, Any]:
    """What n8n's HTTP Request node does."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(BASE + path, data, {"content-type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=30) as response:
        return response.status, json.load(response)


def identifier(value: Any) -> str:
    """The id of an ingested document: the specification names no field, so the one that ends in "id" is looked for."""
    if isinstance(value, str):
        return value
    return next(str(one) for key, one in value.items() if key.lower().endswith("id") and key != "site_id")


def turn(user: str, site: str, message: str) -> str:
    """One message through the workflow: its context is what the model would be given; the answer is saved."""
    body = {"user_id": user, "site_id": site}
    status, told = call("POST", "/retrieve-context", {**body, "query": message})
    assert status == 200, told
    context = told["context"]
    assert isinstance(context, str), told
    for role, text in (("user", message), ("ai", f"As far as I know: {context[:80]}")):
        status, _ = call("POST", "/chat-messages", {**body, "role": role, "message": text})
        assert status == 201, status
    return context


ids = []
for site, source, content in (
    ("harbour", "prices.txt", PRICES),
    ("museum", "https://museum.example/hours", OPENING),
):
    status, told = call("POST", "/documents", {"site_id": site, "source": source, "content": content})
    assert status == 201, told
    ids.append(identifier(told))
assert len(set(ids)) == 2

first = turn("ana", "harbour", "What does a berth cost?")
assert "40 euros a night" in first, first
assert "museum" not in first, first
second = turn("ana", "harbour", "And electricity?")
assert "What does a berth cost?" in second, second
assert "5 euros a day" in second, second
other = turn("ben", "museum", "When does the museum open?")
assert "ten in the morning" in other, other
assert "berth" not in other, other
status, summary = call("DELETE", "/chat-messages/cleanup")
assert status == 200, status
assert summary, summary
sys.stdout.write("n8n: done\n")
