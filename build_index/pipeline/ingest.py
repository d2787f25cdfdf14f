"""Writes a collection's segment into the cache: what changed is cut, embedded and indexed, the rest is taken over."""

from __future__ import annotations

import hashlib
import platform
import shutil
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from itertools import chain, tee
from pathlib import Path

import numpy as np

from build_index.cache.calibrations import calibration_key, keep_calibration, read_calibration
from build_index.cache.last_build import LastBuild, content_keys
from build_index.cache.prepared import PreparedDocuments, PreparedEntry, admit_all
from build_index.cache.questions import CachedQuestions
from build_index.cache.store import ContentStore
from build_index.cache.vectors import CachedVectors
from build_index.evaluation.golden import read_golden
from build_index.pipeline.plan import BuildPlan, Tools
from build_index.pipeline.questions import (
    QuestionOptions,
    QuestionReport,
    Questions,
    QuestionWriter,
    finder,
    read_kept,
    read_question_options,
    with_questions,
)
from build_index.pipeline.readers import Prepared
from build_index.progress import say, track
from build_index.scan.poison import PoisonScan, open_scan
from build_index.sources import Failure
from build_index.sources.files.selection import Excluded, told
from build_index.sources.registry import OpenedSources
from quire.analysis.terms import forget
from quire.canonical_json import canonical_json
from quire.documents import Chunk
from quire.errors import SourceError
from quire.index.layout import EMBEDDED, MANIFEST, Manifest, read_manifest
from quire.index.lines import read_line
from quire.index.opened import OpenedIndex, open_built
from quire.index.reader import open_segment
from quire.index.writer import SegmentFacts, StagedVectors, amend_manifest, write_segment
from quire.ingestion.rows import embed_chunks, index_analyzed, index_keywords, source_key
from quire.profiles import Profile

STAGED_FROM_CHUNKS, SLICE_CHUNKS = 256, 64
"""Fewer are embedded in two or three seconds, and published once; a slice of vectors is so many times as many."""


@dataclass(slots=True)
class IngestReport:
    """A written segment with what happened on the way.

    Attributes:
        seconds: wall-clock, by stage.
        excluded, left_out: how many files were left out, and the first paths of them, by reason.
        updated: chunks that are not taken over from the last build: those of files that are new or changed.
        questions: what became of `options.questions`; None where the build wants none.
    """

    manifest: Manifest
    folder: Path
    label: str
    failures: list[Failure]
    seconds: dict[str, float]
    embedding: Mapping[str, float]
    excluded: Mapping[str, int] = field(default_factory=dict)
    left_out: Mapping[str, Sequence[str]] = field(default_factory=dict)
    updated: int = 0
    questions: QuestionReport | None = None


