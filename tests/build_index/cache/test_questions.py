"""Questions of a build are embedded once: what the cache gives is what the model would give."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from build_index.cache.questions import CachedQuestions
from build_index.cache.store import ContentStore
from quire.errors import ModelError
from quire.ports import Vectors, WordList

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


def ask(
    folder: Path, *texts: str, of: str = "pages", common: Sequence[str] = ()
) -> tuple[Vectors, list[str]]:
    """The rows, and what the model itself was asked for them."""
    model = Counting()
    with closing(ContentStore(folder)) as store, CachedQuestions(model, store, of, common) as cached:
        return cached.embed(texts), model.asked


def test_a_question_is_embedded_once_and_its_row_is_the_models(tmp_path: Path) -> None:
    rows, asked = ask(tmp_path, FIRST, SECOND, FIRST)
    assert asked == [FIRST, SECOND]
    assert np.array_equal(rows, Counting().embed([FIRST, SECOND, FIRST]))
    again, asked = ask(tmp_path, SECOND, FIRST)
    assert asked == []
    assert np.array_equal(again, rows[[1, 0]])


def test_what_was_not_asked_again_is_forgotten(tmp_path: Path) -> None:
    ask(tmp_path, FIRST, SECOND)
    ask(tmp_path, SECOND)
    assert ask(tmp_path, FIRST)[1] == [FIRST]


def test_what_every_collection_is_asked_is_embedded_for_the_first_of_them_alone(tmp_path: Path) -> None:
    rows, asked = ask(tmp_path, FIRST, SECOND, common=[FIRST])
    assert asked == [FIRST, SECOND]
    again, asked = ask(tmp_path, FIRST, SECOND, of="ropes", common=[FIRST])
    assert asked == [SECOND]
    assert np.array_equal(again, rows)
    assert ask(tmp_path, common=[FIRST])[1] == []
    assert ask(tmp_path, FIRST, of="knots", common=[FIRST])[1] == []
    assert ask(tmp_path, FIRST, of="hitches")[1] == [FIRST]


def fail_after(folder: Path, text: str) -> None:
    with closing(ContentStore(folder)) as store, CachedQuestions(Counting(), store, "pages") as cached:
        cached.embed([text])
        raise ValueError("in between")


def test_a_build_that_fails_forgets_nothing(tmp_path: Path) -> None:
    ask(tmp_path, FIRST, SECOND)
    with pytest.raises(ValueError, match="in between"):
        fail_after(tmp_path, FIRST)
    assert ask(tmp_path, FIRST, SECOND)[1] == []


class Unopened(Counting):
    """One that no thread works for yet."""

    is_open = False


TEXTS = [f"Question {'?' * number}" for number in range(5)]


def ask_in_two(folder: Path, embed: Callable[[CachedQuestions, str], Vectors]) -> list[list[float]]:
    with closing(ContentStore(folder)) as store, CachedQuestions(Unopened(), store, "pages") as cached:
        return cached.in_two(lambda texts: [embed(cached, text)[0].tolist() for text in texts], TEXTS)


def do_nothing() -> None:
    """As a fork that is well."""


def die() -> None:
    os._exit(1)


def stand_still() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


@pytest.mark.parametrize("does", [do_nothing, die, stand_still])
def test_two_processes_are_told_what_one_is_and_what_both_asked_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: Callable[[], None]
) -> None:
    here = os.getpid()
    monkeypatch.setattr("build_index.cache.questions.LEAST_WAIT_S", 1.0)

    def embed(cached: CachedQuestions, text: str) -> Vectors:
        if os.getpid() != here:
            does()
        return cached.embed([text])

    found = ask_in_two(tmp_path, embed)
    assert found == Counting().embed(TEXTS).tolist()
    assert ask(tmp_path, *TEXTS)[1] == []


def test_what_fails_in_the_other_process_fails_here(tmp_path: Path) -> None:
    def embed(cached: CachedQuestions, text: str) -> Vectors:
        if text == TEXTS[-1]:
            raise ModelError("the model is damaged")
        return cached.embed([text])

    with pytest.raises(ModelError, match="damaged"):
        ask_in_two(tmp_path, embed)


def test_what_is_a_word_is_known_where_the_model_knows_it(tmp_path: Path) -> None:
    class Reading(Counting):
        def has_word(self, word: str) -> bool:
            return word == "rope"

    with closing(ContentStore(tmp_path)) as store:
        reading = CachedQuestions(Reading(), store, "pages")
        assert isinstance(reading, WordList)
        assert reading.has_word("rope")
        assert not isinstance(CachedQuestions(Counting(), store, "pages"), WordList)
