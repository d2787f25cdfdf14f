"""Who calls a symbol: every place that the collection knows, each with the lines that call, code before its tests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from quire.analysis.keywords import calls_of
from quire.analysis.symbols import fold_symbol, last_part
from quire.analysis.terms import analyze
from quire.answering.extractive.code_chunks import is_code_chunk
from quire.answering.extractive.code_lines import in_comments
from quire.answering.extractive.precedence import is_test
from quire.documents import Chunk, Hit
from quire.filter_values import Filters
from quire.index.opened import OpenedIndex
from quire.ranking import union
from quire.search.candidates import find_callers

LOOKED_AT = 48
MOST_SHOWN = 8
WHOLE = 400
"""A caller of so many characters is shown whole: it says what the call is for."""
BESIDE = 2
"""Lines that are shown before and behind a call in a longer one."""
CONDITION = 8
"""Lines above one that gives an error among which its condition is looked for."""
_GIVES = re.compile(r"\s*+(?:raise|throw|panic|bail|abort|reject|fail|return)\b")
_RAISES = re.compile(r"(?:raise|throw|panic)\b")
_IS_ERROR = re.compile(r"(?:[Ee]rror|Exception|Warning|Err)$|^[Ee]rr[A-Z]")
_WORD = re.compile(r"\w++")
_UNSAID = ("*", "import ", "from ", "use ", "require")
"""How lines begin that name what is used elsewhere."""
_SET = re.compile(
    r"""
    \s*+ (?:(?:let|var|const|val|auto|my)\s++)?
    (\w++) \s*+ (?: := | =(?![=~>]) )  # and no comparison
    """,
    re.VERBOSE,
)
"""A line that gives a variable its value: where it has the name, the variable is meant."""
_DECLARING = ("interface", "trait", "type")
"""Kinds of definitions that may only declare methods."""
_SIGNS = str.maketrans("", "", "})];,")


def callers_in(index: OpenedIndex, name: str, filters: Filters, *, giving: bool = False) -> list[Chunk]:
    """Chunks of code that refer to the symbol and do not define it: code before tests, in the order of their files.

    What is read and not called, such as a constant or an error, no chunk's calls tell: it is looked for as a word, and
    so is what is handed over or, as in Ruby, called without brackets, where its name is no word of the language. With
    `giving` those come first that raise or return it, before those that catch it.
    """
    subject = fold_symbol(name)
    found = find_callers(index.keywords, [name], LOOKED_AT).ordinals
    words = dict.fromkeys(analyze(last_part(subject))[:1], 1.0)
    if not len(found):
        found = index.search(words, LOOKED_AT).ordinals
    elif _is_made_of_words(last_part(name)):
        found = union([found, index.search(words, LOOKED_AT).ordinals])
    found = index.filters.narrow(found, filters)
    chunks = [chunk for chunk in index.fetch(sorted(found.tolist())) if _refers(chunk, subject)]
    name = last_part(subject)
    return sorted(chunks, key=lambda chunk: (is_test(chunk), giving and not _gives(chunk.text, name)))


def givers_in(index: OpenedIndex, name: str, filters: Filters) -> list[Chunk]:
    """Chunks of code, no tests, that raise or return the error: why somebody gets it. None of what is no error."""
    found = callers_in(index, name, filters, giving=True)
    own = last_part(fold_symbol(name))
    giving = [chunk for chunk in found if _gives(chunk.text, own) and not is_test(chunk)]
    is_raised = any(_RAISES.match(line.lstrip()) for chunk in giving for line in _giving(chunk.text, own))
    return giving if is_raised or _IS_ERROR.search(last_part(name)) else []


def _gives(text: str, name: str) -> bool:
    return any(True for _ in _giving(text, name))


def _giving(text: str, name: str) -> Iterator[str]:
    """The lines that raise or return what has the name."""
    lines = (line for line in text.splitlines() if _GIVES.match(line))
    return (line for line in lines if name in map(str.casefold, _WORD.findall(line)))


def _is_made_of_words(name: str) -> bool:
    """Whether code alone says the name, so that each place which holds it as a word uses it.

    >>> _is_made_of_words("build_url"), _is_made_of_words("buildUrl"), _is_made_of_words("get")
    (True, True, False)
    """
    return "_" in name.strip("_") or name[1:] != name[1:].lower()


def _refers(chunk: Chunk, subject: str) -> bool:
    """Whether a chunk of code holds the name and is not what defines it."""
    if not is_code_chunk(chunk) or subject in map(fold_symbol, chunk.symbols):
        return False
    is_declared = chunk.metadata.get("kind") in _DECLARING and not calls_of(chunk)
    if is_declared and f"{last_part(subject)}(" in chunk.text.casefold():
        return False
    return calling_lines(chunk.text, subject) is not None


def calling_lines(text: str, name: str) -> tuple[int, int] | None:
    r"""Span of the lines around the first call; all of a short text. None where no line holds the name as a word.

    >>> calling_lines("def stop():\n    close()\n", "close")
    (0, 23)
    """
    wanted, lines = last_part(fold_symbol(name)), text.splitlines(keepends=True)
    noted = in_comments(lines)
    said = ((n, line) for n, line in enumerate(lines) if wanted in line.casefold() and not noted[n])
    said = ((n, line) for n, line in said if not line.lstrip().startswith(_UNSAID))
    held = [n for n, line in said if wanted in map(str.casefold, _WORD.findall(line))]
    calls = (n for n in held if f"{wanted}(" in lines[n].casefold())
    is_set = any(one and one[1].casefold() == wanted for one in (_SET.match(lines[n]) for n in held))
    at = next(calls, held[0] if held and not is_set else None)
    if at is None:
        return None
    first, last = (0, _last_inside(lines)) if len(text) <= WHOLE else lines_around(lines, at)
    start = sum(map(len, lines[:first]))
    return start, start + len("".join(lines[first:last]).rstrip())


def _last_inside(lines: Sequence[str]) -> int:
    """The lines without those at the end that close what stands around the first one."""
    last = len(lines)
    while last > 1 and (
        lines[last - 1].translate(_SIGNS).strip() in ("", "end")
        and _indent(lines[last - 1]) < _indent(lines[0])
    ):
        last -= 1
    return last


def lines_around(lines: Sequence[str], at: int) -> tuple[int, int]:
    """From the lines before a call to the end of its brackets and the lines behind, without what closes at the end."""
    end, depth = at, 0
    for end in range(at, min(len(lines), at + 12)):
        depth += sum(lines[end].count(sign) for sign in "([") - sum(lines[end].count(sign) for sign in ")]")
        if depth <= 0:
            break
    first, last = max(0, at - BESIDE), min(len(lines), end + 1 + BESIDE)
    if _GIVES.match(lines[at]):
        first = min(first, _condition(lines, _condition(lines, at, at), at))
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


def _condition(lines: Sequence[str], place: int, at: int) -> int:
    """The line that `place` stands under, a condition or a case, where it is near `at`; else `place`."""
    above = range(place - 1, max(at - CONDITION, 0) - 1, -1)
    return next((n for n in above if lines[n].strip() and _indent(lines[n]) < _indent(lines[place])), place)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def as_hits(chunks: Sequence[Chunk], version: str) -> list[Hit]:
    """The callers as an answer cites them, as many as it shows."""
    return [Hit(chunk, rank, 1.0, None, version) for rank, chunk in enumerate(chunks[:MOST_SHOWN], 1)]
