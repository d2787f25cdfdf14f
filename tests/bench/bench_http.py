"""CPU time of a question through the Lambda handler, beside its parts: what the frame costs beyond the search.

    python -m tests.bench.bench_http [--store DIR] [--collection roblox] [--rounds 400]

Without a store a small collection is indexed first. Parts take turns within each round, so that what else runs on the
machine falls on all alike; figures are medians of CPU time on one thread.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from functions.app.wiring import lambda_app
from functions.aws.lambda_adapter import LambdaHandler
from functions.web.faces import QUERY
from functions.web.logs import LOGGER, JsonLines
from quire.adapters.folder import FolderStore
from quire.embedding import open_embedder
from quire.search.retrieval import Query, retrieve
from quire.settings import Settings
from quire.store.store import SegmentStore
from tests.support.corpus import write_corpus
from tests.support.events import LambdaContext, event_v1, event_v2
from tests.support.model import exported_model
from tests.support.tree import ROOT

CACHE = ROOT / ".quire" / "cache"
QUESTIONS = (
    "which event fires when one part touches another part in the world",
    "how fast does a character walk by default and how do I change it",
    "save the coins of a player so that they are there next time",
    "TweenService Create",
)


def small_store(folder: Path) -> Path:
    """A store with the small corpus as `roblox`, embedded by the real model."""
    manifest = write_corpus(folder / "segment", open_embedder(exported_model()))
    SegmentStore(FolderStore(folder / "store"), CACHE).publish("roblox", folder / "segment", manifest)
    return folder / "store"


def cpu_ms(work: Callable[[], object]) -> float:
    """CPU time of the process for one call."""
    began = time.process_time_ns()
    work()
    return (time.process_time_ns() - began) / 1e6


def measure(store: Path, collection: str, rounds: int) -> dict[str, Any]:
    """Medians in milliseconds, by part."""
    LOGGER.addHandler(JsonLines(io.StringIO()))
    app = lambda_app(Settings(store=str(store), cache=CACHE, collections_file=Path(os.devnull)), [QUERY])
    handler, service, context = LambdaHandler(app), app.state.service, LambdaContext()
    served = service.catalog.get(collection)
    embedder = service._embedder_of(served.model)
    parts: dict[str, list[float]] = {}
    for number in range(rounds + 20):
        text = QUESTIONS[number % len(QUESTIONS)]
        roblox, native = {"text": text, "top_k": 5}, {"collection": collection, "q": text, "top_k": 5}
        events = {
            "face v2 event": event_v2("POST", f"/{collection}/query", roblox),
            "face v1 event": event_v1("POST", f"/{collection}/query", roblox),
            "native v2 event": event_v2("POST", "/query", native),
            "health v2 event": event_v2("GET", "/health"),
        }
        work: dict[str, Callable[[], object]] = {
            "forward pass": partial(embedder.embed, [text]),
            "retrieve": partial(retrieve, served.index, embedder, Query(text, 5)),
            **{name: partial(handler, event, context) for name, event in events.items()},
        }
        for name, one in work.items():
            spent = cpu_ms(one)
            if number >= 20:
                parts.setdefault(name, []).append(spent)
    handler.close()
    medians = {name: round(statistics.median(values), 3) for name, values in parts.items()}
    return medians | {
        "frame beyond retrieve": round(medians["face v2 event"] - medians["retrieve"], 3),
        "face beyond forward pass": round(medians["face v2 event"] - medians["forward pass"], 3),
        "chunks": served.index.chunk_count,
    }


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--collection", default="roblox")
    parser.add_argument("--rounds", type=int, default=400)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = asked.store or small_store(Path(folder))
        print(json.dumps(measure(store, asked.collection, asked.rounds), indent=1))


if __name__ == "__main__":
    main()
