"""A build in shards that tests kill: `python -m tests.support.killed_shards ROOT BOOK` prints its segment's digest.

With a scheduler's address behind that a Dask cluster makes the shards. Workers leave a file of their process's number
each, and take their time with every passage.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from build_index.distributed.engines import DaskEngine, LocalEngine
from build_index.distributed.sharded import ingest_in_shards
from build_index.distributed.shards import Sharding
from build_index.pipeline.pipeline import build
from build_index.pipeline.plan import BuildPlan, Tools
from quire.adapters.folder import FolderStore
from quire.ports import ObjectStore, Vectors
from quire.profiles import profile_named
from quire.store.store import SegmentStore
from tests.support.fakes import HashingEmbedder

MEAN_CHUNKS, PASSAGE_S = 2, 0.03


class SlowEmbedder(HashingEmbedder):
    """The same vectors, so that there is time to kill who makes them."""

    def embed_passages(self, passages: Iterable[tuple[str, str]]) -> Iterator[Vectors]:
        for one in super().embed_passages(passages):
            time.sleep(PASSAGE_S)
            yield one


def open_worker(root: Path) -> tuple[Tools, ObjectStore]:
    """What a worker works with."""
    (root / "workers").mkdir(parents=True, exist_ok=True)
    (root / "workers" / str(os.getpid())).touch()
    return Tools(SlowEmbedder(), root, root / "cache"), FolderStore(root / "store")


def main(root: Path, book: Path, *scheduler: str) -> None:
    """Build it by two workers, or by a cluster; whatever was killed before is taken up."""
    objects = FolderStore(root / "store")
    plan = BuildPlan("book", profile_named("docs"), (("docs", str(book)),))
    sharding = Sharding(objects, _engine(*scheduler), partial(open_worker, root), MEAN_CHUNKS)
    write = partial(ingest_in_shards, sharding=sharding)
    tools = Tools(HashingEmbedder(), root, root / "cache")
    report = build(plan, tools, SegmentStore(objects, root / "fetched"), publish=False, write=write)
    print(report.ingested.manifest.digest)


def _engine(*scheduler: str) -> DaskEngine | LocalEngine:
    if scheduler:
        return DaskEngine(*scheduler)
    engine = LocalEngine(2)
    engine.fork()  # as the command does; who follows a killed worker comes from a fork server
    return engine


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