def why_nothing(plan: BuildPlan, withheld: int, failures: int, excluded: Excluded) -> str:
    """What a build that found no chunk at all says: of which source, what became of what is there, what to do."""
    where = " and ".join(location for _, location in plan.sources)
    became = [
        f"left out: {told(excluded.reasons, excluded.paths)}" if excluded.total else "",
        f"could not be read: {failures}" if failures else "",
        f"passages kept out as orders to models: {withheld}" if withheld else "",
    ]
    count = excluded.total + failures
    seen = (
        f"{count} {'file or folder' if count == 1 else 'files and folders'} seen, none with text to index; "
    )
    found = (
        (seen if count else "") + "; ".join(filter(None, became))
        if any(became)
        else "there is no file in it to read"
    )
    profile = plan.profile.name
    wanted = "folder with text, code or documents"
    if profile != "code":
        wanted = f"source with what profile {profile} reads, which build_index/README.md lists"
    hint = "; another `pattern` may take more" if excluded.reasons["pattern"] else ""
    return f"{plan.name}: nothing to index in {where}: {found}. Wanted a {wanted}{hint}"


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a segment goes whose vectors are not all there, to be served meanwhile.

    Attributes:
        publish: serves it.
        embedded: chunks with vectors of the stage that is served already: one with fewer does not take its place.
    """

    publish: Callable[[Path, Manifest], object]
    embedded: int = 0


def ingest(
    plan: BuildPlan, reading: OpenedSources, tools: Tools, inputs: str = "", *, stage: Stage | None = None
) -> IngestReport:
    """Read, cut, embed and write one segment into the cache folder.

    Documents that the segment there holds already are taken over from it; the bytes are those of a build from nothing.
    With `stage`, names and keywords are written first, and the vectors join them in slices.

    Raises:
        SourceError: nothing could be read.
    """
    failures: list[Failure] = []
    started = time.perf_counter()
    fresh = _fresh(plan, tools)
    clear(fresh)
    with closing(ContentStore(tools.cache)) as store, PreparedDocuments(store, plan.name) as documents:
        scan = open_scan(plan.options)
        parts = Parts([], store, documents, set(), scan.policy)
        admitted = admit_all(reading.documents, documents, failures, plan.announce)
        read = parts.take_in(track(admitted, f"{plan.name}: reading"), scan, plan.tell)
        is_first = stage is not None and not read_question_options(plan.options).count
        if is_first and (begun := _first_of(read)):  # words are written while further files are read
            _write_first(fresh, parts, chain(begun, read), facts_of(plan, reading, tools, {}))
        deque(read, 0)  # what is left, or all where nothing was written yet
        forget()
        if len(parts.withheld) == sum(len(entry.ids) for entry in parts.entries):
            clear(fresh)
            reason = why_nothing(plan, len(parts.withheld), len(failures), reading.excluded)
            raise SourceError(reason, path=plan.sources[0][1])
        read_s = time.perf_counter() - started
        left_out = dict(sorted(reading.excluded.reasons.items()))
        notes = {"inputs": inputs, "failures": len(failures), "excluded": left_out, "poison": scan.as_notes()}
        done = _index(plan, tools, parts, facts_of(plan, reading, tools, notes), stage=stage)
    done.label, done.failures = reading.label, failures
    done.excluded, done.left_out = reading.excluded.reasons, reading.excluded.paths
    done.seconds = {"read": read_s, "index": time.perf_counter() - started - read_s}
    return done


def _first_of(read: Iterator[PreparedEntry]) -> list[PreparedEntry]:
    """The first documents, as many as make a build one of stages; none where all of them do not."""
    begun, chunks = [], 0
    for entry in read:
        begun.append(entry)
        chunks += len(entry.ids)
        if chunks >= STAGED_FROM_CHUNKS:
            return begun
    return []


def _index(
    plan: BuildPlan, tools: Tools, parts: Parts, facts: SegmentFacts, *, stage: Stage | None
) -> IngestReport:
    """Write the segment and calibrate it; then again with what a model asked, where `options.questions` wants that."""
    wanted = read_question_options(plan.options)
    parts = parts.asked(wanted, plan.profile) if wanted.count else parts
    is_staged = stage and sum(len(entry.ids) for entry in parts.entries) >= STAGED_FROM_CHUNKS
    if stage and is_staged:
        folder, vectors, updated = _write_in_stages(plan, tools, parts, facts, stage=stage)
    else:
        folder, vectors, updated = _write(plan, tools, parts, facts)
    # Imported when there is something to calibrate: what waits for names and words has them .1 s earlier.
    from build_index.evaluation.calibrate import background_questions

    with CachedQuestions(tools.embedder, parts.store, plan.name, background_questions()) as embedder:
        manifest = calibrated(plan, folder, embedder, parts.store)
        questions = parts.report() if wanted.count else None
        if questions and questions.left:
            if stage:  # what can be served need not wait for a language model
                stage.publish(folder, _noted(folder, questions))
            if _ask_model(plan, tools, parts, folder, report=questions):
                embedded = vectors.misses
                folder, vectors, _ = _write(plan, tools, parts.asked(wanted, plan.profile), facts)
                vectors.misses += embedded
                manifest = calibrated(plan, folder, embedder, parts.store)
    manifest = _noted(folder, questions) if questions else manifest
    embedding = {"cached": vectors.hits, "embedded": vectors.misses, "tokens": vectors.tokens}
    return IngestReport(manifest, folder, "", [], {}, embedding, updated=updated, questions=questions)


@dataclass(frozen=True, slots=True)
class Parts:
    """What goes into a segment: the documents, where their chunks are, and which of these the scan's rules keep out.

    `questions` are those that a model wrote about chunks, by id.
    """

    entries: list[PreparedEntry]
    store: ContentStore
    documents: PreparedDocuments
    withheld: set[str]
    quarantined: Collection[str]
    questions: Mapping[str, Questions] = field(default_factory=dict)
    profile: Profile | None = None

    def take_in(
        self, read: Iterable[PreparedEntry], scan: PoisonScan, tell: Callable[[str], object]
    ) -> Iterator[PreparedEntry]:
        """Each document as it is read; from then on it is one of these. `tell` is told how many are."""
        for entry in read:
            tell(f"{len(self.entries):,} files read")
            self.withheld.update(withheld_of([entry], self.documents, scan))
            self.entries.append(entry)
            yield entry

    def chunks(self, entries: Iterable[PreparedEntry]) -> Iterator[Prepared]:
        """Those of some of the documents that may be indexed."""
        for one in self.documents.load(entries):
            if one.chunk.id not in self.withheld:
                written = self.questions.get(one.chunk.id)
                yield with_questions(one, written, self.profile) if written and self.profile else one

    def asked(self, wanted: QuestionOptions, profile: Profile) -> Parts:
        """With the questions that are kept about these chunks."""
        plain = replace(self, questions={})
        chunks = (one.chunk for one in plain.chunks(self.entries))
        return replace(self, questions=read_kept(self.store, chunks, wanted.count), profile=profile)

    def unasked(self) -> Iterator[Chunk]:
        """The chunks that no model has been asked about."""
        plain = replace(self, questions={})
        return (one.chunk for one in plain.chunks(self.entries) if one.chunk.id not in self.questions)

    def report(self) -> QuestionReport:
        """How many chunks a model has been asked about before, and how many not."""
        kept = sum(map(len, self.questions.values()))
        return QuestionReport(len(self.questions), sum(1 for _ in self.unasked()), kept)

    def keys(self) -> dict[str, bytes]:
        """`content_keys` of the documents and of what was written about them."""
        keys = content_keys(self.entries)
        for entry in self.entries:
            written = [self.questions.get(f"{number:016x}", ()) for number in entry.ids]
            if any(written):
                said = canonical_json([list(one) for one in written])
                keys[entry.document_id] = hashlib.sha256(keys[entry.document_id] + said).digest()
        return keys


def withheld_of(entries: Iterable[PreparedEntry], documents: PreparedDocuments, scan: PoisonScan) -> set[str]:
    """Ids of the chunks that the scan keeps out."""
    found = documents.load(entry for entry in entries if entry.has_finds)
    return {one.chunk.id for one in found if not scan.lets_pass(one.finds)}


def facts_of(
    plan: BuildPlan, reading: OpenedSources, tools: Tools, notes: Mapping[str, object]
) -> SegmentFacts:
    """What the manifest of the build's segment repeats."""
    return SegmentFacts(
        profile=plan.profile.name,
        face=plan.profile.face,
        filters=plan.profile.filters,
        dimensions=tools.embedder.dimensions,
        model=tools.embedder.digest,
        sources=reading.provenance,
        extra=reading.extra,
        notes={**describe_machine(), **notes},
    )


