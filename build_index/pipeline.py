"""The build job: read -> ingest -> guard -> evaluate -> publish, one function each."""

from __future__ import annotations

import resource
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from build_index.calibrate import calibrate
from build_index.calibrate_answers import calibrate_answers
from build_index.golden import read_golden
from build_index.inputs import digest_inputs
from build_index.notes import describe_machine
from build_index.poison import open_scan
from build_index.prepared import PreparedDocuments, prepare_all
from build_index.progress import say, track
from build_index.reading import Reading, open_reading
from build_index.sources import Failure
from build_index.vector_cache import CachedVectors
from quire.artifact.layout import MANIFEST, Manifest, Pointer, SegmentFacts, SourceFacts, read_manifest
from quire.artifact.reader import open_segment
from quire.artifact.store import SegmentStore
from quire.artifact.writer import amend_manifest, write_segment
from quire.errors import SourceError, UnknownCollection
from quire.index import OpenedIndex
from quire.ingestion import index_rows
from quire.ports import Embedder
from quire.profiles import Profile

Announce = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """What to build, as the command line and `collections.toml` together say it.

    Attributes:
        name: the collection.
        sources: `(key, location)` pairs; a location is a path, a git URL or a release URL, `@revision` behind it.
        announce: told of each document with how many chunks it gave.
        options: `engine_version`, `base_url`, `exclude`, ... as the profile's sources understand them.
    """

    name: str
    profile: Profile
    sources: tuple[tuple[str, str], ...]
    title: str = ""
    golden: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    announce: Announce = lambda _document, _chunks: None


@dataclass(frozen=True, slots=True)
class Tools:
    """What a build works with: an embedding model in its folder, and a cache folder."""

    embedder: Embedder
    model_folder: Path
    cache: Path


