"""An answer without a language model: the best passage of the sources whole, then at most two more places, cited."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, islice

from quire.analysis.symbols import fold_symbol, last_part
from quire.answering.extractive.arranging import (
    ANSWER_CHARACTERS,
    SAME,
    WORDS,
    covers,
    in_order,
    said_once,
    with_quote,
    without_gaps,
)
from quire.answering.extractive.blocks import CODE, LIST, split_pieces
from quire.answering.extractive.callers import calling_lines
from quire.answering.extractive.code_answers import (
    CODE_CHARACTERS,
    CodeLines,
    Steps,
    continued,
    errors_in,
    no_steps,
    value_in,
)
from quire.answering.extractive.code_chunks import is_code_chunk
from quire.answering.extractive.code_lines import best_lines
from quire.answering.extractive.continuing import (
    Beside,
    Rest,
    cut_kind,
    nothing_beside,
    rest_before,
    rest_behind,
)
from quire.answering.extractive.entries import asked_name
from quire.answering.extractive.known_pages import opens_known_page
from quire.answering.extractive.openings import (
    best_opening,
    defines_one,
    entry_of_name,
    is_code_passage,
    of_versions,
    rank_passages,
    said_once_by_chunks,
)
from quire.answering.extractive.parts import AskedPart, is_about, named_first, tells_all
from quire.answering.extractive.precedence import (
    asks_for_example,
    asks_for_tests,
    asks_for_value,
    asks_for_working,
    is_entry,
)
from quire.answering.extractive.quotes import Quote, written
from quire.answering.extractive.scoring import Scored, asks_for_page
from quire.answering.extractive.weighing import Weighed
from quire.answering.extractive.widening import (
    EARLIER,
    FIRST_CHARACTERS,
    HEAD_PIECES,
    NAMED_PARAGRAPH,
    asked_row,
    widened,
)
from quire.documents import Chunk, Citation, Hit
from quire.search.intent import read_intent
from quire.search.query import written_names

MOST_PLACES = 3
UNSURE_PLACES = 2
MOST_SECTIONS = 5
"""Places of a page that the question is about as a whole: its own sections say more of it than other pages do."""
LATER_CHARACTERS, SECTION_CHARACTERS = 800, 500
"""Of a further quote, and of one from a page that the question is about as a whole."""
CONTINUED_CHARACTERS, MOST_CONTINUED = 800, 3
"""More that the first quote may have where it goes on in so many chunks behind its own."""
MOST_STEPS = 2
"""Functions that are shown beside the one which calls them for a part of its work."""
LIST_CHARACTERS = 3_600
"""And all of it where that is a list: steps, of which a reader who stops early takes the last for the end."""
LEAST_REST = 300
"""Room below which a function does not go on behind the border of its chunk."""
OPENING_CHARACTERS = 400
"""What a further quote may have of its section before its own chunk."""
LEAST_SHARE, BESIDE_SHARE = 0.4, 0.7
"""Of the best score a further quote has at least so much; beside code that defines what is asked about it has the
second share, or the name."""
BEGINS = 0.5
"""And so much where it is the beginning of the opening's own section, in an earlier chunk."""
SHORT_CHARACTERS, FEWEST_WORDS = 400, 5
"""Of what says most by itself; and the words of a passage that says anything."""


def extract(
    question: Weighed,
    scored: Sequence[Scored],
    *,
    sure: bool = True,
    beside: Beside = nothing_beside,
    parts: Sequence[AskedPart] = (),
    settings: Sequence[Hit] = (),
    steps: Steps = no_steps,
) -> tuple[str, tuple[Citation, ...]]:
    """The answer's text in Markdown and its citations; empty where there is nothing to quote.

    Each paragraph of the text is a quote as `quire.answering.extractive.rendering` shows it, and its mark; quotes whose
    border tears a sentence or a list are one. One from the midst of a section has its title above it. `beside` finds
    the chunks that a quote goes on in; `settings` are chunks where a value that is asked for may be set.
    """
    quotes = choose_quotes(
        question, scored, sure=sure, beside=beside, parts=parts, settings=settings, steps=steps
    )
    return written(quotes, beside)


def extract_callers(callers: Sequence[Hit], name: str) -> tuple[str, tuple[Citation, ...]]:
    """The answer to who calls `name`: the lines of each caller that do, while there is room."""
    return written(_with_room(_calling(callers, name)))


