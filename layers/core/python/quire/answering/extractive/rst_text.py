"""reStructuredText as Markdown: roles to their words, directives to fences and notes."""

from __future__ import annotations

import builtins
import csv
import keyword
import re
import sys
import textwrap
from collections.abc import Iterable, Sequence
from itertools import groupby

from quire.analysis.entries import naming_option
from quire.answering.extractive.passages import BORDER, drawn_table_end

_ROLE = re.compile(
    r"""
    : (?: [a-zA-Z][\w+-]*: )?  # its domain
    (?P<role>[a-zA-Z][\w+-]*) :`(?P<text>[^`]+)`
    """,
    re.VERBOSE,
)
_PLAIN_ROLES = frozenset(
    ("ref", "doc", "term", "abbr", "sup", "sub", "emphasis", "strong", "pep", "rfc", "download")
)
_VERBATIM = frozenset("program command samp kbd file code literal guilabel menuselection".split())
"""Roles whose text names no target: `<value>` in it is what stands for a value."""
_ICONS = frozenset("octicon fa fas fab far fa-solid fa-brands material-regular material-outlined".split())
_ACCELERATOR = re.compile(r"&(?=\w)")
"""Stands before the letter of a menu that a keyboard opens it by."""
_DEFINED = frozenset("mod func data const class meth attr type exc obj".split())
_NUMBERED = frozenset(("pep", "rfc"))
_JOINTS = re.compile(r"[-_]+")
_TARGET = re.compile(r"(?<!\s)\s*+<[^<>]*+>$")
_LITERAL = re.compile(r"(?<!`)``(?!`)(.+?)``(?!`)", re.S)
_LINK = re.compile(r"`([^`<>]++)<(https?://[^<>\s]++)>`__?")
_ALIASED = re.compile(r"(?<!`)`([^`<>]*[^`<>\s])\s+<[^`<>]+_>`__?(?!\w)")
"""Words that lead where a name leads that is defined elsewhere."""
_NAMED_LINK = re.compile(r"(?<!`)`([^`\n]+)`__?(?!\w)")
_JOINED = re.compile(r"(`[^`\n]*+`)|(?<=[\w`*_)])\\[ \n](?=\S)")
"""Code, and what joins a word to the markup before it, which shows nothing."""
_FOOTNOTE = re.compile(r" ?\[(?:\*|#\w*|\d+)\]_")
_NOTE = re.compile(r"\.\. \[(?P<mark>[^\]\n]++)\](?P<said>.*)")
"""A footnote's text, or that of a work that is cited."""
_REFERENCE = re.compile(
    r"""
    (?P<code>`[^`\n]*+`) | \[(?P<work>[A-Za-z][\w.-]*+)\]_(?!\w)  # a work that is cited: [CIT2002]_
    | (?<![\w`\\./:@$-])(?P<name>[A-Za-z0-9]++(?:[-.+][A-Za-z0-9]++)*+)__?+(?![\w`/(\[=])  # a name that leads elsewhere
    """,
    re.VERBOSE,
)
_FIELD = re.compile(
    r"""
    ^(?P<indent>[^\S\n]*+) :(?P<name>\w[\w .,*|~\[\]-]*+|`[^`\n]++`):
    (?: (?P<below>[^\S\n]*+\n[^\S\n]++)(?=\S) | (?=\s) )  # what it says begins on the next line, or here
    """,
    re.MULTILINE | re.VERBOSE,
)
_TITLE = re.compile(
    r"""
    ^(?P<title>\S[^\n]*)\n
    (?P<row>([-=`:.'\"~^_*+\#<>])\3{2,})[ \t]*$  # underlined by three or more of one mark
    """,
    re.MULTILINE | re.VERBOSE,
)
_DIRECTIVE = re.compile(
    r"""
    (?P<indent>\s*+)\.\.[ ](?P<name>[\w:-]+?)::
    (?:[ \t]*+(?P<said>\S.*+))?\s*+  # its argument
    """,
    re.VERBOSE,
)
_MARK_OF_CODE = re.compile(r"(?:(?<!\S)::|(?<=\S):)$")
"""What two colons before code show: nothing where they stand alone, else one of them."""
_LABEL = re.compile(r"\s*\.\. (?:_[^:]+:|\|[^|]+\| ).*")
_OF_PAGE = re.compile(r":(?:orphan|tocdepth|nosearch|no-search|nocomments):.*")
"""What a page's first lines tell Sphinx."""
_COMMENT = re.compile(r"\s*\.\.(?:\s.*)?")
_OPTION = re.compile(r"\s*:[\w-]+:(?:\s.*)?")
"""Of a directive; a body may begin with a role, behind whose second colon its words stand at once."""
_TOLD = re.compile(
    r"""
    \s* :(?P<name> type | default | value | required | choices | (?:version_?)?added ):
    \s+ (?P<said>\S.*)  # up to the line's end
    """,
    re.VERBOSE,
)
"""Options of what is defined that pages show beside its name."""
SUBSTITUTION = re.compile(r"\s*(?:[-*+]\s+|#\.\s+)?(?:\|[^|\s][^|\n]*+\|\s*+)++")
"""A line or an item of nothing but names of what is shown in their places, nearly always of pictures."""
KEPT_LINES = re.compile(r"(?:[ \t]*+\|(?:[ \t]++[^\n]*[^\s|])?[ \t]*+(?:\n|\Z))++")
"""A block of lines, none of which ends as rows of tables do."""
INDEX_PAGES = re.compile(
    r"""
    Indices[ ](?:and|&)[ ]tables(?:\n[=~*-]++)?+  # the heading, and its list
    | (?:[*-][ ]:ref:`(?:genindex|(?:py-)?modindex|search)`\s*+)++
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""The end of the first page that Sphinx writes: its pages are made for each build."""
_COUNTED = re.compile(r"^([^\S\n]*+)#\.(?=[ \t])", re.M)
"""Marks an item that gets its number from its place, which Markdown gives to items of any number."""
_CELL = re.compile(r"(?P<row>\*[ \t]++| {1,3}+)-(?:[ \t]++(?P<said>.*+))?+")
_LINKED_CELL = re.compile(r"\w[\w.-]*_")
_PICTURE = re.compile(r"\.\. (?:image|figure):: \S++")
_BORDER = re.compile(r"\+(?:[-=]++\+)++")
_TABLES = frozenset(("list-table", "csv-table"))
_HEADER = re.compile(r"\s*+:header:\s++(?P<said>\S.*+)")
_NEW_LINE = re.compile(r" ?\|br\|\\? ?")
"""What pages of HTML alone call a line's end within a cell."""
_CODE_NAMES = frozenset(("code-block", "sourcecode", "code", "parsed-literal", "productionlist"))
_NOTES = {
    "seealso": "See also",
    "versionadded": "New in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "todo": "To do",
}
_SPOKEN = frozenset(
    ("note", "warning", "tip", "important", "caution", "danger", "hint", "attention", "error", *_NOTES)
)
_LAYOUT = frozenset(
    "contents toctree index image currentmodule include meta raw graphviz digraph graph mermaid uml plantuml".split()
)
"""Directives of which nothing is shown: they lay out, or draw a picture from their body."""
_PARAMETERS = frozenset("param parameter arg argument key keyword kwarg kwparam var ivar cvar".split())
_OUTCOMES = {
    **dict.fromkeys(("return", "returns"), "Returns"),
    **dict.fromkeys(("raise", "raises", "except", "exception"), "Raises"),
    **dict.fromkeys(("yield", "yields"), "Yields"),
    "rtype": "Type of what is returned",
    "type": "Type of",
    "vartype": "Type of",
}
"""What fields of a signature say; their other names are Sphinx's own."""
_ITEMS = _PARAMETERS | _OUTCOMES.keys()
_LABELLED = frozenset(
    "admonition topic sidebar dropdown collapse details card grid-item-card tab group-tab tab-item md-tab-item".split()
)
"""Directives whose argument is words for a reader: a title, or what a tab is called."""
_UNSAID = frozenset(
    """
    only ifconfig container class rst-class cssclass grid grid-item button-link button-ref figure
    module automodule autoclass autofunction
    """.split()
)
"""Directives whose argument no reader sees: it says when their body is shown, or names a style."""
_VERSION = re.compile(
    r"""
    (?P<version>v?\.?\d[^\s,:]*+)[,:]?+
    (?: \s++(?:[-–—:]++\s++)?+(?P<said>\S.*+) )?+  # what is told of it
    """,
    re.VERBOSE,
)
"""What a note of a version begins with; sentences may follow at once."""
_ITEM = re.compile(r"\s*(?:[-*+•]|#\.|\d{1,3}[.)])\s+")
_LINE = re.compile(r"^([ \t]*+)\|(?:[ \t]++([^\n]*[^\s|]))?[ \t]*$", re.M)
"""Of a block of lines, each kept as one; rows of tables end with a bar."""
_DRAWN = re.compile(
    r"""
    \s*+(?:
      [-=`:.'\"~^_*+\#<>|]{2}[-=`:.'\"~^_*+\#<>|\s]*+  # a row below a title, a border
    | >>>.*+ | \|.*+                                  # an example of a shell, a line that is kept as one
    )
    """,
    re.VERBOSE,
)
"""Lines that are drawn: they and those beside them stay lines of their own."""


def plain_rst(text: str) -> str:
    """A part of a reStructuredText file as Markdown, however deep its directives are nested.

    >>> print(plain_rst(".. note::\\n\\n    Set :setting:`task_acks_late`::\\n\\n        app = 1"))
    Note: Set `task_acks_late`:
    <BLANKLINE>
    ```
    app = 1
    ```
    """
    lines = text.expandtabs(4).splitlines()
    shown: list[str] = []
    words: list[str] = []
    at = 0
    while at < len(lines):
        found = _DIRECTIVE.fullmatch(lines[at])
        end = _body_end(lines, at)
        if found:
            shown += [_words(words), _directive(found, lines[at + 1 : end])]
            words, at = [], end
        elif note := _NOTE.fullmatch(lines[at].strip()):
            shown += [_words(words), _footnote(note, lines[at + 1 : end])]
            words, at = [], end
        elif _LABEL.fullmatch(lines[at]) or _COMMENT.fullmatch(lines[at]):
            at = end
        elif SUBSTITUTION.fullmatch(lines[at]) or _OF_PAGE.fullmatch(lines[at]):
            at += 1
        elif past := drawn_table_end(lines, at) if BORDER.fullmatch(lines[at].rstrip()) else 0:
            table = drawn_rows("\n".join(lines[at:past]), "\n".join(lines[at:past]))
            shown += [_words(words), textwrap.indent(table, " " * _indent(lines[at]))]
            words, at = [], past
        elif lines[at].rstrip().endswith("::") and end > at + 1:
            words.append(_MARK_OF_CODE.sub("", lines[at].rstrip()))
            shown += [_words(words), _fence(lines[at + 1 : end], "", _indent(lines[at]))]
            words, at = [], end
        else:
            words.append(lines[at])
            at += 1
    return "\n\n".join(filter(None, [*shown, _words(words)]))


def defined_names(text: str) -> tuple[str, ...]:
    """The signatures in the head of a directive that defines something; none where the text is no such head.

    >>> defined_names(".. py:method:: stop(timeout)\\n               stop()\\n    :async:")
    ('stop(timeout)', 'stop()')
    """
    first, *others = text.strip().replace("\\\n", "").splitlines() or [""]
    found = _DIRECTIVE.fullmatch(first)
    if named := naming_option([first, *others], 0):
        return tuple(map(str.strip, named[1]["names"].split(",")))
    if found is None or not found["said"]:
        return ()
    names = (found["said"], *(line for line in others if not _OPTION.fullmatch(line)))
    return tuple(" ".join(name.replace("`", "").split()) for name in names)


def told_options(text: str) -> str:
    """Type, default and value of what the head of a directive defines, as its page shows them; "" without any.

    >>> told_options(".. confval:: theme\\n   :type: :code:`str`\\n   :default: ``'plain'``\\n   :no-index:")
    "Type: `str` · Default: `'plain'`"
    """
    found = filter(None, map(_TOLD.fullmatch, text.splitlines()))
    return " · ".join(
        f"{one['name'].replace('_', ' ').capitalize()}: {plain_roles(one['said'].rstrip())}" for one in found
    )


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _body_end(lines: Sequence[str], at: int) -> int:
    """Line behind what is indented below line `at`, blank lines at its end left out; `at + 1` without a body."""
    end = at + 1
    for place in range(at + 1, len(lines)):
        if lines[place].strip():
            if _indent(lines[place]) <= _indent(lines[at]):
                break
            end = place + 1
    return end


def _directive(found: re.Match[str], body: Sequence[str]) -> str:
    """A directive as a fence, as a note that is spoken, or as nothing where it only says how to lay out."""
    name, said, indent = found["name"], (found["said"] or "").strip(), len(found["indent"])
    if option := naming_option([found[0], *body], 0):
        said = option[1]["names"]
    at = 0
    while said.endswith("\\") and at < len(body):  # a signature over several lines
        said, at = f"{said[:-1].rstrip()} {body[at].strip()}", at + 1
    while at < len(body) and _OPTION.fullmatch(body[at]):
        at += 1
    if name in _CODE_NAMES:
        return _fence(body[at:], said, indent)
    if name == "math":
        formula = "\n".join(filter(None, [said, textwrap.dedent("\n".join(body[at:])).strip("\n")]))
        return textwrap.indent(f"$$\n{formula}\n$$", " " * indent) if formula else ""
    if name in _TABLES:
        return textwrap.indent(_told_table(name, said, body[:at], body[at:]), " " * indent)
    return textwrap.indent(_spoken(name, said, body[:at], body[at:]), " " * indent)


def _told_table(name: str, said: str, options: Sequence[str], body: Sequence[str]) -> str:
    """A table below its title; of one that lies in a file of its own, where that is."""
    has_head = any(line.strip().startswith(":header-rows:") and "0" not in line for line in options)
    head = [csv_cells(found["said"]) for found in map(_HEADER.fullmatch, options) if found]
    rows = _list_rows(body) if name == "list-table" else csv_rows(body)
    table = markdown_table([*head, *rows], has_head=has_head or bool(head))
    file = next((f"`{line.split(':file:')[1].strip()}`" for line in options if ":file:" in line), "")
    return "\n\n".join(filter(None, (plain_roles(said), table, "" if rows else file)))


def _spoken(name: str, said: str, options: Sequence[str], body: Sequence[str]) -> str:
    """What a directive says: a note, a title with what stands below it, or nothing where it says how to lay out."""
    if name in _SPOKEN:
        return _note(_NOTES.get(name, name.capitalize()), said, body)
    if name == "rubric":
        return f"**{plain_roles(said)}**"
    if name == "literalinclude":
        return f"`{said}`"
    if name in _LAYOUT:
        return ""
    inner = plain_rst(textwrap.dedent("\n".join(body))).strip()
    named = said if inner and name not in _UNSAID else ""
    label = f"{plain_roles(named)}:" if name in _LABELLED else f"`{named}`"
    told = told_options("\n".join(options)) if named else ""
    return "\n\n".join(filter(None, (label if named else "", told, inner)))


def _footnote(note: re.Match[str], body: Sequence[str]) -> str:
    """A note by its text, that of a work behind its name."""
    inner = plain_rst("\n".join([note["said"].strip(), textwrap.dedent("\n".join(body))])).strip()
    return f"[{note['mark']}] {inner}" if note["mark"][0].isalpha() else f"Note: {inner}"


def _note(label: str, said: str, body: Sequence[str]) -> str:
    """A note with its label. What stands beside the directive goes on below it where no blank line parts them."""
    about = _VERSION.fullmatch(said) if label.endswith("version") else None
    if about:
        label, said = f"{label} {about['version']}", about["said"] or ""
    elif label.endswith("version"):
        label, said = f"{label} {said}", ""
    joint = "\n" if body and body[0].strip() else "\n\n"  # a role may stand on both lines
    inner = plain_rst(joint.join(filter(None, (said, textwrap.dedent("\n".join(body))))))
    return f"{label}: {inner.strip()}" if inner.strip() else f"{label}."


def _list_rows(body: Sequence[str]) -> list[list[str]]:
    """Cells of a `list-table`: an item a row, an item of that a cell; what stands below a cell goes on with it."""
    rows: list[list[str]] = []
    for line in textwrap.dedent("\n".join(body)).splitlines():
        found = _CELL.fullmatch(line)
        if found and found["row"].startswith("*"):
            rows.append([(found["said"] or "").removeprefix("| ")])
        elif found and rows:
            rows[-1].append((found["said"] or "").removeprefix("| "))
        elif rows and line.strip():
            rows[-1][-1] = f"{rows[-1][-1]} {line.strip().removeprefix('| ')}".strip()
    return rows


def csv_cells(row: str) -> list[str]:
    """Cells of a row of a `csv-table`.

    >>> csv_cells('"n", "title:""a lamp"" |br| title:lamp"')
    ['n', 'title:"a lamp" title:lamp']
    """
    return [_NEW_LINE.sub(" ", cell) for cell in next(csv.reader([row.strip()], skipinitialspace=True), [])]


def csv_rows(body: Iterable[str]) -> list[list[str]]:
    """Rows of a `csv-table`, none of blank lines."""
    return [csv_cells(line) for line in body if line.strip()]


def drawn_rows(stored: str, quote: str) -> str:
    r"""Rows of a table whose columns blanks part, as Markdown below the head of the whole table; "" of no such one.

    >>> table = "=====  ======\nKey    Does\n=====  ======\n``n``  opens\n       a lamp\n=====  ======"
    >>> print(drawn_rows(table, table[40:]))
    | Key | Does |
    | --- | --- |
    | `n` | opens a lamp |
    """
    lines = stored.splitlines()
    borders = [number for number, line in enumerate(lines) if BORDER.fullmatch(line.rstrip())]
    if not borders:
        return ""
    starts = [column.start() for column in re.finditer("=++", lines[borders[0]])]
    columns = [slice(*pair) for pair in zip([0, *starts[1:]], [*starts[1:], None], strict=True)]

    def rows_of(said: Sequence[str]) -> list[list[str]]:
        rows: list[list[str]] = []
        for line in said:
            if not line.strip(" =-\t"):
                continue
            cells = [line[column].strip() for column in columns]
            if rows and not cells[0]:  # goes on from the line above
                rows[-1] = [f"{one} {other}".strip() for one, other in zip(rows[-1], cells, strict=True)]
            else:
                rows.append(cells)
        return rows

    ends = borders[1:2] if borders[0] == 0 and borders[1:] != [len(lines) - 1] else []
    head = [line for line in lines[1 : ends[0]] if line.strip()] if ends else []
    heads = [[" ".join(filter(None, cells)) for cells in zip(*rows_of(head), strict=True)]] if head else []
    rows = rows_of([line for line in quote.splitlines() if line not in head])
    return markdown_table([*heads, *rows], has_head=bool(heads))


def grid_rows(text: str) -> tuple[list[list[str]], bool]:
    """Cells of a table drawn with `+---+`, and whether its first row is a head; none where cells span others."""
    rows: list[list[str]] = []
    is_new, has_head = True, False
    for line in text.splitlines():
        if _BORDER.fullmatch(line.strip()):
            is_new, has_head = True, has_head or ("=" in line and len(rows) == 1)
            continue
        cells = [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
        if is_new:
            rows.append(cells)
        elif len(cells) == len(rows[-1]):
            rows[-1] = [f"{one} {other}".strip() for one, other in zip(rows[-1], cells, strict=True)]
        else:
            return [], False
        is_new = False
    return (rows if len({len(row) for row in rows}) == 1 else []), has_head


def markdown_table(rows: Sequence[Sequence[str]], *, has_head: bool) -> str:
    """Rows as a table of Markdown; an empty head keeps it one where there is none.

    >>> print(markdown_table([["a", "b"]], has_head=False))
    |  |  |
    | --- | --- |
    | a | b |
    """
    if not rows:
        return ""
    width = max(map(len, rows))
    head, body = (rows[0], rows[1:]) if has_head else ([""] * width, rows)
    lines = [head, ["---"] * width, *body]
    cells = [[plain_cell(cell).replace("|", "\\|") for cell in row] for row in lines]
    return "\n".join(f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in cells)


def plain_cell(cell: str) -> str:
    """Inline markup of a table's cell as Markdown; one that is a link's name alone, `oars_`, says the name.

    >>> plain_cell("sqlalchemy-oars_"), plain_cell("``class_``"), plain_cell(".. image:: oars.png")
    ('sqlalchemy-oars', '`class_`', '')
    """
    return plain_roles(cell[:-1] if _LINKED_CELL.fullmatch(cell) else _PICTURE.sub("", cell))


def grid_with_head(stored: str, quote: str) -> str:
    r"""Rows of a table drawn with `+---+` as Markdown, below the head of the whole table; "" where cells span others.

    >>> table = "+---+---+\n| A | B |\n+===+===+\n| 1 | 2 |\n+---+---+\n| 3 | 4 |\n+---+---+"
    >>> print(grid_with_head(table, table[-29:]))
    | A | B |
    | --- | --- |
    | 3 | 4 |
    """
    whole, has_head = grid_rows(stored)
    rows, _ = grid_rows(quote)
    if rows and has_head and rows[0] != whole[0] and len(rows[0]) == len(whole[0]):
        rows = [whole[0], *rows]
    return markdown_table(rows, has_head=has_head)


def _fence(lines: Sequence[str], language: str, indent: int) -> str:
    code = textwrap.dedent("\n".join(lines)).strip("\n").rstrip()
    return textwrap.indent(f"```{language}\n{code}\n```", " " * indent) if code else ""


def _words(lines: Sequence[str]) -> str:
    return plain_roles(_LINE.sub(r"\1\2  ", "\n".join(_unwrapped(lines))).strip("\n")).rstrip()


def _unwrapped(lines: Sequence[str]) -> list[str]:
    """Each paragraph, item and field on a line of its own; what is drawn by its lines stays as it is."""
    kept: list[str] = []
    for is_blank, run in groupby(lines, key=lambda line: not line.strip()):
        told = list(run)
        if is_blank or any(map(_DRAWN.fullmatch, told)):
            kept += told
            continue
        goes_on = range(0)  # how far in lines are that belong to the last one
        for line, below in zip(told, [*told[1:], ""], strict=True):
            depth, begins = _indent(line), _ITEM.match(line) or _FIELD.match(line)
            if depth in goes_on and not begins:
                kept[-1] = f"{kept[-1].rstrip()} {line.lstrip()}"
                continue
            kept.append(_term(line) if not begins and _indent(below) > depth else line)
            goes_on = range(depth + 1, sys.maxsize) if begins else range(depth, depth + 1)
    return kept


def _term(line: str) -> str:
    """The line above what defines it, as a title of that; one that is laid out, or announces, stays as it is.

    >>> _term("  Pump : machine"), _term("Returns:")
    ('  **Pump** : machine  ', 'Returns:')
    """
    term, colon, kind = line.strip().partition(" : ")
    if "*" in term or "  " in term or term.endswith(":"):
        return line
    return f"{line[: _indent(line)]}**{term}**{colon}{kind}  "


def plain_roles(text: str) -> str:
    """Inline markup as Markdown; what is no reStructuredText stays.

    >>> plain_roles("Set :setting:`task_acks_late`, see :ref:`the guide <guide>`, or ``None``.")
    'Set `task_acks_late`, see the guide, or `None`.'
    >>> plain_roles("Press :kbd:`@@`, edit :file:`~/.oarrc`, see :docs:`the console guide </console.html>`.")
    'Press `@@`, edit `~/.oarrc`, see the console guide.'
    >>> plain_roles("All ``int``\\\\ s, not ``a\\\\ b``.")
    'All `int`s, not `a\\\\ b`.'
    """
    text = _ROLE.sub(_role, text)
    text = _LINK.sub(lambda one: f"[{one[1].rstrip()}]({one[2]})", text)
    text = _ALIASED.sub(r"\1", text)
    text = _LITERAL.sub(r"`\1`", _FOOTNOTE.sub("", text))
    text = _NAMED_LINK.sub(lambda one: one[1] if one.group().endswith("_") else one.group(), text)
    text = _REFERENCE.sub(_referred, text) if "_" in text else text
    text = _JOINED.sub(lambda one: one[1] or "", text)
    text = _COUNTED.sub(r"\g<1>1.", _FIELD.sub(_field, _with_even_fields(text)))
    return _TITLE.sub(lambda one: f"**{one['title'].replace('`', '')}**", text)


def _referred(found: re.Match[str]) -> str:
    """What a reference shows; a word of Python that has a line behind it, as its names do, is none.

    >>> plain_roles("Flask_ of [Smith2020]_, `a_ b`, class_, a_b and __init__.")
    'Flask of [Smith2020], `a_ b`, class_, a_b and __init__.'
    """
    if found["name"] and (keyword.iskeyword(found["name"]) or hasattr(builtins, found["name"])):
        return found[0]
    return found["code"] or found["name"] or f"[{found['work']}]"


def titled_references(text: str, titles: object) -> str:
    """The text whose references without words have the title that they lead to, where `titles` know it; names that
    stand for a text have that.

    >>> titled_references("See :ref:`oars`, :doc:`/sails`.", (":ref:oars=How to row",))
    'See :ref:`How to row <oars>`, :doc:`/sails`.'
    """
    for name, title in told_names(titles).items():
        if name[0] != ":":
            text = text.replace(name, title)
            continue
        role, _, target = name[1:].partition(":")
        text = text.replace(f":{role}:`{target}`", f":{role}:`{title} <{target}>`")
    return text


def told_names(titles: object) -> dict[str, str]:
    """A chunk's titles and texts, by the reference or name that is written for each."""
    told = [str(one).partition("=") for one in titles] if isinstance(titles, tuple | list) else []
    return {name: title for name, _, title in told if name}


def _with_even_fields(text: str) -> str:
    """What goes on below a field that becomes an item, as deep as an item's text: sources align it with the field's."""
    lines, depth = text.split("\n"), -1
    for place, line in enumerate(lines):
        found = _FIELD.match(line)
        if found:
            depth = len(found["indent"]) if found["name"].split()[0] in _ITEMS else -1
        elif not line.strip() or _indent(line) <= depth:
            depth = -1
        elif depth >= 0:
            lines[place] = f"{' ' * depth}  {line.lstrip()}"
    return "\n".join(lines)


def _field(match: re.Match[str]) -> str:
    """A field as an item of a list where it documents a parameter or what comes back, else as a line.

    >>> plain_roles(":param int size: How many.\\n:returns: The rest.\\n:Author: Ann")
    '- `size` (int): How many.\\n- Returns: The rest.\\nAuthor: Ann'
    """
    space = " " if match["below"] else ""
    kind, *words = match["name"].split()
    if kind in _PARAMETERS and words:
        *types, name = words
        kind = f" ({' '.join(types)})" if types else ""
        return f"{match['indent']}- `{name}`{kind}:{space}"
    if kind in _OUTCOMES:
        named = f" `{' '.join(words)}`" if words else ""
        return f"{match['indent']}- {_OUTCOMES[kind]}{named}:{space}"
    return f"{match['indent']}{match['name']}:{space}"


def _role(match: re.Match[str]) -> str:
    role = match["role"].lower()
    words = match["text"] if role in _VERBATIM else _TARGET.sub("", match["text"]) or match["text"]
    if role in _NUMBERED and words.isdigit():
        return f"{role.upper()} {words}"
    if role in _ICONS:
        return ""
    if role == "math":
        return f"${match['text']}$"
    if role in _VERBATIM:
        return f"`{_ACCELERATOR.sub('', words) if role in ('guilabel', 'menuselection') else words}`"
    if words != match["text"] and " " in words and role not in _DEFINED:
        return words  # of a link: what it says, not where it leads
    if role in _PLAIN_ROLES:
        # A label stands for the title of what it leads to, which is elsewhere.
        return _JOINTS.sub(" ", words) if words == match["text"] and role == "ref" else words
    if words.isdigit():  # of an issue or a request to merge
        return f"{role} {words}"
    short = words.rpartition(".")[2] if words.startswith("~") and "@" not in words else words.lstrip("~")
    short = short.replace("@", "").removeprefix("!")
    # A point in front of what is defined asks Sphinx to look further; that of a file is its own.
    return f"`{short.removeprefix('.') if role in _DEFINED else short}`"
