"""Writes the keyword index of a segment, and the fingerprints that come from its terms."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quire.index.bm25 import STEPS
from quire.index.layout import KEYWORDS
from quire.index.tensors import Array, FileFacts, write_tensors
from quire.index.writer.arrangement import Arrangement
from quire.index.writer.kept_rows import KeptRows
from quire.index.writer.postings import PostingsBuilder
from quire.index.writer.rows import IndexRow
from quire.index.writer.spill import Spill

BITS = 64
BLOCK_POSTINGS = 1 << 14
"""Terms of rows whose fingerprints are made at once: 320 bytes each."""


class KeywordsWriter:
    """Holds 12 bytes a chunk, and what the spill lets it hold of terms."""

    def __init__(self, spill: Spill) -> None:
        self._terms = PostingsBuilder(spill)
        self._lengths = array("I")
        self._prints = array("Q")

    def add(self, row: IndexRow) -> None:
        """Add the next row's terms."""
        self._terms.add_row(row.terms, row.terms.values())
        self._lengths.append(round(row.length * STEPS))
        if self._terms.is_full:
            self._flush()

    def add_kept(self, kept: KeptRows) -> None:
        """Add the terms of kept rows."""
        self._flush()
        self._terms.add_kept(kept, kept.segment.terms)
        self._lengths.frombytes(kept.segment.lengths[kept.ordinals].tobytes())
        self._prints.frombytes(kept.segment.fingerprints[kept.ordinals].tobytes())

    def finish(self, folder: Path, arranged: Arrangement) -> FileFacts:
        """Write the file."""
        self._flush()
        arrays = self._terms.finish("terms", arranged.ordinals, weighted=True)
        arrays["lengths"] = np.asarray(self._lengths)[arranged.order]
        return write_tensors(folder / KEYWORDS, arrays)

    def fingerprints(self, order: NDArray[np.intp]) -> Array:
        """One fingerprint a chunk, uint64, in the order of ordinals; after `finish`."""
        return np.asarray(self._prints)[order]

    def _flush(self) -> None:
        """Make the fingerprints of the last rows while their terms are at hand, then put these aside."""
        hashes = term_hashes(self._terms.strings())
        postings, weights, counts = self._terms.rows()
        ends = np.cumsum(counts, dtype=np.intp)
        first, begin = 0, 0
        while first < len(counts):
            last = max(int(np.searchsorted(ends, begin + BLOCK_POSTINGS, side="right")), first + 1)
            span = slice(begin, int(ends[last - 1]))
            prints = fingerprints(hashes[postings[span]], weights[span], counts[first:last])
            self._prints.frombytes(prints.tobytes())
            first, begin = last, span.stop
        self._terms.flush()


def term_hashes(terms: Sequence[str]) -> NDArray[np.uint64]:
    """The 64 bits of each term's blake2b hash."""
    hashes = b"".join(hashlib.blake2b(term.encode(), digest_size=BITS // 8).digest() for term in terms)
    return np.frombuffer(hashes, "<u8")


def fingerprints(
    hashes: NDArray[np.uint64], weights: NDArray[np.uint8], counts: NDArray[np.uint32]
) -> NDArray[np.uint64]:
    """Simhash of each chunk.

    Args:
        hashes: of the chunks' terms, chunk by chunk.
        weights: of these terms; whole numbers, so sums are exact.
        counts: terms of each chunk.
    """
    bits = np.unpackbits(hashes.astype("<u8").view(np.uint8), bitorder="little").reshape(-1, BITS)
    is_set, heavy = bits.astype(np.float32), weights.astype(np.float32)
    ends = np.cumsum(counts, dtype=np.intp)
    sums = np.zeros((len(counts), BITS), np.float32)
    begin = 0
    for row, end in enumerate(ends.tolist()):
        np.matmul(heavy[begin:end], is_set[begin:end], out=sums[row])
        begin = end
    # A bit is set where the terms that have it weigh more than those that have it not: more than half of all.
    running = np.concatenate([[0], np.cumsum(weights, dtype=np.int64)])
    totals = np.diff(running[ends], prepend=0)
    return np.packbits(2 * sums > totals[:, None], axis=1, bitorder="little").view("<u8").ravel()
