"""Documents to index rows. The build job and live writes both go through here, so both index alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, islice, tee
from typing import TYPE_CHECKING, Protocol

import numpy as np

from quire.analysis.keywords import keyword_terms
from quire.documents import Chunk, Document, Metadata, plain
from quire.embedding.quantization import Quantized, joined, quantize, restore
from quire.index.writer import IndexRow
from quire.killable import Killable
from quire.profiles import Profile

if TYPE_CHECKING:
    from quire.parsing.formats import RawFile

OPENING_CPU_S = 20.0
"""CPU seconds that a PDF, a notebook or a book may take, before more for its size."""
BLENDED = 256  # texts whose vectors are blended at once

VectorSource = Callable[[Iterable[tuple[str, str]]], Iterator[Quantized]]
"""Passages to the quantized rows of their windows, in order; it may read ahead of what it yields."""


def cut_apart(document: Document) -> list[Chunk]:
    """`quire.chunking.chunk_document` in a process that can be ended: what a request sends may make a parser hang.

    Raises:
        SourceError: the document cannot be parsed, or not within its bounds.
    """
    return _cutter()(plain(document), name=document.id, size=len(document.text))


def read_apart(file: RawFile) -> str:
    """`quire.parsing.formats.read_converted` in such a process.

    Raises:
        SourceError: the file is damaged, not what its name says, or not read within its bounds.
    """
    return _reader()(file, name=file.path, size=len(file.data), cpu_s=OPENING_CPU_S)


@cache
def _reader() -> Killable[RawFile, str]:
    return Killable("quire.parsing.formats:read_converted")


@cache
def _cutter() -> Killable[Document, list[Chunk]]:
    return Killable("quire.chunking:cut")


def passage(chunk: Chunk, profile: Profile) -> tuple[str, str]:
    """What is embedded: `(prefix, text)`, where the prefix stands before each window of the text."""
    text = chunk.summary or chunk.text
    return (chunk.breadcrumb if profile.vector_breadcrumb else "", text)


class Analyzed(Protocol):
    """A chunk whose terms are known already, or are made when they are asked for."""

    @property
    def chunk(self) -> Chunk:
        """The chunk."""

    @property
    def line(self) -> bytes:
        """The chunk as a segment stores it; b"" where that is not known yet."""

    def read_terms(self) -> tuple[Mapping[str, float], float]:
        """See `quire.analysis.keywords.keyword_terms`."""


@dataclass(frozen=True, slots=True)
class _PlainPassages:
    chunk: Chunk
    line: bytes = b""

    def read_terms(self) -> tuple[Mapping[str, float], float]:
        return keyword_terms(self.chunk)


def index_rows(chunks: Iterable[Chunk], profile: Profile, vectors: VectorSource) -> Iterator[IndexRow]:
    """Terms and vectors for each chunk, in order; only the chunks that `vectors` reads ahead are held."""
    return index_analyzed(map(_PlainPassages, chunks), profile, vectors)


def index_analyzed(chunks: Iterable[Analyzed], profile: Profile, vectors: VectorSource) -> Iterator[IndexRow]:
    """`index_rows` of chunks whose terms may be known already."""
    ours, theirs = tee(chunks)
    rows = embed_chunks((one.chunk for one in theirs), profile, vectors)
    for one, quantized in zip(ours, rows, strict=True):
        frequencies, length = one.read_terms()
        yield IndexRow(one.chunk, frequencies, length, quantized, source_key(one.chunk.metadata), one.line)


def embed_chunks(chunks: Iterable[Chunk], profile: Profile, vectors: VectorSource) -> Iterator[Quantized]:
    """The vectors of each chunk's windows, in order."""
    theirs, asked = tee(chunks)
    rows = vectors(text for chunk in theirs for text in _passages(chunk, profile))
    if not profile.headline_weight:
        return rows
    return _blended(rows, (bool(gist(chunk, profile)) for chunk in asked), profile.headline_weight)


def index_keywords(chunks: Iterable[Analyzed], dimensions: int) -> Iterator[IndexRow]:
    """`index_analyzed` for a segment whose vectors, so wide, follow; see `quire.index.writer.staged`."""
    none = quantize(np.empty((0, dimensions), np.float32))
    for one in chunks:
        frequencies, length = one.read_terms()
        yield IndexRow(one.chunk, frequencies, length, none, source_key(one.chunk.metadata), one.line)


def gist(chunk: Chunk, profile: Profile) -> str:
    """What is embedded beside a chunk's text; "" where nothing is."""
    if not profile.headline_weight:
        return ""
    return chunk.headline or (chunk.breadcrumb if profile.vector_breadcrumb else "")


def _passages(chunk: Chunk, profile: Profile) -> Iterator[tuple[str, str]]:
    yield passage(chunk, profile)
    headline = gist(chunk, profile)
    if headline:
        yield "", headline


def source_key(metadata: Metadata) -> str:
    """Key of the source that a chunk of such metadata came from; "" where it does not say."""
    return str(metadata.get("source") or "")


def _blended(rows: Iterator[Quantized], has_headline: Iterator[bool], weight: float) -> Iterator[Quantized]:
    """Each chunk's windows moved towards its headline, whose row follows them; many chunks at once, for speed."""
    while told := list(islice(has_headline, BLENDED)):
        texts, headlines = [], []
        for is_told in told:
            texts.append(next(rows))
            headlines.append(next(rows)[:1] if is_told else texts[-1][:0])
        moved = iter(
            _moved([text for text, is_told in zip(texts, told, strict=True) if is_told], headlines, weight)
        )
        yield from (next(moved) if is_told else text for text, is_told in zip(texts, told, strict=True))


def _moved(texts: Sequence[Quantized], headlines: Sequence[Quantized], weight: float) -> Iterator[Quantized]:
    if texts:
        sizes = [len(text) for text in texts]
        whole = blend(joined(texts), joined(headlines), weight, sizes)
        ends = list(accumulate(sizes))
        yield from (whole[end - size : end] for size, end in zip(sizes, ends, strict=True))


def blend(texts: Quantized, headlines: Quantized, weight: float, sizes: Sequence[int]) -> Quantized:
    """Move each text's vectors towards its headline's, so that one cosine weighs both.

    A long text drowns what it is about; its headline says it. Worth +.02 MRR@10 on Roblox questions.

    Args:
        texts: the windows of all texts.
        headlines: a row for each text.
        weight: the headline's, 0 to 1.
        sizes: windows of each text.
    """
    towards = np.repeat(restore(headlines), sizes, axis=0)
    rows = np.float32(1.0 - weight) * restore(texts) + np.float32(weight) * towards
    return quantize(rows / np.sqrt((rows * rows).sum(axis=1, keepdims=True)))
