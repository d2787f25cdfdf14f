"""What the operator's commands do; each gives its exit code."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from build_index.distributed.engines import DaskEngine, LocalEngine
from build_index.distributed.sharded import ingest_in_shards
from build_index.distributed.shards import Sharding, warm_up
from build_index.evaluation import answers as answer_eval
from build_index.evaluation import evaluate as evaluation
from build_index.evaluation.beir import build_beir_index, read_beir, score_beir
from build_index.evaluation.golden import read_golden
from build_index.evaluation.report_page import write_page
from build_index.gate.options import open_review, review_of_described
from build_index.gate.review import as_json, headline, tell_changes
from build_index.pipeline.ingest import IngestReport, ingest
from build_index.pipeline.pipeline import BuildReport, build
from build_index.pipeline.plan import BuildPlan, Tools
from build_index.progress import say
from build_index.scan.poison import scan_chunk
from build_index.sources import Failure
from build_index.sources.files.selection import first_names
from build_index.sources.files.text_files import DOCUMENTS
from build_index.sources.registry import OpenedSources
from build_index.wiring import (
    open_objects,
    open_question_embedder,
    open_store,
    open_tools,
    open_worker,
    settings,
)
from quire.collections import Collection, check_name, read_collections
from quire.errors import BuildInProgress, ConfigError, InputError
from quire.index.layout import MANIFEST
from quire.profiles import profile_named
from quire.search.retrieval import Query, retrieve

OK, FAILED, REFUSED = 0, 1, 2
PACKS_A_WORKER = 3
"""So that the last ones end at about the same time."""


def run_build(args: argparse.Namespace) -> int:
    """Build a collection and publish it; exit code 1 where a file failed, 0 where another build is running."""
    plan = _plan(args)
    write = _writing(args)  # first, since it may fork workers
    store = open_store(args.store)
    try:
        tools, publish = open_tools(), not args.no_publish
        review = open_review(args, plan.name, golden=plan.golden, options=plan.options) if publish else None
        report = build(plan, tools, store, publish=publish, review=review, write=write)
    except BuildInProgress as busy:
        say(str(busy))
        return OK
    _print_build(report, as_json=args.json)
    _warn_of_unread(plan, report)
    return FAILED if report.ingested.failures else OK


def _writing(args: argparse.Namespace) -> Callable[[BuildPlan, OpenedSources, Tools, str], IngestReport]:
    if not args.engine:
        return ingest
    sharding = _SHARDINGS[args.engine](args)

    def write(plan: BuildPlan, reading: OpenedSources, tools: Tools, inputs: str) -> IngestReport:
        with ThreadPoolExecutor(1) as beside:
            stored = beside.submit(open_store(args.store).put_model, tools.model_folder)
            if args.engine != "local":
                stored.result()  # workers elsewhere have it from the store
            report = ingest_in_shards(plan, reading, tools, inputs, sharding=sharding)
            stored.result()
        return report

    return write


def _local(args: argparse.Namespace) -> Sharding:
    workers = args.workers or os.cpu_count() or 1
    opens, engine = partial(open_worker, args.store, 1), LocalEngine(workers)
    engine.fork()
    return Sharding(
        open_objects(args.store),
        engine,
        opens,
        wanted=PACKS_A_WORKER * workers,
        begin=partial(engine.start, partial(warm_up, opens)),
    )


def _dask(args: argparse.Namespace) -> Sharding:
    engine = DaskEngine(_said(args.scheduler, "--engine dask", "--scheduler ADDRESS"))
    return Sharding(open_objects(args.store), engine, partial(open_worker, args.store, 1))


def _step_functions(args: argparse.Namespace) -> Sharding:
    from build_index.distributed import step_functions  # boto3 is only this engine's

    place = args.store or settings().store
    if not re.fullmatch("s3://[^/]+/?", place):
        raise ConfigError(
            f"--engine stepfunctions: wanted a store s3://BUCKET, as is deployed, found {place!r}"
        )
    objects = open_objects(place)
    machine = _said(args.state_machine, "--engine stepfunctions", "--state-machine ARN")
    engine = step_functions.open_step_functions(machine, objects)
    return Sharding(objects, engine, partial(open_worker, args.store, 1), step_functions.MEAN_CHUNKS)


def _said(value: str | None, what: str, wanted: str) -> str:
    if not value:
        raise ConfigError(f"{what}: wanted {wanted}")
    return value


_SHARDINGS = {"local": _local, "dask": _dask, "stepfunctions": _step_functions}


def run_model(_: argparse.Namespace) -> int:
    """Print the folder of the exported embedding model, which is called like its digest."""
    print(open_tools().model_folder.resolve())
    return OK


def run_inspect(args: argparse.Namespace) -> int:
    """Print what a collection serves now."""
    store = open_store(args.store)
    pointer = store.pointer(args.name)
    manifests = [
        {**json.loads(manifest.to_json()), "files": len(manifest.files)}
        for manifest in store.open(args.name).manifests
    ]
    print(
        json.dumps(
            {"pointer": json.loads(pointer.to_json()), "segments": manifests}, indent=1, ensure_ascii=False
        )
    )
    return OK


def run_verify(args: argparse.Namespace) -> int:
    """Check every byte of what a collection serves against the manifests' digests."""
    store = open_store(args.store)
    for digest in store.verify(args.name):
        print(f"segment {digest}: verified")
    return OK


