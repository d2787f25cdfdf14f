"""Books in EPUB to one page of HTML: their chapters in the order in which they are read."""

from __future__ import annotations

import html
import io
import posixpath
import re
from urllib.parse import unquote
from zipfile import ZipFile

from quire.errors import NoText, SourceError
from quire.limits import DOCUMENT_FILE_BYTES
from quire.parsing.zipped_xml import UNREADABLE, elements, holds_words, parse_part

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
    except UNREADABLE as error:
        raise SourceError(f"{path}: the book cannot be read: {error}", path=path) from error
    if not any(map(holds_words, bodies)):
        raise NoText(f"{path}: the book holds no text; pictures of pages need recognising first", path=path)
    return f"<title>{html.escape(title)}</title>\n" + "\n".join(bodies)


def _spine(book: ZipFile) -> tuple[str, list[str]]:
    """The book's title, and the names of its chapters in their order.

    Raises:
        KeyError: a part that the book names is not there.
    """
    rootfile = next(elements(parse_part(book, _CONTAINER), "rootfile"), None)
    if rootfile is None:
        raise KeyError(f"{_CONTAINER} names no package")
    package = rootfile.attrib["full-path"]
    root = parse_part(book, package)
    title = next((" ".join((one.text or "").split()) for one in elements(root, "title")), "")
    items = {
        one.get("id", ""): one.get("href", "")
        for one in elements(root, "item")
        if one.get("media-type") in _CHAPTERS and "nav" not in (one.get("properties") or "").split()
    }
    order = [items.get(one.get("idref", ""), "") for one in elements(root, "itemref")]
    folder = posixpath.dirname(package)
    return title, [posixpath.normpath(posixpath.join(folder, unquote(href))) for href in order if href]


def _body(page: str) -> str:
    """What a chapter shows, its headings one level lower."""
    found = _BODY.search(page)
    shown = _MAIN.sub(r"\1div", found[1] if found else page)
    shown = _ID.sub("", shown)  # a program for reading books opens no fragment of an address
    return _HEADING.sub(lambda match: f"{match[1]}{int(match[2]) + 1}", shown)
