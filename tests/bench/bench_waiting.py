"""Searches beside models that hang and an identity provider that says nothing: `make bench BENCH=bench_waiting`.

Quiet and busy rounds take turns in one process, so that the machine's other work falls on both alike.
"""

from __future__ import annotations

import logging
import statistics
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import jwt

from functions.app.app import create_app
from functions.web.access import OneKey, ScopedKeys
from functions.web.logs import LOGGER
from quire.adapters.jwt import JwtTokens
from quire.adapters.openai import OpenAIModel
from quire.service.access_file import AccessFile
from tests.support.pages import running
from tests.support.served import Shelf
from tests.support.silence import SilentServer

HANGING, BOGUS, ROUNDS, SEARCHES = 20, 5, 4, 100
KEY = {"x-api-key": "master"}
TOKEN = jwt.encode({"sub": "u"}, "0" * 64, "HS256", headers={"kid": "k9"})
ASKED = {"collection": "roblox", "q": "What does BasePart.Touched do?"}


def main() -> None:
    """Print p50 and p95 of searches, quiet and busy, and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        shelf = Shelf(Path(folder))
        shelf.publish()
        quiet: list[float] = []
        busy: list[float] = []
        for _ in range(ROUNDS):
            quiet += _round(shelf, hanging=0)
            busy += _round(shelf, hanging=HANGING)
    for name, times in (("quiet", quiet), ("busy", busy)):
        print(f"{name:6} p50 {statistics.median(times):6.2f} ms   p95 {_p95(times):6.2f} ms")
    print(
        f"p95 beside {HANGING} hanging models and a silent provider: {_p95(busy) / _p95(quiet):.2f} of quiet"
    )


def _round(shelf: Shelf, *, hanging: int) -> list[float]:
    with SilentServer() as silent:
        access = shelf.root / "access.toml"
        lines = ("[jwt]", 'issuer = "i"', 'audience = "a"', f'jwks_url = "{silent.url}/k"')
        access.write_text("\n".join((*lines, 'actions = ["read"]', 'collections = ["*"]', "")))
        keys = ScopedKeys(
            AccessFile(access),
            OneKey("master"),
            lambda one: JwtTokens(one.issuer, one.audience, one.jwks_url),
        )
        model = OpenAIModel("m", base_url=f"{silent.url}/v1")
        app = create_app(shelf.service(answer_model=model), keys)
        LOGGER.handlers[:] = [logging.NullHandler()]  # a terminal's speed is not what is measured
        with (
            running(app) as url,
            httpx.Client(
                base_url=url, headers=KEY, timeout=60, limits=httpx.Limits(max_connections=None)
            ) as client,
            ThreadPoolExecutor(HANGING + 1) as asking,
        ):
            over = threading.Event()
            if hanging:
                for _ in range(hanging):
                    asking.submit(_ask, client)
                asking.submit(_knock, url, over)
            until = time.monotonic() + 20
            while silent.calls < hanging and time.monotonic() < until:
                time.sleep(0.02)
            times = _search(url)
            over.set()
            silent.__exit__(None, None, None)  # what hangs ends
    return times


def _ask(client: httpx.Client) -> None:
    with suppress(httpx.HTTPError):
        client.post("/answer", json=ASKED)


def _knock(url: str, over: threading.Event) -> None:
    bearer = {"authorization": f"Bearer {TOKEN}"}
    # One client: making one costs 30 ms of this process's CPU, which the searches would pay for.
    with httpx.Client(base_url=url, headers=bearer, timeout=30) as client:
        while not over.is_set():
            with ThreadPoolExecutor(BOGUS) as together:
                for _ in range(BOGUS):
                    together.submit(client.get, "/collections")
            over.wait(1)


def _search(url: str) -> list[float]:
    times = []
    with httpx.Client(base_url=url, headers=KEY, timeout=30) as client:
        for number in range(SEARCHES + 10):
            began = time.perf_counter()
            client.post(
                "/query", json={"collection": "roblox", "q": f"walk to part {number}"}
            ).raise_for_status()
            times.append((time.perf_counter() - began) * 1000)
    return times[10:]


def _p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


if __name__ == "__main__":
    main()
