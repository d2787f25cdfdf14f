"""Trigrams of words, for finding words that are spelled almost alike."""

from __future__ import annotations


def trigrams(word: str) -> list[str]:
    """The word's trigrams, each once, with its begin and end marked.

    >>> trigrams("part")
    ['^pa', 'par', 'art', 'rt$']
    """
    marked = f"^{word}$"
    return list(dict.fromkeys(marked[i : i + 3] for i in range(len(marked) - 2)))