def extract_causes(
    question: Weighed, scored: Sequence[Scored], givers: Sequence[Hit], name: str, *, beside: Beside
) -> tuple[str, tuple[Citation, ...]]:
    """The answer to why somebody gets the error `name`: what pages say of it, lines that give it, what it is."""
    own = last_part(fold_symbol(name))

    def says(one: Scored) -> bool:
        chunk = one.hit.chunk
        return own in WORDS.findall(f"{chunk.text} {chunk.breadcrumb}".casefold())

    pages = [
        one for one in scored if not (is_code_chunk(one.hit.chunk) or one.hit.chunk.metadata.get("role"))
    ]
    told = choose_quotes(question, list(filter(says, pages)), sure=False, beside=beside)
    defining = [one for one in scored if defines_one(one.hit.chunk, {own}) and is_code_chunk(one.hit.chunk)]
    defined = [widened(question, one, scored, LATER_CHARACTERS) for one in defining[:1]]
    return written(_with_room([*told, *_calling(givers[:MOST_PLACES], name), *defined]))


def _calling(callers: Sequence[Hit], name: str) -> list[Quote]:
    spans = [(hit, calling_lines(hit.chunk.text, name)) for hit in callers]
    return [
        Quote(hit, *span, span[0]) for hit, span in spans if span and span[1] - span[0] <= CODE_CHARACTERS
    ]


def _with_room(quotes: Sequence[Quote]) -> list[Quote]:
    sizes = accumulate(len(quote.text) for quote in quotes)
    return [quote for quote, size in zip(quotes, sizes, strict=True) if size <= ANSWER_CHARACTERS]


def extract_lines(lines: Sequence[CodeLines]) -> tuple[str, tuple[Citation, ...]]:
    """The answer that lines of code are by themselves."""
    return written([Quote(*one, one.start) for one in lines])


def choose_quotes(
    question: Weighed,
    scored: Sequence[Scored],
    *,
    sure: bool = True,
    beside: Beside = nothing_beside,
    parts: Sequence[AskedPart] = (),
    settings: Sequence[Hit] = (),
    steps: Steps = no_steps,
) -> list[Quote]:
    """The best passage, widened to what can be read alone, then the best of other places; no repeats.

    What stands in one chunk comes in the order of its text. The first quote goes on in the next chunk where a list, a
    table or its section does. Of a question in parts, each that the first quote is not about has a place. Of a page
    that the question is about as a whole more sections follow, each in short. Where the evidence is weak there is one
    more place at most.
    """
    ranked = of_versions(question, said_once_by_chunks(rank_passages(question, scored), beside))
    known = next(iter(opens_known_page(question, ranked)), None)
    asked = known or next((one for one in ranked if one.asked), None)
    entry = entry_of_name(question, [one for one in ranked if one.asked] or ranked)
    opening = entry or asked or best_opening(question, _of_parts(parts, ranked) or ranked)
    if opening is None:
        return []
    told = [] if asked else _told_by_code(question, ranked, beside, settings)
    quotes = _first_quotes(
        question, opening, ranked, told, is_entry=entry is not None, beside=beside, goes_on=not parts
    )
    quotes = quotes if told else _with_steps(question, quotes, steps)
    most = len(quotes) - 1 + (MOST_PLACES if sure and not told else UNSURE_PLACES)
    required = [
        *_required(opening, ranked, parts),
        *_unsaid_names(question, opening, ranked, quotes),
    ]
    answered = {lines.hit.chunk.id for lines in told}
    topic = _topic(question, opening, ranked) if sure and not (parts or told) else ""
    room = SECTION_CHARACTERS if topic else LATER_CHARACTERS
    names = set() if parts else _names_told(question, [opening.hit.chunk, *(one.hit.chunk for one in told)])
    able = _beside_row(question, opening, _bearing(question, ranked, names))
    own_first = sorted(able, key=lambda one: bool(topic) and one.hit.chunk.document_id != topic)
    worthy = [*required, *own_first]
    for one in (one for one in worthy if one.hit.chunk.id not in answered):
        is_before = one not in required and _is_before(one, opening, leads=(entry or known) is opening)
        if not (is_before or any(covers(quote, one) for quote in quotes)):
            quote = widened(question, one, ranked, room)
            further = (MOST_SECTIONS - MOST_PLACES) * (one.hit.chunk.document_id == topic)
            wider = with_quote(quotes, quote, most + further, is_required=one in required)
            rest = _rest_of_code(question, wider, beside) if len(wider) > len(quotes) else []
            quotes, most = [*wider, *rest], most + len(rest)
    chosen = [*_completed(quotes, beside, room), *_heads(quotes)]
    return without_gaps(said_once(in_order(chosen, topic)), beside)


