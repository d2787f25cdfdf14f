"""Less and more than the chunk that was found.

The part of its text that speaks of a question, for a card that has no room for the whole; and of its file the lines
around it, its whole definition, or all of it, from the index.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from quire.analysis.terms import STOP_WORDS, stem, words
from quire.documents import Chunk
from quire.index.bm25 import idf
from quire.index.opened import OpenedIndex
from quire.limits import QUESTION_CHARACTERS
from quire.search.query import Vocabulary

MOST_STEMS = 24
SHORTEST = 2
SHORTEST_PART = 3
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
SCOPES = ("lines", "symbol", "file")
AROUND = 10
"""Lines before and after, for the scope `lines`."""
MOST_CHARACTERS = 40_000
"""A longer passage gives way to the next smaller scope."""


class Excerpt(NamedTuple):
    """`text[start:end]` of a longer text, in characters."""

    start: int
    end: int


class _MatchPlace(NamedTuple):
    at: int
    end: int
    stem: str


def stems_of(question: str) -> list[str]:
    """The beginnings of words to look for, in lower case: identifiers whole and in their parts.

    >>> stems_of("Where is validateCSRFToken called?")
    ['validatecsrftoken', 'call', 'valid', 'csrf', 'token']
    """
    found = [word for word in words(question) if word.lower() not in STOP_WORDS]
    parts = [
        part for word in found for part in _PARTS.findall(word) if len(part) >= SHORTEST_PART and part != word
    ]
    stems = dict.fromkeys(_stem(word) for word in (*found, *parts) if len(word) >= SHORTEST)
    return list(stems)[:MOST_STEMS]


def weigh_stems(question: str, vocabulary: Vocabulary) -> dict[str, float]:
    """The stems of a question, each with what it says of a text that holds it: its inverse document frequency."""
    chunks = vocabulary.chunk_count
    stems = stems_of(question[:QUESTION_CHARACTERS])
    return {one: idf(chunks, min(vocabulary.document_frequency(one), chunks)) for one in stems}


def find_excerpt(text: str, weights: Mapping[str, float], size: int) -> Excerpt:
    """The `size` characters that hold most of the stems by weight, the earliest of several; lines begin whole.

    A text that holds none of them is shown from its beginning.
    """
    if len(text) <= size:
        return Excerpt(0, len(text))
    first, last = _best_span(_places(text, weights), weights, size)
    begin = max(0, first - (size - (last - first)) // 3)
    begin = _line_start(text, begin, first) if begin else 0
    begin = _outside_fence(text, begin, size)
    return Excerpt(begin, min(len(text), begin + size))


def _stem(word: str) -> str:
    folded = word.lower()
    shorter = stem(folded)
    return shorter if folded.startswith(shorter) else folded.removesuffix("s").removesuffix("y")


def _places(text: str, weights: Mapping[str, float]) -> list[_MatchPlace]:
    """Where the stems begin a word or a camelCase part, in order."""
    if not weights:
        return []
    longest_first = sorted(weights, key=lambda one: (-len(one), one))
    pattern = re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)
    return [
        _MatchPlace(found.start(), found.end(), found.group().lower())
        for found in pattern.finditer(text)
        if _begins(text, found.start()) and found.group().lower() in weights
    ]


def _begins(text: str, at: int) -> bool:
    """Whether a word or a part of an identifier begins here: `call|CSRF|Token`."""
    before = text[at - 1] if at else " "
    is_part = text[at].isupper() and (not before.isupper() or text[at + 1 : at + 2].islower())
    return not before.isalnum() or is_part


def _best_span(places: list[_MatchPlace], weights: Mapping[str, float], size: int) -> tuple[int, int]:
    """First and last character of the heaviest run of places that fits; each stem counts once."""
    held: dict[str, int] = {}
    weight, best, span, left = 0.0, 0.0, (0, 0), 0
    for place in places:
        if not held.get(place.stem):
            weight += weights[place.stem]
        held[place.stem] = held.get(place.stem, 0) + 1
        while place.end - places[left].at > size:
            gone = places[left].stem
            held[gone] -= 1
            weight -= 0.0 if held[gone] else weights[gone]
            left += 1
        if weight > best + 1e-9:
            best, span = weight, (places[left].at, place.end)
    return span


def _line_start(text: str, begin: int, first: int) -> int:
    """The next beginning of a line, else of a word, up to the match."""
    for mark in ("\n", " "):
        found = text.find(mark, begin, first)
        if found >= 0:
            return found + 1
    return begin


def _outside_fence(text: str, begin: int, size: int) -> int:
    """A beginning inside of a block of code goes back to its fence, where that is not far."""
    fences = [found.start() for found in _FENCE.finditer(text, 0, begin)]
    if len(fences) % 2 and begin - fences[-1] <= size // 2:
        return fences[-1]
    return begin


@dataclass(frozen=True, slots=True)
class ExpandedPassage:
    """Lines `start` to `end` of a file, from 1."""

    text: str
    start: int
    end: int


def expand(index: OpenedIndex, chunk: Chunk, scope: str) -> ExpandedPassage | None:
    """The wider passage around a chunk; None for a chunk without lines.

    It is put together from the stored chunks of its document, so it is what was indexed, whatever became of the file.
    Lines that no chunk holds, such as what Markdown does not show, are empty.
    """
    if _start(chunk) is None:
        return None
    chunks = index.fetch(index.documents.chunks(chunk.document_id))
    placed = sorted((one for one in chunks if _start(one) is not None), key=_lines)
    lines = {
        number: text for one in placed for number, text in enumerate(one.text.split("\n"), _lines(one)[0])
    }
    for smaller in SCOPES[SCOPES.index(scope) :: -1]:
        start, end = _bounds(smaller, chunk, placed, max(lines))
        text = "\n".join(lines.get(number, "") for number in range(start, end + 1))
        if len(text) <= MOST_CHARACTERS:
            return ExpandedPassage(text, start, end)
    return ExpandedPassage(chunk.text, *_lines(chunk))


def _bounds(scope: str, chunk: Chunk, placed: Sequence[Chunk], last: int) -> tuple[int, int]:
    start, end = _lines(chunk)
    if scope == "file":
        return 1, last
    if scope == "lines":
        return max(1, start - AROUND), min(last, end + AROUND)
    same = [_lines(one) for one in placed if one.metadata.get("symbol") == chunk.metadata.get("symbol")]
    for low, high in same:
        if low <= end + 1 and high > end:
            end = high
    for low, high in reversed(same):
        if high >= start - 1 and low < start:
            start = low
    return start, end


def _start(chunk: Chunk) -> int | None:
    start = chunk.metadata.get("start_line")
    return start if isinstance(start, int) and isinstance(chunk.metadata.get("end_line"), int) else None


def _lines(chunk: Chunk) -> tuple[int, int]:
    start, end = chunk.metadata.get("start_line"), chunk.metadata.get("end_line")
    assert isinstance(start, int)
    assert isinstance(end, int)
    return start, end