def run_scan(args: argparse.Namespace) -> int:
    """Print what the poison rules find in what is served, and how often; exit code 1 where that is anything."""
    index = open_store(args.store).open(args.name)
    every = range(sum(segment.chunk_count for segment in index.segments))
    found = [list(scan_chunk(chunk)) for chunk in index.fetch(every) if index.find(chunk.id) is not None]
    for find in chain.from_iterable(found):
        print(find)
    chunks = sum(map(bool, found))
    print(f"{args.name}: {chunks} of {len(found):,} chunks found")
    return FAILED if chunks else OK


def run_query(args: argparse.Namespace) -> int:
    """Ask one question and print the hits."""
    found = _ask(args)(
        Query(args.text, top_k=args.top_k, filters=dict(_pairs(args.filter, "filter")), mode=args.mode)
    )
    if args.json:
        hits = [{"rank": h.rank, "score": h.score, **h.chunk._asdict()} for h in found.hits]
        print(
            json.dumps(
                {"version": found.version, "mode": found.mode, "hits": hits}, ensure_ascii=False, indent=1
            )
        )
        return OK
    for hit in found.hits:
        place = hit.chunk.metadata.get("path") or hit.chunk.document_id
        print(f"{hit.rank:>2}  {hit.score:.3f}  {hit.chunk.breadcrumb}  ({place})")
        print("      " + " ".join(hit.chunk.text.split())[:160])
    return OK


def run_evaluate(args: argparse.Namespace) -> int:
    """Ask the golden questions; print a table or JSON, and write the page where one is asked for."""
    if args.candidate:
        told, passes = judge_candidate(args)
        print(told)
        return OK if passes else REFUSED
    files = [Path(file) for file in args.golden] or _golden_of(args.name)
    asked = evaluation.ask_golden(_ask(args), read_golden(files))
    figures = {"collection": args.name, **evaluation.report(asked)}
    print(json.dumps(figures, indent=1) if args.json else evaluation.table(figures))
    if args.html:
        write_page(Path(args.html), figures, asked)
        say(f"report: {args.html}")
    return OK


def run_beir(args: argparse.Namespace) -> int:
    """Run a BEIR-format folder through the same indexes and fusion."""
    questions = read_beir(Path(args.folder), args.split)
    tools = open_tools()
    index = build_beir_index(questions.folder, tools)
    figures = score_beir(lambda query: retrieve(index, tools.embedder, query), questions, args.mode)
    if args.json:
        print(json.dumps(figures))
    else:
        print("  ".join(f"{name} {value:.4f}" for name, value in figures.items()))
    return OK


def run_answers(args: argparse.Namespace) -> int:
    """Judge extracted answers on a folder whose questions carry answers, beside two baselines."""
    print(answer_eval.run(Path(args.folder), open_tools(), limit=args.limit, as_json=args.json))
    return OK


def _plan(args: argparse.Namespace) -> BuildPlan:
    described = _described(args.name) if not args.profile or not args.source else _optional(args.name)
    profile = args.profile or described.profile
    sources = tuple(_pairs(args.source, "source")) or described.sources
    options: dict[str, Any] = dict(described.options)
    if args.engine_version:
        options["engine_version"] = args.engine_version
    return BuildPlan(
        name=check_name(args.name),
        profile=profile_named(profile),
        sources=sources,
        title=described.title,
        golden=described.golden,
        options=options,
        announce=_announce if profile in ("textbook", "docs") and not args.json else _silent,
    )


def _announce(document: str, chunks: int) -> None:
    """The textbook specification's line for each file, by its path within the book."""
    print(f"Processing {document}... {chunks} chunks created")


def _silent(document: str, chunks: int) -> None:
    """For collections of thousands of documents, and where standard output is JSON."""


