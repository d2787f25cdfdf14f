"""What a quote leaves off where its chunk ends: the rest of the list, the steps, the table or the section.

Chunks have a size, so a section goes on in the next one. What follows there is a quote of its own, since a citation
is bytes of one chunk; it begins behind what both chunks say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from quire.answering.citations import sections_of
from quire.answering.extractive.blocks import (
    CODE,
    HEADING,
    LIST,
    PARAGRAPH,
    TABLE,
    heading_levels,
    split_blocks,
    split_pieces,
)
from quire.answering.extractive.code_chunks import is_code_chunk
from quire.answering.extractive.passages import sentences, split_passages
from quire.answering.extractive.precedence import is_entry
from quire.answering.extractive.rendering import section_trail
from quire.documents import Chunk
from quire.index.opened import OpenedIndex

LEAST_OVERLAP, LONGEST_OVERLAP = 16, 800
"""Characters that a chunk may repeat of the one before it; fewer are alike by chance."""
TORN = frozenset((LIST, TABLE))
ANNOUNCED, ANNOUNCED_CHARACTERS = frozenset((LIST, TABLE, CODE)), 1_000
"""What a paragraph that ends with a colon leads to, which is shown with it up to so many characters."""
SENTENCE_CHARACTERS = 300
"""Of the beginning of a sentence that a quote begins in the midst of, whatever room there is."""
LEADING_CHARACTERS = 160
_LEADING = re.compile(
    r"""
    (?: \bhere(?:['’]s|[ ]is|[ ]are)\b | \bfollow(?:s|ing)\b | \bbelow\b | \bexamples?\b | \blike[ ](?:this|so)\b )
    [^.!?\n]{0,120} [.!]? $  # in the last sentence
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SENTENCE_END = re.compile(r"[.!?…:;)\"”’'`*_\]。]\s*$")
ROWS = 2
"""Fewest rows of a table that are one: its head, and what that is the head of."""

Beside = Callable[[Chunk, int], Chunk | None]
"""The chunk so many places behind another in its document, before it where negative; None where there is none."""


SHORT_BEGINNING = 300
"""Characters that lead into a section: of more, what the question does not ask for would stand first."""


@dataclass(frozen=True, slots=True)
class Rest:
    """The part of another chunk that a quote goes on with: `chunk.text[start:end]`."""

    chunk: Chunk
    start: int
    end: int


def nothing_beside(_chunk: Chunk, _places: int) -> None:
    """No neighbours: each chunk stands alone."""


def beside_in(index: OpenedIndex) -> Beside:
    """How to find neighbours in an opened index."""

    def beside(chunk: Chunk, places: int) -> Chunk | None:
        found = index.find(chunk.id)
        if found is None:
            return None
        ordinals = index.documents.chunks(chunk.document_id)
        at = int(ordinals.searchsorted(found)) + places
        return index.fetch([int(ordinals[at])])[0] if 0 <= at < len(ordinals) else None

    return beside


def rest_behind(chunk: Chunk, end: int, beside: Beside, room: int, *, crosses: bool = False) -> Rest | None:
    """What follows `chunk.text[:end]` in the next chunk under the same heading, whole pieces of at most `room`.

    A list or table that the border of the chunks tears goes on though it is longer than the room by half; what the
    end of the chunk announces follows up to `ANNOUNCED_CHARACTERS`. With
    `crosses` the first parts of the section follow too, under their headings, up to one of a higher level: an opening
    alone often only says what they are about.
    """
    if chunk.text[end:].strip() or is_code_chunk(chunk):
        return None
    following = beside(chunk, 1)
    if following is None or is_code_chunk(following) or is_entry(following):
        return None
    start = _repeated(chunk.text, following.text)
    crosses = crosses and following.breadcrumb.startswith(f"{chunk.breadcrumb} › ")
    pieces = [
        piece
        for piece in split_pieces(following.text)
        if piece.end > start and (crosses or not piece.section)
    ]
    is_torn = bool(pieces) and _last_kind(chunk.text) == pieces[0].kind and pieces[0].kind in TORN
    first_room = room * 3 // 2 if is_torn else room
    if pieces and not pieces[0].section and _announces(chunk.text, pieces[0].kind):
        first_room = max(room, ANNOUNCED_CHARACTERS)
    last, levels = start, heading_levels(following.text)
    for number, piece in enumerate(pieces):
        if levels[piece.section] < levels[pieces[0].section]:
            break
        if piece.end - start > (room if number else first_room):
            break
        last = piece.end
    start += len(following.text[start:last]) - len(following.text[start:last].lstrip("\n"))
    return Rest(following, start, last) if last > start else None


def cut_kind(chunk: Chunk, start: int, end: int, beside: Beside, *, is_rest: bool = False) -> str:
    """`list` or `table` where `chunk.text[start:end]` ends in one that goes on.

    "" where it does not, and of one item or row alone, which is what was asked for; unless it `is_rest`, of a list that
    another chunk begins or of an answer that opens elsewhere.
    """
    block = next((one for one in split_blocks(chunk.text) if one.start < end <= one.end), None)
    if block is None or block.kind not in TORN or is_code_chunk(chunk):
        return ""
    items = sum(max(start, block.start) <= one.start < end for one in split_passages(chunk.text))
    is_headed = block.kind == TABLE and "\n" in chunk.text[max(start, block.start) : end].strip()
    if items < ROWS and not (is_headed or is_rest):
        return ""
    if chunk.text[end : block.end].strip():
        return block.kind
    following = None if chunk.text[end:].strip() else beside(chunk, 1)
    if following is None or not _is_same_section(following, chunk):
        return ""
    first = split_pieces(following.text)[:1]
    goes_on = bool(first) and first[0].kind == block.kind and not first[0].section
    return block.kind if goes_on and first[0].end > _repeated(chunk.text, following.text) else ""


def _announces(text: str, kind: str) -> bool:
    """Whether the end of a text leads to what follows it: with a colon, or to code by what its last sentence says."""
    said = text.rstrip()
    if said.endswith(":"):
        return kind in ANNOUNCED
    return (
        kind == CODE and _last_kind(text) == PARAGRAPH and bool(_LEADING.search(said[-LEADING_CHARACTERS:]))
    )


def rest_before(
    chunk: Chunk,
    start: int,
    beside: Beside,
    room: int,
    *,
    torn_room: int = 0,
    begins: Collection[str] | None = None,
) -> Rest | None:
    """The beginning of the list, table or section that `chunk.text[start:]` is in the midst of, where it has room.

    A list or table that the border tears may have `torn_room`, if that is more: steps are read from the first. Of
    chunks whose ids are not among `begins`, where it is given, only a short beginning of a section is taken.
    """
    if chunk.text[:start].strip() or is_code_chunk(chunk):
        return None
    before = beside(chunk, -1)
    if before is None or is_code_chunk(before):
        return None
    end = len(before.text[: len(before.text) - _repeated(before.text, chunk.text)].rstrip())
    begin = _torn_before(chunk, before, end)
    room = room if begin is None else max(room, torn_room)
    section = _section_before(chunk, before)
    if section is not None and begins is not None and before.id not in begins:
        section = section if end <= section + SHORT_BEGINNING else None
    if begin is None or (
        section is not None and end <= section + room and _says_more(before, section, begin)
    ):
        begin = section
    if begin is None or end > begin + room:
        begin, room = _sentence_before(chunk, before, end), max(room, SENTENCE_CHARACTERS)
    return Rest(before, begin, end) if begin is not None and begin < end <= begin + room else None


def _says_more(chunk: Chunk, start: int, end: int) -> bool:
    """Whether a paragraph stands there, above a list and what leads into it: it may be the answer."""
    above = (block.kind for block in split_blocks(chunk.text) if start <= block.start < end)
    return _last_kind(chunk.text) == LIST and PARAGRAPH in above


def _torn_before(chunk: Chunk, before: Chunk, end: int) -> int | None:
    """Where the list or table begins that the border of the chunks tears; None where it tears none."""
    pieces, last = split_pieces(chunk.text)[:1], split_pieces(before.text)[-1:]
    if not pieces or pieces[0].kind not in TORN or pieces[0].section or not last:
        return None
    if last[0].kind != pieces[0].kind or before.text[last[0].end :].strip():
        return None
    rows = sum(" | " in line for line in before.text[last[0].start : end].split("\n"))
    # Of a table that has only its head there, all rows stand in the quote.
    return last[0].start if last[0].kind != TABLE or rows >= ROWS else end


def _section_before(chunk: Chunk, before: Chunk) -> int | None:
    """Where the section begins, with its heading, that the chunk goes on with; None where it begins one itself."""
    first = split_blocks(chunk.text)[:1]
    if not first or first[0].kind == HEADING or not _is_same_section(chunk, before):
        return None
    return max((block.start for block in split_blocks(before.text) if block.kind == HEADING), default=0)


def _is_same_section(chunk: Chunk, before: Chunk) -> bool:
    """Whether the chunk begins under the heading that the one before it ends under, which may begin under another."""
    if chunk.breadcrumb == before.breadcrumb:
        return True
    trail = section_trail(chunk, 0)
    return bool(trail) and trail == section_trail(before, len(before.text))


def _sentence_before(chunk: Chunk, before: Chunk, end: int) -> int | None:
    """Where the sentence begins that the border of the chunks tears; None where it tears none."""
    last = [block for block in split_blocks(before.text) if block.start < end][-1:]
    is_torn = chunk.text[:1].islower() and not _SENTENCE_END.search(before.text[:end])
    if not is_torn or not last or last[0].kind != PARAGRAPH or _kind_at(chunk.text, 0) != PARAGRAPH:
        return None
    return sentences(before.text, last[0].start, end)[-1][0]


def repeated_end(chunk: Chunk, beside: Beside) -> int:
    """Where the end of another section stops that the chunk begins with, as chunks of books do; 0 where it has none."""
    if not sections_of(chunk)[0] or chunk.text.startswith("#"):
        return 0
    before = beside(chunk, -1)
    return _repeated(before.text, chunk.text) if before else 0


def goes_on_at(before: Chunk, end: int, after: Chunk, beside: Beside) -> int | None:
    """Where `after.text` goes on with the section that `before.text[:end]` ends in; None where something stands between
    them, or another section begins."""
    if before.text[end:].strip() or is_code_chunk(after) or before.document_id != after.document_id:
        return None
    following = beside(before, 1)
    if following is None or following.id != after.id or not _is_same_section(after, before):
        return None
    start = _repeated(before.text, after.text)
    return start + len(after.text[start:]) - len(after.text[start:].lstrip("\n"))


def is_torn(before: Chunk, after: Chunk, start: int) -> bool:
    """Whether a list, a table, a step and its code, or a sentence goes on over the border of two chunks, in
    `after.text[start:]`."""
    kinds = _last_kind(before.text), _kind_at(after.text, start)
    if before.document_id != after.document_id or kinds in ((LIST, LIST), (LIST, CODE), (TABLE, TABLE)):
        return before.document_id == after.document_id
    is_told = kinds in ((PARAGRAPH, PARAGRAPH), (LIST, PARAGRAPH))
    return is_told and not _SENTENCE_END.search(before.text)


def _kind_at(text: str, start: int) -> str:
    return next((block.kind for block in split_blocks(text) if block.end > start), "")


def _last_kind(text: str) -> str:
    blocks = [block for block in split_blocks(text) if block.kind != HEADING]
    return blocks[-1].kind if blocks else ""


def _repeated(text: str, following: str) -> int:
    """How many characters of its beginning a text has in common with the end of the one before."""
    longest = min(len(text), len(following), LONGEST_OVERLAP)
    return next(
        (size for size in range(longest, LEAST_OVERLAP - 1, -1) if text.endswith(following[:size])), 0
    )
