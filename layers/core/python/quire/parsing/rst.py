"""reStructuredText to an Outline of sections, and to readable text.

Source: https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html, read by lines: sections by their adornment,
definitions by Sphinx's directives.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import dropwhile, islice, takewhile

from quire.analysis.entries import naming_option
from quire.parsing.anchors import DocutilsIds
from quire.parsing.outline import Heading, Outline, identifier_in, outline_sections

TITLES = "titles"
"""The entry of a chunk's metadata with the titles that its references lead to: `:ref:oars=How to row`, ..."""
ENTRY = 1_000
"""The level of what a directive defines: below that of any heading."""
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t\r]*")
_LABEL = re.compile(r"\.\. (?:_[^:]+:|index::|(?:[a-z]+:)?[a-z-]+::[ \t]+\S).*")
_DEFINES = re.compile(
    r"""
    [ \t]*\.\.[ ](?:[a-z]+:)?(?:
      setting | confval | option | envvar                                           # of a program
    | class | exception | function | method | attribute | data | property           # of Python
    | signal | event | decorator | program | module | command | describe | control  # of extensions
    | macro | type | cmdoption
    | autoclass | autofunction | automethod | automodule | autoattribute            # read from the code
    )::[ \t]+([^\s(,=]+)
    """,
    re.VERBOSE,
)
_TARGET = re.compile(r"\.\. _((?:[^:\\]|\\.)+):\s*$")
_CAPTION = ":caption:"
_CAPTIONED = re.compile(
    r"""
    \.\.[ ](
      (?:list-|csv-)?table            # its title stands behind it
    | figure                         # its caption is its first paragraph
    | code-block | literalinclude    # an option of theirs
    )::(.*)
    """,
    re.VERBOSE,
)
_NOTE = re.compile(
    r"""
    (?:(?<=\s)|^)\[(?: \d+ | [#*][\w.-]* | [A-Za-z][\w.-]* )\]_(?!\w)  # a mark: [1]_, [#name]_, [CIT2002]_
    | ^\.\.[ ]\[(?: \d+ | [#*] )\]                                    # the note itself
    """,
    re.VERBOSE,
)
_ROLE = re.compile(r":[a-zA-Z][\w:.+-]{0,60}:`([^`]*)`")
_TITLED = re.compile(r"([^<`]*[^<`\s])\s*<[^<>]+>$")
_CODE = re.compile(r"``([^`]+)``")
_LINK = re.compile(r"`([^`<]+?)(?:\s{0,4}<[^<>]*>)?`__?")
_STRONG = re.compile(r"(?<![\w*])(\*{1,2})([^*\s](?:[^*]*[^*\s])?)\1(?![\w*])")
_DIRECTIVE = re.compile(r"^([ \t]*)\.\. (?:[a-z]+:)?([a-z-]+)::[ \t]*+(.*)$")
_FIELD = re.compile(
    r"""
    ^[ \t]*:(?: local | depth | maxdepth                     # of tables of contents
    | members | undoc-members | inherited-members            # of what is read from the code
    | class | noindex | linenos
    )\b.*$
    """,
    re.VERBOSE,
)
_SILENT = frozenset(
    "contents index currentmodule module toctree image figure highlight code-block code sourcecode include".split()
)


def parse_rst(text: str) -> Outline:
    """Sections of a document, nested as their adornments first appear; broken markup is read as text.

    >>> [section] = parse_rst("Title\\n=====\\n\\nText\\n").definitions
    >>> section.names, section.start_line, section.end_line
    (('Title',), 1, 4)
    """
    lines = text.split("\n")
    found = _headings(lines)
    headings = [one for position in range(len(found)) for one in _labelled(lines, found, position)]
    return outline_sections(lines, headings)


def _headings(lines: Sequence[str]) -> list[tuple[int, int, int, str]]:
    """First line and line after each heading, its level and its title; lines count from 0."""
    styles: list[tuple[str, bool]] = []
    found: list[tuple[int, int, int, str]] = []
    number = 0
    while number < len(lines):
        heading = _heading_at(lines, number)
        if heading is None:
            number += 1
            continue
        style, title, height = heading
        if style not in styles:
            styles.append(style)
        found.append((number, number + height, styles.index(style) + 1, title))
        number += height
    return found


