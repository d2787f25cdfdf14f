"""What a question asks for in several parts: things that it compares, or one thing and another that it wants done."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile

from quire.analysis.symbols import fold_symbol
from quire.analysis.terms import analyze
from quire.answering.extractive.code_chunks import is_code_chunk
from quire.answering.extractive.entries import entry_of
from quire.answering.extractive.precedence import is_entry
from quire.answering.extractive.scoring import Scored, titled
from quire.answering.extractive.weighing import Weighed
from quire.documents import Chunk
from quire.search.query import written_names

READ_CHARACTERS = 300
"""Of a question that are read for parts: a longer one tells a story."""
MOST_PARTS = 3
LEAST_TERMS = 2
"""Fewest terms of each half of a question that asks for two things: one word is an item of a list."""
ABOUT = 0.75
"""How well a title says a part of several words and nothing else, from which its section is about it."""

_COMPARED = re.compile(
    r"""
    \b(?:differences?|distinction|choose|choice|relation|relationship)[ ]between[ ](.+)  # "between A and B"
    | \b(?:compare|comparison[ ]of)[ ](.+)                                               # "compare A with B"
    | ^(?:how|what)[ ](?:do|does|is|are)[ ](\S.*?[ ](?:differ|different)[ ]from[ ].+)      # "how does A differ from B"
    | ^how[ ](?:do|does)[ ](\S.*?[ ]compare[ ](?:to|with)[ ].+)                            # "how does A compare to B"
    | ^how[ ]do[ ](\S.{0,120}?[ ]and[ ].{1,120}?)[ ]differ\b                            # "how do A and B differ in C"
    | ^should[ ](?:i|we)[ ](?:use|take|choose|pick|prefer)[ ](\S.*?[ ]or[ ].+)            # "should I use A or B"
    | ^(\S.*?[ ](?:vs\.?|versus)[ ].+)                                                   # "A vs B"
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Over words with one blank between them."""
_BETWEEN = re.compile(
    r"""
    ,[ ](?:(?:and|or)[ ])?                                                          # a list
    | [ ](?:and|or|vs\.?|versus|(?:compare[ ])?(?:to|with)|differ[ ]from|different[ ]from)[ ]  # a pair
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SAYS_VERSUS = re.compile(r"[ ](?:vs\.?|versus)[ ]", re.IGNORECASE)
_VERSUS = re.compile(r",?[ ](?:vs\.?|versus)[ ]|,[ ]", re.IGNORECASE)
"""Where it is said, other words between things belong to them, as in "end to end"."""
_ASKING = re.compile(
    r"""
    ^(?: (?:how|what|where|when|why|which|who)(?:[ ][\w']+){0,2}? [ ](?:do|does|did|can|could|should|would|is|are|to)
       | can | could | should | do | does | is | are )[ ]  # "how often should", "can"
    (?:(?:i|we|you|one)[ ])?                               # "I"
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""The words before what is asked, such as "How do I "."""
_FURTHER = re.compile(
    r"""
    [,;]?[ ]and[ ](?:then[ ])?(?=(?:how|what|where|when|why|which|who)\b)  # ", and how do I"
    | \?[ ]                                                               # a second question
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SIGNATURE = re.compile(r"(?<=\w)[(<].*")
"""What a title has behind the name of a function."""
_ARTICLE = re.compile(r"^(?:the|an?)[ ](?=\S+$)", re.IGNORECASE)
_ALTERNATIVES = re.compile(
    r"""
    (?<!\S) `?+ [\w.:]++ `?+ (?: (?: ,[ ](?:or[ ])?+ | [ ]or[ ] ) `?+ [\w.:]++ `?+ )++  # "A or B", "A, B or C"
    """,
    re.VERBOSE,
)
_OR = re.compile(r",?[ ](?:or[ ])?")
_THEN = re.compile(r",?[ ]and[ ](?:then[ ])?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AskedPart:
    """A part of a question.

    Attributes:
        weighed: its words, as answers to it are judged by.
        best: of what a search for the part alone found, the best passage of a chunk that is about it.
    """

    weighed: Weighed
    best: Scored

    def is_told_by(self, one: Scored) -> bool:
        """Whether the section that a passage stands in is called so."""
        return is_told_by(self.weighed, one)


def parts_of(question: str) -> tuple[str, ...]:
    """The parts, in the order of the question, each as something to search for; none where it asks for one thing.

    >>> parts_of("What is the difference between a lamp and a torch?"), parts_of("lamp vs torch")
    (('a lamp', 'a torch'), ('lamp', 'torch'))
    >>> parts_of("How do I change the bulb and clean the shade of a lamp?")
    ('change the bulb', 'clean the shade of a lamp')
    >>> parts_of("How do I read and write files?")
    ()

    >>> parts_of("What is the difference between a lamp, a torch and a candle?")
    ('a lamp', 'a torch', 'a candle')

    What stands before a colon is meant of each:

    >>> parts_of("care: table lamps vs end to end lights")
    ('care table lamps', 'care end to end lights')

    Of names it need not say that they are compared:

    >>> parts_of("softLight or hardLight, which one for what?"), parts_of("Is it on or off?")
    (('softLight', 'hardLight'), ())
    """
    text = " ".join(question[:READ_CHARACTERS].split()).strip("?.! ")
    if found := _COMPARED.search(text):
        said = next(filter(None, found.groups()))
        topic, colon, things = said.rpartition(": ")
        between = _VERSUS if _SAYS_VERSUS.search(things) else _BETWEEN
        parts = [part for part in between.split(_ASKING.sub("", things)) if part and analyze(part)]
        parts = [f"{topic} {part}" for part in parts] if colon else parts
        least = 1
    elif names := _alternatives(text):
        return names
    else:
        parts = _FURTHER.split(text)
        if len(parts) == 1 and _ASKING.match(text):
            parts = _THEN.split(_ASKING.sub("", text))
        least = LEAST_TERMS
    is_whole = all(len(set(analyze(part))) >= least for part in parts)
    return tuple(part.strip() for part in parts) if 2 <= len(parts) <= MOST_PARTS and is_whole else ()


def bare(part: str) -> str:
    """A part of one word without its article: what code calls so is found by the word alone.

    >>> bare("a lamp"), bare("the lamp of a car"), bare("lamp")
    ('lamp', 'the lamp of a car', 'lamp')
    """
    return _ARTICLE.sub("", part)


def _alternatives(text: str) -> tuple[str, ...]:
    """The names that a question joins with "or"; none where one of them is no name, or where they are too many."""
    for found in _ALTERNATIVES.finditer(text):
        joined = (one.strip("`") for one in _OR.split(found[0].rstrip(".:")))
        names = tuple(takewhile(_may_name, dropwhile(lambda one: not _may_name(one), joined)))
        if 2 <= len(names) <= MOST_PARTS and f" or {names[-1]}" in text.replace("`", ""):
            return names
    return ()


def _may_name(word: str) -> bool:
    """Whether a word is written as a name, if only with a capital: `Lamp`, `lamp_on`."""
    return bool(written_names(word)) or word[:1].isupper()


def is_about(part: Weighed, chunk: Chunk) -> bool:
    """Whether the chunk defines what the part names, or has a title that says the part and little else."""
    further = chunk.metadata.get("headings")
    titles = [chunk.breadcrumb, *(further if isinstance(further, list | tuple) else ())]
    own = [str(title).rpartition(" › ")[2] for title in titles]
    return _is_called(part, own, chunk.symbols)


def named_first(part: Weighed, told: Sequence[Scored]) -> list[Scored]:
    """The passages of chunks that define just what the part writes, where any does: `Script` the class is asked for,
    and not `script` the variable or a member `Script` of something else."""
    words = set(part.text.split())
    own = [one for one in told if not words.isdisjoint(one.hit.chunk.symbols[:1])]
    return own or [one for one in told if not words.isdisjoint(one.hit.chunk.symbols)] or list(told)


def is_told_by(part: Weighed, one: Scored) -> bool:
    """The same of the section of its chunk that a passage stands in."""
    chunk, heading = one.hit.chunk, one.passage.heading
    title = chunk.text[slice(*heading)].strip("#= \n") if heading else chunk.breadcrumb.rpartition(" › ")[2]
    symbols = chunk.symbols if is_code_chunk(chunk) or is_entry(chunk) else ()  # a page's are its titles
    return _is_called(part, [title], symbols)


def tells_all(parts: Sequence[AskedPart], chunk: Chunk) -> bool:
    """Whether a text has the words of each part: it may set them beside each other."""
    said = set(analyze(f"{chunk.breadcrumb} {chunk.text}"))
    return not is_code_chunk(chunk) and all(said.issuperset(part.weighed.idf) for part in parts)


def _is_called(part: Weighed, titles: Sequence[str], symbols: Sequence[str]) -> bool:
    titles = [title.strip("`") for title in titles]
    words = part.text.removeprefix("the ").split()
    names = set(map(fold_symbol, words if len(words) == 1 else written_names(part.text)))
    called = (_SIGNATURE.sub("", title) for title in titles)
    if not names.isdisjoint(map(fold_symbol, (*symbols, *titles, *called))):
        return True
    if any(name.startswith("-") and entry_of(name).match(title) for name in names for title in titles):
        return True  # an option with its value
    return len(words) > 1 and any(titled(part, set(analyze(title))) >= ABOUT for title in titles)
