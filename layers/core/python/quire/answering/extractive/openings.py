"""Which passage an answer opens with, and how passages are ranked for that."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace

from quire.analysis.symbols import fold_symbol, last_part
from quire.analysis.terms import VERSION, analyze
from quire.answering.extractive.blocks import CODE, HEADING, split_blocks
from quire.answering.extractive.code_chunks import is_code_chunk
from quire.answering.extractive.code_lines import says_nothing
from quire.answering.extractive.continuing import Beside, repeated_end
from quire.answering.extractive.entries import asked_name, best_entry
from quire.answering.extractive.known_pages import opens_known_page
from quire.answering.extractive.passages import split_passages
from quire.answering.extractive.places_of_tests import is_named_for
from quire.answering.extractive.precedence import (
    FIELDS,
    asks_for_errors,
    asks_for_example,
    asks_for_tests,
    asks_for_value,
    asks_for_working,
    does_little,
    hands_on,
    is_test,
    quoted_message,
    shows_use,
)
from quire.answering.extractive.rendering import as_read
from quire.answering.extractive.scoring import Scored, titled
from quire.answering.extractive.weighing import Weighed
from quire.documents import Chunk
from quire.search.intent import is_of_use, read_intent
from quire.search.query import written_names

FOUND_FIRST = 1.0
"""What the search found first opens the answer unless a passage elsewhere is better by so much. All key facts stand in
the chunk of the first quote for .73, .55 and .68 of questions where it always opens (textbook, React Native, celery),
and for .73, .51 and .53 without this. Twice as much where a text was found for the use of something: of 444 first
questions of newcomers three more open rightly of those that chose it, three of the others."""
HOW_TO_CODE = 2.0
"""What source code has less where it is asked how to do something: what explains it comes first where there is any."""
TEST = 1.5
"""What a test has less, unless the question asks for tests or for an example."""
EXAMPLE, USE = 3.0, 1.0
"""What code in a text has more where an example is asked for, and what code that uses things has."""
MESSAGE = 4.0
"""What a passage has more that holds the words which a question quotes."""
BESIDE_NAME = 2
"""Words that a question has at most beside the name that it asks about: "set", "value", "restart"."""
TITLE_TERMS, TITLED = 4, 0.9
"""Terms of a question that is a section's title, and how well that says it, from which the section opens the answer
unless another one is better, whatever was found first."""
LITTLE = 1.5
"""What an accessor or a declaration has less where a place in code is asked for that it does not name."""
_CALLED = re.compile(r"\b(\w++)\(")
_KEY = re.compile(r"\b[A-Z][\w ]{0,80}(?=: )")
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
DRAWING = re.compile(r"(?:[^\n]*\n\s*)?```\s*mermaid")


def rank_passages(question: Weighed, scored: Sequence[Scored]) -> list[Scored]:
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


def said_once_by_chunks(ranked: Sequence[Scored], beside: Beside) -> list[Scored]:
    """Without what chunks repeat of the section before theirs, where that is not the best."""
    chunks = {one.hit.chunk.id: one.hit.chunk for one in ranked}
    ends = {chunk_id: repeated_end(chunk, beside) for chunk_id, chunk in chunks.items()}
    return [one for n, one in enumerate(ranked) if not n or one.passage.end > ends[one.hit.chunk.id]]


def best_opening(question: Weighed, ranked: Sequence[Scored]) -> Scored | None:
    """The passage that the answer opens with; None where there is none."""
    found = min((one.hit for one in ranked), key=lambda hit: hit.rank, default=None)
    is_explained = found is not None and is_of_use(question.text) and not is_code_chunk(found.chunk)
    # Who calls or uses a symbol is told by its callers; the search's first hit is often its definition.
    is_led = not (read_intent(question.text).related or any(_is_title(question, one) for one in ranked))
    ahead = is_led * FOUND_FIRST * (1 + is_explained)
    return max(
        opens_known_page(question, ranked)
        or _of_tests(question, ranked)
        or _of_definition(question, ranked)
        or _of_member(question, ranked)
        or ranked,
        key=lambda one: one.score + ahead * (found is not None and one.hit.rank == found.rank),
        default=None,
    )


def _is_title(question: Weighed, one: Scored) -> bool:
    """Whether the passage's section is called by all that the question says, as those of a list of questions are."""
    chunk, heading = one.hit.chunk, one.passage.heading
    if len(question.idf) < TITLE_TERMS or is_code_chunk(chunk):
        return False
    title = chunk.text[slice(*heading)] if heading else chunk.breadcrumb.rpartition(" › ")[2]
    return titled(question, set(analyze(title))) >= TITLED


def _of_tests(question: Weighed, ranked: Sequence[Scored]) -> list[Scored]:
    """The passages of test files that are called like what the question asks the tests of."""
    if "test" not in read_intent(question.text).roles:
        return []
    return [one for one in ranked if is_test(one.hit.chunk) and is_named_for(question.text, one.hit.chunk)]


