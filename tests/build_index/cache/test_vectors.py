"""Vectors by content between builds: the same bytes, nothing embedded twice, and damage survived."""

from __future__ import annotations

import logging
import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from build_index.cache import vectors as vector_cache
from build_index.cache.vectors import COMMIT_EVERY, CachedVectors, pack, passage_key, unpack
from quire.embedding.onnx import OnnxEmbedder
from quire.embedding.quantization import Quantized, quantize
from quire.errors import StoreError
from quire.ports import Vectors
from tests.support.fakes import HashingEmbedder
from tests.support.tree import ROOT

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
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "vectors.sqlite"


def test_cached_vectors_are_the_fresh_ones(path: Path) -> None:
    wanted = fresh(PASSAGES)
    first = CachedVectors(Counting(), path)
    assert as_bytes(first(PASSAGES)) == wanted
    assert (first.hits, first.misses) == (0, len(PASSAGES))
    assert first.tokens > 0
    again = CachedVectors(Counting(), path)
    assert as_bytes(again(iter(PASSAGES))) == wanted
    assert (again.hits, again.misses, again.tokens) == (len(PASSAGES), 0, 0)


def test_the_real_models_vectors_come_back_bit_for_bit(path: Path, embedder: OnnxEmbedder) -> None:
    passages = PASSAGES[:12]
    first = list(CachedVectors(embedder, path)(passages))
    again = CachedVectors(embedder, path)
    second = list(again(passages))
    assert again.misses == 0
    assert as_bytes(first) == as_bytes(second)
    assert max(len(one) for one in second) > 1
    assert all(one.codes.dtype == np.int8 and one.scales.dtype == np.float32 for one in second)


def test_only_what_changed_is_embedded(path: Path) -> None:
    list(CachedVectors(Counting(), path)(PASSAGES))
    changed = [*PASSAGES[:100], ("Part 1", "a new text"), *PASSAGES[101:]]
    random.Random(3).shuffle(changed)
    embedder = Counting()
    assert as_bytes(CachedVectors(embedder, path)(changed)) == fresh(changed)
    assert embedder.seen == [("Part 1", "a new text")]


def test_a_passage_that_comes_again_is_embedded_once(path: Path) -> None:
    embedder = Counting()
    cached = CachedVectors(embedder, path)
    passages = [("a", "same"), ("b", "same"), ("a", "same")]
    assert as_bytes(cached(passages)) == fresh(passages)
    assert embedder.seen == [("a", "same"), ("b", "same")]
    assert (cached.hits, cached.misses) == (1, 2)


def test_another_model_shares_nothing(path: Path) -> None:
    list(CachedVectors(Counting(64), path)(PASSAGES[:5]))
    other = CachedVectors(Counting(32), path)
    assert [one.codes.shape[1] for one in other(PASSAGES[:5])] == [32] * 5
    assert other.misses == 5


def test_no_passage_gives_nothing(path: Path) -> None:
    assert list(CachedVectors(Counting(), path)([])) == []


def test_an_interrupted_build_loses_at_most_one_commit(path: Path) -> None:
    class Failing(HashingEmbedder):
        def embed_passages(self, passages: Iterable[tuple[str, str]]) -> Iterator[Vectors]:
            yield from islice(super().embed_passages(passages), 200)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(CachedVectors(Failing(), path)(PASSAGES))
    again = CachedVectors(HashingEmbedder(), path)
    assert as_bytes(again(PASSAGES)) == fresh(PASSAGES)
    assert again.hits == 200


def test_vectors_are_committed_while_the_build_goes_on(path: Path) -> None:
    running = CachedVectors(HashingEmbedder(), path)(PASSAGES)
    list(islice(running, COMMIT_EVERY + 1))
    beside = CachedVectors(HashingEmbedder(), path)
    list(beside(PASSAGES[:COMMIT_EVERY]))
    assert beside.hits == COMMIT_EVERY
    assert len(list(running)) == len(PASSAGES) - COMMIT_EVERY - 1


def test_blocks_keep_the_order(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_cache, "BLOCK", 7)
    assert as_bytes(CachedVectors(HashingEmbedder(), path)(PASSAGES)) == fresh(PASSAGES)
    assert as_bytes(CachedVectors(HashingEmbedder(), path)(PASSAGES)) == fresh(PASSAGES)


