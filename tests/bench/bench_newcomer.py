"""A newcomer's path: clone, `make run`, the page open with a cited answer; cold, then warm.

`python -m tests.bench.bench_newcomer`

Cold starts from nothing: a clone in a temporary folder, without environment, index or model, and empty caches of pip
and uv. Warm is the second `make run` of that clone. Prints both times; exit code 1 where one is over its limit.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import httpx
from playwright.sync_api import Page, expect, sync_playwright

from tests.support.pages import CHROMIUM_FLAGS
from tests.support.tree import ROOT

COLD_LIMIT_S, WARM_LIMIT_S = 120.0, 5.0
PATIENCE_S = 600.0
FOREIGN = ("PYTHONPATH", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE")
QUESTION = "What does the shrink guard refuse?"


def main() -> int:
    """Walk the path twice."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repository", default=str(ROOT), help="what is cloned")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="newcomer-") as folder, browser() as page:
        clone, began = Path(folder) / "quire", time.perf_counter()
        subprocess.run(("git", "clone", "--quiet", given.repository, str(clone)), check=True)
        cold = until_answered(clone, page, began)
        warm = until_answered(clone, page, time.perf_counter())
    how = "the page shows" if page else "the API gives"
    print(f"clone -> make run -> {how} a cited answer: cold {cold:.1f} s (limit {COLD_LIMIT_S:.0f})")
    print(f"make run again -> {how} a cited answer: warm {warm:.1f} s (limit {WARM_LIMIT_S:.0f})")
    return int(cold > COLD_LIMIT_S or warm > WARM_LIMIT_S)


def until_answered(clone: Path, page: Page | None, began: float) -> float:
    """Seconds from `began` until the clone's server has given a cited answer; the server is stopped again."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (clone / "make.log").open("ab") as log:
        server = subprocess.Popen(
            ("make", "run", f"PORT={port}"),
            cwd=clone,
            env=environment(clone),
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            wait_for(f"http://127.0.0.1:{port}/health", server, clone / "make.log")
            ask(f"http://127.0.0.1:{port}", page)
            return time.perf_counter() - began
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(timeout=30)


def environment(clone: Path) -> dict[str, str]:
    """This process's, without what names another store or environment, and with caches of the clone's own."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("QUIRE_", "RAG_", "MAKE")) and name not in FOREIGN
    }
    return kept | {"UV_CACHE_DIR": str(clone / ".caches/uv"), "PIP_CACHE_DIR": str(clone / ".caches/pip")}


def wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    """Return once the address answers; the log is the message where it never does."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and server.poll() is None:
        try:
            if httpx.get(url, timeout=5).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise SystemExit(f"bench_newcomer: {url} never answered:\n{log.read_text(errors='replace')[-3000:]}")


def ask(url: str, page: Page | None) -> None:
    """The page with the question open, until its answer shows a citation; without a browser, the answer itself."""
    if page is None:
        assert httpx.get(url, timeout=60).is_success
        given = httpx.post(f"{url}/answer", json={"collection": "quire", "q": QUESTION}, timeout=60)
        assert given.raise_for_status().json()["citations"], given.text
        return
    page.goto(f"{url}/?{urlencode({'c': 'quire', 'q': QUESTION, 'ask': 1})}")
    expect(page.locator("#answer .cited li").first).to_be_visible(timeout=60_000)


@contextmanager
def browser() -> Iterator[Page | None]:
    """A page of the machine's own Chromium; None where there is none."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if not found:
        yield None
        return
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=found, args=list(CHROMIUM_FLAGS))
        yield opened.new_page()
        opened.close()


if __name__ == "__main__":
    sys.exit(main())
