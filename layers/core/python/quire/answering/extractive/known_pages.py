"""Pages that projects call alike, for what strangers ask of any of them: its licence, its newest release, how to begin,
how to take part. Their words seldom are the question's: the licence of MIT does not say "licence of Lamp"."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from quire.analysis.entries import SECTION_MARK, entry_terms
from quire.analysis.terms import VERSION, analyze
from quire.answering.extractive.blocks import HEADING, split_blocks
from quire.answering.extractive.passages import CODE, split_passages
from quire.answering.extractive.scoring import Scored
from quire.answering.extractive.weighing import Weighed, weigh
from quire.documents import Chunk, Hit
from quire.index.opened import OpenedIndex
from quire.ranking import intersection

_ROOTS = ("", "docs/", "doc/", "docs/source/", "docs/src/", "docs/docs/", "docs/content/", ".github/")
FOLDERS = (*_ROOTS, *(f"{root}getting{sign}started/" for root in _ROOTS[:3] for sign in "-_"))
SUFFIXES = ("", ".md", ".mdx", ".rst", ".adoc", ".txt", ".html")
FIRST_CHUNKS = 24
"""Of a list of releases, in which the newest is looked for: an introduction or what is not released stands first."""
NEAR, FIRST_READ, ASKED_CHARACTERS = 100, 3, 200
_HOW = r"\bhow[ ](?:do|can|to|should|would)(?:[ ](?:i|we|you|one))?"
_OF = r"(?: [ ](?:(?:of|in|with|to|for|on)[ ])? (?:the[ ])? (?: it | this | (?P<of>[\w.-]++) (?:[ ]project)? ) )?"
"""What it is asked of: the product, or nothing."""
_FROM = r"(?: [ ]from[ ](?:my|the|a|your)[ ](?:machine|computer|system|pc|mac|laptop|server|device) )"
_INSTALLING = ("INSTALL", "install", "installation", "Installation", "README", "Readme", "readme", "index")
MOST_SELDOM = math.log(5.0)
"""The inverse document frequency of a product's name: a fifth of its own chunks have it."""
_UNRELEASED = re.compile(r"unreleased|not (?:yet )?released|in development|\btbd\b")
_RELEASES = ("changelog", "changes", "history", "news", "releases", "release-notes", "release_notes")


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page that many projects have.

    Attributes:
        asks: what a question says that is answered by it; its group `of`, where there is one, is what it asks it of.
        stems: how its file is called, without folder and suffix, the likelier first.
        of_release: its first section about a version is meant, and not its beginning.
        title: what the title of the section that is meant holds; None for the page's beginning.
    """

    asks: re.Pattern[str]
    stems: tuple[str, ...]
    of_release: bool = False
    title: re.Pattern[str] | None = None

    def begins(self, chunk: Chunk) -> int:
        """Where in the chunk the answer begins, counted from 1; 0 where it does not."""
        if self.of_release:
            return _release_in(chunk)
        if self.title is not None:
            return _titled(chunk, self.title)
        return int(any(one.kind != CODE for one in split_passages(chunk.text)))


_PAGES = (
    KnownPage(
        re.compile(
            r"""
            (?: \b(?:what|which) (?:['’]s|[ ]is)? (?:[ ](?:the|its|kind|type|of|software|source)){0,3} [ ] licen[cs]e\b
                (?! [^?]{0,60} \b(?: need | requires? | keys? | buy | purchase | activate | plans? )\b )  # his own
              | \blicen[cs]ed[ ]under\b | \bhow[ ]is\b [^?]{0,40} \blicen[cs]ed\b
              | ^\W*(?:the[ ])?licen[cs]e\W*$ | \bis\b [^?]{0,40} \b(?:open[ -]source|free[ ]software)\W*$ )
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
        ("LICENSE", "LICENCE", "COPYING", "license", "licence"),
    ),
    KnownPage(
        re.compile(
            rf"""
            ^\W* (?: (?: (?:what|which)(?:['’]s|[ ]is|[ ]was)[ ] )? (?:the[ ])?
                (?:latest|newest|current|most[ ]recent|last)[ ](?:stable[ ])?(?:version|release)
              | what(?:['’]s|[ ]is)[ ]new ) {_OF} \W*$  # and no more
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
        (*map(str.upper, _RELEASES), *map(str.capitalize, _RELEASES), *_RELEASES),
        of_release=True,
    ),
    KnownPage(
        re.compile(
            rf"""
            (?: {_HOW} [ ]get[ ]started | ^\W*(?:getting[ ]started|quick[ -]?start|first[ ]steps) ) {_OF} \W*$  # all
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
        (
            "getting-started",
            "getting_started",
            "GettingStarted",
            "quickstart",
            "quick-start",
            "first-steps",
            "tutorial",
        ),
    ),
    KnownPage(
        re.compile(
            rf"(?: {_HOW} [ ]contribute | ^\W*contributing ) {_OF} \W*$  # no more",
            re.IGNORECASE | re.VERBOSE,
        ),
        ("CONTRIBUTING", "contributing", "Contributing"),
    ),
    KnownPage(
        re.compile(
            rf"(?: {_HOW} [ ] | ^\W*+ ) install {_OF} \W*$  # no more",
            re.IGNORECASE | re.VERBOSE,
        ),
        _INSTALLING,
        title=re.compile(r"\binstall(?:ation|ing)?\b", re.IGNORECASE),
    ),
    KnownPage(
        re.compile(
            rf"""
            ^\W*+ (?: {_HOW} [ ] )? (?:(?:completely|fully|cleanly)[ ])?
            (?: uninstall | (?:remove|delete|get[ ]rid[ ]of) (?=.{{1,60}} {_FROM}) )  # not a part of it
            {_OF} (?:[ ]completely)? {_FROM}? \W*$
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
        ("uninstall", "uninstalling", "uninstallation", "UNINSTALL", *_INSTALLING),
        title=re.compile(r"\b(?:uninstall|remov)\w*", re.IGNORECASE),
    ),
    KnownPage(
        re.compile(
            rf"""
            ^\W*+ (?: {_HOW} [ ] )? (?:upgrade|update) {_OF} (?:[ ]itself)?
            (?: [ ] to [ ] (?:the|a) [ ] (?:latest|newest|new|newer|current|next) [ ] (?:version|release) )?
            \W*$  # no more
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
        ("upgrade", "upgrading", "UPGRADE", "UPGRADING", "updating", "update", *_INSTALLING[:4]),
        title=re.compile(r"\b(?:upgrad|updat)\w*", re.IGNORECASE),
    ),
)


def known_page_hits(
    index: OpenedIndex, question: str, seen: Sequence[Hit], filters: Mapping[str, str | Sequence[str]]
) -> tuple[Hit, ...]:
    """The chunk of the page that such a question is answered by, with the rank behind the hits seen; none where it is
    one of the first, which are read anyway, and for other questions."""
    page = _asked_page(weigh(question, index))
    if page is None or not seen:
        return ()
    allowed = index.filters.chunks(filters)
    for path in _paths(page):
        ordinals = index.documents.chunks(path)
        ordinals = ordinals if allowed is None else intersection(ordinals, allowed)
        for chunk in index.fetch(ordinals[:FIRST_CHUNKS]):
            if not page.begins(chunk):
                continue
            if any(hit.chunk.id == chunk.id for hit in seen[:FIRST_READ]):
                return ()
            return (Hit(chunk, seen[-1].rank + 1, seen[0].score, None, seen[0].version),)
    return ()


def opens_known_page(question: Weighed, ranked: Sequence[Scored]) -> list[Scored]:
    """The passages of the page that such a question is answered by, from where it is answered; none for others."""
    page = _asked_page(question)
    if page is None:
        return []
    places = {path: place for place, path in enumerate(_paths(page))}
    pages = {one.hit.chunk.id: one.hit.chunk for one in ranked if one.hit.chunk.document_id in places}
    begins = {chunk.id: at for chunk in pages.values() if (at := page.begins(chunk))}
    if not begins:
        return []
    first = min((pages[one] for one in begins), key=lambda one: (places[one.document_id], _start_line(one)))
    own = [one for one in ranked if one.hit.chunk.id == first.id]
    behind = [one for one in own if one.passage.start >= begins[first.id] - 1] or own
    return [min(behind, key=lambda one: (one.passage.kind == CODE and page.title is None, one.passage.start))]


def _asked_page(question: Weighed) -> KnownPage | None:
    """The page that answers the question; None where none does, and where it asks of something but the product."""
    for page in _PAGES:
        if asked := page.asks.search(question.text[:ASKED_CHARACTERS]):
            of = analyze(asked.groupdict().get("of") or "")
            return page if all(question.idf.get(term, 0.0) <= MOST_SELDOM for term in of) else None
    return None


def _paths(page: KnownPage) -> Iterator[str]:
    for stem, folder, suffix in product(page.stems, FOLDERS, SUFFIXES):
        yield f"{folder}{stem}{suffix}"


def _release_in(chunk: Chunk) -> int:
    """Behind the beginning of the text's first heading of what was released; 0 where it has none."""
    text = chunk.text.lower()
    marked = (name.removeprefix(SECTION_MARK) for name in entry_terms(chunk.text, chunk.breadcrumb))
    named = (text.find(name) for name in marked if VERSION.fullmatch(name))
    return next((at + 1 for at in named if at >= 0 and not _UNRELEASED.search(text, at, at + NEAR)), 0)


def _titled(chunk: Chunk, title: re.Pattern[str]) -> int:
    """Behind the beginning of the first heading that holds the title; 0 where there is none."""
    headings = (block for block in split_blocks(chunk.text) if block.kind == HEADING)
    found = (block.start + 1 for block in headings if title.search(chunk.text, block.start, block.end))
    return next(found, 0)


def _start_line(chunk: Chunk) -> int:
    line = chunk.metadata.get("start_line")
    return line if isinstance(line, int) else 0
