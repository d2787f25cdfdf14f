"""Markdown and AsciiDoc that are stored as their files have them, as a reader of their pages sees them.

What comes out is Markdown. What goes in may be any part of a page: a tag, a table or a block of a template may begin
before it or end behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, groupby
from typing import NamedTuple

from quire.parsing.asciidoc_markdown import ASCIIDOC, as_markdown
from quire.parsing.html import on_tag, without_indent
from quire.parsing.markup import clean_markup, looks_mdx
from quire.parsing.myst import plain_directives
from quire.parsing.python_markdown import is_of_mkdocs, plain_blocks
from quire.parsing.quarto import QUARTO, plain_quarto
from quire.parsing.scan import BREAK, INSERT, MARKS, NOTHING, TICK, Dialect, Insert, MarkupScan
from quire.parsing.template_tags import generator_in, without_template_tags
from quire.parsing.wiki import plain_links

_INSERT = re.compile(rf"(?P<before>[^{INSERT}]*+){INSERT}(?P<number>\d++){INSERT}(?P<rest>.*)", re.DOTALL)
_BREAKS = re.compile(rf"{BREAK}[ \t{BREAK}]*+")
_RULE = re.compile(r"(?=[^|]*+\|)(?=[^-]*+-)[ \t>|:-]++")
"""The line below a table's head."""
_LABEL = re.compile(rf"{INSERT}\d++{INSERT}")
_BAR = re.compile(r"(?<!\\)\|")
_ALERT = re.compile(
    r"""
    (?P<mark>[ \t]*+>[ \t>]*+)
    \[!(?P<kind>[\w-]++)[^\]\n]*+\][-+]?[ \t]*+(?P<title>[^\n]*+)  # > [!NOTE] A title
    """,
    re.VERBOSE,
)
_IN_TABLE = re.compile(r"</?(?P<name>table|thead|tbody|tr|t[dh])\b")

_ATTRIBUTE = r"""[A-Za-z_:@][\w:@.-]*+=(?:"[^"]*+"|'[^']*+'|\{[^{}]*+\})"""
_ENDS_TAG = re.compile(
    rf"""
    \s*+(?: (?:{_ATTRIBUTE}\s*+)++(?:/?>|\Z)  # the attributes of a tag that begins before the text
      | />)
    """,
    re.VERBOSE,
)
_BEGINS_TAG = re.compile(
    rf"""
    ^[ \t]*+<[A-Za-z][\w.]*+(?:\s++{_ATTRIBUTE})*+\s*+\Z  # a tag that ends behind it
    """,
    re.MULTILINE | re.VERBOSE,
)
_TORN_TAG = re.compile(r"^[ \t]*+<[A-Z][\w.]*+\s[^<]*+\Z", re.MULTILINE)
_PAIRS = {"{": "}", "[": "]", "(": ")", '"': '"', "'": "'", "`": "`"}
_FACT = re.compile(r"(?:[\w-]++:(?:[ \t].*)?|[ \t].*+||---)")
_FOLDED = re.compile(r"[>|][+-]?")
"""What stands for a value that the indented lines below it are."""
_SAID = re.compile(
    r"""
    (?:title|description|summary|subtitle|sidebarTitle|linkTitle):[ \t]++  # facts that readers see
    (?P<quote>["']?)(?P<said>.*?)(?P=quote)[ \t]*+
    """,
    re.VERBOSE,
)
_PICTURE = re.compile(
    r"""
    ^[ \t]*+ (?: <a(?=[ \t])[^<>\n]{0,1000}+> [ \t]*+ )?+  # a link around it
    <img(?=[ \t])[^<>\n]{0,1000}+> [ \t]*+ (?: </a> [ \t]*+ )?+ $
    """,
    re.MULTILINE | re.VERBOSE,
)
"""A line that is a picture: what stands for it where it cannot be seen is no sentence of the page."""


class ReadableText(NamedTuple):
    """A text as it is shown, and for each of its lines the one of the stored text that it stands on, from 1."""

    text: str
    numbers: Sequence[int]

    def place_of(self, stored: str, offset: int) -> int | None:
        """Where a character of the stored text is shown; None where it stands inside of a line that is shown otherwise.

        What only white space stands before is where its line begins, the end of a line where the next one does.
        """
        begins = stored.rfind("\n", 0, offset) + 1
        line = stored[begins : (stored.find("\n", begins) + 1 or len(stored) + 1) - 1]
        number, before = stored.count("\n", 0, offset) + 1, line[: offset - begins]
        if before.strip() and not line[offset - begins :].strip():
            number, before = number + 1, ""
        shown = self.text.split("\n")
        first = next((place for place, one in enumerate(self.numbers) if one >= number), len(shown))
        at = sum(map(len, shown[:first])) + first
        if not before.strip():
            return min(at, len(self.text))
        is_same = first < len(shown) and self.numbers[first] == number and shown[first] == line
        return at + len(before) if is_same else None


