"""Builds of several segments that kill themselves, each in a process of its own.

A process ends by SIGKILL just before the call of that number, from 1, that would change the store; 0 lets it publish.
`python -m tests.support.killed_publish` takes a line of JSON for each build, `[root, book, call]`, and answers with
one: exit code and what was printed. It makes those of call 0 itself and forks for the others, which so find imported
what two thirds of their time would go to.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

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
from tests.support.model import asking_few
from tests.support.tree import CORE, ROOT

MEAN_CHUNKS, MOST_CHUNKS = 4, 10
MOST_S = 120  # for one build


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


class Ended(NamedTuple):
    """How a build ended: below 0 by the signal of that number."""

    returncode: int
    stdout: str


class Publisher:
    """The process that builds are asked of."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def publish(self, root: Path, book: Path, call: int = 0) -> Ended:
        """Build the pages; what was printed is the version and how many calls there were."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([str(root), str(book), call]) + "\n")
        self._process.stdin.flush()
        if not select.select([self._process.stdout], [], [], MOST_S)[0]:
            self._process.kill()  # or the end of the block would wait for it
            raise TimeoutError(f"the build killed at call {call} did not end within {MOST_S} s")
        return Ended(*json.loads(self._process.stdout.readline()))


@contextmanager
def publisher() -> Iterator[Publisher]:
    """A publisher while the block runs."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join((str(ROOT / CORE), str(ROOT)))}
    command = (sys.executable, "-m", "tests.support.killed_publish")
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Publisher(process)


def build_book(root: Path, book: Path, call: int) -> str:
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
    return f"{report.published.version} {1_000_000 - objects.left}"


def forked(root: Path, book: Path, call: int) -> Ended:
    """Build in a process that begins as a copy of this one."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(write, sys.stdout.fileno())
        print(build_book(root, book, call), flush=True)
        sys.exit()
    os.close(write)
    with os.fdopen(read) as told:
        said = told.read()
    return Ended(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said)


def main() -> None:
    """Answer until nobody asks any more."""
    with asking_few():
        for line in sys.stdin:
            root, book, call = json.loads(line)
            folder, source = Path(root), Path(book)
            how = forked(folder, source, call) if call else Ended(0, build_book(folder, source, call))
            print(json.dumps(how), flush=True)


if __name__ == "__main__":
    main()