def _described(name: str) -> Collection:
    """The collection as `collections.toml` has it.

    Raises:
        ConfigError: it is not there.
    """
    known = read_collections(settings().collections_file)
    if name not in known:
        listed, file = ", ".join(known) or "none", settings().collections_file
        raise ConfigError(
            f"collection {name!r}: not in {file}, which lists {listed}; say --profile and --source"
        )
    return known[name]


def _optional(name: str) -> Collection:
    file = settings().collections_file
    known = read_collections(file) if file.exists() else {}
    return known.get(name) or Collection(name=name, profile="")


def _golden_of(name: str) -> list[Path]:
    golden = _described(name).golden
    if not golden:
        raise InputError(
            f"golden: collection {name!r} names no golden questions; say --golden FILE", field="golden"
        )
    return [Path(golden)]


def _ask(args: argparse.Namespace) -> evaluation.Ask:
    store = open_store(args.store)
    index = store.open(args.name, getattr(args, "version", None))
    embedder = open_question_embedder()
    return lambda query: retrieve(index, embedder, query)


def _pairs(items: Sequence[str], what: str) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for item in items:
        key, separator, value = item.partition("=")
        if not separator or not key or not value:
            raise InputError(f"--{what}: wanted KEY=VALUE, found {item!r}", field=what)
        pairs.append((key, value))
    return pairs


def _print_build(report: BuildReport, *, as_json: bool) -> None:
    value = report.as_json()
    if as_json:
        print(json.dumps(value))
        return
    counts = f"{value['documents']} documents, {value['chunks']} chunks, {value['vectors']} vectors"
    print(f"{counts}; {value['updated']} chunks updated")
    if value["excluded"]:
        print(f"left out: {', '.join(_told_left_out(report.ingested))}")
    if value["poison"].get("kept_out"):
        print(f"kept out: {value['poison']['kept_out']} chunks that speak to models")
    is_told = _is_one_place()
    failed = [one["path"] for one in value["failures"]]
    print(
        f"{len(failed)} files failed{': ' * (is_told and bool(failed))}{', '.join(failed) if is_told else ''}"
    )
    print(f"version {value['version'] or '(not published)'} {value['label']}".rstrip())
    for failure in () if is_told else value["failures"]:
        print(f"failed: {Failure(**failure)}")


def _is_one_place() -> bool:
    """Whether standard output leads where standard error does, which said why each file failed when that was met."""
    try:
        return os.path.sameopenfile(sys.stdout.fileno(), sys.stderr.fileno())
    except OSError:
        return False


_CHOSEN = frozenset(("exclude", "gitignore", "pattern", "lock"))
"""Reasons that name no file: whoever builds gave them."""


def _told_left_out(ingested: IngestReport) -> Iterator[str]:
    """How much was left out for each reason, with the first paths where neither the caller nor a name's end chose."""
    for reason, count in sorted(ingested.excluded.items()):
        is_plain = reason.startswith(".") or reason in _CHOSEN
        named = "" if is_plain else first_names(ingested.left_out.get(reason, ()), count, reason)
        yield f"{count} {reason}{named}"


def _warn_of_unread(plan: BuildPlan, report: BuildReport) -> None:
    """Say where more documents are of kinds that the profile does not read than were read."""
    read = report.ingested.manifest.counts.documents
    kinds = {kind: count for kind, count in sorted(report.ingested.excluded.items()) if kind in DOCUMENTS}
    if sum(kinds.values()) <= read:
        return
    listed = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    say(
        f"WARNING: {plan.name}: most documents were left out: {read} were read, {listed} were not, for profile "
        f"{plan.profile.name} does not read such files; save them as Markdown, HTML, .docx or PDF, and build again"
    )


CHANGES_SHOWN = 10


def judge_candidate(args: argparse.Namespace) -> tuple[str, bool]:
    """What `build --no-publish` left in the cache beside what is served, as text or JSON, and whether it may pass.

    Raises:
        InputError: the cache holds no build of the collection.
        UnknownCollection: nothing is served to compare it with.
    """
    folder = settings().cache / "built" / args.name
    if not (folder / MANIFEST).exists():
        raise InputError(f"candidate: {folder} holds no build of {args.name!r}", field="name")
    review = review_of_described(args, args.name)
    if args.golden:
        review = replace(review, golden=read_golden([Path(file) for file in args.golden]))
    shrinks, judgement = review.compare(args.name, folder)
    reasons = [*map(str, shrinks), *judgement.reasons]
    if args.json:
        told = json.dumps({**as_json(judgement), "shrinks": [str(one) for one in shrinks]}, indent=1)
    else:
        lines = [*reasons, *tell_changes(judgement, CHANGES_SHOWN), *judgement.remarks]
        told = "\n  ".join([f"{args.name}: {headline(judgement)}", *lines])
    return told, not reasons
