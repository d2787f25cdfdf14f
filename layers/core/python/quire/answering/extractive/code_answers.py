"""Lines of code that answer what is asked of a symbol: what it is set to, which errors it gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, takewhile
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from quire.analysis.symbols import fold_symbol, last_part
from quire.analysis.terms import analyze, words
from quire.answering.extractive.code_chunks import is_code_chunk
from quire.answering.extractive.code_lines import (
    defined_words,
    end_of_value,
    in_comments,
    in_docstrings,
    line_span,
    value_line,
)
from quire.answering.extractive.continuing import Beside
from quire.answering.extractive.documented import documented_errors
from quire.answering.extractive.precedence import (
    asks_for_errors,
    asks_for_members,
    asks_for_value,
    asks_for_working,
    constructs,
    is_example,
    is_test,
)
from quire.answering.extractive.weighing import Weighed
from quire.documents import Chunk, Hit
from quire.filter_values import Filters
from quire.index.opened import OpenedIndex
from quire.ranking import contains, union
from quire.search.candidates import find_callees, find_callers
from quire.search.query import written_names

CODE_CHARACTERS = 1_200
WHOLE_CHARACTERS = 2_000
"""What a definition may have that is no longer than its chunk, where it is asked what it does."""
BODY_CHUNKS = 5
"""Further chunks of a definition that are looked at."""
FILES, PER_FILE, HOLDING = 8, 24, 32
"""Files of hits whose heads are looked at for a value, chunks of each, and chunks that say the name of a setting."""
DECLARED = 2.0
"""How well a declaration is called what is asked for: better than any line that sets the same name."""
MOST_GIVING = 4
"""Places that give errors which are shown."""
MOST_HANDING = 2
"""Statements of a function that hands its work on."""
STEPS, CALLED = 2, 12
"""How far calls are followed for them, and chunks of each step."""
_WORKING = ("function", "method")
"""Kinds of code that set what they work with."""
_ERROR = re.compile(
    r"""
    \b(?: raise | throws? | panic | abort | reject | fatalError | precondition(?:Failure)? | bail )\b  # by a word
    | (?: \bErr | \berrors?\.(?!As\b|Is\b)\w{1,40} | Errorf | Exception | [Ss]et_?Error\w{0,40} )[ ]?\(  # by a call
    | \breturn\b [^\n]{0,60}? (?: \b[Ee]rr[A-Z_]\w* | \bnew[ ]\w*Error\b | \bNew\w*Error\( | &\w*Error\{ )  # as a value
    """,
    re.VERBOSE,
)


Steps: TypeAlias = Callable[[Chunk], Sequence[Chunk]]
"""The functions that do a part of the work of the one that a chunk holds."""


def no_steps(_chunk: Chunk) -> Sequence[Chunk]:
    """None."""
    return ()


class CodeLines(NamedTuple):
    """Lines of a hit's chunk, `chunk.text[start:end]`."""

    hit: Hit
    start: int
    end: int


def settings_in(index: OpenedIndex, question: str, hits: Sequence[Hit], filters: Filters) -> tuple[Hit, ...]:
    """Where a value that is asked for may be set beside the hits: chunks that say the name of it, and what stands
    outside of functions in the files of the hits, with the rank of its file. None where no value is asked for."""
    if not (hits and (asks_for_value(question) or asks_for_members(question))):
        return ()
    terms = [term for name in written_names(question) for term in analyze(name)[:1]]  # the name as a whole
    holding = [index.search({term: 1.0}, HOLDING).ordinals for term in terms]
    files = dict.fromkeys(hit.chunk.document_id for hit in hits if is_code_chunk(hit.chunk))
    beside = [index.documents.chunks(name)[:PER_FILE] for name in list(files)[:FILES]]
    ordinals = index.filters.narrow(union([*holding, *beside]), filters)
    working = index.filters.chunks({"kind": _WORKING}) if "kind" in index.filters.fields else None
    if working is not None:
        ordinals = ordinals[~contains(working, ordinals)]
    first = {hit.chunk.document_id: hit for hit in reversed(hits)}
    chunks = index.fetch(ordinals.tolist())
    behind = hits[-1]._replace(rank=hits[-1].rank + 1)
    return tuple(first.get(chunk.document_id, behind)._replace(chunk=chunk, cosine=None) for chunk in chunks)


def value_in(question: Weighed, hits: Sequence[Hit], settings: Sequence[Hit]) -> CodeLines | None:
    """The lines that set the value or the values which are asked for, where code has them; tests and examples set what
    they try.

    Of lines that are called just as well those of the better hit, or of what stands in its file.
    """
    several = asks_for_members(question.text)
    if not (several or asks_for_value(question.text)):
        return None
    by_rank = sorted((*hits, *settings), key=lambda hit: -hit.rank)
    read = {hit.chunk.id: hit for hit in by_rank if is_code_chunk(hit.chunk)}
    found = [
        (line[0], -hit.rank, CodeLines(hit, *line[1:]))
        for hit in read.values()
        if not (is_test(hit.chunk) or is_example(hit.chunk))
        and (hit.chunk.metadata.get("kind") not in _WORKING or constructs(hit.chunk))
        and (
            line := _declared(question.text, hit.chunk)
            or value_line(question.text, hit.chunk.text, several=several, around=hit.chunk.breadcrumb)
        )
    ]
    return max(found, key=itemgetter(0, 1))[2] if found else None


def _declared(question: str, chunk: Chunk) -> tuple[float, int, int] | None:
    """The same of a variable of HCL that the question names: its default stands in the block that declares it."""
    if chunk.metadata.get("lang") != "hcl" or chunk.metadata.get("kind") != "variable":
        return None
    if span := own_definition(question, chunk):
        return (DECLARED, *span)
    asked = {last_part(fold_symbol(name)) for name in written_names(question)}
    is_own = {last_part(fold_symbol(symbol)) for symbol in chunk.symbols} <= asked
    return (DECLARED, 0, len(chunk.text.rstrip())) if is_own else None


def errors_in(
    question: Weighed, hits: Sequence[Hit], beside: Beside, called: Sequence[Hit]
) -> list[CodeLines]:
    """Where the symbol whose errors are asked for gives them, of several with its name that which gives most, and where
    what it calls does: of other files, where it gives none itself."""
    if not asks_for_errors(question.text):
        return []
    found: list[list[CodeLines]] = []
    for hit in _defining(question.text, hits):
        parts = [hit.chunk, *continued(hit.chunk, beside)]
        told = [(part, span) for part in parts if (span := documented_errors(part.text))]
        spans = (*told[:1], *((part, error_lines(part.text)) for part in parts))
        found.append([CodeLines(hit._replace(chunk=part), *span) for part, span in spans if span])
    own = max(found, key=len, default=[])
    files = {one.hit.chunk.document_id for one in own}
    beyond = [
        CodeLines(hit._replace(chunk=part), *span)
        for hit in called
        if not own or hit.chunk.document_id in files
        for part in (hit.chunk, *continued(hit.chunk, beside))
        if (span := error_lines(part.text))
    ]
    return [*own, *beyond[: max(MOST_GIVING - len(own), 0)]]


def own_definition(question: str, chunk: Chunk) -> tuple[int, int] | None:
    """Span of the one definition that the question names, with the comment above it, where the chunk holds others
    beside it; None where it holds none, several, or what holds it."""
    asked = {last_part(fold_symbol(name)) for name in written_names(question)}
    symbols = {(one.rpartition(".")[0], last_part(one)) for one in map(fold_symbol, chunk.symbols)}
    own = {name for _, name in symbols} & asked
    holders = {holder for holder, name in symbols if name in own}
    beside = {name for holder, name in symbols if holder in holders} - own
    if len(own) != 1 or not beside or holders & {fold_symbol(symbol) for symbol in chunk.symbols}:
        return None
    [name] = own
    lines = chunk.text.splitlines(keepends=True)
    noted = list(map(max, in_comments(lines), in_docstrings(lines)))
    said = [set() if is_note else _defined(line) for line, is_note in zip(lines, noted, strict=True)]
    first = next((n for n, names in enumerate(said) if name in names), None)
    if first is None:
        return None
    depth = _depth(lines[first])
    others = (n for n in range(first + 1, len(lines)) if said[n] & beside and _depth(lines[n]) == depth)
    end = next(others, len(lines))
    end = _above(lines, noted, end) if end < len(lines) else end
    return line_span(lines, _above(lines, noted, first), end)


def _defined(line: str) -> set[str]:
    return {name.casefold() for name in defined_words(line)}


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _above(lines: Sequence[str], noted: Sequence[bool], at: int) -> int:
    """The first of the comments and marks (`@cached`, `#[test]`) that stand directly above a line."""
    while at and (noted[at - 1] or lines[at - 1].lstrip().startswith(("@", "#["))):
        at -= 1
    return at


def called_in(index: OpenedIndex, question: str, hits: Sequence[Hit], filters: Filters) -> tuple[Hit, ...]:
    """What the symbol whose errors are asked for calls, and what that calls, nearest first; no tests. None where no
    errors are asked for."""
    if not asks_for_errors(question):
        return ()
    behind = hits[-1].rank if hits else 0
    level = [hit.chunk for hit in _defining(question, hits)]
    said = {word for word in words(question) if word[:1].isupper()}
    classes = (hit.chunk for hit in hits if hit.chunk in level or not said.isdisjoint(hit.chunk.symbols[:1]))
    found = [one for chunk in classes for one in _constructors(index, chunk, filters)]
    level = [*level, *found]
    seen = {chunk.id for chunk in level}
    for _ in range(STEPS):
        called = _callees(index, level, filters)
        level = [chunk for chunk in called if chunk.id not in seen and not is_test(chunk)]
        seen.update(chunk.id for chunk in level)
        found += level
    return tuple(Hit(chunk, behind + n, 0.0, None, index.version) for n, chunk in enumerate(found, 1))


def _constructors(index: OpenedIndex, chunk: Chunk, filters: Filters) -> list[Chunk]:
    """What makes an object of the class that the chunk defines, where it stands near it in the same file."""
    at = index.find(chunk.id)
    if at is None or chunk.metadata.get("kind") != "class" or not chunk.symbols:
        return []
    behind = index.documents.chunks(chunk.document_id)
    behind = behind[int(behind.searchsorted(at)) :][:PER_FILE]
    beside = index.filters.narrow(behind, filters)
    own = fold_symbol(chunk.symbols[0])
    found = (one for one in index.fetch(beside.tolist()) if one.symbols and constructs(one))
    return [one for one in found if fold_symbol(one.symbols[0]).rpartition(".")[0] == own]


def _callees(index: OpenedIndex, chunks: Sequence[Chunk], filters: Filters) -> list[Chunk]:
    """The code that the chunks call, of what is filtered for, nearest first."""
    ordinals = find_callees(index.symbols.chunks, chunks, CALLED).ordinals
    called = index.fetch(index.filters.narrow(ordinals, filters))
    return [chunk for chunk in called if is_code_chunk(chunk)]


def handed_to(index: OpenedIndex, question: str, hits: Sequence[Hit], filters: Filters) -> list[Hit]:
    """What does the work of a function that only hands it on, where it is asked what the function does: the first that
    it calls and that says more."""
    if index.profile != "code" or not asks_for_working(question):
        return []
    first = next(_defining(question, hits), None)
    if first is None or statements_in(first.chunk) > MOST_HANDING:
        return []
    called = (one for one in _callees(index, [first.chunk], filters) if not is_test(one))
    working = [chunk for chunk in called if chunk.symbols and statements_in(chunk) > MOST_HANDING]
    # A function beside it, before what is made or called of elsewhere.
    working.sort(
        key=lambda one: (one.document_id != first.chunk.document_id, one.metadata.get("kind") not in _WORKING)
    )
    return [Hit(chunk, hits[-1].rank + 1, 0.0, None, index.version) for chunk in working[:1]]


def steps_in(index: OpenedIndex, question: str, filters: Filters) -> Steps:
    """How to find the functions that do a part of another one's work, where it is asked how something works: it calls
    them, they stand in its file, and by their name or by who calls them they are there for that alone."""

    def steps(chunk: Chunk) -> list[Chunk]:
        if chunk.metadata.get("kind") not in _WORKING or is_test(chunk):
            return []
        return [one for one in _callees(index, [chunk], filters) if _is_step(index, one, chunk)]

    return steps if index.profile == "code" and asks_for_working(question) else no_steps


def _is_step(index: OpenedIndex, one: Chunk, whole: Chunk) -> bool:
    if one.document_id != whole.document_id or one.metadata.get("kind") not in _WORKING or not one.symbols:
        return False
    name = last_part(one.symbols[0])
    if statements_in(one) <= MOST_HANDING:
        return False
    found = find_callers(index.keywords, [name], CALLED).ordinals
    return name.startswith("_") or all(
        caller.id == whole.id or is_test(caller) for caller in index.fetch(found.tolist())
    )


def statements_in(chunk: Chunk) -> int:
    """Statements that begin in a function's body, brackets left out; of what is no function all that begin in it."""
    lines = chunk.text.splitlines(keepends=True)
    noted = in_comments(lines)
    told = [line.strip() for line, is_noted in zip(lines, noted, strict=True) if not is_noted]
    told = [line for line in told if line and line != "end" and not line.startswith(("@", "["))]
    opened = [0, *accumulate(line.count("(") - line.count(")") for line in told)]
    begun = [n for n, line in enumerate(told) if opened[n] <= 0 and line.strip("{}(); ,:")]
    return len(begun) - (chunk.metadata.get("kind") in _WORKING)


def error_lines(text: str) -> tuple[int, int] | None:
    r"""From the line before the first line that gives an error to the last one, as far as there is room for them.

    >>> text = "def f(a):\n    b = a\n    if not b:\n        raise ValueError(a)\n    return b\n"
    >>> text[slice(*error_lines(text))]
    '    if not b:\n        raise ValueError(a)'
    """
    lines = text.splitlines(keepends=True)
    noted = list(map(max, in_comments(lines), in_docstrings(lines)))
    giving = [
        n
        for n, line in enumerate(lines)
        if _ERROR.search(line) and not noted[n] and not line.lstrip().startswith("class ")
    ]
    if not giving:
        return None
    first = max(giving[0] - 1, 0)
    within = [n for n in giving if len("".join(lines[first : n + 1])) <= CODE_CHARACTERS]
    return line_span(lines, first, end_of_value(lines, within[-1] if within else giving[0]) + 1)


def _defining(question: str, hits: Sequence[Hit]) -> Iterator[Hit]:
    """The hits of code that define a name which the question writes, without tests."""
    names = set(map(fold_symbol, written_names(question)))
    for hit in hits:
        own = {part for symbol in map(fold_symbol, hit.chunk.symbols) for part in (symbol, last_part(symbol))}
        if not names.isdisjoint(own) and is_code_chunk(hit.chunk) and not is_test(hit.chunk):
            yield hit


def continued(head: Chunk, beside: Beside) -> Iterator[Chunk]:
    """The chunks in which the definition that one begins goes on."""
    parts = (beside(head, place) for place in range(1, BODY_CHUNKS + 1))
    goes_on = takewhile(lambda one: one and not one.symbols and one.breadcrumb == head.breadcrumb, parts)
    return filter(None, goes_on)