def rst_anchors(text: str) -> tuple[tuple[int, str], ...]:
    """`(line, fragment)` of each heading as Sphinx gives it, ascending.

    A label is a fragment of its own, and takes its name from a heading that comes later; footnotes take numbers.

    >>> rst_anchors("Setup\\n=====\\n\\n.. _more:\\n\\nMore\\n----\\n")
    ((1, 'setup'), (6, 'more'))
    """
    lines = text.split("\n")
    headings = {row: (below, title) for row, below, _, title in _headings(lines)}
    ids, anchors, label = DocutilsIds(), list[tuple[int, str]](), ""
    for row, line in enumerate(lines):
        if row in headings:
            _, title = headings[row]
            own = ids.take(title.replace("`", ""))
            anchors.append((row + 1, label or own))
        named = _TARGET.match(line)
        if named:
            label = ids.take(named[1].strip("`"))
        elif line.strip():
            label = ""
        for _ in _NOTE.findall(line):
            ids.take("")
    return tuple(anchors)


def rst_labels(text: str) -> dict[str, str]:
    """Titles of the headings that have labels, by the label as references are compared: in small letters; captions of
    labelled figures, tables and code too.

    >>> rst_labels(".. _Rowing:\\n.. _more:\\n\\nHow to *row*\\n==========\\n\\n.. _text:\\n\\nNo title.\\n")
    {'rowing': 'How to row', 'more': 'How to row'}
    >>> rst_labels(".. _oar:\\n\\n.. figure:: oar.png\\n   :alt: x\\n\\n   An oar\\n   of oak\\n\\nBoats\\n=====\\n")
    {'oar': 'An oar of oak'}
    """
    if ".. _" not in text:
        return {}
    lines = text.split("\n")
    titles = {row: title.replace("`", "") for row, _, _, title in _headings(lines)}
    labels, waiting = dict[str, str](), list[str]()
    for row, line in enumerate(lines):
        if named := _TARGET.match(line):
            waiting.append(" ".join(named[1].strip("`").casefold().split()))
        elif row in titles:
            labels.update(dict.fromkeys(waiting, titles[row]))
        elif waiting and (captioned := _CAPTIONED.match(line)):
            if caption := _caption(captioned, lines, row):
                labels.update(dict.fromkeys(waiting, _inline(caption)))
            waiting = []
        if line.strip() and not is_label(line) and not line[0].isspace():
            waiting = []
    return labels


def _caption(directive: re.Match[str], lines: Sequence[str], row: int) -> str:
    """What the table, figure or code that begins on a row is called; "" where nothing says it."""
    if directive[1].endswith("table"):
        return directive[2].strip()
    inside = takewhile(lambda line: line[:1].isspace() or not line, islice(lines, row + 1, None))
    block = [line.strip() for line in inside]
    if directive[1] == "figure":
        return " ".join(takewhile(bool, dropwhile(lambda line: not line or line.startswith(":"), block)))
    return next((line.removeprefix(_CAPTION) for line in block if line.startswith(_CAPTION)), "").strip()


def rst_title(text: str) -> str:
    """The title that opens a page; "" without one."""
    return next((title.replace("`", "") for _, _, _, title in _headings(text.split("\n"))), "")


def with_names(text: str, names: Mapping[str, str]) -> str:
    """The text with what its names stand for, `|oar|` or AsciiDoc's `{oar}`, in their place, and what it includes."""
    for name in filter(text.__contains__, names):
        text = text.replace(name, names[name]) if name[0] in ".|{" else text
    return text


def is_label(line: str) -> bool:
    """Whether a line labels the heading that follows: a target, or a directive that defines something."""
    return bool(_LABEL.fullmatch(line.rstrip()))


def readable_rst(text: str) -> str:
    """The text as one reads it: roles, links and code by their words, adornments and silent directives left out.

    >>> readable_rst("See :setting:`the limit <task_limit>` and ``x``.\\n\\n.. code-block:: python\\n\\n    a()")
    'See the limit and x.\\n\\n    a()'
    """
    kept: list[str] = []
    for line in text.split("\n"):
        shown = _shown_line(line)
        if shown or (shown == "" and kept and kept[-1]):
            kept.append(_inline(shown.rstrip()))
    return "\n".join(kept).strip("\n")


