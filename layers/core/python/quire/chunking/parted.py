"""Documents of pages or cells, and HTML, to chunks: their places are pages, cells and headings, not lines."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from quire.chunking.markdown import DOCS, chunk_page
from quire.chunking.prose import PROSE, read_prose
from quire.documents import Chunk, Document
from quire.parsing.formats import PART
from quire.parsing.markdown import parse_markdown
from quire.parsing.page import Page

_LINES = ("start_line", "end_line")


def chunk_pages(document: Document) -> Iterator[Chunk]:
    """Chunks of a PDF with `page` and `end_page`, from 1; an address leads to the page.

    A page's text is parted from the next as a paragraph is.
    """
    for chunk in _parted(document, read_prose(document.text.replace(PART, "\n\n")), "page", 2):
        url, page = chunk.metadata.get("url"), chunk.metadata["page"]
        yield chunk._replace(metadata={**chunk.metadata, "url": f"{url}#page={page}"}) if url else chunk


def chunk_cells(document: Document) -> Iterator[Chunk]:
    """Chunks of a notebook with `cell` and `end_cell`, from 1.

    Raises:
        SourceError: a cell's Markdown is malformed.
    """
    text = document.text.replace(PART, "\n\n")
    return _parted(document, parse_markdown(text, document.id), "cell", 2)


def chunk_html(document: Document) -> Iterator[Chunk]:
    """Chunks of an HTML page by its headings, with the `id` of each as the fragment of its address."""
    from quire.parsing.html_page import parse_html  # its parser is no part of what a question needs

    for chunk in chunk_page(document, parse_html(document.text), DOCS):
        yield _without_lines(chunk)


def _parted(document: Document, page: Page, unit: str, joint: int) -> Iterator[Chunk]:
    """Chunks with their first and last part; `joint`: line breaks that stand between parts."""
    heights = [part.count("\n") + joint for part in document.text.split(PART)]
    begins = [1, *accumulate(heights, initial=1)][1:-1]
    for chunk in chunk_page(document, page, PROSE if unit == "page" else DOCS):
        first, last = (int(str(chunk.metadata[name])) for name in _LINES)
        place = {unit: bisect_right(begins, first), f"end_{unit}": bisect_right(begins, last)}
        placed = _without_lines(chunk)
        yield placed._replace(metadata={**placed.metadata, **place})


def _without_lines(chunk: Chunk) -> Chunk:
    kept = {name: value for name, value in chunk.metadata.items() if name not in _LINES}
    return chunk._replace(metadata=kept)