def _of_definition(question: Weighed, ranked: Sequence[Scored]) -> list[Scored]:
    """The passages of what was found first, where that defines the name whose place is asked for: "class" and "defined"
    stand in docstrings of others."""
    asked = read_intent(question.text)
    if asked.definition is None or not asked.is_place:
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


def entry_of_name(question: Weighed, ranked: Sequence[Scored]) -> Scored | None:
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
    defining = (one.hit.chunk for one in ranked if defines_one(one.hit.chunk, {name}))
    # A member that is written with what holds it `best_opening` knows.
    if is_of_more or any("." in name or _is_told_by_code(chunk, name) for chunk in defining):
        return None
    return best_entry(question, name, ranked, most_beside=BESIDE_NAME)


def _is_told_by_code(chunk: Chunk, name: str) -> bool:
    """Whether it is code that does what the name says, and does not only hold a value that is called so."""
    if not is_code_chunk(chunk) or chunk.metadata.get("kind") in FIELDS:
        return False
    return last_part(fold_symbol(chunk.symbols[0])) == name or name in _CALLED.findall(chunk.text.casefold())


def defines_one(chunk: Chunk, names: set[str]) -> bool:
    """Whether the chunk defines one of the names, folded as `fold_symbol` does."""
    return not names.isdisjoint(map(fold_symbol, chunk.symbols))


def _says_nothing(chunk: Chunk) -> bool:
    """Whether it is code that says nothing, or of a page nothing but the line that has its title, or the tag of a
    template that takes its text from elsewhere."""
    if is_code_chunk(chunk):
        return says_nothing(chunk.text)
    text = as_read(chunk) if "{%" in chunk.text else chunk.text
    return text.removeprefix("title:").strip("\n\"' ") in ("", chunk.metadata.get("heading"))


def _lessened(question: Weighed, chunk: Chunk) -> float:
    """What a chunk of source code has less: where the question asks how to do something, tests unless they are asked
    for, and what the question does not name and only declares or hands on what is done elsewhere. Notes of releases,
    which tell that something can be done, have less as code has where it is asked how to."""
    text, asked = question.text, read_intent(question.text)
    if not is_code_chunk(chunk):
        is_note = chunk.metadata.get("role") == "history" and "history" not in asked.roles
        return HOW_TO_CODE * (is_note and asked.is_how_to)
    wants_example, is_of_working = asks_for_example(text), asks_for_working(text)
    less = HOW_TO_CODE * asked.is_how_to
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
        score -= 3.0 if DRAWING.match(text) else 0.0 if question.wants_code else 1.0
    message = quoted_message(question.text)
    if message and message.casefold() in text.casefold():
        score += MESSAGE
    if text.endswith("?"):
        score -= 1.5
    if is_unasked(question, text):
        score -= 1.5
    return one if score == one.score else replace(one, score=score)


def is_code_passage(one: Scored) -> bool:
    """Whether the passage is code in a text, be it by its indentation."""
    at, blocks = one.passage.start, split_blocks(one.hit.chunk.text)
    return not is_code_chunk(one.hit.chunk) and any(
        block.kind == CODE and block.start <= at < block.end for block in blocks
    )


def is_unasked(question: Weighed, text: str) -> bool:
    """Whether it is a line of facts of which the question asks for none."""
    return is_facts(text) and not question.idf.keys() & set(analyze(" ".join(_KEY.findall(text))))


def is_facts(text: str) -> bool:
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


def of_versions(question: Weighed, ranked: Sequence[Scored]) -> list[Scored]:
    """The passages without those about other versions than the question names: of releases each says nearly the same.

    All of them where what the search found first is not about a version of the question: it is a
    condition then, as in "How do I do this in 2.1?".
    """
    asked = _versions(" ".join(question.idf))
    if not asked:
        return [*ranked]
    about = [_version_above(one) for one in ranked]
    found_first = min((one.hit.rank for one in ranked), default=0)
    if not any(one.hit.rank == found_first and asked & said for one, said in zip(ranked, about, strict=True)):
        return [*ranked]
    return [one for one, said in zip(ranked, about, strict=True) if not said or asked & said]


def _version_above(one: Scored) -> Set[str]:
    """The versions in the title of its section, or of the next one above that has any."""
    chunk, start = one.hit.chunk, one.passage.start
    titles = [block for block in split_blocks(chunk.text) if block.kind == HEADING and block.start <= start]
    said = (_versions(chunk.text[title.start : title.end]) for title in reversed(titles))
    return next(filter(None, said), frozenset()) or _versions(chunk.breadcrumb)


def _versions(text: str) -> Set[str]:
    return frozenset(term for term in analyze(text) if VERSION.fullmatch(term))
