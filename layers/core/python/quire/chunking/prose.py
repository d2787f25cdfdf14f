"""Plain text to chunks: paragraphs, packed like a section of a page."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quire.chunking.markdown import chunk_page
from quire.chunking.packing import Sizes
from quire.documents import Chunk, Document
from quire.parsing.page import Block, Page, Part, Section

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
    return Page("", "", (), (Section("", 0, 1, blocks=tuple(blocks)),) if blocks else ())
