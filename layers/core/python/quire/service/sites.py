"""The documents of sites as values: ids, fields and keys."""

from __future__ import annotations

import secrets
import threading
import uuid
from dataclasses import dataclass
from pathlib import PurePosixPath

from quire.documents import Chunk, Document
from quire.parsing.formats import HTML, SNIFFED, refuse_binary
from quire.sessions import moment
from quire.store.keys import collection_key
from quire.store.write_targets import SITE_FIELD, Site

USED_KEY = "it came before with other content, which is kept: send a new key with what is new"
"""Of an idempotency key."""
_MARKDOWN = frozenset({".md", ".markdown", ".mdx"})


@dataclass(frozen=True, slots=True)
class Submission:
    """What a client sends: the text, and where it came from, a file name or URL; None where it does not say."""

    content: str
    source: str | None = None


@dataclass(frozen=True, slots=True)
class AcceptedText:
    """A text on its way to a site, with what its acceptance settled: whoever writes it, however often, writes the same.

    Attributes:
        document_id: of the document that it becomes, or whose text it replaces.
        at: RFC 3339, UTC; what was written later outranks it.
        replaces: whether the document was there, and is to be there still.
    """

    site_id: str
    document_id: str
    text: Submission
    at: str
    replaces: bool = False


@dataclass(frozen=True, slots=True)
class SiteDocument:
    """A document as its site holds it.

    Attributes:
        created_at, updated_at: RFC 3339, UTC.
        chunks: how many it was cut into.
        sha256: digest of its content in UTF-8.
        content: the text as it came; None where it was not asked for.
    """

    id: str
    site_id: str
    source: str
    created_at: str
    updated_at: str
    chunks: int
    sha256: str
    content: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """Some of a site's documents, by id, which begins with the time of creation; `after` asks for the next page."""

    documents: tuple[SiteDocument, ...]
    after: str | None
    total: int


@dataclass(frozen=True, slots=True)
class SiteSummary:
    """A site, and how many documents it holds."""

    id: str
    documents: int


@dataclass(frozen=True, slots=True)
class SitePage:
    """Some of a collection's sites; `after` asks for the next page."""

    sites: tuple[SiteSummary, ...]
    after: str | None


class NewIds:
    """Gives UUIDs that sort by the time they were made, those of one millisecond too. Safe to share by threads.

    Source: RFC 9562, section 5.7 (version 7), with 12 bits that count on as in section 6.2. A clock that is set back
    makes no id that sorts before one that was given.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._last = 0

    def new(self, now_ms: int) -> str:
        """The next one."""
        with self._guard:
            # Half of the count is left free, so that 2,048 ids of a millisecond stay within it.
            self._last = max((now_ms & (1 << 48) - 1) << 12 | secrets.randbits(11), self._last + 1)
            ms, count = divmod(self._last, 1 << 12)
        return str(uuid.UUID(int=ms << 80 | 7 << 76 | count << 64 | 2 << 62 | secrets.randbits(62)))


def as_document(new: SiteDocument) -> Document:
    """The document as ingestion reads it: Markdown or HTML by its source's name, else plain text.

    Raises:
        SourceError: it is a binary that came as text.
    """
    suffix, content = PurePosixPath(new.source).suffix.lower(), new.content or ""
    kind = "docs" if suffix in _MARKDOWN else "prose"
    if suffix in HTML and content.lstrip()[:1] == "<":  # what was read off a page is often text by now
        kind = "html"
    refuse_binary(new.source or new.id, content[:SNIFFED].replace("\0", "").encode("utf-8", "surrogatepass"))
    metadata = {
        SITE_FIELD: new.site_id,
        "source": new.source,
        "document_id": new.id,
        "path": new.source or new.id,
        "sha256": new.sha256,
        "created_at": new.created_at,
        "updated_at": new.updated_at,
    }
    return Document(new.id, new.content or "", kind, metadata)


def described(site: Site, chunk: Chunk, chunks: int) -> SiteDocument:
    """The document that a chunk of it tells of, without its content."""
    fields = ("source", "created_at", "updated_at")
    source, created_at, updated_at = (str(chunk.metadata.get(name) or "") for name in fields)
    sha256 = str(chunk.metadata.get("sha256") or "")
    return SiteDocument(chunk.document_id, site.id, source, created_at, updated_at, chunks, sha256)


def texts_key(site: Site, document_id: str) -> str:
    """Prefix of a document's texts: one as a rule, two for the moment in which it is replaced."""
    return f"{collection_key(site.name)}texts/{document_id}/"


def text_key(site: Site, one: SiteDocument) -> str:
    """The object that holds a document's text."""
    return f"{texts_key(site, one.id)}{one.updated_at}-{one.sha256[:16]}"


def written_at(at_ms: int) -> str:
    """RFC 3339, UTC, to the millisecond."""
    return moment(at_ms).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
