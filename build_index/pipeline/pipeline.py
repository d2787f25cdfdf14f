"""The build job: read -> ingest -> guard -> evaluate -> publish, one function each."""

from __future__ import annotations

import gc
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from build_index.cache.inputs import digest_inputs
from build_index.cache.last_build import hold_cache
from build_index.pipeline.ingest import IngestReport, Stage, ingest
from build_index.pipeline.plan import BuildPlan, Tools
from build_index.pipeline.questions import read_question_options
from build_index.pipeline.readers import reader
from build_index.pipeline.reading import open_reading
from build_index.progress import say
from build_index.release.loading import load_folder, server_named
from build_index.sources.registry import OpenedSources
from quire.errors import ArtifactCorrupt, ConfigError, UnknownCollection
from quire.index.layout import MANIFEST, Manifest, Pointer, joined_manifest, read_manifest
from quire.store.pointers import builds_of
from quire.store.store import SegmentStore

COLLECT_AFTER = 5_000_000
"""New containers between two looks of the garbage collector, against 700 by default."""


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build did; `published` is None where the pointer was left alone."""

    ingested: IngestReport
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
            "updated": done.updated,
            "failures": [{"path": one.path, "reason": one.reason} for one in done.failures],
            "excluded": dict(sorted(done.excluded.items())),
            "left_out": {reason: list(paths) for reason, paths in sorted(done.left_out.items())},
            "poison": done.manifest.notes.get("poison", {}),
            "seconds": {name: round(value, 2) for name, value in done.seconds.items()},
            "embedding": dict(done.embedding),
            **({"questions": done.questions.as_json()} if done.questions else {}),
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
    write: Callable[[BuildPlan, OpenedSources, Tools, str], IngestReport] = ingest,
) -> BuildReport:
    """Build the collection's segment under its lock, and publish it if the `review` lets it pass.

    Where nothing of the collection is served yet, names and keywords are published before the vectors are made.
    Where what is served was made from the same inputs nothing is built, unless `anew` asks for it.
    `write` makes the segment: in this process, or in shards (`build_index.distributed.sharded`).

    Raises:
        BuildInProgress: another build of the collection is running.
        StoreError: a build of that name into another store works in the same cache.
        PublishRefused: the review refused it; the segment stays in the cache.
        SourceError: a source cannot be fetched, or nothing in it could be read.
        ConfigError: an option has a value that it may not have.
    """
    if publish and plan.server:
        server_named(store, plan.server)  # before hours of work
    if read_question_options(plan.options).count and write is not ingest:
        raise ConfigError("options.questions: a build in shards writes none; leave --engine out")
    with store.lock(plan.name) as lock, hold_cache(tools.cache, plan.name), _rare_collections():
        plan = replace(plan, tell=lock.tell)
        reading = open_reading(plan.profile.name, plan.sources, tools.cache, plan.options)
        inputs = _digest(plan, reading, tools)
        served = _served_from(store, plan, inputs, tools.cache) if publish and not anew else None
        if served is not None:
            say(f"{plan.name}: nothing changed since version {served[0].version}")
            store.put_model(tools.model_folder)
            confirmed = store.confirm(plan.name, builds_of(served[0])[0])
            return _report(_unchanged(served[1], reading), confirmed)
        embedded = _embedded(store, plan.name) if write is ingest and publish and not plan.server else None
        if embedded is not None:
            store.put_model(tools.model_folder)  # while the processes that cut files start
        made_by = write if embedded is None else partial(ingest, stage=_stage(plan, store, embedded))
        ingested = made_by(plan, reading, tools, inputs)
        if publish and plan.server:
            load_folder(server_named(store, plan.server), plan.name, ingested.folder)
        if publish and review is not None:
            ingested.manifest = review(plan.name, ingested.folder)
        pointer = _publish(plan, ingested, tools, store) if publish else None
    return _report(ingested, pointer)


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Let the garbage collector look rarely: a build's many long-lived values hold no cycles; looking took a tenth."""
    usual = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()


def _report(ingested: IngestReport, pointer: Pointer | None) -> BuildReport:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    cpu_s = usage.ru_utime + usage.ru_stime + reader().cpu_s
    return BuildReport(ingested, pointer, cpu_s, usage.ru_maxrss / 1024 + reader().peak_mb)


def _digest(plan: BuildPlan, reading: OpenedSources, tools: Tools) -> str:
    settings = [
        plan.profile.name,
        [key for key, _ in plan.sources],
        dict(plan.options),
        tools.embedder.digest,
    ]
    golden = [Path(plan.golden)] if plan.golden else []
    return digest_inputs(settings, reading.folders, [*golden, *reading.files])


def _served_from(
    store: SegmentStore, plan: BuildPlan, inputs: str, cache: Path
) -> tuple[Pointer, Manifest] | None:
    """What is served now, where a build without a failed file made it from exactly these inputs and none is damaged.

    The cache's copy counts too: a segment that was stored before keeps the notes of the build that stored it.
    """
    try:
        pointer = store.pointer(plan.name)
    except UnknownCollection:
        return None
    built = cache / "built" / plan.name / MANIFEST
    try:
        manifests = [*store.manifests(pointer)]
        if pointer.build:
            manifests = [joined_manifest(manifests[: len(builds_of(pointer))], pointer.build)]
        served = {one.digest for one in manifests}
        if built.exists():
            manifests.append(read_manifest(built.read_bytes()))
        for manifest in manifests:
            left = manifest.notes.get("questions", {}).get("left")
            same = manifest.notes.get("inputs") == inputs and not manifest.notes.get("failures") and not left
            if same and manifest.is_whole and manifest.digest in served:
                store.manifests(pointer, checked=True)
                return pointer, manifest
    except ArtifactCorrupt as error:
        say(f"{plan.name}: what is served is built again: {error}")
    return None


def _embedded(store: SegmentStore, name: str) -> int | None:
    """How many chunks of the stage that is served have vectors, 0 where there is none.

    None where a build is served whole: its readers wait for the next one to be so too.
    """
    try:
        pointer = store.pointer(name)
    except UnknownCollection:
        return 0
    if not (builds := builds_of(pointer)):
        return 0
    if store.pointers.is_whole(pointer):
        return None
    return sum(one.embedded for one in store.manifests(pointer)[: len(builds)])


def _stage(plan: BuildPlan, store: SegmentStore, embedded: int) -> Stage:
    def publish(folder: Path, manifest: Manifest) -> None:
        version = store.publish(plan.name, folder, manifest).version
        share = f"vectors {manifest.embedded / manifest.counts.chunks:.0%}"
        what = share if manifest.embedded else "can be searched by names and words; vectors follow"
        say(f"{plan.name}: {what}, version {version}")

    return Stage(publish, embedded)


def _unchanged(manifest: Manifest, reading: OpenedSources) -> IngestReport:
    nothing = {"cached": 0, "embedded": 0, "tokens": 0}
    left_out = manifest.notes.get("excluded", {})
    return IngestReport(manifest, Path(), reading.label, [], {}, nothing, left_out)


def _publish(plan: BuildPlan, ingested: IngestReport, tools: Tools, store: SegmentStore) -> Pointer:
    store.put_model(tools.model_folder)
    return store.publish(
        plan.name, ingested.folder, ingested.manifest, label=ingested.label, engine=plan.server
    )
