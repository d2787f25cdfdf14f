"""Cuts stored text into what is never shown in part: a list, a table, a code block, each with the line that leads in.

Markdown and reStructuredText are read alike. Offsets are characters of the stored text; blocks lose nothing but blank
lines between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from quire.analysis.entries import naming_option
from quire.answering.extractive.passages import (
    LABEL,
    defined_at,
    is_keyed,
    is_row,
    is_underlined,
    table_end,
    torn_fence_end,
)

PARAGRAPH, LIST, TABLE, CODE, HEADING, NOTE = "paragraph", "list", "table", "code", "heading", "note"
LONGEST_LABEL = 60
"""A line that long without an end of its own, such as "Fix" or "Android:", introduces what follows."""

_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_HEADING = re.compile(r"#{1,6} ")
_ITEM = re.compile(r"(\s*)(?:[-*+•]|#\.|(\d{1,3})[.)])\s+\S")
_GRID = re.compile(r"[ \t]*+\+[-=+]+\+$")
_RULE = re.compile(r"\s*[|:+=-][\s|:+=-]*$")
_DIRECTIVE = re.compile(r"\s*\.\. [\w-]+::")
_COMMENT = re.compile(r"\s*\.\.(?:$|\s(?!_|\||[\w:+-]+::))")
"""Of reStructuredText; a footnote (`.. [1]`) is told as one too, since nobody is answered by it."""
_OPENS_COMMENT, _CLOSES_COMMENT = "<!--", "-->"
_DRAWN = re.compile(
    r"""
    \s*\.\.[ ]
    (?:code-block|sourcecode|code|literalinclude|parsed-literal|productionlist)::  # drawn as code
    """,
    re.VERBOSE,
)
_ENDS = re.compile(r"[.!?…;)\"”'`\]。*_]\s*$")
_POINTING = re.compile(
    r"""
    (?:
        note[ ]that
        | it | its | they | their | this | that | these | those  # of what was said before
        | so | thus | hence | therefore | however | otherwise | in[ ]this[ ]case
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class QuoteBlock:
    """A whole block, `text[start:end]`, from the beginning of its first line.

    Attributes:
        kind: `paragraph`, `list` (nested items and code between its steps included), `table`, `code`, `heading`, or
            `note` (an admonition of reStructuredText).
        section: number of the heading above it, from 1; 0 above the first one.
        leads: it introduces the next block and says little without it.
        follows: it points back to the block before it, as "Note that" does.
    """

    start: int
    end: int
    kind: str
    section: int = 0
    leads: bool = False
    follows: bool = False


@dataclass(frozen=True, slots=True)
class QuotePiece:
    """Blocks that are shown together or not at all, `text[start:end]`, under one heading.

    Attributes:
        kind: that of the last block, which the others lead in.
        section: as in `QuoteBlock`.
        follows: as in `QuoteBlock`.
    """

    start: int
    end: int
    kind: str
    section: int
    follows: bool


def heading_levels(text: str) -> list[int]:
    """The signs `#` of the headings by the number of their section; 0 above the first one and for an underlined one.

    >>> heading_levels("Above\\n\\n# Lamp\\n\\n## Bulb\\n\\nGlass.")
    [0, 1, 2]
    """
    titles = (text[block.start : block.end] for block in split_blocks(text) if block.kind == HEADING)
    return [0, *(len(title) - len(title.lstrip("#")) for title in titles)]


@lru_cache(maxsize=256)
def split_pieces(text: str) -> tuple[QuotePiece, ...]:
    """The text's pieces, in order; headings are none."""
    pieces: list[QuotePiece] = []
    begin = -1
    blocks = split_blocks(text)
    for number, block in enumerate(blocks):
        if block.kind == HEADING or _says_nothing(text, block):
            begin = -1 if block.kind == HEADING else begin
            continue
        begin = block.start if begin < 0 else begin
        following = blocks[number + 1 : number + 2]
        if block.leads and following and following[0].kind != HEADING:
            continue
        first = next(one for one in blocks if one.start == begin)
        if block.leads and pieces:  # a label that nothing follows under its heading
            begin = -1
            continue
        pieces.append(QuotePiece(begin, block.end, block.kind, block.section, first.follows))
        begin = -1
    return tuple(pieces)


def _says_nothing(text: str, block: QuoteBlock) -> bool:
    """Whether it is a comment, a target of links, or a directive without a body."""
    said = text[block.start : block.end]
    if block.kind != NOTE or _COMMENT.match(said) or said.lstrip().startswith(_OPENS_COMMENT):
        return block.kind == NOTE
    return "\n" not in said and (said.endswith("::") or bool(LABEL.match(said)))


@lru_cache(maxsize=256)
def split_blocks(text: str) -> tuple[QuoteBlock, ...]:
    """All blocks of the text, in order."""
    joined = _join_steps(text, list(_raw_blocks(text)))
    blocks: list[QuoteBlock] = []
    section = 0
    for block in joined:
        section += block.kind == HEADING
        said = text[block.start : block.end]
        leads = block.kind == PARAGRAPH and _leads(said)
        follows = block.kind == PARAGRAPH and _follows(said.lstrip())
        blocks.append(replace(block, section=section, leads=leads, follows=follows))
    return tuple(blocks)


def _follows(paragraph: str) -> bool:
    """Whether it points back to the block before it, or goes on with the sentence that the block interrupts."""
    return paragraph[:1].islower() or bool(_POINTING.match(paragraph))


def _leads(paragraph: str) -> bool:
    """Whether it announces the next block: ends with a colon, or is a bare label."""
    said = paragraph.rstrip()
    if "\n" in said or len(said) > LONGEST_LABEL or is_keyed(said):
        return said.endswith(":")
    return said.endswith(("?", ":")) or not _ENDS.search(said)


@dataclass(slots=True)
class _Open:
    """The block that lines are added to; `fence` is what closes it, `indent` that of its marker.

    `closed` says that the fence has ended, `blank` that the line before was empty, `defines` that it is the head of a
    directive, `past` which line stands behind a table that is drawn.
    """

    start: int
    end: int
    kind: str
    fence: str = ""
    indent: int = 0
    blank: bool = False
    closed: bool = False
    defines: bool = False
    past: int = 0


def _raw_blocks(text: str) -> Iterator[QuoteBlock]:
    """Blocks before steps are joined, without sections."""
    lines = text.splitlines(keepends=True)
    block: _Open | None = None
    position = said = 0
    if torn := torn_fence_end(text):
        yield QuoteBlock(0, torn, CODE)
    for number, line in enumerate(lines):
        start, end = position, position + len(line.rstrip())
        position += len(line)
        if start < torn:
            continue
        if block is not None and _takes(block, line, lines, number):
            block.end = max(block.end, end if line.strip() else block.end)
            block.blank = not line.strip()
            continue
        if block is not None:
            said = block.end
            yield QuoteBlock(block.start, block.end, block.kind)
        block = _opened(lines, number, start, end, literal=text[:said].endswith("::"))
    if block is not None:
        yield QuoteBlock(block.start, block.end, block.kind)


def _opened(lines: Sequence[str], number: int, start: int, end: int, *, literal: bool) -> _Open | None:
    line = lines[number].rstrip()
    indent = len(line) - len(line.lstrip())
    if not line.strip():
        return None
    if is_underlined(lines, number):
        return _Open(start, end, HEADING)
    if is_underlined(lines, number - 1) or is_underlined(lines, number + 1, over=True):
        return None
    if fence := _FENCE.match(line):
        return _Open(start, end, CODE, fence=fence[1])
    if defined_at(lines, number) or naming_option(lines, number):
        return _Open(start, end, HEADING, defines=True)
    if line.lstrip().startswith(_OPENS_COMMENT) and _is_closed(lines, number):
        return _Open(start, end, NOTE, fence=_CLOSES_COMMENT, closed=_CLOSES_COMMENT in line)
    past = table_end(lines, number)
    kind = TABLE if past else HEADING if _HEADING.match(line) else _kind(line, indent, literal=literal)
    return _Open(start, end, kind, indent=indent, past=past)


def _is_closed(lines: Sequence[str], number: int) -> bool:
    """Whether the comment ends, and nothing stands behind its end."""
    closing = next((line for line in lines[number:] if _CLOSES_COMMENT in line), "")
    return closing.rstrip().endswith(_CLOSES_COMMENT)


def _kind(line: str, indent: int, *, literal: bool) -> str:
    if _DRAWN.match(line) or (literal and indent):
        return CODE
    if _DIRECTIVE.match(line) or LABEL.match(line) or _COMMENT.match(line):
        return NOTE
    if _ITEM.match(line):
        return LIST
    return TABLE if _is_in_table(line) else PARAGRAPH


def is_table_row(line: str) -> bool:
    """Whether the line looks like a table's, and is no item of a list."""
    return is_row(line.rstrip()) and not _ITEM.match(line)


def _is_in_table(line: str) -> bool:
    return is_row(line) or bool(_GRID.match(line))


def _takes(block: _Open, line: str, lines: Sequence[str], number: int) -> bool:
    """Whether the line belongs to the open block."""
    if block.past:
        return number < block.past
    if block.closed or block.kind == HEADING:
        return block.defines and bool(line.strip())  # further signatures, and options
    if block.fence == _CLOSES_COMMENT:
        block.closed = _CLOSES_COMMENT in line
        return True
    if block.fence:
        closing = _FENCE.match(line)
        block.closed = bool(closing) and line.strip().strip(block.fence[0]) == "" and block.fence in line
        return True
    indent = len(line) - len(line.lstrip())
    if block.kind in (CODE, NOTE):
        return (
            not line.strip() or indent > block.indent or (0 < block.indent == indent and block.kind == CODE)
        )
    if block.kind == LIST:
        return _list_takes(block, line, indent)
    is_other = is_underlined(lines, number) or table_end(lines, number) > 0
    return _goes_on(block.kind, line, is_title=is_other)


def _goes_on(kind: str, line: str, *, is_title: bool) -> bool:
    """Whether the line continues a table or a paragraph."""
    bare = line.rstrip()
    if not bare or is_title or _HEADING.match(line) or _FENCE.match(line):
        return False
    if kind == TABLE:
        return _is_in_table(bare) or bool(_RULE.match(bare))
    return not _ITEM.match(line) and not _is_in_table(bare) and not _DIRECTIVE.match(line)


def _list_takes(block: _Open, line: str, indent: int) -> bool:
    """Items, what is indented below them, and lines that go on without a blank line between."""
    if not line.strip():
        return True
    if _ITEM.match(line):
        return True
    if indent > block.indent:
        return True
    return not block.blank and not _HEADING.match(line) and not _FENCE.match(line)


def _join_steps(text: str, blocks: list[QuoteBlock]) -> Iterator[QuoteBlock]:
    """Numbered steps with paragraphs or code between them are one list; so is code that the last item announces."""
    at = 0
    while at < len(blocks):
        block, end = blocks[at], at
        while block.kind == LIST and (following := _next_steps(text, blocks, end)):
            end = following
        if block.kind == LIST and text[: blocks[end].end].endswith(":"):
            end += [one.kind for one in blocks[end + 1 : end + 2]] == [CODE]
        yield replace(block, end=blocks[end].end)
        at = end + 1


def _next_steps(text: str, blocks: list[QuoteBlock], at: int) -> int:
    """Place of the list that goes on with the numbers of the one at `at`; 0 without one."""
    last = _numbers(text, blocks[at])[-1:]
    for place in range(at + 1, min(at + 4, len(blocks))):
        if blocks[place].kind == HEADING:
            return 0
        if blocks[place].kind == LIST:
            return place if last and _numbers(text, blocks[place])[:1] == [last[0] + 1] else 0
    return 0


def _numbers(text: str, block: QuoteBlock) -> list[int]:
    lines = text[block.start : block.end].splitlines()
    items = [found for found in map(_ITEM.match, lines) if found]
    return [int(found[2]) for found in items if found[2] and len(found[1]) <= len(items[0][1])]
