"""Quotes beside one another: which has room, in which order they stand, and what is said once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, chain, pairwise

from quire.analysis.terms import analyze
from quire.answering.extractive.blocks import split_pieces
from quire.answering.extractive.code_chunks import is_code_chunk
from quire.answering.extractive.continuing import Beside, goes_on_at
from quire.answering.extractive.precedence import is_entry
from quire.answering.extractive.quotes import Quote
from quire.answering.extractive.rendering import section_trail
from quire.answering.extractive.scoring import Scored
from quire.answering.extractive.widening import NAMED_PARAGRAPH
from quire.documents import Chunk

BETWEEN = 400
"""Two quotes of a chunk with no more between them are shown as one, which leaves room for another place."""
ANSWER_CHARACTERS, REQUIRED_CHARACTERS = 2_600, 3_600
"""Of a whole answer, and of one whose last part a question asks for beside others: the third of three things."""
SAME = 0.7
"""A further quote scores at least this share of the best one's score."""
COPIED = 60
"""Characters of a quote from which on another document that holds all of it has a copy."""
WORDS = re.compile(r"\w+")


def with_quote(quotes: list[Quote], quote: Quote, most: int, *, is_required: bool) -> list[Quote]:
    """The quotes and this one, where there is room for it and nothing has said it yet; near ones become one.

    What is required may say the same in most words: of two things compared pages often do.
    """
    if is_required or not is_entry(quote.hit.chunk):
        quote = _beyond(quote, quotes)
    near = [other for other in quotes if _is_near(other, quote)]
    if near:
        start, end = min(one.start for one in (quote, *near)), max(one.end for one in (quote, *near))
        near = [one for one in quotes if one in near or _overlaps(one, quote.hit.chunk, start, end)]
        start, end = min(start, *(one.start for one in near)), max(end, *(one.end for one in near))
        if any(piece.start <= start and end <= piece.end for piece in split_pieces(quote.hit.chunk.text)):
            return quotes  # of a list that is shown in part no further part
        quote = replace(near[0], start=start, end=end, goes_on=near[0].goes_on and start == near[0].start)
    others = [one for one in quotes if one not in near]
    if not is_required and any(_repeats(quote, other) for other in others):
        return quotes
    joined = (
        [quote if one is near[0] else one for one in quotes if one in others or one is near[0]]
        if near
        else []
    )
    wider = joined or [*quotes, quote]
    room = REQUIRED_CHARACTERS if is_required else ANSWER_CHARACTERS
    is_full = sum(len(one.text) for one in wider) > room or len(wider) > most
    return quotes if is_full else wider


def _beyond(quote: Quote, others: Sequence[Quote]) -> Quote:
    """The quote without what others of its chunk say that end before what it was chosen for."""
    for other in (one for one in others if _overlaps(one, quote.hit.chunk, quote.start, quote.end)):
        if other.end <= quote.answers_at:
            starts = (piece.start for piece in split_pieces(quote.hit.chunk.text))
            start = next((one for one in starts if other.end <= one <= quote.answers_at), quote.start)
            quote = replace(quote, start=start)
    return quote


def _overlaps(quote: Quote, chunk: Chunk, start: int, end: int) -> bool:
    return quote.hit.chunk.id == chunk.id and quote.start < end and start < quote.end


def in_order(quotes: Sequence[Quote], topic: str) -> list[Quote]:
    """Sections as they were chosen, those of `topic` behind the first in the order of the page; the quotes of one in
    the order of its text, whatever chunks they stand in."""
    runs: list[list[Quote]] = []
    for quote in quotes:
        if runs and quote.goes_on:
            runs[-1].append(quote)
        else:
            runs.append([quote])
    of_topic = [run for run in runs[1:] if run[0].hit.chunk.document_id == topic]
    others = (run for run in runs[1:] if run not in of_topic)
    quotes = [*chain(*runs[:1], *sorted(of_topic, key=lambda run: _number(run[0])), *others)]
    sections = list[set[tuple[object, ...]]]()
    placed = list[tuple[int, Quote]]()
    for quote in quotes:
        named = _sections(quote)
        number = next((n for n, known in enumerate(sections) if known & named), len(sections))
        if number == len(sections):
            sections.append(named)
        sections[number] |= named
        placed.append((number, quote))
    return [quote for _, quote in sorted(placed, key=lambda one: (one[0], *_number(one[1]), one[1].start))]


