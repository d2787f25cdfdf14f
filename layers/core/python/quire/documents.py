"""The values that travel: Document (as read), Chunk (as indexed), Hit (as found), Citation (as shown), Turn."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

Value: TypeAlias = str | int | float | bool | tuple[str, ...] | None
Metadata: TypeAlias = Mapping[str, Value]
NOTHING: Mapping[str, Any] = MappingProxyType({})
"""What a mapping is by default: empty, and nobody can fill it."""


_ID = re.compile(r"[0-9a-f]{16}")


class AnchorRules(NamedTuple):
    """How the site that shows a document makes fragments of its headings.

    Attributes:
        generator: one of `quire.parsing.site_pages.GENERATORS`.
        attributes: of MkDocs, whether headings may name their id: `{ #id }`.
        slugify: of MkDocs, another way than its own: `unicode`, `pymdownx` or `pymdownx-lower`.
        separator: of MkDocs, what stands for spaces.
        wiki: whether the document lies among notes that link as wikis do, `[[Page]]`.
    """

    generator: str = "plain"
    attributes: bool = False
    slugify: str = ""
    separator: str = "-"
    wiki: bool = False


GITHUB = AnchorRules()
"""As GitHub shows Markdown, and most renderers."""


class Document(NamedTuple):
    """One thing as a source read it: a file, or an API member.

    Attributes:
        id: unique and stable within its source, such as a path or `api_dump/BasePart.Touched`.
        text: the document's own text; for a file the whole file as decoded, so that line numbers hold.
        metadata: facts that each of its chunks inherits.
        kind: which chunker reads it, a key of `quire.chunking.CHUNKERS`.
        includes: texts of other files that this one includes, by the path or the line as it is written there.
        anchors: how its headings are linked to.
        links: addresses of the documents beside it that it links to, by the target as it is written there.
    """

    id: str
    text: str
    kind: str
    metadata: Metadata = NOTHING
    includes: Mapping[str, str] = NOTHING
    anchors: AnchorRules = GITHUB
    links: Mapping[str, str] = NOTHING


class Chunk(NamedTuple):
    """The unit that is indexed, found, quoted and cited.

    Attributes:
        id: 16 hexadecimal digits, see `chunk_id`; unique within a segment.
        document_id: the document that it was cut from.
        text: the stored text; quotes and digests refer to exactly this.
        breadcrumb: where it stands, such as `Physics › Units` or `BasePart › Touched`; indexed, not quoted.
        metadata: what filters, faces and citations read: `path`, `start_line`, `end_line`, `heading`, `url`, ...
        symbols: exact names that it defines, most specific first: `("BasePart.Touched", "Touched")`.
        aliases: more text to find it by, indexed by keywords alone and never shown.
        summary: text to embed in place of `text`, where another text finds it better; "" means `text`.
        headline: its gist in a line, embedded beside the text; "" means the breadcrumb.
    """

    id: str
    document_id: str
    text: str
    breadcrumb: str = ""
    metadata: Metadata = NOTHING
    symbols: tuple[str, ...] = ()
    aliases: str = ""
    summary: str = ""
    headline: str = ""

    @property
    def place(self) -> str:
        """Where it stands for a reader: `guide/pumps.md:12-30`, or the document's id where it has no lines."""
        path = self.metadata.get("path") or self.document_id
        start, end = self.metadata.get("start_line"), self.metadata.get("end_line")
        return f"{path}:{start}-{end}" if start and end else str(path)

    @property
    def url(self) -> str:
        """Where its site shows it; "" where no site is known."""
        return str(self.metadata.get("url") or "")


class Hit(NamedTuple):
    """A chunk as a question found it.

    Attributes:
        chunk: the chunk.
        rank: from 1.
        score: calibrated probability that it answers the question, 0 to 1.
        cosine: best cosine of its vectors with the question; None where vectors took no part.
        version: the collection version that it was read from.
    """

    chunk: Chunk
    rank: int
    score: float
    cosine: float | None
    version: str

    def __repr__(self) -> str:
        """A line, as a notebook shows a list of them; `_asdict()` has everything."""
        return f"<Hit {self.rank} {self.score:.2f} {self.chunk.place} {self.chunk.breadcrumb!r}>"


class Citation(NamedTuple):
    """A passage as an answer shows it, checkable against the artifact.

    `start` and `end` are character offsets of `quote` in the chunk's stored text; `sha256` is the hexadecimal
    digest of the UTF-8 bytes of exactly that quote. `answers_at` is the offset of the passage in it that answers: a
    quote may begin under the heading before, and readers are sent to the section that answers.
    """

    n: int
    hit: Hit
    quote: str
    start: int
    end: int
    sha256: str
    answers_at: int

    def __repr__(self) -> str:
        """A line; `quote` has the passage."""
        return f"<Citation [{self.n}] {self.hit.chunk.place} {len(self.quote)} characters>"


class Turn(NamedTuple):
    """One message of a conversation; `role` is `user` or `assistant`."""

    role: str
    text: str


def plain(document: Document) -> Document:
    """The document in values that another process can be handed."""
    return document._replace(
        metadata=dict(document.metadata), includes=dict(document.includes), links=dict(document.links)
    )


def chunk_id(document_id: str, key: str) -> str:
    """Name a chunk after its document and its place in it, so that a rebuild of the same input names it alike.

    >>> chunk_id("guide.md", "0")
    '421fd60c3891c504'
    """
    return hashlib.sha256(f"{document_id}\x00{key}".encode()).hexdigest()[:16]


def text_sha256(text: str) -> str:
    """Hexadecimal sha256 of the text's UTF-8 bytes."""
    return hashlib.sha256(text.encode()).hexdigest()


def id_number(chunk_id: str) -> int | None:
    """The id as a number, or None where it is not 16 hexadecimal digits.

    >>> id_number("00000000000000ff"), id_number("FF")
    (255, None)
    """
    return int(chunk_id, 16) if _ID.fullmatch(chunk_id) else None


def counted(count: int, noun: str) -> str:
    """A number of things, as messages tell it.

    >>> counted(1, "file"), counted(2_000, "passage")
    ('1 file', '2,000 passages')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
