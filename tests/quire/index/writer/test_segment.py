from __future__ import annotations

import json
import mmap
import random
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from quire.documents import Chunk
from quire.embedding.quantization import quantize
from quire.errors import ArtifactCorrupt, ArtifactError, ArtifactMismatch
from quire.index.layout import GRAPH, MANIFEST, Counts, read_manifest
from quire.index.reader import Segment, open_segment, verify_segment
from quire.index.usearch import write_graph
from quire.index.writer import IndexRow, SegmentFacts, amend_manifest, write_segment
from tests.support.rows import (
    DIMENSIONS,
    FACTS,
    build,
    clustered,
    make_rows,
    open_index,
    plain_row,
    tree_bytes,
)

COUNT = 250
FILES = (
    "columns.safetensors",
    "graph.usearch",
    "keywords.safetensors",
    "manifest.json",
    "payloads/00000.jsonl",
    "spelling.safetensors",
    "vectors.safetensors",
)


@pytest.fixture(scope="module")
def segment(tmp_path_factory: pytest.TempPathFactory) -> Segment:
    folder = tmp_path_factory.mktemp("artifact") / "segment"
    write_segment(folder, make_rows(COUNT), FACTS, vector_index="usearch")
    return open_segment(folder)


def test_a_segment_is_these_files_and_no_others(segment: Segment) -> None:
    assert tuple(sorted(tree_bytes(segment.folder))) == FILES
    assert {*segment.manifest.files, MANIFEST} == set(FILES)
    verify_segment(segment.folder, segment.manifest.digest)


def test_every_chunk_comes_back_as_it_went_in(segment: Segment) -> None:
    for ordinal, row in enumerate(make_rows(COUNT)):
        chunk = segment.payloads.fetch([ordinal])[0]
        assert chunk._replace(metadata={}) == row.chunk._replace(metadata={})
        assert dict(chunk.metadata) == dict(row.chunk.metadata)
        assert segment.ids.find(chunk.id) == ordinal


