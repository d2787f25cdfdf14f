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
from quire.artifact.writer.kept import KeptRows
from quire.artifact.writer.postings import PostingsBuilder
from quire.artifact.writer.rows import IndexRow
from quire.bm25 import STEPS, quantize_frequencies
from quire.documents import Chunk
from quire.fingerprints import fingerprint, term_signs
from quire.trigrams import trigrams

WORD = re.compile(r"[^\W\d_]{4,32}")


class KeywordsWriter:
    """Holds 8 bytes a posting and each term once."""

    def __init__(self) -> None:
        self._terms = PostingsBuilder()
        self._frequencies = array("f")
        self._lengths = array("I")
        self._prints: dict[
            int, NDArray[np.uint64]
        ] = {}  # those known already, by the number of their first row

    def add(self, row: IndexRow) -> None:
        """Add the next row's terms."""
        self._terms.add_row(row.terms)
        self._frequencies.extend(row.terms.values())
        self._lengths.append(round(row.length * STEPS))

    def add_kept(self, kept: KeptRows) -> None:
        """Add the terms of kept rows."""
        self._prints[len(self._lengths)] = kept.segment.fingerprints[kept.ordinals]
        steps = self._terms.add_kept(kept, kept.segment.terms)
        self._frequencies.frombytes((steps.astype(np.float32) / STEPS).tobytes())
        self._lengths.frombytes(kept.segment.lengths[kept.ordinals].tobytes())

    def finish(self, folder: Path, order: NDArray[np.intp]) -> FileFacts:
        """Write the file; `order[ordinal]` is the number of the row that got that ordinal."""
        arrays = self._terms.finish("terms", order, self._weights())
        arrays["lengths"] = np.asarray(self._lengths)[order]
        return write_tensors(folder / KEYWORDS, arrays)

    def fingerprints(self, order: NDArray[np.intp]) -> Array:
        """One fingerprint a chunk, uint64, in the order of ordinals."""
        prints = np.empty(len(self._lengths), np.uint64)
        is_known = np.zeros(len(prints), np.bool_)
        for first, known in self._prints.items():
            prints[first : first + len(known)] = known
            is_known[first : first + len(known)] = True
        if not is_known.all():
            signs = term_signs(self._terms.strings())
            postings, weights = self._terms.postings(), self._weights().astype(np.float32)
            for number, row in enumerate(self._terms.rows()):
                if not is_known[number]:
                    prints[number] = fingerprint(signs[postings[row]], weights[row])
        return prints[order]

    def _weights(self) -> NDArray[np.uint8]:
        return quantize_frequencies(np.asarray(self._frequencies))


class SpellingWriter:
    """Holds each word of the text once, as written: what a misspelt word of a question may have meant."""

    def __init__(self) -> None:
        self._written: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()

    def add(self, chunk: Chunk) -> None:
        """Count the words of the next chunk."""
        # Runs of text between blanks are counted as they stand and taken apart once at the end: a regular expression
        # over every text costs eight times as much.
        self._written.update(_runs(chunk))

    def add_kept(self, kept: KeptRows) -> None:
        """Count the words of kept rows: those of their segment without those of the rows that it does not keep."""
        spelling = kept.segment.spelling
        self._counts.update(dict(zip(spelling.words, spelling.counts.tolist(), strict=True)))
        for chunk in kept.segment.payloads.fetch(kept.dropped):
            self._written.subtract(_runs(chunk))

    def finish(self, folder: Path, names: Collection[str]) -> FileFacts:
        """Write the file; `names` are those that the chunks define."""
        counts = self._counts
        for written, count in self._written.items():
            for word in WORD.findall(written.lower()):
                counts[word] += count
        held = {word: count for word, count in counts.items() if count}
        return write_tensors(folder / SPELLING, spelling_arrays(held, names))


def _runs(chunk: Chunk) -> set[str]:
    return {*chunk.breadcrumb.split(), *chunk.text.split()}


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
