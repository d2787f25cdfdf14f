"""Books in EPUB to one page of HTML: their chapters in the order in which they are read."""

from __future__ import annotations

import html
import io
import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote
from xml.etree import ElementTree
from zipfile import BadZipFile, ZipFile

from quire.errors import NoText, SourceError
from quire.limits import DOCUMENT_FILE_BYTES

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_CHAPTERS = ("application/xhtml+xml", "text/html")
_BODY = re.compile(r"<body\b[^>]*>(.*?)(?:</body\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_HEADING = re.compile(r"(</?h)([1-5])(?=[\s>])", re.IGNORECASE)
_ID = re.compile(r"""\sid=(["'])[^"'<>]*\1""")
_MAIN = re.compile(r"(</?)(?:main|article)(?=[\s>])", re.IGNORECASE)


def epub_html(data: bytes, path: str) -> str:
    """The book as HTML: its title, then its chapters one level below it; without its own table of contents.

    Raises:
        SourceError: it is damaged, protected, or larger than a document may be.
        NoText: none of its chapters holds a word.
    """
    try:
        with ZipFile(io.BytesIO(data)) as book:
            title, chapters = _spine(book)
            if _ENCRYPTION in book.namelist() and any(
                one.encode() in book.read(_ENCRYPTION) for one in chapters
            ):
                raise SourceError(f"{path}: the book is protected; wanted one that can be read", path=path)
            if sum(book.getinfo(one).file_size for one in chapters) > DOCUMENT_FILE_BYTES:
                raise SourceError(f"{path}: its text is larger than {DOCUMENT_FILE_BYTES:,} bytes", path=path)
            bodies = [_body(book.read(one).decode("utf-8", "replace")) for one in chapters]
    except (BadZipFile, KeyError, ElementTree.ParseError, NotImplementedError, RuntimeError) as error:
        raise SourceError(f"{path}: the book cannot be read: {error}", path=path) from error
    if not any(map(holds_words, bodies)):
        raise NoText(f"{path}: the book holds no text; pictures of pages need recognising first", path=path)
    return f"<title>{html.escape(title)}</title>\n" + "\n".join(bodies)


def holds_words(page: str) -> bool:
    """Whether HTML shows a letter."""
    return bool(re.search(r"[^\W\d_]", re.sub(r"<[^<>]*>", "", page)))


def _spine(book: ZipFile) -> tuple[str, list[str]]:
    """The book's title, and the names of its chapters in their order.

    Raises:
        KeyError: a part that the book names is not there.
    """
    package = _attribute(_parse(book, _CONTAINER), "rootfile", "full-path")
    root = _parse(book, package)
    title = next((" ".join((one.text or "").split()) for one in _named(root, "title")), "")
    items = {
        one.get("id", ""): one.get("href", "")
        for one in _named(root, "item")
        if one.get("media-type") in _CHAPTERS and "nav" not in (one.get("properties") or "").split()
    }
    order = [items.get(one.get("idref", ""), "") for one in _named(root, "itemref")]
    folder = posixpath.dirname(package)
    return title, [posixpath.normpath(posixpath.join(folder, unquote(href))) for href in order if href]


def _parse(book: ZipFile, name: str) -> ElementTree.Element:
    """A part that is XML. Expat bounds what entities expand to, and books are read where reading can be ended."""
    if book.getinfo(name).file_size > DOCUMENT_FILE_BYTES:
        raise BadZipFile(f"{name} is larger than {DOCUMENT_FILE_BYTES:,} bytes")
    return ElementTree.fromstring(book.read(name))  # noqa: S314


def _attribute(root: ElementTree.Element, tag: str, name: str) -> str:
    return next(one.attrib[name] for one in (*_named(root, tag), ElementTree.Element(tag)))


def _named(root: ElementTree.Element, tag: str) -> Iterator[ElementTree.Element]:
    """The elements of a name, whatever their namespace."""
    return (one for one in root.iter() if one.tag.rpartition("}")[2] == tag)


def _body(page: str) -> str:
    """What a chapter shows, its headings one level lower."""
    found = _BODY.search(page)
    shown = _MAIN.sub(r"\1div", found[1] if found else page)
    shown = _ID.sub("", shown)  # a program for reading books opens no fragment of an address
    return _HEADING.sub(lambda match: f"{match[1]}{int(match[2]) + 1}", shown)