def _beside_row(question: Weighed, opening: Scored, able: Sequence[Scored]) -> Sequence[Scored]:
    """The passages that may stand beside the opening: where that is a row of a table, those that say its name too."""
    if not asked_row(question, opening):
        return able
    name = asked_name(question.text)
    return [one for one in able if name and name in fold_symbol(one.text)]


def _first_quotes(
    question: Weighed,
    opening: Scored,
    ranked: Sequence[Scored],
    told: Sequence[CodeLines],
    *,
    is_entry: bool,
    beside: Beside,
    goes_on: bool,
) -> list[Quote]:
    """What the answer opens with: the lines of code that say all that is asked, else the widened `opening`, of a
    reference its entry, and what it `goes_on` with. Each part of a question needs that room."""
    quotes = [Quote(*lines, lines.start) for lines in told]
    if told:
        return [widened(question, opening, ranked, FIRST_CHARACTERS), *quotes] if is_entry else quotes
    row = asked_row(question, opening, in_words=False) if is_entry else None
    first = row or widened(question, opening, ranked, FIRST_CHARACTERS, opens=not is_entry)
    goes_on = goes_on and not asked_row(question, opening)
    quotes = _continued(first, _near(opening, ranked), beside) if goes_on else [first]
    return [*quotes, *_rest_of_code(question, quotes, beside)]


def shortest_quote(question: Weighed, scored: Sequence[Scored], room: int) -> Quote | None:
    """What of the passages says most by itself in `room` characters, or in one paragraph; prose before code."""
    ranked = rank_passages(question, scored)
    prose = [one for one in ranked if not (is_code_chunk(one.hit.chunk) or is_code_passage(one))]
    told = [one for one in prose if len(WORDS.findall(one.text)) >= FEWEST_WORDS]
    is_told = bool(told) and told[0].score >= SAME * ranked[0].score
    opening = best_opening(question, told if is_told else ranked)
    if opening is None:
        return None
    if is_code_chunk(opening.hit.chunk):
        start = opening.passage.start
        return Quote(opening.hit, *best_lines(question, opening.hit.chunk.text, start, room), start)
    return widened(question, opening, ranked, room)


def _names_told(question: Weighed, chunks: Sequence[Chunk]) -> set[str]:
    """The last parts of names that the question writes and the code that answers defines; none where callers, tests or
    examples are asked for, or how something is done."""
    text, asked = question.text, read_intent(question.text)
    is_of_more = asked.related or asked.is_alternatives or asked.is_how_to or asked.is_replacement
    if is_of_more or asks_for_tests(text) or asks_for_example(text) or not is_code_chunk(chunks[0]):
        return set()
    names = {last_part(fold_symbol(name)) for name in (*question.symbols, *written_names(text))}
    return names & {last_part(fold_symbol(own)) for chunk in chunks for own in chunk.symbols}


def _bearing(question: Weighed, ranked: Sequence[Scored], names: set[str]) -> list[Scored]:
    """The passages that may stand beside the opening, which defines the names where there are any.

    They are near in score, code that is called so or stands in what is, or of pages that say a name. Code that only
    uses it says little of it, but where a value is asked for.
    """
    best, is_of_value = ranked[0].score, asks_for_value(question.text)

    def says(one: Scored) -> bool:
        chunk = one.hit.chunk
        text = chunk.text if not is_code_chunk(chunk) else one.text if is_of_value else ""
        return not names.isdisjoint(WORDS.findall(f"{text} {chunk.breadcrumb}".casefold()))

    able = (one for one in ranked if one.score >= LEAST_SHARE * best)
    return [one for one in able if not names or one.score >= BESIDE_SHARE * best or says(one)]


def _heads(quotes: Sequence[Quote]) -> Iterator[Quote]:
    """Of entries of a reference that the quotes show from their midst, what they define: its signature, what it is."""
    for quote in {one.hit.chunk.id: one for one in reversed(quotes)}.values():
        chunk = quote.hit.chunk
        shown = min(one.start for one in quotes if one.hit.chunk.id == chunk.id)
        if shown and is_entry(chunk):
            pieces = split_pieces(chunk.text)[:HEAD_PIECES]
            if end := max((piece.end for piece in pieces if piece.end <= shown), default=0):
                yield Quote(quote.hit, 0, end, 0)


