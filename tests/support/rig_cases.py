"""One request for every route of `functions/routes.json`, with what its answer must hold, in an order that works.

What a later request needs of an earlier answer, such as an id, is kept in `known` and written `{id}` in its path.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.support.deployed import BOOK

Body = Any
Check = Callable[[Any], bool]
HARBOUR = "What does a harbour shelter boats from?"
SITE = "site_id=acme&user_id=u1"
MOUNTS = {
    "native": "",
    "roblox": "/roblox",
    "textbook": "/textbook",
    "chatbot": "/react_native",
    "codebase": "/quire",
    "sites": "/sites",
}


@dataclass(frozen=True)
class Case:
    """A route of a face and a request to it. `keeps` maps names in `known` to fields of the answer.

    Attributes:
        route: as `routes.json` writes it.
        path: below the face's collection; "" for the route's own.
        holds: what must be true of the JSON, or of the text where the answer is none.
    """

    face: str
    route: str
    holds: Check
    path: str = ""
    body: Body = None
    status: int = 200
    keeps: Mapping[str, str] | None = None

    @property
    def method(self) -> str:
        return self.route.split(" ")[0]

    def url(self, known: Mapping[str, Any]) -> str:
        path = self.path or self.route.split(" ")[1]
        for name, value in known.items():
            path = path.replace(f"{{{name}}}", str(value))
        return MOUNTS[self.face] + path


def is_ok(body: Any) -> bool:
    """What every `/health` says."""
    return bool(body["status"] == "ok")


def cites(text: str) -> Check:
    """The answer quotes the book."""
    return lambda body: text in str(body)


CASES = (
    Case("native", "GET /", lambda text: "<html" in text.lower()),
    Case("native", "GET /assets/{release}/{name}", lambda text: len(text) > 100, "/assets/{release}/{asset}"),
    Case("native", "GET /widget.js", lambda text: len(text) > 100),
    Case("native", "GET /health", is_ok),
    Case("native", "GET /status", lambda body: {"roblox", "textbook"} <= _names(body)),
    Case("native", "GET /collections", lambda body: {"roblox", "textbook"} <= _names(body)),
    Case("native", "GET /collections/{name}", lambda body: body["name"] == "roblox", "/collections/roblox"),
    Case(
        "native",
        "GET /collections/{name}/diff",
        lambda body: "Players.PlayerAdded" in str(body["members"]["added"]),
        "/collections/roblox/diff?from=0.732&to=0.735",
    ),
    Case("native", "GET /llms.txt", lambda text: "roblox" in text),
    Case("native", "GET /{collection}/llms.txt", lambda text: "query" in text, "/roblox/llms.txt"),
    Case("native", "GET /openapi.json", lambda body: "/roblox/query" in body["paths"]),
    Case("native", "GET /reference", lambda text: "<html" in text.lower()),
    Case(
        "native",
        "POST /query",
        lambda body: body["hits"][0]["metadata"]["member_name"] == "WalkSpeed" and body["mode"] == "hybrid",
        body={"collection": "roblox", "q": "how fast does a character walk"},
        keeps={"passage": "hits.0.id"},
    ),
    Case(
        "native",
        "GET /collections/{name}/passages/{passage_id}",
        lambda body: "WalkSpeed" in str(body),
        "/collections/roblox/passages/{passage}",
    ),
    Case(
        "native",
        "POST /answer",
        cites(BOOK[0]),
        body={"collection": "textbook", "q": HARBOUR},
        keeps={"citation": "citations.0"},
    ),
    Case(
        "native",
        "POST /verify",
        lambda body: (body["verified"], body["refused"]) == (1, 0),
        body={"collection": "textbook", "citations": ["{citation}"]},
    ),
    Case("native", "GET /v1/models", lambda body: {"roblox", "textbook"} <= {o["id"] for o in body["data"]}),
    Case("native", "GET /v1/models/{model}", lambda body: body["id"] == "textbook", "/v1/models/textbook"),
    Case(
        "native",
        "POST /v1/embeddings",
        lambda body: len(body["data"][0]["embedding"]) == 384,
        body={"model": "textbook", "input": "boats"},
    ),
    Case(
        "native",
        "POST /v1/chat/completions",
        lambda body: BOOK[0] in body["choices"][0]["message"]["content"],
        body={"model": "textbook", "messages": [{"role": "user", "content": HARBOUR}]},
    ),
    Case(
        "native",
        "POST /v1/responses",
        lambda body: BOOK[0] in body["output"][0]["content"][0]["text"],
        body={"model": "textbook", "input": HARBOUR},
    ),
    Case("roblox", "GET /health", is_ok),
    Case("roblox", "GET /status", lambda body: body["roblox_version"].startswith("0.73")),
    Case(
        "roblox",
        "POST /query",
        lambda body: body["results"][0]["payload"]["member_name"] == "Died",
        body={"text": "Humanoid.Died", "top_k": 2},
    ),
    Case("textbook", "GET /health", is_ok),
    Case(
        "textbook",
        "POST /api/query",
        lambda body: body["sources"][0]["filename"] == "00.mdx" and BOOK[0] in body["answer"],
        body={"query": HARBOUR},
    ),
    Case("chatbot", "GET /health", is_ok),
    Case("chatbot", "POST /embed", lambda body: len(body["embedding"]) == 384, body={"text": "boats"}),
    Case("chatbot", "POST /query", cites(BOOK[0]), body={"query_text": HARBOUR}),
    Case("chatbot", "POST /chat", cites(BOOK[0]), body={"user_message": HARBOUR, "session": "s1"}),
    Case(
        "chatbot",
        "POST /ingest",
        lambda body: body["ingested_count"] > 0,
        body={"files": [{"path": "oars.md", "content": "# Oars\n\nAn oar moves a boat by hand."}]},
    ),
    Case("chatbot", "GET /pages", cites("oars.md")),
    Case("chatbot", "DELETE /pages", lambda body: isinstance(body, dict), "/pages?path=oars.md"),
    Case("chatbot", "GET /ingest/{job}", lambda body: body["status"] == "error", "/ingest/none", status=404),
    Case("codebase", "GET /health", is_ok),
    Case("codebase", "GET /config", lambda body: isinstance(body, dict) and bool(body)),
    Case("codebase", "GET /index/stats", lambda body: body["files"] == 2),
    Case("codebase", "POST /query", cites("boats/harbour.py"), body={"q": "shelter"}),
    Case("codebase", "POST /answer", cites("boats/harbour.py"), body={"q": "Where is shelter defined?"}),
    # A function has no disk to index: a build job does it.
    Case("codebase", "POST /index/build", cites("detail"), body={}, status=501),
    Case("codebase", "POST /index/incremental", cites("detail"), body={}, status=501),
    Case("codebase", "GET /index/jobs/{id}", cites("detail"), "/index/jobs/none", status=501),
    Case("sites", "GET /health", is_ok),
    Case(
        "sites",
        "POST /documents",
        lambda body: body["chunks"] == 1,
        body={"site_id": "acme", "source": "gulls.txt", "content": BOOK[2]},
        status=201,
        keeps={"document": "id"},
    ),
    Case("sites", "GET /documents", cites("gulls.txt"), f"/documents?{SITE}"),
    Case("sites", "GET /documents/{id}", cites(BOOK[2]), f"/documents/{{document}}?{SITE}"),
    Case(
        "sites",
        "GET /documents/jobs/{job}",
        lambda body: body["field"] == "job",
        f"/documents/jobs/none?{SITE}",
        status=404,
    ),
    Case(
        "sites",
        "PUT /documents/{id}",
        lambda body: body["chunks"] == 1,
        f"/documents/{{document}}?{SITE}",
        {"content": BOOK[1]},
    ),
    Case(
        "sites",
        "POST /chat-messages",
        lambda body: body["role"] == "user",
        body={"site_id": "acme", "user_id": "u1", "role": "user", "message": "Who counts them?"},
        status=201,
    ),
    Case("sites", "GET /chat-messages", cites("Who counts them?"), f"/chat-messages?{SITE}"),
    Case(
        "sites",
        "POST /retrieve-context",
        lambda body: BOOK[1] in body["context"] and "Who counts them?" in body["context"],
        body={"site_id": "acme", "user_id": "u1", "query": "Who counts the boats?"},
    ),
    Case("sites", "GET /sites", cites("acme")),
    Case("sites", "DELETE /chat-messages/cleanup", lambda body: isinstance(body, dict)),
    Case("sites", "DELETE /chat-messages", lambda body: isinstance(body, dict), f"/chat-messages?{SITE}"),
    Case(
        "sites", "DELETE /documents/{id}", lambda text: not text, f"/documents/{{document}}?{SITE}", None, 204
    ),
    Case("sites", "DELETE /sites", lambda body: body["site_id"] == "acme", "/sites?site_id=acme"),
)


def _names(body: Any) -> set[str]:
    return {one["name"] for one in body["collections"]}
