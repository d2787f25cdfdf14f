"""The site of `chatbot-data-model-and-contracts.md`: `python docusaurus_frontend.py http://host:8000/book ORIGIN`.

Its deployment sends all pages; a visitor searches, marks a sentence and chats, in a browser on the site's origin.
"""

from __future__ import annotations

import json
import sys
import urllib.error
import urllib.request
from typing import Any

BASE, ORIGIN = sys.argv[1].rstrip("/"), sys.argv[2]
PAGES = {
    "docs/ros2-architecture.mdx": """# ROS 2 Architecture

Nodes are the programs of a robot.

## Topics

ROS 2 topics are a publish-subscribe mechanism: a node publishes messages, and others subscribe to them.

## Actions

A humanoid uses an action for what takes time, such as walking to a door; it can be cancelled on the way.
""",
    "docs/sensors.md": """# Sensors

## Lidar

A lidar measures distances by the time that a laser pulse takes.
""",
}


def fetch(path: str, body: Any, method: str = "POST", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """What a browser's `fetch` does on the site's origin."""
    sent = {"content-type": "application/json", "origin": ORIGIN, **headers}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(BASE + path, data, sent, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, dict(response.headers.items()), response.read()
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers.items()), error.read()


def post(path: str, body: Any) -> dict[str, Any]:
    """The JSON of an answer that a page of the site may read."""
    status, headers, content = fetch(path, body)
    assert status == 200, (path, status, content)
    assert headers.get("access-control-allow-origin") in (ORIGIN, "*"), headers
    told: dict[str, Any] = json.loads(content)
    return told


files = [{"path": path, "content": content} for path, content in PAGES.items()]
ingested = post("/ingest", {"files": files})
assert ingested["status"] == "success", ingested
assert ingested["ingested_count"] >= 2, ingested
assert isinstance(ingested["message"], str)

asked = {"access-control-request-method": "POST", "access-control-request-headers": "content-type"}
status, allowed, content = fetch("/chat", None, "OPTIONS", **asked)
assert status < 300, content
assert "POST" in allowed["access-control-allow-methods"], allowed
assert "content-type" in allowed["access-control-allow-headers"], allowed

results = post("/query", {"query_text": "What are ROS2 topics?", "limit": 5, "min_score": 0.1})["results"]
assert results, results
best = results[0]
assert "publish-subscribe" in best["text"], best
assert best["metadata"]["chapter"] == "ROS 2 Architecture", best
assert {"section", "url"} <= best["metadata"].keys(), best
assert isinstance(best["id"], str)
assert isinstance(best["score"], float)
narrow = {"chapter": "ROS 2 Architecture", "section": best["metadata"]["section"]}
filtered = post("/query", {"query_text": "What are ROS2 topics?", "filters": narrow})["results"]
assert [one["metadata"]["section"] for one in filtered] == [narrow["section"]] * len(filtered) != []
row = post("/embed", {"text": "The quick brown fox jumps over the lazy dog."})["embedding"]
assert all(isinstance(one, float) for one in row)

history = [
    {"role": "user", "content": "What is ROS?"},
    {"role": "assistant", "content": "ROS is a middleware..."},
]
chat = post(
    "/chat",
    {
        "user_message": "How do humanoids use actions?",
        "selected_text_context": "A humanoid uses an action for what takes time",
        "chat_history": history,
    },
)
assert "takes time" in chat["response"], chat
link = chat["citations"][0]
assert link["chapter"] == "ROS 2 Architecture", link
assert link["url"].startswith("http"), link
assert {"id", "score"} <= chat["similarity_scores"][0].keys(), chat
status, headers, refused = fetch("/chat", {"user_message": 5})
assert 400 <= status <= 500, status
said = json.loads(refused)
assert said["status"] == "error", said
assert isinstance(said["message"], str)
sys.stdout.write("docusaurus: done\n")