def _told_by_code(
    question: Weighed, ranked: Sequence[Scored], beside: Beside, settings: Sequence[Hit]
) -> list[CodeLines]:
    """The lines that say all that is asked for: what sets a value, what gives the errors of a symbol."""
    hits = [one.hit for one in ranked]
    value = value_in(question, hits, settings)
    if value:
        return [value]
    return errors_in(question, hits, beside, settings)


def _is_before(one: Scored, opening: Scored, *, leads: bool) -> bool:
    """Whether it stands in the opening's chunk before what the answer opens with: before the definition that is asked
    for or an entry that `leads`, or at the end of a section that began in an earlier chunk while the opening stands
    behind a heading."""
    if one.hit.chunk.id != opening.hit.chunk.id:
        return False
    is_tail = opening.passage.heading is not None and one.passage.heading is None
    if is_tail or ((leads or opening.defines > 0) and one.passage.start < opening.passage.start):
        return True
    is_earlier = one.passage.heading != opening.passage.heading and one.passage.start < opening.passage.start
    return is_earlier and one.score < EARLIER * opening.score and not is_code_chunk(one.hit.chunk)


def _of_parts(parts: Sequence[AskedPart], ranked: Sequence[Scored]) -> list[Scored]:
    """The passages whose section is called by one of several things that are asked about, and those that the search
    found first, where they say them all; where there are none, what was found for each alone."""
    if len(parts) < 2:
        return []
    first = min(ranked, key=lambda one: one.hit.rank).hit.chunk
    is_of_all = tells_all(parts, first)
    told = [
        one
        for one in ranked
        if (is_of_all and one.hit.chunk.id == first.id) or any(part.is_told_by(one) for part in parts)
    ]
    return told or [part.best for part in parts]


def _required(opening: Scored, ranked: Sequence[Scored], parts: Sequence[AskedPart]) -> Iterator[Scored]:
    """What a whole answer needs beside its opening: other parts of the question."""
    told = [opening]
    for part in parts:
        if not any(map(part.is_told_by, told)):
            about = [one for one in ranked if is_about(part.weighed, one.hit.chunk)]
            named = named_first(part.weighed, [*about, part.best])
            best = next(filter(part.is_told_by, named), named[0])
            told.append(best)
            yield best


def _unsaid_names(
    question: Weighed, opening: Scored, ranked: Sequence[Scored], quotes: Sequence[Quote]
) -> Iterator[Scored]:
    """Of each name that the question writes and the quotes do not say, the best passage that does, where the page which
    the answer opens with has one: a parameter of a method that is explained below it."""
    # The signature of an entry names its parameters, and does not explain them.
    entries = (quote.text.partition("\n")[2] if is_entry(quote.hit.chunk) else quote.text for quote in quotes)
    said = " ".join(entries)
    page = (one for one in ranked if one.hit.chunk.document_id == opening.hit.chunk.document_id)
    own = [one for one in page if not any(covers(quote, one) for quote in quotes)]
    for name in written_names(question.text):
        if name not in said and (best := next((one for one in own if name in one.text), None)):
            yield best


def _topic(question: Weighed, opening: Scored, ranked: Sequence[Scored]) -> str:
    """The opening's document where the question is about it as a whole and about no other; else ""."""
    own = opening.hit.chunk.document_id
    pages = {one.hit.chunk.document_id: one.hit.chunk for one in ranked}
    return own if [page for page in pages if asks_for_page(question, pages[page])] == [own] else ""


def _near(opening: Scored, ranked: Sequence[Scored]) -> set[str] | None:
    """Ids of the chunks that say nearly as much as the opening; None, for any, where it is code, which its section
    explains."""
    if opening.passage.kind == CODE:
        return None
    share = EARLIER if opening.defines else BEGINS
    return {one.hit.chunk.id for one in ranked if one.score >= share * opening.score}


