"""Indexes one folder of code for a server or the user's CLI, as a process of its own.

`python -m build_index.pipeline.folder_job` reads an order as JSON from standard input and writes what became of it as
JSON to standard output. A process of its own keeps the caller quick and small, and one that is killed leaves what is
served as it was. Neither guard nor gate judges it: who asks wants the folder as it is now, and reads in the reply what
changed.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from build_index.cache.last_build import hold_cache, lock_file, record_of
from build_index.cache.prepared import chunks_of
from build_index.cache.questions import COMMON, questions_of
from build_index.cache.store import VECTORS, ContentStore
from build_index.pipeline.file_ledger import (
    UNREADABLE,
    KnownFiles,
    Ledger,
    Order,
    Root,
    count_changes,
    read_digests,
    roots_of,
)
from build_index.pipeline.ingest import clear
from build_index.pipeline.pipeline import BuildReport, build
from build_index.pipeline.plan import BuildPlan, Tools
from build_index.pipeline.readers import start_readers
from build_index.progress import say
from build_index.sources import Failure
from build_index.sources.files.selection import DEFAULT_EXCLUDE, Excluded
from build_index.wiring import open_store, open_tools, settings
from quire.collections import check_name
from quire.errors import ArtifactCorrupt, BuildInProgress, QuireError, StoreError, UnknownCollection
from quire.folders import demand_readable
from quire.index.opened import OpenedIndex
from quire.ports import Embedder, Vectors, WordList
from quire.profiles import profile_named
from quire.store.store import SegmentStore

REFUSED = 2
_SPECIAL = re.compile(r"[\\*?\[\]!# ]")
"""What a glob of `.gitignore` reads otherwise than it stands."""


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """What became of an order.

    Attributes:
        files, chunks: in the index that is served now.
        changed: files that are new, different or gone since the last build, without those that nothing is indexed of.
        embedded: passages that the model embedded; the others were kept from earlier builds.
        tokens, embedding_s: what the model read, and how long it took.
        seconds: of the whole job.
        failed: files that could not be read, with the reason.
        excluded, left_out: how many files were left out, and the first paths of them, by reason.
        roots: the folders that the collection holds.
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
    left_out: Mapping[str, Sequence[str]] | None = None
    roots: tuple[str, ...] = ()


def run_order(order: Order, store: SegmentStore, opening: Callable[[], Tools], cache: Path) -> JobOutcome:
    """Index the folder and serve it; `opening` opens the tools, where there is something to do.

    Raises:
        BuildInProgress: another build of the collection is running.
        SourceError: nothing in the folder could be read.
    """
    started = time.perf_counter()
    order = _without_own(order, cache)
    excluded = Excluded()
    ledger = Ledger(cache, order.collection)
    known = ledger.read(_served_version(store, order.collection))
    if not known.digests:  # the first build of it: what reads its files starts while they are counted
        start_readers()
    roots = roots_of(order, known.roots or _served_roots(store, order))
    for one in roots:
        demand_readable(Path(one.folder))
    digests = read_digests(roots, excluded)
    before = known.digests
    changed = count_changes(before, digests)
    if not before:
        start_readers(len(digests))
    is_same = roots == known.roots and not changed and UNREADABLE not in digests.values()
    if order.incremental and before and is_same and _is_sound(store, order.collection):
        outcome, by_content, named = _unchanged(order, store, known.failed), known.by_content, known.named
    else:
        tools = opening()
        timed = _TimedEmbedder(tools.embedder)
        report = _build(order, roots, replace(tools, embedder=timed), store)
        outcome = replace(_built(report), embedding_s=timed.seconds)
        by_content = Counter(report.ingested.excluded) - excluded.reasons
        named = {reason: report.ingested.left_out.get(reason, ()) for reason in by_content}
        unread = _unread(store.open(order.collection), roots, digests)
        now = KnownFiles(digests, by_content, named, roots, outcome.failed, tuple(unread))
        ledger.write(outcome.version, now)
        outcome = replace(outcome, changed=count_changes(known.indexed(), now.indexed()))
    return replace(
        outcome,
        seconds=time.perf_counter() - started,
        excluded=dict(excluded.reasons + Counter(by_content)),
        left_out={**excluded.paths, **named},
        roots=tuple(one.folder for one in roots),
    )


def _without_own(order: Order, cache: Path) -> Order:
    """The order without the store and the cache, where they lie in its folder: what a build writes is none of it."""
    root = Path(order.root).resolve()
    store = order.store or settings().store
    places = [Path(one).resolve() for one in (store, cache) if "://" not in str(one)]
    inside = [place.relative_to(root) for place in places if root in place.parents]
    own = [
        _SPECIAL.sub(r"\\\g<0>", one.as_posix()) for one in inside if not {*one.parts} & {*DEFAULT_EXCLUDE}
    ]
    return replace(order, exclude=(*order.exclude, *(f"/{one}/" for one in own)))


