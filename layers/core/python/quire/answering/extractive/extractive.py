"""An answer without a language model: the best passage of the sources whole, then at most two more places, cited."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, islice, pairwise

from quire.analysis.symbols import fold_symbol, last_part
from quire.analysis.terms import analyze
from quire.answering.citations import cite
from quire.answering.extractive.blocks import (
    CODE,
    HEADING,
    LIST,
    TABLE,
    QuotePiece,
    heading_levels,
    split_blocks,
    split_pieces,
)
from quire.answering.extractive.callers import calling_lines
from quire.answering.extractive.code_answers import (
    CODE_CHARACTERS,
    WHOLE_CHARACTERS,
    CodeLines,
    continued,
    documented_in,
    effects_in,
    errors_in,
    value_in,
)
from quire.answering.extractive.code_lines import best_lines, says_nothing
from quire.answering.extractive.continuing import (
    Beside,
    Rest,
    goes_on_at,
    is_torn,
    nothing_beside,
    repeated_end,
    rest_before,
    rest_behind,
)
from quire.answering.extractive.entries import asked_name, best_entry, is_condition, leads_entry
from quire.answering.extractive.known_pages import opens_known_page
from quire.answering.extractive.parts import AskedPart, is_about, is_told_by, named_first, tells_all
from quire.answering.extractive.passages import ROW, split_passages
from quire.answering.extractive.places_of_tests import is_named_for
from quire.answering.extractive.precedence import (
    FIELDS,
    asks_for_errors,
    asks_for_example,
    asks_for_tests,
    asks_for_value,
    asks_for_working,
    asks_to_see,
    constructs,
    does_little,
    hands_on,
    held_by,
    is_entry,
    is_hidden,
    is_member,
    is_test,
    quoted_message,
    shows_use,
)
from quire.answering.extractive.rendering import as_read, is_code_chunk, section_trail, shown, title_above
from quire.answering.extractive.scoring import Scored, asks_for_page
from quire.answering.extractive.trails import with_page_title
from quire.answering.extractive.versions import of_versions
from quire.answering.extractive.weighing import Weighed
from quire.documents import Chunk, Citation, Hit
from quire.search.intent import is_of_use, read_intent
from quire.search.query import written_names

MOST_PLACES = 3
UNSURE_PLACES = 2
MOST_SECTIONS = 5
"""Places of a page that the question is about as a whole: its own sections say more of it than other pages do."""
FIRST_CHARACTERS = 1_200
LATER_CHARACTERS, SECTION_CHARACTERS = 800, 500
"""Of a further quote, and of one from a page that the question is about as a whole."""
CONTINUED_CHARACTERS, MOST_CONTINUED = 800, 2
"""More that the first quote may have where it goes on in so many chunks behind its own."""
LONGEST_PIECE = 1_500
"""A list, table or paragraph beyond it is shown in part, whole items or sentences at a time."""
LEAST_REST = 300
"""Room below which a function does not go on behind the border of its chunk."""
OPENING_CHARACTERS = 400
"""What a further quote may have of its section before its own chunk."""
BETWEEN = 400
"""Two quotes of a chunk with no more between them are shown as one, which leaves room for another place."""
ANSWER_CHARACTERS, REQUIRED_CHARACTERS = 2_600, 3_600
"""Of a whole answer, and of one whose last part a question asks for beside others: the third of three things."""
LEAST_SHARE, BESIDE_SHARE = 0.4, 0.7
"""Of the best score a further quote has at least so much; beside code that defines what is asked about it has the
second share, or the name."""
FOUND_FIRST = 1.0
"""What the search found first opens the answer unless a passage elsewhere is better by so much. All key facts stand in
the chunk of the first quote for .73, .55 and .68 of questions where it always opens (textbook, React Native, celery),
and for .73, .51 and .53 without this. Twice as much where a text was found for the use of something: of 444 first
questions of newcomers three more open rightly of those that chose it, three of the others."""
AHEAD = 1.5
"""What comes next is preferred to what came before, by so much of a score."""
EARLIER = 0.7
"""What stands under an earlier heading of the chunk than the passage that the answer opens with is shown above it only
where its own best passage has so much of the score: a reader asks for the section that answers, and not for those
before it."""
BEGINS = 0.5
"""And so much where it is the beginning of the opening's own section, in an earlier chunk."""
CROSSING = 3.0
"""What stands under the same heading is preferred to the next section, by so much."""
HOW_TO_CODE = 2.0
"""What source code has less where it is asked how to do something: what explains it comes first where there is any."""
HIDDEN = 2.0
"""And what has code that cannot be called from elsewhere."""
TEST = 1.5
"""What a test has less, unless the question asks for tests or for an example."""
ENTRY_CHARACTERS, HEAD_PIECES = 1_300, 2
"""An entry of a reference is shown whole up to so many characters; of a longer one so many paragraphs stand first."""
EXAMPLE, USE = 3.0, 1.0
"""What code in a text has more where an example is asked for, and what code that uses things has."""
MESSAGE = 4.0
"""What a passage has more that holds the words which a question quotes."""
BESIDE_NAME = 2
"""Words that a question has at most beside the name that it asks about: "set", "value", "restart"."""
BESIDE_KEY = 1
"""Words that a question has at most beside the name of an entry and what it asks of it: "list the events of X"."""
LITTLE = 1.5
"""What an accessor or a declaration has less where a place in code is asked for that it does not name."""
SHORT_CHARACTERS, FEWEST_WORDS = 400, 5
"""Of what says most by itself; and the words of a passage that says anything."""
WORTHLESS = -9.0
SAME = 0.7
"""A further quote scores at least this share of the best one's score."""

