"""Spelling: the known word that a misspelt one most likely meant."""

from __future__ import annotations

from collections.abc import Sequence

SHORTEST_UNFINISHED = 10


def edit_distance(left: str, right: str, bound: int) -> int:
    """Edits between two words, a swap of neighbours counting as one; above `bound` any larger number.

    Restricted Damerau-Levenshtein distance (optimal string alignment).

    >>> edit_distance("humaniod", "humanoid", 2)
    1
    """
    if abs(len(left) - len(right)) > bound:
        return bound + 1
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        current = [i]
        for j, b in enumerate(right, 1):
            cost = min(row[j] + 1, current[j - 1] + 1, row[j - 1] + (a != b))
            if before and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            current.append(cost)
        if min(current) > bound:
            return bound + 1
        before, row = row, current
    return row[-1]


def best_spelling(word: str, candidates: Sequence[str]) -> str | None:
    """The nearest candidate within one edit (two from 8 letters on); ties go to the earlier candidate.

    Words of four letters must keep their first letter, for too many are one edit apart.
    """
    bound = 2 if len(word) >= 8 else 1
    best, nearest = None, bound + 1
    for candidate in candidates:
        if len(word) < 5 and candidate[:1] != word[:1]:
            continue
        distance = edit_distance(word, candidate.lower(), nearest - 1)
        if distance < nearest:
            best, nearest = candidate, distance
    return best


def unfinished_spelling(word: str, candidates: Sequence[str]) -> str | None:
    """The first candidate that begins with `word`, one edit allowed: a long name of which the last part was left out.

    Words under ten letters begin too many others, and find none.

    >>> unfinished_spelling("userownsgamepas", ["promptgamepass", "userownsgamepassasync"])
    'userownsgamepassasync'
    """
    if len(word) < SHORTEST_UNFINISHED:
        return None
    ends = (len(word), len(word) + 1, len(word) - 1)
    for candidate in candidates:
        known = candidate.lower()
        if len(known) > len(word) and any(edit_distance(word, known[:end], 1) <= 1 for end in ends):
            return candidate
    return None


def swaps(word: str) -> list[str]:
    """The word with two neighbouring letters swapped, at each place where that changes it.

    >>> swaps("spwan")
    ['pswan', 'swpan', 'spawn', 'spwna']
    """
    pairs = ((at, word[at], word[at + 1]) for at in range(len(word) - 1))
    return [word[:at] + right + left + word[at + 2 :] for at, left, right in pairs if left != right]
