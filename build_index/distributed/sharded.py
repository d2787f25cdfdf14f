"""A build in shards: the same segment as `build_index.pipeline.ingest` writes, made in many places."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing

from build_index.cache.questions import CachedQuestions
from build_index.cache.store import ContentStore
from build_index.distributed.shards import (
    Item,
    Record,
    Sharding,
    done_shards,
    merge_shards,
    plan_shards,
    run_shards,
    sweep_shards,
)
from build_index.evaluation.calibrate import background_questions
from build_index.pipeline.ingest import IngestReport, calibrated, clear, facts_of, why_nothing
from build_index.pipeline.plan import BuildPlan, Tools
from build_index.progress import say, track
from build_index.sources import Failure
from build_index.sources.registry import OpenedSources
from quire.errors import SourceError
from quire.index.layout import Manifest


def ingest_in_shards(
    plan: BuildPlan, reading: OpenedSources, tools: Tools, inputs: str, *, sharding: Sharding
) -> IngestReport:
    """Read, divide, have the shards made, and merge them into one segment in the cache folder.

    Whatever ends it, shards that are done are in the store, and the next call goes on from there.

    Raises:
        SourceError: nothing could be read, or the engine gave a shard up.
    """
    failures: list[Failure] = []
    started = time.perf_counter()
    sharding.begin()
    read = track(reading.documents, f"{plan.name}: reading")
    items = plan_shards(plan, read, tools, failures, sharding=sharding)
    read_s = time.perf_counter() - started
    records, new = _made(plan.name, items, sharding)
    for told in (one for record in records for one in record["failures"]):
        failures.append(Failure(**told))
        say(f"failed: {failures[-1]}")
    folder = tools.cache / "built" / plan.name
    fetched = tools.cache / "shards" / plan.name
    poison = _poison(records)
    left_out = dict(sorted(reading.excluded.reasons.items()))
    notes = {"inputs": inputs, "failures": len(failures), "excluded": left_out, "poison": poison}
    fresh = folder.with_name(f".{plan.name}.next")
    clear(fresh)
    manifest = merge_shards(
        fresh,
        records,
        facts_of(plan, reading, tools, notes),
        place=(sharding.objects, plan.name, fetched),
        vector_index=plan.vector_index,
        most_chunks=sharding.most_chunks,
    )
    if not manifest.counts.chunks:
        clear(fresh)
        reason = why_nothing(plan, int(str(poison["kept_out"])), len(failures), reading.excluded)
        raise SourceError(reason, path=plan.sources[0][1])
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)
    manifest = _calibrated(plan, tools)
    sweep_shards(sharding.objects, plan.name, records, fetched)
    seconds = {"read": read_s, "index": time.perf_counter() - started - read_s}
    embedding = {name: sum(int(one[name]) for one in new) for name in ("cached", "embedded", "tokens")}
    return IngestReport(
        manifest,
        folder,
        reading.label,
        failures,
        seconds,
        embedding,
        reading.excluded.reasons,
        reading.excluded.paths,
        sum(int(one["chunks"]) for one in new),
    )


def _made(name: str, items: Sequence[Item], sharding: Sharding) -> tuple[list[Record], list[Record]]:
    """The record of every shard, in order, and of those that were made just now."""
    by_inputs = done_shards(items, sharding.objects)
    if by_inputs:
        say(f"{name}: {len(by_inputs)} of {len(items)} shards are done already")
    left = {str(item["inputs"]): item for item in items if item["inputs"] not in by_inputs}
    new = list(
        track(
            run_shards(left.values(), sharding),
            f"{name}: passages of {len(left)} shards",
            total=sum(item["chunks"] for item in left.values()),
            weigh=lambda record: int(left[record["inputs"]]["chunks"]),
        )
    )
    by_inputs |= {str(record["inputs"]): record for record in new}
    return [by_inputs[str(item["inputs"])] for item in items], new


def _calibrated(plan: BuildPlan, tools: Tools) -> Manifest:
    with (
        closing(ContentStore(tools.cache)) as store,
        CachedQuestions(tools.embedder, store, plan.name, background_questions()) as embedder,
    ):
        return calibrated(plan, tools.cache / "built" / plan.name, embedder, store)


def _poison(records: Sequence[Record]) -> dict[str, object]:
    """The shards' counts as those of one scan."""
    found = Counter[str]()
    for record in records:
        found.update(record["poison"]["found"])
    kept_out = sum(int(record["poison"]["kept_out"]) for record in records)
    return {"found": dict(sorted(found.items())), "kept_out": kept_out}