BELOW_TITLE = "-=`:.'\"~^_*+#<> \t\r\n"
"""Signs of the row below an underlined title."""

_WORDS = re.compile(r"\w+")
_CALLED = re.compile(r"\b(\w++)\(")
_KEYED_LINE = re.compile(r"^[A-Z][\w ]{0,80}: .++$", re.M)
_KEY = re.compile(r"\b[A-Z][\w ]{0,80}(?=: )")
_FENCE_LINE = re.compile(r"^ *+(`{3,}+|~{3,}+)([^\n]*+)$", re.M)
_NAMED_PARAGRAPH = re.compile(
    r"""
    (?: &\#\w{1,8};[ ]? | [^\w\s`*#|>+-]{1,3}[ ]? )?+ (?: \*\* )?+  # a picture
    (?: ``?+ [^`\n]{1,60} `{1,2}+ (?: [ ]?\([^()\n]{0,60}\) )?+ | (?<=\*\*) [^*\n]{1,60} ) (?: \*\* )?+
    [ ]?+ (?: : | <br[ ]?/?> | \\ )?+ [ ]*+ (?: \n | \Z )  # on a line of its own, and what it is below
    """,
    re.VERBOSE,
)
_POINTERS = re.compile(
    r"""
    \W* (?:
        see[ ]also | related(?:[ ]\w+)? | further[ ]\w+ | links
      | next[ ]steps? | what['’]?s[ ]next | where[ ]to[ ]go[ ]next  # of a tutorial
      | (?:read|learn)[ ]more | more[ ](?:information|resources|reading) | additional[ ]resources
    ) \W*
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What sections are called that lead to other pages."""
_LINKED = re.compile(
    r"""
    \W{0,4} (?: \[[^\]\n]+\]\( | :(?:doc|ref):` | `[^`\n]+[ ]<http )  # of Markdown, of reStructuredText
    """,
    re.VERBOSE,
)
_DRAWING = re.compile(r"(?:[^\n]*\n\s*)?```\s*mermaid")


@dataclass(frozen=True, slots=True)
class Quote:
    """A contiguous part of a chunk's text, `text[start:end]`, that can be read alone.

    `answers_at` is where the passage begins that it was chosen for: its section is the one that a reader should open.
    `goes_on` says that the quote before it ends where it begins, at the border of their chunks.
    """

    hit: Hit
    start: int
    end: int
    answers_at: int
    goes_on: bool = False

    @property
    def text(self) -> str:
        """The quoted text."""
        return self.hit.chunk.text[self.start : self.end]


def extract(
    question: Weighed,
    scored: Sequence[Scored],
    *,
    sure: bool = True,
    beside: Beside = nothing_beside,
    parts: Sequence[AskedPart] = (),
    settings: Sequence[Hit] = (),
) -> tuple[str, tuple[Citation, ...]]:
    """The answer's text in Markdown and its citations; empty where there is nothing to quote.

    Each paragraph of the text is a quote as `quire.answering.extractive.rendering` shows it, and its mark; quotes whose
    border tears a sentence or a list are one. One from the midst of a section has its title above it. `beside` finds
    the chunks that a quote goes on in; `settings` are chunks where a value that is asked for may be set.
    """
    return written(choose_quotes(question, scored, sure=sure, beside=beside, parts=parts, settings=settings))


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
        return own in _WORDS.findall(f"{chunk.text} {chunk.breadcrumb}".casefold())

    pages = [
        one for one in scored if not (is_code_chunk(one.hit.chunk) or one.hit.chunk.metadata.get("role"))
    ]
    told = choose_quotes(question, list(filter(says, pages)), sure=False, beside=beside)
    defining = [one for one in scored if _defines(one.hit.chunk, {own}) and is_code_chunk(one.hit.chunk)]
    defined = [_widened(question, one, scored, LATER_CHARACTERS) for one in defining[:1]]
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


def written(quotes: Sequence[Quote]) -> tuple[str, tuple[Citation, ...]]:
    """The quotes as Markdown, and what they cite."""
    citations = tuple(
        cite(n, quote.hit, quote.start, quote.end, answers_at=quote.answers_at)
        for n, quote in enumerate(quotes, 1)
    )
    paragraphs: list[list[Citation]] = []
    titles: list[str] = []
    for quote, citation in zip(quotes, citations, strict=True):
        last = paragraphs[-1][-1] if paragraphs else None
        if quote.goes_on and last and is_torn(_up_to(last), quote.hit.chunk, quote.start):
            paragraphs[-1].append(citation)
            continue
        paragraphs.append([citation])
        told = title_above(last.hit.chunk, last.end - 1) if last else ""
        titles.append("" if quote.goes_on else _title_of(quote, told))
    texts = (
        with_page_title(_titled(title, shown(*parts)), parts[0].hit.chunk)
        for title, parts in zip(titles, paragraphs, strict=True)
    )
    return "\n\n".join(texts), citations


def _up_to(citation: Citation) -> Chunk:
    """The chunk up to where the quote ends: its last lines may be said by the next one."""
    chunk = citation.hit.chunk
    return chunk._replace(text=chunk.text[: citation.end])


def _titled(title: str, said: str) -> str:
    """What a quote shows below its title, unless it opens with the title itself."""
    own = title.strip("*\n").rpartition(" › ")[2]
    return said if title and said.startswith(f"**{own}**") else f"{title}{said}"


def _title_of(quote: Quote, told: str) -> str:
    """The title of the section that the quote stands in the midst of, for its reader; "" where it was just told, and
    where the quote begins with it, as entries of a reference do."""
    first = next((block for block in split_blocks(quote.hit.chunk.text) if block.end > quote.start), None)
    title = title_above(quote.hit.chunk, quote.start)
    begins = (first and first.kind == HEADING) or quote.text.lstrip().startswith(title.strip("*"))
    return "" if begins or title == told else f"{title}\n\n"


def choose_quotes(
    question: Weighed,
    scored: Sequence[Scored],
    *,
    sure: bool = True,
    beside: Beside = nothing_beside,
    parts: Sequence[AskedPart] = (),
    settings: Sequence[Hit] = (),
) -> list[Quote]:
    """The best passage, widened to what can be read alone, then the best of other places; no repeats.

    What stands in one chunk comes in the order of its text. The first quote goes on in the next chunk where a list, a
    table or its section does. Of a question in parts, each that the first quote is not about has a place. Of a page
    that the question is about as a whole more sections follow, each in short. Where the evidence is weak there is one
    more place at most.
    """
    ranked = of_versions(question, _said_once_by_chunks(_ranked(question, scored), beside))
    asked = next(chain(opens_known_page(question, ranked), (one for one in ranked if one.asked)), None)
    entry = _entry_of_name(question, [one for one in ranked if one.asked] or ranked)
    opening = entry or asked or _opening(question, _of_parts(parts, ranked) or ranked)
    if opening is None:
        return []
    told = [] if asked else _told_by_code(question, ranked, beside, settings)
    quotes = _first_quotes(
        question, opening, ranked, told, is_entry=entry is not None, beside=beside, goes_on=not parts
    )
    most = len(quotes) - 1 + (MOST_PLACES if sure and not told else UNSURE_PLACES)
    required = [
        *_required(question, opening, ranked, parts),
        *_unsaid_names(question, opening, ranked, quotes),
    ]
    answered = {lines.hit.chunk.id for lines in told}
    topic = _topic(question, opening, ranked) if sure and not (parts or told) else ""
    room = SECTION_CHARACTERS if topic else LATER_CHARACTERS
    names = set() if parts else _names_told(question, [opening.hit.chunk, *(one.hit.chunk for one in told)])
    able = _bearing(question, ranked, names)
    own_first = sorted(able, key=lambda one: bool(topic) and one.hit.chunk.document_id != topic)
    worthy = [*required, *own_first]
    for one in (one for one in worthy if one.hit.chunk.id not in answered):
        is_before = one not in required and _is_before(one, opening, leads=entry is not None)
        if not (is_before or any(_covers(quote, one) for quote in quotes)):
            quote = _widened(question, one, ranked, room)
            further = (MOST_SECTIONS - MOST_PLACES) * (one.hit.chunk.document_id == topic)
            wider = _with(quotes, quote, most + further, is_required=one in required)
            rest = _rest_of_code(question, wider, beside) if len(wider) > len(quotes) else []
            quotes, most = [*wider, *rest], most + len(rest)
    chosen = [*_completed(quotes, beside, room), *_heads(quotes), *_asked_behind(question, quotes[0])]
    return _without_gaps(_said_once(_in_order(chosen, topic)), beside)


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
        return [_widened(question, opening, ranked, FIRST_CHARACTERS), *quotes] if is_entry else quotes
    effects = [] if is_entry else effects_in(question, [other.hit for other in ranked], beside)
    if effects:
        return [Quote(*lines, lines.start) for lines in effects]
    first = _widened(question, opening, ranked, FIRST_CHARACTERS, opens=not is_entry)
    quotes = _continued(first, _near(question, opening, ranked), beside) if goes_on else [first]
    return [*quotes, *_rest_of_code(question, quotes, beside)]


def shortest_quote(question: Weighed, scored: Sequence[Scored], room: int) -> Quote | None:
    """What of the passages says most by itself in `room` characters, or in one paragraph; prose before code."""
    ranked = _ranked(question, scored)
    prose = [one for one in ranked if not (is_code_chunk(one.hit.chunk) or is_code_passage(one))]
    told = [one for one in prose if len(_WORDS.findall(one.text)) >= FEWEST_WORDS]
    is_told = bool(told) and told[0].score >= SAME * ranked[0].score
    opening = _opening(question, told if is_told else ranked)
    if opening is None:
        return None
    if is_code_chunk(opening.hit.chunk):
        start = opening.passage.start
        return Quote(opening.hit, *best_lines(question, opening.hit.chunk.text, start, room), start)
    return _widened(question, opening, ranked, room)


def _ranked(question: Weighed, scored: Sequence[Scored]) -> list[Scored]:
    """The passages that may answer, best first."""
    worded = [one for one in scored if not _says_nothing(one.hit.chunk)] or scored
    if "test" in read_intent(question.text).roles:
        worded = [one for one in worded if is_test(one.hit.chunk)] or worded
    told = [one for one in worded if not _points_elsewhere(question, one)] or worded
    answers = [one for one in told if not one.text.endswith("?") or _is_followed(one)] or told
    chunks = {one.hit.chunk.id: one.hit.chunk for one in answers}
    less = {chunk_id: _lessened(question, chunk) for chunk_id, chunk in chunks.items()}
    judged = (_judged(question, one, less.get(one.hit.chunk.id, 0.0)) for one in answers)
    return sorted(judged, key=lambda one: -one.score)


def _said_once_by_chunks(ranked: Sequence[Scored], beside: Beside) -> list[Scored]:
    """Without what chunks repeat of the section before theirs, where that is not the best."""
    chunks = {one.hit.chunk.id: one.hit.chunk for one in ranked}
    ends = {chunk_id: repeated_end(chunk, beside) for chunk_id, chunk in chunks.items()}
    return [one for n, one in enumerate(ranked) if not n or one.passage.end > ends[one.hit.chunk.id]]


def _opening(question: Weighed, ranked: Sequence[Scored]) -> Scored | None:
    found = min((one.hit for one in ranked), key=lambda hit: hit.rank, default=None)
    is_explained = found is not None and is_of_use(question.text) and not is_code_chunk(found.chunk)
    # Who calls or uses a symbol is told by its callers; the search's first hit is often its definition.
    ahead = 0.0 if read_intent(question.text).related else FOUND_FIRST * (1 + is_explained)
    listing = [one for one in ranked if not all(map(_is_facts, _asked_lines(question, one.hit.chunk)))]
    return max(
        opens_known_page(question, ranked)
        or _of_tests(question, ranked)
        or _of_definition(question, ranked)
        or _of_member(question, ranked)
        or listing
        or ranked,
        key=lambda one: one.score + ahead * (found is not None and one.hit.rank == found.rank),
        default=None,
    )


def _of_tests(question: Weighed, ranked: Sequence[Scored]) -> list[Scored]:
    """The passages of test files that are called like what the question asks the tests of."""
    if "test" not in read_intent(question.text).roles:
        return []
    return [one for one in ranked if is_test(one.hit.chunk) and is_named_for(question.text, one.hit.chunk)]


def _of_definition(question: Weighed, ranked: Sequence[Scored]) -> list[Scored]:
    """The passages of what was found first, where that defines the name whose place is asked for: "class" and "defined"
    stand in docstrings of others."""
    asked = read_intent(question.text)
    if asked.definition is None or not (asked.is_place or asks_to_see(question.text)):
        return []
    first = min((one.hit.rank for one in ranked), default=0)
    name = last_part(fold_symbol(asked.definition.name))
    return [
        one
        for one in ranked
        if one.hit.rank == first and any(last_part(fold_symbol(own)) == name for own in one.hit.chunk.symbols)
    ]


def _of_member(question: Weighed, ranked: Sequence[Scored]) -> list[Scored]:
    """The passages of what defines the member that is asked about, where it is written with what holds it: pages that
    mention it say more of the question's words, as an entry seldom repeats its own name. What a guide or a caller
    tells better is left to the scores."""
    asked, text = read_intent(question.text), question.text
    names = question.symbols or written_names(text)
    members = {name for name in map(fold_symbol, names) if "." in name}
    is_told_elsewhere = asked.related or asked.is_alternatives or asked.is_how_to
    if len(members) != 1 or is_told_elsewhere or asks_for_example(text) or asks_for_tests(text):
        return []
    return [one for one in ranked if not members.isdisjoint(map(fold_symbol, one.hit.chunk.symbols))]


def _entry_of_name(question: Weighed, ranked: Sequence[Scored]) -> Scored | None:
    """What documents the one name that a question writes and says little beside, see `entries.best_entry`. Other
    passages, and code that sets or hands on what is called so, say more of the question's words.

    None where code that does something defines it and more is asked than its value, and where callers, places, tests,
    errors, examples or reasons are asked for.
    """
    text, asked = question.text, read_intent(question.text)
    name = asked_name(text)
    if not name or asked.related or asked.is_alternatives or asked.is_replacement or asked.kind == "reason":
        return None
    if asks_for_value(text):
        return best_entry(question, name, ranked, prefers=lambda one: asks_for_value(one.text))
    is_of_more = asks_for_tests(text) or asks_for_example(text) or asks_for_errors(text) or asked.is_place
    defining = (one.hit.chunk for one in ranked if _defines(one.hit.chunk, {name}))
    # A member that is written with what holds it `_opening` knows.
    if is_of_more or any("." in name or _is_told_by_code(chunk, name) for chunk in defining):
        return None
    return best_entry(
        question, name, ranked, most_beside=math.inf if is_condition(text, name) else BESIDE_NAME
    )


def _is_told_by_code(chunk: Chunk, name: str) -> bool:
    """Whether it is code that does what the name says, and does not only hold a value that is called so."""
    if not is_code_chunk(chunk) or chunk.metadata.get("kind") in FIELDS:
        return False
    return last_part(fold_symbol(chunk.symbols[0])) == name or name in _CALLED.findall(chunk.text.casefold())


def _defines(chunk: Chunk, names: set[str]) -> bool:
    return not names.isdisjoint(map(fold_symbol, chunk.symbols))


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
        return not names.isdisjoint(_WORDS.findall(f"{text} {chunk.breadcrumb}".casefold()))

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


def _asked_behind(question: Weighed, first: Quote) -> Iterator[Quote]:
    """What the entry that the answer opens with says of it in lines behind the quote."""
    text = first.hit.chunk.text
    for line in _asked_lines(question, first.hit.chunk):
        if (start := text.find(f"\n{line}", first.end - 1) + 1) > 0:
            yield Quote(first.hit, start, start + len(line), start)


def _asked_lines(question: Weighed, chunk: Chunk) -> Iterator[str]:
    """Of an entry that the question names, the lines whose keys it asks for: `Events: Died, Ran`, where it says little
    beside, or facts."""
    if not is_entry(chunk) or not _defines(chunk, set(map(fold_symbol, question.symbols))):
        return
    beside = question.idf.keys() - set(analyze(chunk.symbols[0]))
    for line in _KEYED_LINE.findall(chunk.text):
        keys = set(analyze(" ".join(_KEY.findall(line))))
        asked = keys & beside
        if asked and (_is_facts(line) or (asked == keys and len(beside - keys) <= BESIDE_KEY)):
            yield line


def _told_by_code(
    question: Weighed, ranked: Sequence[Scored], beside: Beside, settings: Sequence[Hit]
) -> list[CodeLines]:
    """The lines that say all that is asked for: what sets a value, what gives the errors of a symbol, what documents
    its result or its parameters."""
    hits = [one.hit for one in ranked]
    value = value_in(question, hits, settings)
    if value:
        return [value]
    return errors_in(question, hits, beside, settings) or documented_in(question, [*hits, *settings], beside)


def _says_nothing(chunk: Chunk) -> bool:
    """Whether it is code that says nothing, or of a page nothing but the line that has its title, or the tag of a
    template that takes its text from elsewhere."""
    if is_code_chunk(chunk):
        return says_nothing(chunk.text)
    text = as_read(chunk) if "{%" in chunk.text else chunk.text
    return text.removeprefix("title:").strip("\n\"' ") in ("", chunk.metadata.get("heading"))


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
        if (is_of_all and one.hit.chunk.id == first.id)
        or any(is_told_by(part.weighed, one) for part in parts)
    ]
    return told or [part.best for part in parts]


