from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.embedding.quantization import restore
from quire.errors import ArtifactCorrupt, ArtifactMismatch, InputError
from quire.index.opened import OpenedIndex
from quire.index.parts import STACKED_CHUNKS
from quire.index.reader import Segment, open_segment
from quire.index.writer import IndexRow
from tests.support.rows import DIMENSIONS, FACTS, build, clustered, make_rows, open_index, plain_row

COUNT = 300
ROWS = list(make_rows(COUNT))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> OpenedIndex:
    return open_index(build(tmp_path_factory.mktemp("index") / "s", ROWS))


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> list[Segment]:
    folder = tmp_path_factory.mktemp("pieces")
    return [build(folder / str(start), ROWS[start : start + 5]) for start in range(0, COUNT, 5)]


@pytest.fixture(scope="module")
def split(pieces: list[Segment]) -> OpenedIndex:
    return open_index(*pieces)


def bm25_by_hand(rows: list[IndexRow], terms: Mapping[str, float]) -> dict[int, float]:
    """BM25 as the textbook writes it, one chunk at a time, in double precision."""
    average = sum(row.length for row in rows) / len(rows)
    scores: dict[int, float] = {}
    for number, row in enumerate(rows):
        total = 0.0
        for term, weight in terms.items():
            holding = sum(1 for other in rows if term in other.terms)
            if term in row.terms:
                tf = row.terms[term]
                idf = math.log(1 + (len(rows) - holding + 0.5) / (holding + 0.5))
                total += weight * idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * row.length / average))
        if total:
            scores[number] = total
    return scores


TERMS = sorted({term for row in ROWS[:20] for term in row.terms})
QUESTION = st.dictionaries(st.sampled_from([*TERMS, "absent"]), st.sampled_from([0.5, 1.0, 2.0]), max_size=8)


@settings(max_examples=25)
@given(QUESTION)
def test_keywords_score_as_an_independent_bm25(whole: OpenedIndex, question: dict[str, float]) -> None:
    expected = bm25_by_hand(ROWS, question)
    found = whole.search(question, COUNT)
    assert set(found.ordinals.tolist()) == set(expected)
    assert np.allclose(found.scores, [expected[n] for n in found.ordinals.tolist()], rtol=1e-5)
    assert np.all(np.diff(found.scores) <= 0)


@given(QUESTION, st.integers(0, COUNT - 1), st.integers(1, 60))
def test_many_small_segments_rank_as_one_large_one(
    whole: OpenedIndex, split: OpenedIndex, question: dict[str, float], chosen: int, limit: int
) -> None:
    vector = restore(ROWS[chosen].vectors)[0]
    for one, other in (
        (whole.search(question, limit), split.search(question, limit)),
        (whole.nearest(vector, limit), split.nearest(vector, limit)),
    ):
        assert one.ordinals.tolist() == other.ordinals.tolist()
        assert one.scores.tobytes() == other.scores.tobytes()


def test_everything_else_is_the_same_over_many_segments(whole: OpenedIndex, split: OpenedIndex) -> None:
    every = np.arange(COUNT, dtype=np.uint32)
    assert whole.chunk_count == split.chunk_count == COUNT
    assert [c.id for c in split.fetch(every)] == [row.chunk.id for row in ROWS]
    assert split.documents.numbers(every).tolist() == whole.documents.numbers(every).tolist()
    assert split.fingerprints(every).tolist() == whole.fingerprints(every).tolist()
    assert split.symbols.chunks("Member7").tolist() == whole.symbols.chunks("member7").tolist() == [7]
    assert split.documents.chunks("doc/00003.md").tolist() == [15, 16, 17, 18, 19]
    assert split.find(ROWS[42].chunk.id) == whole.find(ROWS[42].chunk.id) == 42
    for word in ("bacodu", "fegi", TERMS[3], TERMS[4][1:]):
        assert split.near(word, 10) == whole.near(word, 10)
        assert split.document_frequency(word) == whole.document_frequency(word)


def test_an_index_of_a_profile_that_is_not_known_here_is_not_opened(tmp_path: Path) -> None:
    segment = build(tmp_path / "s", ROWS[:5], FACTS._replace(profile="glossary"))
    with pytest.raises(
        ArtifactMismatch, match=r"'glossary' is none of code, docs, .* start it anew with the code"
    ):
        open_index(segment)


def test_small_segments_are_stacked_and_large_ones_are_not(pieces: list[Segment]) -> None:
    assert len(pieces) * pieces[0].chunk_count <= STACKED_CHUNKS
    assert [part.chunk_count for part in open_index(*pieces)._live.parts] == [160, 80, 40, 20]
    assert len(open_index(pieces[0])._live.parts) == 1


def brute_force(filters: dict[str, object]) -> list[int]:
    def holds(row: IndexRow, name: str, wanted: object) -> bool:
        value = row.chunk.metadata[name]
        values = {str(one).lower() for one in (value if isinstance(value, tuple) else (value,))}
        return bool(values & {str(one).lower() for one in (wanted if isinstance(wanted, list) else [wanted])})

    return [
        n for n, row in enumerate(ROWS) if all(holds(row, name, wanted) for name, wanted in filters.items())
    ]


