"""Opens a segment by mapping its files, and verifies one byte for byte."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from quire.documents import id_number
from quire.errors import ArtifactCorrupt
from quire.index.layout import (
    CELLS,
    COLUMNS,
    GRAPH,
    KEYWORDS,
    MANIFEST,
    SPELLING,
    VECTORS,
    Manifest,
    payload_shard,
    read_manifest,
)
from quire.index.payloads import Bring, PayloadShards
from quire.index.postings import Postings, postings, string_table
from quire.index.tensors import Array, FileRows, file_facts, read_buffer, read_tensors
from quire.index.vectors import CellArrays, VectorArrays
from quire.index.vocabulary import Spelling

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHARD_MAPPED_FROM = 1 << 16
"""Of a shard of text, which stays open, few lines are read: mapped, they alone take memory."""


class ChunkIds(NamedTuple):
    """The ids of a segment's chunks as numbers, ascending, with the ordinal of each."""

    ascending: NDArray[np.uint64]
    ordinals: NDArray[np.uint32]

    def find(self, chunk_id: str) -> int | None:
        """Ordinal of the chunk of that id."""
        number = id_number(chunk_id)
        if number is None:
            return None
        wanted = np.uint64(number)
        place = int(np.searchsorted(self.ascending, wanted))
        if place == len(self.ascending) or self.ascending[place] != wanted:
            return None
        return int(self.ordinals[place])

    def by_ordinal(self) -> NDArray[np.uint64]:
        """The numbers of the chunks' ids, by ordinal."""
        ids = np.empty(len(self.ordinals), np.uint64)
        ids[self.ordinals] = self.ascending
        return ids


class Segment:
    """An opened segment. Each file is mapped when something of it is first asked for; nothing is ever written.

    Attributes:
        chunk_count, document_count: hidden ones included.
        graph: the file of the graph over its vectors, where it has one.
        bring: brings payload shards near that follow the other files; None where all are there.
    """

    def __init__(self, folder: Path, manifest: Manifest, bring: Bring | None = None) -> None:
        self.bring = bring
        self.folder = folder
        self.manifest = manifest
        self.chunk_count = manifest.counts.chunks
        self.document_count = manifest.counts.documents
        self.graph = folder / GRAPH if GRAPH in manifest.files else None

    @cached_property
    def vectors(self) -> VectorArrays:
        """Codes, scales, sign bits and owners; cells where the segment is large enough to have them."""
        arrays = self._arrays(VECTORS)
        named: dict[str, Any] = {name: arrays[name] for name in ("codes", "scales", "bits", "mean", "owners")}
        if CELLS not in self.manifest.files:
            return VectorArrays(**named)
        in_cells = self._arrays(CELLS)
        cells = CellArrays(*(in_cells[name] for name in CellArrays._fields))
        file = FileRows(self.folder / VECTORS, arrays["codes"])
        return VectorArrays(**named, cells=cells, file=file)

    @cached_property
    def terms(self) -> Postings:
        """Search terms -> chunks and frequencies in quarters."""
        return postings(self._keywords, "terms")

    @cached_property
    def lengths(self) -> NDArray[np.uint32]:
        """Weighted lengths of the chunks in quarters."""
        lengths: NDArray[np.uint32] = self._keywords["lengths"]
        return lengths

    @cached_property
    def filters(self) -> Postings:
        """`filter_key` -> chunks."""
        return postings(self._columns, "filters")

    @cached_property
    def symbols(self) -> Postings:
        """Folded symbols -> chunks that define them."""
        return postings(self._columns, "symbols")

    @cached_property
    def documents(self) -> Postings:
        """Document ids -> their chunks; a document's number is its place in this table."""
        return postings(self._columns, "documents")

    def document_id(self, number: int) -> str:
        """Id of the document of that number."""
        return self.documents.strings[number]

    @cached_property
    def document_numbers(self) -> NDArray[np.uint32]:
        """Number of each chunk's document."""
        numbers: NDArray[np.uint32] = self._columns["documents.numbers"]
        return numbers

    @cached_property
    def fingerprints(self) -> NDArray[np.uint64]:
        """Simhash of each chunk's terms."""
        fingerprints: NDArray[np.uint64] = self._columns["fingerprints"]
        return fingerprints

    @cached_property
    def payloads(self) -> PayloadShards:
        """The stored chunks."""
        folder = self.folder  # a reader that held the segment would keep it mapped when nobody else does
        return PayloadShards(
            self._columns["payload.offsets"],
            self._columns["payload.shards"],
            lambda shard: read_buffer(folder / payload_shard(shard), mapped_from=SHARD_MAPPED_FROM),
            self.bring,
        )

    @cached_property
    def spelling(self) -> Spelling:
        """The words of its text, for spelling."""
        return open_spelling(self._arrays(SPELLING))

    @property
    def ids(self) -> ChunkIds:
        """The ids of its chunks."""
        return ChunkIds(self._columns["ids.sorted"], self._columns["ids.ordinals"])

    @cached_property
    def _keywords(self) -> dict[str, Array]:
        return self._arrays(KEYWORDS)

    @cached_property
    def _columns(self) -> dict[str, Array]:
        return self._arrays(COLUMNS)

    def _arrays(self, name: str) -> dict[str, Array]:
        return read_tensors(self.folder / name)


