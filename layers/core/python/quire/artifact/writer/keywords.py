"""Writes the keyword index of a segment, and the fingerprints that come from its terms."""

from __future__ import annotations

from array import array
from itertools import compress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quire.artifact.layout import KEYWORDS
from quire.artifact.tensors import Array, FileFacts, write_tensors
from quire.artifact.writer.kept import KeptRows
from quire.artifact.writer.postings import PostingsBuilder
from quire.artifact.writer.rows import IndexRow
from quire.bm25 import STEPS, quantize_frequencies
from quire.fingerprints import fingerprint, term_signs


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
        postings, weights = self._terms.postings(), self._weights().astype(np.float32)
        spans = list(self._terms.rows())
        unknown = np.flatnonzero(~is_known).tolist()
        needed = np.zeros(len(self._terms.strings()), np.bool_)
        for number in unknown:
            needed[postings[spans[number]]] = True
        places = np.cumsum(needed) - 1
        signs = term_signs(list(compress(self._terms.strings(), needed.tolist())))
        for number in unknown:
            prints[number] = fingerprint(signs[places[postings[spans[number]]]], weights[spans[number]])
        return prints[order]

    def _weights(self) -> NDArray[np.uint8]:
        return quantize_frequencies(np.asarray(self._frequencies))
