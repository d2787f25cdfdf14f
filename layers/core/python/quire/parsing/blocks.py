"""Cleaned Markdown to a flow of headings and blocks, on markdown-it-py."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import count
from textwrap import dedent
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from quire.parsing.inline import (
    make_part,
    normal_line,
    outward_links,
    readable,
    with_formulas,
    without_badges,
    without_open_brackets,
)
from quire.parsing.page import Block, Part, Section
from quire.parsing.scan import BREAK, INSERT, MARKS, NOTHING, Insert, Row
from quire.parsing.wiki import read_wiki_markup

_ATTRIBUTES = re.compile(
    r"""
    (?<!\s)\s*+\{:?[ \t]*+
    (?: \#(?P<id>[\w:.-]++) | \.[\w-]++ | [\w-]++=(?:"[^"{}\n]*+"|[^\s"{}]++) )  # an id, a class or another attribute
    (?:[ \t]++[.\#\w][^{}\n]*+)?+ [ \t]*+\}\s*+$
    """,
    re.VERBOSE,
)
_ALERT = re.compile(
    r"""
    \[!(?P<kind>[\w-]+)(?:\|[^\]\n]*+)?\][+-]?  # [!note], [!tip]- (folded) or [!info|right], as wikis have them
    [ \t]*+(?P<title>[^\n]*+)\n?
    """,
    re.VERBOSE,
)
_CODE_TITLE = re.compile(
    r"""
    \b(?:title|name|filename)\s*=\s*(?:
      "([^"]+)"
    | '([^']+)'
    | ([^\s&"']+)          # without quotes, as in an address
    )
    | (?<=\s)\[([^\[\]]+)\]  # of VitePress
    """,
    re.VERBOSE,
)
_FORMULA_OPENS = re.compile(r"\$\$(?![^\n]*\$\$)|\\begin\{(?P<name>[a-zA-Z]{1,20}\*?)\}")
_LONGEST_FORMULA = 200  # lines
_BAR = re.compile(r"(?<!\\)\|")
_STRUCTURED = re.compile(
    rf"""
    \n[ \t{NOTHING}]*\n                          # an empty line
    | (?:^|{BREAK})[ \t]*(?:[-*+]|\d+[.)])[ \t]  # a list's item
    | ```|~~~                                    # a fence
    | {INSERT}                                   # what the markup pass took out
    """,
    re.MULTILINE | re.VERBOSE,
)


def read_blocks(
    text: str,
    inserts: Sequence[Insert],
    addresses: Mapping[str, str],
    *,
    indented_code: bool,
    wiki: bool = False,
) -> Iterator[Section | Block | Insert]:
    """Headings (as sections without blocks), blocks, and the inserts that stand for an included file, in order."""
    reader = _MarkdownReader(_block_parser(indented_code, INSERT in text, wiki), inserts, addresses, text)
    while reader.at < len(reader.tokens):
        if reader.tokens[reader.at].type == "heading_open":
            yield reader.heading()
        else:
            yield from reader.blocks()


@lru_cache(maxsize=8)
def _block_parser(indented_code: bool, inserts: bool, wiki: bool) -> MarkdownIt:
    """A parser of blocks; what stands inside them it leaves as it is written."""
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.disable(["inline", "text_join", "html_block", "html_inline"])
    if not indented_code:
        parser.disable("code")
    ends = ["paragraph", "reference", "blockquote", "list", "table"]
    parser.block.ruler.before("table", "formula", _formula_rule, {"alt": ends})
    if inserts:
        parser.block.ruler.before("table", "insert", _insert_rule, {"alt": ends})
    if wiki:
        parser.inline.ruler.before("link", "wiki", read_wiki_markup)
    return with_formulas(without_open_brackets(parser))


def _formula_rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Markdown rule: a formula of several lines stays as it is written, whose lines may look like a list or a heading.

    It is between `$$`, or an environment of LaTeX, and has no empty line.
    """
    opening = _FORMULA_OPENS.match(state.src, state.bMarks[start] + state.tShift[start], state.eMarks[start])
    if opening is None or state.is_code_block(start):
        return False
    closing = rf"\end{{{opening['name']}}}" if opening["name"] else "$$"
    last = min(end, start + _LONGEST_FORMULA)
    if state.src.find(closing, state.eMarks[start], state.eMarks[last - 1]) < 0:
        return False
    for line in range(start + 1, last):
        if state.isEmpty(line) or state.sCount[line] < state.blkIndent:
            break
        if closing in state.src[state.bMarks[line] : state.eMarks[line]]:
            if not silent:
                token = state.push("formula", "", 0)
                token.markup = closing
                token.content = state.getLines(start, line + 1, state.blkIndent, False)
                token.map = [start, line + 1]
                state.line = line + 1
            return True
    return False


def _insert_rule(state: StateBlock, start: int, _end: int, silent: bool) -> bool:
    """Markdown rule: a line that begins with an insert ends a paragraph; what follows it on the line is one."""
    position = state.bMarks[start] + state.tShift[start]
    if not state.src.startswith(INSERT, position):
        return False
    if not silent:
        token = state.push("insert", "", 0)
        token.content = state.src[position : state.eMarks[start]]
        token.map = [start, start + 1]
        state.line = start + 1
        rest = token.content.rpartition(INSERT)[2].strip(f" \t{BREAK}")
        if rest:
            state.push("paragraph_open", "p", 1).map = [start, start + 1]
            state.push("inline", "", 0).content = rest
            state.push("paragraph_close", "p", -1)
    return True


class _MarkdownReader:
    """Reads a stream of Markdown tokens once, front to back; `at` is where it stands.

    `addresses` are those of pages, by the targets of links to them; `links` are those of the text that was read since a
    part took them.
    """

    def __init__(
        self, parser: MarkdownIt, inserts: Sequence[Insert], addresses: Mapping[str, str], text: str
    ) -> None:
        self.parser, self.inserts, self.addresses = parser, inserts, addresses
        self.references: dict[str, Any] = {}
        self.tokens = parser.parse(text, self.references)
        self.at = 0
        self.after_list: list[Insert] = []
        self.links: list[str] = []

    def read(self, text: str, references: dict[str, Any], *, is_heading: bool = False) -> str:
        """The readable text of inline Markdown; that of a heading has no badges."""
        children: list[Token] = []
        self.parser.inline.parse(text.replace("\0", "\ufffd"), self.parser, references, children)
        self.links += outward_links(children, self.addresses)
        return readable(without_badges(children) if is_heading else children)

    def _linked(self, part: Part) -> Part:
        """The part with the links of what was read for it."""
        links, self.links = self.links, []
        return replace(part, links=tuple(links)) if links else part

    def heading(self) -> Section:
        """The heading that stands here."""
        opened, inline = self.tokens[self.at], self.tokens[self.at + 1]
        self.at += 3
        raw = self.read(inline.content, self.references, is_heading=True)
        attributes = _ATTRIBUTES.search(raw)
        heading = " ".join(normal_line(_ATTRIBUTES.sub("", raw)).split())
        return Section(
            heading, int(opened.tag[1]), _line(opened), attributes["id"] or "" if attributes else ""
        )

    def blocks(self) -> Iterator[Block | Insert]:
        """What the token here begins: usually one block, for a quote all that it holds, for a rule none."""
        token = self.tokens[self.at]
        if token.type in ("bullet_list_open", "ordered_list_open"):
            parts = tuple(self._list(0))
            if parts:
                yield Block("list", parts)
            yield from self.after_list
            self.after_list = []
        elif token.type == "table_open":
            yield from _table(tuple(self._table_rows()))
        elif token.type == "insert":
            self.at += 1
            yield from self._insert(token)
        else:
            yield from (Block(_kind(part, token), (part,)) for part in self._parts())

    def _parts(self, prefix: str = "") -> Iterator[Part]:
        """The part that begins here, if the token begins one, and the token is left behind."""
        token = self.tokens[self.at]
        if token.type in ("paragraph_open", "heading_open"):
            raw = self.read(self.tokens[self.at + 1].content, self.references)
            self.at += 3
            part = make_part(_alert(raw) if raw[:2] == "[!" else raw, _line(token), prefix)
            if part:
                yield self._linked(part)
            return
        self.at += 1
        if token.type == "formula":
            formula, _, behind = token.content.rpartition(token.markup)
            raw = formula + token.markup + self.read(behind, self.references)
            part = make_part(raw, _line(token), prefix)
            yield from [self._linked(part)] if part else []
        if token.type in ("fence", "code_block"):
            title = _CODE_TITLE.search(token.info or "")
            if title:
                shown = normal_line(title[1] or title[2] or title[4] or unquote(title[3]))
                yield Part(shown, _line(token), _line(token))
            yield _code(token)

    def _list(self, depth: int) -> Iterator[Part]:
        opened = self.tokens[self.at]
        ordered = opened.type == "ordered_list_open"
        numbers = count(int(opened.attrs.get("start", 1)))
        mark = ""
        self.at += 1
        while self.tokens[self.at].type not in ("bullet_list_close", "ordered_list_close"):
            token = self.tokens[self.at]
            if token.type == "list_item_open":
                mark = f"{next(numbers)}. " if ordered else "- "
                self.at += 1
            elif token.type in ("bullet_list_open", "ordered_list_open"):
                yield from self._list(depth + 1)
            elif token.type in ("table_open", "insert"):
                for block in self.blocks():
                    if isinstance(block, Block):
                        yield from block.parts
                    else:
                        self.after_list.append(block)
            else:
                for part in self._parts("  " * depth + (mark or "  ")):
                    yield part
                    mark = ""
        self.at += 1

    def _table_rows(self) -> Iterator[Part]:
        cells: list[str] = []
        while self.tokens[self.at].type != "table_close":
            token = self.tokens[self.at]
            if token.type == "tr_open":
                cells, line = [], _line(token)
            elif token.type == "inline":
                cells.append(normal_line(self.read(token.content, self.references)).replace("\n", " "))
            elif token.type == "tr_close" and any(cells):
                yield self._linked(Part(join_cells(cells), line, line))
            self.at += 1
        self.at += 1

    def _insert(self, token: Token) -> Iterator[Block | Insert]:
        insert = self.inserts[int(token.content.split(INSERT)[1])]
        if insert.kind == "include":
            yield insert
        elif insert.kind == "label":
            part = make_part(self.read(insert.text, {}), insert.line)
            yield from [Block("label", (self._linked(part),))] if part else []
        elif insert.kind == "code":
            yield Block("code", (Part(insert.text, insert.line, insert.end_line, code=True),))
        else:
            yield from _table(tuple(part for row in insert.rows if (part := self._row(row))))

    def _row(self, row: Row) -> Part | None:
        cells = [*map(self._cell, row.cells)]
        if not any(cells):
            return None
        text = join_cells(cells)
        return self._linked(Part(text, row.start_line, row.end_line, code="```" in text))

    def _cell(self, cell: str) -> str:
        """Text of an HTML cell, which may hold paragraphs, lists and code of its own."""
        if not _STRUCTURED.search(cell):
            cell = cell.replace("\n", " ")
            return normal_line(self.read(cell.strip(), {})).replace("\n", " ")
        cell = dedent(cell.expandtabs(4).replace(NOTHING, "")).replace(BREAK, "\n\n")
        inner = _MarkdownReader(self.parser, self.inserts, self.addresses, cell)
        texts: list[str] = []
        while inner.at < len(inner.tokens):
            for block in inner.blocks():
                if isinstance(block, Block):
                    texts.append(block.text)
                    self.links += [link for part in block.parts for link in part.links]
        return "\n".join(texts)


