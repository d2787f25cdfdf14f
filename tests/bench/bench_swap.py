"""A real index swapped under load: `python -m tests.bench.bench_swap --store DIR [--other DIR] [--collection roblox]`.

With `--bucket` the store that serves is a bucket of moto's, so that a new version has to be fetched first.

Serves the version before while eight clients ask, publishes the one that `--store` serves, rolls back, and prints
errors, answers of mixed versions, and how long after the swap the old version was still heard of. The version before is
the one that `--other` serves, else the one published before in `--store`; `--before` names another collection of it, to
be published under the same name. Neither store is written to.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import boto3

from build_index.release.publishing import ReleaseTarget, roll_back
from quire.adapters.folder import FolderStore
from quire.adapters.s3 import S3Store
from quire.index.layout import Pointer
from quire.index.reader import open_segment
from quire.store.keys import segment_key
from quire.store.store import SegmentStore
from tests.bench.bench_http import QUESTIONS
from tests.support.aws import BOTO, CREDENTIALS, bucket_of, free_port, moto_server, served
from tests.support.swarm import CLIENTS, Swarm
from tests.support.tree import CORE, ROOT

REFRESH_S = 1.0


def opened(folder: Path, cache: Path) -> ReleaseTarget:
    """The store in a folder."""
    objects = FolderStore(folder)
    return ReleaseTarget(objects, SegmentStore(objects, cache))


def publish(place: ReleaseTarget, source: ReleaseTarget, pointer: Pointer, name: str) -> Pointer:
    """Publish another store's version here under that name, as a build does: its one segment, then the pointer."""
    [ref] = [one for one in pointer.segments if one.origin == "build"]
    folder = source.objects.local_path(segment_key(pointer.collection, ref.digest))
    assert folder is not None
    return place.store.publish(name, folder, open_segment(folder).manifest, label=pointer.label)


def measure(
    work: Path, asked: argparse.Namespace, place: ReleaseTarget, serving: dict[str, str]
) -> dict[str, Any]:
    """Everything, as a table. `serving` are variables of the server, which reads `place`."""
    store, collection, seconds = Path(asked.store).resolve(), asked.collection, asked.seconds
    source = opened(store, work / "a")
    current, *older = source.store.versions(collection)
    before_of = opened(asked.other, work / "b") if asked.other else source
    is_older = not asked.other and asked.before is None
    before = older[0] if is_older else before_of.store.pointer(asked.before or collection)
    for model in (store / "models").iterdir():
        place.store.put_model(model)
    old = publish(place, before_of, before, collection)
    port = free_port()
    command = (sys.executable, "-m", "uvicorn", "functions.local:app", "--port", str(port), "--no-access-log")
    environment = {
        "PYTHONPATH": f"{ROOT / CORE}{os.pathsep}{ROOT}",
        **serving,
        "QUIRE_CACHE": str(work / "serving"),
        "QUIRE_COLLECTIONS": os.devnull,
        "QUIRE_REFRESH_S": str(REFRESH_S),
    }
    questions = [("/query", {"collection": collection, "q": one}) for one in QUESTIONS]
    with (
        served(command, f"http://127.0.0.1:{port}/health", environment, ROOT) as url,
        Swarm(url.removesuffix("/health"), questions) as swarm,
    ):
        swarm.wait_for(50)
        quiet = time.monotonic()
        time.sleep(seconds)
        new = publish(place, source, current, collection)
        published = time.monotonic()
        time.sleep(seconds)
        rolling_back = time.monotonic()
        back = roll_back(place, collection, old.version)
        rolled_back = time.monotonic()
        time.sleep(seconds)
    return {
        "versions": [f"{one.version} ({one.label})" for one in (old, new, back)],
        "clients": CLIENTS,
        "answers": len(swarm.seen),
        "errors": len(swarm.errors()),
        "mixed": len(swarm.mixed()),
        "refresh interval, s": REFRESH_S,
        "old version last asked after the swap, s": round(
            swarm.lag_s(published, new.version, rolling_back), 2
        ),
        "old version last asked after the rollback, s": round(swarm.lag_s(rolled_back, back.version), 2),
        "slowest / median before": swarm.slowest_times(quiet, published),
        "slowest / median of the swap": swarm.slowest_times(published, rolling_back),
        "slowest / median of the rollback": swarm.slowest_times(rolling_back),
        "p99 ms before": round(swarm.p99_ms(quiet, published), 1),
        "p99 ms in the interval after the swap": round(swarm.p99_ms(published, published + 2 * REFRESH_S), 1),
    }


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", type=Path, default=os.environ.get("QUIRE_STORE"), required=False)
    parser.add_argument("--other", type=Path)
    parser.add_argument("--collection", default="roblox")
    parser.add_argument(
        "--before", help="a collection whose version is published first, under the name of the other"
    )
    parser.add_argument("--bucket", action="store_true", help="serve from a bucket of moto's")
    parser.add_argument("--seconds", type=float, default=4.0)
    asked = parser.parse_args()
    if asked.store is None:
        sys.stdout.write("bench_swap: wanted --store DIR or QUIRE_STORE: a store with two versions\n")
        return
    with ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if asked.bucket:
            url = stack.enter_context(moto_server())
            objects = S3Store(boto3.client("s3", endpoint_url=url, **BOTO), bucket_of(url))
            place = ReleaseTarget(objects, SegmentStore(objects, work / "c"))
            serving = {**CREDENTIALS, "AWS_ENDPOINT_URL": url, "QUIRE_STORE": f"s3://{bucket_of(url)}"}
        else:
            place, serving = opened(work / "store", work / "c"), {"QUIRE_STORE": str(work / "store")}
        figures = measure(work, asked, place, serving)
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
