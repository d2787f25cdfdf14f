"""Writes the keyword index of a segment, the words for spelling, and the fingerprints that come from its terms."""

from __future__ import annotations

import re
from array import array
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
    """Holds 5 bytes a posting and each term once."""

    def __init__(self) -> None:
        self._terms = PostingsBuilder()
        self._lengths = array("I")
        self._fingerprints = array("Q")
        self._signs: dict[str, NDArray[np.float32]] = {}

    def add(self, row: IndexRow) -> None:
        """Add the next row's terms."""
        frequencies = np.fromiter(row.terms.values(), np.float32, len(row.terms))
        weights = quantize_frequencies(frequencies)
        self._terms.add_row(row.terms, weights.tobytes())
        self._lengths.append(round(row.length * STEPS))
        self._fingerprints.append(self._fingerprint(row, weights))

    def _fingerprint(self, row: IndexRow, weights: NDArray[np.uint8]) -> int:
        if not row.terms:
            return 0
        known = self._signs
        for term in row.terms:
            if term not in known:
                known[term] = term_signs(term)
        signs = np.array([known[term] for term in row.terms])
        return fingerprint(signs, weights.astype(np.float32))

    def finish(self, folder: Path, order: NDArray[np.intp]) -> FileFacts:
        """Write the file; `order[ordinal]` is the number of the row that got that ordinal."""
        arrays = self._terms.finish("terms", order)
        arrays["lengths"] = np.asarray(self._lengths)[order]
        return write_tensors(folder / KEYWORDS, arrays)

    def fingerprints(self, order: NDArray[np.intp]) -> Array:
        """One fingerprint a chunk, uint64, in the order of ordinals."""
        return np.asarray(self._fingerprints)[order]


class SpellingWriter:
    """Holds each word of the text once: what a misspelt word of a question may have meant."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._names: set[str] = set()

    def add(self, row: IndexRow) -> None:
        """Count the words of the next row once each, and note the names that it defines."""
        counts = self._counts
        for word in set(WORD.findall(f"{row.chunk.breadcrumb} {row.chunk.text}".lower())):
            counts[word] = counts.get(word, 0) + 1
        self._names.update(last_part(fold_symbol(symbol)) for symbol in row.chunk.symbols)

    def finish(self, folder: Path) -> FileFacts:
        """Write the file: the postings of trigrams over words, and each word's count of chunks and of trigrams."""
        words = sorted(self._counts.keys() | self._names)
        builder, lengths = PostingsBuilder(), array("B")
        for word in words:
            parts = trigrams(word)
            builder.add_row(parts)
            lengths.append(min(len(parts), 255))
        arrays = builder.finish("trigrams", np.arange(len(words)))
        arrays |= table_arrays("words", words)
        arrays["lengths"] = np.asarray(lengths)
        arrays["counts"] = np.array([self._counts.get(word, 0) for word in words], np.uint32)
        arrays["names"] = np.array([word in self._names for word in words], np.uint8)
        return write_tensors(folder / SPELLING, arrays)