def _alert(raw: str) -> str:
    """A quote that is an alert or a callout, opened by the name of its kind, and by its title where it has one.

    >>> _alert("[!NOTE]\\nMind the gap.").replace("\\n", "/")
    'Note:/Mind the gap.'
    >>> _alert("[!tip]- Tip\\nFold it.").replace("\\n", "/")
    'Tip:/Fold it.'
    """
    opening = _ALERT.match(raw)
    if opening is None:
        return raw
    kind, title = opening["kind"].replace("-", " ").capitalize(), opening["title"].strip(f" \t{BREAK}")
    rest = raw[opening.end() :]
    said = f"{kind}:" if title.casefold() in ("", kind.casefold()) else f"{kind}: {title}{BREAK}"
    return f"{said}\n{rest}" if rest else said.rstrip(BREAK)


def _kind(part: Part, token: Token) -> str:
    if part.code:
        return "code"
    return "label" if token.type == "fence" else "paragraph"


def _line(token: Token) -> int:
    return (token.map or [0])[0] + 1


def join_cells(cells: list[str]) -> str:
    """A row's text, bars of its cells escaped. It begins with one where its first cell is empty; empty last ones go.

    >>> join_cells(["", "Free", "Paid | more", ""])
    '| Free | Paid \\\\| more'
    """
    while not cells[-1]:
        cells = cells[:-1]
    return " | ".join(_BAR.sub(r"\|", cell) for cell in cells).lstrip()


def marked_rows(rows: Sequence[Part]) -> tuple[Part, ...]:
    """The rows of a table; a cell alone in one of several gets bars, else it would be a line of text.

    One value below its name is read as that: with bars around both they would be longer than what they say.
    """
    if len(rows) <= 2 and not any(_BAR.search(row.text) for row in rows):
        return tuple(rows)
    return tuple(
        row if row.code or "\n" in row.text or _BAR.search(row.text) else replace(row, text=f"| {row.text} |")
        for row in rows
    )


def _table(rows: Sequence[Part]) -> Iterator[Block]:
    if rows:
        rows = marked_rows(rows)
        yield Block("table", rows, header=rows[0].text)


def _code(token: Token) -> Part:
    """A code block with its fence, so that a reader and a model see where it begins and ends."""
    fence = token.markup if token.type == "fence" else "```"
    language = token.info.strip().split(" ")[0] if token.info else ""
    body = MARKS.sub("", token.content).rstrip("\n")
    start, end = token.map or [0, 1]
    return Part(f"{fence}{language}\n{body}\n{fence}", start + 1, end, code=True)
