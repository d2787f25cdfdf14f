"""Files into a collection, by request."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from quire.documents import Document, Value
from quire.errors import SourceError
from quire.ingestion.rows import chunk_document
from quire.parsing.markdown import page_title
from quire.parsing.site_pages import PublishedSite
from quire.ports import Embedder
from quire.profiles import profile_named
from quire.service.access import WRITE, Caller
from quire.service.live_writes import LiveWrites
from quire.store.live_catalog import LiveCatalog
from quire.store.write_targets import LIBRARY, Place

UNPUBLISHED = PublishedSite()
"""Pages without an address: a path stands in its place."""


@dataclass(frozen=True, slots=True)
class File:
    """A file as a client sends it; `is_highlight` says that it is what a reader marked, and is kept as metadata."""

    path: str
    content: str
    is_highlight: bool = False


@dataclass(frozen=True, slots=True)
class Ingested:
    """What became of the files: chunks served of the good ones, and the bad ones, each path with its reason."""

    chunks: int
    failures: tuple[tuple[str, str], ...]


class Library:
    """Collections of profile `docs`, which take files; whether a caller may is asked first.

    Args:
        live, writes: the collections, to be read and written.
        embedder_for: the embedder of a digest, of "" for the one that new collections get.
    """

    def __init__(
        self, live: LiveCatalog, writes: LiveWrites, embedder_for: Callable[[str], Embedder]
    ) -> None:
        self._live = live
        self._writes = writes
        self._embedder_for = embedder_for

    def ingest(
        self, caller: Caller, collection: str, files: Sequence[File], *, site: PublishedSite = UNPUBLISHED
    ) -> Ingested:
        """Serve the files, each in place of the one of its path, all at once; bad ones are left out and told.

        `site` is what shows them to readers.

        Raises:
            ScopeMissing: the caller may not write to the collection.
        """
        caller.require(WRITE, collection)
        good: dict[str, Document] = {}
        failures: list[tuple[str, str]] = []
        for file in files:
            try:
                document = as_document(file, site)
                next(iter(chunk_document(document)))
                good[document.id] = document
            except SourceError as error:
                failures.append((file.path, str(error)))
            except StopIteration:
                failures.append((file.path, f"{file.path}: nothing in it can be read"))
        if not good:
            return Ingested(0, tuple(failures))
        place = Place(collection, profile_named(LIBRARY))
        written = self._writes.put(place, list(good.values()), self._embedder(collection))
        return Ingested(written.total, tuple(failures))

    def _embedder(self, collection: str) -> Embedder:
        served = self._live.find(collection)
        return self._embedder_for(served.model if served else "")


def as_document(file: File, site: PublishedSite) -> Document:
    """The document of a file: its chapter is the page's title, and its chunks' headings are the sections.

    Raises:
        SourceError: the path or the file is empty, or the file is malformed.
    """
    path = file.path.strip().lstrip("/")
    if not path:
        raise SourceError("path: wanted a file's path, found an empty one", path=file.path)
    if not file.content.strip():
        raise SourceError(f"{path}: the file is empty", path=path)
    title = page_title(file.content, path) or PurePosixPath(path).stem
    metadata: dict[str, Value] = {
        "path": path,
        "filename": PurePosixPath(path).name,
        "chapter": title,
        "section": title,
        "url": site.url_of(path, file.content),
    }
    if file.is_highlight:
        metadata["is_highlight_chunk"] = True
    return Document(path, file.content, "docs", metadata, anchors=site.anchors)
