"""A passage widened to what can be read alone: its paragraph, list, table or entry, and what belongs to it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quire.analysis.terms import analyze
from quire.answering.extractive.blocks import (
    CODE,
    HEADING,
    LIST,
    TABLE,
    QuoteBlock,
    QuotePiece,
    heading_levels,
    split_blocks,
    split_pieces,
)
from quire.answering.extractive.code_answers import CODE_CHARACTERS, WHOLE_CHARACTERS, own_definition
from quire.answering.extractive.code_chunks import is_code_chunk
from quire.answering.extractive.code_lines import best_lines
from quire.answering.extractive.entries import asked_name, leads_entry
from quire.answering.extractive.openings import DRAWING, is_facts, is_unasked
from quire.answering.extractive.passages import ROW, split_passages
from quire.answering.extractive.precedence import asks_for_example, asks_for_working, is_entry
from quire.answering.extractive.quotes import Quote
from quire.answering.extractive.rendering import title_above
from quire.answering.extractive.scoring import Scored
from quire.answering.extractive.weighing import Weighed

FIRST_CHARACTERS = 1_200
LONGEST_PIECE = 1_500
"""A list, table or paragraph beyond it is shown in part, whole items or sentences at a time."""
AHEAD = 1.5
"""What comes next is preferred to what came before, by so much of a score."""
EARLIER = 0.7
"""What stands under an earlier heading of the chunk than the passage that the answer opens with is shown above it only
where its own best passage has so much of the score: a reader asks for the section that answers, and not for those
before it."""
CROSSING = 3.0
"""What stands under the same heading is preferred to the next section, by so much."""
ENTRY_CHARACTERS, HEAD_PIECES = 1_300, 2
"""An entry of a reference is shown whole up to so many characters; of a longer one so many paragraphs stand first."""
SIGNATURE = 300
"""Characters of code below a heading that are shown with what stands below them."""
LONG_TABLE = 6
"""Lines of a table from which on one of its rows is told alone."""
WORTHLESS = -9.0
BELOW_TITLE = "-=`:.'\"~^_*+#<> \t\r\n"
"""Signs of the row below an underlined title."""
_FENCE_LINE = re.compile(r"^ *+(`{3,}+|~{3,}+)([^\n]*+)$", re.M)
NAMED_PARAGRAPH = re.compile(
    r"""
    (?: &\#\w{1,8};[ ]? | [^\w\s`*#|>+-]{1,3}[ ]? )?+ (?: \*\* )?+  # a picture
    (?: ``?+ [^`\n]{1,60} `{1,2}+ (?: [ ]?\([^()\n]{0,60}\) )?+ | (?<=\*\*) [^*\n]{1,60} ) (?: \*\* )?+
    [ ]?+ (?: : | <br[ ]?/?> | \\ )?+ [ ]*+ (?: \n | \Z )  # on a line of its own, and what it is below
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class _PageText:
    """A chunk's text as a quote grows in it: its pieces, what each is worth, and how long the quote may become.

    `entries` has the number of the entry that each piece is of. `crosses` says that it may go on under the next
    heading, `rises` that it may begin before the passage: what defines a term comes first.
    """

    text: str
    pieces: Sequence[QuotePiece]
    values: Sequence[float]
    room: int
    wants_code: bool
    crosses: bool
    rises: bool
    entries: Sequence[int]


def _whole_entry(question: Weighed, one: Scored) -> Quote | None:
    """A short entry of a reference, whose parts say little alone, without a line of facts that nobody asks for."""
    text = one.hit.chunk.text
    if not is_entry(one.hit.chunk):
        return None
    pieces = [*split_pieces(text)]
    while len(pieces) > 1 and is_unasked(question, text[pieces[-1].start : pieces[-1].end]):
        pieces.pop()
    is_short = any(_holds(piece, one) for piece in pieces) and pieces[-1].end <= ENTRY_CHARACTERS
    return Quote(one.hit, 0, pieces[-1].end, one.passage.start) if is_short else None


def asked_row(question: Weighed, one: Scored, *, in_words: bool = True) -> Quote | None:
    """The row alone that a long table has of the one thing that is asked about; a reader wants none of the others.
    Where the thing has no name of its own, it may be called `in_words`."""
    text, at = one.hit.chunk.text, one.passage.start
    block = next((block for block in split_blocks(text) if block.start <= at < block.end), None)
    is_row = one.passage.kind == ROW and block is not None and block.kind == TABLE
    if not is_row or block is None or text.count("\n", block.start, block.end) < LONG_TABLE:
        return None
    if not (leads_entry(one, asked_name(question.text)) or (in_words and _is_only_row(question, one, block))):
        return None
    end = text.find("\n", at, block.end)
    return Quote(one.hit, _line_start(text, at), end if end >= 0 else len(text[: block.end].rstrip()), at)


def _is_only_row(question: Weighed, one: Scored, block: QuoteBlock) -> bool:
    """Whether the question says what the row is called in its first cell, and what no other row of its table is called.

    What the headings above it say too does not tell it from the others, nor does a letter, which any question may say.
    """
    text = one.hit.chunk.text
    above = set(analyze(f"{one.hit.chunk.breadcrumb} {title_above(one.hit.chunk, one.passage.start)}"))
    rows = [row for row in split_passages(text) if row.kind == ROW and block.start <= row.start < block.end]
    called = {row.start: set(analyze(_first_cell(text[row.start : row.end]))) for row in rows}
    called = {start: cell for start, cell in called.items() if len("".join(cell)) > 1 and not cell <= above}
    # A follow-up stands above what it follows: "And for Oman?" is about Oman alone.
    for terms in (analyze(question.text.partition("\n")[0]), question.idf):
        if asked := [start for start, cell in called.items() if cell <= set(terms)]:
            return asked == [one.passage.start]
    return False


def _first_cell(row: str) -> str:
    """What stands before the first bar between two cells; "" where none does.

    >>> _first_cell("| Togo | 21 EUR |"), _first_cell("Togo | 21 EUR"), _first_cell("Togo")
    (' Togo ', 'Togo ', '')
    """
    cell, bar, _ = row.strip().removeprefix("|").partition("|")
    return cell if bar else ""


def widened(
    question: Weighed, one: Scored, ranked: Sequence[Scored], room: int, *, opens: bool = False
) -> Quote:
    """The passage's whole piece, and pieces beside it while there is room, with the heading that stands above them."""
    text, at = one.hit.chunk.text, one.passage.start
    if is_code_chunk(one.hit.chunk):
        is_whole = opens and len(text) <= WHOLE_CHARACTERS and asks_for_working(question.text)
        room = WHOLE_CHARACTERS if is_whole else CODE_CHARACTERS
        if own := own_definition(question.text, one.hit.chunk):
            return Quote(one.hit, *best_lines(question, text, own[0], room, within=own), own[0])
        return Quote(one.hit, *best_lines(question, text, at, room, stays=one.asked), at)
    if alone := _whole_entry(question, one) or (asked_row(question, one) if opens else None):
        return alone
    pieces = split_pieces(text)
    numbers = range(len(pieces))
    place = next((n for n in numbers if pieces[n].start <= at < pieces[n].end), None)
    if place is None:  # a line that is a heading alone, or a paragraph that leads into the next chunk's list
        above = [piece for piece in pieces if max(one.passage.heading or (0,)) <= piece.start < at]
        start = above[-1].start if above and one.passage.end - above[-1].start <= room else at
        return Quote(one.hit, _with_heading(text, start), one.passage.end, at)
    if _is_too_long(text, pieces[place]):
        return Quote(one.hit, *_part(question, text, pieces[place], one), at)
    beside = sorted(
        (other.passage.start, other.score) for other in ranked if other.hit.chunk.id == one.hit.chunk.id
    )
    held = (beside[bisect_left(beside, (p.start,)) : bisect_left(beside, (p.end,))] for p in pieces)
    values = [max((score for _, score in inside), default=WORTHLESS) for inside in held]
    rises = not ((opens and (one.defines or one.asked)) or leads_entry(one, asked_name(question.text)))
    entries = _entry_numbers(text, pieces)
    page = _PageText(
        text, pieces, values, room, question.wants_code, crosses=opens, rises=rises, entries=entries
    )
    first, last = _neighbours(page, place)
    return Quote(one.hit, _with_heading(text, pieces[first].start), pieces[last].end, at)


def _is_too_long(text: str, piece: QuotePiece) -> bool:
    """Whether the piece, without what leads into it, is longer than what is shown whole."""
    block = next(one for one in split_blocks(text) if one.end == piece.end)
    return block.end - block.start > LONGEST_PIECE


def _with_heading(text: str, start: int) -> int:
    """Where the headings directly above `start` begin: a quote that opens its section says what it is about."""
    for block in reversed(split_blocks(text)):
        if block.end > start:
            continue
        if block.kind != HEADING or text[block.end : start].strip(BELOW_TITLE):
            break
        start = block.start
    return start


def _holds(piece: QuotePiece, one: Scored) -> bool:
    return piece.start <= one.passage.start < piece.end


def _neighbours(page: _PageText, place: int) -> tuple[int, int]:
    """First and last piece of the widened quote: what a pronoun points at first, then the better neighbour.

    What stands under another heading and says nothing of the question is left out, though there is room: whoever asks
    how a list is refreshed does not want the next property of the reference. So is the end of a section that began in
    an earlier chunk, before the heading that the passage stands under.
    """
    first = last = place
    section = page.pieces[place].section
    while (
        (page.pieces[first].follows or _is_code_alone(page, first))
        and _is_of_section(page, first - 1, section)
        and _fits(page, first - 1, first, last)
    ):
        first -= 1
    while True:
        worth = {
            side: page.values[side]
            + AHEAD * (side > last)
            - CROSSING * (page.pieces[side].section != section)
            for side in (last + 1, *([first - 1] if page.rises else ()))
            if _fits(page, side, first, last) and _belongs(page, side, first, place)
        }
        if not worth:
            break
        best = max(worth, key=worth.__getitem__)
        first, last = min(first, best), max(last, best)
    while first < place and ((first and page.pieces[first].follows) or _is_code_alone(page, first)):
        first += 1  # what it points back at, or what leads into the code, has no room
    return first - (page.crosses and _has_signature(page, first, last)), last


def _is_of_section(page: _PageText, side: int, section: int) -> bool:
    """Whether there is such a piece under that heading: what opens a section points at its title, and not beyond."""
    return side >= 0 and page.pieces[side].section == section


def _has_signature(page: _PageText, first: int, last: int) -> bool:
    """Whether a few lines of code stand between the heading and the piece `first`: how the method is declared, the
    command that the section is about. The heading leads into them."""
    before = first - 1
    if (
        before < 0
        or page.pieces[before].kind != CODE
        or page.pieces[before].section != page.pieces[first].section
    ):
        return False
    begins = before == 0 or page.pieces[before - 1].section != page.pieces[before].section
    piece = page.pieces[before]
    is_short = piece.end - piece.start <= SIGNATURE and page.pieces[last].end - piece.start <= page.room
    return begins and piece.section > 0 and is_short


def _belongs(page: _PageText, side: int, first: int, place: int) -> bool:
    """Whether the piece `side` may stand beside `place`, by the heading and the entry of a list that each is of."""
    is_near = page.values[side] >= EARLIER * page.values[place]
    if page.entries[side] != page.entries[place] and not is_near:
        return False
    if page.pieces[side].section == page.pieces[place].section:
        return True
    if side < first:
        return is_near and page.values[side] >= 0 and page.pieces[side].section > 0
    return page.values[side] >= 0 and not _rises(page, side)


def _entry_numbers(text: str, pieces: Sequence[QuotePiece]) -> list[int]:
    """Number of the entry that each piece is of, where paragraphs under one heading begin with names that each tells
    of: "`size`<br/>How large it is."; 0 where they do not."""
    numbers, number = list[int](), 0
    begins = [bool(NAMED_PARAGRAPH.match(text, piece.start)) for piece in pieces]
    several = {piece.section for piece, is_head in zip(pieces, begins, strict=True) if is_head}
    for n, piece in enumerate(pieces):
        is_new = n == 0 or piece.section != pieces[n - 1].section
        number = 0 if is_new else number
        number = n + 1 if begins[n] else number
        numbers.append(number if piece.section in several else 0)
    return numbers


def _rises(page: _PageText, side: int) -> bool:
    """Whether the piece `side` stands under a heading of a higher level than the piece before it."""
    levels = heading_levels(page.text)
    return levels[page.pieces[side].section] < levels[page.pieces[side - 1].section]


def _is_code_alone(page: _PageText, place: int) -> bool:
    """Whether the piece is code without the sentence that leads into it."""
    piece = page.pieces[place]
    return piece.kind == CODE and page.text.startswith(("```", "~~~", "    "), piece.start)


def _fits(page: _PageText, side: int, first: int, last: int) -> bool:
    """Whether the piece `side` may join those from `first` to `last`."""
    if not 0 <= side < len(page.pieces):
        return False
    piece = page.pieces[side]
    length = max(piece.end, page.pieces[last].end) - min(piece.start, page.pieces[first].start)
    if length > page.room or (piece.section != page.pieces[first].section and not page.crosses):
        return False
    said = page.text[piece.start : piece.end]
    if DRAWING.match(said) or said.rstrip().endswith("?") or is_facts(said):
        return False
    return piece.kind != CODE or page.wants_code or len(said) < page.room // 2


def _part(question: Weighed, text: str, piece: QuotePiece, one: Scored) -> tuple[int, int]:
    """Whole items, rows or sentences of a long piece around the passage, within `FIRST_CHARACTERS`."""
    if piece.kind == CODE and leads_entry(one, asked_name(question.text)):
        at = one.passage.start  # in the help of a command
        body = _FENCE_LINE.split(text[at : piece.end], maxsplit=1)[0]
        lines = body[:CODE_CHARACTERS].rpartition("\n")[0]
        return at, at + len(body if len(body) <= CODE_CHARACTERS else lines or body)
    if piece.kind == CODE:
        return _part_of_code(question, text, piece, one)
    fences = list(_fenced(text, piece.start, piece.end))
    inside = [
        p
        for p in split_passages(text)
        if piece.start <= p.start and p.end <= piece.end and not any(a <= p.start < b for a, b in fences)
    ]
    starts = [_line_start(text, p.start) if piece.kind in (LIST, TABLE) else p.start for p in inside]
    spans = [
        (start, len(text[:end].rstrip()))  # what is indented below an item ends where the next one begins
        for start, end in zip(starts, [*starts[1:], piece.end], strict=True)
    ]
    place = max((n for n, p in enumerate(inside) if p.start <= one.passage.start), default=0)
    first = last = place
    while last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= FIRST_CHARACTERS:
        last += 1
    while first > 0 and spans[last][1] - spans[first - 1][0] <= FIRST_CHARACTERS:
        first -= 1
    return (spans[first][0], spans[last][1]) if spans else (piece.start, piece.end)


def _part_of_code(question: Weighed, text: str, piece: QuotePiece, one: Scored) -> tuple[int, int]:
    """The lines of a long block of code that answer best. An example is read from its beginning, below what leads into
    it, unless others say more of what is asked."""
    begin = next(block.start for block in split_blocks(text) if block.end == piece.end)
    start, end = best_lines(question, text, one.passage.start, CODE_CHARACTERS, within=(begin, piece.end))
    if asks_for_example(question.text):
        head = _whole_lines(text, begin, begin + FIRST_CHARACTERS)
        told = set(analyze(text[begin:head]))
        if question.coverage(told) >= question.coverage(set(analyze(text[start:end]))):
            return piece.start, head
    return piece.start if start == begin else start, end


def _whole_lines(text: str, start: int, most: int) -> int:
    """Where a part of the code ends that begins at `start` and ends at `most` at the latest: with a paragraph of it, or
    a line."""
    half = (start + most) // 2
    end = max(text.rfind("\n\n", half, most), 0) or max(text.rfind("\n", start, most), 0)
    return end or most


def _fenced(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where fenced code begins and ends. What nothing closes is told by a look at the last line that could."""
    lines = list(_FENCE_LINE.finditer(text, start, end))
    closing = {line[1]: number for number, line in enumerate(lines) if not line[2].strip()}
    opening: re.Match[str] | None = None
    for number, line in enumerate(lines):
        if opening is None:
            opening = line if closing.get(line[1], -1) > number else None
        elif line[1] == opening[1] and not line[2].strip():
            yield opening.start(), line.end()
            opening = None


def _line_start(text: str, place: int) -> int:
    return text.rfind("\n", 0, place) + 1
