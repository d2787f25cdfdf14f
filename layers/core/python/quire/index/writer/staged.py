"""A segment that is published before its vectors: the same files, and more and more vectors beside them."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import numpy as np

from quire.embedding.quantization import Quantized
from quire.folders import whole_folder
from quire.index.layout import EMBEDDED, MANIFEST, VECTORS, Manifest
from quire.index.reader import Segment
from quire.index.writer.rows import Spool
from quire.index.writer.segment import write_approximation, write_durably
from quire.index.writer.vectors import VectorsWriter


class StagedVectors:
    """The vectors of a written segment that has none, in the order of its ordinals; to be closed by a `with` block.

    With all of them `write` gives the bytes of a segment that was written in one go.

    Args:
        segment: its manifest's `extra` says under `EMBEDDED` that its vectors follow.
        vector_index: see `quire.index.writer.write_segment`.
    """

    def __init__(self, segment: Segment, *, vector_index: str = "auto") -> None:
        self._segment = segment
        self._vector_index = vector_index
        self._spool = Spool(segment.folder.with_name(f"{segment.folder.name}.codes"))
        self._vectors = VectorsWriter(self._spool, segment.manifest.dimensions)
        self._by_source: Counter[str] = Counter()
        self.chunks = 0

    def __enter__(self) -> StagedVectors:
        return self

    def __exit__(self, *_: object) -> None:
        self._spool.__exit__(None, None, None)

    def add(self, chunk_id: str, source: str, vectors: Quantized) -> None:
        """Add the vectors of the next chunk, which came from that source.

        Raises:
            ArtifactMismatch: they are not as wide as the segment's vectors.
        """
        self._vectors.add(chunk_id, vectors)
        self._by_source[source] += len(vectors)
        self.chunks += 1

    def write(self, folder: Path) -> Manifest:
        """Write the segment with the vectors that are there into `folder`, which appears whole or not at all."""
        with whole_folder(folder, f".{folder.name}-") as work:
            manifest = self._write(work)
            work.chmod(0o755)
        return manifest

    def _write(self, work: Path) -> Manifest:
        manifest = self._segment.manifest
        files = {name: facts for name, facts in manifest.files.items() if name != VECTORS}
        for name in files:
            (work / name).parent.mkdir(exist_ok=True)
            os.link(self._segment.folder / name, work / name)
        files[VECTORS] = self._vectors.finish(work, np.arange(manifest.counts.chunks))
        extra = {name: value for name, value in manifest.extra.items() if name != EMBEDDED}
        if self.chunks < manifest.counts.chunks:
            extra[EMBEDDED] = self.chunks
        else:
            files |= write_approximation(work, len(self._vectors), self._vector_index)
        written = manifest._replace(
            counts=manifest.counts._replace(vectors=len(self._vectors)),
            source_counts={
                source: counts._replace(vectors=self._by_source[source])
                for source, counts in manifest.source_counts.items()
            },
            files=files,
            extra=extra,
        )
        write_durably(work / MANIFEST, written.to_json())
        return written
