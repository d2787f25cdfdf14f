"""Names that sections, rows and items of a text are called by: options, keys of settings, variables, codes, functions.

What is asked about `max-open-files` stands below a heading, or in a row or an item, that begins with it; other passages
say its words more often. So such a name is a term of its own, by which its entry is found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from quire.analysis.symbols import fold_symbol
from quire.analysis.terms import VERSION, analyze

SECTION_MARK, ROW_MARK, DEFINED_MARK = "=", "|", "~"
"""Stand before a name among a chunk's terms; no term that `quire.analysis.terms` makes begins so."""
MOST_DEFINED = 40
MOST_ENTRIES = 200
LONGEST_LINE = 300
LONGEST_NAME = 80
_UNDERLINES = frozenset(("===", "---", "~~~", "^^^"))
_FENCE = re.compile(r"[ \t]*+(?:`{3}|~{3})")
_LINK = re.compile(r"!?\[([^\[\]]*+)\]\([^()]*+\)")
_NAME = r"(?:--?)?[A-Za-z_$@][\w.:-]*+(?<![.:-])"
_TITLE = re.compile(
    rf"""
    (?P<quote>[`*]{{0,3}}) (?P<name>{_NAME}) (?: \([^()]*+\) )?
    (?: (?P=quote) [ ]*+ (?: $ | [=:,|(<\[] ) | [=:(<\[] | (?<=`)[ ] )  # its end, its value, another name
    """,
    re.VERBOSE,
)
_TITLE_END = re.compile(rf"[ ](?:\[`?(?P<code>{_NAME})`?\]|\((?P<short>[A-Z][A-Z\d]++)\))$")
"""What a title calls its thing by: "The index is valid [index]", "Heat recovery unit (HRU)"."""
_CELL = re.compile(rf"([`*]{{0,3}})({_NAME})(?:\([^()]*+\)|=[^|]*+)?\1")
_ITEM = re.compile(
    rf"""
    [ \t]*+ (?P<item>[-*+][ ]++)? [`*"]{{1,3}} (?P<name>{_NAME}) (?: \([^()]*+\) | =[^`\n]*+ )? [`*"]{{1,3}}
    [ ]*+ (?: [:=—–(,] | -[ ] | (?(item)(?!)|$) )  # what it is, which for a line of its own the next one says
    """,
    re.VERBOSE,
)
_OPTIONS = re.compile(
    r"""
    [ \t]*+ (?: [-*+|][ \t]++ )? [`*"]{0,3} (?= --?[A-Za-z] )
    (?P<head> [^\n:]{1,80}? ) (?: [ ]{2} | \t | : | \| | $ | [ ][–—-][ ] )  # up to what it does
    """,
    re.VERBOSE,
)
_OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*+")
_LOOKS_WRITTEN = re.compile(r"[-_.:\d]|[a-z][A-Z]|^[A-Z]{5,}$")
"""What a word of a text has not: a row or a title that begins with such a name needs no quotes."""
_NAMELESS = re.compile(r"[ \t]*+\.\.[ ](?:[a-z]{1,12}:)?[a-z][\w-]*+::[ \t\r]*+")
_NAMING = re.compile(
    r"""
    [ \t]++ :(?:keys?|names|options?|setting): [ \t]++
    (?P<names> [\w.*-]++ (?: ,[ ]? [\w.*-]++ )*+ ) [ \t\r]*+  # one, or its older ones beside it
    """,
    re.VERBOSE,
)
"""An option of a directive that has no argument: what documents settings by a directive of its own names them so."""
MOST_OPTIONS = 12
_DEFINES = re.compile(
    r"""
    (?: ^ | (?<=[.!?][ ]) ) [ \t>*+-]*+ (?: (?:the|an?)[ ] )?
    (?! (?:this|that|these|those|there|it|each|every|some|any|no|if|when|which|what|here|one) \b )
    [*_`"]{0,3} (?P<term> \w[\w.+/-]{0,40} (?: [ ]\w[\w.+/-]{0,40} ){0,3}? ) [*_`"]{0,3}
    (?: [ ]\([^()\n]{1,60}\) )?                              # its abbreviation
    \s (?:is|are) \s (?: an? | the | one[ ]of ) \s
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_SIGNS = frozenset('|-*+`"')
KEY = re.compile(
    r"""
    (?<![\w./-]) (?: [A-Z]{1,6}-?\d{2,6}                   # the code of an error or a rule
      | (?<=error[ ]) [A-Z]{5,20} | [A-Z]{5,20} (?=[ ](?:means?|errors?)\b)  # ENOENT; other such words are keywords
      | [a-z][a-z0-9]*+ (?: -[a-z0-9]++ )++ ) (?![\w/-])     # a key of settings
    | (?: (?<=\[) (?=[a-z][\w-]{1,40}\]) | (?<=error[ ]code[ ]) ) \w[\w-]*+  # `[arg-type]`
    """,
    re.VERBOSE,
)
"""Names that words of a text may look like: they count where a question writes no other."""


def entry_terms(text: str, breadcrumb: str = "") -> dict[str, float]:
    """Marked names of the entries that the text has, as a heading, or as a row or an item; those of the sections that
    it stands in, and the versions that these are about.

    >>> list(entry_terms("## `max-files`\\n\\n| `PORT` | port |\\n\\n- `stop()`: ends it\\n  -q, --quiet  says less"))
    ['=max-files', '|port', '|stop', '|-q', '|--quiet']
    """
    found: dict[str, float] = {}
    *around, section = breadcrumb.split(" › ")
    versions = (name for title in around for name in analyze(title) if VERSION.fullmatch(name))
    above = ((SECTION_MARK, name) for name in chain(versions, _of_title(section)))
    for mark, name in chain(above, _entries(text.split("\n"))):
        if len(name) <= LONGEST_NAME:
            found[mark + fold_symbol(name)] = 1.0
        if len(found) >= MOST_ENTRIES:
            break
    return found


def definition_terms(text: str) -> dict[str, float]:
    """Marked terms of what the text says what it is: "A lamp stand is a pole".

    >>> definition_terms("A lamp stand is a pole. **Lamps** (L) are the best. It is a lamp.")
    {'~lamp_stand': 1.0, '~lamp': 1.0}
    """
    found: dict[str, float] = {}
    for said in _DEFINES.finditer(text):
        if term := defined_term(said["term"]):
            found[term] = 1.0
        if len(found) >= MOST_DEFINED:
            break
    return found


def defined_term(term: str) -> str:
    """The marked term by which definitions of it are found; "" for one of small words alone."""
    stems = analyze(term)
    return DEFINED_MARK + "_".join(stems) if stems else ""


def asked_entries(names: Iterable[str], is_known: Callable[[str], object]) -> list[str]:
    """Marked names of the entries that the collection has of the names: the sections that are called so, else rows."""
    found: list[str] = []
    for name in dict.fromkeys(map(fold_symbol, names)):
        found += next(([mark + name] for mark in (SECTION_MARK, ROW_MARK) if is_known(mark + name)), [])
    return found


def _entries(lines: list[str]) -> Iterator[tuple[str, str]]:
    is_code = False
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        sign = line.lstrip()[:1]
        if sign in ("`", "~") and _FENCE.match(line):
            is_code = not is_code
        elif len(line) > LONGEST_LINE and " | " not in line:
            continue
        elif not is_code and (sign == "#" or (below[:3] in _UNDERLINES and not below.strip(below[0]))):
            yield from ((SECTION_MARK, name) for name in _of_title(line.strip("# \t")))
        elif sign in _SIGNS or " | " in line:
            yield from ((ROW_MARK, name) for name in _of_line(line, is_code=is_code))


def _of_title(title: str) -> Iterator[str]:
    title = _LINK.sub(r"\1", title)
    yield from _OPTION.findall(title) if title.lstrip("`*").startswith("-") else ()
    if (found := _TITLE.match(title)) and (
        found["quote"] or " " not in title or _LOOKS_WRITTEN.search(found["name"])
    ):
        yield found["name"]
    if found := _TITLE_END.search(title):
        yield found["code"] or found["short"]
    yield from (term for term in analyze(title) if VERSION.fullmatch(term))


def _of_line(line: str, *, is_code: bool) -> Iterator[str]:
    if found := _OPTIONS.match(line):
        yield from _OPTION.findall(found["head"])
    elif is_code:
        return
    elif "|" in line:
        for cell in _LINK.sub(r"\1", line[:LONGEST_LINE]).strip(" \t|").split("|")[:2]:
            found = _CELL.fullmatch(cell.strip())
            if cell.strip().isdecimal():  # the number of what the next cell names
                continue
            if not found or not (found[1] or _LOOKS_WRITTEN.search(found[2])):
                break
            yield found[2]
    elif found := _ITEM.match(line):
        yield found["name"]


def naming_option(lines: Sequence[str], row: int) -> tuple[int, re.Match[str]] | None:
    """The option that names what a directive without an argument documents, and its row; None where line `row` begins
    no such directive.

    >>> naming_option([".. conf::", "    :default: 3", "    :keys: wicks, wick", "", "    How many."], 0)[1]["names"]
    'wicks, wick'
    """
    if not _NAMELESS.fullmatch(lines[row].rstrip("\n")):
        return None
    for below in range(row + 1, min(row + 1 + MOST_OPTIONS, len(lines))):
        if not lines[below].lstrip().startswith(":"):
            return None
        if named := _NAMING.fullmatch(lines[below].rstrip("\n")):
            return below, named
    return None
