"""HTML and JSX inside Markdown: what each element becomes in the cleaned text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from inspect import cleandoc
from itertools import chain, pairwise

from quire.parsing.formats import fenced
from quire.parsing.javascript import TECHNICAL, is_code_attribute, quoted_values
from quire.parsing.markup import emit_strings
from quire.parsing.scan import BREAK, INSERT, NOTHING, TICK, Insert, MarkupScan, OpenTable, Row, fence_behind
from quire.parsing.tags import (
    BLOCK,
    CELLS,
    DROPPED,
    HEADINGS,
    KNOWN,
    VOID,
    Tag,
    code_values,
    facts,
    shown_attributes,
)

_TABS = frozenset(("TabItem", "Tab", "Tabs.Tab"))
_TAB = re.compile(r"\{[^{}]*+\}")
_TAB_FACT = re.compile(
    r"""
    \b(label|value)\s*+:\s*+(["'])([^"'\n]*+)\2  # of Docusaurus: values={[{label: "A tab", value: "a"}]}
    """,
    re.VERBOSE,
)
_SPELLED = {"javascript": "JavaScript", "typescript": "TypeScript", "ios": "iOS", "macos": "macOS"}
"""Tabs that are usual, where a page takes their labels from somewhere else."""
_REST = re.compile(r"(?:[ \t]|</[\w.-]+[ \t]*>)*(?:\n|$)")
_LISTS = frozenset(("ul", "ol"))
_QUOTING = frozenset(("code", "samp", "tt", "var"))
_TAG = re.compile(r"</?[A-Za-z][^<>]*+>")
_BR = re.compile(r"<br\s*+/?>", re.IGNORECASE)
_LANGUAGE = re.compile(
    r"""
    <(?:pre|code)\b [^<>]*? \b(?:class|lang)=["']   # an attribute of either element
    [^"'<>]*? \blang(?:uage)?-([\w+\#.-]+)         # whose value names a language, as highlighters want it
    """,
    re.VERBOSE,
)
_EXPONENT = re.compile(
    r"""
    (?P<raised>
      (?! (?:st|nd|rd|th|TM)< )         # an ordinal, a sign
      [\w+\u2212–*/.\s-]{1,24}          # a number, a variable, a short term
    ) </sup>
    """,
    re.VERBOSE,
)
_ONE_WORD = re.compile(r"[+\u2212-]?\w++")
_BASE = re.compile(
    r"""
    (?<![\w/.,-]) _?                    # neither in a longer number or name nor behind a sign that goes on in one
    (?: \d{1,2} | [^\W\d_] | [cdkm]m )  # a small number, a variable, a unit of length
    _?$
    """,
    re.VERBOSE,
)
"""What stands before an exponent: behind a word, a bracket or a long number it is mostly a footnote's number."""
_DIRECTIVE = re.compile(r"\sv-[a-z]")
_BLOCKS = "|".join(sorted(BLOCK - {"pre", "table", "tr", "td", "th", "thead", "tbody", "tfoot"}))
_HTML_BLOCK = re.compile(
    rf"""
    (?P<indent>[ ]{{0,3}})</?(?:
        (?:{_BLOCKS})(?=[\s/>])            # an element that is a block, whatever follows it
      | [A-Za-z][\w-]*+[^<>\n]*+>\s*$     # or any tag alone on its line
    )
    """,
    re.VERBOSE,
)
"""Where a block of HTML begins; it goes on to an empty line. Source: CommonMark 0.31, section 4.6."""
_BADGE = re.compile(r"(?:[ ]{0,3}#|\s*<h[1-6])[^\n]*<a\b[^<>\n]*>[ ]*")
"""What stands on the line before a picture that is a link in a heading."""
_LONGEST_HEADING = 4000
_APART = re.compile(r"<(pre|table)[\s>]")


def on_tag(scan: MarkupScan, tag: Tag) -> int:
    """Append what the tag becomes and return the offset to read on from.

    Raises:
        SourceError: the tag closes what is not open, and the dialect is strict about it.
    """
    if _is_text(scan, tag):
        scan.emit(scan.text[tag.start : tag.end])
        return tag.end
    _balance(scan, tag)
    _note_group(scan, tag)
    if tag.closes:
        _close(scan, tag)
        return tag.end
    if tag.name in DROPPED:
        return _drop(scan, tag)
    if tag.name == "sup" and (end := _power(scan, tag)):
        return end
    if tag.name == "pre" and (end := _preformatted(scan, tag)):
        return end
    if tag.name in scan.imports and scan.imports[tag.name] in scan.includes:
        props = {name: value for name, (_, value) in tag.strings.items()}
        line = scan.line(tag.start)
        if not scan.at_line_start:
            scan.emit(BREAK)
        scan.insert(Insert("include", line, scan.imports[tag.name], props=props))
        scan.blank(tag.start, tag.end)
        return tag.end
    return _open(scan, tag)


def _power(scan: MarkupScan, tag: Tag) -> int:
    """Append `^` and the exponent, as 2<sup>n</sup> would be read as 2n, and return where its element ends; 0 where
    nothing is raised to it: an ordinal, a sign, the number of a footnote behind a word."""
    exponent = _EXPONENT.match(scan.text, tag.end)
    if exponent is None or not _BASE.search(scan.text[max(tag.start - 4, 0) : tag.start]):
        return 0
    raised = " ".join(exponent["raised"].split())
    # Lines keep their numbers: what it goes on in comes behind it.
    scan.emit(
        (f"^{raised}" if _ONE_WORD.fullmatch(raised) else f"^({raised})") + "\n" * exponent[0].count("\n")
    )
    return exponent.end()


def _is_text(scan: MarkupScan, tag: Tag) -> bool:
    """Whether a lenient dialect should read the tag as text: `List<String>` in prose."""
    if tag.name in KNOWN:
        return False
    strict = scan.dialect.strict
    if strict == "all" or not tag.name or tag.empty or tag.name in scan.imports:
        return False
    if strict == "components" and tag.is_component and scan.at_line_start:
        return False
    if tag.closes:
        return scan.first(f"<{tag.name}") > tag.start
    return scan.find(f"</{tag.name}", tag.end) < 0


def _balance(scan: MarkupScan, tag: Tag) -> None:
    strict = scan.dialect.strict
    if (
        tag.empty
        or scan.dialect.torn
        or strict == "none"
        or (strict == "components" and not tag.is_component)
    ):
        return
    if not tag.closes:
        scan.open_tags.append(tag)
        return
    if tag.name in VOID:
        return
    if not scan.open_tags:
        raise scan.fail(tag.start, f"</{tag.name}> closes nothing")
    opened = scan.open_tags.pop()
    if opened.name != tag.name:
        raise scan.fail(
            tag.start,
            f"</{tag.name}> found where </{opened.name}> was wanted, opened on line {scan.line(opened.start)}",
        )


def _drop(scan: MarkupScan, tag: Tag) -> int:
    close = -1 if tag.empty else scan.find(f"</{tag.name}", tag.end)
    end = scan.text.find(">", close) + 1 if close >= 0 else 0
    end = end or tag.end
    if end > tag.end and scan.open_tags and scan.open_tags[-1] is tag:
        scan.open_tags.pop()
    scan.blank(tag.start, end)
    return end


def _preformatted(scan: MarkupScan, tag: Tag) -> int:
    """Append an insert with the code that `<pre>` holds; gives where it ends, or 0 where it is to be read as text.

    That is so in a table, in the middle of a line where there is no line break to give it one of its own, and where
    its content is an expression of JSX.
    """
    close = -1 if scan.tables else scan.find("</pre", tag.end)
    end = scan.text.find(">", close) + 1 if close >= 0 else 0
    if not end or (scan.dialect.mdx and scan.text.find("{", tag.end, close) >= 0):
        return 0
    lines = scan.text.count("\n", tag.start, end)
    if not (lines or scan.at_line_start):
        return 0
    if scan.open_tags and scan.open_tags[-1] is tag:
        scan.open_tags.pop()
    code = unescape(_TAG.sub("", _BR.sub("\n", scan.text[tag.end : close]))).strip("\n").rstrip()
    apart = not scan.at_line_start
    scan.emit("\n" * apart)
    if code.strip():
        language = _LANGUAGE.search(scan.text, tag.start, close)
        block = fenced(code, language[1] if language else "")
        scan.insert(Insert("code", scan.line(tag.start), block, end_line=scan.line(end - 1)))
    scan.emit("\n" * (lines - apart))
    return end


def _in_ticks(code: str) -> str:
    """Code inside a line: two ticks around what has one itself. Source: CommonMark 0.31, section 6.1."""
    line = " ".join(code.split())
    return f"{TICK * 2} {line} {TICK * 2}" if "`" in line else f"{TICK}{line}{TICK}"


def _code_attributes(scan: MarkupScan, tag: Tag) -> int:
    """Append an insert with the code that a component on lines of its own shows, and return where it ends.

    What else a reader sees of it stands on the line above; 0 where there is no code, or no such line.
    """
    values = code_values(tag) if tag.is_component and tag.empty and not scan.tables else []
    if not (values and scan.at_line_start and _REST.match(scan.text, tag.end)):
        return 0
    told = [
        tag.attribute(name)
        for name in shown_attributes(tag)
        if not is_code_attribute(name, tag.attribute(name))
    ]
    lines = scan.text.count("\n", tag.start, tag.end)
    if told and not lines:
        return 0
    if told:
        scan.emit(f"{' '.join(' '.join(told).split())}\n")
    block = fenced("\n".join(map(cleandoc, values)), tag.attribute("lang") or tag.attribute("language"))
    scan.insert(Insert("code", scan.line(tag.start), block, end_line=scan.line(tag.end - 1)))
    scan.emit("\n" * (lines - bool(told)))
    return tag.end


def _note_group(scan: MarkupScan, tag: Tag) -> None:
    """Count groups of code that are open, and keep what tabs that are open call theirs by place."""
    if tag.name == "CodeGroup" and not tag.empty:
        scan.code_groups += -1 if tag.closes else 1
    elif tag.name == "Tabs" and tag.closes:
        del scan.tab_items[-1:]
    elif tag.name == "Tabs" and not tag.empty:
        scan.tab_items.append([value for _, value in quoted_values(tag.expressions.get("items", (0, ""))[1])])


def _open(scan: MarkupScan, tag: Tag) -> int:
    if tag.name in HEADINGS:
        return _heading(scan, tag)
    if tag.name == "table":
        scan.tables.append(OpenTable(len(scan.out), scan.line(tag.start), scan.at_line_start))
    elif scan.tables and tag.name in ("tr", *CELLS):
        _mark(scan, tag.name, tag.start)
    elif _stands_for_row(scan, tag):
        _component_row(scan, tag)
        return tag.end
    elif end := _code_attributes(scan, tag):
        return end
    else:
        scan.emit(_before_content(scan, tag))
    _attributes(scan, tag)
    return tag.end


def _stands_for_row(scan: MarkupScan, tag: Tag) -> bool:
    """Whether it is a component without content that stands among the rows of a table."""
    if not (scan.tables and tag.is_component and tag.empty and tag.strings):
        return False
    events = scan.tables[-1].events
    return not events or events[-1][0] == "/tr"


def _component_row(scan: MarkupScan, tag: Tag) -> None:
    """Write a component that makes a row: its quoted attributes are the cells, in their order, addresses apart."""
    _mark(scan, "tr", tag.start)
    for name, (_, value) in tag.strings.items():
        if name not in TECHNICAL and value.strip():
            _mark(scan, "td", tag.start)
            scan.emit(_in_ticks(value) if is_code_attribute(name, value) else " ".join(value.split()))
    _mark(scan, "/tr", tag.start)
    scan.blank(tag.start, tag.end)


def _before_content(scan: MarkupScan, tag: Tag) -> str:
    """What stands in for an opening tag: a break, a list mark, a code mark, a plus between keys, or nothing."""
    if tag.name in _QUOTING:
        return TICK
    if tag.name == "kbd":
        return "+" if scan.text.endswith("</kbd>", 0, tag.start) else ""
    if tag.is_inline or _is_in_line(scan, tag):
        return ""
    apart = BREAK if tag.name == "br" or not scan.at_line_start else ""
    if tag.name in _LISTS:
        scan.list_depth += 1
    nested = "  " * (scan.list_depth - 1) if scan.at_line_start else ""
    return f"{apart}{nested}- " if tag.name == "li" else apart


def _is_in_line(scan: MarkupScan, tag: Tag) -> bool:
    """Whether a component stands inside of a line of text, as badges and tooltips do: words follow its other half."""
    if not tag.is_component or scan.at_line_start or tag.name in _TABS:
        return False
    text = scan.text
    begins, ends = text.rfind("\n", 0, tag.start) + 1, text.find("\n", tag.end)
    ends = len(text) if ends < 0 else ends
    if tag.closes:
        return text.find(f"<{tag.name}", begins, tag.start) >= 0 and text[tag.end : tag.end + 1] != "<"
    is_whole = tag.empty or text.find(f"</{tag.name}", tag.end, ends) >= 0
    return is_whole and text[tag.start - 1] != ">"


def _heading(scan: MarkupScan, tag: Tag) -> int:
    """A heading on a line of its own becomes a Markdown heading, any other a line of text.

    One with a directive, such as `<h1 v-else>`, is part of an example that the page runs.
    """
    gap = re.compile(r"\s*").match(scan.text, tag.end)
    start = gap.end() if gap else tag.end
    close = scan.find(f"</{tag.name}", start)
    alone = close >= 0 and "\n" not in scan.text[start:close].rstrip() and _ends_line(scan, close)
    if scan.tables or not scan.at_line_start or not alone or _DIRECTIVE.search(scan.text, tag.start, tag.end):
        scan.emit("" if scan.at_line_start else BREAK)
        return tag.end
    scan.blank(tag.start, start)
    scan.emit("#" * int(tag.name[1]) + " ")
    return start


def _attributes(scan: MarkupScan, tag: Tag) -> None:
    """Append the text of attributes, on their own lines; a tab's label becomes a line of its own."""
    if tag.name in _TABS:
        _tab(scan, tag)
        return
    if not (tag.strings or tag.expressions):
        scan.blank(tag.start, tag.end, keep=tag.is_inline)
        return
    said = facts(tag) if scan.at_line_start and _REST.match(scan.text, tag.end) else {}
    shown = [
        (*tag.strings[name], TICK * is_code_attribute(name, tag.attribute(name)))
        for name in shown_attributes(tag)
        if name not in said and not _is_badge(scan, tag)
    ]
    if tag.is_component:
        expressions = _without_tab_labels(scan, tag)
        shown += [(at, code, name) for name, (at, code) in expressions.items() if name not in said]
    scan.emit("".join(f"{line}{BREAK}" for line in said.values()))
    done = tag.start
    for at, text, key in sorted(shown):
        scan.blank(done, at, keep=tag.is_inline)
        done = at + len(text)
        if key == TICK:
            scan.emit(f"{_in_ticks(text)}{'' if _is_in_line(scan, tag) else BREAK}")
        elif key:
            emit_strings(scan, text, at, key)
        else:
            scan.emit(text if tag.is_inline else f"{text}{BREAK}")
    scan.blank(done, tag.end, keep=tag.is_inline)


def _is_badge(scan: MarkupScan, tag: Tag) -> bool:
    """Whether it is a picture that is a link in a heading that has words too."""
    if tag.name != "img":
        return False
    least = max(tag.start - _LONGEST_HEADING, 0)
    begins = max(scan.text.rfind("\n", least, tag.start) + 1, least)
    if not _BADGE.fullmatch(scan.text, begins, tag.start):
        return False
    heading = scan.text[begins : begins + _LONGEST_HEADING].partition("\n")[0]
    return bool(re.search(r"\w", re.sub(r"<[^<>]*+>", "", heading)))


def _tab(scan: MarkupScan, tag: Tag) -> None:
    """Append a tab's label or title, else its value, else what the tabs around it call it by its place."""
    places = scan.tab_items[-1] if scan.tab_items else []
    value, place = tag.attribute("value"), places.pop(0) if places else ""
    label = tag.attribute("label") or tag.attribute("title") or scan.tab_labels.get(value)
    label = label or _SPELLED.get(value, value) or place
    if label and scan.at_line_start and _REST.match(scan.text, tag.end):
        scan.insert(Insert("label", scan.line(tag.start), f"{label}:"))
    elif label:
        scan.emit(f"{'' if scan.at_line_start else BREAK}{label}: ")
    scan.blank(tag.start, tag.end)


def _without_tab_labels(scan: MarkupScan, tag: Tag) -> Mapping[str, tuple[int, str]]:
    """The expressions of a component but for labels of tabs, which are kept for the tabs inside of it."""
    if tag.name != "Tabs":
        return tag.expressions
    if "values" not in tag.expressions:
        return {name: said for name, said in tag.expressions.items() if name != "items"}
    for one in _TAB.finditer(tag.expressions["values"][1]):
        told = {name: value for name, _, value in _TAB_FACT.findall(one[0])}
        scan.tab_labels[told.get("value", "")] = told.get("label", "")
    return {name: said for name, said in tag.expressions.items() if name != "values"}


def _closes_line(scan: MarkupScan, tag: Tag) -> bool:
    """Whether the tag closes a Markdown heading, which its line's end ends."""
    return tag.name[:1] == "h" and (tag.name not in HEADINGS or _ends_line(scan, tag.start))


def _ends_line(scan: MarkupScan, start: int) -> bool:
    """Whether nothing but closing tags stands behind the tag that begins at `start`, on the line where it ends."""
    return bool(_REST.match(scan.text, scan.text.find(">", start) + 1))


def _close(scan: MarkupScan, tag: Tag) -> None:
    scan.list_depth -= tag.name in _LISTS and scan.list_depth > 0
    if tag.name == "table" and scan.tables:
        _end_table(scan, scan.tables.pop(), scan.line(tag.start))
    elif scan.tables and tag.name == "tr":
        _mark(scan, "/tr", tag.start)
    elif tag.name in _QUOTING:
        scan.emit(TICK)
    elif (
        tag.name not in CELLS
        and not (tag.is_inline or _is_in_line(scan, tag))
        and not _closes_line(scan, tag)
        and not scan.at_line_start
    ):
        scan.emit(BREAK)
    scan.blank(tag.start, tag.end, keep=tag.is_inline)


def _mark(scan: MarkupScan, name: str, offset: int) -> None:
    scan.tables[-1].events.append((name, len(scan.out), scan.line(offset)))


def _end_table(scan: MarkupScan, table: OpenTable, last_line: int) -> None:
    """Replace what was written since `<table>` by an insert with its rows."""
    rows = _rows(scan, table, last_line)
    written = scan.out[table.begin :]
    caption = _before_rows(scan, table)
    del scan.out[table.begin :]
    scan.at_line_start = table.at_line_start
    lines = sum(piece.count("\n") for piece in written)
    if scan.tables or not scan.at_line_start:
        text = BREAK.join(" ".join(row.cells) for row in rows)
        scan.emit(re.sub(r"\s+", " ", f"{caption} {text}"))
        scan.emit(f"{NOTHING}\n" * lines)
        return
    if caption:
        rows = (Row((caption,), table.line, table.line), *rows)
    scan.insert(Insert("table", table.line, rows=rows))
    scan.emit("\n" * lines)


def _rows(scan: MarkupScan, table: OpenTable, last_line: int) -> tuple[Row, ...]:
    rows: list[Row] = []
    cells: list[str] = []
    row_line = table.line
    for (name, at, line), (_, until, _) in pairwise([*table.events, ("end", len(scan.out), last_line)]):
        if name in CELLS:
            cells.append(_in_one_line("".join(scan.out[at:until])))
            continue
        rows.append(Row(tuple(cells), row_line, line))
        cells, row_line = [], line
    rows.append(Row(tuple(cells), row_line, last_line))
    return tuple(row for row in rows if any(cell.strip() for cell in row.cells))


def _in_one_line(cell: str) -> str:
    """A cell whose list would tear its row, with the items behind each other.

    >>> _in_one_line("Either\\n- open\\n  - wide\\n- shut")
    'Either open; wide; shut'
    """
    lines = [line.strip() for line in re.split(rf"[\n{BREAK}]+", cell) if line.strip()]
    items = [place for place, line in enumerate(lines) if line.startswith("- ")]
    if not items:
        return cell
    joints = ["; " if place in items[1:] else " " for place in range(1, len(lines))]
    words = [line.removeprefix("- ") for line in lines]
    return "".join(chain.from_iterable(zip(["", *joints], words, strict=True)))


def _before_rows(scan: MarkupScan, table: OpenTable) -> str:
    """Text before a table's first row, such as its caption, without line breaks or inserts."""
    first = table.events[0][1] if table.events else len(scan.out)
    text = "".join(scan.out[table.begin : first])
    return "" if INSERT in text else re.sub(rf"[\s{BREAK}]+", " ", text).strip()


def without_indent(text: str) -> str:
    """The text with the lines of HTML blocks as far left as these begin: what is indented there is no code.

    Tables and preformatted text stay as they are: they are read apart.
    """
    lines = text.split("\n")
    margin: str | None = None
    fenced = apart = ""
    for number, line in enumerate(lines):
        before, fenced = fenced, fenced if apart else fence_behind(fenced, line)
        if fenced or before:
            margin = None
        elif apart or _APART.search(line):
            apart = apart or "".join(f"</{opened}" for opened in _APART.findall(line)[:1])
            apart, margin = "" if apart in line else apart, None
        elif not line.strip():
            margin = None
        elif margin is not None:
            lines[number] = margin + line.lstrip(" \t") if line.startswith(("    ", "\t")) else line
        elif begins := _HTML_BLOCK.match(line):
            margin = begins["indent"]
    return "\n".join(lines)
