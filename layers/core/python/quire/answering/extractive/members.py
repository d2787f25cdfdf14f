"""The methods of a type and what a file of code defines, each with its signature and what is written of it: in a code
base they stand in dozens of chunks, of which a search finds a few."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import accumulate, chain, pairwise, takewhile
from typing import NamedTuple

from quire.analysis.symbols import fold_separators, fold_symbol, last_part
from quire.answering.citations import cite
from quire.answering.extractive.code_chunks import is_code_chunk
from quire.answering.extractive.code_lines import (
    HEAD_LINES,
    defined_words,
    in_comments,
    in_docstrings,
    is_import,
    line_span,
    signature_lines,
)
from quire.answering.extractive.plain_words import plain_words
from quire.answering.extractive.precedence import is_entry, is_example, is_test
from quire.answering.extractive.rendering import place_line, shown
from quire.documents import Chunk, Citation, Hit
from quire.filter_values import Filters
from quire.index.opened import OpenedIndex
from quire.ports import Ordinals
from quire.ranking import difference

FEWEST, MOST = 2, 30
"""Members that make a list, and those that are shown."""
LOOKED_AT = 64
"""Chunks that may begin the type that is asked for."""
MOST_CHUNKS = 400
"""Chunks of a file, and of other files with methods of a type, that are looked through."""
ASKED_CHARACTERS = 200
SIGNATURE, GIST = 100, 200
"""Characters of a signature that is shown whole, and of the first sentence of what is written of it."""
FEWEST_WORDS = 3
"""Words that say something: fewer are a mark between groups of definitions."""
DOC_LINES = 4
"""Lines of a docstring in which its first sentence is looked for."""
ABOVE = 40
"""Lines above a definition in which what is written of it may stand."""

_ASKED = re.compile(
    r"""
    ^\W*
    (?: (?: which | what )[ ] (?:are[ ])?+ | (?: list | show | name | give | enumerate )[ ] (?:me[ ])?+ )?+
    (?: (?: all | of | the | every | its | public )[ ] )*+
    (?: (?! (?:functions|methods|classes|types|structs|symbols|definitions|events|properties|callbacks)\b )
      \w{1,20}[ ] )?+  # which of them
    (?P<kind> methods | functions | classes | types | structs | symbols | definitions | events | properties
      | callbacks )[ ]
    (?: of | in | on | from | do | does | has | have | exist[ ]on
      | (?:are|is)[ ] (?:there[ ]|defined[ ]|declared[ ]|available[ ])? (?: in | on | of | by )
      | can[ ](?:i|you|we|one)[ ]call[ ]on )[ ]
    (?: (?: the | a | an )[ ] )?+
    (?: (?: class | struct | type | trait | interface | module | file | package | service )[ ] )?+
    `? (?P<name> [\w./:$-]{1,120} \w ) `?
    (?: [ ](?: class | struct | type | trait | interface | module | file | object | instance | service )s? )?+
    (?: [ ](?: have | has | define | provide | offer | expose | contain | implement | declare | export | support )s? )?+
    \W*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ASKED_OF_FILE = re.compile(
    r"""
    ^\W* what (?: (?: ['’]s | [ ]is ) [ ] (?:defined[ ])? in | [ ]does )[ ] (?: the[ ] )?+ (?: (?:file|module)[ ] )?+
    `? (?P<name> [\w./-]{1,120} \. \w{1,6} ) `?  # with its ending
    (?: [ ](?: contain | define | export | hold | provide | have ) )?+ \W*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ASKED_TOO = re.compile(
    r"""
    ^\W*+ (?: (?:and|but|so|ok)\b \W*+ )?+
    (?: (?:what|how)[ ]about[ ] | (?: which | what )[ ] (?:ones[ ]|methods[ ])? (?: do | does | has )[ ] | (?<=and[ ]) )
    (?: (?: the | a | an )[ ] )?+ `? (?P<name> [A-Z][\w.:]{0,120} ) `?  # another type
    (?: [ ](?: class | type | have | has ) )*+ \W*$
    """,
    re.VERBOSE | re.IGNORECASE,
)
_FILE = re.compile(r"/|\.[a-z]\w{0,5}$")
"""What a name has that is a file's."""
_CODE_FILE = re.compile(
    r"""
    (?!Node\.) [\w./-]{1,120} \. (?: py | jsx? | tsx? | go | rs | rb | cs | kt | java | cpp | php | swift )  # no Node
    """,
    re.VERBOSE,
)
_METHODS = ("methods", "functions")
_KINDS_OF_TYPES = ("classes", "types", "structs")
_OF_TYPE = re.compile(
    r"""
    \b(?: class | struct | interface | trait | enum | record | object | protocol | type | union )\b  # begins a type
    """,
    re.VERBOSE,
)
_DEFINES = re.compile(r"\b(?:def|fn|func|fun|function|sub|proc|method)\b")
_HIDDEN = re.compile(r"\b(?:private|protected|internal|fileprivate)\b")
_HOLDERS = frozenset(
    "class struct interface trait enum module object type protocol record impl extension actor namespace".split()
)
_OPEN_TYPES = frozenset(("go", "rust", "c_sharp", "cpp", "swift", "ruby", "kotlin"))
"""Languages in which methods may stand in other files than their type."""
_SPACES = frozenset(("module", "namespace"))
"""Holders that are opened around the types of a file."""
_DECORATION = re.compile(r"\s*+(?:@|\#\[|\[\w)")
_NOTE = re.compile(
    r"""
    ^\s*+ (?: /\*\*?+ | \*/? | ///?[!]? | \#(?!\[) | -- ) \s?+  # a comment's signs; `#[` begins an attribute
    """,
    re.VERBOSE,
)
_QUOTES = re.compile(r"\"\"\"|\'\'\'")
_GENERIC = re.compile(r"^<[^()<>]*+(?:<[^()<>]*+>[^()<>]*+)*+>")
_SENTENCE = re.compile(r"(?<=[\w)`'\"][.!?])(?=\s)")
_ROLE = re.compile(r":[a-z:]{1,20}:(?=`)")
_TARGET = re.compile(r"`([^`<>\n]++) <[^`<>\n]++>`")
_TAG = re.compile(r"\s*+(?:@\w|:\w+:|\\\w|<\w)")


class ListedMembers(NamedTuple):
    """What a type or a file defines.

    Attributes:
        text: the list in Markdown, each item with its mark.
        citations: what the marks name.
        notices: what is left out.
    """

    text: str
    citations: tuple[Citation, ...]
    notices: tuple[str, ...]


class _Defined(NamedTuple):
    """A definition in a chunk: the line of its name, and whether it is called from elsewhere."""

    name: str
    chunk: Chunk
    line: int
    is_public: bool


def members_of(
    index: OpenedIndex, question: str, filters: Filters, *, earlier: Iterable[str] = ()
) -> ListedMembers | None:
    """The methods of the type, or what the file defines, that the question asks for; None where it asks for none, or
    what it names has none. `earlier` are the questions before it, last first: "And Lamp?" means such a one of another
    type."""
    read = question[:ASKED_CHARACTERS]
    asked, kind = _ASKED.match(read) or _ASKED_OF_FILE.match(read), ""
    if asked is None and (asked := _ASKED_TOO.match(read)):
        others = (one[:ASKED_CHARACTERS] for one in earlier)
        before = next((one for one in others if _ASKED.match(one) or not _ASKED_TOO.match(one)), "")
        kind = known["kind"] if (known := _ASKED.match(before)) else ""
        asked = asked if kind else None
    if asked is None:
        return None
    name, kind = asked["name"], kind or asked.groupdict().get("kind") or ""
    if index.profile != "code":
        return _in_entry(index, name, kind, filters)
    if _FILE.search(name):
        fewest, (head, found) = 1, _in_file(index, name, kind.lower(), filters)
    else:
        fewest, (head, found) = FEWEST, _in_type(index, name, kind.lower(), filters)
    public = [one for one in found if one.is_public]
    listed = public if len(public) >= fewest else found
    if head is None or len(listed) < fewest:
        return None
    total = sum(not last_part(one.name).startswith("__") for one in found)
    return _told(head, listed, max(total, len(listed)), index.version)


def missing_file(index: OpenedIndex, question: str) -> str:
    """The file that is asked what it contains, where the code base has none that is called so; else ""."""
    read = question[:ASKED_CHARACTERS]
    asked = _ASKED_OF_FILE.match(read) or _ASKED.match(read)
    if index.profile != "code" or asked is None or not _CODE_FILE.fullmatch(asked["name"]):
        return ""
    return "" if any(index.documents.ending_in(asked["name"].removeprefix("./"))) else asked["name"]


def _in_entry(index: OpenedIndex, name: str, kind: str, filters: Filters) -> ListedMembers | None:
    """What the entry of a class in a reference lists of a kind, below its first line and what it inherits from."""
    for chunk in _allowed(index, index.symbols.chunks(name)[:LOOKED_AT], filters):
        listed = f"{kind.capitalize()}: "
        lines = chunk.text.splitlines()
        if is_entry(chunk) and len(chunk.symbols) == 1 and any(line.startswith(listed) for line in lines):
            told = [n for n, line in enumerate(lines) if n == 0 or line.startswith(("Inheritance: ", listed))]
            hit = Hit(chunk, 1, 1.0, None, index.version)
            parts = [cite(number, hit, *_span(chunk, n, n + 1)) for number, n in enumerate(told, 1)]
            return ListedMembers("\n\n".join(map(shown, parts)), tuple(parts), ())
    return None


def _told(
    head: tuple[Chunk, int, int], members: Sequence[_Defined], total: int, version: str
) -> ListedMembers:
    chunk, start, end = head
    parts = [cite(1, Hit(chunk, 1, 1.0, None, version), start, end)]
    items = list[str]()
    for n, member in enumerate(members[:MOST], 2):
        text, start, end = _item(member)
        parts.append(cite(n, Hit(member.chunk, n, 1.0, None, version), start, end))
        items.append(f"- {text} [{n}]")
    notices = []
    if len(members) > MOST:
        notices.append(f"{MOST} of {len(members)} are listed.")
    if total > len(members):
        notices.append(f"Beside them {total - len(members)} for internal use.")
    place = place_line(*head)
    place = place if chunk.metadata.get("kind") in _HOLDERS - _SPACES else place.rpartition(", ")[2]
    text = f"{place} [1]\n\n" + "\n".join(items)
    return ListedMembers(text, tuple(parts), tuple(notices))


def _in_type(
    index: OpenedIndex, name: str, kind: str, filters: Filters, *, document: str = ""
) -> tuple[tuple[Chunk, int, int] | None, list[_Defined]]:
    """The head of the type that is called so and has most of what is asked for, and its members; of the types of one
    `document`, where it is given."""
    best: tuple[tuple[Chunk, int, int] | None, list[_Defined]] = None, []
    if kind not in _METHODS:
        return best
    named = _allowed(index, index.symbols.chunks(name)[:LOOKED_AT], filters)
    named = [one for one in named if document in ("", one.document_id)]
    holders = [(chunk, holder) for chunk in named if (holder := _holder(chunk, name))]
    homes = {chunk.document_id for chunk, _ in holders}
    for chunk, holder in holders:
        chunks = _chunks_of(index, chunk, holder, homes=homes, filters=filters)
        members = (one for part in chunks for one in _members_in(part, holder) if _is_method(one))
        told = pairwise(chain([None], members))
        found = [one for before, one in told if one and not _is_same(one, before)]
        if len(found) > len(best[1]):
            line = _line_of(chunk, last_part(fold_separators(holder)))
            best = (chunk, *_span(chunk, line or 0, (line or 0) + 1)), found
    return best


def _holder(chunk: Chunk, name: str) -> str | None:
    """The symbol of the type that the chunk begins, where it is spelled as asked and no test's."""
    if not is_code_chunk(chunk) or is_test(chunk) or is_example(chunk) or not chunk.symbols:
        return None
    if chunk.metadata.get("kind") not in _HOLDERS:
        return None
    wanted = fold_separators(name)
    own = (fold_separators(one) for one in chunk.symbols)
    holder = next((one for one in own if one == wanted or one.endswith(f".{wanted}")), None)
    return holder if holder and _line_of(chunk, last_part(holder)) is not None else None


def _chunks_of(
    index: OpenedIndex, head: Chunk, holder: str, *, homes: Set[str], filters: Filters
) -> list[Chunk]:
    """The chunks of the type's file, and those elsewhere that define something of it, as languages allow whose methods
    stand beside the type; but of the `homes`, the files of all types that are called so."""
    own = index.documents.chunks(head.document_id)[:MOST_CHUNKS]
    chunks = _allowed(index, own, filters)
    if head.metadata.get("lang") not in _OPEN_TYPES:
        return chunks
    beyond = difference(index.symbols.members(holder), own)[:MOST_CHUNKS]
    others = (one for one in _allowed(index, beyond, filters) if one.document_id not in homes)
    return [*chunks, *(one for one in others if not is_test(one) and not is_example(one))]


def _in_file(
    index: OpenedIndex, path: str, kind: str, filters: Filters
) -> tuple[tuple[Chunk, int, int] | None, list[_Defined]]:
    """The first lines of the file, and what it defines that stands in nothing else."""
    known = index.documents.ending_in(path.removeprefix("./"))
    name = min(known, key=lambda one: ("test" in one, len(one)), default="")
    chunks = _allowed(index, index.documents.chunks(name)[:MOST_CHUNKS], filters) if name else []
    chunks = [one for one in chunks if is_code_chunk(one)]
    if not chunks:
        return None, []
    held = [one for one in chunks if one.symbols and one.metadata.get("kind") in _HOLDERS - _SPACES]
    types = {fold_separators(one.symbols[0]) for one in held}
    found = {
        one.name: one for chunk in chunks for one in _members_in(chunk, "") if not _is_inside(one.name, types)
    }
    members = [
        one
        for one in found.values()
        if one.name in types or not any(holder.startswith(f"{one.name}.") for holder in types)
    ]
    if kind in _METHODS:
        members = [one for one in members if _is_method(one)]
    elif kind in _KINDS_OF_TYPES:
        members = [one for one in members if _OF_TYPE.search(_text_of(one))]
    if len(members) == 1 and kind not in _KINDS_OF_TYPES and members[0].name in types:
        head, methods = _in_type(index, members[0].name, _METHODS[0], filters, document=name)
        if methods:
            return head, methods
    said = max(1, _said_first(chunks[0].text.splitlines()))
    return (chunks[0], *_span(chunks[0], 0, said)), members


def _is_same(one: _Defined, other: _Defined | None) -> bool:
    """Whether one is what the other overloads."""
    return other is not None and (one.chunk.document_id, one.name) == (other.chunk.document_id, other.name)


def _is_inside(name: str, types: Set[str]) -> bool:
    return any(name.startswith(f"{holder}.") for holder in types)


def _said_first(lines: Sequence[str]) -> int:
    """How many lines what is written of a file takes at its beginning; 0 where there is nothing."""
    quotes = next((sign for sign in ('"""', "'''") if lines and lines[0].lstrip("rRuU").startswith(sign)), "")
    if quotes:
        if lines[0].count(quotes) > 1:
            return 1
        return next((n for n, line in enumerate(lines[1:HEAD_LINES], 2) if quotes in line), 1)
    return sum(1 for _ in takewhile(_NOTE.match, lines[:HEAD_LINES]))


def _members_in(chunk: Chunk, holder: str) -> Iterator[_Defined]:
    """What the chunk defines of the holder itself, each once; of no holder all."""
    seen = set[str]()
    for symbol in map(fold_separators, chunk.symbols):
        name = last_part(symbol)
        rest = (
            symbol[len(holder) + 1 :]
            if holder and fold_symbol(symbol).startswith(f"{fold_symbol(holder)}.")
            else ""
        )
        if name in seen or (holder and rest != name) or not is_code_chunk(chunk):
            continue
        seen.add(name)
        line = _line_of(chunk, name)
        if line is not None and not is_import(chunk.text.splitlines()[line]):
            yield _Defined(symbol, chunk, line, _is_public(name, chunk, line))


def _line_of(chunk: Chunk, name: str) -> int | None:
    """The first line of the chunk's code that says the name before any sign of equality."""
    lines = chunk.text.splitlines()
    noted = map(max, in_comments(lines), in_docstrings(lines))
    told = zip(lines, noted, strict=True)
    return next(
        (n for n, (line, is_noted) in enumerate(told) if not is_noted and name in defined_words(line)), None
    )


def _is_public(name: str, chunk: Chunk, line: int) -> bool:
    text = chunk.text.splitlines()[line]
    if chunk.metadata.get("lang") == "go":
        return name[:1].isupper()
    if chunk.metadata.get("lang") == "rust":
        return text.lstrip().startswith("pub ") or not text.lstrip().startswith(("fn ", "async fn ", "pub("))
    return not (name.startswith(("_", "#")) or _HIDDEN.search(text.partition("(")[0]))


def _is_method(member: _Defined) -> bool:
    """Whether it is called: its name stands before a bracket, or behind the word that begins a function."""
    line = _text_of(member)
    before, _, behind = line.partition(last_part(member.name))
    above = member.chunk.text.splitlines()[max(0, member.line - 2) : member.line]
    if any("property" in one and one.lstrip().startswith("@") for one in above):
        return False
    is_called = behind.lstrip("?!").lstrip().startswith(("(", "<", "[")) and "=" not in before
    return bool(_DEFINES.search(before)) or (is_called and not _OF_TYPE.search(before))


def _text_of(member: _Defined) -> str:
    return member.chunk.text.splitlines()[member.line]


def _item(member: _Defined) -> tuple[str, int, int]:
    """A member as the list shows it, and the span of the chunk that says it."""
    lines = member.chunk.text.splitlines()
    last = member.line + signature_lines(lines, member.line)
    end, said = _docstring(lines, last)
    first = member.line
    if end == last:
        first, said = _note_above(lines, member.line)
    signature = _signature(
        " ".join(line.strip() for line in lines[member.line : last]), last_part(member.name)
    )
    said = plain_words(_TARGET.sub(r"`\1`", _ROLE.sub("", _first_sentence(said))))
    return f"`{signature}`" + (f": {said}" if said else ""), *_span(member.chunk, first, end)


def _signature(head: str, name: str) -> str:
    """The name with what its brackets hold, where that is short."""
    written = _GENERIC.sub("", head[head.find(name) + len(name) :])
    if not written.startswith("("):
        return name
    depths = accumulate((sign == "(") - (sign == ")") for sign in written)
    end = next((n for n, depth in enumerate(depths, 1) if depth == 0), 0)
    held = written[1 : end - 1].strip().removesuffix(",")
    whole = f"{name}({held})"
    return whole if end and len(whole) <= SIGNATURE and "`" not in whole else f"{name}(…)"


def _docstring(lines: Sequence[str], at: int) -> tuple[int, str]:
    """Where the first paragraph of the docstring ends that begins at a line, and its text; `at` where none begins."""
    head = lines[at].strip().lstrip("rRuUbB") if at < len(lines) else ""
    if not head.startswith(('"""', "'''")):
        return at, ""
    at += not head[3:].strip()
    told = list(takewhile(str.strip, lines[at : at + DOC_LINES]))
    end = next(
        (n for n, line in enumerate(told, 1) if _QUOTES.search(line.strip()[3 * (n == 1) :])), len(told)
    )
    said = " ".join(line.strip() for line in told[:end])
    return at + end, said.lstrip("rRuUbB").lstrip("\"'") if said.lstrip("rRuUbB").startswith(
        head[:3]
    ) else said


def _note_above(lines: Sequence[str], at: int) -> tuple[int, str]:
    """The first line of the comment above a definition, and its text; the definition's own where there is none."""
    above = at
    while above and _DECORATION.match(lines[above - 1]) and not _NOTE.match(lines[above - 1]):
        above -= 1
    first = above
    while first and at - first < ABOVE and _NOTE.match(lines[first - 1]):
        first -= 1
    if first == above:
        return at, ""
    told = (_NOTE.sub("", line, count=1).strip() for line in lines[first:above])
    said = takewhile(
        lambda line: line and not _TAG.match(line), (line for line in told if line.strip("-=*/ "))
    )
    return first, " ".join(said)


def _first_sentence(said: str) -> str:
    said = _QUOTES.split(" ".join(said.split()), maxsplit=1)[0]
    first = _SENTENCE.split(said, maxsplit=1)[0].removesuffix("*/").strip()
    says = len(first.split()) >= FEWEST_WORDS and (first[0].isalnum() or first[0] in "`*\"'(:")
    return first if len(first) <= GIST and says else ""


def _span(chunk: Chunk, first: int, last: int) -> tuple[int, int]:
    """Where the lines begin and end in the chunk."""
    return line_span(chunk.text.splitlines(keepends=True), first, last)


def _allowed(index: OpenedIndex, ordinals: Ordinals, filters: Filters) -> list[Chunk]:
    return index.fetch(index.filters.narrow(ordinals, filters))
