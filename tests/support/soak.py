"""`make soak MINUTES=10`: the long rounds that CI leaves out, then a server under load; a table of what held.

The rounds are the tests marked `soak`: builds, publishes and live writes that are killed, many writers over one store,
an S3 that fails. The load asks every face and writes documents: memory must stay within a tenth and p99 within a half,
and no request may fail.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.bench.bench_attacked import serving

CLIENTS, PAUSE_S = 4, 0.02
ASKED = (
    ("/query", {"collection": "roblox", "q": "How fast does a character walk?"}),
    ("/answer", {"collection": "roblox", "q": "How fast does a character walk?"}),
    ("/roblox/query", {"text": "Humanoid.Died"}),
    ("/textbook/api/query", {"query": "How fast does a character walk?"}),
    ("/celery/query", {"q": "walk"}),
    ("/v1/chat/completions", {"model": "roblox", "messages": [{"role": "user", "content": "What is Died?"}]}),
    (
        "/sites/chat-messages",
        {"site_id": "acme", "user_id": "u", "role": "user", "message": "Who counts the boats?"},
    ),
    ("/sites/retrieve-context", {"site_id": "acme", "user_id": "u", "query": "Who counts the boats?"}),
    (
        "/book/ingest",
        {"files": [{"path": "tides.md", "content": "# Tides\n\nThe tide turns every six hours.\n"}]},
    ),
    ("/book/query", {"query_text": "tide"}),
)


@dataclass
class Load:
    """What the clients saw: milliseconds by minute, and what failed."""

    began: float = field(default_factory=time.monotonic)
    took_ms: dict[int, list[float]] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)

    def ask(self, url: str, number: int, over: threading.Event) -> None:
        with httpx.Client(base_url=url, timeout=60) as client:
            while not over.wait(PAUSE_S):
                path, body = ASKED[number % len(ASKED)]
                number += 1
                began = time.monotonic()
                try:
                    status = client.post(path, json=body).status_code
                except httpx.HTTPError as error:
                    status = 0
                    self.failed.append(f"{path}: {error!r}")
                if status >= 400:
                    self.failed.append(f"{path}: {status}")
                minute = int((began - self.began) // 60)
                self.took_ms.setdefault(minute, []).append((time.monotonic() - began) * 1e3)


def rounds() -> Iterator[tuple[str, str, bool]]:
    """Each test marked `soak`: its name, its seconds, and whether it held."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "soak.xml"
        command = (sys.executable, "-m", "pytest", "-q", "-n0", "-m", "soak", f"--junitxml={report}")
        subprocess.run(command, env={**os.environ, "HYPOTHESIS_PROFILE": "soak"}, check=False)
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            if case.find("skipped") is None:
                is_right = case.find("failure") is None and case.find("error") is None
                yield case.get("name", "").replace("_", " "), f"{float(case.get('time', 0)):.0f} s", is_right


def load(minutes: float) -> Iterator[tuple[str, str, bool]]:
    """Memory, p99 and errors of a server that is asked for so long."""
    over, seen, held_mb = threading.Event(), Load(), []
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as (url, process):
        seen.began = time.monotonic()
        clients = [threading.Thread(target=seen.ask, args=(url, number, over)) for number in range(CLIENTS)]
        for one in clients:
            one.start()
        while time.monotonic() < seen.began + 60 * minutes:
            time.sleep(5)
            held_mb.append(_rss_mb(process))
        over.set()
        for one in clients:
            one.join()
    p99 = [
        statistics.quantiles(took, n=100)[98] for _, took in sorted(seen.took_ms.items()) if len(took) > 100
    ]
    settled = held_mb[len(held_mb) // 5 :]
    third = max(len(p99) // 3, 1)
    early, late = statistics.median(p99[:third]), statistics.median(p99[-third:])
    asked = sum(map(len, seen.took_ms.values()))
    yield (
        f"{asked:,} requests in {minutes:g} minutes: errors",
        "; ".join(seen.failed[:3]) or "0",
        not seen.failed,
    )
    yield (
        "memory, from a fifth of the time on",
        f"{settled[0]:.0f} to {max(settled):.0f} MB",
        max(settled) <= 1.1 * settled[0],
    )
    yield "p99, first and last third", f"{early:.0f} and {late:.0f} ms", late <= 1.5 * early


def _rss_mb(process: int) -> float:
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main(minutes: str = "10", which: str = "all") -> int:
    """Run it and print the table; 1 where something did not hold."""
    rows = [*(rounds() if which == "all" else ()), *load(float(minutes))]
    print("\n| what | found | held |\n| --- | --- | --- |")
    for what, found, is_right in rows:
        print(f"| {what} | {found} | {'yes' if is_right else 'NO'} |")
    return int(not all(is_right for _, _, is_right in rows))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