@dataclass(slots=True)
class Ingested:
    """A written segment with what happened on the way. `seconds` are wall-clock, by stage."""

    manifest: Manifest
    folder: Path
    label: str
    failures: list[Failure]
    seconds: dict[str, float]
    embedding: Mapping[str, float]
    excluded: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did; `published` is None where the pointer was left alone."""

    ingested: Ingested
    published: Pointer | None
    cpu_s: float
    peak_memory_mb: float

    def as_json(self) -> dict[str, Any]:
        """The value that `build --json` prints."""
        done = self.ingested
        return {
            "segment": done.manifest.digest,
            "version": self.published.version if self.published else None,
            "label": done.label,
            "documents": done.manifest.counts.documents,
            "chunks": done.manifest.counts.chunks,
            "vectors": done.manifest.counts.vectors,
            "failures": [{"path": one.path, "reason": one.reason} for one in done.failures],
            "excluded": dict(sorted(done.excluded.items())),
            "poison": done.manifest.notes.get("poison", {}),
            "seconds": {name: round(value, 2) for name, value in done.seconds.items()},
            "embedding": dict(done.embedding),
            "cpu_s": round(self.cpu_s, 2),
            "peak_memory_mb": round(self.peak_memory_mb),
        }


def build(
    plan: BuildPlan,
    tools: Tools,
    store: SegmentStore,
    *,
    publish: bool = True,
    anew: bool = False,
    review: Callable[[str, Path], Manifest] | None = None,
) -> BuildReport:
    """Build the collection's segment under its lock, and publish it if the `review` lets it pass.

    Where what is served was made from the same inputs nothing is built, unless `anew` asks for it.

    Raises:
        BuildInProgress: another build of the collection is running.
        PublishRefused: the review refused it; the segment stays in the cache.
        SourceError: a source cannot be fetched, or nothing in it could be read.
    """
    with store.lock(plan.name):
        reading = open_reading(plan.profile.name, plan.sources, tools.cache, plan.options)
        inputs = _digest(plan, reading, tools)
        served = _served_from(store, plan, inputs, tools.cache) if publish and not anew else None
        if served is not None:
            say(f"{plan.name}: nothing changed since version {served[0].version}")
            return _report(_unchanged(served[1], reading), served[0])
        ingested = ingest(plan, reading, tools, inputs)
        if publish and review is not None:
            ingested.manifest = review(plan.name, ingested.folder)
        pointer = _publish(plan, ingested, tools, store) if publish else None
    return _report(ingested, pointer)


def _report(ingested: Ingested, pointer: Pointer | None) -> BuildReport:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return BuildReport(ingested, pointer, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def _digest(plan: BuildPlan, reading: Reading, tools: Tools) -> str:
    settings = [
        plan.profile.name,
        [key for key, _ in plan.sources],
        dict(plan.options),
        tools.embedder.digest,
    ]
    golden = [Path(plan.golden)] if plan.golden else []
    return digest_inputs(settings, reading.folders, golden)


def _served_from(
    store: SegmentStore, plan: BuildPlan, inputs: str, cache: Path
) -> tuple[Pointer, Manifest] | None:
    """What is served now, where a build without a failed file made it from exactly these inputs.

    The cache's copy counts too: a segment that was stored before keeps the notes of the build that stored it.
    """
    try:
        pointer = store.pointer(plan.name)
    except UnknownCollection:
        return None
    built = cache / "built" / plan.name / MANIFEST
    manifests = [*store.open(plan.name).manifests]
    if built.exists():
        manifests.append(read_manifest(built.read_bytes()))
    served = {ref.digest for ref in pointer.segments}
    for manifest in manifests:
        same = manifest.notes.get("inputs") == inputs and not manifest.notes.get("failures")
        if same and manifest.digest in served:
            return pointer, manifest
    return None


def _unchanged(manifest: Manifest, reading: Reading) -> Ingested:
    return Ingested(manifest, Path(), reading.label, [], {}, {})


def _publish(plan: BuildPlan, ingested: Ingested, tools: Tools, store: SegmentStore) -> Pointer:
    store.put_model(tools.model_folder)
    return store.publish(plan.name, ingested.folder, ingested.manifest, label=ingested.label)


def ingest(plan: BuildPlan, reading: Reading, tools: Tools, inputs: str = "") -> Ingested:
    """Read, cut, embed and write one segment into the cache folder."""
    failures: list[Failure] = []
    vectors = CachedVectors(tools.embedder, tools.cache / "vectors.sqlite")
    started = time.perf_counter()
    scan = open_scan(plan.options)
    with PreparedDocuments(tools.cache / "documents" / f"{plan.name}.sqlite") as documents:
        every = prepare_all(reading.documents, documents, failures, plan.announce)
        every = track(every, f"{plan.name}: reading")
        ready = {one.chunk.id: one for one in every if scan.lets_pass(one.finds)}
    read_s = time.perf_counter() - started
    if not ready:
        raise SourceError(
            f"{plan.name}: no chunk could be read; {len(failures)} files failed", path=plan.sources[0][1]
        )
    chunks = (one.chunk for one in ready.values())
    rows = index_rows(chunks, plan.profile, vectors, lambda chunk: ready[chunk.id].read_terms())
    facts = SegmentFacts(
        profile=plan.profile.name,
        face=plan.profile.face,
        filters=plan.profile.filters,
        dimensions=tools.embedder.dimensions,
        model=tools.embedder.digest,
        sources=tuple(SourceFacts(**asdict(one)) for one in reading.provenance),
        extra=reading.extra,
        notes={**describe_machine(), "inputs": inputs, "failures": len(failures), "poison": scan.as_notes()},
    )
    folder = tools.cache / "built" / plan.name
    shutil.rmtree(folder, ignore_errors=True)
    write_segment(folder, track(rows, f"{plan.name}: indexing", total=len(ready)), facts)
    manifest = _calibrated(plan, folder, tools.embedder)
    seconds = {"read": read_s, "index": time.perf_counter() - started - read_s}
    embedding = {"cached": vectors.hits, "embedded": vectors.misses, "tokens": vectors.tokens}
    return Ingested(manifest, folder, reading.label, failures, seconds, embedding, reading.excluded.reasons)


def _calibrated(plan: BuildPlan, folder: Path, embedder: Embedder) -> Manifest:
    """Ask the written segment questions and keep in its manifest how its scores become probabilities."""
    index = OpenedIndex([(open_segment(folder), 0)])
    golden = read_golden([Path(plan.golden)]) if plan.golden else ()
    fitted = calibrate(index, embedder, golden).as_json()
    if golden:  # without them the default threshold stays
        fitted["abstention"] = calibrate_answers(index, embedder, golden).as_json()
    return amend_manifest(folder, calibration=fitted)
