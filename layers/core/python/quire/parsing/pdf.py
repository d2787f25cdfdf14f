"""PDF to text, a page at a time, on pypdf."""

from __future__ import annotations

import io
import logging

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from quire.errors import NoText, SourceError

MOST_PAGES = 3_000


def pdf_pages(data: bytes, path: str) -> list[str]:
    """The text of each page, in order; "" for one without text, such as a scan.

    Raises:
        SourceError: it is damaged, needs a password or has more than `MOST_PAGES` pages.
        NoText: none of its pages holds a word.
    """
    logging.getLogger("pypdf").setLevel(logging.ERROR)  # it warns of what it repairs
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise SourceError(f"{path}: the PDF needs a password", path=path)
        if len(reader.pages) > MOST_PAGES:
            raise SourceError(
                f"{path}: {len(reader.pages):,} pages, wanted at most {MOST_PAGES:,}", path=path
            )
        pages = [page.extract_text() for page in reader.pages]
    except PyPdfError as error:
        raise SourceError(f"{path}: the PDF cannot be read: {error}", path=path) from error
    if not any(page.strip() for page in pages):
        raise NoText(f"{path}: the PDF holds no text; a scan needs recognising first", path=path)
    return pages
