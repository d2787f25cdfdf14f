"""Files into a collection, by request."""

from __future__ import annotations

import base64
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from quire.documents import Document, Value
from quire.errors import SourceError
from quire.index.reader import Segment
from quire.ingestion.rows import read_apart
from quire.parsing.formats import (
    CONVERTED,
    READABLE,
    SNIFFED,
    RawFile,
    decoded,
    kind_of,
    refuse_binary,
    suffix_of,
    title_of,
)
from quire.parsing.secret_forms import refuse_secret
from quire.parsing.site_pages import PublishedSite
from quire.ports import Embedder
from quire.profiles import profile_named
from quire.service.access import READ, WRITE, Caller
from quire.service.live_writes import DIGEST_FIELD, LiveWrites, Progress, unseen
from quire.store.live_catalog import LiveCatalog
from quire.store.write_targets import LIBRARY, WriteTarget

UNPUBLISHED = PublishedSite()
"""Pages without an address: a path stands in its place."""


@dataclass(frozen=True, slots=True)
class File:
    """A file as a client sends it.

    `is_highlight` says that it is what a reader marked, and is kept as metadata; `encoding` is `text` or `base64`.
    """

    path: str
    content: str
    is_highlight: bool = False
    encoding: str = "text"


@dataclass(frozen=True, slots=True)
class Ingested:
    """What became of the files.

    Attributes:
        chunks: served of the good ones.
        failures: the bad ones, each path with its reason.
        pruned: files that were served before and are no longer.
    """

    chunks: int
    failures: tuple[tuple[str, str], ...]
    pruned: int = 0


@dataclass(frozen=True, slots=True)
class LibraryPage:
    """A file that was ingested; `sha256` is the digest of the document that it became."""

    path: str
    title: str
    url: str
    chunks: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Pages:
    """Some of the files that were ingested, by path; `after` asks for the next."""

    pages: tuple[LibraryPage, ...]
    after: str | None
    total: int


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
        self,
        caller: Caller,
        collection: str,
        files: Sequence[File],
        *,
        site: PublishedSite = UNPUBLISHED,
        prune: bool = False,
        progress: Progress = unseen,
    ) -> Ingested:
        """Serve the files, each in place of the one of its path, all at once; bad ones are left out and told.

        Args:
            caller: may write to the collection.
            collection: takes them.
            files: read one by one.
            site: what shows them to readers.
            prune: whether files that were ingested before and are not among these are no longer served.
            progress: told how many chunks of how many are embedded.

        Raises:
            ScopeMissing: the caller may not write to the collection.
        """
        caller.require(WRITE, collection)
        good: dict[str, tuple[str, Document]] = {}
        failures: list[tuple[str, str]] = []
        for file in files:
            try:
                document = as_document(file, site)
                good[document.id] = file.path, document
            except SourceError as error:
                failures.append((file.path, str(error)))
        place = _place(collection)
        written = self._writes.put(
            place,
            [document for _, document in good.values()],
            self._embedder(collection),
            progress=progress,
            refused=lambda name, error: failures.append((good[name][0], str(error))),
        )
        told = {file.path: at for at, file in enumerate(files)}
        failures.sort(key=lambda failure: told[failure[0]])
        if not written.total:
            return Ingested(0, tuple(failures))
        named = {_path(file) for file in files}  # a file that cannot be read now keeps its last text
        pruned = self._writes.keep_only(place, named) if prune else 0
        return Ingested(written.total, tuple(failures), pruned)

    def pages(self, caller: Caller, collection: str, *, limit: int, after: str = "") -> Pages:
        """Up to `limit` of the files that were ingested, whose paths come after `after`.

        Raises:
            ScopeMissing: the caller may not read the collection.
        """
        caller.require(READ, collection)
        held = self._writes.written(_place(collection))
        paths = list(held)
        begin = bisect_right(paths, after)
        found = tuple(_page(path, held[path]) for path in paths[begin : begin + limit])
        return Pages(found, found[-1].path if begin + limit < len(paths) else None, len(paths))

    def delete(self, caller: Caller, collection: str, path: str) -> None:
        """Stop serving a file that was ingested.

        Raises:
            ScopeMissing: the caller may not write to the collection.
            UnknownDocument: no file of that path was ingested.
        """
        caller.require(WRITE, collection)
        self._writes.delete(_place(collection), path.strip().lstrip("/"))

    def embed(self, caller: Caller, collection: str, text: str) -> list[float]:
        """A question's vector by the model that the collection has, or will get.

        Raises:
            ScopeMissing: the caller may not read the collection.
        """
        caller.require(READ, collection)
        row: list[float] = self._embedder(collection).embed([text])[0].tolist()
        return row

    def _embedder(self, collection: str) -> Embedder:
        served = self._live.find(collection)
        return self._embedder_for(served.model if served else "")


def _place(collection: str) -> WriteTarget:
    return WriteTarget(collection, profile_named(LIBRARY))


def _path(file: File) -> str:
    return file.path.strip().lstrip("/")


def _page(path: str, segment: Segment) -> LibraryPage:
    ordinals = segment.documents.ordinals(path)
    known = segment.payloads.fetch([int(ordinals[0])])[0].metadata
    url = str(known.get("url") or "").partition("#")[0]
    digest = str(known.get(DIGEST_FIELD) or "")
    return LibraryPage(path, str(known.get("chapter") or ""), url, len(ordinals), digest)


def as_document(file: File, site: PublishedSite) -> Document:
    """The document of a file: its chapter is the page's title, and its chunks' headings are the sections.

    Raises:
        SourceError: the path or the file is empty, or the file is malformed or holds a secret.
    """
    path = _path(file)
    if not path:
        raise SourceError("path: wanted a file's path, found an empty one", path=file.path)
    if not file.content.strip():
        raise SourceError(f"{path}: the file is empty", path=path)
    text = _text(file, path)
    refuse_secret(path, text)
    kind = kind_of(path)
    title = title_of(path, text) or PurePosixPath(path).stem
    metadata: dict[str, Value] = {
        "path": path,
        "filename": PurePosixPath(path).name,
        "chapter": title,
        "section": title,
        "url": site.url_of(path, text),
    }
    if file.is_highlight:
        metadata["is_highlight_chunk"] = True
    return Document(path, text, kind, metadata, anchors=site.anchors)


def _text(file: File, path: str) -> str:
    """The file's text; that of a PDF or a notebook with its pages or cells parted.

    Raises:
        SourceError: it is a binary that came as text, is no base64, or cannot be read.
    """
    if file.encoding == "base64":
        try:
            data = base64.b64decode(file.content, validate=True)
        except ValueError as error:
            raise SourceError(f"{path}: wanted base64, found {error}", path=path) from error
    else:
        data = file.content.encode("utf-8", "surrogatepass")
        refuse_binary(path, data[:SNIFFED], '; send its bytes with "encoding": "base64"')
        if suffix_of(path) == ".pdf":
            raise SourceError(
                f"{path}: no PDF; it begins with {file.content[:12]!r}; read are {READABLE}", path=path
            )
    raw = RawFile(path, data)
    return read_apart(raw) if suffix_of(path) in CONVERTED else decoded(raw)