def _required(
    question: Weighed, opening: Scored, ranked: Sequence[Scored], parts: Sequence[AskedPart]
) -> Iterator[Scored]:
    """What a whole answer needs beside its opening: other parts of the question, and of a class the method."""
    told = [opening]
    for part in parts:
        if not any(is_told_by(part.weighed, one) for one in told):
            about = [one for one in ranked if is_about(part.weighed, one.hit.chunk)]
            named = named_first(part.weighed, [*about, part.best])
            best = next((one for one in named if is_told_by(part.weighed, one)), named[0])
            told.append(best)
            yield best
    holder = opening.hit.chunk
    members = [one for one in ranked if one.score > 0 and is_member(one.hit.chunk, holder)]
    if asks_for_working(question.text):
        members = [one for one in members if not constructs(one.hit.chunk)] or members
    beyond = [_beyond_name(question, one, holder) for one in members]
    # Of a class that is not asked about only what says more than its name.
    if any(beyond) or (members and last_part(held_by(holder)) in question.text.casefold()):
        yield max(
            zip(beyond, members, strict=True), key=lambda one: (one[0], not constructs(one[1].hit.chunk))
        )[1]


def _unsaid_names(
    question: Weighed, opening: Scored, ranked: Sequence[Scored], quotes: Sequence[Quote]
) -> Iterator[Scored]:
    """Of each name that the question writes and the quotes do not say, the best passage that does, where the page which
    the answer opens with has one: a parameter of a method that is explained below it."""
    # The signature of an entry names its parameters, and does not explain them.
    entries = (quote.text.partition("\n")[2] if is_entry(quote.hit.chunk) else quote.text for quote in quotes)
    said = " ".join(entries)
    page = (one for one in ranked if one.hit.chunk.document_id == opening.hit.chunk.document_id)
    own = [one for one in page if not any(_covers(quote, one) for quote in quotes)]
    for name in written_names(question.text):
        if name not in said and (best := next((one for one in own if name in one.text), None)):
            yield best