def test_a_flipped_byte_in_a_row_is_found_and_embedded_again(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    list(CachedVectors(Counting(), path)(PASSAGES[:20]))
    key = passage_key(Counting().digest, PASSAGES[4])
    connection = sqlite3.connect(path)
    with connection:
        ((data,),) = connection.execute("SELECT data FROM vectors WHERE key = ?", (key,))
        damaged = bytes([data[0] ^ 1]) + data[1:]
        connection.execute("UPDATE vectors SET data = ? WHERE key = ?", (damaged, key))
    connection.close()
    embedder = Counting()
    with caplog.at_level(logging.WARNING):
        assert as_bytes(CachedVectors(embedder, path)(PASSAGES[:20])) == fresh(PASSAGES[:20])
    assert embedder.seen == [PASSAGES[4]]
    assert "a damaged vector is embedded again" in caplog.text
    assert CachedVectors(Counting(), path)._read([key])


@pytest.mark.parametrize("damage", ["not a database", "header", "pages", "cut"])
def test_a_damaged_file_is_made_again(path: Path, damage: str, caplog: pytest.LogCaptureFixture) -> None:
    list(CachedVectors(HashingEmbedder(), path)(PASSAGES))
    content = bytearray(path.read_bytes())
    assert len(content) > 16384
    if damage == "not a database":
        content[:] = b"something else " * 1000
    elif damage == "header":
        content[:100] = bytes(100)
    elif damage == "pages":
        content[4096:] = b"\xa5" * (len(content) - 4096)
    else:
        del content[6000:]
    path.write_bytes(content)
    with caplog.at_level(logging.WARNING):
        assert as_bytes(CachedVectors(HashingEmbedder(), path)(PASSAGES)) == fresh(PASSAGES)
    assert "damaged" in caplog.text
    again = CachedVectors(HashingEmbedder(), path)
    assert as_bytes(again(PASSAGES)) == fresh(PASSAGES)
    assert again.misses == 0


def test_a_path_that_cannot_be_written_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(StoreError, match="vector cache: cannot be read"):
        list(CachedVectors(HashingEmbedder(), tmp_path / "folder")(PASSAGES[:1]))


def test_two_processes_share_one_file(path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from build_index.cache.vectors import CachedVectors; "
        "from tests.support.fakes import HashingEmbedder; "
        "from tests.build_index.cache.test_vectors import PASSAGES; "
        "print(sum(len(one) for one in CachedVectors(HashingEmbedder(), Path(sys.argv[1]))(PASSAGES)))"
    )
    command = (sys.executable, "-c", script, str(path))
    paths = {"PYTHONPATH": f"{ROOT}:{ROOT / 'layers/core/python'}"}
    running = [
        subprocess.Popen(command, env=paths, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    answers = [one.communicate(timeout=120) for one in running]
    assert [(one.returncode, answer[1]) for one, answer in zip(running, answers, strict=True)] == [
        (0, "")
    ] * 2
    assert len({answer[0] for answer in answers}) == 1
    after = CachedVectors(HashingEmbedder(), path)
    assert as_bytes(after(PASSAGES)) == fresh(PASSAGES)
    assert after.misses == 0


@given(rows=arrays(np.float32, st.tuples(st.integers(1, 4), st.just(6)), elements=st.integers(-99, 99)))
def test_packing_gives_the_vectors_back(rows: Vectors) -> None:
    vectors = quantize(rows)
    found = unpack(pack(vectors), 6)
    assert found is not None
    assert as_bytes([found]) == as_bytes([vectors])


@given(data=st.binary(max_size=60), flip=st.integers(0, 10**6))
def test_other_bytes_are_not_taken_for_vectors(data: bytes, flip: int) -> None:
    good = pack(quantize(np.eye(2, 6, dtype=np.float32)))
    at, bit = flip % len(good), 1 << (flip % 8)
    assert unpack(good[:at] + bytes([good[at] ^ bit]) + good[at + 1 :], 6) is None
    assert unpack(good[:-1], 6) is None
    assert data == good or unpack(data, 6) is None


def test_prefix_and_text_both_name_a_passage() -> None:
    keys = {
        passage_key(HashingEmbedder().digest, one) for one in [("a", "b"), ("", "ab"), ("ab", ""), ("b", "a")]
    }
    assert len(keys) == 4
