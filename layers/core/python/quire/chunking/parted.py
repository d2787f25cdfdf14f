"""Documents of pages, cells or slides, and HTML, to chunks: their places are these and headings, not lines."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from quire.chunking.markdown import DOCS, chunk_page
from quire.chunking.packing import Sizes
from quire.documents import Chunk, Document, Value, chunk_id
from quire.parsing.formats import PART
from quire.parsing.line_maps import LINE_MAP, PART_MAP, part_map
from quire.parsing.markdown import parse_markdown
from quire.parsing.page import Block, Page, Part, Section
from quire.parsing.scan import Dialect

PROSE = Sizes(least=500, most=1000, overlap=120)
_PARAGRAPH = re.compile(r"^[^\S\n]*+\S[^\n]*+(?:\n[^\S\n]*+\S[^\n]*+)*+", re.MULTILINE)


def chunk_prose(document: Document) -> Iterator[Chunk]:
    """Chunks of about 1,000 characters, cut between paragraphs and sentences."""
    return chunk_page(document, read_prose(document.text), PROSE)


def read_prose(text: str) -> Page:
    """A text as a page of one section; blank lines part its paragraphs, line breaks stay."""
    text = text.replace("\r\n", "\n").replace("\r", " ")
    blocks, line, seen = [], 1, 0
    for match in _PARAGRAPH.finditer(text):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        breaks = tuple(found.end() for found in re.finditer("\n", match[0]))
        blocks.append(Block("paragraph", (Part(match[0], line, line + len(breaks), breaks=breaks),)))
    return Page("", (), (Section("", 0, 1, blocks=tuple(blocks)),) if blocks else ())


_LINES = ("start_line", "end_line")
_GOES_ON = re.compile(rf"(?<=[\w,;]){PART}(?=[a-zß-öø-ÿ])")
"""Between two pages: the first does not end its sentence, and the second begins with a small letter."""


def chunk_pages(document: Document) -> Iterator[Chunk]:
    """Chunks of a PDF with `page` and `end_page`, from 1; an address leads to the page.

    A sentence that goes on on the next page is read whole.
    """
    url = document.metadata.get("url")
    for chunk in _parted(document, "page", PROSE):
        page = chunk.metadata["page"]
        yield chunk._replace(metadata={**chunk.metadata, "url": f"{url}#page={page}"}) if url else chunk


def chunk_cells(document: Document) -> Iterator[Chunk]:
    """Chunks of a notebook with `cell` and `end_cell`, from 1.

    Raises:
        SourceError: a cell's Markdown is malformed.
    """
    return _parted(document, "cell", DOCS)


def chunk_slides(document: Document) -> Iterator[Chunk]:
    """Chunks of a presentation with `slide` and `end_slide`, from 1."""
    return _parted(document, "slide", DOCS)


def chunk_html(document: Document) -> Iterator[Chunk]:
    """Chunks of an HTML page by its headings, with the `id` of each as the fragment of its address."""
    from quire.parsing.html_page import parse_html  # its parser is no part of what a question needs

    for chunk in chunk_page(document, parse_html(document.text), DOCS):
        yield _without_lines(chunk)


def _parted(document: Document, unit: str, sizes: Sizes) -> Iterator[Chunk]:
    """Chunks with their first and last part."""
    joints = [
        (match.start(), "\n" if unit == "page" and _GOES_ON.match(document.text, match.start()) else "\n\n")
        for match in re.finditer(PART, document.text)
    ]
    text, begins, seen, line = "", [], 0, 1
    for place, joint in joints:
        text += document.text[seen:place] + joint
        line += document.text.count("\n", seen, place) + len(joint)
        begins.append(line)
        seen = place + len(PART)
    text += document.text[seen:]
    dialect = None if unit == "cell" else Dialect()  # pages and slides are no Markdown of their author
    for chunk in chunk_page(document, parse_markdown(text, document.id, dialect), sizes):
        first, last = (int(str(chunk.metadata[name])) for name in _LINES)
        place_of = {unit: bisect_right(begins, first) + 1, f"end_{unit}": bisect_right(begins, last) + 1}
        is_on_several = place_of[unit] < place_of[f"end_{unit}"]
        told = {PART_MAP: part_map(chunk, begins)} if is_on_several else {}
        placed = _without_lines(chunk)
        yield placed._replace(metadata={**placed.metadata, **place_of, **told})


def _without_lines(chunk: Chunk) -> Chunk:
    kept = {name: value for name, value in chunk.metadata.items() if name not in (*_LINES, LINE_MAP)}
    return chunk._replace(metadata=kept)


CHUNK_FIELDS = ("breadcrumb", "symbols", "aliases", "summary", "headline")
"""Metadata entries that become the chunk's own fields instead of travelling on as metadata."""


def chunk_api_member(document: Document) -> Iterator[Chunk]:
    """Yield the document as its only chunk.

    A document id of the form `file#part` is a part of that file: the chunk belongs to the document `file` and is
    keyed by the part, so that a file's chunks share one document id.

    >>> [chunk] = chunk_api_member(Document("CFrame.yaml#new", "CFrame.new()", "api_member", {"title": "CFrame"}))
    >>> chunk.document_id, chunk.text, dict(chunk.metadata)
    ('CFrame.yaml', 'CFrame.new()', {'title': 'CFrame'})
    """
    file, _, part = document.id.partition("#")
    metadata = {key: value for key, value in document.metadata.items() if key not in CHUNK_FIELDS}
    yield Chunk(
        id=chunk_id(file, part),
        document_id=file,
        text=document.text,
        breadcrumb=_text(document, "breadcrumb"),
        metadata=metadata,
        symbols=_names(document.metadata.get("symbols")),
        aliases=_text(document, "aliases"),
        summary=_text(document, "summary"),
        headline=_text(document, "headline"),
    )


def _text(document: Document, key: str) -> str:
    return str(document.metadata.get(key) or "")


def _names(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()