FILTERS = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from(["guide", "reference", ["guide", "tutorial"], "unseen", []]),
        "tags": st.sampled_from(["all", "tag1", ["tag1", "tag2"]]),
        "level": st.sampled_from([0, "3", [1, 2]]),
        "hidden": st.sampled_from([True, False, "true", [True, False]]),
    },
)


@given(FILTERS)
def test_filters_are_exact(whole: OpenedIndex, split: OpenedIndex, filters: dict[str, object]) -> None:
    allowed = whole.filters.chunks(filters)
    if not filters:
        assert allowed is None
        return
    assert allowed is not None
    assert allowed.tolist() == split.filters.chunks(filters).tolist() == brute_force(filters)  # type: ignore[union-attr]
    vector = clustered(1, 64, seed=3)[0]
    assert sorted(whole.nearest(vector, COUNT, allowed).ordinals.tolist()) == allowed.tolist()
    found = whole.search({TERMS[0]: 1.0, TERMS[1]: 1.0}, COUNT, allowed).ordinals.tolist()
    every = whole.search({TERMS[0]: 1.0, TERMS[1]: 1.0}, COUNT).ordinals.tolist()
    assert found == [n for n in every if n in set(allowed.tolist())]


def test_an_unknown_filter_field_is_named_with_those_there_are(whole: OpenedIndex) -> None:
    with pytest.raises(InputError, match=r"filters\.colour: .*kind, tags, level, hidden") as caught:
        whole.filters.chunks({"kind": "guide", "colour": "red"})
    assert caught.value.field == "filters.colour"


def test_a_value_no_chunk_has_gives_nothing(whole: OpenedIndex) -> None:
    assert whole.filters.chunks({"kind": "unseen"}).tolist() == []  # type: ignore[union-attr]


def test_a_tombstone_hides_a_document_from_every_method(pieces: list[Segment]) -> None:
    gone, kept = "doc/00002.md", "doc/00003.md"
    index = open_index(*pieces, tombstones={gone: 4, kept: 4, "doc/absent.md": 9})
    hidden = {10, 11, 12, 13, 14}
    vector = restore(ROWS[12].vectors)[0]
    every = np.arange(COUNT, dtype=np.uint32)
    assert index.chunk_count == COUNT - 5
    assert not hidden & set(index.nearest(vector, COUNT).ordinals.tolist())
    assert not hidden & set(index.nearest(vector, COUNT, every).ordinals.tolist())
    assert len(index.nearest(vector, COUNT)) == COUNT - 5
    for term in ROWS[12].terms:
        assert not hidden & set(index.search({term: 1.0}, COUNT).ordinals.tolist())
    assert not hidden & set(index.filters.chunks({"tags": "all"}).tolist())  # type: ignore[union-attr]
    assert index.symbols.chunks("Member12").tolist() == []
    assert not index.has_symbol("Member12")
    assert index.find(ROWS[12].chunk.id) is None
    assert index.documents.chunks(gone).tolist() == []
    assert index.documents.chunks(kept).tolist() == [15, 16, 17, 18, 19]