def said_once(quotes: Sequence[Quote]) -> list[Quote]:
    """The quotes without what those before them say: chunks repeat each other's ends, with other line breaks, and
    entries of two members share paragraphs.

    A quote that holds all of an earlier one takes its place: of one of its document, or of another with a copy of it.
    """
    kept: list[Quote] = []
    for chosen in quotes:
        document = chosen.hit.chunk.document_id
        others = [one for one in kept if one.hit.chunk.document_id == document or len(one.text) >= COPIED]
        start = max((_unsaid_from(chosen, other) for other in kept), default=chosen.start)
        if not WORDS.search(chosen.hit.chunk.text, start, max(start, chosen.end)):
            continue
        quote = replace(chosen, start=start, answers_at=max(start, chosen.answers_at))
        within = [one for one in others if _in_words(one.text) in _in_words(quote.text)]
        if within:
            place = kept.index(within[0])
            kept[place : place + 1] = [replace(quote, goes_on=within[0].goes_on)]
            kept = [one for one in kept if one not in within]
        else:
            kept.append(quote)
    return kept


def without_gaps(quotes: Sequence[Quote], beside: Beside) -> list[Quote]:
    """The quotes, those that go on in the next chunk of their section from where the one before ends, be it not far."""
    joined = list(quotes)
    for place, (last, quote) in enumerate(pairwise(quotes), 1):
        if 0 < quote.start <= BETWEEN and not quote.goes_on:
            start = goes_on_at(last.hit.chunk, last.end, quote.hit.chunk, beside)
            if start is not None and start <= quote.start:
                joined[place] = replace(quote, start=start, goes_on=True)
    return joined


def _unsaid_from(quote: Quote, other: Quote) -> int:
    """Where in the quote's chunk that begins which the end of the other quote does not say."""
    text, said = quote.hit.chunk.text, _in_words(other.text)
    if _in_words(quote.text) in said:
        return quote.end
    if is_code_chunk(quote.hit.chunk):
        is_window = other.hit.chunk.document_id == quote.hit.chunk.document_id
        return quote.start + (_repeated_lines(quote.text, other.text) if is_window else 0)
    within = (one.end for one in split_pieces(text) if quote.start <= one.start and one.end <= quote.end)
    start = max(
        (end for end in within if said.endswith(_in_words(text[quote.start : end]))), default=quote.start
    )
    return start + len(text[start:]) - len(text[start:].lstrip("\n"))


def _repeated_lines(code: str, said: str) -> int:
    """How many characters of its first lines stand at the end of what was said: windows overlap by whole lines."""
    starts = accumulate(map(len, code.splitlines(keepends=True)))
    return max((end for end in starts if said.rstrip().endswith(code[:end].rstrip())), default=0)


def _in_words(text: str) -> str:
    return " ".join(text.split())


def _sections(quote: Quote) -> set[tuple[object, ...]]:
    """What the quote's section is called, by the headings above it in its chunk, else by the chunk: a section may go on
    in another chunk, and a chunk hold several."""
    chunk = quote.hit.chunk
    own: set[tuple[object, ...]] = {(chunk.id,)}
    if is_code_chunk(chunk):
        return own | {(chunk.document_id, chunk.breadcrumb)}
    if NAMED_PARAGRAPH.match(chunk.text, quote.start):
        return own  # an entry, which is read by itself
    trail = section_trail(chunk, quote.start)
    return own | {(chunk.document_id, trail or chunk.breadcrumb)}


def _number(quote: Quote) -> tuple[int, ...]:
    """Where the quote's chunk stands in its document, as far as its metadata tell."""
    found = (quote.hit.chunk.metadata.get(name) for name in ("start_line", "chunk_index"))
    return tuple(one if isinstance(one, int) else 0 for one in found)


def covers(quote: Quote, one: Scored) -> bool:
    """Whether the passage stands in the quote."""
    return (
        quote.hit.chunk.id == one.hit.chunk.id
        and quote.start <= one.passage.start
        and one.passage.end <= quote.end
    )


def _is_near(one: Quote, other: Quote) -> bool:
    """Whether two quotes of one chunk are read as one: little prose, or of code nothing, stands between them."""
    if one.hit.chunk.id != other.hit.chunk.id:
        return False
    first, second = sorted((one, other), key=lambda quote: quote.start)
    between = first.hit.chunk.text[first.end : second.start].strip()
    if second.start < first.end:
        return False
    return not between or (len(between) <= BETWEEN and not is_code_chunk(one.hit.chunk))


def _repeats(one: Quote, other: Quote) -> bool:
    """Whether they overlap, or say the same: chunks of one document repeat each other's ends, and pages each other."""
    if one.hit.chunk.id == other.hit.chunk.id:
        return _overlaps(one, other.hit.chunk, other.start, other.end)
    said, new = set(analyze(other.text)), set(analyze(one.text))
    return len(new & said) > SAME * len(new)