def _beyond_name(question: Weighed, one: Scored, holder: Chunk) -> float:
    """How much the passage says of the question beside the name of what holds it, which each member may say."""
    named = {term for symbol in holder.symbols[:1] for term in analyze(symbol)}
    said = set(analyze(f"{one.text} {' '.join(one.hit.chunk.symbols[:1])}"))
    return sum(weight for term, weight in question.idf.items() if term in said and term not in named)


def _topic(question: Weighed, opening: Scored, ranked: Sequence[Scored]) -> str:
    """The opening's document where the question is about it as a whole and about no other; else ""."""
    own = opening.hit.chunk.document_id
    pages = {one.hit.chunk.document_id: one.hit.chunk for one in ranked}
    return own if [page for page in pages if asks_for_page(question, pages[page])] == [own] else ""


def _is_asked_row(question: Weighed, one: Scored) -> bool:
    """Whether it is the row of a table that the question is about, of which the rows before it say nothing: it says
    words of the question that the titles above it do not."""
    above = f"{one.hit.chunk.breadcrumb} {title_above(one.hit.chunk, one.passage.start)}"
    return one.passage.kind == ROW and not question.idf.keys() & set(analyze(one.text)) <= set(analyze(above))


def _near(question: Weighed, opening: Scored, ranked: Sequence[Scored]) -> set[str] | None:
    """Ids of the chunks that say nearly as much as the opening; none where that is the row which is asked for, and
    None, for any, where it is code, which its section explains."""
    if _is_asked_row(question, opening):
        return set()
    if opening.passage.kind == CODE:
        return None
    share = EARLIER if opening.defines else BEGINS
    return {one.hit.chunk.id for one in ranked if one.score >= share * opening.score}


