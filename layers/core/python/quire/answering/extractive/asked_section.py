"""The section of a page that a question asks for by what such sections are called.

"What are the options of the pump?" finds the page *Pump* by its name, and the hundred sections called *Options* by the
rest; so among the sections of that page the one is looked for whose title says the rest. "Which options are there?",
"Any limits?", "Show me an example" name nothing: who asks so has just read of something, and the section is looked for
where the last answer was quoted from.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

from quire.analysis.terms import analyze
from quire.answering.extractive.blocks import HEADING, split_blocks
from quire.answering.extractive.code_chunks import is_code_chunk
from quire.answering.extractive.rendering import section_trail
from quire.answering.extractive.scoring import Scored, score_passages
from quire.answering.extractive.weighing import Weighed
from quire.answering.section_kinds import is_alike, kinds_said, shares_a_kind
from quire.documents import Chunk, Hit
from quire.filter_values import Filters
from quire.index.opened import OpenedIndex

MOST_CHUNKS = 200
"""Chunks of a page that are looked through."""
MOST_TERMS = 3
"""Of what the title has to say; more are a question of its own."""
ASKED = 1.5
"""What passages of the section have more than what was found otherwise."""


_TITLE = re.compile(
    r"""
    ^ \#{1,6} [ ] ([^\n]{1,100}+) $
    | ^ (\S[^\n]{0,100}+) \n [=~^"'+*.:`-]{3,}+ $  # with a row below it
    """,
    re.MULTILINE | re.VERBOSE,
)


class AskedSection(NamedTuple):
    """A section that was asked for.

    Attributes:
        trail: the headings above it, its own last.
        chunks: those that it stands in, in the order of the page.
    """

    trail: tuple[str, ...]
    chunks: tuple[Chunk, ...]

    def holds(self, chunk: Chunk, place: int) -> bool:
        """Whether `chunk.text[place:]` begins in it."""
        return section_trail(chunk, place)[: len(self.trail)] == self.trail


def asked_section(
    index: OpenedIndex, question: str, at: Chunk, topic: str = "", *, filters: Filters
) -> AskedSection | None:
    """The section of the page of `at` whose title says what the question asks for; None where there is none.

    What the titles above a section say is left out of the question, and so is `topic`, what was asked before: of
    "options of the pump" *Options* is left on the page *Pump*. Of several such sections the one is meant with most of
    the headings that stand above `at`.
    """
    wanted, own = kinds_said(question), _trail(at)
    known = frozenset(analyze(f"{topic} {at.breadcrumb.partition(' › ')[0]}"))
    rest = wanted - known - frozenset(analyze(" ".join(own))) or wanted - known or wanted
    is_of_page = not topic and wanted <= known  # of all of it
    if is_code_chunk(at) or is_of_page or not 0 < len(rest) <= MOST_TERMS:
        return None
    chunks = _chunks_of_page(index, at, filters)
    titled = [
        chunk for chunk in chunks if any(shares_a_kind(rest, kinds_said(one)) for one in _titles(chunk))
    ]
    trails = {trail: None for chunk in titled for trail in _sections(chunk) if _says(trail, wanted, known)}
    if not trails:
        return None
    trail = max(trails, key=lambda one: _shared(own, one))
    depth = len(trail)
    holding = {chunk.id for chunk in titled if any(one[:depth] == trail for one in _sections(chunk))}
    return AskedSection(
        trail, tuple(one for one in chunks if one.id in holding or _trail(one)[:depth] == trail)
    )


def asked_page(index: OpenedIndex, question: str, at: Chunk, *, filters: Filters) -> AskedSection | None:
    """The page of `at` as one section, where its title says what the question asks for."""
    if is_code_chunk(at) or not is_alike(kinds_said(question), kinds_said(at.breadcrumb.partition(" › ")[0])):
        return None
    return AskedSection((), tuple(_chunks_of_page(index, at, filters)))


def _chunks_of_page(index: OpenedIndex, at: Chunk, filters: Filters) -> list[Chunk]:
    """The first chunks of the page of `at` that the filters leave."""
    return index.fetch(index.filters.narrow(index.documents.chunks(at.document_id), filters)[:MOST_CHUNKS])


def _says(trail: Sequence[str], wanted: frozenset[str], known: frozenset[str]) -> bool:
    *above, title = trail
    said, known = kinds_said(title), known.union(analyze(" ".join(above)))
    return is_alike(wanted, said) or is_alike(wanted - known, said - known)


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _trail(chunk: Chunk) -> tuple[str, ...]:
    """The headings of its page that the chunk begins under."""
    return tuple(chunk.breadcrumb.split(" › ")[1:])


def _titles(chunk: Chunk) -> list[str]:
    """What may be titles in the chunk, told at a glance, and that of its beginning."""
    found = (match[1] or match[2] for match in _TITLE.finditer(chunk.text))
    return [] if is_code_chunk(chunk) else [*_trail(chunk)[-1:], *found]


def _sections(chunk: Chunk) -> list[tuple[str, ...]]:
    """The headings above each section of the chunk, that of its own last."""
    starts = [0, *(block.start for block in split_blocks(chunk.text) if block.kind == HEADING)]
    return [trail for trail in dict.fromkeys(section_trail(chunk, start) for start in starts) if trail]


def with_section(
    section: AskedSection, weighed: Weighed, scored: Sequence[Scored], finder: Hit
) -> list[Scored]:
    """The passages anew, with those of the section before all others."""
    known = {one.hit.chunk.id: one.hit for one in scored}
    hits = [known.get(chunk.id, finder._replace(chunk=chunk)) for chunk in section.chunks]
    new = score_passages(weighed, [hit for hit in hits if hit.chunk.id not in known], None, None)
    found = [*scored, *new]
    inside = {
        (one.hit.chunk.id, one.passage): one.score
        for one in found
        if one.hit.chunk in section.chunks and section.holds(one.hit.chunk, one.passage.start)
    }
    if not inside:
        return list(scored)
    lift = ASKED + max(one.score for one in found) - max(inside.values())
    lifted = (
        replace(one, score=one.score + lift, asked=True) if (one.hit.chunk.id, one.passage) in inside else one
        for one in found
    )
    return sorted(lifted, key=lambda one: (-one.score, one.hit.rank, one.order))
