"""The Markdown parser for blocks: markdown-it's, with a rule for inserts and a short cut for paragraphs."""

from __future__ import annotations

import re
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

from quire.parsing.scan import BREAK, INSERT

# A line that begins no block but a paragraph, ends none and underlines no heading or table, by its first characters.
_CALM = re.compile(
    rf"[^\s\d#>|:=~+\-*_`\[{INSERT}]|\d+(?![\d.)])|\*\*?(?=[^\s*])|_(?=[^\s_])|``?(?!`)|\[[^\]\\\n]*\](?!:)"
)
_BULLET = re.compile(r"[-*+][ \t]+[^\s\-*+_=|:]")
_NUMBER = re.compile(r"\d{1,9}[.)][ \t]+[^\s|]")


@lru_cache(maxsize=2)
def block_parser(indented_code: bool) -> MarkdownIt:
    """A parser of blocks; what stands inside them it leaves as it is written."""
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.disable(["inline", "text_join", "html_block", "html_inline"])
    if not indented_code:
        parser.disable("code")
    rules = parser.block.ruler
    rules.before(
        "table", "insert", _insert_rule, {"alt": ["paragraph", "reference", "blockquote", "list", "table"]}
    )
    rules.before("insert", "calm_paragraph", _calm_paragraph_rule)
    return parser


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
            _push_paragraph(state, start, start + 1, rest)
    return True


def _calm_paragraph_rule(state: StateBlock, start: int, _end: int, silent: bool) -> bool:
    """Markdown rule: what is a paragraph for certain, by the first characters of its lines and of the one after.

    Nine of ten paragraphs are. The rules that come after this one are asked for every line of the others.
    """
    if silent or state.is_code_block(start) or not _CALM.match(state.src, _text_start(state, start)):
        return False
    line = start + 1
    while line < state.lineMax and not state.isEmpty(line):
        if not _CALM.match(state.src, _text_start(state, line)) or state.sCount[line] < 0:
            if _begins_item(state, line):
                break
            return False
        line += 1
    state.line = line
    _push_paragraph(state, start, line, state.getLines(start, line, state.blkIndent, False).strip())
    return True


def _push_paragraph(state: StateBlock, start: int, end: int, content: str) -> None:
    state.push("paragraph_open", "p", 1).map = [start, end]
    state.push("inline", "", 0).content = content
    state.push("paragraph_close", "p", -1)


def _text_start(state: StateBlock, line: int) -> int:
    return state.bMarks[line] + state.tShift[line]


def _begins_item(state: StateBlock, line: int) -> bool:
    """Whether the line begins a list item for certain, though a paragraph stands before it."""
    indent = state.sCount[line]
    if indent < 0 or indent - state.blkIndent > 3:
        return False
    if indent < state.blkIndent and 0 <= state.listIndent <= indent - 4:
        return False
    position = _text_start(state, line)
    if _BULLET.match(state.src, position):
        return True
    return indent < state.blkIndent and bool(_NUMBER.match(state.src, position))
