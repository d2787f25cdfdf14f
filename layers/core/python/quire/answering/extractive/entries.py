"""Entries of lists, tables and references: what is written about the option, variable or function that is asked for."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from quire.analysis.symbols import fold_symbol
from quire.analysis.terms import analyze
from quire.answering.extractive.code_chunks import is_code_chunk
from quire.answering.extractive.passages import ITEM, ROW
from quire.answering.extractive.rendering import title_above
from quire.answering.extractive.scoring import Scored
from quire.answering.extractive.weighing import Weighed
from quire.search.intent import marked_names
from quire.search.query import written_keys

TITLED = 3
"""How many words more a question may say beside a name that it marks and a section is called by: `request()`."""
SHORTEST_PART = 3
"""Characters of a term that a name without its joints is known to hold."""
KINDS = frozenset(analyze("option flag switch argument parameter"))
"""What a question calls an option beside its name."""

_BEGINS = r"^ [ \t]*+ (?: [-*+|][ \t]++ | \#{1,6}[ ] )? (?: &\#\w{1,8};[ ]? )? [`*\"']{0,3}"
_OPTION = rf"""
    {_BEGINS}
    (?: --?\w[\w-]*+ [`*"]{{0,3}}                                 # another name first: `-f FILE, --file`
      (?: [ =]? (?: [<\[*{{][^\n<>\]*}}]{{1,30}}[>\]*}}] | (?-i:[A-Z_]++) ) )? [`*"]{{0,3}}
      [ ]? (?: , | / | \| | or[ ] )? [ ]? [`*"]{{0,3}} ){{0,3}}
    NAME (?![\w-]) [`*"]{{0,3}}
    (?! (?-i: [ ][a-z]++[ ][a-z] ) )                              # it begins no sentence
"""
_NAME = rf"""
    {_BEGINS} (?: [\w-]{{1,60}} [`*]{{0,2}} [ ]*+ \| [ ]*+ [`*]{{0,2}} )?  # the cell before: `key | VARIABLE`
    \[? (?: \w{{1,40}} \. ){{0,3}} NAME [`*'\\\]]{{0,3}}          # of something: `hooks.stop`
    (?: \( | [ ]*+ (?: [:=—–|] | $ | <br ) | [ ]-[ ] )             # its arguments or address, or what it is
"""
"""What an entry of `NAME` begins with, for options and for other names."""
_TITLE_END = r"""
    | ^ (?: \#{1,6}[ ] [^\n]{1,120} [ ] [\[(] NAME [\])] [ ]*+ $     # a title that ends in it: "Index is valid [index]"
      | \S [^\n]{1,120} [ ] [\[(] NAME [\])] [ ]*+ \n [=~^-]{3} )
"""
_SIGNS_BESIDE = re.compile(r"[^\w-]+")
_EXPLAINED = re.compile(r"[^\n]{0,60}?(?: {2}|\t)[ \t]*+[A-Za-z(]")
"""What follows an option in the help of a command: its value, a gap, and what it does."""


@lru_cache(maxsize=64)
def asked_name(question: str) -> str:
    """The one name that the question writes, folded; "" where it writes none or several.

    >>> asked_name("What does `--dry-run` do?"), asked_name("--dry-run or --check?")
    ('--dry-run', '')
    >>> asked_name("How do I fix DL3008?"), asked_name("What is max-open-files for?")
    ('dl3008', 'max-open-files')
    """
    names = set(map(fold_symbol, written_keys(question)))
    return next(iter(names)) if len(names) == 1 else ""


def beside_name(terms: Iterable[str], name: str) -> set[str]:
    """The terms of a question that are not of the name it asks about, or of a part of it, nor call it an option.

    >>> beside_name(["largestsize", "size", "zero", "option"], "largestsize")
    {'zero'}
    """
    own = {one for one in terms if len(one) >= SHORTEST_PART and one in name}
    return set(terms) - KINDS - own - set(analyze(name))


@lru_cache(maxsize=64)
def entry_of(name: str) -> re.Pattern[str]:
    """What an entry of the name begins with: a title, an item, a row or a line of its own.

    >>> [bool(entry_of("--all").match(line)) for line in ("- `-a, --all`: of all", "**-a** or **--all**", "Use --all")]
    [True, True, False]
    >>> [bool(entry_of("stop").search(line)) for line in ("### hooks.stop(at): Time", "stop that", "`stop` | ends it")]
    [True, False, True]
    """
    form = _OPTION if name.startswith("-") else _NAME + _TITLE_END
    return re.compile(form.replace("NAME", re.escape(name)), re.IGNORECASE | re.MULTILINE | re.VERBOSE)


def leads_entry(one: Scored, name: str) -> bool:
    """Whether an entry of the name begins with the passage, and no section that is called so: what stands before it
    belongs to other entries."""
    return begins_entry(one, name) and not _is_titled(one, name)


def begins_entry(one: Scored, name: str) -> bool:
    """Whether the passage itself begins an entry of the name, and says something of it."""
    text, at = one.hit.chunk.text, one.passage.start
    if not name or not entry_of(name).match(text, text.rfind("\n", 0, at) + 1):
        return False
    return one.passage.kind not in (ITEM, ROW) or not set(analyze(one.text)) <= set(analyze(name))


def best_entry(
    question: Weighed,
    name: str,
    ranked: Sequence[Scored],
    *,
    prefers: Callable[[Scored], bool] = lambda _: False,
    most_beside: float = math.inf,
) -> Scored | None:
    """The passage of an entry of the name that the question asks about: of the section that is called so, or of a list
    or table. Of several that on the page which says most of the rest of the question: `--global` of which command.

    None where the question says more than `most_beside` words beside the name and the titles above the entry.
    """
    beside = beside_name(question.idf, name)
    said = {one.hit.chunk.id: beside & set(analyze(one.hit.chunk.breadcrumb)) for one in ranked}
    texts = [one for one in ranked if not is_code_chunk(one.hit.chunk)]
    titled = {place: _is_titled(one, name) for place, one in {_section(one): one for one in texts}.items()}
    further = TITLED * (name in map(fold_symbol, marked_names(question.text)))
    near = [
        one
        for one in texts
        if len(beside - said[one.hit.chunk.id]) <= most_beside + further * titled[_section(one)]
    ]
    best = max(
        (at for one in near if (at := one if titled[_section(one)] else _at_entry(one, name))),
        key=lambda one: (
            prefers(one),
            _is_written_so(one, question.text, name),
            question.coverage(said[one.hit.chunk.id]),
            titled[_section(one)],
        ),
        default=None,
    )
    if best is None or beside or not titled[_section(best)]:
        return best
    # Nothing is asked beside the name: the section is told from its beginning.
    of_section = (one for one in ranked if _section(one) == _section(best))
    return min(of_section, key=lambda one: one.passage.start)


def _is_written_so(one: Scored, question: str, name: str) -> bool:
    """Whether the entry writes a short option as the question does: `-o` is another one than `-O`. Names of other kinds
    are, whatever their case."""
    if len(name) != len("-o") or not name.startswith("-"):
        return True
    asked = question[question.lower().find(name) :][: len(name)]
    text = one.hit.chunk.text
    line = text[text.rfind("\n", 0, one.passage.start) + 1 :].partition("\n")[0]
    title = text[slice(*one.passage.heading)] if one.passage.heading else ""
    return asked in _SIGNS_BESIDE.split(f"{title} {line}")


def _section(one: Scored) -> tuple[str, tuple[int, int] | None]:
    return one.hit.chunk.id, one.passage.heading


def _at_entry(one: Scored, name: str) -> Scored | None:
    """The passage where it begins an entry of the name; from its line on where the help of a command has one."""
    if begins_entry(one, name):
        return one
    text, end = one.hit.chunk.text, one.passage.end
    if not name.startswith("-") or "\n" not in one.text:
        return None
    for found in entry_of(name).finditer(text, one.passage.start, end):
        if _EXPLAINED.match(text, found.end(), end):
            start = found.start() + len(found[0]) - len(found[0].lstrip())
            return replace(one, text=text[start:end], passage=replace(one.passage, start=start))
    return None


def _is_titled(one: Scored, name: str) -> bool:
    title = title_above(one.hit.chunk, one.passage.start).strip("*\n ").rpartition(" › ")[2]
    return bool(entry_of(name).match(title)) or title.lower().endswith((f" [{name}]", f" ({name})"))
