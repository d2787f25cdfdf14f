"""Pages that projects call alike, for what strangers ask of any of them: its licence, its newest release, how to begin,
how to take part, where to get help.

Their words seldom are the question's: the licence of MIT does not say "licence of Lamp".
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, product
from typing import NamedTuple, TypeAlias

from quire.analysis.entries import SECTION_MARK, entry_terms
from quire.analysis.terms import VERSION, analyze
from quire.answering.extractive.blocks import HEADING, split_blocks
from quire.answering.extractive.code_chunks import PROSE_LANGUAGES
from quire.answering.extractive.passages import CODE, split_passages
from quire.answering.extractive.scoring import Scored
from quire.answering.extractive.weighing import Weighed
from quire.documents import Chunk, Hit
from quire.filter_values import Filters
from quire.index.bm25 import idf
from quire.index.opened import OpenedIndex

_ROOTS = ("", "docs/", "doc/", "docs/source/", "docs/src/", "docs/docs/", "docs/content/", ".github/")
_FIRST_STEPS = (
    "getting-started getting_started how-to howto guide guides user-guide userguide intro introduction setup"
).split()
FOLDERS = (*_ROOTS, *(f"{root}{name}/" for root in _ROOTS[:4] for name in _FIRST_STEPS))
SUFFIXES = ("", ".md", ".mdx", ".rst", ".adoc", ".txt", ".html")
FIRST_CHUNKS = 24
"""Of a list of releases, in which the newest is looked for: an introduction or what is not released stands first."""
NEAR, FIRST_READ, ASKED_CHARACTERS = 100, 3, 200
_HOW = r"\bhow[ ](?:do|can|to|should|would)(?:[ ](?:i|we|you|one))?"
_OF = r"(?: [ ](?:(?:of|in|with|to|for|on)[ ])? (?:the[ ])? (?: it | this | (?P<of>[\w.-]++) (?:[ ]project)? ) )?"
"""What it is asked of: the product, or nothing."""
_FROM = r"(?: [ ]from[ ](?:my|the|a|your)[ ](?:machine|computer|system|pc|mac|laptop|server|device) )"
_INTO = r"(?: [ ](?:to|into|in)[ ](?:my|our|a|an|the|your)[ ](?:own[ ]|existing[ ])?(?:project|app|application|build) )"
_LATEST = r"(?:latest|newest|current|most[ ]recent|last)[ ](?:stable[ ])?(?:version|release)"
_INSTALLING = ("INSTALL", "install", "installation", "Installation", "README", "Readme", "readme", "index")
MOST_SELDOM = math.log(5.0)
"""The inverse document frequency of a product's name: a fifth of its own chunks have it."""
Place: TypeAlias = tuple[int, int]
DEEPEST, MOST_PATHS = 4, 20_000
"""Folders that a page lies in at most which is known by its name alone, and paths that are looked through for it."""
_ASIDE = frozenset(
    "blog blogs news testing plugin plugins example examples sample samples test tests spec packages vendor contrib "
    "contribute contributing developer developers development internals legacy archive integrations cookbook recipes "
    "includes _includes partials snippets shared".split()
)
"""Folders whose pages are about something beside the product."""
_BEGINNING = frozenset(
    "getting-started getting_started gettingstarted get-started get_started quickstart quick-start quick_start "
    "first-steps first_steps".split()
)
_INSTALL = frozenset("install installing installation quick-install quick_install quickinstall".split())
_README, _ABOUT = frozenset(["readme"]), frozenset("introduction intro overview welcome index".split())
_FIRST = frozenset("index _index basic basics start".split()) | _ABOUT
"""Pages that are called by their folder where that is called so."""
_UNINSTALL = frozenset("uninstall uninstalling uninstallation".split())
_UPGRADE = frozenset("upgrade upgrades upgrading update updates updating self-update".split())
_MIGRATION = frozenset("migration migrating migrate migration-guide migration_guide".split())
_UNINSTALLS = re.compile(r"\buninstall\w*", re.IGNORECASE)
_UPGRADES = re.compile(r"\b(?:upgrad|updat)\w*", re.IGNORECASE)
_SELF_UPDATE = re.compile(r"(?:^|[_-])self[_-]?(?:update|upgrade)$")
_OF_PRODUCTION = re.compile(
    r"""
    ^ (?: [a-z]++[_-] )? (?: in[_-] | for[_-] | going[_-]to[_-] )? production
    (?: [_-](?:guides?|guidelines|checklist|deployments?|setup|environment|ready|readiness) )? $  # of one system
    """,
    re.VERBOSE,
)
_NUMBERED = re.compile(r"\d{1,3}[_. -]+(?=\D)")
_INSTALLS = re.compile(r"\b(?:install(?:ation|ing)?|artifacts|maven|gradle)\b", re.IGNORECASE)
_DOWNLOADS = re.compile(r"\bdownload", re.IGNORECASE)
_INSTALL_COMMAND = re.compile(
    r"""
    ^ [ \t]*+ (?:[$>%][ ])?+ (?:sudo[ ])?+
    (?: (?:pipx?|pip3|uv[ ]pip|uv[ ]tool|gem|npm|pnpm|brew|apt|apt-get|dnf|yum|choco|scoop|winget|cargo|go|conda|opam
          |luarocks|cabal|npx[ ]expo) [ ] (?:install|i|get)
      | (?:yarn|pnpm|npm|bun|cargo|uv|poetry|dotnet|composer|dart[ ]pub|flutter[ ]pub)
        [ ] (?:global[ ])?(?:add|require) )
    (?: [ ]-[\w-]++ )*+ [ ] (?!requirements) @?[A-Za-z"']  # what it installs, and not the folder it is in
    """,
    re.MULTILINE | re.VERBOSE,
)
_STARTS = re.compile(
    r"""
    \b(?: quick[ -]?start | get(?:ting)?[ ]started | first[ ]steps | hello | tutorial )\b  # a title
    | ^[^\w\n]*+ (?:(?:basic|simple|quick|an?|first|minimal|code)[ ])*+ (?:usage|examples?) \W*$
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_HELP = frozenset(
    "help support getting-help get-help getting_help gethelp contact helpdesk community".split()
)
_HELPS = re.compile(
    r"""
    ^ [^\w\n]*+  # a title that says no more
    (?: (?:need|get|getting|find|where|to|more|some|ask|asking|for|questions?|feedback|bugs?|issues?|contact|community
          |commercial|professional|enterprise|technical|user|paid|free|and|or|the|us|your|our) \b [^\w\n]*+ )*+
    (?: help | support | helpdesk ) \b
    (?: [^\w\n]++ (?:and|or|help|support|community|feedback|contact|contributing|questions?|discussions?|desk|us) \b )*+
    [^\w\n]*$
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_LICENSES = re.compile(
    r"^[^\w\n]*+(?:(?!licen)\w++[ ,&]++)*+licen[cs](?:e|es|ing)\b", re.IGNORECASE | re.MULTILINE
)
_PRODUCTION = frozenset("production deployment deployments deploying deploy".split())
_RUNS_LIVE = re.compile(r"\b(?:production|deploy(?:ment|ing)?)\b", re.IGNORECASE)
_MANIFEST = re.compile(
    r"""
    # of Python, Node, Rust, Ruby, PHP, Java, Elixir, Go
    requires-python | python_requires | "engines" | rust-version | required_ruby_version | "php"[ ]?:
    | java\.version | maven\.compiler\.(?:release|source) | ^[ \t]*+elixir: | ^go[ ]\d
    """,
    re.MULTILINE | re.VERBOSE,
)
"""What says in a file about a package which versions of its language it runs on."""
_MANIFESTS = frozenset(
    "pyproject.toml setup.cfg setup.py package.json go.mod Cargo.toml composer.json pom.xml mix.exs".split()
)
_REPORTS = re.compile(r"\b(?:report\w*|issues?|bug[ ]tracker)\b", re.IGNORECASE)
_SUPPORTED = r"""
    requirements? | prerequisites? | compatib\w{1,6}
    | support(?:ed)?[ ](?:versions?|platforms?) | versions?[ ]support(?:ed)? | you[ ]need
    | (?: python | node(?:\.?js)? | java | jdk | go | ruby | php | rust | elixir | \.net )[ ]versions?
"""
_SUPPORTS = re.compile(rf"\b(?: {_SUPPORTED} )\b", re.IGNORECASE | re.VERBOSE)
_REQUIRES = re.compile(rf"\b(?: {_SUPPORTED} | dependenc(?:y|ies) )\b", re.IGNORECASE | re.VERBOSE)
_REQUIREMENTS = frozenset(
    "requirements requirement prerequisites prerequisite system-requirements compatibility".split()
)
_BUGS = frozenset("bugs bug-reports reporting-bugs reporting_bugs report-a-bug issues contributing".split())
_UNRELEASED = re.compile(
    r"""
    unreleased | not[ ](?:yet[ ])?released | (?:in|under)[ ]development | \btbd\b  # in lower case
    """,
    re.VERBOSE,
)
_OF_ONE_RELEASE = re.compile(
    r"""
    (?: ^ | / ) (?: releases? | release[-_]notes? | whats?[-_]?new | changelogs? | changes | news ) /  # its folder
    (?: v | version[-_ ]? | release[-_ ]? )? (\d{1,4}) (?: [._](\d{1,4}) )? (?: [._](\d{1,4}) )?
    \. (?: mdx? | rst | adoc | txt | html ) $
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A page of notes on one release: its version, in up to three numbers."""
_RELEASES = ("changelog", "changes", "history", "news", "releases", "release-notes", "release_notes")


class Step(NamedTuple):
    """Pages that may be meant, wherever they lie: how they are called, in lower case, below how many folders at most,
    and what the title of the section that is meant holds, or its code; None for a page's beginning."""

    stems: frozenset[str]
    deepest: int
    title: re.Pattern[str] | None = None
    code: re.Pattern[str] | None = None


class Meant(NamedTuple):
    """How likely a chunk is meant, where in it the answer begins, counted from 1, and whether code may begin it: what
    a page is called by is told in its first sentence."""

    place: Place
    at: int
    takes_code: bool


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page that many projects have.

    Attributes:
        asks: what a question says that is answered by it; its groups `of` and `says`, where there are such, are what it
            asks it of and what the page has to say.
        stems: how its file is called, without folder and suffix, the likelier first.
        of_release: its first section about a version is meant, and not its beginning.
        title: what the title of the section that is meant holds; None for the page's beginning.
        steps: where it is looked for if none of `stems` is there.
        says: terms that it has to say, which the question asks it for.
    """

    asks: re.Pattern[str]
    stems: tuple[str, ...]
    of_release: bool = False
    title: re.Pattern[str] | None = None
    steps: tuple[Step, ...] = ()
    says: frozenset[str] = frozenset()

    def places(self, path: str) -> Iterator[tuple[Place, Step]]:
        """How likely the page of that path is meant, least first, each with what is looked for in it."""
        if self.says and path.endswith("requirements.txt"):
            return  # packages, for `pip`
        if path in _known_paths(self.stems):
            yield (0, _known_paths(self.stems)[path]), Step(frozenset(), 0, self.title)
        if self.of_release and (released := _OF_ONE_RELEASE.search(path)):
            major, minor, patch = (int(number or 0) for number in released.groups())
            yield (1, -(major * 10**8 + minor * 10**4 + patch)), Step(frozenset(), 0)
        stem, folders = _called(path)
        if _ASIDE.isdisjoint(folders):
            for number, step in enumerate(self.steps, 1):
                if stem in step.stems and len(folders) <= step.deepest:
                    yield (number, len(folders)), step
        if self.says and (path in _MANIFESTS or ("/" not in path and path.endswith(".gemspec"))):
            yield (len(self.steps) + 1, 0), Step(frozenset(), 0, code=_MANIFEST)

    def found_in(self, chunk: Chunk) -> Meant | None:
        """Where the answer begins in the chunk; None where it does not."""
        is_draft = (
            self.of_release
            and _OF_ONE_RELEASE.search(chunk.document_id)
            and _UNRELEASED.search(chunk.breadcrumb.lower())
        )
        for place, step in () if is_draft else self.places(chunk.document_id):
            if at := _release_in(chunk) if self.of_release else _begins(chunk, step):
                takes_code = (step.title or step.code) is not None
                return Meant(place, at, takes_code) if self.says.issubset(analyze(chunk.text)) else None
        return None


def _requiring(title: re.Pattern[str]) -> tuple[Step, ...]:
    """Where it is told, by a section of that title, what a product runs on."""
    pages = ((_REQUIREMENTS, DEEPEST), (_INSTALL, DEEPEST), (_README, 0), (_BEGINNING, DEEPEST))
    return tuple(Step(stems, deepest, title) for stems, deepest in pages)


_PAGES = (
    KnownPage(
        re.compile(
            r"""
            (?: \b(?:what|which) (?:['’]s|[ ]is)? (?:[ ](?:the|its|kind|type|of|software|source)){0,3} [ ] licen[cs]e\b
                (?! [^?]{0,60} \b(?: need | requires? | keys? | buy | purchase | activate | plans? )\b )  # his own
              | \blicen[cs]ed[ ]under\b | \bhow[ ]is\b [^?]{0,40} \blicen[cs]ed\b
              | ^\W*(?:the[ ])?licen[cs]e\W*$
              | \b(?:is|are)\b [^?]{0,40} \bopen[ -]source \W*$
              | ^\W*+ (?:is|are)[ ] (?: it | this | (?P<of>[\w.-]++ (?:[ ](?!free\b)[\w.-]++)? ) )
                [ ]free (?:[ ]software|[ ]to[ ]use)? \W*$ )
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
        ("LICENSE", "LICENCE", "COPYING", "license", "licence"),
        steps=(Step(_README, 0, _LICENSES), Step(_ABOUT, 2, _LICENSES)),
    ),
    KnownPage(
        re.compile(
            rf"""
            ^\W* (?: (?: (?:what|which)(?:['’]s|[ ]is|[ ]was)[ ] )? (?:the[ ])?
                {_LATEST}
              | what(?:['’]s|[ ]is)[ ]new (?: [ ]in[ ](?:the[ ]|its[ ])? {_LATEST} )?
              | what(?:[ ]has)?[ ]changed[ ]in[ ](?:the[ ]|its[ ])? {_LATEST} ) {_OF} \W*$  # and no more
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
        (*map(str.upper, _RELEASES), *map(str.capitalize, _RELEASES), *_RELEASES),
        of_release=True,
    ),
    KnownPage(
        re.compile(
            rf"""
            (?: {_HOW} [ ](?:get[ ]started|begin) | ^\W*(?:getting[ ]started|quick[ -]?start|first[ ]steps) ) {_OF}
            \W*$  # all
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
        steps=(
            Step(_BEGINNING, DEEPEST),
            Step(_README, 0, _STARTS),
            Step(_INSTALL, DEEPEST, _STARTS),
            Step(_INSTALL, DEEPEST),
            Step(_README, 0, _INSTALLS),
            Step(_README, 0, code=_INSTALL_COMMAND),
            Step(_ABOUT, 2),
            Step(_README, 0),
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
            rf"""
            (?: {_HOW} | \b(?:where|from[ ]whom)[ ](?:do|can|should|would)[ ](?:i|we|you|one) )
            [ ](?:get|find|ask[ ]for)[ ](?:some[ ]|more[ ])?(?:help|support) {_OF} \W*$  # no more
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
        ("SUPPORT", "support", "getting-help", "getting_help", "help"),
        steps=(Step(_HELP, DEEPEST), Step(_README, 0, _HELPS), Step(_ABOUT, 2, _HELPS)),
    ),
    KnownPage(
        re.compile(
            rf"""
            (?: {_HOW} [ ] | ^\W*+ ) (?: install | (?:add|include) (?=.{{1,60}} {_INTO}) ) {_OF} {_INTO}?
            \W*$  # no more
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
        _INSTALLING[:4],
        title=_INSTALLS,
        steps=(
            Step(_INSTALL, DEEPEST),
            Step(_README, 0, _INSTALLS),
            Step(_BEGINNING, DEEPEST, _INSTALLS),
            Step(_README, 0, code=_INSTALL_COMMAND),
            Step(_README, 0, _DOWNLOADS),
            Step(_README, 0, _STARTS),
            Step(_BEGINNING, DEEPEST),
        ),
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
        steps=(Step(_UNINSTALL, DEEPEST), Step(_INSTALL, DEEPEST, _UNINSTALLS)),
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
        title=_UPGRADES,
        steps=(Step(_UPGRADE, DEEPEST), Step(_INSTALL, DEEPEST, _UPGRADES), Step(_MIGRATION, 2)),
    ),
    KnownPage(
        re.compile(
            rf"""
            (?: {_HOW} [ ](?:run|deploy|use|host|operate|serve) {_OF} [ ](?:in|to|for)[ ](?:a[ ])?production
              | ^\W*(?:production[ ])?deploy(?:ment|ing)?(?:[ ]to[ ]production)? ) (?:[ ]environment)? \W*$  # no more
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
        ("production", "deployment", "deploying", "deploy"),
        steps=(
            Step(_PRODUCTION, DEEPEST),
            Step(_README, 0, _RUNS_LIVE),
            Step(_BEGINNING, DEEPEST, _RUNS_LIVE),
        ),
    ),
    KnownPage(
        re.compile(
            rf"""
            (?: {_HOW} | \bwhere[ ](?:do|can|should|to)(?:[ ](?:i|we|you|one))? )
            [ ](?:report|file|open|submit|raise)[ ](?:an?[ ]|my[ ])?(?:bugs?|issues?|problems?|bug[ ]reports?)
            {_OF} \W*$  # no more
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
        ("CONTRIBUTING", "contributing", "Contributing"),
        title=_REPORTS,
        steps=(Step(_BUGS, DEEPEST, _REPORTS), Step(_README, 0, _REPORTS)),
    ),
    KnownPage(
        re.compile(
            rf"""
            ^\W*+ (?: what[ ]are[ ](?:the[ ])?(?:system[ ]|minimum[ ]|minimal[ ]|hardware[ ])?requirements
              | (?:system[ ])?requirements | what[ ]do[ ](?:i|we|you)[ ]need[ ]to[ ](?:run|use|install) )
            {_OF} \W*$  # no more
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
        ("requirements", "prerequisites", "system-requirements"),
        title=_REQUIRES,
        steps=_requiring(_REQUIRES),
    ),
    KnownPage(
        re.compile(
            rf"""
            ^\W*+ (?:which|what)[ ] (?=[^?]{{0,40}}version)
            (?:versions?[ ]of[ ])? (?P<says>[\w.+\#]{{1,20}}) (?:[ ]versions?)?
            [ ](?: (?:are|is)[ ](?:supported|required|needed) | do[ ](?:i|we|you)[ ]need
              | does[ ](?:the[ ])?[\w.-]++[ ](?:support|need|require|run[ ]on|work[ ]with) ) {_OF} \W*$
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
        ("requirements", "prerequisites", "system-requirements"),
        title=_SUPPORTS,
        steps=_requiring(_SUPPORTS),
    ),
)


def known_page_hits(
    index: OpenedIndex, question: str, seen: Sequence[Hit], filters: Filters
) -> tuple[Hit, ...]:
    """The chunk of the page that such a question is answered by, with the rank behind the hits seen; none where it is
    one of the first, which are read anyway, and for other questions."""
    chunk = known_chunk(index, question, filters) if seen else None
    if chunk is None or any(hit.chunk.id == chunk.id for hit in seen[:FIRST_READ]):
        return ()
    return (Hit(chunk, seen[-1].rank + 1, seen[0].score, None, seen[0].version),)


def known_chunk(index: OpenedIndex, question: str, filters: Filters) -> Chunk | None:
    """The chunk of the page that the question is answered by; None for most questions, and where there is no such."""
    count = index.chunk_count
    page = _asked_page(question, lambda term: idf(count, index.document_frequency(term)))
    if page is None:
        return None
    for place, path in _paths(page, index):
        ordinals = index.filters.narrow(index.documents.chunks(path), filters)
        for chunk in index.fetch(ordinals[:FIRST_CHUNKS]):
            found = page.found_in(chunk)
            if found is not None and found.place == place:
                return chunk
    return None


def opens_known_page(question: Weighed, ranked: Sequence[Scored]) -> list[Scored]:
    """The passages of the page that such a question is answered by, from where it is answered; none for others."""
    page = _asked_page(question.text, lambda term: question.idf.get(term, 0.0))
    if page is None:
        return []
    chunks = {one.hit.chunk.id: one.hit.chunk for one in ranked}
    found = {one: meant for one, chunk in chunks.items() if (meant := page.found_in(chunk))}
    if not found:
        return []
    first = min(found, key=lambda one: (found[one].place, chunks[one].metadata.get("start_line") or 0))
    meant = found[first]
    own = [one for one in ranked if one.hit.chunk.id == first]
    behind = [one for one in own if one.passage.end >= meant.at] or own
    opening = min(
        behind, key=lambda one: (one.passage.kind == CODE and not meant.takes_code, one.passage.start)
    )
    return [replace(opening, asked=True)]  # nothing before it is meant


def _asked_page(question: str, idf: Callable[[str], float]) -> KnownPage | None:
    """The page that answers the question; None where none does, and where it asks of something but the product."""
    for page in _PAGES:
        if asked := page.asks.search(question[:ASKED_CHARACTERS]):
            of = analyze(asked.groupdict().get("of") or "")
            says = frozenset(analyze(asked.groupdict().get("says") or ""))
            return replace(page, says=says) if all(idf(term) <= MOST_SELDOM for term in of) else None
    return None


def _paths(page: KnownPage, index: OpenedIndex) -> Iterator[tuple[Place, str]]:
    """Paths of the pages that may be meant, the likelier first; those by `steps` of what the index has."""
    yield from (((0, place), path) for path, place in _known_paths(page.stems).items())
    if page.steps or page.of_release:
        ids = islice(index.documents.ids(), MOST_PATHS)
        yield from sorted((place, path) for path in ids for place, _ in page.places(path) if place[0])


@cache
def _known_paths(stems: tuple[str, ...]) -> dict[str, int]:
    paths = (f"{folder}{stem}{suffix}" for stem, folder, suffix in product(stems, FOLDERS, SUFFIXES))
    return {path: place for place, path in enumerate(dict.fromkeys(paths))}


def _called(path: str) -> tuple[str, tuple[str, ...]]:
    """What a page is called, without a number in front, and the folders that it lies in; `index` by its folder.

    >>> _called("docs/03_First-Steps.md"), _called("guide/setup/index.mdx"), _called("lamp.py")
    (('first-steps', ('docs',)), ('setup', ('guide',)), ('', ()))
    """
    *folders, name = path.casefold().split("/")
    stem, dot, suffix = name.rpartition(".")
    if f".{suffix}" not in SUFFIXES or not dot:
        return "", ()
    if folders and (stem in ("index", "_index") or (stem in _FIRST and folders[-1] in _BEGINNING | _INSTALL)):
        stem = folders.pop()
    if _SELF_UPDATE.search(stem):  # a command of the product, described on a page of its own
        stem = "self-update"
    elif _OF_PRODUCTION.match(stem):
        stem = "production"
    numbered = _NUMBERED.match(stem)
    return stem[numbered.end() if numbered else 0 :], tuple(folders)


def _begins(chunk: Chunk, step: Step) -> int:
    if step.code is not None:
        return _shown(chunk, step.code)
    if step.title is not None:
        return _titled(chunk, step.title)
    return int(any(one.kind != CODE for one in split_passages(chunk.text)))


def _shown(chunk: Chunk, code: re.Pattern[str]) -> int:
    """Behind the beginning of the first line of code that says a word of its page's title, or of no page; else 0."""
    name = set(analyze(chunk.breadcrumb))
    lines = (chunk.text[one.start() :].partition("\n")[0] for one in code.finditer(chunk.text))
    is_page = str(chunk.metadata.get("lang") or "") in PROSE_LANGUAGES
    found = next((line for line in lines if not (is_page and name.isdisjoint(analyze(line)))), "")
    return chunk.text.index(found) + 1 if found else 0


def _release_in(chunk: Chunk) -> int:
    """Behind the beginning of the text's first heading of what was released; 0 where it has none."""
    text = chunk.text.lower()
    marked = (name.removeprefix(SECTION_MARK) for name in entry_terms(chunk.text, chunk.breadcrumb))
    named = [name for name in marked if VERSION.fullmatch(name)]
    titles = [block.start for block in split_blocks(chunk.text) if block.kind == HEADING]
    lines = ((start, text[start:].partition("\n")[0]) for start in titles)
    places = (start + 1 for start, line in lines if any(name in line for name in named))
    named_at = (text.find(name) + 1 for name in named)
    return next(
        (at for at in (*places, *named_at) if at > 0 and not _UNRELEASED.search(text, at, at + NEAR)), 0
    )


def _titled(chunk: Chunk, title: re.Pattern[str]) -> int:
    """Behind the beginning of the first heading that holds the title; 0 where there is none."""
    headings = (block for block in split_blocks(chunk.text) if block.kind == HEADING)
    found = (block.start + 1 for block in headings if title.search(chunk.text, block.start, block.end))
    return next(found, 0)
