"""Lines of code that hold, word for word, what a question gives: the message of an error, a dependency, a variable of
the environment, a route, a type with its members or whom it extends. They answer by themselves, whatever was found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

from quire.analysis.symbols import fold_separators, fold_symbol, last_part
from quire.analysis.terms import analyze
from quire.answering.extractive.callers import lines_around
from quire.answering.extractive.code_answers import CODE_CHARACTERS, WHOLE_CHARACTERS, CodeLines
from quire.answering.extractive.code_chunks import is_code_chunk
from quire.answering.extractive.code_lines import HEAD_LINES, in_comments, line_span, signature_lines
from quire.answering.extractive.messages import Message, message_of, place_of, tells_of
from quire.answering.extractive.precedence import FIELDS, is_example, is_test, quoted_message
from quire.documents import Chunk, Hit
from quire.filter_values import Filters
from quire.index.opened import OpenedIndex
from quire.search.intent import WantedDefinition, read_intent

LOOKED_AT = 64
MOST_SHOWN = 4
MANY = 256
"""Chunks of a kind that are looked at for a name which many say."""
MOST_SUBTYPES = 12
MOST_WHOLE = 3
"""Definitions of a name that are shown whole: of more the heads of all tell where they are."""
BELOW = 3
"""Lines below a dependency's name in which its version may stand, where that line has none."""
ASKED_CHARACTERS = 200
"""Of a question that are read for what it asks for."""
_DECLARING = ("window", "table", "module")
"""Kinds of chunks that manifests are cut into."""
_OF_VERSION = re.compile(
    r"""
    \b(?:which|what)\b [^?]{0,20}? \bversions?[ ]of[ ] (?:the[ ])? (?P<name>[\w@./-]{1,80}\w) [ ]  # of what
    [^?]{0,60}? \b(?:depend|need|requir|us(?:e[sd]?|ing)\b|support|built|run|pin|target|install)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OF_ROUTE = re.compile(
    r"""
    \b(?:where|which|what)\b [^?\n]{0,60}? \b(?:routes?|endpoints?)\b [^?/\n]{0,20}
    (?P<path> /[\w/{}:.*<>-]{1,80} )  # as code writes it
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OF_SUBTYPES = re.compile(
    r"""
    \b(?:which|what|who)\b [^?]{0,40}?
    \b(?: extends? | implements? | (?:inherits?|derives?)[ ]from | conforms?[ ]to  # what does so
      | subclass(?:es)?(?:[ ](?:of|does|has))? | (?:implementations?|subtypes?)[ ]of )
    [ ](?:the[ ])? (?:(?:class|interface|trait|protocol)[ ])? `?(?P<name>(?-i:[A-Z])\w{0,80})`? (?:[ ]have)? \W*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OF_MEMBERS = re.compile(
    r"""
    ^\W* (?:what|which)[ ] (?:are[ ])? (?:(?:the|all)[ ])? (?:\w{1,20}[ ])?
    (?: fields | properties | attributes | members | values | variants | cases )[ ]
    (?: of | has | have | does | in | are[ ](?:there[ ])?in | can )[ ]  # whose
    (?:the[ ])? (?:\w{1,20}[ ])? `?(?P<name>(?-i:[A-Z])[\w.:]{0,80})`? (?:[ ](?:have|take|contain|hold|be))? \W*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TYPE = re.compile(
    r"""
    \s*+ (?!(?:import|from|use|using|return)\b)
    (?:template[ ]?<[^<>\n]{0,100}> \s*+)?+ (?:\w++\s++){0,6}?  # what may come first
    (?P<kind> class | struct | interface | enum | record | trait | object | protocol | extension | actor | impl | type
      | union )\b
    (?P<name>[^(:<{=\n]{0,120}?) (?P<rest>(?: [(:<{=] | \bextends\b | \bimplements\b ) .*)? $
    """,
    re.VERBOSE,
)
_TYPES = tuple(
    "class struct interface enum record trait object protocol extension actor impl type union".split()
)
_HOLDING_TYPES = (*_TYPES, "module", "namespace")
"""Kinds of chunks that begin types: short ones that stand side by side are one of a module."""
_MANIFEST = re.compile(
    r"""
    (?: package\.json | cargo\.toml | go\.mod | pyproject\.toml | setup\.(?:py|cfg) | requirements[\w./-]{0,40}\.txt
      | pipfile | pom\.xml | build\.gradle(?:\.kts)? | gradle\.properties | libs\.versions\.toml | composer\.json
      | gemfile | package\.swift | mix\.exs | pubspec\.yaml | cmakelists\.txt | vcpkg\.json | build\.zig\.zon
      | [\w.-]{1,80}\.(?:csproj|fsproj|props|gemspec|podspec|cabal) )  # by its end
    """,
    re.IGNORECASE | re.VERBOSE,
)
_WORD = re.compile(r"\w+")
_PARAMETERS = re.compile(r"\([^()]*\)")
_QUOTES = frozenset("\"'`")
_ENVIRONMENT = re.compile(r"environ|getenv|lookupenv|env::var|process\.env|\benv\b", re.IGNORECASE)
_STANDS_FOR = re.compile(
    r"""
    (?: \$\{ | \bversion\.ref \s{0,4} = \s{0,4} " )  # of Maven, of a catalog of Gradle
    ([\w.-]{1,80}) [}"]
    """,
    re.VERBOSE,
)
"""The name of a property that stands in place of a version."""


def exact_lines(index: OpenedIndex, question: str, filters: Filters) -> list[CodeLines]:
    """The lines that hold what the question gives, those that others are tests or examples of first; none where it
    gives nothing so, or no line holds it."""
    if index.profile != "code":
        return []
    if said := _lines_of_message(index, question, filters):
        return said
    if found := _OF_VERSION.search(question[:ASKED_CHARACTERS]):
        return _versions_of(index, found["name"], filters)
    if found := _OF_ROUTE.search(question[:ASKED_CHARACTERS]):
        written = {f"{sign}{found['path']}{sign}" for sign in _QUOTES}
        return _lines_with(index, found["path"], filters, lambda line: any(one in line for one in written))
    if found := _OF_SUBTYPES.search(question[:ASKED_CHARACTERS]):
        return _subtypes_of(index, found["name"], filters)
    if found := _OF_MEMBERS.search(question[:ASKED_CHARACTERS]):
        return _members_of(index, found["name"], filters)
    asked = read_intent(question)
    return _definitions_of(index, asked.definition, filters) or _environment(index, asked.related, filters)


def _environment(index: OpenedIndex, name: str, filters: Filters) -> list[CodeLines]:
    """Where code reads the variable of the environment."""

    def reads(line: str) -> bool:
        return name in _WORD.findall(line) and bool(_ENVIRONMENT.search(line))

    return _lines_with(index, name, filters, reads) if name.isupper() else []


def _lines_of_message(index: OpenedIndex, question: str, filters: Filters) -> list[CodeLines]:
    """Where code has the message of an error that the question gives, else the string that it is made of."""
    quoted = "" if read_intent(question).is_how_to else quoted_message(question)
    said = _lines_that_say(index, " ".join(quoted.split()), filters) if quoted else []
    is_told = any(not is_test(one.hit.chunk) for one in said)
    message = None if is_told else message_of(question)
    return (_lines_that_make(index, message, filters) if message else []) or said


def _lines_that_say(index: OpenedIndex, message: str, filters: Filters) -> list[CodeLines]:
    """Where code has the message in a string; nowhere where a text tells of it, which explains more."""
    told = (chunk for chunk in _holding(index, message, filters) if message in " ".join(chunk.text.split()))
    if any(map(_explains, told)):
        return []

    def says(line: str) -> bool:
        before, found, _ = line.partition(message)
        return bool(found) and not _QUOTES.isdisjoint(before)

    return _lines_with(index, message, filters, says)


def _explains(chunk: Chunk) -> bool:
    """Whether it is a text that may say more of a message than the code that has it: no test, no note of a release."""
    return not (is_code_chunk(chunk) or is_test(chunk) or chunk.metadata.get("role") == "history")


def _lines_that_make(index: OpenedIndex, message: Message, filters: Filters) -> list[CodeLines]:
    """Where code has the string that a message with values in it is made of; nowhere where a text tells of it."""
    found: list[tuple[int, Chunk, int, int]] = []
    for chunk in _holding(index, message.searched, filters):
        if is_code_chunk(chunk):
            found += _making(chunk, message)
        elif _explains(chunk) and tells_of(chunk.text, message):
            return []
    # A test may have the message as it is printed: what it is made of says where it comes from.
    found.sort(key=lambda one: (is_test(one[1]) or is_example(one[1]), -one[0]))
    same = [one for one in found if one[0] == found[0][0]]
    shown = [*same, *(one for one in found if is_test(one[1]) and one not in same)]
    return [*_as_lines([one[1:] for one in shown], index.version)]


def _making(chunk: Chunk, message: Message) -> Iterator[tuple[int, Chunk, int, int]]:
    """The lines of a chunk of code around the string that the message is made of, with how many of its words it has."""
    place = place_of(chunk.text, message)
    lines = chunk.text.splitlines(keepends=True)
    number = chunk.text.count("\n", 0, place.at) if place else 0
    if place and not in_comments(lines)[number]:
        is_whole = len(chunk.text) <= CODE_CHARACTERS and bool(chunk.symbols)
        yield place.said, chunk, *((0, len(lines)) if is_whole else lines_around(lines, number))


def _lines_with(
    index: OpenedIndex, words: str, filters: Filters, is_wanted: Callable[[str], bool]
) -> list[CodeLines]:
    found = []
    for chunk in _holding(index, words, filters):
        lines = chunk.text.splitlines(keepends=True)
        noted = in_comments(lines)
        at = next((n for n, line in enumerate(lines) if not noted[n] and is_wanted(line)), None)
        if at is not None and is_code_chunk(chunk):
            is_whole = len(chunk.text) <= CODE_CHARACTERS and bool(chunk.symbols)
            found.append((chunk, *((0, len(lines)) if is_whole else lines_around(lines, at))))
    found.sort(key=lambda one: is_test(one[0]) or is_example(one[0]))
    return [*_as_lines(found, index.version)]


def _versions_of(index: OpenedIndex, name: str, filters: Filters, *, below: int = BELOW) -> list[CodeLines]:
    """Where manifests name the dependency and its version, those nearest the root first; before them the lines of
    what stands in place of versions."""
    found, standing = [], dict[str, None]()
    for chunk in _holding(index, name, {"kind": _DECLARING, **filters}, limit=MANY):
        if not _MANIFEST.fullmatch(chunk.document_id.rpartition("/")[2]):
            continue
        lines = chunk.text.splitlines(keepends=True)
        for at in (n for n, line in enumerate(lines) if _stands_in(line, name)):
            near = range(at, min(at + below, len(lines)))
            last = next((n for n in near if _says_version(lines[n], name)), None)
            if last is not None:
                found.append((chunk, at, last + 1))
                standing.update(dict.fromkeys(_STANDS_FOR.findall(lines[last])))
                break
    found.sort(key=lambda one: (is_example(one[0]), one[0].document_id.count("/")))
    said = [line for other in standing if below > 1 for line in _versions_of(index, other, filters, below=1)]
    return [*said, *_as_lines(found, index.version)][:MOST_SHOWN]


def _stands_in(line: str, name: str) -> bool:
    """Whether a line of a manifest names the dependency, and not one whose name is longer.

    >>> _stands_in('"org/log": "1.2"', "log"), _stands_in('"log-extra": "1.2"', "log")
    (True, False)
    """
    before, found, behind = line.casefold().partition(name.casefold())
    beside = (before[-1:], behind[:1])
    is_longer = any(sign.isalnum() or sign in ("_", "-") for sign in beside) or beside[0] == "."
    return bool(found) and not is_longer


def _says_version(line: str, name: str) -> bool:
    """Whether a line says a version, of which the name itself may have a digit.

    >>> _says_version('log4j = "2.1"', "log4j"), _says_version("<artifactId>log4j</artifactId>", "log4j")
    (True, False)
    """
    said = line.casefold().replace(name.casefold(), "")
    return bool(re.search(r"\d", said) or _STANDS_FOR.search(said))


def _subtypes_of(index: OpenedIndex, name: str, filters: Filters) -> list[CodeLines]:
    """The heads of the types that extend or implement the named one."""
    found = []
    for chunk in _holding(index, name, {"kind": _HOLDING_TYPES, **filters}, limit=MANY):
        lines = chunk.text.splitlines(keepends=True)
        noted = in_comments(lines)
        for at in range(len(lines)):
            head = "" if noted[at] else _head(lines, at)
            if name in head and _stands_under(head, name, str(chunk.metadata.get("lang"))):
                found.append((chunk, at, at + head.count("\n")))
    found.sort(key=lambda one: is_test(one[0]) or is_example(one[0]))
    return [*_as_lines(found, index.version, most=MOST_SUBTYPES)]


def _definitions_of(index: OpenedIndex, wanted: WantedDefinition | None, filters: Filters) -> list[CodeLines]:
    """The heads of all that is called so, where they are more than whole definitions are shown of; tests left out."""
    if wanted is None or "." in fold_symbol(wanted.name):
        return []
    ordinals = index.filters.narrow(index.symbols.chunks(wanted.name), filters)
    if not MOST_WHOLE < len(ordinals) <= MANY:
        return []
    found = []
    for chunk in index.fetch(ordinals.tolist()):
        lines = chunk.text.splitlines(keepends=True)
        noted = in_comments(lines) if _is_called(chunk, wanted) else []
        says = (
            n for n, is_noted in enumerate(noted) if not is_noted and wanted.name in _WORD.findall(lines[n])
        )
        if (at := next(says, None)) is not None:
            found.append((chunk, at, at + signature_lines(lines, at)))
    found.sort(key=lambda one: is_example(one[0]))
    return [*_as_lines(found, index.version, most=MOST_SUBTYPES)] if len(found) > MOST_WHOLE else []


def _is_called(chunk: Chunk, wanted: WantedDefinition) -> bool:
    """Whether it is code, and no test, that defines just this name, spelled so, of the kind that is asked for."""
    if not is_code_chunk(chunk) or is_test(chunk) or not chunk.symbols:
        return False
    kind = str(chunk.metadata.get("kind") or "").lower()
    return last_part(fold_separators(chunk.symbols[0])) == wanted.name and wanted.kind in ("", kind)


def _head(lines: Sequence[str], at: int) -> str:
    """The lines from `at` to the end of the head of the type that begins there; "" where none does."""
    if not _TYPE.match(lines[at].rstrip()):
        return ""
    head = ""
    for line in lines[at : at + HEAD_LINES]:
        head += line if line.endswith("\n") else f"{line}\n"
        if head.count("(") == head.count(")") and not line.rstrip().endswith((",", ")", "(")):
            break
    return head


def _stands_under(head: str, name: str, language: str) -> bool:
    """Whether the head of a type names the other type as one that it extends or implements.

    >>> [_stands_under(*one) for one in (("class A(B):", "B", "python"), ("class A(val b: B) : C {", "B", "kotlin"))]
    [True, False]
    >>> _stands_under("import type { B }", "B", "typescript")
    False
    >>> _stands_under("class B<T> {", "B", "java"), _stands_under("impl B for A {", "B", "rust")
    (False, True)
    """
    head = " ".join(head.split())
    found = _TYPE.match(head if language == "python" else _PARAMETERS.sub(" ", _PARAMETERS.sub(" ", head)))
    if found is None:
        return False
    if found["kind"] == "impl":
        above, _, below = head.partition(" for ")
        return bool(below) and name in _WORD.findall(above)
    return name in _WORD.findall(found["rest"] or "")


def _members_of(index: OpenedIndex, name: str, filters: Filters) -> list[CodeLines]:
    """The declaration of the type that is called so, with the chunks of its fields in its file."""
    ordinals = index.filters.narrow(index.symbols.chunks(name), filters)
    chunks = [chunk for chunk in index.fetch(ordinals.tolist()[:LOOKED_AT]) if is_code_chunk(chunk)]
    for chunk in sorted(chunks, key=lambda one: is_test(one) or is_example(one)):
        if declared := _declaration(chunk, _WORD.findall(name)[-1]):
            inside = f"{chunk.symbols[0]}."
            beside = index.fetch(index.documents.chunks(chunk.document_id).tolist()[:LOOKED_AT])
            fields = [
                (field, 0, len(field.text.splitlines()))
                for field in beside
                if field.metadata.get("kind") in FIELDS and "".join(field.symbols[:1]).startswith(inside)
            ]
            return [*_as_lines([(chunk, *declared), *fields], index.version)]
    return []


def _declaration(chunk: Chunk, name: str) -> tuple[int, int] | None:
    """The lines of a chunk from where it declares the type, as many as there is room for; None where it does not."""
    lines = chunk.text.splitlines(keepends=True)
    heads = (_TYPE.match(line.rstrip()) for line in lines)
    declaring = (
        one and one["kind"] not in ("impl", "extension") and name in _WORD.findall(one["name"])
        for one in heads
    )
    at = next((n for n, is_declared in enumerate(declaring) if is_declared), None)
    if at is None:
        return None
    sizes = accumulate(map(len, lines[at:]))
    return at, max(at + 1, at + sum(size <= WHOLE_CHARACTERS for size in sizes))


def _holding(index: OpenedIndex, words: str, filters: Filters, *, limit: int = LOOKED_AT) -> Iterable[Chunk]:
    """The chunks that say most of the words."""
    terms = dict.fromkeys(analyze(words), 1.0)
    return index.fetch(index.search(terms, limit, index.filters.chunks(filters)).ordinals.tolist())


def _as_lines(
    found: Sequence[tuple[Chunk, int, int]], version: str, *, most: int = MOST_SHOWN
) -> Iterator[CodeLines]:
    for rank, (chunk, first, last) in enumerate(found[:most], 1):
        lines = chunk.text.splitlines(keepends=True)
        yield CodeLines(Hit(chunk, rank, 1.0, None, version), *line_span(lines, first, last))
