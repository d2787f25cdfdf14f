"""The short cut for paragraphs gives the tokens that Markdown's own rules give."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from quire.parsing.block_rules import block_parser

_STARTS = (
    "",
    "",
    "",
    "  ",
    "    ",
    "\t",
    "- ",
    "* ",
    "+ ",
    "1. ",
    "2) ",
    "10. ",
    "> ",
    "# ",
    "- - ",
    "-",
    "1.",
)
_TEXTS = (
    *(
        "",
        "Some words.",
        "3D parts",
        "2.5 studs",
        "*it* is",
        "**bold**",
        "`code`",
        "[link](x)",
        "[ref]: url",
        "a | b",
    ),
    *(
        "```",
        "```lua",
        "---",
        "===",
        "***",
        "--- | ---",
        "| - |",
        "=",
        ":::",
        "\ue0010\ue001",
        "_so_",
        "~~~",
        "![a](b)",
    ),
)
_LINES = st.tuples(st.sampled_from(_STARTS), st.sampled_from(_STARTS), st.sampled_from(_TEXTS)).map("".join)


def tokens(parser: MarkdownIt, text: str) -> list[tuple[object, ...]]:
    """What a reader of the tokens goes by; the lines of a text inside a paragraph are those of the paragraph."""
    return [
        (token.type, token.level, token.hidden, token.content.strip(), token.type != "inline" and token.map)
        for token in parser.parse(text)
    ]


@pytest.mark.parametrize("indented_code", [True, False])
@given(lines=st.lists(_LINES, max_size=9))
@example(lines=["- a", "", "      - b", "2. c", "   3. d"])
@example(lines=["> a", "b", "- c", "d"])
@example(lines=["a", "- ", "b", "2. c", "1. d"])
@example(lines=["a | b", "--- | ---", "c | d", "e"])
def test_paragraphs_are_those_of_the_whole_grammar(indented_code: bool, lines: list[str]) -> None:
    slow = block_parser.__wrapped__(indented_code).disable("calm_paragraph")
    text = "\n".join(lines)
    assert tokens(block_parser(indented_code), text) == tokens(slow, text)
