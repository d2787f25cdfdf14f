"""Writes the words of a segment, with the trigrams that lead from a misspelt word to them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire.documents import Chunk
from quire.index.layout import SPELLING
from quire.index.postings import table_arrays
from quire.index.tensors import Array, FileFacts, write_tensors
from quire.index.writer.kept_rows import KeptRows
from quire.ranking import ranges

WORD = re.compile(r"[^\W\d_]{4,32}")
MOST_RUNS = 60_000
BLOCK_WORDS = 8192  # their trigrams are sorted together: 5 MB
CHARACTER_BITS = 21
"""Unicode ends below 2**21: a trigram fits into 64 bits, and such numbers sort as their UTF-8 does."""


class SpellingWriter:
    """Holds each word of the text once, as written: what a misspelt word of a question may have meant."""

    def __init__(self) -> None:
        self._written: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()

    def add(self, chunk: Chunk) -> None:
        """Count the words of the next chunk."""
        # Runs of text between blanks are counted as they stand and taken apart many at once: a regular expression over
        # every text costs eight times as much.
        self._written.update(_runs(chunk))
        if len(self._written) > MOST_RUNS:
            self._take_apart()

    def add_kept(self, kept: KeptRows) -> None:
        """Count the words of kept rows: those of their segment without those of the rows that it does not keep."""
        spelling = kept.segment.spelling
        self._counts.update(dict(zip(spelling.words, spelling.counts.tolist(), strict=True)))
        for chunk in kept.segment.payloads.fetch(kept.dropped):
            self._written.subtract(_runs(chunk))

    def _take_apart(self) -> None:
        """Count the words of the runs seen so far: all runs that came equally often as one text."""
        alike = defaultdict[int, list[str]](list)
        for written, count in self._written.items():
            alike[count].append(written)
        for count, runs in alike.items():
            for word, times in Counter(WORD.findall("\n".join(runs).lower())).items():
                self._counts[word] += times * count
        self._written.clear()

    def finish(self, folder: Path, names: Collection[str]) -> FileFacts:
        """Write the file; `names` are those that the chunks define."""
        self._take_apart()
        for word in [word for word, count in self._counts.items() if not count]:
            del self._counts[word]
        return write_tensors(folder / SPELLING, spelling_arrays(self._counts, names))


def _runs(chunk: Chunk) -> set[str]:
    return {*chunk.breadcrumb.split(), *chunk.text.split()}


def spelling_arrays(counts: Mapping[str, int], names: Collection[str]) -> dict[str, Array]:
    """Words with how often each stands in chunks, and names of symbols, as the arrays of the spelling file."""
    words = sorted({*counts, *names})
    arrays = _trigram_arrays(words) | table_arrays("words", words)
    arrays["counts"] = np.array([counts.get(word, 0) for word in words], np.uint32)
    arrays["names"] = np.array([word in names for word in words], np.uint8)
    return arrays


def _trigram_arrays(words: Sequence[str]) -> dict[str, Array]:
    """The trigrams of each word, as postings, and how many it has; many words at once."""
    blocks = [_trigrams(words, first) for first in range(0, len(words), BLOCK_WORDS)]
    codes = np.unique(np.concatenate([np.empty(0, np.uint64), *(block.codes for block in blocks)]))
    counts = np.zeros(len(codes), np.int64)
    for block in blocks:
        counts[np.searchsorted(codes, block.codes)] += block.counts
    starts = np.concatenate([[0], np.cumsum(counts)])
    ordinals, free = np.empty(starts[-1], np.uint32), starts[:-1].copy()
    for block in blocks:
        places = np.searchsorted(codes, block.codes)
        ordinals[ranges(free[places], block.counts)] = block.owners
        free[places] += block.counts
    lengths = np.bincount(ordinals, minlength=len(words))
    return table_arrays("trigrams", list(map(_trigram, codes.tolist()))) | {
        "trigrams.starts": starts.astype(np.uint64),
        "trigrams.ordinals": ordinals,
        "lengths": np.minimum(lengths, 255).astype(np.uint8),
    }


class _Trigrams(NamedTuple):
    """Trigrams of some words: each once, ascending; in how many words each is; and which these are, ascending."""

    codes: NDArray[np.uint64]
    counts: NDArray[np.int64]
    owners: NDArray[np.uint32]


def _trigrams(words: Sequence[str], first: int) -> _Trigrams:
    """Those of a block of words."""
    block = words[first : first + BLOCK_WORDS]
    text = "".join(f"^{word}$" for word in block)
    characters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.uint64)
    numbers = np.arange(first, first + len(block), dtype=np.uint32)
    owners = np.repeat(numbers, [len(word) + 2 for word in block])
    inside = np.flatnonzero(owners[2:] == owners[:-2])
    codes = np.zeros(len(inside), np.uint64)
    for place in range(3):
        codes = codes << np.uint64(CHARACTER_BITS) | characters[inside + place]
    by_code = np.argsort(codes, kind="stable")
    codes, owners = codes[by_code], owners[inside][by_code]
    is_once = np.ones(len(codes), np.bool_)
    is_once[1:] = (codes[1:] != codes[:-1]) | (owners[1:] != owners[:-1])
    distinct, counts = np.unique(codes[is_once], return_counts=True)
    return _Trigrams(distinct, counts, owners[is_once])


def _trigram(code: int) -> str:
    mask = (1 << CHARACTER_BITS) - 1
    return chr(code >> 2 * CHARACTER_BITS) + chr(code >> CHARACTER_BITS & mask) + chr(code & mask)