def _continued(quote: Quote, near: Collection[str] | None, beside: Beside) -> list[Quote]:
    """The quote between what its list, its table or its section says in the chunks before and behind it. The section's
    beginning in an earlier chunk is shown where that is short, or among the `near`: ids of chunks that say nearly as
    much as the opening; nothing where there are none."""
    quotes = [quote]
    rises = (near is None or bool(near)) and not _NAMED_PARAGRAPH.match(quote.hit.chunk.text, quote.start)
    while rises and len(quotes) <= MOST_CONTINUED:
        left = FIRST_CHARACTERS + CONTINUED_CHARACTERS - sum(len(one.text) for one in quotes)
        room = CONTINUED_CHARACTERS if len(quotes) == 1 else 0
        before = rest_before(quotes[0].hit.chunk, quotes[0].start, beside, room, torn_room=left, begins=near)
        if before is None:
            break
        quotes = [_quote_of(quote.hit, before), replace(quotes[0], goes_on=True), *quotes[1:]]
    for _ in range(MOST_CONTINUED):
        last, said = quotes[-1], sum(len(one.text) for one in quotes)
        room = FIRST_CHARACTERS + CONTINUED_CHARACTERS - said
        rest = rest_behind(last.hit.chunk, last.end, beside, room, crosses=said <= room)
        if rest and not _NAMED_PARAGRAPH.match(rest.chunk.text, rest.start):
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


