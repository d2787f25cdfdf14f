from __future__ import annotations

from dataclasses import replace

import pytest

from quire.search.retrieval import MANY, NEAR, Query, Retrieved, matches_nothing, near_of, retrieve
from tests.support.fakes import HashingEmbedder
from tests.support.shelves import household, shelf_of

SHELF = shelf_of(household())


class OrdinaryWords(HashingEmbedder):
    """One that knows these words of the language."""

    def __init__(self, *words: str) -> None:
        super().__init__()
        self._words = words

    def has_word(self, word: str) -> bool:
        return word in self._words


def found(question: str) -> Retrieved:
    return retrieve(SHELF.index, SHELF.embedder, Query(question))


def test_keys_hit_at_random_match_nothing() -> None:
    assert found("zzqqxx wvwv").hits
    assert matches_nothing(SHELF.index, SHELF.embedder, "zzqqxx wvwv", found("zzqqxx wvwv"))


@pytest.mark.parametrize("question", ["kettle", "zzqqxx kettle", "ketle"])
def test_one_known_word_is_a_match_however_it_is_spelled(question: str) -> None:
    assert not matches_nothing(SHELF.index, SHELF.embedder, question, found(question))


@pytest.mark.parametrize("name", ["quokka_kettle", "KettleQuokka", "`kettle.quokka()`"])
def test_a_name_that_is_half_remembered_is_a_match_by_what_is_known_of_it(name: str) -> None:
    assert not matches_nothing(SHELF.index, SHELF.embedder, name, unsure(found(name)))


def unsure(given: Retrieved) -> Retrieved:
    """The hits as a large collection scores those that share a common word alone."""
    return replace(given, hits=tuple(hit._replace(score=0.001, cosine=0.3) for hit in given.hits))


def test_a_symbol_that_is_named_is_a_match_though_its_words_are_in_no_text() -> None:
    named = replace(unsure(found("zzqqxx wvwv")), names=("is_own",))
    assert not matches_nothing(SHELF.index, SHELF.embedder, "IsOwn", named)


def at(cosine: float) -> Retrieved:
    given = found("zzqqxx wvwv")
    return replace(given, hits=(given.hits[0]._replace(cosine=cosine),))


def test_what_is_near_in_meaning_matches_without_a_word() -> None:
    assert not matches_nothing(SHELF.index, SHELF.embedder, "zzqqxx wvwv", at(NEAR))
    assert matches_nothing(SHELF.index, SHELF.embedder, "zzqqxx wvwv", at(NEAR - 0.01))
    by_words = replace(at(NEAR), hits=(found("zzqqxx wvwv").hits[0]._replace(cosine=None),))
    assert not matches_nothing(SHELF.index, SHELF.embedder, "zzqqxx wvwv", by_words)


def test_of_a_few_chunks_ordinary_words_find_what_is_less_near_and_gibberish_does_not() -> None:
    least = near_of(SHELF.index.chunk_count)
    ordinary = OrdinaryWords("how", "do", "quokkas", "sleep")
    assert not matches_nothing(SHELF.index, ordinary, "How do quokkas sleep?", at(least))
    assert matches_nothing(SHELF.index, ordinary, "How do quokkas sleep?", at(least - 0.01))
    assert matches_nothing(SHELF.index, ordinary, "How do zzqqxx wvwv?", at(least))


def test_of_many_chunks_one_comes_nearer_by_chance_than_of_a_few() -> None:
    few, some = near_of(3), near_of(300)
    assert few < some < near_of(MANY) == near_of(10 * MANY) == NEAR