def test_every_array_holds_what_the_rows_said(segment: Segment) -> None:
    rows = list(make_rows(COUNT))
    codes = np.concatenate([row.vectors.codes for row in rows])
    assert np.array_equal(segment.vectors.codes, codes)
    assert np.array_equal(segment.vectors.scales, np.concatenate([row.vectors.scales for row in rows]))
    assert segment.vectors.owners.tolist() == [
        n for n, row in enumerate(rows) for _ in range(len(row.vectors))
    ]
    assert (segment.lengths / 4).tolist() == [row.length for row in rows]
    for term in list(rows[0].terms)[:5]:
        ordinals, weights = segment.terms.entry(term)
        expected = [(n, row.terms[term]) for n, row in enumerate(rows) if term in row.terms]
        assert list(zip(ordinals.tolist(), (weights / 4).tolist(), strict=True)) == expected
    assert segment.symbols.ordinals("class7.member7").tolist() == [7]
    assert segment.documents.ordinals("doc/00002.md").tolist() == [10, 11, 12, 13, 14]
    assert segment.document_numbers.tolist() == [n // 5 for n in range(COUNT)]


def test_the_manifest_counts_by_source_and_in_whole(segment: Segment) -> None:
    rows = list(make_rows(COUNT))
    counts = Counts(
        documents=COUNT // 5,
        chunks=COUNT,
        vectors=sum(len(row.vectors) for row in rows),
        characters=sum(len(row.chunk.text) for row in rows),
        symbols=2 * COUNT,
    )
    assert segment.manifest.counts == counts
    assert segment.manifest.source_counts == {"docs": counts}
    assert segment.manifest.sources == FACTS.sources


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("place", ["first", "middle", "last"])
def test_a_flipped_byte_in_any_file_is_found_and_named(
    segment: Segment, tmp_path: Path, name: str, place: str
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(segment.folder, folder)
    data = bytearray((folder / name).read_bytes())
    at = {"first": 0, "middle": len(data) // 2, "last": len(data) - 1}[place]
    data[at] ^= 0x01
    (folder / name).write_bytes(data)
    with pytest.raises((ArtifactCorrupt, ArtifactMismatch), match=name.replace(".", r"\.")) as caught:
        verify_segment(folder, segment.manifest.digest)
    if name != MANIFEST:
        assert f"expected {segment.manifest.files[name].sha256}" in str(caught.value)


def test_any_flipped_byte_of_the_manifest_is_found(segment: Segment, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(segment.folder, folder)
    whole = (folder / MANIFEST).read_bytes()
    for at in range(0, len(whole), 7):
        (folder / MANIFEST).write_bytes(whole[:at] + bytes([whole[at] ^ 0x02]) + whole[at + 1 :])
        with pytest.raises(ArtifactError, match=r"manifest\.json"):
            verify_segment(folder, segment.manifest.digest)


@pytest.mark.parametrize("name", [name for name in FILES if name != MANIFEST])
def test_a_file_cut_short_or_missing_does_not_open(segment: Segment, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(segment.folder, folder)
    (folder / name).write_bytes((folder / name).read_bytes()[:-1])
    with pytest.raises(ArtifactCorrupt, match=f"{name}: [0-9]+ bytes expected [0-9]+"):
        open_segment(folder)
    (folder / name).unlink()
    with pytest.raises(ArtifactCorrupt, match=f"{name}: no such file"):
        open_segment(folder)


def test_a_file_too_many_is_found(segment: Segment, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(segment.folder, folder)
    (folder / "payloads" / "extra.jsonl").write_text("{}")
    with pytest.raises(ArtifactCorrupt, match=r"payloads/extra\.jsonl"):
        verify_segment(folder)


def test_a_segment_under_another_name_is_refused(segment: Segment) -> None:
    with pytest.raises(ArtifactCorrupt, match=f"{segment.manifest.digest} expected {'0' * 64}"):
        open_segment(segment.folder, "0" * 64)


def test_another_format_is_refused_by_name(segment: Segment, tmp_path: Path) -> None:
    tree = json.loads((segment.folder / MANIFEST).read_bytes())
    with pytest.raises(
        ArtifactMismatch, match="format 99, this program reads 1; use the Quire that wrote it"
    ):
        read_manifest(json.dumps(tree | {"format": 99}).encode())
    with pytest.raises(ArtifactMismatch, match="format 0, this program reads 1; build the index again"):
        read_manifest(json.dumps(tree | {"format": 0}).encode())


def test_the_same_rows_give_the_same_bytes_in_any_order_of_documents(
    segment: Segment, tmp_path: Path
) -> None:
    rows = list(make_rows(COUNT))
    documents = [rows[start : start + 5] for start in range(0, COUNT, 5)]
    random.Random(4).shuffle(documents)
    mixed = [row for document in documents for row in document]
    write_segment(tmp_path / "again", mixed, FACTS, vector_index="usearch")
    assert tree_bytes(tmp_path / "again") == tree_bytes(segment.folder)


def test_a_graph_of_the_same_rows_has_the_same_bytes_and_none_is_written_where_none_is_wanted(
    tmp_path: Path,
) -> None:
    codes = quantize(clustered(3000, DIMENSIONS)).codes
    for name in ("one", "two"):
        write_graph(codes, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert (
        write_segment(tmp_path / "none", make_rows(5), FACTS, vector_index="exact").files.get(GRAPH) is None
    )


def test_notes_do_not_name_the_segment_but_all_else_does(tmp_path: Path) -> None:
    first = write_segment(tmp_path / "a", make_rows(5), FACTS._replace(notes={"cpu": "avx2"}))
    second = write_segment(tmp_path / "b", make_rows(5), FACTS._replace(notes={"cpu": "neon"}))
    third = write_segment(tmp_path / "c", make_rows(5), FACTS._replace(extra={}))
    assert first.digest == second.digest != third.digest
    assert first.notes != second.notes


def test_a_manifest_can_be_amended_before_publishing(tmp_path: Path) -> None:
    before = write_segment(tmp_path / "a", make_rows(5), FACTS)
    after = amend_manifest(tmp_path / "a", calibration={"slope": 2.5}, notes={"ndcg": 0.7})
    assert after.calibration == {"slope": 2.5}
    assert after.digest != before.digest
    assert open_segment(tmp_path / "a", after.digest).manifest == after
    verify_segment(tmp_path / "a")


def test_payloads_are_cut_into_shards_of_a_megabyte(tmp_path: Path) -> None:
    rows = [plain_row(f"d{number:02d}", "0", f"{number} " * 25_000) for number in range(49)]
    segment = build(tmp_path / "s", rows)
    sizes = [facts.size for name, facts in segment.manifest.files.items() if name.startswith("payloads/")]
    assert len(sizes) == 4
    assert all(1_000_000 <= size < 1_100_000 for size in sizes[:-1])
    assert [chunk.id for chunk in segment.payloads.fetch(range(49))] == [row.chunk.id for row in rows]


def test_an_empty_segment_can_be_written_and_opened(tmp_path: Path) -> None:
    segment = build(tmp_path / "s", [])
    assert segment.chunk_count == 0
    assert len(segment.vectors) == 0
    assert segment.ids.find("0" * 16) is None


def test_text_of_any_script_is_kept(tmp_path: Path) -> None:
    text = "naïve — 日本語 🎉 \u2028 tab\t \x00 end"
    segment = build(tmp_path / "s", [plain_row("d", "0", text)])
    assert segment.payloads.fetch([0])[0].text == text
    assert segment.terms.ordinals("日本語").tolist() == [0]


def test_two_chunks_of_one_id_are_refused(tmp_path: Path) -> None:
    row = plain_row("d", "0", "one")
    with pytest.raises(ArtifactError, match=f"{row.chunk.id}: given to two chunks"):
        write_segment(tmp_path / "s", [row, row], FACTS)
    assert list(tmp_path.iterdir()) == []


def test_a_malformed_id_is_refused(tmp_path: Path) -> None:
    row = replace(plain_row("d", "0", "one"), chunk=Chunk("not-hex", "d", "one"))
    with pytest.raises(ArtifactError, match="'not-hex': wanted 16 hexadecimal digits"):
        write_segment(tmp_path / "s", [row], FACTS)


def test_text_that_cannot_be_stored_is_named(tmp_path: Path) -> None:
    row = plain_row("d", "0", "one")
    broken = replace(row, chunk=row.chunk._replace(text="\ud800"))
    with pytest.raises(ArtifactError, match=f"chunk {row.chunk.id} of d: cannot be stored"):
        write_segment(tmp_path / "s", [broken], FACTS)


def test_vectors_of_another_width_are_refused(tmp_path: Path) -> None:
    facts = SegmentFacts("docs", "chatbot", (), DIMENSIONS + 1)
    with pytest.raises(ArtifactMismatch, match=f"{DIMENSIONS} dimensions, wanted {DIMENSIONS + 1}"):
        write_segment(tmp_path / "s", make_rows(1), facts)


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    def rows() -> Iterator[IndexRow]:
        yield plain_row("d", "0", "one")
        raise OSError("the source went away")

    with pytest.raises(OSError, match="went away"):
        write_segment(tmp_path / "s", rows(), FACTS)
    assert list(tmp_path.iterdir()) == []


def test_opening_maps_and_costs_the_same_however_large_the_segment(tmp_path: Path) -> None:
    def spent_s(folder: Path) -> float:
        """CPU seconds of opening it, the least of nine."""
        took = []
        for _ in range(9):
            begin = time.process_time()
            open_index(open_segment(folder))
            took.append(time.process_time() - begin)
        return min(took)

    for name, count in (("small", 200), ("s", 20_000)):
        rows = (plain_row(f"d{number:05d}", "0", f"word{number} some text") for number in range(count))
        write_segment(tmp_path / name, rows, FACTS)
    assert spent_s(tmp_path / "s") < 4 * spent_s(tmp_path / "small")
    segment = open_segment(tmp_path / "s")
    index = open_index(segment)
    assert index.chunk_count == 20_000
    assert index.documents.chunks("d19999").tolist() == [19_999]
    for array in (segment.fingerprints, segment.documents.starts, segment.document_numbers):
        assert isinstance(array.base, mmap.mmap)
