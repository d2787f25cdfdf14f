"""Who calls a symbol: every place that the collection knows, each with the lines that call, code before its tests."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from quire.analysis.symbols import fold_symbol, last_part
from quire.analysis.terms import analyze
from quire.documents import Chunk, Hit
from quire.index.opened import OpenedIndex
from quire.ordinals import contains
from quire.search.candidates import find_callers

LOOKED_AT = 48
MOST_SHOWN = 8
WHOLE = 400
"""A caller of so many characters is shown whole: it says what the call is for."""
BESIDE = 2
"""Lines that are shown before and behind a call in a longer one."""
_WORD = re.compile(r"\w++")
_SIGNS = str.maketrans("", "", "})];,")


def callers_in(index: OpenedIndex, name: str, filters: Mapping[str, str | Sequence[str]]) -> list[Chunk]:
    """Chunks of code that refer to the symbol and do not define it: code before tests, in the order of their files.

    What is read and not called, such as a constant or an error, no chunk's calls tell: it is looked for as a word.
    """
    subject = fold_symbol(name)
    allowed = index.filters.chunks(filters)
    found = find_callers(index.keywords, [name], LOOKED_AT).ordinals
    if not len(found):
        found = index.search(dict.fromkeys(analyze(last_part(subject))[:1], 1.0), LOOKED_AT).ordinals
    if allowed is not None:
        found = found[contains(allowed, found)]
    chunks = [chunk for chunk in index.fetch(sorted(found.tolist())) if _refers(chunk, subject)]
    return sorted(chunks, key=lambda chunk: bool(chunk.metadata.get("is_test")))


def _refers(chunk: Chunk, subject: str) -> bool:
    """Whether a chunk of code holds the name and is not what defines it."""
    if chunk.metadata.get("kind") == "section" or subject in map(fold_symbol, chunk.symbols):
        return False
    return calling_lines(chunk.text, subject) is not None


def calling_lines(text: str, name: str) -> tuple[int, int] | None:
    r"""Span of the lines around the first call; all of a short text. None where no line holds the name as a word.

    >>> calling_lines("def stop():\n    close()\n", "close")
    (0, 23)
    """
    wanted, lines = last_part(fold_symbol(name)), text.splitlines(keepends=True)
    said = ((n, line) for n, line in enumerate(lines) if wanted in line.casefold() and not _is_comment(line))
    at = next((n for n, line in said if wanted in map(str.casefold, _WORD.findall(line))), None)
    if at is None:
        return None
    first, last = (0, len(lines)) if len(text) <= WHOLE else _around(lines, at)
    start = sum(map(len, lines[:first]))
    return start, start + len("".join(lines[first:last]).rstrip())


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(("#", "//", "*", "/*", "--", "import ", "from ", "use ", "require"))


def _around(lines: Sequence[str], at: int) -> tuple[int, int]:
    """From the lines before a call to the end of its brackets and the lines behind, without what closes at the end."""
    end, depth = at, 0
    for end in range(at, min(len(lines), at + 12)):
        depth += sum(lines[end].count(sign) for sign in "([") - sum(lines[end].count(sign) for sign in ")]")
        if depth <= 0:
            break
    first, last = max(0, at - BESIDE), min(len(lines), end + 1 + BESIDE)
    behind = (n for n in range(end + 1, last) if lines[n].strip() and _indent(lines[n]) < _indent(lines[at]))
    last = next(behind, last)
    while first < at and (
        not lines[first].translate(_SIGNS).strip() or _indent(lines[first]) > _indent(lines[at])
    ):
        first += 1
    while last > end + 1 and (
        not lines[last - 1].translate(_SIGNS).strip() or lines[last - 1].rstrip().endswith(("{", ":"))
    ):
        last -= 1
    return first, last


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def as_hits(chunks: Sequence[Chunk], version: str) -> list[Hit]:
    """The callers as an answer cites them, as many as it shows."""
    return [Hit(chunk, rank, 1.0, None, version) for rank, chunk in enumerate(chunks[:MOST_SHOWN], 1)]
