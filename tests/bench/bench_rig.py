"""What the query function costs from its archives, as Lambda runs it: cold start by parts, warm questions, memory.

    python -m tests.bench.bench_rig [--store DIR] [--collection roblox] [--rounds 300] [--starts 5] [--alone]

Without a store (QUIRE_STORE, or --store) a small collection is indexed first. Times are CPU, so that what else runs on
the machine matters little; cold figures are medians over `--starts` processes of each kind. It still empties caches, a
tenth more on a busy machine: `--alone` takes the processor before it, as in `bench_first`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3

from tests.bench.bench_http import QUESTIONS, small_store
from tests.support.aws import BOTO, CREDENTIALS, bucket_of, free_port, served
from tests.support.events import event_v1
from tests.support.rig import Function, Root, run_python, unpacked
from tests.support.tree import ROOT

HANDLER = "functions.query.handler"
KEY = "the-key-of-this-measurement"
IMPORTS = ("numpy", "onnxruntime", "tokenizers", "fastapi", "mangum", "boto3")
FORWARD = "tests.bench.rig_forward.handler"


def cold(
    root: Root, environment: dict[str, str], from_s3: dict[str, str], known: argparse.Namespace
) -> dict[str, float]:
    """CPU milliseconds from the start of the process to its first answer, by parts; kinds of starts take turns."""
    parts: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        parts.setdefault(name, []).append(value)

    nothing = {**environment, "QUIRE_STORE": str(Path(environment["QUIRE_CACHE"]) / "nothing")}
    for _ in range(known.starts):
        note("interpreter", run_python(root, "-c", "pass"))
        note("with Lambda's client", run_python(root, "-c", "import awslambdaric.bootstrap"))
        note(
            "with the handler, no index",
            run_python(root, "-c", "import functions.query", environment=nothing),
        )
        with started(root, environment, known.collection) as (function, ready):
            note("ready, index and model open", ready)
            note("first question answered", function.cpu_ms())
            note("first question answered, wall", _wall_ms(function))
            note("resident MB after it", function.memory_mb())
        with (
            tempfile.TemporaryDirectory() as cache,
            started(root, {**from_s3, "QUIRE_CACHE": cache}, known.collection) as (function, _),
        ):
            note("first question answered, fetched from S3", function.cpu_ms())
            note("first question answered, fetched from S3, wall", _wall_ms(function))
    medians = {name: round(statistics.median(values), 1) for name, values in parts.items()}
    fetched, local = (medians[f"first question answered{how}"] for how in (", fetched from S3", ""))
    return medians | {"from S3 / local": _round(fetched / local)}


def _wall_ms(function: Function) -> float:
    return (time.perf_counter() - function.began) * 1e3


@contextmanager
def started(root: Root, environment: dict[str, str], collection: str) -> Iterator[tuple[Function, float]]:
    """A function that has answered its first question, and what it took until it was ready for that."""
    with Function(root, HANDLER, environment) as function:
        ready = function.wait_ready()
        reply = function.invoke(question(collection, 0))
        assert reply.status() == 200, reply.body()
        yield function, ready


@contextmanager
def bucket(store: Path, collection: str) -> Iterator[dict[str, str]]:
    """A bucket of moto's with the collection and the model: the environment of a function that reads it."""
    command = (sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port := free_port()))
    with served(command, f"http://127.0.0.1:{port}/moto-api/") as ready:
        url = ready.removesuffix("/moto-api/")
        client, name = boto3.client("s3", endpoint_url=url, **BOTO), bucket_of(url)
        for place in (f"collections/{collection}", "models"):
            for path in sorted(path for path in (store / place).rglob("*") if path.is_file()):
                client.upload_file(str(path), name, path.relative_to(store).as_posix())
        yield {**CREDENTIALS, "QUIRE_STORE": f"s3://{name}", "QUIRE_API_KEY": KEY, "AWS_ENDPOINT_URL": url}


def warm(root: Root, environment: dict[str, str], known: argparse.Namespace) -> dict[str, float]:
    """CPU milliseconds of a warm question, the process's own, and of the model's forward pass alone.

    Two functions take turns, the whole one and one that only embeds, so that the machine's speed, and caches that have
    grown cold in between, are the same for both.
    """
    spent, forward, client, walls = [], [], [], []
    places = (root / "task", root / "opt/python", root / "runtime", ROOT)
    path = {"PYTHONPATH": ":".join(map(str, places))}
    with (
        Function(root, HANDLER, environment) as function,
        Function(root, FORWARD, environment | path) as pass_,
    ):
        function.wait_ready()
        pass_.wait_ready()
        for number in range(known.rounds + 20):
            event = question(known.collection, number)
            before = pass_.cpu_ms()
            alone = pass_.invoke(event).json()
            nothing = pass_.cpu_ms() - before - alone
            before = function.cpu_ms()
            reply = function.invoke(event)
            if number >= 20:
                spent.append(function.cpu_ms() - before)
                forward.append(alone)
                client.append(nothing)
                walls.append(reply.pieces[0][0] * 1e3)
        memory = function.memory_mb("VmHWM")
    return {
        "question p50": _round(statistics.median(spent)),
        "question p99": _round(_p99(spent)),
        "p99 / p50": _round(_p99(spent) / statistics.median(spent)),
        "forward pass p50": _round(statistics.median(forward)),
        "beyond the forward pass": _round(statistics.median(map(float.__sub__, spent, forward))),
        "of it AWS's own client, p50": _round(statistics.median(client)),
        "wall p50": _round(statistics.median(walls)),
        "resident MB at most": round(memory, 1),
    }


def question(collection: str, number: int) -> dict[str, Any]:
    """An event with one of the questions."""
    return event_v1("POST", f"/{collection}/query", {"text": QUESTIONS[number % len(QUESTIONS)], "top_k": 5})


def imports(root: Root) -> dict[str, float]:
    """CPU milliseconds of single libraries, interpreter included; those of two overlap."""
    return {name: round(run_python(root, "-c", f"import {name}"), 1) for name in IMPORTS}


def _p99(values: list[float]) -> float:
    return statistics.quantiles(values, n=100)[98]


def _round(value: float) -> float:
    return round(value, 2)


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, default=os.environ.get("QUIRE_STORE"))
    parser.add_argument("--collection", default="roblox")
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--alone", action="store_true")
    asked = parser.parse_args()
    if asked.alone:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    with tempfile.TemporaryDirectory() as folder:
        store = Path(asked.store).resolve() if asked.store else small_store(Path(folder))
        environment = {
            "QUIRE_STORE": str(store),
            "QUIRE_CACHE": str(Path(folder) / "cache"),
            "QUIRE_API_KEY": KEY,
        }
        root = unpacked()
        deployed = {"QUIRE_MODEL_FOLDERS": str(root / "opt/models"), "QUIRE_CACHE_MB": "512"}
        with bucket(store, asked.collection) as from_s3:
            started_cold = cold(root, environment, from_s3 | deployed, asked)
        figures = {
            "imports, CPU ms": imports(root),
            "cold, CPU ms, each line includes those above": started_cold,
            "warm, CPU ms": warm(root, environment, asked),
        }
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