def _continued(quote: Quote, near: Collection[str] | None, beside: Beside) -> list[Quote]:
    """The quote between what its list, its table or its section says in the chunks before and behind it. The section's
    beginning in an earlier chunk is shown where that is short, or among the `near`: ids of chunks that say nearly as
    much as the opening."""
    quotes = [quote]
    rises = not NAMED_PARAGRAPH.match(quote.hit.chunk.text, quote.start)
    while rises and len(quotes) <= MOST_CONTINUED:
        left = FIRST_CHARACTERS + CONTINUED_CHARACTERS - sum(len(one.text) for one in quotes)
        room = CONTINUED_CHARACTERS if len(quotes) == 1 else 0
        before = rest_before(quotes[0].hit.chunk, quotes[0].start, beside, room, torn_room=left, begins=near)
        if before is None:
            break
        quotes = [_quote_of(quote.hit, before), replace(quotes[0], goes_on=True), *quotes[1:]]
    for _ in range(MOST_CONTINUED):
        last, said = quotes[-1], sum(len(one.text) for one in quotes)
        is_list = cut_kind(last.hit.chunk, last.start, last.end, beside, is_rest=last.goes_on) == LIST
        room = (LIST_CHARACTERS if is_list else FIRST_CHARACTERS + CONTINUED_CHARACTERS) - said
        rest = rest_behind(last.hit.chunk, last.end, beside, room, crosses=said <= room)
        if rest and not NAMED_PARAGRAPH.match(rest.chunk.text, rest.start):
            quotes.append(_quote_of(quote.hit, rest, goes_on=True))
    return quotes


def _rest_of_code(question: Weighed, quotes: Sequence[Quote], beside: Beside) -> list[Quote]:
    """What the function of the last quote says behind the border of its chunk up to which the quote shows it, where it
    is asked how it works: what it does in the end often stands there."""
    last, room = quotes[-1], ANSWER_CHARACTERS - sum(len(one.text) for one in quotes)
    chunk = last.hit.chunk
    if not (is_code_chunk(chunk) and asks_for_working(question.text)) or room < LEAST_REST:
        return []
    rest = [] if chunk.text[last.end :].strip() else islice(continued(chunk, beside), 1)
    spans = ((one, best_lines(question, one.text, 0, min(room, LATER_CHARACTERS))) for one in rest)
    return [Quote(last.hit._replace(chunk=one), *span, span[0]) for one, span in spans]


def _with_steps(question: Weighed, quotes: list[Quote], steps: Steps) -> list[Quote]:
    """The quotes, the first of code with what it calls for a part of its work, while there is room."""
    # `steps` are none unless it is asked how something works.
    place = next((n for n, one in enumerate(quotes) if is_code_chunk(one.hit.chunk)), None)
    if place is None:
        return quotes
    room = ANSWER_CHARACTERS - sum(len(one.text) for one in quotes)
    shown, further = {one.hit.chunk.id for one in quotes}, list[Quote]()
    for chunk in steps(quotes[place].hit.chunk):
        span = best_lines(question, chunk.text, 0, CODE_CHARACTERS)
        if chunk.id not in shown and span[1] - span[0] <= room and len(further) < MOST_STEPS:
            room -= span[1] - span[0]
            further.append(Quote(quotes[place].hit._replace(chunk=chunk), *span, span[0]))
    return [*quotes[: place + 1], *further, *quotes[place + 1 :]]


def _completed(quotes: Sequence[Quote], beside: Beside, most: int) -> list[Quote]:
    """The quotes, those of further places with what their chunk's border tears off, up to `most` characters while there
    is room."""
    left = ANSWER_CHARACTERS - sum(len(one.text) for one in quotes)
    taken = {one.hit.chunk.id for one in quotes}
    completed = list(quotes[:1])
    for quote in quotes[1:]:
        chunk, room = quote.hit.chunk, most - len(quote.text)
        before = rest_before(chunk, quote.start, beside, min(OPENING_CHARACTERS, left))
        parts = [quote]
        if before and before.chunk.id not in taken:
            parts = [_quote_of(quote.hit, before), replace(quote, goes_on=True)]
            left -= before.end - before.start
        rest = rest_behind(chunk, quote.end, beside, min(room, left))
        if rest and rest.chunk.id not in taken:
            parts.append(_quote_of(quote.hit, rest, goes_on=True))
            left -= rest.end - rest.start
        taken.update(part.hit.chunk.id for part in parts)
        completed += parts
    return completed


def _quote_of(hit: Hit, rest: Rest, *, goes_on: bool = False) -> Quote:
    return Quote(hit._replace(chunk=rest.chunk), rest.start, rest.end, rest.start, goes_on)
