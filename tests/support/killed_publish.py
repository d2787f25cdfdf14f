"""A build of several segments that kills itself: `python -m tests.support.killed_publish ROOT BOOK CALL`.

The process ends by SIGKILL just before the call of that number, from 1, that would change the store; 0 lets it publish,
and then prints the version.
"""

from __future__ import annotations

import os
import signal
import sys
from functools import partial
from pathlib import Path

from build_index.distributed.sharded import ingest_in_shards
from build_index.distributed.shards import Sharding
from build_index.pipeline.pipeline import build
from build_index.pipeline.plan import BuildPlan, Tools
from quire.adapters.folder import FolderStore
from quire.profiles import profile_named
from quire.store.store import SegmentStore
from tests.build_index.distributed.test_several_segments import write_facts
from tests.build_index.distributed.test_shards import InTurn
from tests.support.fakes import HashingEmbedder

MEAN_CHUNKS, MOST_CHUNKS = 4, 10


class DyingStore(FolderStore):
    """A folder whose user is killed before the call of that number that changes it."""

    def __init__(self, folder: Path, call: int) -> None:
        super().__init__(folder)
        self.left = call

    def write(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        self._live()
        return super().write(key, data, if_match=if_match, if_absent=if_absent)

    def put_file(self, key: str, path: Path, sha256: str) -> None:
        self._live()
        super().put_file(key, path, sha256)

    def delete(self, key: str) -> None:
        self._live()
        super().delete(key)

    def _live(self) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def main(root: Path, book: Path, call: int) -> None:
    """Build the pages into several segments, and serve them."""
    objects = DyingStore(root / "store", call)
    embedder = HashingEmbedder()
    root.mkdir(exist_ok=True)
    write_facts(root, embedder)
    tools = Tools(embedder, root, root / "cache")
    sharding = Sharding(objects, InTurn(), lambda: (tools, objects), MEAN_CHUNKS, most_chunks=MOST_CHUNKS)
    plan = BuildPlan("book", profile_named("docs"), (("docs", str(book)),))
    write = partial(ingest_in_shards, sharding=sharding)
    report = build(plan, tools, SegmentStore(objects, root / "fetched"), write=write)
    assert report.published is not None
    print(report.published.version, 1_000_000 - objects.left)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
