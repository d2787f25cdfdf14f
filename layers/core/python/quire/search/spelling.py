"""Spelling: the words of a question that no chunk holds, each with the known word that it most likely means."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Protocol

from quire.analysis.terms import STOP_WORDS, analyze

SHORTEST_UNFINISHED = 10
SHORTEST_MENDED, LONGEST_MENDED = 4, 40
MOST_MENDED = 6
MOST_STRANGE = 24
"""Words whose spelling is looked for; each costs half a millisecond."""
SHORTEST_QUESTION = 3
"""Words from which on a question is a sentence, whose ordinary words mean themselves."""
_PART = re.compile(r"\w+")


class Vocabulary(Protocol):
    """What the collection knows of words and symbols; `quire.index.opened.OpenedIndex` fulfils it."""

    @property
    def chunk_count(self) -> int:
        """Chunks that can be found."""

    @property
    def expect(self) -> Callable[[Iterable[str]], object]:
        """Is told of which terms `document_frequency` will be asked: what asks elsewhere does so once."""

    def document_frequency(self, term: str) -> int:
        """Chunks that hold the term."""

    def near(self, word: str, limit: int) -> Sequence[str]:
        """Known words that share most letters with `word`, likeliest first."""

    def has_symbol(self, name: str) -> bool:
        """Whether a chunk defines the symbol, compared by `fold_symbol`."""


def mend(
    tokens: Sequence[str], vocabulary: Vocabulary, is_ordinary: Callable[[str], bool] | None = None
) -> dict[str, str]:
    """The misspelt words of a question, each with the known word that it is read as.

    `tokens` are its words, see `quire.analysis.terms`. `is_ordinary` knows the words of the language, which are no
    misspellings of the collection's.
    """
    meant: dict[str, str] = {}
    strange = 0
    tokens = [token for token in tokens if "'" not in token]
    is_sentence = len(tokens) >= SHORTEST_QUESTION
    for token in dict.fromkeys(tokens):
        if len(meant) >= MOST_MENDED or strange >= MOST_STRANGE:
            break
        if is_sentence and is_ordinary is not None and token.isalpha() and is_ordinary(token):
            continue
        for part in _PART.findall(token):
            if not _is_strange(part, vocabulary):
                continue
            strange += 1
            known = _known_spelling(part.lower(), vocabulary)
            if known and known != part.lower():
                meant[part] = known
    return meant


def mended(text: str, meant: Mapping[str, str]) -> str:
    """The text with its misspelt words as the search read them."""
    return _PART.sub(lambda word: meant.get(word.group(), word.group()), text) if meant else text


def _is_strange(part: str, vocabulary: Vocabulary) -> bool:
    """No chunk holds the word, nor each word of a snake_case name: a misspelling, or a word of another field."""
    if (
        not SHORTEST_MENDED <= len(part) <= LONGEST_MENDED
        or not part.isascii()
        or part.isdigit()
        or part.lower() in STOP_WORDS
    ):
        return False
    terms = analyze(part)
    if not terms or vocabulary.document_frequency(terms[0]) or vocabulary.has_symbol(part):
        return False
    is_made_of_known = "_" in part and all(map(vocabulary.document_frequency, terms[1:]))
    return not is_made_of_known


def _known_spelling(word: str, vocabulary: Vocabulary) -> str | None:
    """The known word that was meant. Swapped letters are tried apart: they change half the trigrams of a short word."""
    terms = {one: analyze(one)[:1] for one in swaps(word)}
    vocabulary.expect(chain.from_iterable(terms.values()))
    swapped = [one for one, first in terms.items() if any(map(vocabulary.document_frequency, first))]
    near = vocabulary.near(word, 24)
    return best_spelling(word, [*swapped, *near]) or unfinished_spelling(word, near)


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
