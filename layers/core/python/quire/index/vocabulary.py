"""The words that a collection knows, found by their trigrams when a question spells one almost right."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from quire.index.postings import StringTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from quire.ports import PostingLists

LEAST_COUNT = 2
"""A word that a single chunk holds may itself be a slip of its author; names of symbols are exempt."""
POOL = 4
"""So many times as many words as are wanted are looked at: frequency decides among those that are spelled alike."""


class Spelling(NamedTuple):
    """Words with the trigrams that lead to them.

    Attributes:
        trigrams: trigram -> places in `words`.
        words: the words.
        lengths: uint8: distinct trigrams of each word.
        counts: uint32: chunks that hold each word.
        names: uint8: 1 where the word is the last part of a symbol.
    """

    trigrams: PostingLists
    words: StringTable
    lengths: NDArray[np.uint8]
    counts: NDArray[np.uint32]
    names: NDArray[np.uint8]

    def near(self, word: str, limit: int) -> list[tuple[str, float, int, bool]]:
        """The words that share most trigrams with `word`: `(word, Dice coefficient, chunks, is a name)`."""
        parts = trigrams(word)
        shared = np.zeros(len(self.words), np.uint8)
        for part in parts:
            shared[self.trigrams.entry(part)[0]] += 1  # a trigram's places are unique
        touched = np.flatnonzero(shared)
        dice = 2.0 * shared[touched] / (len(parts) + self.lengths[touched].astype(np.float64))
        if len(dice) > limit * POOL:
            kept = dice >= np.partition(dice, -limit * POOL)[-limit * POOL]
            touched, dice = touched[kept], dice[kept]
        # Of equal ones the foremost word of the alphabet: the same in every process.
        best = np.lexsort((touched, -dice))[: limit * POOL]
        return [
            (self.words[place], score, int(self.counts[place]), bool(self.names[place]))
            for place, score in zip(touched[best].tolist(), dice[best].tolist(), strict=True)
        ]


def nearest_words(spellings: Iterable[Spelling], word: str, limit: int) -> list[str]:
    """Known words in order of shared trigrams, then of frequency, then of the alphabet."""
    scores: dict[str, float] = {}
    counts: dict[str, int] = {}
    for spelling in spellings:
        for known, dice, count, is_name in spelling.near(word, limit):
            scores[known] = dice
            counts[known] = counts.get(known, 0) + (max(count, LEAST_COUNT) if is_name else count)
    pool = sorted(scores, key=lambda known: (-scores[known], known))[: limit * POOL]
    kept = [known for known in pool if counts[known] >= LEAST_COUNT]
    kept.sort(key=lambda known: (-scores[known], -counts[known], known))
    return kept[:limit]


def trigrams(word: str) -> list[str]:
    """The word's trigrams, each once, with its begin and end marked.

    >>> trigrams("part")
    ['^pa', 'par', 'art', 'rt$']
    """
    marked = f"^{word}$"
    return list(dict.fromkeys(marked[i : i + 3] for i in range(len(marked) - 2)))
