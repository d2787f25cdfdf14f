"""Gives back the rows of a segment, so that they can be edited and written again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from quire.embedding.quantization import Quantized
from quire.index.bm25 import STEPS
from quire.index.reader import Segment
from quire.index.writer.rows import IndexRow
from quire.ports import Ordinals
from quire.ranking import NONE, contains


def segment_rows(segment: Segment, hidden: Ordinals = NONE) -> Iterator[IndexRow]:
    """The segment's rows in the order of their ordinals, without the `hidden` ones (ascending).

    Writing them again gives the same bytes, and writing those of several segments gives what writing all of their
    rows at once would have given. Memory holds 20 bytes a posting.
    """
    table = segment.terms
    strings = list(table.keys())
    starts = table.starts.astype(np.intp)
    by_chunk = np.argsort(table.all_ordinals, kind="stable")
    terms = np.repeat(np.arange(len(strings), dtype=np.uint32), starts[1:] - starts[:-1])[by_chunk]
    frequencies = table.all_weights[by_chunk]
    every = np.arange(segment.chunk_count + 1, dtype=np.uint32)
    places = np.searchsorted(table.all_ordinals[by_chunk], every)
    rows = np.searchsorted(segment.vectors.owners, every)
    source = _only_source(segment)
    for ordinal in np.flatnonzero(~contains(hidden, every[:-1])).tolist():
        span = slice(places[ordinal], places[ordinal + 1])
        held = slice(rows[ordinal], rows[ordinal + 1])
        yield IndexRow(
            chunk=segment.payloads.fetch([ordinal])[0],
            terms={
                strings[term]: weight / STEPS
                for term, weight in zip(terms[span].tolist(), frequencies[span].tolist(), strict=True)
            },
            length=int(segment.lengths[ordinal]) / STEPS,
            vectors=Quantized(segment.vectors.codes[held], segment.vectors.scales[held]),
            source=source,
        )


def _only_source(segment: Segment) -> str:
    """The source of every row, where the segment has one alone; rows do not say where they came from."""
    keys = list(segment.manifest.source_counts)
    return keys[0] if len(keys) == 1 else ""
