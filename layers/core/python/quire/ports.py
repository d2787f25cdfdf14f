"""The ports: what the core asks of its adapters. Each has one contract test class, run over every implementation.

A `Ranking` holds *ordinals*: positions of chunks in the opened index, from 0. Vectors are float32 rows of unit length.

What a question needs imports this module for type checking alone: protocols cost a process start 5 ms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from quire.documents import Chunk, Turn
from quire.ranking import Ranking
from quire.stored import Stored

if TYPE_CHECKING:
    from datetime import datetime  # 9 ms that a process start has not got

Vectors = NDArray[np.float32]
Ordinals = NDArray[np.uint32]


class Embedder(Protocol):
    """Text to unit vectors. The same text gives the same bytes whatever is embedded beside it."""

    @property
    def dimensions(self) -> int:
        """Width of a row."""

    @property
    def digest(self) -> str:
        """Hexadecimal sha256 that names the model's files; what vectors of two programs must agree on."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Questions to rows, shape (n, dimensions), order kept; over-long text is truncated at the window."""

    def embed_passages(self, passages: Sequence[tuple[str, str]]) -> Iterator[Vectors]:
        """Passages `(prefix, text)` to rows, in order, each of shape (windows, dimensions) with windows >= 1.

        A passage longer than the model's window is cut into overlapping windows, each of which begins with the
        prefix (the breadcrumb).
        """


@runtime_checkable
class WordList(Protocol):
    """An embedder that also knows which words are ordinary; those that do not are asked nothing."""

    def has_word(self, word: str) -> bool:
        """Whether the word is one piece of the model's vocabulary: ordinary words are, coined ones are not."""


class VectorIndex(Protocol):
    """Nearest chunks by cosine."""

    def nearest(self, vector: Vectors, limit: int, allowed: Ordinals | None = None) -> Ranking:
        """Best first by cosine, each chunk once with its best vector; with `allowed`, exact over those ordinals.

        `vector` has shape (dimensions,). `allowed` is sorted and unique; empty gives an empty ranking.
        """

    def cosines(self, vector: Vectors, ordinals: Ordinals) -> NDArray[np.float32]:
        """Cosine of each chunk's best vector, in the order of the ascending `ordinals`; 0 for one without vectors.

        Hidden chunks are scored like any other: who asks knows the ordinals.
        """


class KeywordIndex(Protocol):
    """Chunks by BM25 over weighted terms."""

    def search(self, terms: Mapping[str, float], limit: int, allowed: Ordinals | None = None) -> Ranking:
        """Best first by the summed, weighted BM25 of `terms` (term -> weight); only scores above 0."""

    def frequency(self, term: str) -> int:
        """Chunks that hold the term."""

    def ideal(self, terms: Mapping[str, float]) -> float:
        """The score that a chunk holding every term without end would near."""


class PostingLists(Protocol):
    """Strings, each with the ordinals that hold it: terms, symbols, filter values, documents, trigrams."""

    def entry(self, key: str) -> tuple[Ordinals, NDArray[np.uint8]]:
        """Ordinals of the string, ascending, and their weights where the lists have them; empty where unknown."""

    def ordinals(self, key: str) -> Ordinals:
        """Ordinals of the string alone."""


class PayloadStore(Protocol):
    """Stored chunks by ordinal."""

    def fetch(self, ordinals: Sequence[int] | Ordinals) -> list[Chunk]:
        """Chunks in the order of `ordinals`.

        Raises:
            IndexError: an ordinal is out of range.
        """


class ServedChunks(VectorIndex, KeywordIndex, Protocol):
    """The chunks of a build that a search server holds: vectors, keywords and stored lines.

    Every method raises StoreUnavailable where the server cannot be reached in time, and ArtifactCorrupt where the build
    is not there.
    """

    def expect(self, terms: Iterable[str]) -> None:
        """Look up at once how many chunks hold each of the terms, which `frequency` will be asked for."""

    def lines(self, ordinals: Sequence[int] | Ordinals) -> list[bytes]:
        """The chunks' stored lines, byte for byte as the segments have them, in the order of `ordinals`.

        Raises:
            ArtifactCorrupt: one is not there.
        """


class LoadedChunk(NamedTuple):
    """A chunk as a search server is given it.

    Attributes:
        line: its stored line.
        terms: what it is found by, and how often, 1 at least.
        vectors: float32, shape (rows, dimensions).
    """

    ordinal: int
    id: str
    line: bytes
    terms: Sequence[tuple[str, int]]
    vectors: Vectors


class BuildToLoad(Protocol):
    """A build's chunks, to be read in blocks of their ordinals."""

    @property
    def chunks(self) -> int:
        """How many there are."""

    @property
    def dimensions(self) -> int:
        """Width of a row of vectors."""

    def row_counts(self) -> NDArray[np.int64]:
        """How many rows each chunk has, by ordinal."""

    def read(self, first: int, last: int) -> Iterator[LoadedChunk]:
        """The chunks from ordinal `first` up to before `last`."""


