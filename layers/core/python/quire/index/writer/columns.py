"""Writes the columns of a segment: filters, symbols, documents, ids, and where each payload lies."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

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


class Tally:
    """Counts rows by the source that each came from; holds 4 bytes a row."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._sums: list[tuple[int, int, int]] = []
        self._sources = array("I")

    def add(self, source: str, chunks: int = 1, *, characters: int, vectors: int) -> None:
        """Count the next row, or so many of one source."""
        place = self._places.setdefault(source, len(self._places))
        if place == len(self._sums):
            self._sums.append((0, 0, 0))
        before = self._sums[place]
        self._sums[place] = (before[0] + chunks, before[1] + vectors, before[2] + characters)
        self._sources.extend((place,) * chunks)

    def by_row(self) -> NDArray[np.int64]:
        """For each row the number of its source."""
        return np.array(self._sources, np.int64)

    def shares(self, things: NDArray[np.integer], sources: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many different things each source has, of pairs of a thing and a source."""
        size = max(len(self._sums), 1)
        pairs = np.unique(things.astype(np.int64) * size + sources)
        return np.bincount(pairs % size, minlength=len(self._sums))

    def counts(
        self, documents: NDArray[np.int64], symbols: NDArray[np.int64]
    ) -> Iterator[tuple[str, Counts]]:
        """By source, of which each has so many documents and symbols."""
        for source, place in sorted(self._places.items()):
            yield source, Counts(int(documents[place]), *self._sums[place], int(symbols[place]))


class ColumnsWriter:
    """Holds about 50 bytes a chunk, and what the spill lets it hold of values, symbols and document ids.

    Attributes:
        names: the own names of all symbols, what stands behind the last separator, folded; known after `finish`.
        counts: of the whole; known after `finish`.
        source_counts: by source; known after `finish`.
    """

    counts: Counts
    source_counts: Mapping[str, Counts]

    def __init__(self, filters: tuple[str, ...], spill: Spill) -> None:
        self._filters = filters
        self._spill = spill
        self._values = PostingsBuilder(spill)
        self._symbols = PostingsBuilder(spill)
        self._documents = PostingsBuilder(spill)
        self.names: set[str] = set()
        self._ids = array("Q")
        self._tally = Tally()

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
        self._tally.add(row.source, characters=len(chunk.text), vectors=len(row.vectors))
        for table in (self._values, self._symbols, self._documents):
            if table.is_full:
                table.flush()

    def add_kept(self, kept: KeptRows) -> None:
        """Add kept rows; the stored line of each is read for its source, unless all are kept and of one source."""
        segment = kept.segment
        self._ids.frombytes(segment.ids.by_ordinal()[kept.ordinals].tobytes())
        self._values.add_kept(kept, segment.filters)
        self._symbols.add_kept(kept, segment.symbols)
        self._documents.add_kept(kept, segment.documents)
        by_source = segment.manifest.source_counts
        if kept.numbers is None and len(by_source) == 1:
            ((source, counts),) = by_source.items()
            self._tally.add(source, counts.chunks, characters=counts.characters, vectors=counts.vectors)
            return
        vectors = np.bincount(segment.vectors.owners, minlength=segment.chunk_count)[kept.ordinals]
        for line, count in zip(kept.lines(), vectors.tolist(), strict=True):
            fields = json.loads(line)  # as `chunk_line` spells a chunk; empty ones are left out
            source = kept.source(fields.get("metadata", {}))
            self._tally.add(source, characters=len(fields.get("text", "")), vectors=count)

    def arrange(self) -> Arrangement:
        """Where each row goes; no row may be added any more."""
        return arrange(self._documents, self._spill)

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
        sources = self._tally.by_row()[arranged.order]
        documents = self._tally.shares(arranged.documents, sources)
        symbols, different = np.zeros_like(documents), 0
        for part in self._symbols.merged(arranged.ordinals):
            table.append(part)
            self.names.update(map(last_part, part.strings))
            numbers = np.repeat(np.arange(len(part.strings)), part.counts)
            symbols += self._tally.shares(numbers, sources[part.ordinals])
            different += len(part.strings)
        self.source_counts = dict(self._tally.counts(documents, symbols))
        held = [one[1:4] for one in self.source_counts.values()]
        chunks, vectors, characters = (sum(one[n] for one in held) for n in range(3))
        whole = int(arranged.documents[-1]) + 1 if len(arranged.documents) else 0
        self.counts = Counts(whole, chunks, vectors, characters, different)
        return table.tensors("symbols")
