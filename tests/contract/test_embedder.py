"""What every `quire.ports.Embedder` promises, over the real model and the fake."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quire.embedding import open_embedder
from quire.ports import Embedder
from tests.support.fakes import HashingEmbedder
from tests.support.model import exported_model

TEXTS = (
    "move a part",
    "Humanoid:MoveTo walks towards a point",
    "",
    "größe 大小 🙂",
    "a\nb\tc",
    "\ud800 lone",
    "x" * 300,
)
LONG = " ".join(f"sentence {number} speaks about topic {number % 7}." for number in range(200))


@pytest.fixture(scope="module", params=["fake", "int8", "int8 on two threads", "float32"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    if request.param == "fake":
        return HashingEmbedder()
    precision, _, rest = request.param.partition(" ")
    return open_embedder(exported_model(precision), threads=2 if rest else 1)


class TestEmbedder:
    def test_rows_are_float32_of_the_stated_width_and_unit_length(self, embedder: Embedder) -> None:
        rows = embedder.embed(TEXTS)
        assert rows.dtype == np.float32
        assert rows.shape == (len(TEXTS), embedder.dimensions)
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)

    def test_no_text_gives_no_row(self, embedder: Embedder) -> None:
        assert embedder.embed([]).shape == (0, embedder.dimensions)
        assert list(embedder.embed_passages([])) == []

    def test_the_digest_is_a_sha256(self, embedder: Embedder) -> None:
        assert len(bytes.fromhex(embedder.digest)) == 32

    def test_a_text_has_the_same_bytes_whatever_stands_beside_it(self, embedder: Embedder) -> None:
        together = embedder.embed(TEXTS)
        for text, row in zip(TEXTS, together, strict=True):
            assert embedder.embed([text])[0].tobytes() == row.tobytes()
        assert embedder.embed(TEXTS[::-1])[::-1].tobytes() == together.tobytes()

    def test_a_passage_has_the_same_bytes_whatever_stands_beside_it(self, embedder: Embedder) -> None:
        passages = [("Guide › Parts", text) for text in (*TEXTS, LONG)]
        together = list(embedder.embed_passages(passages))
        assert len(together) == len(passages)
        for passage, rows in zip(passages, together, strict=True):
            assert next(embedder.embed_passages([passage])).tobytes() == rows.tobytes()

    def test_a_long_passage_has_several_unit_rows_and_a_short_one_has_one(self, embedder: Embedder) -> None:
        short, long = embedder.embed_passages([("", "a short text"), ("Topics", LONG)])
        assert short.shape == (1, embedder.dimensions)
        assert len(long) > 3
        assert long.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(long, axis=1), 1.0, atol=1e-5)

    def test_the_end_of_a_long_passage_is_found_by_one_of_its_rows(self, embedder: Embedder) -> None:
        tail = "the sourdough starter is fed with rye flour every evening"
        (rows,) = embedder.embed_passages([("", f"{LONG} {tail}. {tail}.")])
        cosines = rows @ embedder.embed([tail])[0]
        assert cosines.argmax() == len(rows) - 1

    def test_the_prefix_takes_part_in_every_window(self, embedder: Embedder) -> None:
        plain, named = embedder.embed_passages([("", LONG), ("Bread", LONG)])
        assert len(plain) == len(named)
        assert all(a.tobytes() != b.tobytes() for a, b in zip(plain, named, strict=True))

    def test_passages_are_taken_as_they_are_needed(self, embedder: Embedder) -> None:
        rows = embedder.embed_passages([("", f"number {number}") for number in range(600)])
        assert len(list(islice(rows, 3))) == 3

    def test_texts_that_say_the_same_lie_nearer_than_others(self, embedder: Embedder) -> None:
        question, near, far = embedder.embed(
            [
                "anchored parts ignore physics",
                "an anchored part ignores physics",
                "feed the sourdough starter",
            ]
        )
        assert question @ near > question @ far + 0.2


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.text(max_size=80), max_size=4))
def test_any_text_gets_a_unit_row(texts: list[str], embedder: Embedder) -> None:
    rows = embedder.embed(texts)
    assert rows.shape == (len(texts), embedder.dimensions)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
