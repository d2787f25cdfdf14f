"""A section told by what it is divided into, where a question asks which there are: of "Which filters are there?" each
title under *Filters* is a part of the answer, and they stand in a dozen chunks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from quire.answering.citations import cite
from quire.answering.extractive.asked_section import AskedSection
from quire.answering.extractive.blocks import HEADING, QuoteBlock, split_blocks
from quire.answering.extractive.passages import SENTENCE, split_passages
from quire.answering.extractive.rendering import section_trail, shown
from quire.answering.extractive.trails import with_page_title
from quire.documents import Chunk, Citation, Hit

FEWEST, MOST = 3, 20
"""Titles that make a list, and those that are shown."""
SHORT = 1_500
"""Characters of a section that is quoted whole: its titles would say less."""
LEAD_CHARACTERS, GIST_CHARACTERS = 500, 160
"""Of what the section says above its first part, and of the sentence that a part begins with."""
MOST_LABELS = 2
OF_AN_ARTICLE = 0.25
"""Share of titles that are steps or parts of a text, up to which the others are things of one kind."""
TOLD = 0.6
"""Share of the titles that a list or table above them says already."""

_ASKS_WHICH = re.compile(
    r"""
    ^\W* (?: (?:and|so|but|ok)\b \W* )?
    (?:
      (?: which | what )[ ] (?: [\w-]+[ ] ){1,5}? (?: are[ ](?:there|available|supported|possible) | exist | is[ ]there
        | (?: do | does | can | could )\b )
      | (?: which | what )[ ] [\w-]+ \W*$  # and no more
      | (?: list | enumerate | name | show (?:[ ]me)? | give[ ]me )[ ] (?: (?:me|all|of|the|every|its|their)[ ] )+
      | what[ ]are[ ] (?: all[ ] )?+ (?: the | its | their )[ ]
      | (?: which | what )[ ] (?: kinds | types | sorts | forms )[ ]of\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)


