"""Vectors by content between builds: the same bytes, nothing embedded twice, and damage survived."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from build_index.cache import vectors as vector_cache
from build_index.cache.store import ContentStore
from build_index.cache.vectors import COMMIT_EVERY, CachedVectors, pack, passage_key, unpack
from quire.embedding.onnx import OnnxEmbedder
from quire.embedding.quantization import Quantized, quantize
from quire.ports import Vectors
from tests.support.fakes import HashingEmbedder

PASSAGES = [
    (f"Part {number % 3}", f"passage {number} " * (1 + 200 * (number % 23 == 0))) for number in range(300)
]


class Counting(HashingEmbedder):
    """The fake, with the passages that reached it."""

    def __init__(self, dimensions: int = 64) -> None:
        super().__init__(dimensions)
        self.seen: list[tuple[str, str]] = []

    def embed_passages(self, passages: Iterable[tuple[str, str]]) -> Iterator[Vectors]:
        for passage in passages:
            self.seen.append(passage)
            yield from super().embed_passages([passage])


def as_bytes(vectors: Iterable[Quantized]) -> list[tuple[bytes, bytes]]:
    return [(one.codes.tobytes(), one.scales.tobytes()) for one in vectors]


def fresh(passages: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return as_bytes(quantize(rows) for rows in HashingEmbedder().embed_passages(passages))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ContentStore]:
    with closing(ContentStore(tmp_path / "cache")) as opened:
        yield opened


def test_cached_vectors_are_the_fresh_ones(store: ContentStore) -> None:
    wanted = fresh(PASSAGES)
    first = CachedVectors(Counting(), store)
    assert as_bytes(first(PASSAGES)) == wanted
    assert (first.hits, first.misses) == (0, len(PASSAGES))
    assert first.tokens > 0
    again = CachedVectors(Counting(), store)
    assert as_bytes(again(iter(PASSAGES))) == wanted
    assert (again.hits, again.misses, again.tokens) == (len(PASSAGES), 0, 0)


def test_the_real_models_vectors_come_back_bit_for_bit(store: ContentStore, embedder: OnnxEmbedder) -> None:
    passages = PASSAGES[:12]
    first = list(CachedVectors(embedder, store)(passages))
    again = CachedVectors(embedder, store)
    second = list(again(passages))
    assert again.misses == 0
    assert as_bytes(first) == as_bytes(second)
    assert max(len(one) for one in second) > 1
    assert all(one.codes.dtype == np.int8 and one.scales.dtype == np.float32 for one in second)


def test_only_what_changed_is_embedded(store: ContentStore) -> None:
    list(CachedVectors(Counting(), store)(PASSAGES))
    changed = [*PASSAGES[:100], ("Part 1", "a new text"), *PASSAGES[101:]]
    random.Random(3).shuffle(changed)
    embedder = Counting()
    assert as_bytes(CachedVectors(embedder, store)(changed)) == fresh(changed)
    assert embedder.seen == [("Part 1", "a new text")]


def test_a_passage_that_comes_again_is_embedded_once(store: ContentStore) -> None:
    embedder = Counting()
    cached = CachedVectors(embedder, store)
    passages = [("a", "same"), ("b", "same"), ("a", "same")]
    assert as_bytes(cached(passages)) == fresh(passages)
    assert embedder.seen == [("a", "same"), ("b", "same")]
    assert (cached.hits, cached.misses) == (1, 2)


def test_another_model_shares_nothing(store: ContentStore) -> None:
    list(CachedVectors(Counting(64), store)(PASSAGES[:5]))
    other = CachedVectors(Counting(32), store)
    assert [one.codes.shape[1] for one in other(PASSAGES[:5])] == [32] * 5
    assert other.misses == 5


def test_no_passage_gives_nothing(store: ContentStore) -> None:
    assert list(CachedVectors(Counting(), store)([])) == []


def test_an_interrupted_build_loses_at_most_one_commit(store: ContentStore) -> None:
    class Failing(HashingEmbedder):
        def embed_passages(self, passages: Iterable[tuple[str, str]]) -> Iterator[Vectors]:
            yield from islice(super().embed_passages(passages), 200)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(CachedVectors(Failing(), store)(PASSAGES))
    again = CachedVectors(HashingEmbedder(), store)
    assert as_bytes(again(PASSAGES)) == fresh(PASSAGES)
    assert again.hits == 200


def test_vectors_are_committed_while_the_build_goes_on(store: ContentStore) -> None:
    running = CachedVectors(HashingEmbedder(), store)(PASSAGES)
    list(islice(running, COMMIT_EVERY + 1))
    beside = CachedVectors(HashingEmbedder(), store)
    list(beside(PASSAGES[:COMMIT_EVERY]))
    assert beside.hits == COMMIT_EVERY
    assert len(list(running)) == len(PASSAGES) - COMMIT_EVERY - 1


def test_blocks_keep_the_order(store: ContentStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_cache, "BLOCK", 7)
    assert as_bytes(CachedVectors(HashingEmbedder(), store)(PASSAGES)) == fresh(PASSAGES)
    assert as_bytes(CachedVectors(HashingEmbedder(), store)(PASSAGES)) == fresh(PASSAGES)


@given(rows=arrays(np.float32, st.tuples(st.integers(1, 4), st.just(6)), elements=st.integers(-99, 99)))
def test_packing_gives_the_vectors_back(rows: Vectors) -> None:
    vectors = quantize(rows)
    found = unpack(pack(vectors), 6)
    assert found is not None
    assert as_bytes([found]) == as_bytes([vectors])


def test_bytes_of_another_length_are_not_taken_for_vectors() -> None:
    good = pack(quantize(np.eye(2, 6, dtype=np.float32)))
    assert unpack(good, 6) is not None
    assert unpack(good[:-1], 6) is None
    assert unpack(b"", 6) is None


def test_prefix_and_text_both_name_a_passage() -> None:
    keys = {
        passage_key(HashingEmbedder().digest, one) for one in [("a", "b"), ("", "ab"), ("ab", ""), ("b", "a")]
    }
    assert len(keys) == 4
