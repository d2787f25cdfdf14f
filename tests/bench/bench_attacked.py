"""The dearest requests of at most 1 MB on every route, and `/health` beside them: `make bench BENCH=bench_attacked`.

The server is a process of its own, whose CPU seconds the system counts. What reads files runs in further processes that
hold nobody up; their seconds are told apart.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.support.tree import ROOT

TICKS = os.sysconf("SC_CLK_TCK")
SIZE = 900_000
T = "{}"
CHAT = [{"role": "user", "content": T}]
MCP = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
BODIES: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("/query", {"collection": "roblox", "q": T}),
    ("/query", {"collection": "roblox", "q": "walk", "terms": T}),
    ("/answer", {"collection": "roblox", "q": T}),
    ("/answer", {"collection": "roblox", "q": "What is this?", "selected_text": T}),
    ("/answer", {"collection": "roblox", "q": "And it?", "history": CHAT}),
    ("/roblox/query", {"text": T}),
    ("/textbook/api/query", {"query": T}),
    ("/textbook/api/query", {"query": "What is this?", "selected_text": T}),
    ("/celery/query", {"q": T}),
    ("/celery/answer", {"q": T}),
    ("/v1/chat/completions", {"model": "roblox", "messages": CHAT}),
    ("/v1/embeddings", {"model": "roblox", "input": T}),
    ("/verify", {"collection": "roblox", "citations": [{"id": T, "quote": T}]}),
    ("/book/chat", {"user_message": T}),
    ("/book/chat", {"user_message": "What is this?", "selected_text_context": T}),
    ("/book/embed", {"text": T}),
    ("/book/query", {"query_text": T}),
    ("/book/ingest", {"files": [{"path": "a.md", "content": T}]}),
    ("/book/ingest", {"files": [{"path": "a.mdx", "content": T}]}),
    ("/sites/documents", {"site_id": "acme", "source": "a.md", "content": T}),
    ("/sites/chat-messages", {"site_id": "acme", "user_id": "u", "role": "user", "message": T}),
    ("/sites/retrieve-context", {"site_id": "acme", "user_id": "u", "query": T}),
    ("/mcp", {**MCP, "params": {"name": "search", "arguments": {"query": T}}}),
    ("/mcp", {**MCP, "params": {"name": "grep", "arguments": {"pattern": T, "collection": "roblox"}}}),
    ("/mcp", {**MCP, "params": {"name": "answer", "arguments": {"question": T, "collection": "roblox"}}}),
)
SHAPES = ("1", "aB ", "`", "[", "<a ", " ", "- a\n", "it that ", "Humanoid.Foo ", "a\n\n", "{/*", "|a|b|\n")
SERVER = """
import sys
import onnxruntime
from pathlib import Path
import uvicorn
from tests.support.fuzz_requests import PROFILES
from tests.support.lively import Lively
from tests.support.served import Shelf
folder = Path(sys.argv[2])
shelf = Shelf(folder)
for name, profile in PROFILES.items():
    shelf.publish(name, profile=profile)
uvicorn.run(Lively(folder).app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error", access_log=False)
"""


class Health:
    """Asks `/health` again and again; the slowest answer since `begin`."""

    def __init__(self, url: str) -> None:
        self._url, self._over = url, threading.Event()
        self.slowest_s = 0.0

    def run(self) -> None:
        with httpx.Client(base_url=self._url, timeout=60) as client:
            while not self._over.wait(0.02):
                began = time.perf_counter()
                client.get("/health")
                self.slowest_s = max(self.slowest_s, time.perf_counter() - began)

    def stop(self) -> None:
        self._over.set()


def cpu_s(process: int) -> tuple[float, float]:
    """CPU seconds of the process, and of the processes that it started."""
    own = _of(process)
    told = [
        path.read_text(encoding="ascii").split() for path in Path(f"/proc/{process}/task").glob("*/children")
    ]
    return own, sum(_of(int(one)) for below in told for one in below)


def _of(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, int]]:
    """Its address and its number."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    paths = os.pathsep.join((str(ROOT / "layers/core/python"), str(ROOT)))
    program = subprocess.Popen(
        (sys.executable, "-c", SERVER, str(port), str(folder)),
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                httpx.get(f"{url}/health")
                break
            except httpx.ConnectError:
                time.sleep(0.1)
        yield url, program.pid
    finally:
        program.kill()
        program.wait()


def main() -> None:
    """Print the ten dearest requests, the slowest `/health` and the worst of each."""
    rows = []
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as (url, process),
        httpx.Client(base_url=url, timeout=120) as client,
    ):
        for path, body in BODIES:  # what is imported for the first request of a route is not the shape's
            client.post(path, content=json.dumps(body), headers=HEADERS)
        health = Health(url)
        asking = threading.Thread(target=health.run, daemon=True)
        asking.start()
        for path, body in BODIES:
            for atom in SHAPES[:6] if "files" in body or "source" in body else SHAPES:
                rows.append((*_measure(client, process, health, path, body, atom), path, atom))
        health.stop()
        asking.join()
    print(f"{len(rows)} requests of {SIZE:,} characters")
    for own, readers, waited, status, path, atom in sorted(rows, reverse=True)[:10]:
        print(f"{own:6.2f} s  readers {readers:5.2f} s  /health {waited:5.2f} s  {status} {path} {atom!r}")
    print(f"worst: {max(rows)[0]:.2f} s of the server, /health {max(row[2] for row in rows):.2f} s,", end=" ")
    print(f"readers {max(row[1] for row in rows):.2f} s; 5xx: {sum(row[3] >= 500 for row in rows)}")


HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


def _measure(
    client: httpx.Client, process: int, health: Health, path: str, body: Mapping[str, Any], atom: str
) -> tuple[float, float, float, int]:
    text = json.dumps(atom * (SIZE // len(json.dumps(atom)) + 1))
    content = json.dumps(body).replace(json.dumps(T), text)
    before, health.slowest_s = cpu_s(process), 0.0
    reply = client.post(path, content=content, headers=HEADERS)
    time.sleep(0.05)
    after = cpu_s(process)
    return after[0] - before[0], max(after[1] - before[1], 0.0), health.slowest_s, reply.status_code


if __name__ == "__main__":
    main()