def _with(quotes: list[Quote], quote: Quote, most: int, *, is_required: bool) -> list[Quote]:
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


def _in_order(quotes: Sequence[Quote], topic: str) -> list[Quote]:
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


def _said_once(quotes: Sequence[Quote]) -> list[Quote]:
    """The quotes without what those before them say: chunks repeat each other's ends, with other line breaks, and
    entries of two members share paragraphs.

    A quote that holds all of an earlier one of its document takes its place.
    """
    kept: list[Quote] = []
    for chosen in quotes:
        others = [one for one in kept if one.hit.chunk.document_id == chosen.hit.chunk.document_id]
        start = max((_unsaid_from(chosen, other) for other in kept), default=chosen.start)
        if not _WORDS.search(chosen.hit.chunk.text, start, max(start, chosen.end)):
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


def _without_gaps(quotes: Sequence[Quote], beside: Beside) -> list[Quote]:
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
    start = quote.start
    for piece in split_pieces(text):
        if quote.start <= piece.start and piece.end <= quote.end:
            if not said.endswith(_in_words(text[quote.start : piece.end])):
                break
            start = piece.end
    return start + len(text[start:]) - len(text[start:].lstrip("\n"))


def _repeated_lines(code: str, said: str) -> int:
    """How many characters of its first lines stand at the end of what was said: windows overlap by whole lines."""
    starts = accumulate(map(len, code.splitlines(keepends=True)))
    return max((end for end in starts if said.rstrip().endswith(code[:end].rstrip())), default=0)


