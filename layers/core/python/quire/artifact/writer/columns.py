"""Writes the columns of a segment: filters, symbols, documents, ids, and where each payload lies."""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quire.artifact.ids import id_number
from quire.artifact.layout import COLUMNS, Counts
from quire.artifact.tensors import Array, FileFacts, write_tensors
from quire.artifact.writer.kept import KeptRows
from quire.artifact.writer.postings import PostingsBuilder
from quire.artifact.writer.rows import IndexRow
from quire.errors import ArtifactError
from quire.filters import filter_keys
from quire.symbols import fold_symbol, last_part


@dataclass
class SourceTally:
    """Counts of one source as its rows come by; memory holds its document ids and symbols once."""

    documents: set[str] = field(default_factory=set)
    symbols: set[str] = field(default_factory=set)
    chunks: int = 0
    vectors: int = 0
    characters: int = 0

    def add(self, document_id: str, symbols: Iterable[str], *, characters: int, vectors: int) -> None:
        """Count a chunk."""
        self.documents.add(document_id)
        self.symbols.update(symbols)
        self.chunks += 1
        self.vectors += vectors
        self.characters += characters

    def counts(self) -> Counts:
        """The counts so far."""
        return Counts(len(self.documents), self.chunks, self.vectors, self.characters, len(self.symbols))

    def join(self, other: SourceTally) -> None:
        """Count what another counted, too."""
        self.documents |= other.documents
        self.symbols |= other.symbols
        self.chunks += other.chunks
        self.vectors += other.vectors
        self.characters += other.characters


class ColumnsWriter:
    """Holds about 50 bytes a chunk and each value, symbol and document id once."""

    def __init__(self, filters: tuple[str, ...]) -> None:
        self._filters = filters
        self._values = PostingsBuilder()
        self._symbols = PostingsBuilder()
        self._documents = PostingsBuilder()
        self._document_ids: list[str] = []
        self._ids = array("Q")
        self._sources: defaultdict[str, SourceTally] = defaultdict(SourceTally)

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
        self._document_ids.append(chunk.document_id)
        tally, characters = self._sources[row.source], len(chunk.text)
        tally.add(chunk.document_id, chunk.symbols, characters=characters, vectors=len(row.vectors))

    def add_kept(self, kept: KeptRows) -> None:
        """Add kept rows; each one's stored line is read, for the counts by source."""
        segment = kept.segment
        self._ids.frombytes(segment.ids[kept.ordinals].tobytes())
        self._values.add_kept(kept, segment.filters)
        self._symbols.add_kept(kept, segment.symbols)
        self._documents.add_kept(kept, segment.documents)
        vectors = np.bincount(segment.vectors.owners, minlength=segment.chunk_count)[kept.ordinals]
        for line, count in zip(kept.lines(), vectors.tolist(), strict=True):
            fields = json.loads(line)  # as `payloads.chunk_line` spells a chunk; empty ones are left out
            document_id, characters = fields.get("document_id", ""), len(fields.get("text", ""))
            self._document_ids.append(document_id)
            tally = self._sources[kept.source(fields.get("metadata", {}))]
            tally.add(document_id, fields.get("symbols", ()), characters=characters, vectors=count)

    def names(self) -> set[str]:
        """The own names of all symbols: what stands behind the last separator, folded."""
        return {last_part(symbol) for symbol in self._symbols.strings()}

    def order(self) -> NDArray[np.intp]:
        """Numbers of the rows in their final order: by document id, then as they came within the document."""
        ids = self._document_ids
        return np.array(sorted(range(len(ids)), key=ids.__getitem__), np.intp)

    def counts(self) -> tuple[Counts, dict[str, Counts]]:
        """Of the whole, and by source."""
        whole = SourceTally()
        for tally in self._sources.values():
            whole.join(tally)
        return whole.counts(), {key: tally.counts() for key, tally in sorted(self._sources.items())}

    def finish(self, folder: Path, order: NDArray[np.intp], more: Mapping[str, Array]) -> FileFacts:
        """Write the file, with `more` arrays in it.

        Raises:
            ArtifactError: two chunks have one id.
        """
        ids = np.asarray(self._ids)[order]
        by_id = np.argsort(ids, kind="stable")
        sorted_ids = ids[by_id]
        twice = sorted_ids[1:][sorted_ids[1:] == sorted_ids[:-1]]
        if len(twice):
            raise ArtifactError(f"chunk id {int(twice[0]):016x}: given to two chunks, wanted unique ids")
        arrays: dict[str, Array] = {"ids.sorted": sorted_ids, "ids.ordinals": by_id.astype(np.uint32)}
        arrays |= self._values.finish("filters", order)
        arrays |= self._symbols.finish("symbols", order)
        documents = self._documents.finish("documents", order)
        arrays |= documents
        starts = documents["documents.starts"].astype(np.intp)
        sizes = starts[1:] - starts[:-1]
        arrays["documents.numbers"] = np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)
        return write_tensors(folder / COLUMNS, {**arrays, **more})
