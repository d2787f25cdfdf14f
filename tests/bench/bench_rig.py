"""What the query function costs from its archives, as Lambda runs it: cold start by parts, warm questions, memory.

    python -m tests.bench.bench_rig [--store DIR] [--collection roblox] [--rounds 300] [--starts 5]

Without a store (QUIRE_STORE, or --store) a small collection is indexed first. Times are CPU, so that what else runs on
the machine matters little; cold figures are medians over `--starts` processes.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import boto3

from tests.bench.bench_http import QUESTIONS, small_store
from tests.support.aws import BOTO, CREDENTIALS, bucket_of, free_port, served
from tests.support.events import event_v1
from tests.support.rig import Function, Root, run_python, unpacked

HANDLER = "functions.query.handler"
KEY = "the-key-of-this-measurement"
IMPORTS = ("numpy", "onnxruntime", "tokenizers", "fastapi", "mangum", "boto3")
FORWARD = """
import json, sys, time
from pathlib import Path
from quire.adapters import open_embedder
embedder = open_embedder(next(Path(sys.argv[1], "models").iterdir()), threads=1)
spent = []
for number in range(int(sys.argv[2])):
    began = time.thread_time_ns()
    embedder.embed([json.loads(sys.argv[3])[number % 4]])
    spent.append((time.thread_time_ns() - began) / 1e6)
Path(sys.argv[4]).write_text(json.dumps(spent[20:]))
"""


def cold(
    root: Root, store: Path, collection: str, starts: int, environment: dict[str, str]
) -> dict[str, float]:
    """CPU milliseconds from the start of the process to its first answer, by parts."""
    parts: dict[str, list[float]] = {}
    for _ in range(starts):
        parts.setdefault("interpreter", []).append(run_python(root, "-c", "pass"))
        parts.setdefault("with Lambda's client", []).append(
            run_python(root, "-c", "import awslambdaric.bootstrap")
        )
        imports = "import functions.query"
        empty = {**environment, "QUIRE_STORE": str(store / "nothing")}
        parts.setdefault("with the handler, no index", []).append(
            run_python(root, "-c", imports, environment=empty)
        )
        with Function(root, HANDLER, environment) as function:
            ready = function.wait_ready()
            reply = function.invoke(question(collection, 0))
            assert reply.status() == 200, reply.body()
            parts.setdefault("ready, index and model open", []).append(ready)
            parts.setdefault("first question answered", []).append(function.cpu_ms())
            parts.setdefault("resident MB after it", []).append(function.memory_mb())
    return {name: round(statistics.median(values), 1) for name, values in parts.items()}


def cold_from_s3(root: Root, store: Path, collection: str, starts: int) -> dict[str, float]:
    """The same with the collection fetched from a bucket of moto's, into an empty cache at each start."""
    command = (sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port := free_port()))
    spent: list[float] = []
    with served(command, f"http://127.0.0.1:{port}/moto-api/") as ready:
        url = ready.removesuffix("/moto-api/")
        client, bucket = boto3.client("s3", endpoint_url=url, **BOTO), bucket_of(url)
        for place in (f"collections/{collection}", "models"):
            for path in sorted(path for path in (store / place).rglob("*") if path.is_file()):
                client.upload_file(str(path), bucket, path.relative_to(store).as_posix())
        for _ in range(starts):
            with tempfile.TemporaryDirectory() as cache:
                known = {
                    "QUIRE_STORE": f"s3://{bucket}",
                    "QUIRE_CACHE": cache,
                    "QUIRE_API_KEY": KEY,
                    "AWS_ENDPOINT_URL": url,
                }
                with Function(root, HANDLER, {**CREDENTIALS, **known}) as function:
                    function.wait_ready()
                    assert function.invoke(question(collection, 0)).status() == 200
                    spent.append(function.cpu_ms())
    return {"first question answered": round(statistics.median(spent), 1)}


def warm(
    root: Root, store: Path, collection: str, rounds: int, environment: dict[str, str]
) -> dict[str, float]:
    """CPU milliseconds of a warm question, the process's own, beside the model's forward pass alone."""
    spent, walls = [], []
    with Function(root, HANDLER, environment) as function:
        function.wait_ready()
        for number in range(rounds + 20):
            before = function.cpu_ms()
            reply = function.invoke(question(collection, number))
            if number >= 20:
                spent.append(function.cpu_ms() - before)
                walls.append(reply.pieces[0][0] * 1e3)
        memory = function.memory_mb("VmHWM")
    forward = forward_pass(root, store, rounds)
    return {
        "question p50": _round(statistics.median(spent)),
        "question p99": _round(_p99(spent)),
        "p99 / p50": _round(_p99(spent) / statistics.median(spent)),
        "forward pass p50": _round(statistics.median(forward)),
        "beyond the forward pass": _round(statistics.median(spent) - statistics.median(forward)),
        "wall p50": _round(statistics.median(walls)),
        "resident MB at most": round(memory, 1),
    }


def forward_pass(root: Root, store: Path, rounds: int) -> list[float]:
    """CPU milliseconds of embedding the same questions, in a process of the same kind."""
    with tempfile.NamedTemporaryFile() as out:
        texts = json.dumps(QUESTIONS)
        run_python(root, "-c", FORWARD, str(store), str(rounds + 20), texts, out.name)
        spent: list[float] = json.loads(Path(out.name).read_text(encoding="utf-8"))
    return spent


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
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(asked.store).resolve() if asked.store else small_store(Path(folder))
        environment = {
            "QUIRE_STORE": str(store),
            "QUIRE_CACHE": str(Path(folder) / "cache"),
            "QUIRE_API_KEY": KEY,
        }
        root = unpacked()
        figures = {
            "imports, CPU ms": imports(root),
            "cold, CPU ms, each line includes those above": cold(
                root, store, asked.collection, asked.starts, environment
            ),
            "cold from S3, CPU ms": cold_from_s3(root, store, asked.collection, asked.starts),
            "warm, CPU ms": warm(root, store, asked.collection, asked.rounds, environment),
        }
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
