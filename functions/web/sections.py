"""Which section of a passage is meant, where a passage holds several: its heading and its anchor."""

from __future__ import annotations

import re

from quire.documents import Chunk


def sections_of(chunk: Chunk) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Headings and anchors of the sections in the passage; both empty where there is but one."""
    headings, anchors = chunk.metadata.get("headings"), chunk.metadata.get("anchors")
    if isinstance(headings, tuple | list) and isinstance(anchors, tuple | list):
        return tuple(headings), tuple(anchors)
    return (), ()


def section_at(chunk: Chunk, offset: int) -> int:
    """Number of the section in which the character stands."""
    at = begun = 0
    for number, heading in enumerate(sections_of(chunk)[0]):
        found = re.compile(rf"^#+ {re.escape(heading)}$", re.MULTILINE).search(chunk.text, begun)
        if found and found.start() <= offset:
            at, begun = number, found.end()
    return at


def where_of(chunk: Chunk, section: int) -> tuple[str, str, str]:
    """Chapter, section and URL of one of the passage's sections."""
    known = chunk.metadata.get
    heading, url = str(known("heading") or ""), str(known("url") or "")
    headings, anchors = sections_of(chunk)
    if headings:
        page = url.partition("#")[0]
        heading, url = headings[section], f"{page}#{anchors[section]}" if page and anchors[section] else page
    return str(known("chapter") or known("title") or ""), heading, url
