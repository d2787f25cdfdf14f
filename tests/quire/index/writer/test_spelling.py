"""The words of a segment and their trigrams, against the plain function that gives a word's trigrams."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quire.index.reader import open_spelling
from quire.index.vocabulary import trigrams
from quire.index.writer.spelling import spelling_arrays

LETTERS = st.text(st.characters(exclude_categories=["Cs"]), max_size=7)


@given(st.dictionaries(LETTERS, st.integers(1, 9)), st.sets(LETTERS, max_size=5))
def test_every_trigram_leads_to_the_words_that_hold_it(counts: dict[str, int], names: set[str]) -> None:
    spelling = open_spelling(spelling_arrays(counts, names))
    words = sorted({*counts, *names})
    assert list(spelling.words) == words
    assert spelling.counts.tolist() == [counts.get(word, 0) for word in words]
    assert [bool(one) for one in spelling.names] == [word in names for word in words]
    assert spelling.lengths.tolist() == [len(trigrams(word)) for word in words]
    expected: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        for part in trigrams(word):
            expected.setdefault(part, []).append(place)
    found = {part: spelling.trigrams.entry(part)[0].tolist() for part in expected}
    assert found == expected
    assert spelling.trigrams.entry("no such trigram")[0].tolist() == []


def test_a_segment_without_words_has_an_empty_table() -> None:
    assert list(open_spelling(spelling_arrays({}, set())).words) == []
