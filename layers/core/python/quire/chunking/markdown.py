"""Markdown documents to chunks: whole sections where they fit, merged where small, cut at sentences where long."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import PurePosixPath

from quire.chunking.packing import (
    Piece,
    Sizes,
    Unit,
    estimate_tokens,
    join_units,
    repeated_end,
    section_units,
    split_section,
)
from quire.documents import Chunk, Document, chunk_id, text_sha256
from quire.limits import HEADING_CHARACTERS
from quire.parsing.line_maps import LINE_MAP, line_map
from quire.parsing.markdown import dialect_of, parse_markdown
from quire.parsing.page import Page, Section

CREATOR_DOCS = Sizes(least=500, most=1000, overlap=120)
TEXTBOOK = Sizes(least=500, most=780, overlap=100, measure=estimate_tokens, across=True)
DOCS = Sizes(least=500, most=1100, overlap=120)

MOST_LINKS = 24
_PARTIAL = re.compile(r"\.(?:partial|include|inc|snippet|fragment)s?$")
"""How the name of a part of pages may end."""
_JOINT = len("\n\n")
_LOG = logging.getLogger(__name__)


def chunk_creator_docs(document: Document) -> Iterator[Chunk]:
    """Chunks of a page of the Roblox creator documentation: 500 to 1,000 characters.

    Raises:
        SourceError: the file is malformed.
    """
    return _chunk_markdown(document, CREATOR_DOCS, site=True, references=True)


def chunk_textbook(document: Document) -> Iterator[Chunk]:
    """Chunks of a book's page: 500 to 800 tokens, 100 of them repeated.

    Raises:
        SourceError: the file is malformed.
    """
    return _chunk_markdown(document, TEXTBOOK, site=document.anchors.generator == "docusaurus")


def chunk_docs(document: Document) -> Iterator[Chunk]:
    """Chunks of any Markdown file: about 1,000 characters.

    Raises:
        SourceError: the file is malformed.
    """
    return _chunk_markdown(document, DOCS)


def _chunk_markdown(
    document: Document, sizes: Sizes, *, site: bool = False, references: bool = False
) -> Iterator[Chunk]:
    path = str(document.metadata.get("path") or document.id)
    wiki = document.anchors.wiki
    dialect = dialect_of(path, document.text, site=site, references=references, wiki=wiki)
    page = parse_markdown(
        document.text, path, dialect, document.includes, anchors=document.anchors, links=document.links
    )
    return chunk_page(document, page, sizes)


def chunk_page(document: Document, page: Page, sizes: Sizes) -> Iterator[Chunk]:
    """Chunks of a parsed page, in order; a page without any text still gives one, of its title."""
    path = str(document.metadata.get("path") or document.id)
    title = str(document.metadata.get("title") or page.title or spoken(PurePosixPath(path).stem))
    title = title[:HEADING_CHARACTERS]
    sections = tuple(map(_bounded, page.sections)) or (Section(title, 1, 1),)
    trails = _trails(sections, title)
    pieces = [
        piece
        for n, section in enumerate(sections)
        for piece in split_section(section_units(section), n, sizes)
    ]
    for index, group in enumerate(_overlapping(_merged(pieces, trails, sizes), sizes)):
        _warn_of_long_code(group.units, path, sizes)
        # The first section's trail finds more than what all merged sections have in common:
        # React Native MRR .894 against .879 over 55 questions, textbook alike.
        held, own, trail = (
            sections[group.first : group.last + 1],
            sections[group.section],
            trails[group.section],
        )
        place = _ChunkPlace(path, title, index, own, held, trail, page.keywords if index == 0 else ())
        yield _chunk(document, group.units, place)


def _bounded(section: Section) -> Section:
    """The section with a heading that each of its chunks can carry; of one without an end each would be long."""
    if len(section.heading) <= HEADING_CHARACTERS:
        return section
    return replace(section, heading=section.heading[:HEADING_CHARACTERS])


@dataclass(frozen=True, slots=True)
class _ChunkPlace:
    """Where a chunk stands: its file, its number there, its first section, all sections of its text, the trail."""

    path: str
    title: str
    index: int
    section: Section
    sections: Sequence[Section]
    trail: tuple[str, ...]
    keywords: tuple[str, ...]


def _chunk(document: Document, units: Sequence[Unit], place: _ChunkPlace) -> Chunk:
    text, section, index = join_units(units), place.section, place.index
    url = str(document.metadata.get("url") or "")
    anchored = url and section.level > 1 and section.anchor
    first = min(unit.part.start_line for unit in units)
    heads = ((unit.header, text.partition(unit.part.text)[0]) for unit in units if unit.header)
    aliases = dict.fromkeys(head for head, above in heads if head not in above)
    return Chunk(
        id=chunk_id(document.id, str(index)),
        document_id=document.id,
        text=text,
        breadcrumb=" › ".join((place.title, *place.trail)),
        metadata={
            **document.metadata,
            "path": place.path,
            "title": place.title,
            "heading": section.heading or place.title,
            "url": f"{url}#{section.anchor}" if anchored else url,
            "start_line": first,
            "end_line": max(unit.part.end_line for unit in units),
            "chunk_index": index,
            "content_hash": text_sha256(text),
            **_headings(place.sections),
            **_line_map(units, first),
            **({} if "links" in document.metadata else _links(units, text)),
        },
        aliases="\n".join([*aliases, *place.keywords]),
    )


def _headings(sections: Sequence[Section]) -> dict[str, tuple[str, ...]]:
    """Headings and anchors of a chunk that several sections were merged into; of one, `heading` says it all."""
    named = [one for one in sections if one.heading]
    if len(named) < 2:
        return {}
    anchors = tuple(one.anchor if one.level > 1 else "" for one in named)
    return {"headings": tuple(one.heading for one in named), "anchors": anchors}


def _line_map(units: Sequence[Unit], first: int) -> dict[str, str]:
    """Where in the chunk's text lines of its file begin; nothing where all of it stands on one."""
    sizes = accumulate(len(unit.joint) + len(unit.part.text) for unit in units)
    begins = (end - len(unit.part.text) - len(units[0].joint) for unit, end in zip(units, sizes, strict=True))
    told = line_map(zip(begins, (unit.part for unit in units), strict=True), first)
    return {LINE_MAP: told} if told else {}