def _noted(folder: Path, questions: QuestionReport) -> Manifest:
    """The segment's manifest, which now says how many chunks a model is still to be asked about."""
    notes = open_segment(folder).manifest.notes
    return amend_manifest(folder, notes={**notes, "questions": questions.as_json()})


def _ask_model(plan: BuildPlan, tools: Tools, parts: Parts, folder: Path, *, report: QuestionReport) -> int:
    """Let the answer model write about the chunks that it was not asked about; gives how many questions count."""
    model = tools.answer_model()
    if model is None:
        report.ended = "options.questions wants an answer model, and none is chosen (QUIRE_PROVIDER)"
        say(f"questions: {report.left:,} chunks are left: {report.ended}")
        return 0
    before = report.kept
    wanted = read_question_options(plan.options)
    finds = finder(OpenedIndex([(open_segment(folder), 0)]), tools.embedder)
    QuestionWriter(model, wanted, parts.store, plan.title, finds, report).write(parts.unasked)
    return report.kept - before


def _write(
    plan: BuildPlan, tools: Tools, parts: Parts, facts: SegmentFacts
) -> tuple[Path, CachedVectors, int]:
    """Write the segment beside the last one and put it in its place.

    Gives its folder, what was embedded for it, and how many of its chunks are not taken over.
    """
    fresh, last, keys = _places(plan, tools, parts, facts)
    taken = last.take_over(keys)
    changed = [entry for entry in parts.entries if entry.document_id not in taken.documents]
    vectors = CachedVectors(tools.embedder, parts.store)
    rows = track(
        index_analyzed(parts.chunks(changed), plan.profile, vectors),
        f"{plan.name}: indexing",
        total=sum(len(entry.ids) for entry in changed),
    )
    manifest = write_segment(fresh, rows, facts, kept=taken.rows, vector_index=plan.vector_index)
    updated = manifest.counts.chunks - sum(len(one.ordinals) for one in taken.rows)
    return last.replace(fresh, manifest, keys), vectors, updated


def _write_first(fresh: Path, parts: Parts, entries: Iterable[PreparedEntry], facts: SegmentFacts) -> None:
    """Write names and words of documents, as these come, to where `_write_in_stages` goes on from."""
    rows = index_keywords(chain.from_iterable(parts.chunks([one]) for one in entries), facts.dimensions)
    write_segment(_beside(fresh, "first"), rows, facts)


