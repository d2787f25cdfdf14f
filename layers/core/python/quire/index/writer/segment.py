"""Writes a segment: one pass over the rows, then one pass over each file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from quire.documents import NOTHING
from quire.embedding.quantization import Quantized
from quire.folders import whole_folder
from quire.index.layout import (
    CELLS,
    COLUMNS,
    GRAPH,
    KEYWORDS,
    MANIFEST,
    SPELLING,
    VECTORS,
    BuildFacts,
    Counts,
    Manifest,
    SourceFacts,
    joined_manifest,
    part_folder,
    read_manifest,
)
from quire.index.tensors import FileFacts, file_facts, read_tensors, write_tensors
from quire.index.writer.cells import cell_arrays
from quire.index.writer.columns import ColumnsWriter
from quire.index.writer.kept_rows import KeptRows
from quire.index.writer.keywords import KeywordsWriter
from quire.index.writer.payloads import PayloadsWriter
from quire.index.writer.rows import IndexRow, Spool
from quire.index.writer.spelling import SpellingWriter
from quire.index.writer.spill import Spill, held_here
from quire.index.writer.vectors import VectorsWriter

GRAPH_FROM_VECTORS, CELLS_FROM_VECTORS = 20_000, 1 << 17
"""Up to the first comparing sign bits is as quick. A graph costs 0.7 ms of CPU and 550 bytes a vector to build, and
more with each that it has: beyond the second, cells cost 0.02 ms and 52 bytes."""


class SegmentFacts(NamedTuple):
    """What the caller of the writer knows and the manifest repeats.

    Attributes:
        profile, face: as in `quire.profiles`.
        filters: metadata fields that get postings.
        dimensions: width of a vector.
        model: digest of the embedding model.
        sources: where the rows came from.
        calibration: how scores become probabilities; any JSON object.
        extra: any other JSON object that serving needs, such as a class hierarchy; part of the segment's name.
        notes: tools, CPU flags, evaluation figures; not part of the segment's name.
    """

    profile: str
    face: str
    filters: tuple[str, ...]
    dimensions: int
    model: str = ""
    sources: tuple[SourceFacts, ...] = ()
    calibration: Mapping[str, Any] = NOTHING
    extra: Mapping[str, Any] = NOTHING
    notes: Mapping[str, Any] = NOTHING


def write_segment(
    folder: Path,
    rows: Iterable[IndexRow],
    facts: SegmentFacts,
    *,
    kept: Sequence[KeptRows] = (),
    vector_index: str = "auto",
    held_bytes: int | None = None,
) -> Manifest:
    """Write a segment into `folder`, which must not exist: it appears whole or not at all.

    Rows may come in any order; they are stored by document id, then as they came within the document. The same rows
    and facts give the same bytes. Text and vectors wait on disk, and so do tables that outgrow `held_bytes`: memory
    holds that much, some hundred bytes a chunk, and each word of the text once.

    Args:
        folder: where the segment goes.
        rows: what to index; consumed once.
        facts: what the manifest repeats.
        kept: rows of other segments that this one takes over; they count as having come before `rows`.
        vector_index: what makes search approximate, one of `quire.collections.VECTOR_INDEXES`; `auto` chooses by the
            number of vectors.
        held_bytes: see `quire.index.writer.spill`; by default what this machine has room for.

    Raises:
        ArtifactError: a chunk id is malformed or comes twice, or a text cannot be stored.
        ArtifactMismatch: vectors are not as wide as `facts` say.
    """
    held_bytes = held_here() if held_bytes is None else held_bytes
    with whole_folder(folder, f".{folder.name}-") as work:
        # What the files' writers held is free again when the rows are divided.
        written = _write_files(work, rows, facts, kept=kept, held_bytes=held_bytes)
        files = {**written.files, **write_approximation(work, written.counts.vectors, vector_index)}
        manifest = Manifest(**facts._asdict(), **written._replace(files=files)._asdict())
        write_durably(work / MANIFEST, manifest.to_json())
        work.chmod(0o755)
    return manifest


class _SegmentFiles(NamedTuple):
    counts: Counts
    source_counts: Mapping[str, Counts]
    files: Mapping[str, FileFacts]


def _write_files(
    work: Path, rows: Iterable[IndexRow], facts: SegmentFacts, *, kept: Sequence[KeptRows], held_bytes: int
) -> _SegmentFiles:
    with (
        Spool(work / "codes.spool") as codes,
        Spool(work / "lines.spool") as lines,
        Spill(work, held_bytes) as spill,
    ):
        vectors, payloads = VectorsWriter(codes, facts.dimensions), PayloadsWriter(lines)
        keywords, spelling = KeywordsWriter(spill), SpellingWriter()
        columns = ColumnsWriter(facts.filters, spill)
        for one in kept:
            for writer in (columns, vectors, payloads, keywords, spelling):
                writer.add_kept(one)
        for row in rows:
            columns.add(row)
            vectors.add(row.chunk.id, row.vectors)
            payloads.add(row)
            keywords.add(row)
            spelling.add(row.chunk)
        arranged = columns.arrange()
        files, located = payloads.finish(work, arranged.order)
        files[VECTORS] = vectors.finish(work, arranged.order)
        files[KEYWORDS] = keywords.finish(work, arranged)
        more = located | {"fingerprints": keywords.fingerprints(arranged.order)}
        files[COLUMNS] = columns.finish(work, arranged, more)
        files[SPELLING] = spelling.finish(work, columns.names)
        return _SegmentFiles(columns.counts, columns.source_counts, files)


def approximation_of(vector_index: str, count: int) -> str:
    """Which of `quire.collections.VECTOR_INDEXES` so many vectors get.

    >>> approximation_of("auto", 1_000_000)
    'cells'
    """
    if not count:
        return "exact"
    if vector_index != "auto":
        return vector_index
    if count < GRAPH_FROM_VECTORS:
        return "exact"
    return "cells" if count > CELLS_FROM_VECTORS else "usearch"


def write_approximation(work: Path, count: int, vector_index: str) -> dict[str, FileFacts]:
    """Write a graph or cells over the vectors that were written into the folder, see `write_segment`."""
    vector_index = approximation_of(vector_index, count)
    if vector_index == "exact":
        return {}
    arrays = read_tensors(work / VECTORS)
    if vector_index == "cells":
        rows = Quantized(arrays["codes"], arrays["scales"])
        return {CELLS: write_tensors(work / CELLS, cell_arrays(rows))}
    # usearch costs 50 ms to import: only segments that need a graph pay for it.
    from quire.index.usearch import write_graph

    write_graph(arrays["codes"], work / GRAPH)
    return {GRAPH: file_facts(work / GRAPH)}


def amend_manifest(folder: Path, **changes: Any) -> Manifest:
    """Replace fields of a written segment's manifest, such as `calibration` or `notes`.

    All but `notes` give the segment another digest, so this comes before publishing.
    """
    manifest = read_manifest((folder / MANIFEST).read_bytes())._replace(**changes)
    write_durably(folder / MANIFEST, manifest.to_json())
    return manifest


def write_durably(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole after a crash, or as it was before."""
    beside = path.with_name(f".{path.name}.new")
    with beside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


