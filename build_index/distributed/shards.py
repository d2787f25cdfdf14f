"""The steps of a build in shards: plan, shard, merge. All that they know of each other lies in the object store.

collections/<name>/shards/packs/<sha256>.jsonl   documents, immutable
collections/<name>/shards/segments/<digest>/...  a pack's segment, immutable
collections/<name>/shards/done/<inputs>.json     which segment came of a pack: written last, and once
collections/<name>/shards/plans/<execution>.json the items of an execution, where an engine reads them from the store

`inputs` is the digest of all that decides a shard's bytes, so whoever makes the same shard again (a retry, a late
worker, next week's build) finds the record, or loses the race for it and uses what won.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from build_index.cache.inputs import digest_code
from build_index.cache.prepared import PreparedDocuments, admit_all
from build_index.cache.store import ContentStore
from build_index.cache.vectors import CachedVectors
from build_index.distributed.packs import MEAN_CHUNKS, cut_packs, read_pack
from build_index.pipeline.ingest import Parts, withheld_of
from build_index.pipeline.plan import BuildPlan, Tools
from build_index.pipeline.readers import reader
from build_index.scan.poison import open_scan
from build_index.sources import Documents, Failure
from quire.canonical_json import canonical_json, json_sha256
from quire.documents import Document
from quire.errors import ConfigError, SourceError, SwapConflict
from quire.index.layout import Manifest
from quire.index.reader import Segment, open_segment
from quire.index.writer import MOST_CHUNKS, KeptRows, SegmentFacts, write_build, write_segment
from quire.ingestion.rows import index_analyzed, source_key
from quire.ports import ObjectStore
from quire.profiles import profile_named
from quire.store.keys import collection_key, fetch_segment, upload_segment
from quire.store.retired import delete_under

Item = Mapping[str, Any]
Record = Mapping[str, Any]
OpenWorker = Callable[[], tuple[Tools, ObjectStore]]
"""Opens in a worker what it works with; can be pickled."""


class Engine(Protocol):
    """Where steps run."""

    def map(self, step: Callable[[Item], Record], items: Sequence[Item]) -> Iterator[Record]:
        """What the step gives for each item, in any order. A step that dies is begun again; it may run twice."""


@dataclass(frozen=True, slots=True)
class Sharding:
    """How a build is divided: where its shards lie, who makes them, and how many chunks a pack has on average.

    Packs are smaller where there would be fewer than `wanted`. A build of more chunks than `most_chunks` has several
    segments. `begin` is called before anything is read.
    """

    objects: ObjectStore
    engine: Engine
    open_worker: OpenWorker
    mean_chunks: float = MEAN_CHUNKS
    wanted: int = 1
    most_chunks: int = MOST_CHUNKS
    begin: Callable[[], object] = lambda: None


def plan_shards(
    plan: BuildPlan, documents: Documents, tools: Tools, failures: list[Failure], *, sharding: Sharding
) -> list[dict[str, Any]]:
    """Store every pack and list the items of `make_shard`; files that cannot be read go to `failures`."""
    items = []
    quarantine = plan.options.get("quarantine")
    packs = cut_packs(_readable(documents, failures), sharding.mean_chunks, wanted=sharding.wanted)
    for data, chunks in packs:
        pack = hashlib.sha256(data).hexdigest()
        made_by = [plan.profile.name, list(plan.profile.filters), tools.embedder.digest, quarantine]
        inputs = json_sha256([pack, digest_code(), made_by])
        if sharding.objects.read(done_key(plan.name, inputs)) is None:
            _write_once(sharding.objects, _pack_key(plan.name, pack), data)
        asked = {} if quarantine is None else {"quarantine": quarantine}
        items.append(
            {
                "collection": plan.name,
                "profile": plan.profile.name,
                "pack": pack,
                "inputs": inputs,
                "options": asked,
                "chunks": chunks,
                "code": digest_code(),
                "model": tools.embedder.digest,
            }
        )
    build = json_sha256(sorted(str(item["inputs"]) for item in items))
    return [{**item, "build": build} for item in items]


def _readable(documents: Documents, failures: list[Failure]) -> Iterator[Document]:
    for one in documents:
        if isinstance(one, Failure):
            failures.append(one)
        else:
            yield one


def warm_up(open_worker: OpenWorker) -> None:
    """Do in a worker what its first shard would wait for."""
    open_worker()
    reader().start(1)


def make_shard(open_worker: OpenWorker, item: Item) -> Record:
    """Cut, scan, embed and write one pack, unless that was done; gives the record of it.

    Raises:
        SourceError: the pack is not in the store.
        ConfigError: this worker has other code, or another model, than who planned the build.
    """
    tools, objects = open_worker()
    for what, here in (("code", digest_code()), ("model", tools.embedder.digest)):
        if item[what] != here:
            raise ConfigError(
                f"shard: wanted {what} {item[what][:12]}, found {here[:12]}; deploy what builds"
            )
    done = objects.read(done_key(item["collection"], item["inputs"]))
    if done is not None:
        return dict(json.loads(done.data))
    pack = objects.read(_pack_key(item["collection"], item["pack"]))
    if pack is None:
        raise SourceError(f"{item['collection']}: pack {item['pack']}: not in the store", path=item["pack"])
    tools.cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="shard-", dir=tools.cache) as work:
        manifest, told = _write_shard(item, read_pack(pack.data), tools, Path(work))
        prefix = _segment_key(item["collection"], manifest.digest)
        upload_segment(objects, prefix, Path(work) / "segment", manifest)
    record = {"inputs": item["inputs"], "pack": item["pack"], "segment": manifest.digest, **told}
    return _write_once(objects, done_key(item["collection"], item["inputs"]), canonical_json(record))


def _write_shard(
    item: Item, documents: Iterable[Document], tools: Tools, work: Path
) -> tuple[Manifest, dict[str, Any]]:
    profile = profile_named(item["profile"])
    failures: list[Failure] = []
    scan = open_scan(item["options"])
    with closing(ContentStore(tools.cache)) as known, closing(ContentStore(work)) as made:
        prepared = PreparedDocuments(made, item["collection"])  # not kept: what is small stays in memory
        vectors = CachedVectors(tools.embedder, known)
        tokens_before = vectors.tokens  # of the shards that this worker made before
        entries = list(admit_all(documents, prepared, failures, lambda *_: None, processes=1))
        parts = Parts(entries, known, prepared, withheld_of(entries, prepared, scan), scan.policy)
        facts = SegmentFacts(
            profile.name, profile.face, profile.filters, tools.embedder.dimensions, tools.embedder.digest
        )
        rows = index_analyzed(parts.chunks(entries), profile, vectors)
        manifest = write_segment(work / "segment", rows, facts, vector_index="exact")
    told = {
        "chunks": manifest.counts.chunks,
        "failures": [asdict(one) for one in failures],
        "poison": scan.as_notes(),
        "cached": vectors.hits,
        "embedded": vectors.misses,
        "tokens": vectors.tokens - tokens_before,
    }
    return manifest, told


def done_shards(items: Iterable[Item], objects: ObjectStore) -> dict[str, Record]:
    """The records that are there, by the inputs of their shards."""
    found = {}
    for item in items:
        done = objects.read(done_key(item["collection"], item["inputs"]))
        if done is not None:
            found[str(item["inputs"])] = json.loads(done.data)
    return found


def run_shards(items: Iterable[Item], sharding: Sharding) -> Iterator[Record]:
    """The record of every shard, made where the engine likes to; large ones first, so that all end together."""
    left = sorted(items, key=lambda item: -item["chunks"])
    return sharding.engine.map(partial(make_shard, sharding.open_worker), left) if left else iter(())


def merge_shards(
    folder: Path,
    records: Iterable[Record],
    facts: SegmentFacts,
    *,
    place: tuple[ObjectStore, str, Path],
    vector_index: str,
    most_chunks: int = MOST_CHUNKS,
) -> Manifest:
    """Write into `folder` the segment that the shards are parts of: the bytes of a build by one process.

    Beyond `most_chunks` there are several, see `quire.index.writer.write_build`. `place` has the store, the collection,
    and a folder for shards that are fetched.
    """
    shards = [_open_shard(place, str(record["segment"])) for record in records]
    every = [
        KeptRows(one, np.arange(one.chunk_count, dtype=np.uint32), source_key)
        for one in shards
        if one.chunk_count
    ]
    return write_build(folder, every, facts, vector_index=vector_index, most_chunks=most_chunks)


def _open_shard(place: tuple[ObjectStore, str, Path], digest: str) -> Segment:
    objects, name, fetched = place
    prefix = _segment_key(name, digest)
    folder = objects.local_path(prefix) or fetched / digest
    if not folder.exists():
        fetch_segment(objects, prefix, digest, folder)
    return open_segment(folder, digest)


def sweep_shards(objects: ObjectStore, name: str, used: Iterable[Record], fetched: Path) -> None:
    """Remove the shards that the build which just ended did not use; packs and plans are not needed any more."""
    records = list(used)
    done = {f"{record['inputs']}.json" for record in records}
    segments = {f"{record['segment']}/" for record in records}
    for folder, kept in (
        ("done/", done),
        ("packs/", set[str]()),
        ("plans/", set[str]()),
        ("segments/", segments),
    ):
        prefix = _shards_key(name) + folder
        for key in set(objects.list(prefix)) - kept:
            if key.endswith("/"):
                delete_under(objects, prefix + key)
            else:
                objects.delete(prefix + key)
    shutil.rmtree(fetched, ignore_errors=True)


def _write_once(objects: ObjectStore, key: str, data: bytes) -> Record:
    """Write the object unless it is there; gives what is there now, where it is JSON."""
    try:
        objects.write(key, data, if_absent=True)
    except SwapConflict:
        stored = objects.read(key)
        data = stored.data if stored else data
    return dict(json.loads(data)) if key.endswith(".json") else {}


def _shards_key(name: str) -> str:
    return collection_key(name) + "shards/"


def _pack_key(name: str, pack: str) -> str:
    return f"{_shards_key(name)}packs/{pack}.jsonl"


def _segment_key(name: str, digest: str) -> str:
    return f"{_shards_key(name)}segments/{digest}/"


def done_key(name: str, inputs: str) -> str:
    """Where a shard's record lies; the folder of all records for ""."""
    return f"{_shards_key(name)}done/" + (f"{inputs}.json" if inputs else "")


def plan_key(name: str, execution: str) -> str:
    """Where the items of an execution lie."""
    return f"{_shards_key(name)}plans/{execution}.json"
