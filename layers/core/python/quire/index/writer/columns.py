"""Writes the columns of a segment: filters, symbols, documents, ids, and where each payload lies."""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from quire.analysis.symbols import fold_symbol, last_part
from quire.documents import id_number
from quire.errors import ArtifactError
from quire.filter_values import filter_keys
from quire.index.layout import COLUMNS, Counts
from quire.index.tensors import Array, FileFacts, write_tensors
from quire.index.writer.arrangement import Arrangement, arrange
from quire.index.writer.kept_rows import KeptRows
from quire.index.writer.postings import PostingsBuilder, TableColumns, Tensors
from quire.index.writer.rows import IndexRow
from quire.index.writer.spill import Spill
from quire.index.writer.tally import Tally


class ColumnsWriter:
    """Holds about 50 bytes a chunk, and what the spill lets it hold of values, symbols and document ids.

    Attributes:
        names: the own names of all symbols, what stands behind the last separator, folded; known after `finish`.
    """

    def __init__(self, filters: tuple[str, ...], spill: Spill) -> None:
        self._filters = filters
        self._spill = spill
        self._values = PostingsBuilder(spill)
        self._symbols = PostingsBuilder(spill)
        self._documents = PostingsBuilder(spill)
        self.names: set[str] = set()
        self._ids = array("Q")
        self._tally = Tally(spill)

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, row: IndexRow) -> None:
        """Add the next row.

        Raises:
            ArtifactError: its id is not 16 hexadecimal digits.
        """
        chunk = row.chunk
        number = id_number(chunk.id)
        if number is None:
            raise ArtifactError(f"chunk id {chunk.id!r}: wanted 16 hexadecimal digits")
        self._ids.append(number)
        self._values.add_row(filter_keys(self._filters, chunk.metadata))
        self._symbols.add_row(dict.fromkeys(map(fold_symbol, chunk.symbols)))
        self._documents.add_row((chunk.document_id,))
        self._tally.add(row.source, chunk.symbols, characters=len(chunk.text), vectors=len(row.vectors))
        for table in (self._values, self._symbols, self._documents):
            if table.is_full:
                table.flush()

    def add_kept(self, kept: KeptRows) -> None:
        """Add kept rows; each one's stored line is read, for the counts by source."""
        segment = kept.segment
        self._ids.frombytes(segment.ids.by_ordinal()[kept.ordinals].tobytes())
        self._values.add_kept(kept, segment.filters)
        self._symbols.add_kept(kept, segment.symbols)
        self._documents.add_kept(kept, segment.documents)
        vectors = np.bincount(segment.vectors.owners, minlength=segment.chunk_count)[kept.ordinals]
        for line, count in zip(kept.lines(), vectors.tolist(), strict=True):
            fields = json.loads(line)  # as `payloads.chunk_line` spells a chunk; empty ones are left out
            source, symbols = kept.source(fields.get("metadata", {})), fields.get("symbols", ())
            self._tally.add(source, symbols, characters=len(fields.get("text", "")), vectors=count)

    def arrange(self) -> Arrangement:
        """Where each row goes; no row may be added any more."""
        return arrange(self._documents, self._spill)

    def counts(self, arranged: Arrangement) -> tuple[Counts, dict[str, Counts]]:
        """Of the whole, and by source."""
        return self._tally.counts(arranged.order, arranged.documents)

    def finish(self, folder: Path, arranged: Arrangement, more: Mapping[str, Array]) -> FileFacts:
        """Write the file, with `more` arrays in it.

        Raises:
            ArtifactError: two chunks have one id.
        """
        ids = np.asarray(self._ids)[arranged.order]
        by_id = np.argsort(ids, kind="stable")
        sorted_ids = ids[by_id]
        twice = sorted_ids[1:][sorted_ids[1:] == sorted_ids[:-1]]
        if len(twice):
            raise ArtifactError(f"chunk id {int(twice[0]):016x}: given to two chunks, wanted unique ids")
        tensors: Tensors = {"ids.sorted": sorted_ids, "ids.ordinals": by_id.astype(np.uint32)}
        tensors |= self._values.finish("filters", arranged.ordinals)
        tensors |= self._finish_symbols(arranged)
        tensors |= arranged.table
        tensors["documents.numbers"] = arranged.documents
        return write_tensors(folder / COLUMNS, {**tensors, **more})

    def _finish_symbols(self, arranged: Arrangement) -> Tensors:
        table = TableColumns(self._spill, weighted=False)
        for part in self._symbols.merged(arranged.ordinals):
            table.append(part)
            self.names.update(map(last_part, part.strings))
        return table.tensors("symbols")
