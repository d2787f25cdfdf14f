"""Where each row of a segment goes: by document id, then as they came within the document."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quire.index.writer.postings import PostingsBuilder, TableColumns, Tensors
from quire.index.writer.spill import Column, Spill


@dataclass(frozen=True, slots=True, eq=False)
class Arrangement:
    """The final order of the rows.

    Attributes:
        order: `order[ordinal]` is the number of the row that got that ordinal.
        ordinals: `ordinals[row]` is the ordinal that the row of that number got.
        documents: number of each chunk's document, by ordinal.
        table: the arrays of the documents' postings.
    """

    order: NDArray[np.intp]
    ordinals: NDArray[np.uint32]
    documents: NDArray[np.uint32]
    table: Tensors


def arrange(documents: PostingsBuilder, spill: Spill) -> Arrangement:
    """The order that the table of document ids gives, in which each row has one; no row may be added any more."""
    rows, numbers = Column(spill, np.uint32), Column(spill, np.uint32)
    table = TableColumns(spill, weighted=False)
    first = 0
    for part in documents.merged():
        begin, size = len(rows), len(part.ordinals)
        rows.append(part.ordinals)
        numbers.append(np.repeat(np.arange(first, first + len(part.strings), dtype=np.uint32), part.counts))
        table.append(part._replace(ordinals=np.arange(begin, begin + size, dtype=np.uint32)))
        first += len(part.strings)
    order = rows.joined()
    ordinals = np.empty(len(order), np.uint32)
    ordinals[order] = np.arange(len(order), dtype=np.uint32)
    return Arrangement(order.astype(np.intp), ordinals, numbers.joined(), table.tensors("documents"))