class SearchServer(Protocol):
    """A server that holds builds, each in an index that never changes once it is loaded.

    An alias of each collection points at the index that is served. Every method but `open` raises StoreUnavailable
    where the server cannot be reached, and StoreError where it refuses.
    """

    @property
    def name(self) -> str:
        """What replies and pointers call it."""

    def open(self, index: str, *, chunks: int, vectors: int, hidden: Ordinals) -> ServedChunks:
        """The index of a build with so many chunks and vectors; `hidden` ordinals are never found."""

    def indexes(self, alias: str) -> list[str]:
        """Names of the indexes of that alias's collection, served or not, whole or not; sorted."""

    def is_loaded(self, index: str) -> bool:
        """Whether the index is there and whole."""

    def load(self, index: str, build: BuildToLoad) -> None:
        """Make the index, or go on where an earlier call ended.

        Raises:
            StoreError: the server refused a chunk, or does not hold what it was given.
        """

    def pointed(self, alias: str) -> str | None:
        """The index that the alias points at."""

    def point(self, alias: str, index: str | None) -> None:
        """Have the alias point at the index alone, in one step; None removes it."""

    def delete(self, index: str) -> None:
        """Remove the index; there being none is no error."""


class ObjectStore(Protocol):
    """Objects under keys such as `collections/docs/current.json`; what a folder and a bucket have in common.

    A write is whole or not at all, and whoever reads after it returned reads it. Every method raises StoreUnavailable
    where the store cannot be reached.
    """

    def read(self, key: str) -> Stored | None:
        """The object, or None where there is none."""

    def read_if_changed(self, key: str, etag: str) -> Stored | None:
        """The object, or None where it is still the one of that etag.

        Raises:
            KeyError: there is no such object.
        """

    def write(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
        """Write the object and give its etag.

        Raises:
            SwapConflict: the object is not the one of etag `if_match`, or `if_absent` is set and it is there.
        """

    def put_file(self, key: str, path: Path, sha256: str) -> None:
        """Store a file's bytes, by streaming.

        Raises:
            ArtifactCorrupt: they are not of that digest; nothing is stored.
        """

    def fetch_file(self, key: str, path: Path, sha256: str) -> None:
        """Bring an object to `path`, which appears whole.

        Raises:
            ArtifactCorrupt: there is no such object, or its bytes are not of that digest.
        """

    def list(self, prefix: str) -> list[str]:
        """Names directly under the prefix (which ends with `/` or is empty), sorted; those of folders end with `/`."""

    def delete(self, key: str) -> None:
        """Remove the object; there being none is no error."""

    def local_path(self, key: str) -> Path | None:
        """Where the objects under the key lie as files that can be mapped in place; None where they do not."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """A stored turn: its id, which sorts by time, and when it was said, UTC."""

    id: str
    at: datetime
    turn: Turn


class ChatMemory(Protocol):
    """Turns of sessions, each kept for `quire.sessions.RETENTION`. A session never sees another's turns.

    Nothing older is ever returned, whatever the store has deleted. Every method raises StoreUnavailable where the
    store cannot be reached.
    """

    def append(self, session: str, turns: Sequence[Turn], *, token: str | None = None) -> list[Remembered]:
        """Store the turns together, in order; where `token` was used before, give what it stored then."""

    def stored(self, session: str, token: str) -> list[Remembered]:
        """What an append with that token stored; empty where there was none."""

    def recent(self, session: str, limit: int, *, before: str | None = None) -> list[Remembered]:
        """The last `limit` live turns, of those before the turn of id `before` where it is given; oldest first."""

    def forget(self, session: str) -> int:
        """Delete everything of the session and say how many live turns there were."""

    def forget_all(self, prefix: str) -> int:
        """Delete everything of every session whose name begins so, and say how many turns were found."""

    def purge(self, before: datetime, *, after: str = "", within_s: float = 1e9) -> Purged:
        """Delete the turns older than `before`, for about so long at most; `after` goes on where an earlier call ended.

        Raises:
            InputError: no call ended at `after`.
        """


@dataclass(frozen=True, slots=True)
class Purged:
    """How many turns a purge found, and where the next goes on; "" where nothing is left."""

    deleted: int
    next: str = ""


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens of one call as the provider counted them."""

    prompt_tokens: int
    answer_tokens: int


class TokenBudget(Protocol):
    """Tokens that callers without a key may spend of each collection in a day, UTC."""

    def take(self, collection: str, tokens: int) -> str:
        """Take so many of today's and say which day that is; "" where today's are used up.

        The last one may take more than is left.

        Raises:
            StoreUnavailable: nobody can say.
        """

    def settle(self, collection: str, day: str, difference: int) -> None:
        """Add to the day that it was taken of what a call took more than was taken for it; below 0 where it was less.

        Raises:
            StoreUnavailable: it cannot be noted.
        """


class AnswerModel(Protocol):
    """A language model that streams an answer. Raises only `quire.errors.AnswerModelError` and its leaves."""

    @property
    def name(self) -> str:
        """What `model_used` says."""

    @property
    def provider(self) -> str:
        """Who runs it, as settings name it."""

    @property
    def wants_examples(self) -> bool:
        """Whether it follows the citation rule better with two example turns, as small models do."""

    def stream(
        self, system: str, turns: Sequence[Turn], *, max_tokens: int, deadline: float
    ) -> Iterator[str | Spent]:
        """Yield pieces of the answer and, where the provider counts, a `Spent` once, at the end.

        `deadline` is in `time.monotonic()` seconds and bounds the whole call. An error may come after pieces:
        `AnswerCut` at the length limit, `ModelRefused` where a filter ended the answer, `ModelUnavailable` where the
        connection broke. Closing the iterator ends the call. Nothing is retried here. Where the iterator has a method
        `hang_up`, it ends the call from any thread, a read that is under way included.
        """
