"""Indexes one folder of code for a server or the user's CLI, as a process of its own.

`python -m build_index.folder_job` reads an order as JSON from standard input and writes what became of it as JSON to
standard output. A process of its own keeps the caller quick and small, and one that is killed leaves what is served as
it was. Neither guard nor gate judges it: who asks wants the folder as it is now, and reads in the reply what changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from build_index.pipeline import BuildReport, build
from build_index.plan import BuildPlan, Tools
from build_index.sources.file_selection import Excluded, as_selection, select_files
from build_index.workshop import open_store, open_tools, settings
from quire import __version__
from quire.artifact.store import SegmentStore
from quire.collections import check_name
from quire.errors import QuireError, UnknownCollection
from quire.ports import Embedder, Vectors
from quire.profiles import profile_named

REFUSED = 2
VECTORS = "vectors.sqlite"
TABLE = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, data BLOB) WITHOUT ROWID"


@dataclass(frozen=True, slots=True)
class Order:
    """What to index.

    Attributes:
        collection: its name.
        root: the folder.
        store: folder or bucket of the collections; "" means the process's own setting.
        patterns: globs of the files to take; empty takes every known kind of file.
        exclude: globs to leave out, on top of the usual ones.
        clean: embed everything again, whatever earlier builds kept.
        incremental: do nothing where no file changed since the build that is served.
    """

    collection: str
    root: str
    store: str = ""
    patterns: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    clean: bool = False
    incremental: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an order.

    Attributes:
        files, chunks: in the index that is served now.
        changed: files that are new, different or gone since the last build; all of them at the first.
        embedded: passages that the model embedded; the others were kept from earlier builds.
        tokens, embedding_s: what the model read, and how long it took.
        seconds: of the whole job.
        failed: files that could not be read, with the reason.
        excluded: how many files were left out, by reason.
    """

    version: str
    files: int
    chunks: int
    changed: int = 0
    embedded: int = 0
    tokens: int = 0
    embedding_s: float = 0.0
    seconds: float = 0.0
    failed: tuple[tuple[str, str], ...] = ()
    excluded: Mapping[str, int] | None = None


def run_order(order: Order, store: SegmentStore, workshop: Callable[[], Tools], cache: Path) -> Outcome:
    """Index the folder and serve it; `workshop` opens the tools, where there is something to do.

    Raises:
        BuildInProgress: another build of the collection is running.
        SourceError: nothing in the folder could be read.
    """
    started = time.perf_counter()
    excluded = Excluded()
    digests = read_digests(order, excluded)
    ledger = Ledger(cache, order)
    known = ledger.read(_served_version(store, order.collection))
    changed = sum(digests.get(path) != known.get(path) for path in digests.keys() | known.keys())
    if order.incremental and known and not changed:
        outcome = _unchanged(order, store)
    else:
        tools = workshop()
        timed = _TimedEmbedder(tools.embedder)
        report = _build(order, replace(tools, embedder=timed), store)
        outcome = replace(_built(report, changed), embedding_s=timed.seconds)
        ledger.write(outcome.version, digests)
    return replace(outcome, seconds=time.perf_counter() - started, excluded=dict(excluded.reasons))


def read_digests(order: Order, excluded: Excluded) -> dict[str, str]:
    """The sha256 of every file that the order takes, by its path in the folder."""
    root = Path(order.root)
    selection = as_selection(order.patterns, order.exclude)
    return {path: _digest(root / path) for path in select_files(root, selection, excluded)}


@dataclass(frozen=True, slots=True)
class Ledger:
    """Digests of the files behind the version that is served, kept in the cache folder."""

    cache: Path
    order: Order

    def read(self, version: str) -> dict[str, str]:
        """Digests by path; empty where that version was built of something else, by something else, or elsewhere."""
        try:
            kept = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        digests: dict[str, str] = kept.get("digests", {})
        return digests if version and kept.get("of") == self._identity(version) else {}

    def write(self, version: str, digests: Mapping[str, str]) -> None:
        """Keep the digests; the file appears whole."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        written = self._file.with_suffix(f".{os.getpid()}")
        written.write_text(json.dumps({"of": self._identity(version), "digests": digests}), encoding="utf-8")
        written.replace(self._file)

    @property
    def _file(self) -> Path:
        return self.cache / "files" / f"{self.order.collection}.json"

    def _identity(self, version: str) -> list[Any]:
        order = self.order
        return [version, __version__, order.root, list(order.patterns), list(order.exclude)]


class _TimedEmbedder:
    """An embedder that adds up the seconds spent on passages."""

    def __init__(self, embedder: Embedder) -> None:
        self.seconds = 0.0
        self.dimensions = embedder.dimensions
        self.digest = embedder.digest
        self.embed = embedder.embed
        self._embedder = embedder

    @property
    def tokens(self) -> int:
        return int(getattr(self._embedder, "tokens", 0))

    def embed_passages(self, passages: Sequence[tuple[str, str]]) -> Iterator[Vectors]:
        rows = self._embedder.embed_passages(passages)
        while True:
            began = time.perf_counter()
            row = next(rows, None)
            self.seconds += time.perf_counter() - began
            if row is None:
                return
            yield row


def _served_version(store: SegmentStore, collection: str) -> str:
    try:
        return store.pointer(collection).version
    except UnknownCollection:
        return ""


def _digest(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return ""  # the build reports it


def _unchanged(order: Order, store: SegmentStore) -> Outcome:
    index = store.open(order.collection)
    files = sum(manifest.counts.documents for manifest in index.manifests)
    return Outcome(index.version, files, index.chunk_count)


def _build(order: Order, tools: Tools, store: SegmentStore) -> BuildReport:
    plan = BuildPlan(
        name=check_name(order.collection),
        profile=profile_named("code"),
        sources=(("repository", order.root),),
        options={"patterns": order.patterns, "exclude": order.exclude},
    )
    if not order.clean:
        return build(plan, tools, store)
    tools.cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=tools.cache, prefix="clean-") as fresh:
        report = build(plan, replace(tools, cache=Path(fresh)), store, anew=True)
        _keep_vectors(Path(fresh), tools.cache)
    return report


def _keep_vectors(fresh: Path, cache: Path) -> None:
    """Put the vectors of a clean build in the place of those that were kept."""
    with (
        closing(sqlite3.connect(fresh / VECTORS)) as source,
        closing(sqlite3.connect(cache / VECTORS)) as kept,
    ):
        kept.execute(TABLE)
        rows = source.execute("SELECT key, data FROM vectors")
        kept.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
        kept.commit()


def _built(report: BuildReport, changed: int) -> Outcome:
    done = report.ingested
    assert report.published is not None
    return Outcome(
        version=report.published.version,
        files=done.manifest.counts.documents,
        chunks=done.manifest.counts.chunks,
        changed=changed,
        embedded=int(done.embedding["embedded"]),
        tokens=int(done.embedding["tokens"]),
        failed=tuple((one.path, one.reason) for one in done.failures),
    )


def main() -> int:
    """Read the order, carry it out, print its outcome or its error; exit code 2 where it was refused."""
    order = Order(**json.load(sys.stdin))
    try:
        outcome = run_order(order, open_store(order.store or None), open_tools, settings().cache)
    except QuireError as error:
        json.dump({"error": type(error).__name__, "message": str(error)}, sys.stdout)
        return REFUSED
    json.dump(asdict(outcome), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