Names = tuple[tuple[str, str], ...]


class ReadablePart(NamedTuple):
    """`text[start:end]` is what is shown of a part of a stored text; around it stands what is shown of the rest."""

    text: str
    start: int
    end: int


def readable_part(
    text: str, path: str, start: int, end: int, *, wiki: bool = False, names: Names = ()
) -> ReadablePart:
    """What a reader sees of `text[start:end]`, as a part of what he sees of the text.

    Where it begins or ends inside of a line that looks otherwise in the file, it is read alone; so are rows of a table
    of HTML, all of which stand where it ends.
    """
    shown = readable_markdown(text, path, wiki, names)
    if shown.text == text:
        return ReadablePart(text, start, end)
    begin, past = shown.place_of(text, start), shown.place_of(text, end)
    if begin is None or past is None or not shown.text[begin:past].strip():
        alone = readable_markdown(text[start:end], path, wiki, names).text
        return ReadablePart(alone, 0, len(alone))
    return ReadablePart(shown.text, begin, past)


@lru_cache(maxsize=256)
def readable_markdown(text: str, path: str, wiki: bool = False, names: Names = ()) -> ReadableText:
    r"""The text without what its page does not show: tags, imports, what templates and admonitions are written with.

    `wiki` says that it lies among notes that link as wikis do; `names` are attributes of AsciiDoc that are set
    elsewhere, `{oar}`, with what they stand for.

    >>> page = '{% hint %}\nMind it.\n{% endhint %}\n<Card\n  title="Oars"\n>\nRow.\n</Card>'
    >>> readable_markdown(page, "boats.mdx").text.split("\n")
    ['', 'Mind it.', '', '', 'Oars', '', 'Row.', '']
    """
    lines = MARKS.sub("", text.replace("\r\n", "\n").replace("\r", " "))
    if path.lower().endswith(ASCIIDOC):
        shown, numbers = as_markdown(lines, {name[1:-1]: said for name, said in names})
        return ReadableText("\n".join(map(_without_sign, shown.split("\n"))), _ascending(numbers))
    lines = without_template_tags(_head_in_words(_with_whole_ends(lines)), generator_in(lines))
    if path.lower().endswith(QUARTO):
        lines, dialect = plain_quarto(lines), Dialect()
    else:
        lines = plain_blocks(lines, everywhere=is_of_mkdocs(lines))
        lines = plain_directives(lines, everywhere="}`" in lines)
        lines = plain_links(lines, everywhere=wiki)
        dialect = _dialect(lines, path)
    if "<" in lines:
        lines = _PICTURE.sub("", lines)
        lines = _with_whole_tables(lines if dialect.mdx else without_indent(lines))
    scan = MarkupScan(lines, path, dialect)
    cleaned = _with_whole_rows(clean_markup(scan, on_tag).split("\n"))
    rows = [one for number, line in enumerate(cleaned, 1) for one in _rows(line, number, scan.inserts)]
    rows = [one for run in _quotes(rows) for one in run]
    rows = rows or [("", 1)]
    return ReadableText("\n".join(line for line, _ in rows), _ascending([number for _, number in rows]))


def _dialect(text: str, path: str) -> Dialect:
    if path.lower().endswith(".mdx"):
        return Dialect(mdx=True, strict="all", torn=True)
    if "{/*" in text or looks_mdx(text):
        return Dialect(mdx=True, strict="components", torn=True)
    return Dialect(torn=True)


def _with_whole_ends(text: str) -> str:
    """The text with a beginning for a tag whose attributes it begins with, and an end for one that it ends within."""
    if _ENDS_TAG.match(text):
        text = f"<Part {text}"
    if _BEGINS_TAG.search(text):
        return f"{text}/>"
    torn = _TORN_TAG.search(text)
    return f"{text}{_closing(torn[0])}" if torn else text


def _closing(tag: str) -> str:
    """What ends a tag that an attribute in braces is torn in; "" for one that ends.

    >>> _closing("<Boats list={[{ name: 'a}' }, {"), _closing("<Boats list={[1 > 0]}>\\nRow")
    ('}]}/>', '')
    """
    awaited: list[str] = []
    for sign in tag:
        if awaited and sign == awaited[-1]:
            awaited.pop()
        elif awaited and awaited[-1] in "\"'`":
            continue
        elif sign == ">" and not awaited:
            return ""
        elif sign in _PAIRS:
            awaited.append(_PAIRS[sign])
    return "".join(reversed(awaited)) + "/>" if awaited else ""