def _shown_line(line: str) -> str | None:
    """The line without its directive; None where nothing of it is shown."""
    if line.lstrip(" \t")[:1].isalnum():  # most lines
        return line
    if _ADORNMENT.fullmatch(line) or _FIELD.match(line):
        return None
    directive = _DIRECTIVE.match(line)
    if directive:
        return "" if directive[2] in _SILENT else f"{directive[1]}{directive[2]} {directive[3]}".rstrip()
    return "" if line.startswith((".. _", ".. |")) else line


def _inline(line: str) -> str:
    if "*" in line:
        line = _STRONG.sub(r"\2", line)
    if "`" not in line:
        return line
    line = _ROLE.sub(lambda role: _shown(role[1]), line)
    return _LINK.sub(r"\1", _CODE.sub(r"\1", line)).replace("`", "")


def _shown(target: str) -> str:
    titled = _TITLED.match(target)
    return titled[1] if titled else target.lstrip("~!@")


def _heading_at(lines: Sequence[str], number: int) -> tuple[tuple[str, bool], str, int] | None:
    """The adornment, title and height in lines of a heading that begins here."""
    line = lines[number]
    if number and lines[number - 1].strip() and not _ADORNMENT.fullmatch(lines[number - 1]):
        return None
    over = _ADORNMENT.fullmatch(line)
    if over:
        return _overlined(lines, number, over)
    title = line.rstrip()
    under = _ADORNMENT.fullmatch(lines[number + 1]) if title and number + 1 < len(lines) else None
    if under is None or title[0].isspace() or title.startswith((".. ", "- ", "* ")):
        return None
    if len(under[0].rstrip()) < min(len(title), 4):
        return None
    return (under[1], False), _title(title), 2


def _overlined(
    lines: Sequence[str], number: int, over: re.Match[str]
) -> tuple[tuple[str, bool], str, int] | None:
    if number + 2 >= len(lines) or not lines[number + 1].strip():
        return None
    if lines[number + 2].rstrip() != over[0].rstrip() or _ADORNMENT.fullmatch(lines[number + 1]):
        return None
    return (over[1], True), _title(lines[number + 1]), 3


def _title(line: str) -> str:
    return _inline(line.strip()) if not identifier_in(line) else line.strip()


def _labelled(
    lines: Sequence[str], found: Sequence[tuple[int, int, int, str]], position: int
) -> Iterator[Heading]:
    """A heading with the labels and directives right before it and the names that those define; then its entries."""
    row, below, level, title = found[position]
    least = found[position - 1][1] if position else 0
    first = row
    for above in range(row - 1, least - 1, -1):
        if lines[above].strip() and not _LABEL.fullmatch(lines[above].rstrip()):
            break
        if lines[above].strip():
            first = above
    end = found[position + 1][0] if position + 1 < len(found) else len(lines)
    names = _defined(lines[first:row])
    own = identifier_in(title)
    if own:
        names = {own: None, **names}
    yield Heading(first + 1, level, title.replace("`", ""), tuple(names))
    yield from _entries(lines, below, below + len(_without_next_label(lines, below, end)))


def _defined(lines: Sequence[str]) -> dict[str, None]:
    names: dict[str, None] = {}
    for row, line in enumerate(lines):
        if "::" not in line:
            continue
        if match := _DEFINES.match(line):
            names.setdefault(match[1].lstrip("~!"))
        elif named := naming_option(lines, row):
            names.update(dict.fromkeys(named[1]["names"].replace(" ", "").split(",")))
    return names


def _entries(lines: Sequence[str], start: int, end: int) -> Iterator[Heading]:
    """What directives of a section define, each with its indented body: parts of the section, where that is long."""
    row = start
    while row < end:
        below = row + 1
        if _DEFINES.match(lines[row]) or naming_option(lines, row):
            while below < end and (not lines[below].strip() or lines[below][0] in " \t"):
                below += 1
            names = tuple(_defined(lines[row:below]))
            yield Heading(row + 1, ENTRY, names[0], names, below)
        row = below


def _without_next_label(lines: Sequence[str], start: int, end: int) -> Sequence[str]:
    """The section's own lines, without the labels at its end that belong to the next heading."""
    while end > start and (not lines[end - 1].strip() or _LABEL.fullmatch(lines[end - 1].rstrip())):
        end -= 1
    return lines[start:end]