def open_spelling(arrays: Mapping[str, Array]) -> Spelling:
    """Words and trigrams from the arrays of the spelling file."""
    words = string_table(arrays, "words")
    return Spelling(postings(arrays, "trigrams"), words, arrays["lengths"], arrays["counts"], arrays["names"])


def open_segment(
    folder: Path, digest: str = "", *, spared: Collection[str] = (), bring: Bring | None = None
) -> Segment:
    """Open a segment. Sizes are checked, digests are not; `verify_segment` checks those.

    Args:
        folder: where it lies.
        digest: the name that the pointer knows it by; "" accepts any.
        spared: files that are not looked at now; one that is broken is an error of its first use.
        bring: brings payload shards near, of which the missing ones are spared too.

    Raises:
        ArtifactCorrupt: a file is missing or has another size, or the manifest is not the one named.
        ArtifactMismatch: the format is another than this program reads.
    """
    manifest = manifest_in(folder, digest)
    for name, facts in manifest.files.items():
        if name in spared:
            continue
        size = _size(folder, name)
        if size != facts.size:
            raise ArtifactCorrupt(f"{name}: {size} bytes expected {facts.size}")
    return Segment(folder, manifest, bring)


def verify_segment(folder: Path, digest: str = "") -> None:
    """Check every byte of a segment, or of a build of several, against its digests.

    Raises:
        ArtifactCorrupt: a file is missing, differs, or does not belong there; the message names it with both digests.
        ArtifactMismatch: the format is another than this program reads.
    """
    manifest = manifest_in(folder, digest)
    for name, facts in manifest.files.items():
        size = _size(folder, name)
        found = file_facts(folder / name)
        if found.sha256 != facts.sha256:
            raise ArtifactCorrupt(
                f"{name}: sha256 {found.sha256} ({size} bytes) expected {facts.sha256} ({facts.size} bytes)"
            )
    known = {MANIFEST, *manifest.files}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        # A copy that a killed upload never finished begins so; nothing reads it.
        if path.is_file() and name not in known and not path.name.startswith(".new-"):
            raise ArtifactCorrupt(f"{name}: a file that the manifest does not list")


def manifest_in(folder: Path, digest: str = "") -> Manifest:
    """The manifest that lies in a folder.

    Raises:
        ArtifactCorrupt: it is not there, is damaged, or is not the one of that digest.
        ArtifactMismatch: the format is another than this program reads.
    """
    manifest = read_manifest(bytes(read_buffer(folder / MANIFEST)))
    if digest and manifest.digest != digest:
        raise ArtifactCorrupt(f"{MANIFEST}: sha256 {manifest.digest} expected {digest}")
    return manifest


def _size(folder: Path, name: str) -> int:
    try:
        return (folder / name).stat().st_size
    except FileNotFoundError:
        raise ArtifactCorrupt(f"{name}: no such file in the segment") from None