_OF_AN_ARTICLE = re.compile(
    r"""
    (?: \d+[.)]? [ ] | step\b )?+
    (?:
      (?: \w{4,} ing | using | how | what | why | when | where | which | who )[ ]
      | (?: before | after | next | see | more | further | other | about | overview | introduction | background
        | summary | conclusion | usage | examples? | notes? | reference | resources | prerequisites | requirements
        | installation | configuration | options | getting | quick | frequently | faq | troubleshooting | limitations
        | setup | context | motivation | goals? | definitions? | terminology | contents )\b  # parts of any text
      | (?: use | get | set | create | add | run | write | build | make | configure | install | enable | disable
        | handle | test | debug | deploy | import | share | send | define | discover | compile | apply | check
        | choose | find | follow | update | upgrade | remove | delete | manage | customi[sz]e | understand | learn
        | start | begin | try | review | prepare | download | connect | verify | do | don['’]t | edit | open
        | organi[sz]e | generate | load )[ ]\w  # steps
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LABEL = re.compile(
    r"""
    [ \t>*_`|-]*+ (?: added | available | introduced | deprecated | removed | since | new | changed | default | type
      | required | version | status | platform | danger | caution | warning )\b
    [^\n]{0,60} $  # and little more on its line
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
"""What stands below a title and tells when or of what type something is, before what it is."""
_SUMMARY = re.compile(r"\W*(?:tl;?\s?dr|at a glance)\W*", re.IGNORECASE)
_LISTING = re.compile(
    r"""
    \b(?: kinds | types | sorts | forms )[ ]of[ ]                              # of what follows
    | (?: [ ]that )? [ ] (?: can | could | should )[ ] (?: i | you | we )[ ] (?: use | choose | set )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)


class ListedSection(NamedTuple):
    """A section as its parts tell it.

    Attributes:
        text: the list in Markdown, each item with its mark.
        citations: what the marks name.
        total: how many parts there are; more than are shown, where it has very many.
    """

    text: str
    citations: tuple[Citation, ...]
    total: int


def asks_which(question: str) -> bool:
    """Whether the question asks which there are of something.

    >>> asks_which("Which OCR settings are there?"), asks_which("List all the filters"), asks_which("What is a filter?")
    (True, True, False)
    """
    return _ASKS_WHICH.match(question) is not None


def bare_listing(question: str) -> str:
    """The question without what only says that many are asked for.

    >>> bare_listing("Which kinds of filters can I use?")
    'Which filters?'
    """
    return _LISTING.sub("", question)


def contents_of(section: AskedSection, finder: Hit) -> ListedSection | None:
    """The section's parts by their titles and first sentences; None where it has too few, where they are the steps of
    an article, and where it tells them itself in a list or table above. `finder` is the hit that led to it."""
    trails = dict[tuple[str, ...], tuple[Chunk, QuoteBlock]]()
    for trail, part in _parts(section):
        if not _SUMMARY.fullmatch(trail[-1]):
            trails.setdefault(trail, part)
    titles, parts = [trail[-1] for trail in trails], list(trails.values())
    if len(parts) < FEWEST or sum(map(_is_of_an_article, titles)) > OF_AN_ARTICLE * len(titles):
        return None
    if _characters(section) <= SHORT:
        return None
    lead = _lead(section, parts[0])
    if lead and _tells(lead, titles):
        return None
    lead = lead if lead and lead[2] - lead[1] <= LEAD_CHARACTERS else None
    spans = [(chunk, block.start, _gist_end(chunk, block)) for chunk, block in parts[:MOST]]
    citations = tuple(
        cite(n, finder._replace(chunk=chunk), start, end)
        for n, (chunk, start, end) in enumerate([*([lead] if lead else []), *spans], 1)
    )
    items = "\n".join(f"- {' '.join(shown(one).split())}" for one in citations[bool(lead) :])
    first = section.chunks[0]
    title = section.trail[-1] if section.trail else first.breadcrumb.partition(" › ")[0]
    above = with_page_title(shown(citations[0]) if lead else f"**{title}**", first)
    return ListedSection(f"{above}\n\n{items}", citations, len(parts))


def _is_of_an_article(title: str) -> bool:
    """Whether a title names a step or a part of a text, and not one of several things.

    >>> [_is_of_an_article(one) for one in ("Before you begin", "Writing a filter", "Use Node.js", "Gzip filter")]
    [True, True, True, False]
    """
    return _OF_AN_ARTICLE.match(title.strip("`*")) is not None


def _parts(section: AskedSection) -> Iterator[tuple[tuple[str, ...], tuple[Chunk, QuoteBlock]]]:
    """Trails of the sections one level below, each with the heading that it begins with."""
    depth = len(section.trail)
    for chunk in section.chunks:
        for block in split_blocks(chunk.text):
            if block.kind != HEADING:
                continue
            trail = section_trail(chunk, block.start)
            if len(trail) == depth + 1 and trail[:depth] == section.trail:
                yield trail, (chunk, block)


def _characters(section: AskedSection) -> int:
    """How long the section is, about: of a chunk in which others stand too, its own part."""
    depth, size = len(section.trail), 0
    for chunk in section.chunks:
        starts = [0, *(one.start for one in split_blocks(chunk.text) if one.kind == HEADING), len(chunk.text)]
        spans = pairwise(dict.fromkeys(starts))
        size += sum(b - a for a, b in spans if section_trail(chunk, a)[:depth] == section.trail)
    return size


def _lead(section: AskedSection, first: tuple[Chunk, QuoteBlock]) -> tuple[Chunk, int, int] | None:
    """What the section says above its first part; None where that is nothing."""
    chunk, block = section.chunks[0], first[1]
    end = block.start if chunk.id == first[0].id else len(chunk.text)
    own = (one for one in split_blocks(chunk.text) if section_trail(chunk, one.start) == section.trail)
    start = next((one.start for one in own), end)
    text = chunk.text[start:end].rstrip()
    says = any(start <= one.start < end for one in split_passages(chunk.text))  # more than its title
    return (chunk, start, start + len(text)) if says else None


def _tells(lead: tuple[Chunk, int, int], titles: Sequence[str]) -> bool:
    chunk, start, end = lead
    told = chunk.text[start:end].casefold()
    return sum(title.casefold().strip("`") in told for title in titles) >= TOLD * len(titles)


def _gist_end(chunk: Chunk, block: QuoteBlock) -> int:
    """Where the first sentence below the heading ends that says something, where that is near; else the heading."""
    end = len(chunk.text[: block.end].rstrip())
    below = (one for one in split_passages(chunk.text) if one.start >= block.end)
    for said in islice(below, MOST_LABELS + 1):
        is_next = not chunk.text[end : said.start].strip("-=~^\"'+*#`.: \r\n")
        if said.kind != SENTENCE or not is_next or said.end - block.end > GIST_CHARACTERS:
            break
        end = said.end
        if not _LABEL.match(chunk.text, said.start):
            return end
    return len(chunk.text[: block.end].rstrip())