def _links(units: Sequence[Unit], text: str) -> dict[str, tuple[str, ...]]:
    """Links of the text to other sites, as Markdown, where their words stand in it once: else any may be meant.

    The text has their words alone: addresses would be searched as if they were written.
    """
    links = dict.fromkeys(link for unit in units for link in unit.part.links)
    meant = tuple(link for link in links if text.count(link[1 : link.rindex("](")]) == 1)
    return {"links": meant[:MOST_LINKS]} if meant else {}


def spoken(stem: str) -> str:
    """A file's stem as a title.

    >>> spoken("_getting-started_macos"), spoken("_oar-care.partial"), spoken("2024-03-04-oars")
    ('Getting started macos', 'Oar care', '2024-03-04 oars')
    """
    words = re.sub(r"(?:(?<!\d)-|-(?!\d)|[_\s])+", " ", _PARTIAL.sub("", stem)).strip()
    return words[:1].upper() + words[1:]


def _trails(sections: Sequence[Section], title: str) -> list[tuple[str, ...]]:
    """The headings above and including each section's, without the document's title and without repetitions."""
    trails: list[tuple[str, ...]] = []
    open_sections: list[Section] = []
    for section in sections:
        while section.level and open_sections and open_sections[-1].level >= section.level:
            open_sections.pop()
        if section.level:
            open_sections.append(section)
        names = dict.fromkeys(above.heading for above in open_sections if above.heading)
        names.pop(title, None)
        trails.append(tuple(names))
    return trails


@dataclass(frozen=True, slots=True)
class _Group:
    """Neighbouring pieces that become one chunk.

    Attributes:
        section, last: the sections of the first and the last piece.
        trail: the headings that stand above all of them.
        before: the section whose end is repeated at the beginning; -1 where none is.
    """

    units: tuple[Unit, ...]
    section: int
    last: int
    size: int
    trail: tuple[str, ...]
    before: int = -1

    @property
    def first(self) -> int:
        """The section that the text begins in."""
        return self.section if self.before < 0 else self.before


def _merged(pieces: Sequence[Piece], trails: Sequence[tuple[str, ...]], sizes: Sizes) -> list[_Group]:
    """Join small neighbours while they fit together, nearest relatives first, and of those the foremost."""
    groups = [
        _Group(piece.units, piece.section, piece.section, sizes.measure(piece.text), trails[piece.section])
        for piece in pieces
    ]
    for depth in range(max(map(len, trails)), -1, -1):
        kept: list[_Group] = []
        for group in groups:
            if kept and _may_join(kept[-1], group, depth, sizes):
                kept[-1] = _join(kept[-1], group)
            else:
                kept.append(group)
        groups = kept
    return groups


def _overlapping(groups: Sequence[_Group], sizes: Sizes) -> Iterator[_Group]:
    """The groups; where chunks overlap across sections, each begins with the end of the one before, if it has room."""
    for before, group in zip([None, *groups], groups, strict=False):
        repeated: list[Unit] = []
        if before and sizes.across and not group.units[0].repeated:
            repeated = repeated_end(before.units, group.units, sizes.most, sizes)
        yield (
            replace(group, units=(*repeated, *group.units), before=before.last)
            if before and repeated
            else group
        )


def _join(one: _Group, other: _Group) -> _Group:
    return _Group(
        (*one.units, *other.units),
        one.section,
        other.last,
        one.size + other.size + _JOINT,
        _common(one.trail, other.trail),
    )


def _may_join(one: _Group, other: _Group, depth: int, sizes: Sizes) -> bool:
    """Whether two neighbours fit together; `depth`: of the headings above both, there must be so many."""
    if one.last == other.section or one.size + other.size + _JOINT > sizes.most:
        return False
    if min(one.size, other.size) >= sizes.least or len(_common(one.trail, other.trail)) != depth:
        return False
    related = depth >= max(len(one.trail), len(other.trail)) - 1
    return related or min(one.size, other.size) < sizes.least // 2


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    if one == other:
        return one
    count = next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    return one[:count]


def _warn_of_long_code(units: Sequence[Unit], path: str, sizes: Sizes) -> None:
    for unit in units:
        size = sizes.measure(unit.part.text) if unit.part.code else 0
        if size > sizes.most:
            # Whoever writes a textbook can part the block; whoever indexes somebody's repository cannot.
            _LOG.log(
                logging.WARNING if sizes.across else logging.INFO,
                "%s:%d: code block of %d is larger than a chunk (%d); it is kept whole",
                path,
                unit.part.start_line,
                size,
                sizes.most,
            )
