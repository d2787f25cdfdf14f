"""PDF to Markdown, a page at a time: its lines as PDFium sees them, with the outline that its author gave it.

`quire.parsing.pdf_layout` makes headings, paragraphs and code of the lines.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from quire.errors import NoText, SourceError
from quire.parsing.pdf_layout import Bookmark, Line, to_markdown

MOST_PAGES = 3_000
_FIXED_PITCH = 1
_BOLD = 1 << 18
_BOLD_WEIGHT = 600
_NAME_BYTES = 128
_FIXED_NAMES = re.compile(r"mono|courier|consol|menlo|typewriter|(?:cm|sf|tx)tt", re.IGNORECASE)
_BOLD_NAMES = re.compile(r"bold|black|heavy|cmbx|sfbx|-bd|demi", re.IGNORECASE)
_NO_TITLE = re.compile(
    r"""
    ^ (?: untitled | \(?(?:anonymous|unspecified|unknown|unnamed)\)?$  # of ReportLab and others
      | (?:no|document)[ ]title$
      | microsoft[ ]\w+[ ]- | (?:powerpoint[ ])?presentation$ | [a-z]{3,5}:\S+$ )
    | \.[a-z]{2,4}$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LIGATURES = {
    0xFB00: "ff",
    0xFB01: "fi",
    0xFB02: "fl",
    0xFB03: "ffi",
    0xFB04: "ffl",
    0xFB05: "st",
    0xFB06: "st",
}
_NO_TEXT = dict.fromkeys([0, 1, *range(3, 9), *range(0x0E, 0x20), 0xAD, 0xFEFF, 0xFFFE, 0xFFFF])
_READABLE = {**_LIGATURES, **_NO_TEXT, 0x00A0: " "}


def pdf_pages(data: bytes, path: str) -> list[str]:
    """The Markdown of each page, in order; "" for one without text, such as a scan.

    Raises:
        SourceError: it is damaged, needs a password or has more than `MOST_PAGES` pages.
        NoText: none of its pages holds a word.
    """
    try:
        with pypdfium2.PdfDocument(data) as document:
            if len(document) > MOST_PAGES:
                raise SourceError(
                    f"{path}: {len(document):,} pages, wanted at most {MOST_PAGES:,}", path=path
                )
            pages = [_lines(document, number) for number in range(len(document))]
            if not any(pages):
                raise NoText(f"{path}: the PDF holds no text; a scan needs recognising first", path=path)
            return to_markdown(pages, _bookmarks(document), _title(document))
    except pypdfium2.PdfiumError as error:
        if pdfium.FPDF_GetLastError() == pdfium.FPDF_ERR_PASSWORD:
            raise SourceError(f"{path}: the PDF needs a password", path=path) from error
        raise SourceError(f"{path}: the PDF cannot be read: {error}", path=path) from error


def _title(document: pypdfium2.PdfDocument) -> str:
    """The title that the document gives itself; "" where that is a program's or a file's name, or an address."""
    title = " ".join(document.get_metadata_value("Title").translate(_READABLE).split())
    return "" if _NO_TITLE.search(title) else title


def _bookmarks(document: pypdfium2.PdfDocument) -> list[Bookmark]:
    """The outline's entries that lead to a page, in its order."""
    found = []
    for entry in document.get_toc():
        place = entry.get_dest()
        page = place.get_index() if place else None
        title = " ".join(entry.get_title().translate(_READABLE).split())
        if page is not None and title:
            found.append(Bookmark(entry.level, title, page))
    return found


def _lines(document: pypdfium2.PdfDocument, number: int) -> list[Line]:
    """The lines of a page in the order in which they are written; without those that hold no word or sign."""
    page = document[number]
    try:
        text = page.get_textpage()
        height = page.get_height()
        count = max(text.count_chars(), 0)
        signs = "".join(map(_sign, (pdfium.FPDFText_GetUnicode(text, place) for place in range(count))))
        return [
            line
            for first, last in _ranges(signs)
            if (line := _line(text, signs, (first, last), height)) is not None
        ]
    finally:
        page.close()


def _sign(code: int) -> str:
    """A character as text; a hyphen that PDFium knows to part a word is U+0002."""
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


def _ranges(signs: str) -> Iterator[tuple[int, int]]:
    """Where each line begins, and where its last sign stands."""
    for match in re.finditer(r"[^\r\n]+", signs):
        shown = match[0].strip()
        if shown:
            first = match.start() + match[0].index(shown)
            yield first, first + len(shown) - 1


def _line(text: Any, signs: str, at: tuple[int, int], height: float) -> Line | None:
    first, last = at
    shown = signs[first : last + 1]
    shown = shown.translate(_READABLE).strip()
    if not shown:
        return None
    left, above = _origin(text, first)
    right, below = _origin(text, last)
    middle = next(place for place in range((first + last) // 2, last + 1) if not signs[place].isspace())
    styles = {_style(text, place) for place in (first, middle, last)}
    return Line(
        shown,
        left=left,
        right=right,
        top=height - above,
        bottom=height - below,
        size=round(pdfium.FPDFText_GetFontSize(text, middle), 1),
        is_code=all(fixed for fixed, _ in styles),
        is_bold=all(bold for _, bold in styles),
    )


def _origin(text: Any, place: int) -> tuple[float, float]:
    """Where a character stands, in points from the left and from the bottom of its page."""
    across, up = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(text, place, across, up)
    return across.value, up.value


def _style(text: Any, place: int) -> tuple[bool, bool]:
    """Whether all signs of a character's font are equally wide, and whether it is bold."""
    name, flags = ctypes.create_string_buffer(_NAME_BYTES), ctypes.c_int()
    length = pdfium.FPDFText_GetFontInfo(text, place, name, _NAME_BYTES, flags)
    shown = name.value.decode("utf-8", "replace") if 0 < length <= _NAME_BYTES else ""
    is_fixed = bool(flags.value & _FIXED_PITCH) or bool(_FIXED_NAMES.search(shown))
    is_bold = (
        bool(flags.value & _BOLD)
        or pdfium.FPDFText_GetFontWeight(text, place) >= _BOLD_WEIGHT
        or bool(_BOLD_NAMES.search(shown))
    )
    return is_fixed, is_bold
