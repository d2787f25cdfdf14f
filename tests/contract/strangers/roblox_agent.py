"""An agent over `roblox-api-rag.md` that writes Luau: `python roblox_agent.py http://host:8000/roblox`."""

from __future__ import annotations

import json
import re
import sys
import urllib.error
import urllib.request
from typing import Any

BASE = sys.argv[1].rstrip("/")


def get(path: str) -> Any:
    with urllib.request.urlopen(BASE + path, timeout=30) as response:
        return json.load(response)


def query(text: Any, **more: Any) -> list[dict[str, Any]]:
    """The results of the one tool that the agent has."""
    body = json.dumps({"text": text, **more}).encode()
    request = urllib.request.Request(f"{BASE}/query", body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as response:
        results: list[dict[str, Any]] = json.load(response)["results"]
    assert all(isinstance(one["score"], float) and isinstance(one["payload"], dict) for one in results)
    return results


assert get("/health") == {"status": "ok"}
status = get("/status")
assert re.fullmatch(r"\d+(\.\d+)+", status["roblox_version"]), status
assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", status["last_updated"]), status
assert status["total_documents"] > 0, status

walking = query("How do I make a character walk to a point?", top_k=3)
assert 0 < len(walking) <= 3
payload = walking[0]["payload"]
assert (payload["class_name"], payload["member_name"]) == ("Humanoid", "MoveTo"), payload
assert payload["source"] == "api_dump"
assert payload["member_type"] == "Function"
assert isinstance(payload["tags"], list), payload
assert any("MoveTo" in value for value in payload.values() if isinstance(value, str))

guides = query("keep coins between sessions", filters={"source": "creator_docs"})
assert {one["payload"]["source"] for one in guides} == {"creator_docs"}
assert {"file_path", "title"} <= guides[0]["payload"].keys(), guides[0]
events = query("somebody joins", filters={"source": "api_dump", "member_type": "Event"})
assert {one["payload"]["member_type"] for one in events} == {"Event"}
assert events[0]["payload"]["member_name"] == "PlayerAdded", events[0]
assert len(query("part")) == 5
assert query("health", filters={"class_name": "Humanoid"})[0]["payload"]["class_name"] == "Humanoid"
assert query("part", filters=None, top_k=1)
for text, top_k in ((None, 5), ("part", 0), ("part", 21)):
    refused = 0
    try:
        query(text, top_k=top_k)
    except urllib.error.HTTPError as error:
        refused = error.code
    assert refused == 422, (text, top_k, refused)
sys.stdout.write("roblox: done\n")