def _write_in_stages(
    plan: BuildPlan, tools: Tools, parts: Parts, facts: SegmentFacts, *, stage: Stage
) -> tuple[Path, CachedVectors, int]:
    """`_write` for a collection that nothing is served of: what is written of it on the way can be searched.

    What a killed build cut and embedded is in the caches; what it served stays until as many vectors are there.
    """
    fresh, last, keys = _places(plan, tools, parts, facts)
    first, slice_folder = _beside(fresh, "first"), _beside(fresh, "slice")
    if not first.exists():
        _write_first(fresh, parts, parts.entries, facts)
    manifest = amend_manifest(first, notes=facts.notes, extra={**facts.extra, EMBEDDED: 0})
    count = manifest.counts.chunks
    if not stage.embedded:
        stage.publish(first, manifest)
    vectors = CachedVectors(tools.embedder, parts.store)
    segment = open_segment(first)
    due = time.monotonic() + (0.0 if stage.embedded else tools.slice_s)
    with StagedVectors(segment, vector_index=plan.vector_index) as staged:
        ours, theirs = tee(map(read_line, segment.payloads.lines(np.arange(count, dtype=np.uint32))))
        embedded = track(embed_chunks(theirs, plan.profile, vectors), f"{plan.name}: embedding", total=count)
        for chunk, quantized in zip(ours, embedded, strict=True):
            staged.add(chunk.id, source_key(chunk.metadata), quantized)
            plan.tell(f"vectors {staged.chunks / count:.0%}")
            is_slice = staged.chunks % SLICE_CHUNKS == 0 and staged.chunks >= stage.embedded
            if is_slice and time.monotonic() >= due:
                # A slice that takes long to publish is followed by a longer pause, so that embedding is what goes on.
                began = time.monotonic()
                stage.publish(slice_folder, staged.write(slice_folder))
                shutil.rmtree(slice_folder)
                due = time.monotonic() + tools.slice_s * max(1.0, 2 * (time.monotonic() - began))
        manifest = staged.write(fresh)
    shutil.rmtree(first)
    return last.replace(fresh, manifest, keys), vectors, count


def _places(
    plan: BuildPlan, tools: Tools, parts: Parts, facts: SegmentFacts
) -> tuple[Path, LastBuild, Mapping[str, bytes]]:
    """Where the next segment goes; the last one; and what it is made of."""
    made_by = [facts.profile, list(facts.filters), facts.model, sorted(parts.quarantined)]
    last = LastBuild(tools.cache / "built" / plan.name, parts.store, made_by)
    return _fresh(plan, tools), last, parts.keys()


def _fresh(plan: BuildPlan, tools: Tools) -> Path:
    return tools.cache / "built" / f".{plan.name}.next"


def _beside(fresh: Path, part: str) -> Path:
    return fresh.with_name(f"{fresh.name}.{part}")


def clear(fresh: Path) -> None:
    """Remove what a build that was killed left where the next segment goes."""
    left = (f".{fresh.name}-*", f".{fresh.name}.*", f"{fresh.name}.*")
    for leftover in chain([fresh], *map(fresh.parent.glob, left)):
        if leftover.is_file():
            leftover.unlink()
        shutil.rmtree(leftover, ignore_errors=True)


def calibrated(plan: BuildPlan, folder: Path, embedder: CachedQuestions, store: ContentStore) -> Manifest:
    """Ask what was written questions, unless that was done before, and keep in its manifest how its scores become
    probabilities."""
    from build_index.evaluation.calibrate import (
        background_questions,
        calibrate,
        calibrate_answers,
        rank_background,
    )

    golden = read_golden([Path(plan.golden)]) if plan.golden else ()
    key = calibration_key(read_manifest((folder / MANIFEST).read_bytes()), (background_questions(), golden))
    if known := read_calibration(store, key):
        return amend_manifest(folder, calibration=known)
    index = open_built(folder)
    background = rank_background(index, embedder, embedder.in_two)
    fitted = calibrate(background).as_json()
    amend_manifest(folder, calibration=fitted)
    index = open_built(folder)  # answers are judged by the scores that it will give
    answers = calibrate_answers(index, embedder, background, golden, spread=embedder.in_two)
    fitted["abstention"] = answers.as_json()
    keep_calibration(store, key, fitted)
    return amend_manifest(folder, calibration=fitted)


TOOLS = ("numpy", "onnxruntime", "tokenizers", "usearch")
FLAGS = ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8", "asimddp")


def describe_machine() -> dict[str, object]:
    """Python, tool versions, and those CPU flags that change how int8 models compute."""
    return {
        "python": platform.python_version(),
        "tools": {name: version(name) for name in TOOLS},
        "machine": platform.machine(),
        "cpu_flags": _cpu_flags(),
    }


def _cpu_flags() -> list[str]:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return []
    line = next((line for line in text.splitlines() if line.startswith(("flags", "Features"))), "")
    present = set(line.partition(":")[2].split())
    return [flag for flag in FLAGS if flag in present]
