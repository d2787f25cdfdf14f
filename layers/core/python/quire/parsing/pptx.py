"""Presentations of PowerPoint to Markdown, a slide at a time: titles, lists, tables, diagrams, code and notes."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING
from zipfile import ZipFile

from quire.errors import NoText, SourceError
from quire.limits import DOCUMENT_FILE_BYTES
from quire.parsing.formulas import formula_text
from quire.parsing.zipped_xml import (
    UNREADABLE,
    attribute,
    elements,
    holds_words,
    local_name,
    parse_part,
    related_parts,
    relation_of,
)

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_PRESENTATION = "ppt/presentation.xml"
_TITLES = ("title", "ctrTitle")
_FURNITURE = ("dt", "ftr", "hdr", "sldNum", "sldImg")
"""Placeholders that say the same on every slide."""
_MONOSPACED = re.compile(r"mono|courier|consolas|menlo|lucida console", re.IGNORECASE)
_DEEPEST = 8


def pptx_slides(data: bytes, path: str) -> list[str]:
    """Each slide as Markdown, in the order of the presentation: its title a heading, the first slide's the page's.

    Below a slide's own text stand the notes of its speaker. Pictures and charts have no text and are left out, so are
    dates, footers and numbers of slides.

    Raises:
        SourceError: it is damaged, needs a password, or is larger than a document may be.
        NoText: no slide holds a word.
    """
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            names = _slides(archive)
            if sum(archive.getinfo(one).file_size for one in names) > DOCUMENT_FILE_BYTES * 10:
                raise SourceError(
                    f"{path}: its text is larger than {DOCUMENT_FILE_BYTES * 10:,} bytes", path=path
                )
            slides = [_slide(archive, name, level=min(at + 1, 2)) for at, name in enumerate(names)]
    except UNREADABLE as error:
        raise SourceError(f"{path}: the presentation cannot be read: {error}", path=path) from error
    if not any(map(holds_words, slides)):
        raise NoText(f"{path}: the presentation holds no text", path=path)
    return slides


def _slides(archive: ZipFile) -> list[str]:
    """The parts that are slides, in their order.

    Raises:
        KeyError: a part that the presentation names is not there.
    """
    targets = related_parts(archive, _PRESENTATION)
    listed = elements(parse_part(archive, _PRESENTATION), "sldId")
    return [targets[relation_of(one)] for one in listed]


def _slide(archive: ZipFile, name: str, *, level: int) -> str:
    related = related_parts(archive, name)
    title = ""
    blocks: list[str] = []
    for shape in _shapes(parse_part(archive, name, DOCUMENT_FILE_BYTES * 10)):
        kind = _placeholder(shape)
        if kind in _FURNITURE:
            continue
        if kind in _TITLES and not title:
            title = " ".join(text for _, text, _ in _paragraphs(shape))
            continue
        blocks += _blocks(archive, shape, related)
    if notes := related.get("notesSlide"):
        for shape in _shapes(parse_part(archive, notes)):
            if _placeholder(shape) not in _FURNITURE:
                blocks += [text for _, text, _ in _paragraphs(shape)]
    heading = [f"{'#' * level} {title}"] if title else []
    return "\n\n".join([*heading, *blocks])


def _shapes(root: Element) -> Iterator[Element]:
    """Shapes and frames in their order, those of groups among them; of alternatives the first."""
    for one in root:
        name = local_name(one)
        if name in ("sp", "graphicFrame"):
            yield one
        elif name != "Fallback":
            yield from _shapes(one)


def _placeholder(shape: Element) -> str:
    """What a shape stands for in its slide's layout; "" where it is free."""
    return next((attribute(one, "type") for one in elements(shape, "ph")), "")


def _blocks(archive: ZipFile, shape: Element, related: dict[str, str]) -> Iterator[str]:
    """A shape as blocks of Markdown."""
    if local_name(shape) == "sp":
        yield from _listed(_paragraphs(shape), is_body=bool(list(elements(shape, "ph"))))
        return
    for table in elements(shape, "tbl"):
        if any(True for _ in _paragraphs(table)):
            yield _table(table)
    for diagram in elements(shape, "relIds"):
        if part := related.get(attribute(diagram, "dm")):
            points = elements(parse_part(archive, part), "pt")
            yield from _listed((line for point in points for line in _paragraphs(point)), is_body=True)


def _listed(paragraphs: Iterator[tuple[int, str, bool]], *, is_body: bool) -> Iterator[str]:
    """Paragraphs as a list by their depth, code as a fence; a box of its own holds paragraphs."""
    for is_code, group in groupby(paragraphs, key=lambda one: one[2]):
        if is_code:
            yield "\n".join(["```", *(text for _, text, _ in group), "```"])
            continue
        items: list[str] = []
        for depth, text, _ in group:
            if is_body or depth:
                items.append(f"{'  ' * depth}- {text}")
            else:
                yield text
        if items:
            yield "\n".join(items)


def _table(table: Element) -> str:
    """Its first row is its head."""
    rows = [
        [
            " ".join(text for _, text, _ in _paragraphs(cell)).replace("|", "\\|")
            for cell in elements(row, "tc")
        ]
        for row in elements(table, "tr")
    ]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def _paragraphs(shape: Element) -> Iterator[tuple[int, str, bool]]:
    """Paragraphs with words: how deep in the list, the text, and whether it is set as code; code keeps its indent."""
    for paragraph in elements(shape, "p"):
        facts = next((one for one in paragraph if local_name(one) == "pPr"), None)
        depth = int(facts.get("lvl", "0")) if facts is not None else 0
        text, fonts = _runs(paragraph)
        is_code = bool(fonts) and all(map(_MONOSPACED.search, fonts))
        if is_code:
            for line in text.split("\n"):
                yield 0, line.rstrip(), True
        elif text.strip():
            yield min(depth, _DEEPEST), " ".join(text.split()), False


def _runs(paragraph: Element) -> tuple[str, list[str]]:
    """A paragraph's text with its line breaks, and the font of each run that shows something; "" is the layout's."""
    text, fonts = "", []
    for part in paragraph:
        kind = local_name(part)
        if kind == "br":
            text += "\n"
        elif kind == "m":
            text += "".join(map(formula_text, elements(part, "oMath")))
        elif kind in ("r", "fld"):
            said = "".join(one.text or "" for one in elements(part, "t"))
            text += said.replace("\v", "\n")
            if said.strip():
                fonts.append(next((one.get("typeface", "") for one in elements(part, "latin")), ""))
    return text, fonts