@settings(max_examples=25)
@given(QUESTION, st.sets(st.integers(0, COUNT // 5 - 1), max_size=30))
def test_keyword_scores_do_not_count_what_is_hidden(
    whole: OpenedIndex, question: dict[str, float], deleted: set[int]
) -> None:
    tombstones = {f"doc/{number:05d}.md": 2 for number in deleted}
    index = OpenedIndex([(whole.segments[0], 1)], tombstones=tombstones)
    live = [(n, row) for n, row in enumerate(ROWS) if n // 5 not in deleted]
    expected = bm25_by_hand([row for _, row in live], question)
    found = index.search(question, COUNT)
    assert np.allclose(found.scores, sorted(expected.values(), reverse=True), rtol=1e-5)
    assert set(found.ordinals.tolist()) == {live[n][0] for n in expected}


def test_a_replaced_document_is_found_once_in_its_new_form(tmp_path: Path) -> None:
    old = build(tmp_path / "old", [plain_row("a", "0", "old words"), plain_row("b", "0", "other")])
    new = build(tmp_path / "new", [plain_row("a", "0", "new words")])
    index = OpenedIndex([(old, 1), (new, 2)], tombstones={"a": 2})
    assert [chunk.text for chunk in index.fetch(index.search({"words": 1.0}, 9).ordinals)] == ["new words"]
    assert index.find(plain_row("a", "0", "x").chunk.id) == 2


def test_inherited_members_resolve_through_the_hierarchy_of_the_manifest(tmp_path: Path) -> None:
    row = plain_row("d", "0", "text")
    chunk = type(row.chunk)(row.chunk.id, "d", "text", symbols=("BasePart.Touched",))
    segment = build(tmp_path / "s", [IndexRow(chunk, row.terms, row.length, row.vectors)])
    index = open_index(segment)
    assert index.symbols.resolve("Part.Touched") == "BasePart.Touched"
    assert index.symbols.resolve("Part.Missing") is None


def test_an_index_without_segments_answers_with_nothing() -> None:
    index = OpenedIndex([])
    assert index.chunk_count == 0
    assert len(index.nearest(np.ones(64, np.float32), 5)) == 0
    assert len(index.search({"a": 1.0}, 5)) == 0
    assert index.symbols.chunks("a").tolist() == []
    assert index.near("word", 5) == []
    assert index.find("0" * 16) is None
    with pytest.raises(IndexError):
        index.fetch([0])


@pytest.mark.parametrize("ordinal", [-1, COUNT])
def test_an_ordinal_out_of_range_is_an_error(whole: OpenedIndex, split: OpenedIndex, ordinal: int) -> None:
    for index in (whole, split):
        with pytest.raises(IndexError, match=str(ordinal)):
            index.fetch([0, ordinal])


@pytest.mark.parametrize("chunk_id", ["", "xyz", "0x12", "-1", "f" * 16, "f" * 40, " " * 16])
def test_an_id_that_no_chunk_has_is_not_found(whole: OpenedIndex, chunk_id: str) -> None:
    assert whole.find(chunk_id) is None


def test_a_misspelt_word_leads_to_the_known_one(tmp_path: Path) -> None:
    texts = [
        "the humanoid moves",
        "a humanoid walks",
        "velocity of parts",
        "angular velocity",
        "typo humaniod",
    ]
    index = open_index(build(tmp_path / "s", [plain_row(f"d{n}", "0", text) for n, text in enumerate(texts)]))
    assert index.near("humaniod", 3)[0] == "humanoid"
    assert index.near("velocty", 3)[0] == "velocity"
    assert "humaniod" not in index.near("humaniod", 9)


def test_vectors_that_name_a_chunk_that_there_is_not_are_corrupt(tmp_path: Path) -> None:
    index = open_index(build(tmp_path / "s", ROWS[:5]))
    vector = np.ones(DIMENSIONS, np.float32)
    assert len(index.nearest(vector, 5).ordinals) == 5
    [file] = (tmp_path / "s").rglob("vectors.safetensors")
    data = bytearray(file.read_bytes())
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    end = 8 + int.from_bytes(data[:8], "little") + header["owners"]["data_offsets"][1]
    data[end - 2] ^= 1
    file.write_bytes(data)
    with pytest.raises(ArtifactCorrupt, match="they name chunk 65540 of 5"):
        open_index(open_segment(tmp_path / "s")).nearest(vector, 5)


def test_keywords_whose_lengths_do_not_agree_are_corrupt(tmp_path: Path) -> None:
    build(tmp_path / "s", ROWS[:5])
    [file] = (tmp_path / "s").rglob("keywords.safetensors")
    data = file.read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:end])
    [count], (begin, _) = header["terms.weights"]["shape"], header["terms.weights"]["data_offsets"]
    header["terms.weights"] |= {"shape": [count // 2], "data_offsets": [begin, begin + count // 2]}
    told = json.dumps(header, separators=(",", ":")).encode()
    file.write_bytes(data[:8] + told.ljust(end - 8) + data[end:])
    index = open_index(open_segment(tmp_path / "s"))
    terms = {term: 1.0 for row in ROWS[:5] for term in row.terms}
    with pytest.raises(ArtifactCorrupt, match="its keywords or columns are damaged"):
        index.search(terms, 5)


def test_symbols_and_filters_that_name_a_chunk_that_there_is_not_are_corrupt(tmp_path: Path) -> None:
    build(tmp_path / "s", ROWS[:5])
    [file] = (tmp_path / "s").rglob("columns.safetensors")
    data = bytearray(file.read_bytes())
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:end])
    for name, entry in header.items():
        if name.endswith(".ordinals"):
            begin, behind = (end + place for place in entry["data_offsets"])
            data[begin:behind] = b"\x40" * (behind - begin)
    file.write_bytes(data)
    index = open_index(open_segment(tmp_path / "s"))
    for symbol in {one for row in ROWS[:5] for one in row.chunk.symbols}:
        with pytest.raises(ArtifactCorrupt, match="they name chunk 1077952576 of 5"):
            index.symbols.chunks(symbol)


def test_spelling_that_names_a_word_that_there_is_not_is_corrupt(tmp_path: Path) -> None:
    build(tmp_path / "s", [plain_row("d", "0", "humanoid velocity")])
    [file] = (tmp_path / "s").rglob("spelling.safetensors")
    data = bytearray(file.read_bytes())
    end = 8 + int.from_bytes(data[:8], "little")
    begin, behind = json.loads(data[8:end])["trigrams.ordinals"]["data_offsets"]
    data[end + begin : end + behind] = b"\x40" * (behind - begin)
    file.write_bytes(data)
    with pytest.raises(ArtifactCorrupt, match="its spelling is damaged"):
        open_index(open_segment(tmp_path / "s")).near("humaniod", 3)