MOST_CHUNKS = 1_000_000
"""What a segment is merged of at most: a function holds it, and a step that merges it ends within minutes."""


def write_build(
    folder: Path,
    kept: Sequence[KeptRows],
    facts: SegmentFacts,
    *,
    vector_index: str = "auto",
    most_chunks: int = MOST_CHUNKS,
) -> Manifest:
    """Write what is kept of segments, in the order of their documents' ids, into `folder`, which must not exist.

    Up to `most_chunks` that is a segment. Beyond, segments of about so many lie in folders of it, with nothing in their
    manifests that holds for the build as a whole, beside a manifest of them all: see `quire.index.layout.BuildFacts`.

    Raises:
        ArtifactError, ArtifactMismatch: as of `write_segment`.
    """
    groups = list(_grouped(kept, most_chunks))
    if len(groups) < 2:
        return write_segment(folder, (), facts, kept=kept, vector_index=vector_index)
    folder.mkdir(parents=True)
    plain = facts._replace(**BuildFacts()._asdict())
    manifests = [
        write_segment(folder / part_folder(number), (), plain, kept=group, vector_index=vector_index)
        for number, group in enumerate(groups)
    ]
    whole = BuildFacts(facts.calibration, facts.sources, facts.extra, facts.notes)
    manifest = joined_manifest(manifests, whole)
    write_durably(folder / MANIFEST, manifest.to_json())
    return manifest


def _grouped(kept: Iterable[KeptRows], most_chunks: int) -> Iterator[list[KeptRows]]:
    """Neighbours together for as long as they are not more chunks than that."""
    group: list[KeptRows] = []
    held = 0
    for one in kept:
        if group and held + len(one.ordinals) > most_chunks:
            yield group
            group, held = [], 0
        group.append(one)
        held += len(one.ordinals)
    if group:
        yield group