class _TimedEmbedder:
    """An embedder that adds up the seconds spent on passages."""

    def __init__(self, embedder: Embedder) -> None:
        self.seconds = 0.0
        self.dimensions = embedder.dimensions
        self.digest = embedder.digest
        self.embed = embedder.embed
        self._embedder = embedder
        if isinstance(embedder, WordList):  # questions of a build are read as serving reads them
            self.has_word = embedder.has_word

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


def _served_roots(store: SegmentStore, order: Order) -> list[Root]:
    """The folders that manifests name, where nobody kept which of their files are wanted."""
    if not order.add or not _served_version(store, order.collection):
        return []
    served = store.open(order.collection).sources
    folders = {str(Path(one.location).resolve()) for one in served if one.key == "repository"}
    return [Root(folder, order.patterns, order.exclude) for folder in folders]


def _is_sound(store: SegmentStore, name: str) -> bool:
    """Whether every byte of what is served is there; a build says what is not, and replaces it."""
    try:
        store.manifests(store.pointer(name), checked=True)
    except ArtifactCorrupt:
        return False
    return True


def _unchanged(order: Order, store: SegmentStore, failed: Sequence[tuple[str, str]]) -> JobOutcome:
    index = store.open(order.collection)
    for one in failed:  # as the build said of them that met them
        say(f"failed: {Failure(*one)}")
    store.confirm(order.collection, index.manifests[0].digest)
    files = sum(manifest.counts.documents for manifest in index.manifests)
    return JobOutcome(index.version, files, index.chunk_count, failed=tuple(failed))


def _build(order: Order, roots: Sequence[Root], tools: Tools, store: SegmentStore) -> BuildReport:
    plan = BuildPlan(
        name=check_name(order.collection),
        profile=profile_named("code"),
        sources=tuple(("repository", one.folder) for one in roots),
        options={"wanted": {one.folder: [one.patterns, one.exclude] for one in roots}},
    )
    if not order.clean:
        return build(plan, tools, store)
    tools.cache.mkdir(parents=True, exist_ok=True)
    with (
        hold_cache(tools.cache, plan.name),  # `_keep_built` replaces what is there
        tempfile.TemporaryDirectory(dir=tools.cache, prefix="clean-") as fresh,
    ):
        with closing(ContentStore(Path(fresh))) as empty:
            empty.take(tools.cache, [COMMON])
        report = build(plan, replace(tools, cache=Path(fresh)), store, anew=True)
        _keep_built(Path(fresh), tools.cache, plan.name, store)
    return report


def _keep_built(fresh: Path, cache: Path, name: str, store: SegmentStore) -> None:
    """Keep the vectors, and let the next build begin from the clean one, unless another one is at work by now."""
    with closing(ContentStore(cache)) as kept:
        kept.take(fresh, [VECTORS, COMMON])
    try:
        with store.lock(name), closing(kept):
            kept.retain(record_of(name), ())
            kept.take(fresh, [chunks_of(name), record_of(name)])
            target = cache / "built" / name
            target.parent.mkdir(exist_ok=True)
            shutil.rmtree(target, ignore_errors=True)
            (fresh / "built" / name).replace(target)
    except BuildInProgress:
        return  # that build leaves its own


def forget(cache: Path, name: str, segments: Iterable[str] = ()) -> None:
    """Remove from the cache what builds keep of a collection's texts; vectors stay, by content, for any collection.

    The caller has `hold_cache`: a build of that name into another store may be writing what is removed here. `segments`
    are digests of those that the store held, which were fetched where that is a bucket.
    """
    Ledger(cache, name).forget()
    with closing(ContentStore(cache)) as kept:
        for kind in (chunks_of(name), record_of(name), questions_of(name)):
            kept.retain(kind, ())
        with suppress(StoreError):  # a build of another collection writes there, or the disk is full
            kept.compact()
    clear(cache / "built" / f".{name}.next")
    folders = [f"{place}/{one}" for place in ("segments", "store/segments") for one in segments]
    for folder in (f"built/{name}", f"shards/{name}", *folders, *(f"{one}.tables" for one in folders)):
        shutil.rmtree(cache / folder, ignore_errors=True)
    (cache / "reports" / f"{name}.json").unlink(missing_ok=True)
    lock_file(cache, name).unlink(missing_ok=True)


def _unread(index: OpenedIndex, roots: Sequence[Root], paths: Collection[str]) -> list[str]:
    """Those of the files that nothing is indexed of; of several folders ids begin with the folder's name."""
    unread = []
    for root in roots:
        prefix = f"{Path(root.folder).resolve().name}/" if len(roots) > 1 else ""
        below = f"{Path(root.folder)}/".replace("//", "/")
        unread += [
            path
            for path in paths
            if path.startswith(below) and not len(index.documents.chunks(prefix + path[len(below) :]))
        ]
    return unread


def _built(report: BuildReport) -> JobOutcome:
    done = report.ingested
    assert report.published is not None
    return JobOutcome(
        version=report.published.version,
        files=done.manifest.counts.documents,
        chunks=done.manifest.counts.chunks,
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
