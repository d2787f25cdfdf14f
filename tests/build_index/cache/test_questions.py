"""Questions of a build are embedded once: what the cache gives is what the model would give."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from build_index.cache.questions import CachedQuestions
from quire.ports import Vectors

FIRST, SECOND = "Who coils the rope?", "Which way does it lie?"


class Counting:
    """An embedder of eight dimensions that says what it was asked."""

    dimensions = 8
    digest = "ab" * 32

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        rows = [np.random.default_rng(len(text)).standard_normal(self.dimensions) for text in texts]
        return np.array(rows, np.float32)

    def embed_passages(self, passages: Sequence[tuple[str, str]]) -> Iterator[Vectors]:
        return (self.embed([text]) for _, text in passages)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "questions" / "pages.sqlite"


def ask(path: Path, *texts: str) -> tuple[Vectors, list[str]]:
    """The rows, and what the model itself was asked for them."""
    model = Counting()
    with CachedQuestions(model, path) as cached:
        return cached.embed(texts), model.asked


def test_a_question_is_embedded_once_and_its_row_is_the_models(path: Path) -> None:
    rows, asked = ask(path, FIRST, SECOND, FIRST)
    assert asked == [FIRST, SECOND]
    assert np.array_equal(rows, Counting().embed([FIRST, SECOND, FIRST]))
    again, asked = ask(path, SECOND, FIRST)
    assert asked == []
    assert np.array_equal(again, rows[[1, 0]])


def test_what_was_not_asked_again_is_forgotten(path: Path) -> None:
    ask(path, FIRST, SECOND)
    ask(path, SECOND)
    assert ask(path, FIRST)[1] == [FIRST]


def test_a_damaged_row_is_embedded_again(path: Path) -> None:
    rows, _ = ask(path, FIRST)
    with closing(sqlite3.connect(path)) as connection, connection:
        ((key, row),) = connection.execute("SELECT key, row FROM questions").fetchall()
        connection.execute("UPDATE questions SET row = ? WHERE key = ?", (bytes([row[0] ^ 1]) + row[1:], key))
    again, asked = ask(path, FIRST)
    assert asked == [FIRST]
    assert np.array_equal(again, rows)
    assert ask(path, FIRST)[1] == []


def test_a_damaged_file_is_made_again_and_said(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database" * 200)
    assert ask(path, FIRST)[1] == [FIRST]
    assert "cannot be read" in caplog.text
    assert ask(path, FIRST)[1] == []


def fail_after(path: Path, text: str) -> None:
    with CachedQuestions(Counting(), path) as cached:
        cached.embed([text])
        raise ValueError("in between")


def test_a_build_that_fails_forgets_nothing(path: Path) -> None:
    ask(path, FIRST, SECOND)
    with pytest.raises(ValueError, match="in between"):
        fail_after(path, FIRST)
    assert ask(path, FIRST, SECOND)[1] == []
