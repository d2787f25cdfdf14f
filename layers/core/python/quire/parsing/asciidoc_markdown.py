"""AsciiDoc as Markdown: what its blocks, lists, tables and links say, with the line that each one stands on.

Source: https://docs.asciidoctor.org/asciidoc/latest/. What only lays out is left out; includes and conditions are not
followed.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

ASCIIDOC = (".adoc", ".asciidoc", ".asc")
LONGEST_LINE = 2_000
"""Up to which a line may take in the next one."""

_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)")
_UNDERLINE = re.compile(r"={2,}|-{2,}|~{2,}|\^{2,}|\+{2,}")
_LEVELS = "=-~^+"
"""By the sign that a title is underlined with: a document's own, a section's, and so on."""
_TITLE_BEGINS = re.compile(r"[\w{`'\"(]")
_CODE_PARAGRAPHS = frozenset(("source", "listing", "literal", "verse", "synopsis"))
_DELIMITER = re.compile(
    r"""
    ( -{4,} | \.{4,} | ={4,} | \*{4,} | _{4,} | \+{4,} | /{4,}  # listing, literal, example, sidebar, quote, ...
    | ```[\w+#.-]*+  # code, as in Markdown
    | [|,:!]={3,}  # a table
    | --           # an open block
    )[ \t]*
    """,
    re.VERBOSE,
)
_ATTRIBUTE = re.compile(r":(!?[\w-]++!?):(?:[ \t]++(.*))?")
_STYLE = re.compile(
    r"""
    \[([^\[\]]*+)\][ \t]*                    # [source,python], [#id]
    | \[\[([\w:.-]++)(?:,[^\]]*+)?\]\][ \t]*  # [[id]]
    """,
    re.VERBOSE,
)
_TITLE = re.compile(r"\.([^\s.].*)")
_CALLOUT = re.compile(r"(NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+(\S.*)")
_ITEM = re.compile(
    r"""
    [ \t]*+(?:
      (?P<mark>\*{1,5}|-|\.{1,5}|\d{1,3}\.)  # as many as it is deep
    | <(?:\d{1,2}|\.)>                       # what a number in code stands for
    )[ \t]++(?P<words>\S.*)
    """,
    re.VERBOSE,
)
_TERM = re.compile(
    r"""
    [ \t]*+(?P<term>:?[^\s:].{0,400}?)[ ]?
    (?P<mark>:{2,4}|;;)(?:[ \t]++(?P<words>\S.*+))?+[ \t]*+  # its definition may begin on the next line
    """,
    re.VERBOSE,
)
_DIRECTIVE = re.compile(
    r"""
    (?:ifdef|ifndef|ifeval|endif|include|toc|image|video|audio|tag|end)::
    [^\[]*+\[.*\][ \t]*  # what it is given
    """,
    re.VERBOSE,
)
_CONDITION = re.compile(r"ifn?def::[\w,+-]++\[(.+)\][ \t]*")
_COLUMNS = re.compile(r"\bcols\s*+=\s*+\"?+([^\"\]]++)")
_REPEATED = re.compile(r"(?<!\d)(\d{1,2}+)\*")
_CELL = re.compile(
    r"""
    (?<!\\)(?: (?<![^\s|])(?: (?P<times>\d{1,2}+)\*               # 3*| stands for three cells
      | (?:(?P<wide>\d{1,2}+)?+(?:\.(?P<high>\d{1,2}+))?+\+)?+  # 2.3+| takes two columns of three rows
        [<^>.]{0,3}[aehlmsdv]?                                # ^.^a| says where its text stands, and its kind
    ))?\|
    """,
    re.VERBOSE,
)
NO_NAMES: Mapping[str, str] = MappingProxyType({})
_SIGNS = r"""
plus+ vbar| amp& lt< gt> apos' quot" lsquo‘ rsquo’ ldquo“ rdquo” deg° startsb[ endsb] caret^ asterisk* tilde~
backslash\ backtick`
"""
_INTRINSIC = {
    **dict.fromkeys(("nbsp", "sp"), " "),
    **dict.fromkeys(("empty", "blank", "zwsp", "wj"), ""),
    **{one[:-1]: one[-1] for one in _SIGNS.split()},
    "cpp": "C++",
    "two-colons": "::",
    "two-semicolons": ";;",
}
"""Source: Asciidoctor's manual, "Character Replacement Attributes Reference"."""
_ONLY_NAMES = re.compile(r"[*_]*+(?:\{[\w-]{1,80}+\}[ \t.,:*_]*+)++")
_HELD_NAME = re.compile(r"\\(?=\{[\w-]{1,80}+\})")
"""Says that no attribute is meant."""
_OPEN_LINK = re.compile(
    r"""
    (?: \b(?:xref|link): | https?:// )[^\s\[\]]{1,500}+
    \[[^\]]{0,500}+$  # its words go on in the next line
    """,
    re.VERBOSE,
)
_STYLE_IN_CELL = re.compile(r"\[(?:align|valign|role|width)=[^\[\]]{0,80}+\][ \t]*+")
_NAMES = re.compile(r"(?<!\\)\{([\w-]{1,80})\}")
_LINK = re.compile(
    r"""
    (?:link:|mailto:|(?=https?://|ftp://)) (?P<address>[^\s\[\]<>]{1,500}+) \[(?P<said>[^\]]{0,500}+)\]
    | \{[\w-]{1,80}+\}[^\s\[\]<>`]{0,500}+\[(?P<words>[^\]\n]{1,500}+)\]  # its address begins with an unknown name
    | xref:(?P<page>[^\s\[\]]{1,300}+)\[(?P<shown>[^\]]{0,500}+)\]
    | <<(?P<anchor>[^<>,\n]{1,200}+)(?:,\s*+(?P<named>[^>\n]{0,500}+))?>>
    | (?:kbd|btn):\[(?P<key>[^\]\n]{1,100}+)\]
    | menu:(?P<menu>[^\s\[\]]{1,100}+)\[(?P<choice>[^\]\n]{0,200}+)\]
    | footnote:[\w-]*+\[(?P<note>[^\]\n]{1,1000}+)\]
    | (?:image|icon|anchor|indexterm):[^\s\[\]]{0,300}+\[[^\]\n]{0,500}+\]
    | \(\(\([^()\n]{1,300}+\)\)\) | \[\[[\w:.-]{1,100}+\]\]  # for the index, for links
    | \[[.\#\w%-]{1,60}+\](?=[\#*_`])                      # the role of what follows
    | \(\((?P<indexed>[^()\n]{1,200}+)\)\)
    | (?<![\w:/.-])(?:man|link[a-z]{2,12}+):(?P<manual>\w[\w.-]{0,80}+)\[(?P<chapter>\d\w{0,3}+)\]  # git-log(1)
    | (?<![\w:/.-])[a-z]{3,16}+:(?P<made>\w[\w./-]{0,80}+)  # a macro of the site's own, no x:y[0]
      \[(?P<of>(?![\d\s,:.]+\])[^\[\]\n]{0,200}+)\]
    """,
    re.VERBOSE,
)
_LITERAL = re.compile(
    r"""
    `\+{3}([^`\n]{1,300}?)\+{3}` | `\+{2}([^`\n]{1,300}?)\+{2}`  # `+++code+++`, `++code++`
    | `\+([^`\n]{1,300}?)\+`                                 # `+code+`
    | (?<!\w)\+\+([^\n]{1,300}?)\+\+(?!\w)                 # ++`code`++, marks and all
    | (?<!\w)\+([^+\s](?:[^+\n]{0,200}[^+\s])?)\+(?!\w)      # +code+
    | pass:\w{0,20}+\[([^\]\n]{0,500}+)\]
    | \$\$([^$\n]{1,300}+)\$\$
    """,
    re.VERBOSE,
)
_QUOTED = re.compile(r"""(["'])`([^`\n]{1,300}+)`\1""")
_MARKED = re.compile(
    r"""
    (?<![\w\#])\#\#?([^\s\#](?:[^\#\n]{0,200}[^\s\#])?)\#\#?(?![\w\#])  # #highlighted#
    """,
    re.VERBOSE,
)
_BRACKET = re.compile(r"[\[\]()|<>]")
_BAR = re.compile(r"\\?\|")
_ANGLE = re.compile(r"<(?=[A-Za-z/!])")
_CODE = re.compile(r"(`[^`\n]++`)")
_INCLUDE = re.compile(r"[ \t]*+include::([^\s\[\]]++)\[[^\]\n]*+\][ \t]*+")
_SEPARATED = re.compile(
    r"""
    separator=["']?([^"'\s\]])
    | format=["']?(csv|dsv|tsv)  # what each is parted by stands below
    """,
    re.VERBOSE,
)
_SEPARATORS = {",": ",", ":": ":", "csv": ",", "dsv": ":", "tsv": "\t"}
"""What parts the cells of tables by their delimiter (`,===`) and by their format."""
_ADMONITIONS = frozenset(("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"))


def as_markdown(text: str, names: Mapping[str, str] = NO_NAMES) -> tuple[str, Sequence[int]]:
    """A document of AsciiDoc as Markdown, and of each line of it the line that it stands on in the document, from 1.

    `names` are the attributes that its site sets; one that nobody sets stays as it is written, and says nothing alone.

    >>> as_markdown("= Boats\\n\\nNOTE: Mind the *tide*.\\n\\n[source,sh]\\n----\\nrow\\n----\\n")[0].split("\\n\\n")
    ['# Boats', 'Note: Mind the *tide*.', '```sh\\nrow\\n```', '']
    """
    reader = _AsciiDocReader(names)
    lines = [line.rstrip() for line in text.split("\n")]
    for number, (line, following) in enumerate(zip(lines, [*lines[1:], ""], strict=True), 1):
        reader.take(line, number, following)
    reader.end()
    return "\n".join(reader.lines), reader.numbers or [1]


def underlined_level(line: str, following: str) -> int:
    """The level of a title that the line below it underlines, as long as it is or by a letter more or less; else 0.

    >>> underlined_level("NAME", "----"), underlined_level("Row:", "--------"), underlined_level("", "")
    (2, 0, 0)
    """
    if abs(len(line) - len(following)) > 1 or not _UNDERLINE.fullmatch(following):
        return 0
    return _LEVELS.index(following[0]) + 1 if _TITLE_BEGINS.match(line) else 0


@dataclass(slots=True)
class _DelimitedBlock:
    """An open delimited block: its delimiter, what stands before its lines, the indentation of the item it is in.

    The delimiter of a paragraph of code is the blank line behind it.
    `outer` are the marks of the lists that it stands in, which go on behind it; `ends` is who said what it quotes.
    """

    delimiter: str
    mark: str = ""
    is_code: bool = False
    is_hidden: bool = False
    is_filled: bool = False
    indent: str = ""
    ends: str = ""
    outer: list[str] = field(default_factory=list)


class _SpannedCell(NamedTuple):
    """What a cell says, the line that it begins on, and how many columns and rows it takes."""

    words: str
    number: int
    wide: int = 1
    high: int = 1


@dataclass(slots=True)
class _TableRows:
    """A table whose cells are being read. `columns` is 0 until they are known; `code` are lines of it in a cell;
    `separator` is what parts the cells of one that is written as a file of values."""

    delimiter: str
    columns: int
    separator: str = ""
    cells: list[_SpannedCell] = field(default_factory=list)
    code: list[str] | None = None


class _AsciiDocReader:
    """Reads lines front to back; `lines` are those of the Markdown, `numbers` where each one stands."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.lines: list[str] = []
        self.numbers: list[int] = []
        self._names: dict[str, str] = {**_INTRINSIC, **names}
        self._blocks: list[_DelimitedBlock] = []
        self._table: _TableRows | None = None
        self._style = ""
        self._anchor = ""
        self._marks: list[str] = []  # of the items that are open, the outermost first
        self._counts: dict[str, int] = {}  # items of each so far
        self._indent = ""  # of what continues an item, by a line that is `+`
        self._number = 0
        self._torn = ""  # a line whose last link goes on in the next one
        self._is_underlined = False
        self._named = (0, "")  # behind which line a term stands that says nothing yet, and its mark

    def take(self, line: str, number: int, following: str = "") -> None:
        """Add a line of the document, which another one follows."""
        if self._is_underlined:
            self._is_underlined = False
            return
        self._number = number
        if self._torn:
            line, self._torn = f"{self._torn} {line.lstrip()}", ""
        block = self._blocks[-1] if self._blocks else None
        if block and (block.is_code or block.is_hidden):
            self._take_held(line, block)
        elif self._table is not None:
            self._take_row(line, self._table)
        elif level := self._level(line, following):
            self._is_underlined = True
            self._take_text(f"{'=' * level} {line}")
        else:
            self._take_line(line)

    def _take_line(self, line: str) -> None:
        if delimiter := _DELIMITER.fullmatch(line):
            self._delimit(delimiter[1])
        elif not line.strip():
            self._indent = ""
            self._show("")
        elif not self._is_layout(line):
            if _OPEN_LINK.search(line) and len(line) < LONGEST_LINE:
                self._torn = line
            else:
                self._take_text(line)

    def _level(self, line: str, following: str) -> int:
        """Of a title in two lines, 1 for a document's own; 0 for another line."""
        begins = not ((self.lines and self.lines[-1].strip()) or self._torn)
        level = underlined_level(line, following) if begins else 0
        return 0 if _ITEM.fullmatch(line) or _TERM.fullmatch(line) else level

    def end(self) -> None:
        """Close what the document leaves open."""
        if self._torn:
            self._take_text(self._torn)
        if self._table is not None:
            self._close_table()
        while self._blocks:
            if self._blocks[-1].is_code:
                self._show("```")
            self._blocks.pop()

    def _show(self, line: str) -> None:
        for block in reversed(self._blocks):
            line = f"{block.indent}{block.mark}{line}" if block.mark or block.indent else line
        self.lines.append(line.rstrip() if not line.strip(" >") else line)
        self.numbers.append(self._number)

    def _take_held(self, line: str, block: _DelimitedBlock) -> None:
        if line.strip() != block.delimiter:
            if block.is_code:
                self._show(self._code_line(line, block))
            return
        if block.is_code:
            self._show("```")
        self._blocks.pop()
        if block.indent:  # the list that it is a part of goes on
            self._marks = block.outer
        self._show("")

    def _code_line(self, line: str, block: _DelimitedBlock) -> str:
        """A line of code with the values of its attributes, where its block asks for them; of a file that stands
        elsewhere the path."""
        if included := _INCLUDE.fullmatch(line):
            return included[1]
        return self._filled(line) if block.is_filled else line

    def _filled(self, text: str) -> str:
        return _NAMES.sub(lambda found: self._names.get(found[1].lower(), found[0]), text)

    def _delimit(self, delimiter: str) -> None:
        """Begin or end a block."""
        for place, block in enumerate(self._blocks):
            if block.delimiter == delimiter:
                self._marks = block.outer
                if block.ends:
                    self._show("")
                    self._show(f"— {self._inline(block.ends)}")
                del self._blocks[place:]
                self._show("")
                return
        style, self._style = self._style, ""
        if delimiter.endswith("===") and delimiter[0] != "=":
            columns = _COLUMNS.search(style)
            written = _SEPARATED.search(style)
            parts = (
                written[1] or _SEPARATORS.get(written[2], "")
                if written
                else _SEPARATORS.get(delimiter[0], "")
            )
            self._table = _TableRows(delimiter, _count(columns[1]) if columns else 0, parts[:1])
            return
        block = _DelimitedBlock(delimiter, indent=self._indent, outer=self._marks)
        if delimiter != "--" or not block.indent:
            self._marks = []
        self._indent = ""
        self._begin(block, style)

    def _begin(self, block: _DelimitedBlock, style: str) -> None:
        """Show what a block begins with, and keep it open."""
        kind, _, words = (one.strip() for one in style.partition(","))
        kind = kind.partition("%")[0].partition("#")[0]
        sign = block.delimiter[:1]
        block.is_hidden = sign in ("/", "+")
        block.is_filled = "attributes" in style.partition("subs=")[2]
        block.is_code = sign in ("", "-", ".", "`") and block.delimiter != "--"
        if block.is_code:
            language = words.partition(",")[0].strip(' "') if kind in ("source", "") else ""
            self._show(f"{block.indent}```{block.delimiter.strip('`') if sign == '`' else language}")
            # Its language stands at its beginning alone.
            block.delimiter = "```" if sign == "`" else block.delimiter
        elif kind in _ADMONITIONS or sign == "_":
            block.mark = "> "
            block.ends = words.strip(' "') if kind in ("quote", "verse") else ""
        self._blocks.append(block)
        if kind in _ADMONITIONS and block.mark:
            self._show(f"[!{kind.lower()}]")

    def _is_layout(self, line: str) -> bool:
        """Whether a line says nothing itself: an attribute, a style, a comment, a directive."""
        if line.startswith("//") or line in ("'''", "<<<", "---", "***"):
            return True
        if line == "+":
            self._indent = "   " * len(self._marks)
            self._named = (0, "")
            self._show("")
            return True
        if attribute := _ATTRIBUTE.fullmatch(line):
            self._names[attribute[1].lower()] = (attribute[2] or "").strip()
            return True
        if style := _STYLE.fullmatch(line):
            if style[2] or "#" in (style[1] or "").partition(",")[0]:
                self._anchor = style[2] or style[1].partition("#")[2].partition(".")[0].partition(",")[0]
            self._style = style[1] or self._style
            return True
        if condition := _CONDITION.fullmatch(line):
            self._take_text(condition[1])
            return True
        return bool(_DIRECTIVE.fullmatch(line))

    def _take_text(self, line: str) -> None:
        kind = self._style.partition(",")[0]
        if heading := _HEADING.fullmatch(line):
            self._marks.clear()
            title = heading[2].removesuffix(heading[1]).rstrip()
            anchor = f" {{#{self._anchor}}}" if self._anchor else ""
            self._style = self._anchor = ""
            self._show("#" * len(heading[1]) + f" {self._inline(title)}{anchor}")
        elif title := _TITLE.fullmatch(line):
            said = self._inline(title[1])
            self._show(f"{said}:" if said[-1:].isalnum() or said.endswith(("`", ")")) else said)
            self._show("")
        elif item := _ITEM.fullmatch(line):
            self._item(item["mark"] or "<>", self._inline(item["words"]))
        elif (term := _TERM.fullmatch(line)) and "://" not in term["term"]:
            self._term(term["mark"], self._inline(term["term"]), self._inline(term["words"] or ""))
        elif line[0] in " \t" and not self._marks and self._is_new(of="    "):
            self._show("    " + line)  # a literal paragraph
        elif kind in _CODE_PARAGRAPHS:
            self._delimit("")
            self._take_held(line, self._blocks[-1])
        else:
            self._paragraph(line, kind)
        self._style = ""

    def _item(self, mark: str, words: str) -> None:
        """A list's item; one whose mark is open goes on with that list, any other begins one inside of it."""
        if mark[0].isdigit():
            mark = "1."
        if self.lines and not self.lines[-1].strip() and mark not in self._marks and self._style:
            self._marks.clear()
        if mark in self._marks:
            del self._marks[self._marks.index(mark) + 1 :]
        else:
            self._marks.append(mark)
            self._counts[mark] = 0
        self._counts[mark] += 1
        depth = "   " * (len(self._marks) - 1)
        self._show(f"{depth}{f'{self._counts[mark]}.' if mark[0] in '.1<' else '- '} {words}")

    def _term(self, mark: str, term: str, words: str) -> None:
        """A term with what it means; one right below a term that says nothing yet is another name of it."""
        said = f"**{term}**: {words}".rstrip()
        if self._named == (len(self.lines), mark):
            self.lines[-1] = f"{self.lines[-1].removesuffix(':')}, {said}"
        else:
            self._item(mark, said)
        self._named = (0, "") if words else (len(self.lines), mark)

    def _paragraph(self, line: str, kind: str) -> None:
        if kind in _ADMONITIONS:
            line = f"{kind.capitalize()}: {line}"
        elif said := _CALLOUT.fullmatch(line):
            line = f"{said[1].capitalize()}: {said[2]}"
        named = self._named[0]
        # Behind a term that says nothing yet.
        is_first = bool(named) and not any(map(str.strip, self.lines[named:]))
        is_told = bool(self._marks) and self._marks[-1][0] in ":;" and (is_first or line[0] in " \t")
        if self._is_new() and not self._indent and not is_told:
            self._marks.clear()
        is_inside = bool(self._marks) and (is_told or not self._is_new())
        indent = self._indent or ("   " * len(self._marks) if is_inside else "")
        words = self._inline(line.strip().removesuffix(" +"))
        self._show(indent + words if not _ONLY_NAMES.fullmatch(words) else "")

    def _is_new(self, of: str = "\n") -> bool:
        """Whether the next line begins a paragraph, or goes on with one whose lines begin so."""
        before = self.lines[-1] if self.lines else ""
        return not before.strip(" >") or before.startswith(of)

    def _take_row(self, line: str, table: _TableRows) -> None:
        if line.strip() == table.delimiter:
            self._close_table()
        elif table.separator:
            self._take_values(line, table)
        else:
            self._take_cells(line, table)

    def _take_cells(self, line: str, table: _TableRows) -> None:
        if table.cells and self._takes_code(line.strip(), table):
            return
        if condition := _CONDITION.fullmatch(line):
            line = condition[1]
        elif _DIRECTIVE.fullmatch(line) or line.startswith("//") or line == "+" or _STYLE.fullmatch(line):
            return
        line = _STYLE_IN_CELL.sub("", line.removesuffix(" +"))
        bars = list(_CELL.finditer(line))
        first = bars[0].start() if bars else len(line)
        if table.cells and line[:first].strip():  # it goes on with the cell before
            cell = table.cells[-1]
            table.cells[-1] = cell._replace(
                words=f"{cell.words} {self._inline(line[:first].strip())}".strip()
            )
        ends = [one.start() for one in bars[1:]] + [len(line)]
        for bar, end in zip(bars, ends, strict=False):  # a line without a bar has an end alone
            spans = int(bar["wide"] or 1), int(bar["high"] or 1)
            cell = _SpannedCell(self._inline(line[bar.end() : end].strip()), self._number, *spans)
            table.cells += [cell] * int(bar["times"] or 1)
        if not table.columns and table.cells:  # the first line with cells is a row
            table.columns = sum(cell.wide for cell in table.cells)

    def _take_values(self, line: str, table: _TableRows) -> None:
        """A row of a table that is written as a file of values."""
        values = next(csv.reader([line.strip()], delimiter=table.separator), [])
        table.columns = table.columns or len(values)
        values = [*values, *[""] * table.columns][: table.columns] if values else []
        table.cells += [_SpannedCell(self._inline(value.strip()), self._number) for value in values]

    def _takes_code(self, line: str, table: _TableRows) -> bool:
        """Whether a line is of code in a cell, or around it; it becomes a span there, as a row is one line."""
        if line in ("----", "...."):
            if table.code:
                cell = table.cells[-1]
                ticks = "``" if "`" in "".join(table.code) else "`"
                table.cells[-1] = cell._replace(
                    words=f"{cell.words} {ticks}{' '.join(filter(None, table.code))}{ticks}".strip()
                )
            table.code = [] if table.code is None else None
            return True
        if table.code is None:
            return False
        table.code.append(line)
        return True

    def _close_table(self) -> None:
        """Show the rows, the first one as the head: Markdown has no table without."""
        table, self._table = self._table, None
        if table is None or not table.cells:
            return
        width = table.columns or len(table.cells)
        last = self._number
        self._show("")
        for place, (number, row) in enumerate(_rows(table.cells, width)):
            self._number = number
            self._show("| " + " | ".join(_BAR.sub(r"\|", words) for words in row) + " |")
            if not place:
                self._show("|" + " --- |" * width)
        self._number = last
        self._show("")

    def _inline(self, text: str) -> str:
        """Words with links by what they say, attributes by their values, code between ticks."""
        if "{" in text:
            text = self._filled(text)
            text = _HELD_NAME.sub("", text)
        if '`"' in text or "`'" in text:
            text = _QUOTED.sub(lambda found: f"“{found[2]}”" if found[1] == '"' else f"‘{found[2]}’", text)
        text = _LITERAL.sub(_as_code, text)
        if "[" in text or "<<" in text or "((" in text:
            code = [found.span() for found in _CODE.finditer(text)]
            text = _LINK.sub(lambda found: _said(found, code), text)
        parts = _CODE.split(text)
        parts[::2] = [_ANGLE.sub(r"\<", _MARKED.sub(r"\1", part)) for part in parts[::2]]
        return "".join(parts)


def _rows(cells: Sequence[_SpannedCell], width: int) -> Iterator[tuple[int, Sequence[str]]]:
    """The lines that a table's rows begin on, and what their cells say; one of several rows says it in each of them.

    >>> cells = [("Arguments", 1, 1, 2), ("Name", 1), ("a", 2), ("Returns", 3), ("b", 3)]
    >>> [row for _, row in _rows([_SpannedCell(*cell) for cell in cells], 2)]
    [['Arguments', 'Name'], ['Arguments', 'a'], ['Returns', 'b']]
    """
    waiting = list(reversed(cells))
    going_on: dict[int, _SpannedCell] = {}  # by column, those of earlier rows
    while waiting:
        row: list[str] = []
        number = waiting[-1].number
        while len(row) < width and (waiting or len(row) in going_on):
            column = len(row)
            cell = going_on.pop(column) if column in going_on else waiting.pop()
            row += [cell.words, *[""] * (cell.wide - 1)]
            if cell.high > 1:
                going_on[column] = cell._replace(high=cell.high - 1)
        yield number, row
        if not row:  # every column goes on: nothing of the row itself is left to place
            return


def _as_code(found: re.Match[str]) -> str:
    """Literal words between ticks; what is only passed through as it stands."""
    *codes, passed, formula = found.groups()
    code = next(filter(None, codes), "")
    if not code:
        return passed or formula or ""
    return f"`` {code} ``" if "`" in code else f"`{code}`"


def _said(link: re.Match[str], code: Sequence[tuple[int, int]]) -> str:
    """What a link says; inside of code there is none."""
    if any(begin < link.start() < end for begin, end in code):
        return link[0]
    if link["address"]:
        words = link["said"].partition(",")[0] if "=" in link["said"] else link["said"]
        words = words.strip('"^')
        is_link = (
            words and link["address"].startswith("http") and not _BRACKET.search(words + link["address"])
        )
        return f"[{words}]({link['address']})" if is_link else words or link["address"]
    if link["menu"]:
        return " > ".join(one.strip() for one in (link["menu"], *link["choice"].split(">")) if one.strip())
    if link["note"]:
        return f" ({link['note']})"
    if link["manual"]:
        return f"{link['manual']}({link['chapter']})"
    if link["anchor"] and not link["named"]:
        page, _, section = link["anchor"].rpartition("#")
        return section.strip("_").replace("_", " ") if section.startswith("_") else section or page
    words = link["shown"] or (link["words"] or "").strip('"^')
    return words or next(filter(None, link.group("page", "named", "key", "indexed", "of", "made")), "")


def _count(columns: str) -> int:
    """How many columns a table has: `"1,2"`, `3*`, `2*,1`.

    >>> _count("1,2a"), _count("3*"), _count("2*,^1")
    (2, 3, 3)
    """
    parts = [one for one in columns.split(",") if one.strip()]
    return sum(int(found[1]) if (found := _REPEATED.search(one)) else 1 for one in parts)