def _head_in_words(text: str) -> str:
    """What a page's own facts say of it, where the text has nothing else."""
    lines = text.split("\n")
    if not _SAID.fullmatch(lines[0]) or not all(map(_FACT.fullmatch, lines)):
        return text
    return "\n".join(_values_said(lines))


def _values_said(lines: Sequence[str]) -> Iterator[str]:
    """Of each line of facts what readers see of it, be it a part of a value of several lines; else ""."""
    is_folded = False
    for line in lines:
        fact = _SAID.fullmatch(line)
        is_value = is_folded and line[:1] in " \t"
        is_folded = bool(_FOLDED.fullmatch(fact["said"])) if fact else is_value
        yield line.strip() if is_value else fact["said"] if fact and not is_folded else ""


def _with_whole_tables(text: str) -> str:
    """The text with a beginning for a table that begins before it, and an end for one that ends behind it."""
    first = _IN_TABLE.search(text)
    if first and first[0] != "<table":
        text = f"{text[: first.start()]}<table>{text[first.start() :]}"
    return text + "</table>" * (text.count("<table") - text.count("</table"))


def _with_whole_rows(lines: Sequence[str]) -> Sequence[str]:
    """The cleaned lines, a rendered line break in a row of a table as a blank: a row is one line.

    A row begins with a bar, or has one and stands with the rule below a table's head; or with others that all have one
    where the text begins, which may be inside of a table.
    """
    kept: list[str] = []
    is_first = True
    for is_blank, run in groupby(lines, key=lambda line: not line.strip()):
        held = list(run)
        if not is_blank and any(BREAK in line for line in held):
            is_table = any(map(_RULE.fullmatch, held)) or (is_first and all(map(_BAR.search, held)))
            held = [_BREAKS.sub(" ", line) if _is_row(line, is_table) else line for line in held]
        is_first = is_first and is_blank
        kept += held
    return kept


def _is_row(line: str, is_table: bool) -> bool:
    """Whether a line is one, in a run that `is_table` or by its own bars."""
    bars = len(_BAR.findall(line))
    return bars > (0 if is_table else 1) and (is_table or line.lstrip(" \t>").startswith("|"))


def _ascending(numbers: Sequence[int]) -> Sequence[int]:
    """Each number, or the least of those behind it: of a table all rows stand at its last line's or before."""
    return [*accumulate(reversed(numbers), min)][::-1]


def _rows(line: str, number: int, inserts: Sequence[Insert]) -> Iterator[tuple[str, int]]:
    """The lines that a cleaned line becomes, with the lines that they stand on."""
    if found := _INSERT.fullmatch(line):
        yield from _inserted(inserts[int(found["number"])], _plain(found["before"]), number)
        if found["rest"].strip(f" \t{BREAK}{NOTHING}"):
            yield from _rows(found["rest"].lstrip(f" \t{BREAK}"), number, inserts)
        return
    shown = _without_sign(_plain(line))
    pieces = [one for one in shown.split("\n") if one.strip()]
    if pieces or not line.strip(" \t") or BREAK in line:  # lines inside of a tag do not end a paragraph
        yield from ((one, number) for one in pieces or [""])


def _without_sign(line: str) -> str:
    """A line, where it opens a quote of a kind by its title or the kind's name."""
    alert = _ALERT.fullmatch(line)
    if alert is None:
        return line
    title = alert["title"] or alert["kind"].replace("-", " ").capitalize()
    return f"{alert['mark']}{title.strip().rstrip(':')}:"


def _quotes(rows: Sequence[tuple[str, int]]) -> Iterator[Sequence[tuple[str, int]]]:
    """Runs of lines that are quoted, and of others; quotes without the empty lines that blocks leave at their ends."""
    for is_quote, run in groupby(rows, key=lambda row: row[0].lstrip()[:1] == ">"):
        held = list(run)
        told = [n for n, (line, _) in enumerate(held) if not is_quote or line.strip(" \t>")]
        yield held[told[0] : told[-1] + 1] if told else []


def _inserted(insert: Insert, before: str, number: int) -> Iterator[tuple[str, int]]:
    """The lines of what has no place in Markdown; those of a table as they are drawn, without a rule below the head."""
    yield "", number
    if insert.kind == "table":
        for row in insert.rows:
            yield f"{before}| {' | '.join(map(_cell, row.cells))} |", row.start_line
    else:
        yield from ((f"{before}{one}", number) for one in insert.text.split("\n"))
    yield "", max((row.start_line for row in insert.rows), default=number)


def _cell(cell: str) -> str:
    """A cell in a line, its bars escaped."""
    return _BAR.sub(r"\|", " ".join(_plain(_LABEL.sub(" ", cell)).split()))


def _plain(text: str) -> str:
    """Without marks of the markup pass; a rendered line break ends the line."""
    return text.replace(BREAK, "\n").replace(TICK, "`").replace(NOTHING, "")