def _in_words(text: str) -> str:
    return " ".join(text.split())


def _sections(quote: Quote) -> set[tuple[object, ...]]:
    """What the quote's section is called by its chunk, and by the headings above the quote: a section may go on in
    another chunk, and begin in one of several sections."""
    chunk = quote.hit.chunk
    own: set[tuple[object, ...]] = {(chunk.id,)}
    if is_code_chunk(chunk):
        return own | {(chunk.document_id, chunk.breadcrumb)}
    if _NAMED_PARAGRAPH.match(chunk.text, quote.start):
        return own  # an entry, which is read by itself
    trail = section_trail(chunk, quote.start)
    return own | {(chunk.document_id, chunk.breadcrumb), *([(chunk.document_id, trail)] if trail else [])}


def _number(quote: Quote) -> tuple[int, ...]:
    """Where the quote's chunk stands in its document, as far as its metadata tell."""
    found = (quote.hit.chunk.metadata.get(name) for name in ("start_line", "chunk_index"))
    return tuple(one if isinstance(one, int) else 0 for one in found)


def _lessened(question: Weighed, chunk: Chunk) -> float:
    """What a chunk of source code has less: where the question asks how to do something, tests unless they are asked
    for, and what the question does not name and only declares or hands on what is done elsewhere. Notes of releases,
    which tell that something can be done, have less as code has where it is asked how to."""
    text, asked = question.text, read_intent(question.text)
    if not is_code_chunk(chunk):
        is_note = chunk.metadata.get("role") == "history" and "history" not in asked.roles
        return HOW_TO_CODE * (is_note and asked.is_how_to)
    wants_example, is_of_working = asks_for_example(text), asks_for_working(text)
    less = HOW_TO_CODE * asked.is_how_to + HIDDEN * (asked.is_how_to and is_hidden(chunk))
    if wants_example:
        less = -USE if shows_use(chunk) else HOW_TO_CODE
    if is_test(chunk) and not (wants_example or asks_for_tests(text)):
        less += TEST
    is_little = (is_of_working or asked.is_place) and does_little(chunk)
    if is_little or (is_of_working and hands_on(chunk)):
        named = set(map(fold_symbol, written_names(text)))
        less += LITTLE * named.isdisjoint(map(fold_symbol, chunk.symbols))
    return less


