"""The contracts of `VectorIndex`, `KeywordIndex` and `PayloadStore`, over every implementation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from build_index.release.loading import SegmentsToLoad
from quire.adapters.opensearch import OpenSearchServer, open_opensearch
from quire.adapters.opensearch_wire import SEARCHING
from quire.embedding.quantization import restore
from quire.index.cells import CellVectors
from quire.index.exact import ExactVectors
from quire.index.keywords import KeywordPart, KeywordSearch
from quire.index.opened import OpenedIndex
from quire.index.parts import open_vectors
from quire.index.reader import Segment, open_segment
from quire.index.served import BuildOnServer
from quire.index.usearch import GraphVectors, write_graph
from quire.index.vectors import EXACT_ROWS
from quire.index.writer import write_segment
from quire.ports import KeywordIndex, PayloadStore, ServedChunks, VectorIndex
from quire.ranking import NONE, Ranking
from tests.support.opensearch import opensearch
from tests.support.plain_indexes import BruteForceVectors, CountedKeywords, ListedPayloads
from tests.support.rows import (
    DIMENSIONS,
    FACTS,
    build,
    isotropic,
    make_rows,
    normalized,
    open_index,
)

COUNT = 400
ROWS = list(make_rows(COUNT))
FLOATS = np.concatenate([restore(row.vectors) for row in ROWS])
OWNERS = [ordinal for ordinal, row in enumerate(ROWS) for _ in range(len(row.vectors))]


@pytest.fixture(scope="module")
def segment(tmp_path_factory: pytest.TempPathFactory) -> Segment:
    folder = tmp_path_factory.mktemp("ports") / "s"
    write_segment(folder, ROWS, FACTS, vector_index="usearch")
    return open_segment(folder)


@pytest.fixture(scope="module")
def celled(tmp_path_factory: pytest.TempPathFactory) -> Segment:
    folder = tmp_path_factory.mktemp("cells") / "s"
    write_segment(folder, ROWS, FACTS, vector_index="cells")
    return open_segment(folder)


@pytest.fixture(scope="module")
def split(tmp_path_factory: pytest.TempPathFactory) -> OpenedIndex:
    folder = tmp_path_factory.mktemp("split")
    return open_index(*(build(folder / str(i), ROWS[i : i + 50]) for i in range(0, COUNT, 50)))


@pytest.fixture(scope="module")
def server() -> Iterator[OpenSearchServer]:
    with opensearch() as stand_in:
        yield open_opensearch(stand_in.url, SEARCHING)


@pytest.fixture(scope="module")
def served(server: OpenSearchServer, segment: Segment) -> ServedChunks:
    server.load("quire-ports-000000000000", SegmentsToLoad([segment]))
    return server.open("quire-ports-000000000000", chunks=COUNT, vectors=len(FLOATS), hidden=NONE)


@pytest.fixture(scope="module")
def on_server(
    server: OpenSearchServer, segment: Segment, tmp_path_factory: pytest.TempPathFactory
) -> OpenedIndex:
    """Six segments of the same rows that the server holds, and two that were written live."""
    folder = tmp_path_factory.mktemp("live")
    segments = [build(folder / str(i), ROWS[i : i + 50]) for i in range(0, COUNT, 50)]
    server.load("quire-ports-000000000001", SegmentsToLoad(segments[:6]))
    held = BuildOnServer(server, "quire-ports-000000000001", 6)
    return OpenedIndex([(one, n) for n, one in enumerate(segments)], version="v", on_server=held)


def check_ranking(ranking: Ranking, limit: int) -> None:
    assert len(ranking) <= limit
    assert ranking.ordinals.dtype == np.uint32
    assert ranking.scores.dtype == np.float32
    assert len(set(ranking.ordinals.tolist())) == len(ranking)
    pairs = list(zip((-ranking.scores).tolist(), ranking.ordinals.tolist(), strict=True))
    assert pairs == sorted(pairs)


class VectorIndexContract:
    """What every vector index over ROWS promises; an approximate one says what share it may miss."""

    missed_share = 0.0

    @pytest.fixture
    def index(self) -> VectorIndex:
        raise AssertionError("a subclass gives the index")

    @pytest.mark.parametrize("limit", [1, 7, 50, COUNT])
    def test_the_nearest_chunks_come_first_each_once(self, index: VectorIndex, limit: int) -> None:
        missed = 0
        questions = normalized(FLOATS[::60] + 0.08 * isotropic(len(FLOATS[::60]), DIMENSIONS, seed=1))
        for question in questions:
            found = index.nearest(question, limit)
            check_ranking(found, limit)
            assert len(found) == limit
            expected = BruteForceVectors(FLOATS, OWNERS).nearest(question, limit)
            missed += int((found.scores < expected.scores - 2e-3).sum())
        assert missed <= self.missed_share * limit * len(questions)

    def test_a_chunk_finds_itself_by_any_of_its_vectors(self, index: VectorIndex) -> None:
        for row in range(0, len(FLOATS), 17):
            question = FLOATS[row] / np.linalg.norm(FLOATS[row])
            found = index.nearest(question, 1)
            assert found.ordinals.tolist() == [OWNERS[row]]
            assert found.scores[0] == pytest.approx(1.0, abs=5e-3)

    def test_only_allowed_chunks_are_found_and_all_of_them(self, index: VectorIndex) -> None:
        allowed = np.arange(3, COUNT, 13, dtype=np.uint32)
        found = index.nearest(FLOATS[0], COUNT, allowed)
        check_ranking(found, COUNT)
        assert sorted(found.ordinals.tolist()) == allowed.tolist()
        best = index.nearest(FLOATS[0], 4, allowed)
        assert best.ordinals.tolist() == found.ordinals[:4].tolist()

    def test_chunks_that_are_known_are_scored_in_their_order_as_a_search_scores_them(
        self, index: VectorIndex
    ) -> None:
        known = np.arange(1, COUNT, 29, dtype=np.uint32)
        found = index.nearest(FLOATS[5], COUNT, known)
        scores = index.cosines(FLOATS[5], known)
        assert scores.dtype == np.float32
        assert scores[np.searchsorted(known, found.ordinals)].tolist() == found.scores.tolist()
        assert index.cosines(FLOATS[5], NONE).tolist() == []

    def test_nothing_allowed_and_nothing_wanted_find_nothing(self, index: VectorIndex) -> None:
        assert len(index.nearest(FLOATS[0], 5, NONE)) == 0
        assert len(index.nearest(FLOATS[0], 0)) == 0


class TestBruteForceVectors(VectorIndexContract):
    @pytest.fixture
    def index(self) -> VectorIndex:
        return BruteForceVectors(FLOATS, OWNERS)


class TestExactVectors(VectorIndexContract):
    @pytest.fixture
    def index(self, segment: Segment) -> VectorIndex:
        return ExactVectors(segment.vectors)


class TestPrefilteredVectors(VectorIndexContract):
    missed_share = 0.02

    @pytest.fixture
    def index(self, segment: Segment) -> VectorIndex:
        return ExactVectors(segment.vectors, exact_rows=0)


class TestGraphVectors(VectorIndexContract):
    missed_share = 0.02

    @pytest.fixture
    def index(self, segment: Segment) -> VectorIndex:
        return open_vectors(segment, NONE)


class TestVectorsInCells(VectorIndexContract):
    @pytest.fixture
    def index(self, celled: Segment) -> VectorIndex:
        return open_index(celled)


class TestOpenedVectors(VectorIndexContract):
    @pytest.fixture
    def index(self, segment: Segment) -> VectorIndex:
        return open_index(segment)


class TestSplitVectors(VectorIndexContract):
    @pytest.fixture
    def index(self, split: OpenedIndex) -> VectorIndex:
        return split


@pytest.mark.parametrize("kind", ["exact", "prefiltered", "graph", "cells"])
def test_hidden_chunks_are_found_by_no_vector_index(segment: Segment, celled: Segment, kind: str) -> None:
    hidden = np.arange(0, COUNT, 2, dtype=np.uint32)
    exact = ExactVectors(segment.vectors, hidden, exact_rows=0 if kind == "prefiltered" else EXACT_ROWS)
    index: VectorIndex = exact
    if kind == "graph":
        index = open_vectors(segment, hidden)
        assert isinstance(index, GraphVectors)
    if kind == "cells":
        index = open_vectors(celled, hidden)
        assert isinstance(index, CellVectors)
    for limit in (10, COUNT):
        found = index.nearest(FLOATS[0], limit)
        assert not set(found.ordinals.tolist()) & set(hidden.tolist())
        assert len(found) == min(limit, COUNT // 2)


def test_the_same_rows_give_the_same_graph(segment: Segment, tmp_path: Path) -> None:
    write_graph(segment.vectors.codes, tmp_path / "again")
    assert segment.graph is not None
    assert (tmp_path / "again").read_bytes() == segment.graph.read_bytes()


class TestServedVectors(VectorIndexContract):
    @pytest.fixture
    def index(self, served: ServedChunks) -> VectorIndex:
        return served


class TestOpenedVectorsOnAServer(VectorIndexContract):
    @pytest.fixture
    def index(self, on_server: OpenedIndex) -> VectorIndex:
        return on_server


class KeywordIndexContract:
    """What every keyword index over ROWS promises."""

    @pytest.fixture
    def index(self) -> KeywordIndex:
        raise AssertionError("a subclass gives the index")

    @pytest.mark.parametrize("limit", [1, 7, COUNT])
    def test_the_best_chunks_come_first_and_only_those_that_hold_a_term(
        self, index: KeywordIndex, limit: int
    ) -> None:
        fake = CountedKeywords([row.terms for row in ROWS], [row.length for row in ROWS])
        for row in ROWS[:5]:
            question = dict(list(row.terms.items())[:6])
            found, expected = index.search(question, limit), fake.search(question, limit)
            check_ranking(found, limit)
            assert np.allclose(found.scores, expected.scores, rtol=1e-5)
            assert np.all(found.scores > 0)

    def test_only_allowed_chunks_are_found(self, index: KeywordIndex) -> None:
        term = next(iter(ROWS[0].terms))
        every = index.search({term: 1.0}, COUNT)
        allowed = np.sort(every.ordinals)[::3]
        found = index.search({term: 1.0}, COUNT, allowed)
        assert sorted(found.ordinals.tolist()) == allowed.tolist()
        kept = dict(zip(every.ordinals.tolist(), every.scores.tolist(), strict=True))
        assert [kept[ordinal] for ordinal in found.ordinals.tolist()] == found.scores.tolist()

    @pytest.mark.parametrize("terms", [{}, {"absent": 1.0}, {"": 1.0}])
    def test_unknown_terms_find_nothing(self, index: KeywordIndex, terms: dict[str, float]) -> None:
        assert len(index.search(terms, 5)) == 0

    def test_nothing_allowed_and_nothing_wanted_find_nothing(self, index: KeywordIndex) -> None:
        term = next(iter(ROWS[0].terms))
        assert len(index.search({term: 1.0}, 5, NONE)) == 0
        assert len(index.search({term: 1.0}, 0)) == 0

    def test_a_terms_frequency_is_the_number_of_chunks_that_hold_it(self, index: KeywordIndex) -> None:
        for term in [*list(ROWS[0].terms)[:5], "absent"]:
            assert index.frequency(term) == sum(term in row.terms for row in ROWS)

    def test_no_chunk_reaches_the_ideal(self, index: KeywordIndex) -> None:
        question = dict.fromkeys(list(ROWS[0].terms)[:6], 1.0)
        assert 0 < index.search(question, 1).scores[0] < index.ideal(question)


class TestCountedKeywords(KeywordIndexContract):
    @pytest.fixture
    def index(self) -> KeywordIndex:
        return CountedKeywords([row.terms for row in ROWS], [row.length for row in ROWS])


class TestKeywordSearch(KeywordIndexContract):
    @pytest.fixture
    def index(self, segment: Segment) -> KeywordIndex:
        return KeywordSearch([KeywordPart(segment.terms, segment.lengths, NONE)])


class TestOpenedKeywords(KeywordIndexContract):
    @pytest.fixture
    def index(self, split: OpenedIndex) -> KeywordIndex:
        return _Keywords(split)


class TestServedKeywords(KeywordIndexContract):
    @pytest.fixture
    def index(self, served: ServedChunks) -> KeywordIndex:
        return served


class TestOpenedKeywordsOnAServer(KeywordIndexContract):
    @pytest.fixture
    def index(self, on_server: OpenedIndex) -> KeywordIndex:
        return _Keywords(on_server)


class _Keywords:
    """An opened index as a `KeywordIndex`: it names the frequency after documents, as its callers do."""

    def __init__(self, index: OpenedIndex) -> None:
        self.search = index.search
        self.frequency = index.document_frequency
        self.ideal = index.keywords.ideal


class PayloadStoreContract:
    """What every payload store over ROWS promises."""

    @pytest.fixture
    def store(self) -> PayloadStore:
        raise AssertionError("a subclass gives the store")

    def test_chunks_come_in_the_order_of_the_ordinals_and_as_often(self, store: PayloadStore) -> None:
        ordinals = [5, 0, COUNT - 1, 5]
        assert store.fetch(ordinals) == [ROWS[ordinal].chunk for ordinal in ordinals]
        assert store.fetch(np.array(ordinals, np.uint32)) == store.fetch(ordinals)
        assert store.fetch([]) == []

    @pytest.mark.parametrize("ordinal", [-1, COUNT])
    def test_an_ordinal_out_of_range_is_an_error(self, store: PayloadStore, ordinal: int) -> None:
        with pytest.raises(IndexError):
            store.fetch([0, ordinal])


class TestListedPayloads(PayloadStoreContract):
    @pytest.fixture
    def store(self) -> PayloadStore:
        return ListedPayloads([row.chunk for row in ROWS])


class TestPayloadShards(PayloadStoreContract):
    @pytest.fixture
    def store(self, segment: Segment) -> PayloadStore:
        return segment.payloads


class TestOpenedPayloads(PayloadStoreContract):
    @pytest.fixture
    def store(self, split: OpenedIndex) -> PayloadStore:
        return split


class TestOpenedPayloadsOnAServer(PayloadStoreContract):
    @pytest.fixture
    def store(self, on_server: OpenedIndex) -> PayloadStore:
        return on_server
