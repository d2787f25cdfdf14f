"""Writes the keyword index of a segment, the words for spelling, and the fingerprints that come from its terms."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quire.artifact.layout import KEYWORDS, SPELLING
from quire.artifact.tables import table_arrays
from quire.artifact.tensors import Array, FileFacts, write_tensors
from quire.artifact.writer.postings import PostingsBuilder
from quire.artifact.writer.rows import IndexRow
from quire.bm25 import STEPS, quantize_frequencies
from quire.fingerprints import fingerprint, term_signs
from quire.symbols import fold_symbol, last_part
from quire.trigrams import trigrams

WORD = re.compile(r"[^\W\d_]{4,32}")


class KeywordsWriter:
    """Holds 8 bytes a posting and each term once."""

    def __init__(self) -> None:
        self._terms = PostingsBuilder()
        self._frequencies = array("f")
        self._lengths = array("I")

    def add(self, row: IndexRow) -> None:
        """Add the next row's terms."""
        self._terms.add_row(row.terms)
        self._frequencies.extend(row.terms.values())
        self._lengths.append(round(row.length * STEPS))

    def finish(self, folder: Path, order: NDArray[np.intp]) -> FileFacts:
        """Write the file; `order[ordinal]` is the number of the row that got that ordinal."""
        arrays = self._terms.finish("terms", order, self._weights())
        arrays["lengths"] = np.asarray(self._lengths)[order]
        return write_tensors(folder / KEYWORDS, arrays)

    def fingerprints(self, order: NDArray[np.intp]) -> Array:
        """One fingerprint a chunk, uint64, in the order of ordinals."""
        signs = term_signs(self._terms.strings())
        postings, weights = self._terms.postings(), self._weights().astype(np.float32)
        prints = [fingerprint(signs[postings[row]], weights[row]) for row in self._terms.rows()]
        return np.array(prints, np.uint64)[order]

    def _weights(self) -> NDArray[np.uint8]:
        return quantize_frequencies(np.asarray(self._frequencies))


class SpellingWriter:
    """Holds each word of the text once, as written: what a misspelt word of a question may have meant."""

    def __init__(self) -> None:
        self._written: Counter[str] = Counter()
        self._names: set[str] = set()

    def add(self, row: IndexRow) -> None:
        """Count the words of the next row, and note the names that it defines."""
        # Runs of text between blanks are counted as they stand and taken apart once at the end: a regular expression
        # over every text costs eight times as much.
        self._written.update({*row.chunk.breadcrumb.split(), *row.chunk.text.split()})
        self._names.update(last_part(fold_symbol(symbol)) for symbol in row.chunk.symbols)

    def finish(self, folder: Path) -> FileFacts:
        """Write the file."""
        counts: dict[str, int] = {}
        for written, count in self._written.items():
            for word in WORD.findall(written.lower()):
                counts[word] = counts.get(word, 0) + count
        return write_tensors(folder / SPELLING, spelling_arrays(counts, self._names))


def spelling_arrays(counts: Mapping[str, int], names: Collection[str]) -> dict[str, Array]:
    """Words with how often each stands in chunks, and names of symbols, as the arrays of the spelling file."""
    words = sorted({*counts, *names})
    builder, lengths = PostingsBuilder(), array("B")
    for word in words:
        parts = trigrams(word)
        builder.add_row(parts)
        lengths.append(min(len(parts), 255))
    arrays = builder.finish("trigrams", np.arange(len(words)))
    arrays |= table_arrays("words", words)
    arrays["lengths"] = np.asarray(lengths)
    arrays["counts"] = np.array([counts.get(word, 0) for word in words], np.uint32)
    arrays["names"] = np.array([word in names for word in words], np.uint8)
    return arrays