def _judged(question: Weighed, one: Scored, less: float) -> Scored:
    """With its score, `less` for its chunk, and less for what reads badly as an answer: drawings, quiz questions,
    facts unasked."""
    text, score = one.text, one.score - less
    if asks_for_example(question.text) and one.coverage > 0 and is_code_passage(one):
        score += EXAMPLE
    if one.passage.kind == CODE:
        score -= 3.0 if _DRAWING.match(text) else 0.0 if question.wants_code else 1.0
    message = quoted_message(question.text)
    if message and message.casefold() in text.casefold():
        score += MESSAGE
    if text.endswith("?"):
        score -= 1.5
    if _is_unasked(question, text):
        score -= 1.5
    return one if score == one.score else replace(one, score=score)


def is_code_passage(one: Scored) -> bool:
    """Whether the passage is code in a text, be it by its indentation."""
    at, blocks = one.passage.start, split_blocks(one.hit.chunk.text)
    return not is_code_chunk(one.hit.chunk) and any(
        block.kind == CODE and block.start <= at < block.end for block in blocks
    )


def _is_unasked(question: Weighed, text: str) -> bool:
    """Whether it is a line of facts of which the question asks for none."""
    return _is_facts(text) and not question.idf.keys() & set(analyze(" ".join(_KEY.findall(text))))


def _is_facts(text: str) -> bool:
    """Whether it is a line of keys and values, such as `Security: None · Category: Game`."""
    return " · " in text and all(map(_KEY.match, text.split(" · ")))


def _points_elsewhere(question: Weighed, one: Scored) -> bool:
    """Whether it is a link below "See also": its address says the question's words, itself it says nothing."""
    span = one.passage.heading
    title = one.hit.chunk.text[slice(*span)] if span and _LINKED.match(one.text) else ""
    return bool(_POINTERS.fullmatch(title)) and title.casefold() not in question.text.casefold()


def _is_followed(one: Scored) -> bool:
    """Whether something stands behind the passage under its heading: behind a question, its answer."""
    following = split_passages(one.hit.chunk.text)[one.order + 1 : one.order + 2]
    return any(other.heading == one.passage.heading for other in following)


def _covers(quote: Quote, one: Scored) -> bool:
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
    while len(pieces) > 1 and _is_unasked(question, text[pieces[-1].start : pieces[-1].end]):
        pieces.pop()
    is_short = any(_holds(piece, one) for piece in pieces) and pieces[-1].end <= ENTRY_CHARACTERS
    return Quote(one.hit, 0, pieces[-1].end, one.passage.start) if is_short else None


def _widened(
    question: Weighed, one: Scored, ranked: Sequence[Scored], room: int, *, opens: bool = False
) -> Quote:
    """The passage's whole piece, and pieces beside it while there is room, with the heading that stands above them."""
    text, at = one.hit.chunk.text, one.passage.start
    if is_code_chunk(one.hit.chunk):
        is_whole = opens and len(text) <= WHOLE_CHARACTERS and asks_for_working(question.text)
        room = WHOLE_CHARACTERS if is_whole else CODE_CHARACTERS
        return Quote(one.hit, *best_lines(question, text, at, room), at)
    if whole := _whole_entry(question, one):
        return whole
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
    while page.pieces[first].follows and _fits(page, first - 1, first, last):
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
    return first, last


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
    begins = [bool(_NAMED_PARAGRAPH.match(text, piece.start)) for piece in pieces]
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
    if _DRAWING.match(said) or said.rstrip().endswith("?") or _is_facts(said):
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
