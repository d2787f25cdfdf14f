"""Index rows made from a seed: Zipf words, clustered vectors, metadata of every kind that filters know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quire.documents import Chunk, chunk_id
from quire.embedding.quantization import Quantized, quantize
from quire.index.layout import Manifest, SourceFacts
from quire.index.opened import OpenedIndex
from quire.index.reader import Segment, open_segment
from quire.index.writer import IndexRow, SegmentFacts, write_segment

DIMENSIONS = 64
FILTERS = ("kind", "tags", "level", "hidden")
SYLLABLES = ("ba", "co", "du", "fe", "gi", "ho", "ja", "ke", "lu", "mi", "no", "pa", "ri", "so", "ti", "vu")
FACTS = SegmentFacts(
    profile="docs",
    face="chatbot",
    filters=FILTERS,
    dimensions=DIMENSIONS,
    model="m" * 64,
    sources=(SourceFacts("docs", "a-folder", "abc123", "1.2.3"),),
    extra={"hierarchy": {"Part": "BasePart"}},
)


@cache
def vocabulary(size: int, seed: int = 0) -> tuple[str, ...]:
    """Distinct words of two to five syllables."""
    rng = np.random.default_rng(seed)
    words: dict[str, None] = {}
    while len(words) < size:
        words["".join(rng.choice(SYLLABLES, rng.integers(2, 6)))] = None
    return tuple(words)


def clustered(count: int, dimensions: int, seed: int = 0, spread: float = 0.6) -> NDArray[np.float32]:
    """Unit rows around centres, as embeddings of texts on some topics lie; `spread` is noise to centre."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((max(count // 100, 8), dimensions), dtype=np.float32)
    rows: NDArray[np.float32] = centres[rng.integers(0, len(centres), count)]
    for start in range(0, count, 65536):
        block = rows[start : start + 65536]
        block += np.float32(spread) * rng.standard_normal(block.shape, dtype=np.float32)
        block /= np.linalg.norm(block, axis=1, keepdims=True)
    return rows


def isotropic(count: int, dimensions: int, seed: int = 0) -> NDArray[np.float32]:
    """Unit rows without any structure: the hardest case for an approximation, and unlike any text."""
    rng = np.random.default_rng(seed)
    return normalized(rng.standard_normal((count, dimensions)).astype(np.float32))


def normalized(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of unit length."""
    unit: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)
    return unit


def make_rows(
    count: int, *, seed: int = 0, dimensions: int = DIMENSIONS, words: int = 60, prefix: str = "doc"
) -> Iterator[IndexRow]:
    """`count` rows, five chunks a document, every third chunk with two vectors."""
    rng = np.random.default_rng(seed)
    known = vocabulary(2000)
    shares = 1 / np.arange(1, len(known) + 1)
    shares /= shares.sum()
    vectors = clustered(2 * count, dimensions, seed)
    for number in range(count):
        document = f"{prefix}/{number // 5:05d}.md"
        text = [known[place] for place in rng.choice(len(known), words, p=shares)]
        chunk = Chunk(
            id=chunk_id(document, str(number)),
            document_id=document,
            text=" ".join(text),
            breadcrumb=f"Guide › Part {number % 7}",
            metadata={
                "kind": ("guide", "reference", "tutorial")[number % 3],
                "tags": ("all", f"tag{number % 4}"),
                "level": number % 5,
                "hidden": number % 2 == 0,
                "start_line": number,
                "note": None,
            },
            symbols=(f"Class{number % 50}.Member{number}", f"Member{number}"),
        )
        terms = {term: float(amount) for term, amount in Counter(text).items()}
        rows = vectors[2 * number : 2 * number + 1 + (number % 3 == 0)]
        yield IndexRow(chunk, terms, float(len(text)), quantize(rows), source="docs")


def plain_row(document: str, key: str, text: str, *, vector: NDArray[np.float32] | None = None) -> IndexRow:
    """A row of one chunk whose terms are its lower-case words."""
    words = text.lower().split()
    vectors = quantize(vector[None]) if vector is not None else no_vectors(DIMENSIONS)
    terms = {term: float(amount) for term, amount in Counter(words).items()}
    return IndexRow(Chunk(chunk_id(document, key), document, text), terms, float(len(words)), vectors)


def no_vectors(dimensions: int) -> Quantized:
    """Vectors of a chunk that has none."""
    return Quantized(np.empty((0, dimensions), np.int8), np.empty(0, np.float32))


def build(folder: Path, rows: Iterator[IndexRow] | list[IndexRow], facts: SegmentFacts = FACTS) -> Segment:
    """Write a segment and open it."""
    write_segment(folder, rows, facts)
    return open_segment(folder)


def open_index(*segments: Segment, tombstones: dict[str, int] | None = None) -> OpenedIndex:
    """An index over segments of rising sequence, from 1."""
    return OpenedIndex([(one, n) for n, one in enumerate(segments, 1)], version="v", tombstones=tombstones)


def tree_bytes(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its name."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


__all__ = ["DIMENSIONS", "FACTS", "FILTERS", "Manifest", "build", "make_rows", "open_index", "plain_row"]
